"""Thresholds from alert budgets, and what they do day by day.

Two ways to run a detector on a budget of q alerts a day: fix a threshold on past days and replay
it on later ones (a threshold fixes a score, not a number of alerts), or rank each day's records
and send the top q whatever their scores.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from labkit.metrics import OperatingPoint, ThresholdSweep
from labkit.metrics.inputs import as_codes, as_labels, as_scores, check_lengths
from labkit.metrics.sweep import Ties, check_budget

if TYPE_CHECKING:
    import pandas as pd


def fixed_threshold_by_day(
    y_true: ArrayLike,
    y_score: ArrayLike,
    day: ArrayLike,
    threshold: float,
    *,
    pos_label: object = None,
) -> "pd.DataFrame":
    """Return what one threshold, fixed beforehand, does on each day.

    Parameters
    ----------
    y_true, y_score, day
        Label, score and day of each record, shape (n,).
    threshold
        A record is an alert when score >= threshold.
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    pandas.DataFrame
        One row a day, ascending: records, attacks, alerts, tp, fp, recall, precision, threshold.
        Recall is nan on a day without attacks and precision on a day without alerts.

    Examples
    --------
    >>> table = fixed_threshold_by_day([1, 0, 1, 1], [0.9, 0.2, 0.8, 0.7], [0, 0, 1, 1], 0.7)
    >>> table["alerts"].to_dict()
    {0: 1, 1: 2}
    """
    labels = as_labels(y_true, pos_label)
    return _by_day(labels, y_score, day, lambda sweep: sweep.at_threshold(threshold))


def ranking_by_day(
    y_true: ArrayLike,
    y_score: ArrayLike,
    day: ArrayLike,
    per_day: int,
    ties: Ties = "under",
    *,
    pos_label: object = None,
) -> "pd.DataFrame":
    """Return what comes of sending the `per_day` highest records of each day.

    Parameters
    ----------
    y_true, y_score, day
        Label, score and day of each record, shape (n,).
    per_day
        Alert budget q of one day.
    ties
        As in `ThresholdSweep.at_budget`.
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    pandas.DataFrame
        The columns of `fixed_threshold_by_day`; the threshold now differs from day to day.

    Examples
    --------
    >>> table = ranking_by_day([1, 0, 1, 1], [0.9, 0.2, 0.8, 0.7], [0, 0, 1, 1], per_day=1)
    >>> table["threshold"].to_dict()
    {0: 0.9, 1: 0.8}
    """
    labels = as_labels(y_true, pos_label)
    return _by_day(labels, y_score, day, lambda sweep: sweep.at_budget(per_day, ties))


def alert_probability(y_score: ArrayLike, k: int) -> np.ndarray:
    """Return how likely each record is to be among the top k when ties are cut by chance.

    Parameters
    ----------
    y_score
        Scores, shape (n,).
    k
        Alerts allowed.

    Returns
    -------
    numpy.ndarray
        Shape (n,): 1 above the score at which the budget runs out, 0 below it, and on it the share
        of the tied records that there is room for. Sums to k, or to n where k is more.

    Examples
    --------
    >>> alert_probability([0.9, 0.8, 0.8, 0.1], 2).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    scores = as_scores(y_score)
    check_budget(k)
    if k >= len(scores):
        return np.ones(len(scores))
    if k == 0:
        return np.zeros(len(scores))
    cut = np.partition(scores, -k)[-k]
    above, tied = scores > cut, scores == cut
    return above + tied * (k - np.count_nonzero(above)) / np.count_nonzero(tied)


def _by_day(
    labels: np.ndarray,
    y_score: ArrayLike,
    day: ArrayLike,
    decide: Callable[[ThresholdSweep], OperatingPoint],
) -> "pd.DataFrame":
    import pandas as pd

    scores = as_scores(y_score)
    codes, days = as_codes(day, "day")
    check_lengths(y_true=labels, y_score=scores, day=codes)
    rows = {}
    for code, one in enumerate(days):
        sweep = ThresholdSweep.from_scores(labels[codes == code], scores[codes == code])
        point = decide(sweep)
        rows[one] = {
            "records": sweep.positives + sweep.negatives,
            "attacks": sweep.positives,
            "alerts": point.alerts,
            "tp": point.tp,
            "fp": point.fp,
            "recall": point.recall,
            "precision": point.precision,
            "threshold": point.threshold,
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("day")
