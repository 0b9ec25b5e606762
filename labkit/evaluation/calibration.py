"""What scores are worth as probabilities; only where all of them lie within [0, 1]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from labkit.evaluation.measures import Intervals
from labkit.evaluation.results import CalibrationResult, Measure
from labkit.metrics import (
    brier_score,
    certain_and_wrong,
    log_loss,
    reliability_table,
    wilson,
)
from labkit.metrics.inputs import as_probabilities
from labkit.metrics.probability import into_bins
from labkit.metrics.statistics import Statistic, brier, mean_score

if TYPE_CHECKING:
    import pandas as pd

N_BINS = 10
"""Bins of the reliability table, of equal width."""


def log_loss_statistic() -> Statistic:
    """Return the log loss as a mean over records, in nats."""

    def of(labels: np.ndarray, scores: np.ndarray, name: str) -> np.ndarray:
        probabilities = as_probabilities(scores, name)
        with np.errstate(divide="ignore"):
            # log1p keeps the digits of a probability next to 0.
            attacks, normals = -np.log(probabilities), -np.log1p(-probabilities)
        return np.where(labels, attacks, normals)

    return Statistic("log loss", of_records=of)


def losses(labels: np.ndarray, probabilities: np.ndarray) -> list[Statistic]:
    """Return the means over records that resamples are needed for.

    An infinite log loss is left out: times 0 where its record was not drawn, it would be no number.
    """
    needed = [brier(), mean_score()]
    if not certain_and_wrong(labels, probabilities).any():
        needed.append(log_loss_statistic())
    return needed


def calibration(
    labels: np.ndarray,
    probabilities: np.ndarray,
    weights: np.ndarray | None,
    intervals: Intervals,
    *,
    counted: bool = False,
) -> CalibrationResult:
    """Return Brier score, log loss, mean prediction and reliability table.

    Parameters
    ----------
    labels
        True where a record is an attack, shape (n,).
    probabilities
        Within [0, 1], shape (n,).
    weights
        Shape (n,), or None.
    intervals
        Of the detector that gave the probabilities.
    counted
        Whether weights say how many records there are.
    """
    if weights is not None and not weights.all():
        # A record of weight zero counts nowhere, also where its loss is infinite.
        kept = weights > 0
        labels, probabilities, weights = labels[kept], probabilities[kept], weights[kept]
    if weights is None:
        estimates = {
            "Brier score": brier_score(labels, probabilities),
            "mean score": float(probabilities.mean()),
            "log loss": log_loss(labels, probabilities),
        }
        bins = reliability_table(labels, probabilities, n_bins=N_BINS, level=intervals.level)
    else:
        estimates = {
            loss.name: float(
                np.average(loss.of_records(labels, probabilities, "y_score"), weights=weights)
            )
            for loss in (brier(), mean_score(), log_loss_statistic())
        }
        bins = weighted_reliability_table(labels, probabilities, weights)
        if counted:
            bins = _with_wilson(bins, intervals.level)
    measures = {name: intervals.measure(name, value, "") for name, value in estimates.items()}
    at = certain_and_wrong(labels, probabilities)
    wrong = float(np.count_nonzero(at) if weights is None else weights[at].sum())
    if weights is None or counted:
        wrong = int(wrong)
    if wrong:
        reason = f"{records_or_weight(wrong)} were given a probability of 0 or 1 and were the other"
        measures["log loss"] = Measure(math.inf, reason=reason)
    return CalibrationResult(
        measures["Brier score"], measures["log loss"], measures["mean score"], wrong, bins
    )


def records_or_weight(wrong: float) -> str:
    """Return in words how many records, or what weight of them.

    Examples
    --------
    >>> records_or_weight(3), records_or_weight(2.5)
    ('3 records', 'records of weight 2.5')
    """
    return f"{wrong:,} records" if isinstance(wrong, int) else f"records of weight {wrong:,.6g}"


def weighted_reliability_table(
    labels: np.ndarray, probabilities: np.ndarray, weights: np.ndarray
) -> pd.DataFrame:
    """Return the columns of `reliability_table` for weighted records; low and high are nan.

    Count and attacks are weights. A Wilson interval would take them for numbers of records.

    Examples
    --------
    >>> y_true, weights = np.array([True, False, False]), np.array([1.0, 3.0, 2.0])
    >>> table = weighted_reliability_table(y_true, np.array([0.05, 0.05, 1.0]), weights)
    >>> table["count"].tolist()[::9], table["observed"].tolist()[::9]
    ([4.0, 2.0], [0.25, 0.0])
    """
    import pandas as pd

    edges, bins = into_bins(probabilities, N_BINS, "uniform")
    count = np.bincount(bins, weights, minlength=N_BINS)
    attacks = np.bincount(bins, weights * labels, minlength=N_BINS)
    predicted = np.bincount(bins, weights * probabilities, minlength=N_BINS)
    with np.errstate(invalid="ignore"):
        mean_predicted = np.clip(predicted / count, edges[:-1], edges[1:])
        observed = attacks / count
    unknown = np.full(N_BINS, math.nan)
    return pd.DataFrame(
        {
            "lower": edges[:-1],
            "upper": edges[1:],
            "count": count,
            "attacks": attacks,
            "mean_predicted": mean_predicted,
            "observed": observed,
            "low": unknown,
            "high": unknown,
        }
    )


def _with_wilson(bins: pd.DataFrame, level: float) -> pd.DataFrame:
    pairs = zip(bins["attacks"], bins["count"], strict=True)
    ends = np.array([wilson(attacks, count, level) for attacks, count in pairs])
    return bins.assign(low=ends[:, 0], high=ends[:, 1])
