"""Do probabilities behave like probabilities: Brier score, log loss, reliability table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import as_labels, as_probabilities, as_weights, check_lengths
from labkit.metrics.intervals import clopper_pearson, wilson
from labkit.metrics.scalars import check_choice

if TYPE_CHECKING:
    import pandas as pd

Binning = Literal["uniform", "quantile"]

# Few enough to stay in the processor's cache, and for BLAS to keep a dot product to one thread.
_BLOCK = 8192


def brier_score(y_true: ArrayLike, y_prob: ArrayLike, *, pos_label: object = None) -> float:
    """Return the mean squared difference between probabilities and labels; lower is better.

    The mean of (p - y)² over the records, y being 1 for an attack: 0 for certain and right, 1 for
    certain and wrong. Equal probabilities and a single class need no rule of their own.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`.
    y_prob
        Probabilities of attack, shape (n,), within [0, 1].
    pos_label
        The label that means attack.

    Raises
    ------
    InputError
        On probabilities that are NaN or outside [0, 1], missing labels, unequal lengths.

    References
    ----------
    Brier (1950), Monthly Weather Review 78, 1-3.

    Examples
    --------
    >>> round(brier_score([1, 0], [0.8, 0.4]), 3)
    0.1
    """
    labels, probabilities = labels_and_probabilities(y_true, y_prob, pos_label)
    room = np.empty(min(_BLOCK, len(labels)))
    totals = []
    for rows in _blocks(len(labels)):
        missed = room[: rows.stop - rows.start]
        missed[:] = labels[rows]
        np.subtract(probabilities[rows], missed, out=missed)
        totals.append(np.dot(missed, missed))
    return math.fsum(totals) / len(labels)


def log_loss(y_true: ArrayLike, y_prob: ArrayLike, *, pos_label: object = None) -> float:
    """Return the mean negative log-likelihood of the labels, in nats; lower is better.

    The mean of -log p over attacks and -log(1 - p) over normal records. Nothing is clipped: a
    probability of 0 for an attack, or of 1 for a normal record, was certain and wrong, and makes
    the loss infinite; `certain_and_wrong` says which records did. Certain and right costs nothing.

    scikit-learn's `log_loss` moves probabilities into [eps, 1 - eps] first, eps being the machine
    precision of their type. There a record that was certain and wrong costs 36.04 in double
    precision and 15.94 in single precision, so that one number depends on how it was stored.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`.
    y_prob
        Probabilities of attack, shape (n,), within [0, 1].
    pos_label
        The label that means attack.

    Raises
    ------
    InputError
        On probabilities that are NaN or outside [0, 1], missing labels, unequal lengths.

    References
    ----------
    Good (1952), Journal of the Royal Statistical Society B 14, 107-114.

    Examples
    --------
    >>> round(log_loss([1, 0], [0.8, 0.4]), 4)
    0.367
    >>> log_loss([1, 0], [0.0, 0.4])
    inf
    """
    labels, probabilities = labels_and_probabilities(y_true, y_prob, pos_label)
    rooms = np.empty((2, min(_BLOCK, len(labels))))
    totals = []
    with np.errstate(divide="ignore"):
        for rows in _blocks(len(labels)):
            p = probabilities[rows]
            outcome, lost = rooms[:, : len(p)]
            # 1 for a normal record, so that |normal - p| is the probability of what came about.
            normal = lost
            normal[:] = labels[rows]
            np.subtract(1, normal, out=normal)
            np.subtract(normal, p, out=outcome)
            # What rounding took from 1 - p is itself exact, and to first order log(1 - p) lost as
            # much (0 for attacks and where p > 1/2). Without it all p below 1e-16 would cost 0.
            np.subtract(normal, outcome, out=lost)
            np.subtract(lost, p, out=lost)
            np.log(np.abs(outcome, out=outcome), out=outcome)
            totals.append(outcome.sum() + lost.sum())
    # From 0, so that no loss is 0.0 and not -0.0.
    return (0.0 - math.fsum(totals)) / len(labels)


def certain_and_wrong(
    y_true: ArrayLike, y_prob: ArrayLike, *, pos_label: object = None
) -> np.ndarray:
    """Return True for each record that alone makes the log loss infinite.

    An attack of probability 0 or a normal record of probability 1, shape (n,).

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`.
    y_prob
        Probabilities of attack, shape (n,), within [0, 1].
    pos_label
        The label that means attack.

    Raises
    ------
    InputError
        On probabilities that are NaN or outside [0, 1], missing labels, unequal lengths.

    Examples
    --------
    >>> certain_and_wrong([1, 0, 0], [0.0, 0.0, 0.4]).tolist()
    [True, False, False]
    """
    labels, probabilities = labels_and_probabilities(y_true, y_prob, pos_label)
    return probabilities == np.where(labels, 0.0, 1.0)


def reliability_table(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: Binning = "uniform",
    interval: Literal["wilson", "clopper_pearson"] = "wilson",
    level: float = 0.95,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> pd.DataFrame:
    """Return, for each bin of predicted probability, the share of attacks that it holds.

    A bin holds its lower edge and not its upper one; the last holds both, so 0 falls in the first
    bin and 1 in the last. Empty bins have a count of 0 and nan elsewhere. Quantile bins never
    split equal probabilities: where quantiles coincide there are fewer bins.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`.
    y_prob
        Probabilities of attack, shape (n,), within [0, 1].
    n_bins
        Number of bins, at least 1.
    strategy
        "uniform" for bins of equal width, "quantile" for bins of about equal counts.
    interval
        Of which kind the interval for the observed share is; see `labkit.metrics.intervals`.
    level
        Its confidence level, within (0, 1).
    pos_label
        The label that means attack.
    sample_weight
        Weights, shape (n,), not negative. Integers say how often a record occurs.

    Returns
    -------
    pandas.DataFrame
        Columns lower, upper, count, attacks, mean_predicted, observed, and low and high: the
        interval for the observed share, which takes the records for independent. Where weights
        are no integers, count and attacks are weights, and low and high nan.

    Raises
    ------
    InputError
        On probabilities that are NaN or outside [0, 1], missing labels, unequal lengths, and on
        bins, a strategy, an interval or a level that cannot be.

    Examples
    --------
    >>> table = reliability_table([0, 1, 1], [0.0, 0.6, 1.0], n_bins=2)
    >>> table["count"].tolist(), table["observed"].tolist()
    ([1, 2], [0.0, 1.0])
    >>> table["low"].round(3).tolist(), table["high"].round(3).tolist()
    ([0.0, 0.342], [0.793, 1.0])
    """
    import pandas as pd

    check_choice(interval, "interval", ("wilson", "clopper_pearson"))
    bounds_of = wilson if interval == "wilson" else clopper_pearson
    labels, probabilities = labels_and_probabilities(y_true, y_prob, pos_label)
    edges, bins = into_bins(probabilities, n_bins, strategy)
    n_bins = len(edges) - 1
    if sample_weight is None:
        count = np.bincount(bins, minlength=n_bins)
        attacks = np.bincount(bins[labels], minlength=n_bins)
        predicted = np.bincount(bins, weights=probabilities, minlength=n_bins)
    else:
        weights = as_weights(sample_weight)
        check_lengths(y_true=labels, sample_weight=weights)
        count, attacks, predicted = (
            np.bincount(bins, weights=weights * of_one, minlength=n_bins)
            for of_one in (1, labels, probabilities)
        )
    with np.errstate(invalid="ignore"):
        # A mean of equal values may round to outside them, and so to outside their bin.
        mean_predicted = np.clip(predicted / count, edges[:-1], edges[1:])
        observed = attacks / count
    low = high = math.nan
    if sample_weight is None or np.asarray(sample_weight).dtype.kind == "i":
        bounds = [bounds_of(k, n, level) for k, n in zip(attacks, count, strict=True)]
        low, high = np.transpose(bounds)
    return pd.DataFrame(
        {
            "lower": edges[:-1],
            "upper": edges[1:],
            "count": count,
            "attacks": attacks,
            "mean_predicted": mean_predicted,
            "observed": observed,
            "low": low,
            "high": high,
        }
    )


def expected_calibration_error(table: pd.DataFrame) -> float:
    """Return the mean distance between predicted and observed share over the bins of a table.

    The sum over bins of count / n times |observed - mean_predicted|; empty bins count for nothing.
    A property of the bins as much as of the model: it changes with their number, misses what
    evens out within a bin, and on few records is above 0 for a calibrated model too.

    Parameters
    ----------
    table
        What `reliability_table` returned.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), AAAI, 2901-2907.

    Examples
    --------
    >>> table = reliability_table([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])
    >>> expected_calibration_error(table)
    0.25
    """
    filled = table[table["count"] > 0]
    gaps = (filled["observed"] - filled["mean_predicted"]).abs()
    return float(np.average(gaps, weights=filled["count"]))


def labels_and_probabilities(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    pos_label: object,
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels as booleans and probabilities as float64, equally long."""
    labels, probabilities = as_labels(y_true, pos_label), as_probabilities(y_prob)
    check_lengths(y_true=labels, y_prob=probabilities)
    return labels, probabilities


def into_bins(
    probabilities: np.ndarray, n_bins: int, strategy: Binning
) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of the bins and the bin of each probability, as in `reliability_table`."""
    if isinstance(n_bins, bool) or not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise InputError(f"n_bins is {n_bins!r}; it must be a whole number, 1 or more")
    n_bins = int(n_bins)
    check_choice(strategy, "strategy", ("uniform", "quantile"))
    if strategy == "uniform":
        # Division by n_bins keeps an edge such as 0.3 the same float as the literal 0.3.
        edges = np.arange(n_bins + 1) / n_bins
    else:
        # Each bin begins at an observed probability, so equal ones share a bin.
        ordered = np.sort(probabilities)
        begins = np.arange(n_bins) * len(ordered) // n_bins
        edges = np.append(np.unique(ordered[begins]), ordered[-1])
    return edges, np.searchsorted(edges[1:-1], probabilities, side="right")


def _blocks(n: int) -> Iterator[slice]:
    """Yield the rows of each block of n records."""
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))
