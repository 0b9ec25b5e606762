"""The tables behind the report's figures, thinned to what can be seen.

Of all points of a line that fall into one of `_COLUMNS` columns of the picture, the first and last,
the lowest and highest are kept: every corner that the drawing could show stays where it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from labkit.decisions.cost_curves import cost_at_every_threshold
from labkit.evaluation.results import DetectorResult, Measure

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
        ["curve", "fpr", "recall"],
        (
            (name, np.append(0.0, one.sweep.fpr), np.append(0.0, one.sweep.recall))
            for name, one in detectors.items()
        ),
    )


def precision_recall_table(detectors: Detectors) -> pd.DataFrame:
    """Return where every detector gains recall: curve, recall, precision; no point at recall 0."""
    gains = {name: np.diff(one.sweep.tp, prepend=0) > 0 for name, one in detectors.items()}
    return _stacked(
        ["curve", "recall", "precision"],
        (
            (name, one.sweep.recall[gains[name]], one.sweep.precision[gains[name]])
            for name, one in detectors.items()
        ),
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


def interval_table(rows: Iterable[tuple[str, str, Measure]]) -> pd.DataFrame:
    """Return defined numbers with their intervals: number, of, estimate, low, high.

    Parameters
    ----------
    rows
        What was measured, of whom, and what it is.
    """
    return _frame(
        [
            (number, of, measure.estimate, measure.low, measure.high)
            for number, of, measure in rows
            if not math.isnan(measure.estimate)
        ],
        ["number", "of", "estimate", "low", "high"],
    )


def _stacked(
    columns: Sequence[str], lines: Iterable[tuple[str, np.ndarray, np.ndarray]]
) -> pd.DataFrame:
    """Return the points of several lines, thinned, below each other."""
    import pandas as pd

    parts = []
    for name, x, y in lines:
        rows = thinned(x, y)
        parts.append(pd.DataFrame(dict(zip(columns, (name, x[rows], y[rows]), strict=True))))
    return pd.concat(parts, ignore_index=True)


def _frame(rows: list[tuple], columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, columns=columns)
