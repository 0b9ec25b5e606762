"""Thresholds from alert budgets, and what they do day by day.

Two ways to run a detector on a budget of q alerts a day: fix a threshold on past days
(`at_daily_budget`) and replay it on later ones (`fixed_threshold_by_day`; a threshold fixes a
score, not a number of alerts), or rank each day's records and send the top q whatever their
scores (`ranking_by_day`). `period_totals` sums up either over its days. A budget for a whole
period, however its days share it, is `ThresholdSweep.at_budget`.

A day may be a number, a text or a timestamp, any label that can be sorted; weeks or shifts are
given as days of their own. A day without records does not occur, and so has no budget either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from labkit.metrics import BudgetedPoint, ThresholdSweep, wilson
from labkit.metrics.inputs import as_codes, as_labels, as_scores, check_lengths
from labkit.metrics.scalars import as_budget, as_number
from labkit.metrics.sweep import Ties

if TYPE_CHECKING:
    import pandas as pd


def at_daily_budget(
    y_true: ArrayLike,
    y_score: ArrayLike,
    day: ArrayLike,
    per_day: int,
    ties: Ties = "under",
    *,
    pos_label: object = None,
) -> BudgetedPoint:
    """Return the operating point that spends `per_day` alerts a day over all days together.

    The threshold is the score of the record ranked k = per_day * D among those of all D days. On
    past days it is a threshold to fix and replay on later ones; on the days that are judged it is
    hindsight. The days share the budget: one may hold more than `per_day` of the alerts.

    Parameters
    ----------
    y_true, y_score, day
        Label, score and day of each record, shape (n,).
    per_day
        Alert budget q of one day: a whole number, 0 or more.
    ties
        As in `ThresholdSweep.at_budget`. Replayed, a threshold cannot cut a tied group: that of
        "expected" is that of "over".
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    BudgetedPoint
        With `budget` k, and the bounds on tp that ties at the cut leave open.

    Raises
    ------
    InputError
        On a budget that cannot be, NaN scores, missing labels or days, unequal lengths.

    Examples
    --------
    >>> point = at_daily_budget([1, 0, 1, 1], [0.9, 0.2, 0.8, 0.7], [0, 0, 1, 1], per_day=1)
    >>> point.budget, point.threshold
    (2, 0.8)
    """
    per_day = as_budget(per_day, "per_day")
    labels, scores, _, days = _records(y_true, y_score, day, pos_label)
    return ThresholdSweep.from_scores(labels, scores).at_budget(per_day * len(days), ties)


def fixed_threshold_by_day(
    y_true: ArrayLike,
    y_score: ArrayLike,
    day: ArrayLike,
    threshold: float,
    *,
    level: float = 0.95,
    pos_label: object = None,
) -> pd.DataFrame:
    """Return what one threshold, fixed beforehand, does on each day.

    Parameters
    ----------
    y_true, y_score, day
        Label, score and day of each record, shape (n,).
    threshold
        A record is an alert when score >= threshold.
    level
        Confidence level of the intervals, within (0, 1).
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    pandas.DataFrame
        One row a day, ascending: records, attacks, alerts, tp, fp, recall, precision, threshold;
        then the Wilson intervals recall_low, recall_high, precision_low, precision_high. Recall is
        nan on a day without attacks and precision on a day without alerts. The intervals take the
        records for independent; where an attack sends many alike, they are too narrow.

    Raises
    ------
    InputError
        On a threshold or scores that are NaN, missing labels or days, unequal lengths.

    Examples
    --------
    >>> table = fixed_threshold_by_day([1, 0, 1, 1], [0.9, 0.2, 0.8, 0.7], [0, 0, 1, 1], 0.7)
    >>> table["alerts"].to_dict()
    {0: 1, 1: 2}
    """
    import pandas as pd

    threshold = as_number(threshold, "threshold")
    labels, scores, codes, days = _records(y_true, y_score, day, pos_label)
    flagged = scores >= threshold
    records, attacks, alerts, tp = (
        np.bincount(codes[chosen], minlength=len(days))
        for chosen in (slice(None), labels, flagged, flagged & labels)
    )
    with np.errstate(invalid="ignore"):
        recall, precision = tp / attacks, tp / alerts
    columns = {
        "records": records,
        "attacks": attacks,
        "alerts": alerts,
        "tp": tp,
        "fp": alerts - tp,
        "recall": recall,
        "precision": precision,
        "threshold": float(threshold),
    }
    for name, of in (("recall", attacks), ("precision", alerts)):
        bounds = [wilson(k, n, level) for k, n in zip(tp, of, strict=True)]
        columns[f"{name}_low"], columns[f"{name}_high"] = np.transpose(bounds)
    return pd.DataFrame(columns, index=days).rename_axis("day")


def ranking_by_day(
    y_true: ArrayLike,
    y_score: ArrayLike,
    day: ArrayLike,
    per_day: int,
    ties: Ties = "under",
    *,
    pos_label: object = None,
) -> pd.DataFrame:
    """Return what comes of sending the `per_day` highest records of each day.

    Parameters
    ----------
    y_true, y_score, day
        Label, score and day of each record, shape (n,).
    per_day
        Alert budget q of one day: a whole number, 0 or more.
    ties
        As in `ThresholdSweep.at_budget`.
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    pandas.DataFrame
        One row a day, ascending: records, attacks, alerts, tp, fp, recall, precision, threshold,
        as in `fixed_threshold_by_day`, but the threshold differs from day to day; then
        ties_at_cut, tp_low and tp_high, as in `BudgetedPoint`. No intervals: where the threshold
        follows the data, neither share is a binomial one.

    Raises
    ------
    InputError
        On a budget that cannot be, NaN scores, missing labels or days, unequal lengths.

    Examples
    --------
    >>> table = ranking_by_day([1, 0, 1, 1], [0.9, 0.2, 0.8, 0.7], [0, 0, 1, 1], per_day=1)
    >>> table["threshold"].to_dict()
    {0: 0.9, 1: 0.8}
    """
    import pandas as pd

    per_day = as_budget(per_day, "per_day")
    labels, scores, codes, days = _records(y_true, y_score, day, pos_label)
    rows = []
    # In as few bits as the days need, since numpy sorts short numbers in linear time.
    in_order = np.argsort(codes.astype(np.min_scalar_type(len(days))), kind="stable")
    for of_day in np.split(in_order, np.cumsum(np.bincount(codes))[:-1]):
        sweep = ThresholdSweep.from_scores(labels[of_day], scores[of_day])
        point = sweep.at_budget(per_day, ties)
        rows.append(
            {
                "records": len(of_day),
                "attacks": sweep.positives,
                "alerts": point.alerts,
                "tp": point.tp,
                "fp": point.fp,
                "recall": point.recall,
                "precision": point.precision,
                "threshold": point.threshold,
                "ties_at_cut": point.ties_at_cut,
                "tp_low": point.tp_low,
                "tp_high": point.tp_high,
            }
        )
    return pd.DataFrame(rows, index=days).rename_axis("day")


def period_totals(by_day: pd.DataFrame) -> pd.Series:
    """Return the counts of a table by day summed over its days, with their recall and precision.

    Recall is all true alerts over all attacks, and precision all true alerts over all alerts: not
    the mean of the daily rates, in which a quiet day would weigh as much as a flood.

    Parameters
    ----------
    by_day
        What `fixed_threshold_by_day` or `ranking_by_day` returned, or some of its rows.

    Returns
    -------
    pandas.Series
        records, attacks, alerts, tp, fp, recall, precision; recall is nan without attacks and
        precision without alerts. For a ranking also tp_low and tp_high: the fewest and most
        attacks over every way to cut the ties of every day.

    Examples
    --------
    >>> table = ranking_by_day([1, 0, 0, 1], [0.9, 0.2, 0.8, 0.8], [0, 0, 1, 1], 1, "expected")
    >>> period_totals(table)[["alerts", "tp", "recall", "tp_low", "tp_high"]].tolist()
    [2.0, 1.5, 0.75, 1.0, 2.0]
    """
    import pandas as pd

    counts = by_day[["records", "attacks", "alerts", "tp", "fp"]].sum().astype(float)
    with np.errstate(invalid="ignore"):
        rates = {"recall": counts["tp"] / counts["attacks"]}
        rates["precision"] = counts["tp"] / counts["alerts"]
    bounds = by_day[[name for name in ("tp_low", "tp_high") if name in by_day]].sum()
    return pd.concat([counts, pd.Series(rates), bounds.astype(float)])


def alert_probability(y_score: ArrayLike, k: int) -> np.ndarray:
    """Return how likely each record is to be among the top k when ties are cut by chance.

    Parameters
    ----------
    y_score
        Scores, shape (n,).
    k
        Alerts allowed: a whole number, 0 or more.

    Returns
    -------
    numpy.ndarray
        Shape (n,): 1 above the score at which the budget runs out, 0 below it, and on it the share
        of the tied records that there is room for. Sums to k, or to n where k is more.

    Raises
    ------
    InputError
        On a budget that cannot be, and on NaN scores.

    Examples
    --------
    >>> alert_probability([0.9, 0.8, 0.8, 0.1], 2).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    scores = as_scores(y_score)
    k = as_budget(k)
    if k >= len(scores):
        return np.ones(len(scores))
    if k == 0:
        return np.zeros(len(scores))
    cut = np.partition(scores, -k)[-k]
    above, tied = scores > cut, scores == cut
    return above + tied * (k - np.count_nonzero(above)) / np.count_nonzero(tied)


def _records(
    y_true: ArrayLike, y_score: ArrayLike, day: ArrayLike, pos_label: object
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return label, score and number of the day of each record, and the days in order."""
    labels, scores = as_labels(y_true, pos_label), as_scores(y_score)
    codes, days = as_codes(day, "day")
    check_lengths(y_true=labels, y_score=scores, day=codes)
    return labels, scores, codes, days
