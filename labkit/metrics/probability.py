"""Do probabilities behave like probabilities: Brier score, log loss, reliability table."""

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import as_labels, as_probabilities, check_lengths

if TYPE_CHECKING:
    import pandas as pd


def _labels_and_probabilities(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    pos_label: object,
) -> tuple[np.ndarray, np.ndarray]:
    labels, probabilities = as_labels(y_true, pos_label), as_probabilities(y_prob)
    check_lengths(y_true=labels, y_prob=probabilities)
    return labels, probabilities


def brier_score(y_true: ArrayLike, y_prob: ArrayLike, *, pos_label: object = None) -> float:
    """Return the mean squared difference between probabilities and labels; lower is better.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`.
    y_prob
        Probabilities of attack, shape (n,), within [0, 1]; NaN is an error.
    pos_label
        The label that means attack.

    Examples
    --------
    >>> round(brier_score([1, 0], [0.8, 0.4]), 3)
    0.1
    """
    labels, probabilities = _labels_and_probabilities(y_true, y_prob, pos_label)
    return float(np.mean((probabilities - labels) ** 2))


def log_loss(y_true: ArrayLike, y_prob: ArrayLike, *, pos_label: object = None) -> float:
    """Return the mean negative log-likelihood of the labels, in nats; lower is better.

    Nothing is clipped: a probability of 0 for an attack, or of 1 for a normal record, was certain
    and wrong, and its loss is infinite.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`.
    y_prob
        Probabilities of attack, shape (n,), within [0, 1]; NaN is an error.
    pos_label
        The label that means attack.

    Examples
    --------
    >>> round(log_loss([1, 0], [0.8, 0.4]), 4)
    0.367
    >>> log_loss([1, 0], [0.0, 0.4])
    inf
    """
    labels, probabilities = _labels_and_probabilities(y_true, y_prob, pos_label)
    of_outcome = np.where(labels, probabilities, 1 - probabilities)
    if not of_outcome.all():
        return math.inf
    # log1p keeps the digits of a small probability that 1 - p would round away.
    normals = probabilities[~labels]
    total = np.log(probabilities[labels]).sum() + np.log1p(-normals).sum()
    # From 0, so that no loss is 0.0 and not -0.0.
    return float((0.0 - total) / len(labels))


def reliability_table(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    pos_label: object = None,
) -> "pd.DataFrame":
    """Return, for each bin of predicted probability, the share of attacks that it holds.

    A bin holds its lower edge and not its upper one; the last holds both, so 0 falls in the first
    bin and 1 in the last. Empty bins have a count of 0 and nan elsewhere. Quantile bins never
    split equal probabilities: where quantiles coincide there are fewer bins.

    Parameters
    ----------
    y_true
        Labels, shape (n,): booleans, 0/1 or -1/1; others need `pos_label`.
    y_prob
        Probabilities of attack, shape (n,), within [0, 1]; NaN is an error.
    n_bins
        Number of bins, at least 1.
    strategy
        "uniform" for bins of equal width, "quantile" for bins of about equal counts.
    pos_label
        The label that means attack.

    Returns
    -------
    pandas.DataFrame
        Columns lower, upper, count, attacks, mean_predicted, observed.

    Examples
    --------
    >>> table = reliability_table([0, 1, 1], [0.0, 0.6, 1.0], n_bins=2)
    >>> table["count"].tolist(), table["observed"].tolist()
    ([1, 2], [0.0, 1.0])
    """
    import pandas as pd

    labels, probabilities = _labels_and_probabilities(y_true, y_prob, pos_label)
    if not isinstance(n_bins, (int, np.integer)) or n_bins < 1:
        raise InputError(f"n_bins is {n_bins!r}; it must be a whole number, 1 or more")
    if strategy == "uniform":
        # Division by n_bins keeps an edge such as 0.3 the same float as the literal 0.3.
        edges = np.arange(n_bins + 1) / n_bins
    elif strategy == "quantile":
        # Each bin begins at an observed probability, so equal ones share a bin.
        ordered = np.sort(probabilities)
        begins = np.arange(n_bins) * len(ordered) // n_bins
        edges = np.append(np.unique(ordered[begins]), ordered[-1])
    else:
        raise InputError(f'strategy is {strategy!r}; choose "uniform" or "quantile"')
    inner = edges[1:-1]
    bins = np.searchsorted(inner, probabilities, side="right")
    count = np.bincount(bins, minlength=len(edges) - 1)
    attacks = np.bincount(bins, weights=labels, minlength=len(count)).astype(np.int64)
    predicted = np.bincount(bins, weights=probabilities, minlength=len(count))
    with np.errstate(invalid="ignore"):
        mean_predicted, observed = predicted / count, attacks / count
    return pd.DataFrame(
        {
            "lower": edges[:-1],
            "upper": edges[1:],
            "count": count,
            "attacks": attacks,
            "mean_predicted": mean_predicted,
            "observed": observed,
        }
    )
