"""What can be read off a resample of labelled records, each statistic by its name."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import as_labels, as_probabilities, check_lengths
from labkit.metrics.scalars import as_budget, as_cost, as_number, as_share


class Resamples(NamedTuple):
    """Counts of b resamples at c cuts, the highest score first.

    Attributes
    ----------
    cuts
        The distinct scores of attacks, and any threshold a statistic asked for; shape (c,).
    gained, tp
        Attacks at just this score, and at or above it; shape (c, b).
    fp_above, fp
        Normal records above the score, and at or above it; shape (c, b).
    negatives
        All normal records of each resample; shape (b,).
    labels
        True where a record is an attack, shape (n,).
    cut_of, drawn
        Of each of the p attacks: the index of its cut, shape (p,), and how often each resample
        drew it, shape (p, b).
    """

    cuts: np.ndarray
    gained: np.ndarray
    tp: np.ndarray
    fp_above: np.ndarray
    fp: np.ndarray
    negatives: np.ndarray
    labels: np.ndarray
    cut_of: np.ndarray
    drawn: np.ndarray


# A budget that no data set exceeds, and int64 can hold.
_EVERY = 2**62


@dataclass(frozen=True)
class Statistic:
    """A number to be read off every resample.

    Make one with `auc`, `average_precision`, `recall_at_budget`, `family_recall_at_budget`,
    `precision_at_budget`, `recall_at`, `precision_at`, `cost_at`, `brier`, `log_loss` or
    `mean_score`.

    Parameters
    ----------
    name
        How results call it.
    of_resamples
        From the counts of b resamples to b numbers; None for a mean over records.
    of_records
        From labels, scores and what errors call these, to what is averaged over the records of a
        resample; None for a function of counts.
    thresholds
        Scores at which the counts are needed besides those of the attacks.
    """

    name: str
    of_resamples: Callable[[Resamples], np.ndarray] | None = None
    of_records: Callable[[np.ndarray, np.ndarray, str], np.ndarray] | None = None
    thresholds: tuple[float, ...] = ()


def auc() -> Statistic:
    """Area under the ROC curve, ties counting one half; called "AUC"."""

    def of(resamples: Resamples) -> np.ndarray:
        below = 2 * resamples.negatives - resamples.fp_above - resamples.fp
        pairs = resamples.tp[-1] * resamples.negatives
        return _sum_of_products(resamples.gained, below) / (2 * pairs)

    return Statistic("AUC", of)


def average_precision(base_rate: float | None = None) -> Statistic:
    """Average precision by steps, at the resample's own base rate ("AP") or at a given one."""
    if base_rate is not None:
        base_rate = as_share(base_rate, "base_rate")

    def of(resamples: Resamples) -> np.ndarray:
        positives, fp = resamples.tp[-1], resamples.fp
        if base_rate is not None:
            fp = fp * (positives / resamples.negatives * (1 - base_rate) / base_rate)
        alerts = resamples.tp + fp
        precision = np.divide(resamples.tp, alerts, out=np.zeros(alerts.shape), where=alerts > 0)
        return _sum_of_products(resamples.gained, precision) / positives

    return Statistic("AP" if base_rate is None else f"AP at {base_rate!r}", of)


def recall_at_budget(k: float, *, whole: bool = True) -> Statistic:
    """Recall of the top k records; a group tied at the cut is cut by chance (its expectation).

    Where records have weights, k is one and need not be `whole`.
    """
    k = _budget(k, whole)
    return Statistic(
        f"recall at {k} alerts",
        lambda resamples: _tp_of_top(resamples, k) / resamples.tp[-1],
    )


def family_recall_at_budget(k: int, family: str, of_family: ArrayLike) -> Statistic:
    """Share of one family's attacks among the top k records; nan where none was drawn.

    Parameters
    ----------
    k
        Alerts allowed, of all records.
    family
        Its name.
    of_family
        True at the family's records, shape (n,).
    """
    k = min(as_budget(k), _EVERY)
    chosen = as_labels(of_family, name="of_family")

    def of(resamples: Resamples) -> np.ndarray:
        check_lengths(y_true=resamples.labels, of_family=chosen)
        mine = chosen[resamples.labels]
        drawn = resamples.drawn[mine]
        flagged = _in_budget(resamples, k)[resamples.cut_of[mine]]
        all_drawn = drawn.sum(axis=0)
        found = _sum_of_products(drawn, flagged)
        return np.divide(found, all_drawn, out=np.full(len(found), math.nan), where=all_drawn > 0)

    return Statistic(f"recall of {family} at {k} alerts", of)


def precision_at_budget(k: float, *, whole: bool = True) -> Statistic:
    """Precision of the top k records, k above 0; a group tied at the cut is cut by chance.

    Where records have weights, k is one and need not be `whole`.
    """
    k = _budget(k, whole)
    if k == 0:
        raise InputError("k is 0: without alerts there is no precision")

    def of(resamples: Resamples) -> np.ndarray:
        alerts = np.minimum(k, resamples.tp[-1] + resamples.negatives)
        return _tp_of_top(resamples, k) / alerts

    return Statistic(f"precision at {k} alerts", of)


