"""The tables behind the report's figures, thinned to what can be seen.

Of all points of a line that fall into one of `_COLUMNS` columns of the picture, the first and last,
the lowest and highest are kept: every corner that the drawing could show stays where it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from labkit.decisions.cost_curves import cost_at_every_threshold
from labkit.evaluation.results import DetectorResult, PairResult
from labkit.metrics import ThresholdSweep

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = 500
_RATES = 25
_MOST_COMMON = 0.5

Detectors = Mapping[str, DetectorResult]
"""Name, as it is to be drawn -> what was measured."""


def thinned(x: np.ndarray, y: np.ndarray, columns: int = _COLUMNS) -> np.ndarray:
    """Return which points of a line to draw, ascending; all of them where they are few.

    Parameters
    ----------
    x, y
        Finite, shape (m,); x never decreases, or never increases.
    columns
        Of the picture; at most four points of each are drawn.

    Examples
    --------
    >>> thinned(np.arange(6), np.array([0, 5, 1, 2, 1, 0]), columns=1).tolist()
    [0, 1, 5]
    """
    if len(x) <= 4 * columns:
        return np.arange(len(x))
    aside = np.abs(x - x[0])
    place = aside / aside[-1] * columns if aside[-1] else aside
    column = np.minimum(place.astype(np.int64), columns - 1)
    opens = np.flatnonzero(np.diff(column, prepend=-1))
    closes = np.append(opens[1:], len(x)) - 1
    by_height = np.lexsort((y, column))
    return np.unique(np.concatenate([opens, closes, by_height[opens], by_height[closes]]))


def roc_table(detectors: Detectors) -> pd.DataFrame:
    """Return the points of every ROC curve: curve, fpr, recall; from (0, 0) on."""
    return _stacked(
        {name: _roc(one.sweep) for name, one in detectors.items()}, ["curve", "fpr", "recall"]
    )


def precision_recall_table(detectors: Detectors) -> pd.DataFrame:
    """Return where every detector gains recall: curve, recall, precision; no point at recall 0."""
    return _stacked(
        {name: _precision_recall(one.sweep) for name, one in detectors.items()},
        ["curve", "recall", "precision"],
    )


def budget_points(detectors: Detectors) -> pd.DataFrame:
    """Return where each budget lies on the curves: curve, budget, fpr, recall, precision.

    A group tied at the cut is cut by chance.
    """
    rows = []
    for name, one in detectors.items():
        for budget in one.budgets:
            point = one.sweep.at_budget(budget.budget, "expected")
            rows.append((name, budget.budget, point.fpr, point.recall, point.precision))
    return _frame(rows, ["curve", "budget", "fpr", "recall", "precision"])


def base_rate_table(detectors: Detectors, marked: Sequence[float]) -> pd.DataFrame:
    """Return average precision over base rates: curve, base_rate, average_precision.

    Parameters
    ----------
    detectors
        Of both classes.
    marked
        Base rates that must be among them.
    """
    own = [one.sweep.base_rate for one in detectors.values()]
    lowest = min(*own, *marked, _MOST_COMMON) / 3
    rates = np.geomspace(lowest, max(*own, *marked, _MOST_COMMON), _RATES)
    rows = []
    for name, one in detectors.items():
        for rate in np.union1d(rates, [*marked, one.sweep.base_rate]):
            projected = one.sweep.at_base_rate(float(rate)).average_precision
            rows.append((name, rate, projected))
    return _frame(rows, ["curve", "base_rate", "average_precision"])


def cost_table(one: DetectorResult) -> pd.DataFrame:
    """Return what the errors of every finite threshold cost: threshold, cost; descending."""
    costs = cost_at_every_threshold(one.sweep, cost_fp=one.costs.cost_fp, cost_fn=one.costs.cost_fn)
    costs = costs[np.isfinite(costs["threshold"])]
    if costs.empty:
        return costs
    return costs.iloc[thinned(costs["threshold"].to_numpy(), costs["cost"].to_numpy())]


def interval_table(detectors: Detectors, names: Mapping[float, str]) -> pd.DataFrame:
    """Return AUC and average precisions with their intervals: number, of, estimate, low, high.

    Parameters
    ----------
    detectors
        Of both classes.
    names
        Base rate -> how to call the average precision there.
    """
    numbers = {"AUC": lambda one: one.auc, "AP": lambda one: one.average_precision}
    for rate, name in names.items():
        numbers[name] = lambda one, rate=rate: one.average_precision_at[rate]
    rows = [
        (number, name, measure.estimate, measure.low, measure.high)
        for number, of in numbers.items()
        for name, one in detectors.items()
        for measure in [of(one)]
        if not math.isnan(measure.estimate)
    ]
    return _frame(rows, ["number", "of", "estimate", "low", "high"])


def difference_table(
    pairs: Sequence[PairResult], names: Mapping[str, str], called: Mapping[str, str]
) -> pd.DataFrame:
    """Return the differences of all pairs: number, of, estimate, low, high.

    Parameters
    ----------
    pairs
        What was compared.
    names
        Detector -> its name as it is to be drawn.
    called
        What was compared -> how to call it.
    """
    rows = [
        (
            called[number],
            f"{names[pair.detector]} - {names[pair.baseline]}",
            measure.estimate,
            measure.low,
            measure.high,
        )
        for pair in pairs
        for number, measure in pair.differences.items()
        if not math.isnan(measure.estimate)
    ]
    return _frame(rows, ["number", "of", "estimate", "low", "high"])


def _roc(sweep: ThresholdSweep) -> tuple[np.ndarray, np.ndarray]:
    fpr, recall = np.append(0.0, sweep.fpr), np.append(0.0, sweep.recall)
    rows = thinned(fpr, recall)
    return fpr[rows], recall[rows]


def _precision_recall(sweep: ThresholdSweep) -> tuple[np.ndarray, np.ndarray]:
    gains = np.diff(sweep.tp, prepend=0) > 0
    recall, precision = sweep.recall[gains], sweep.precision[gains]
    rows = thinned(recall, precision)
    return recall[rows], precision[rows]


def _stacked(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]], columns: list[str]
) -> pd.DataFrame:
    import pandas as pd

    return pd.concat(
        [
            pd.DataFrame(dict(zip(columns, (name, *points), strict=True)))
            for name, points in curves.items()
        ],
        ignore_index=True,
    )


def _frame(rows: list[tuple], columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=columns)