def recall_at(threshold: float) -> Statistic:
    """Recall of the rule score >= threshold."""
    threshold = as_number(threshold, "threshold")
    return Statistic(
        f"recall at score {threshold!r}",
        lambda resamples: resamples.tp[_row(resamples, threshold)] / resamples.tp[-1],
        thresholds=(threshold,),
    )


def precision_at(threshold: float, base_rate: float | None = None) -> Statistic:
    """Precision of the rule score >= threshold; nan in a resample without alerts.

    At a given base rate b it is b R / (b R + (1 - b) F), of recall R and false positive rate F.
    """
    threshold, where = as_number(threshold, "threshold"), ""
    if base_rate is not None:
        base_rate = as_share(base_rate, "base_rate")
        where = f" where {base_rate!r} are attacks"

    def of(resamples: Resamples) -> np.ndarray:
        row = _row(resamples, threshold)
        tp, fp = resamples.tp[row], resamples.fp[row]
        if base_rate is not None:
            tp = base_rate * tp / resamples.tp[-1]
            fp = (1 - base_rate) * fp / resamples.negatives
        return np.divide(tp, tp + fp, out=np.full(len(tp), math.nan), where=tp + fp > 0)

    return Statistic(f"precision at score {threshold!r}{where}", of, thresholds=(threshold,))


def cost_at(threshold: float, fp: float, fn: float) -> Statistic:
    """Cost of a record's errors under the rule score >= threshold.

    A false alert costs `fp` and a missed attack `fn`.
    """
    threshold = as_number(threshold, "threshold")
    fp, fn = as_cost(fp, "fp"), as_cost(fn, "fn")

    def of(resamples: Resamples) -> np.ndarray:
        row, positives = _row(resamples, threshold), resamples.tp[-1]
        errors = fp * resamples.fp[row] + fn * (positives - resamples.tp[row])
        return errors / (positives + resamples.negatives)

    return Statistic(f"cost a record at score {threshold!r}", of, thresholds=(threshold,))


def brier() -> Statistic:
    """Brier score; the scores must be probabilities."""
    return Statistic(
        "Brier score",
        of_records=lambda labels, scores, name: (as_probabilities(scores, name) - labels) ** 2,
    )


def log_loss() -> Statistic:
    """Log loss in nats; the scores must be probabilities.

    Of a record that was certain and wrong it is infinite, and of a resample without it then nan.
    """

    def of(labels: np.ndarray, scores: np.ndarray, name: str) -> np.ndarray:
        probabilities = as_probabilities(scores, name)
        with np.errstate(divide="ignore"):
            # log1p keeps the digits of a probability next to 0.
            attacks, normals = -np.log(probabilities), -np.log1p(-probabilities)
        return np.where(labels, attacks, normals)

    return Statistic("log loss", of_records=of)


def mean_score() -> Statistic:
    """Mean of the scores; of probabilities, what share of attacks they foretell."""

    def of(labels: np.ndarray, scores: np.ndarray, name: str) -> np.ndarray:
        if np.isinf(scores).any():
            raise InputError(f"{name} holds infinite scores, which have no mean")
        return scores

    return Statistic("mean score", of_records=of)


def _budget(k: float, whole: bool) -> float:
    k = min(as_budget(k, whole=whole), _EVERY)
    return int(k) if k == int(k) else k


def _row(resamples: Resamples, threshold: float) -> int:
    return int(np.flatnonzero(resamples.cuts == threshold)[0])


def _sum_of_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the sum of a * b over the cuts, in float64, for each resample."""
    return np.einsum("cb,cb->b", a, b, dtype=np.float64)


def _tp_of_top(resamples: Resamples, k: float) -> np.ndarray:
    """Return the (expected) attacks among the top k records of each resample, shape (b,)."""
    whole = np.count_nonzero(resamples.tp + resamples.fp <= k, axis=0)
    every = np.arange(len(whole))
    tp = np.where(whole > 0, resamples.tp[whole - 1, every], 0)
    # The cut at which the budget ends, if it does: its tied group gets what room is left.
    at = np.minimum(whole, len(resamples.cuts) - 1), every
    gained, fp_above = resamples.gained[at], resamples.fp_above[at]
    room = np.maximum(k - tp - fp_above, 0)
    tied = gained + resamples.fp[at] - fp_above
    ends = whole < len(resamples.cuts)
    return tp + np.divide(room * gained, tied, out=np.zeros(len(tp)), where=ends & (tied > 0))


def _in_budget(resamples: Resamples, k: int) -> np.ndarray:
    """Return how likely a record at each cut is to be among the top k, shape (c, b)."""
    # Alerts left when a cut's tied group comes up; the group gets a share of them.
    room = k - (resamples.tp - resamples.gained) - resamples.fp_above
    tied = resamples.gained + resamples.fp - resamples.fp_above
    return np.divide(room, tied, out=np.zeros(tied.shape), where=tied > 0).clip(0, 1)
