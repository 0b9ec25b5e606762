"""How much a number would move on other records like these: stratified bootstrap, in pairs.

Each replicate draws as many attacks from the attacks, and as many normal records from the normal
ones, as there are; or, given groups such as days or hosts, as many groups from those that hold the
class. Every detector is judged on the same draw, so differences between detectors are paired.

The scores are sorted once. What a replicate needs is how many drawn records fall between one score
of interest and the next, which is a count of integers.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import (
    as_codes,
    as_labels,
    as_probabilities,
    as_scores,
    check_budget,
    check_lengths,
)
from labkit.metrics.intervals import check_level

if TYPE_CHECKING:
    import pandas as pd

# Replicates worked on at a time: enough to spread NumPy's overhead, few enough for the cache.
_BLOCK = 32


class Resamples(NamedTuple):
    """Counts of a block of b replicates at c cuts, scores in descending order.

    Attributes
    ----------
    cuts
        The distinct scores of attacks, and any threshold a statistic asked for; shape (c,).
    gained, tp
        Attacks at just this score, and at or above it; shape (b, c).
    fp_above, fp
        Normal records above the score, and at or above it; shape (b, c).
    negatives
        All normal records of each replicate; shape (b,).
    """

    cuts: np.ndarray
    gained: np.ndarray
    tp: np.ndarray
    fp_above: np.ndarray
    fp: np.ndarray
    negatives: np.ndarray


@dataclass(frozen=True)
class Statistic:
    """A number to be read off every replicate.

    Make one with `auc`, `average_precision`, `recall_at_budget`, `precision_at_budget`,
    `recall_at`, `precision_at` or `brier`.

    Parameters
    ----------
    name
        How results call it.
    of_resamples
        From the counts of b replicates to b numbers; None for a mean over records.
    of_records
        From labels and scores to what is averaged over the records of a replicate.
    thresholds
        Scores at which the counts are needed besides those of the attacks.
    """

    name: str
    of_resamples: Callable[[Resamples], np.ndarray] | None = None
    of_records: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    thresholds: tuple[float, ...] = ()


def auc() -> Statistic:
    """Area under the ROC curve, ties counting one half."""

    def of(resamples: Resamples) -> np.ndarray:
        below = 2 * resamples.negatives[:, None] - resamples.fp_above - resamples.fp
        pairs = resamples.tp[:, -1] * resamples.negatives
        return np.einsum("bc,bc->b", resamples.gained, below) / (2 * pairs)

    return Statistic("AUC", of)


def average_precision(base_rate: float | None = None) -> Statistic:
    """Average precision by steps, at the replicate's own base rate or at a given one."""
    if base_rate is not None and not 0 < base_rate < 1:
        raise InputError(f"base_rate is {base_rate}; it must lie within (0, 1)")

    def of(resamples: Resamples) -> np.ndarray:
        positives, weight = resamples.tp[:, -1], 1.0
        if base_rate is not None:
            weight = positives * (1 - base_rate) / (base_rate * resamples.negatives)
            weight = weight[:, None]
        alerts = resamples.tp + weight * resamples.fp
        precision = np.divide(resamples.tp, alerts, out=np.zeros_like(alerts), where=alerts > 0)
        return np.einsum("bc,bc->b", resamples.gained, precision) / positives

    return Statistic("AP" if base_rate is None else f"AP at {base_rate:g}", of)


def recall_at_budget(k: int) -> Statistic:
    """Recall of the top k records; a group tied at the cut is cut by chance (its expectation)."""
    check_budget(k)
    return Statistic(
        f"recall at {k} alerts", lambda resamples: _tp_of_top(resamples, k) / resamples.tp[:, -1]
    )


def precision_at_budget(k: int) -> Statistic:
    """Precision of the top k records, k at least 1; a group tied at the cut is cut by chance."""
    check_budget(k)
    if k == 0:
        raise InputError("k is 0: without alerts there is no precision")

    def of(resamples: Resamples) -> np.ndarray:
        alerts = np.minimum(k, resamples.tp[:, -1] + resamples.negatives)
        return _tp_of_top(resamples, k) / alerts

    return Statistic(f"precision at {k} alerts", of)


def recall_at(threshold: float) -> Statistic:
    """Recall of the rule score >= threshold."""
    _check_threshold(threshold)
    return Statistic(
        f"recall at score {threshold!r}",
        lambda resamples: resamples.tp[:, _row(resamples, threshold)] / resamples.tp[:, -1],
        thresholds=(threshold,),
    )


def precision_at(threshold: float) -> Statistic:
    """Precision of the rule score >= threshold; nan in a replicate without alerts."""
    _check_threshold(threshold)

    def of(resamples: Resamples) -> np.ndarray:
        row = _row(resamples, threshold)
        tp, fp = resamples.tp[:, row], resamples.fp[:, row]
        return np.divide(tp, tp + fp, out=np.full(len(tp), math.nan), where=tp + fp > 0)

    return Statistic(f"precision at score {threshold!r}", of, thresholds=(threshold,))


def brier() -> Statistic:
    """Brier score; the scores must be probabilities."""
    return Statistic(
        "Brier score", of_records=lambda labels, scores: (as_probabilities(scores) - labels) ** 2
    )


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Estimates and replicates of every statistic for every detector.

    Attributes
    ----------
    detectors, statistics
        Their names, d and s of them.
    estimates
        On the records as they are, shape (d, s).
    replicates
        Shape (n_replicates, d, s); nan where a statistic is undefined.
    """

    detectors: tuple[str, ...]
    statistics: tuple[str, ...]
    estimates: np.ndarray
    replicates: np.ndarray

    def intervals(self, level: float = 0.95) -> "pd.DataFrame":
        """Return percentile intervals, one row a detector and statistic.

        Returns
        -------
        pandas.DataFrame
            Indexed by detector and statistic: estimate, low, high, and unusable, the replicates
            in which the statistic was undefined and which the interval leaves out.
        """
        return self._table(self.estimates, self.replicates, self.detectors, level)

    def differences(self, level: float = 0.95) -> "pd.DataFrame":
        """Return the paired differences, later detector minus earlier, in the same form."""
        pairs = [
            (a, b) for b in range(len(self.detectors)) for a in range(b + 1, len(self.detectors))
        ]
        names = [f"{self.detectors[a]} - {self.detectors[b]}" for a, b in pairs]
        later, earlier = [a for a, _ in pairs], [b for _, b in pairs]
        return self._table(
            self.estimates[later] - self.estimates[earlier],
            self.replicates[:, later] - self.replicates[:, earlier],
            names,
            level,
        )

    def _table(
        self, estimates: np.ndarray, replicates: np.ndarray, names: Sequence[str], level: float
    ) -> "pd.DataFrame":
        import pandas as pd

        check_level(level)
        rows = {}
        for i, name in enumerate(names):
            for j, statistic in enumerate(self.statistics):
                values = replicates[:, i, j]
                usable = values[~np.isnan(values)]
                tail = (1 - level) / 2
                low, high = (
                    np.quantile(usable, [tail, 1 - tail]) if len(usable) else (math.nan, math.nan)
                )
                unusable = len(values) - len(usable)
                rows[name, statistic] = (estimates[i, j], low, high, unusable)
        columns = ["estimate", "low", "high", "unusable"]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
        table.index = pd.MultiIndex.from_tuples(table.index, names=["detector", "statistic"])
        return table


def bootstrap(
    y_true: ArrayLike,
    y_scores: Mapping[str, ArrayLike],
    statistics: Sequence[Statistic],
    *,
    groups: ArrayLike | None = None,
    n_replicates: int = 2000,
    seed: int = 0,
    pos_label: object = None,
) -> Bootstrap:
    """Resample labelled records and read statistics off every replicate.

    Parameters
    ----------
    y_true
        Labels, shape (n,).
    y_scores
        Detector -> its scores of the same records, shape (n,).
    statistics
        What to measure.
    groups
        Day or host of each record, shape (n,): whole groups are drawn, within each class. None
        draws records one by one, as if independent.
    n_replicates
        Number of replicates.
    seed
        Seed of the draws.
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Raises
    ------
    InputError
        When a class is missing, or any argument does not fit.

    Examples
    --------
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> result = bootstrap(y_true, {"detector": y_score}, [auc()], n_replicates=200)
    >>> table = result.intervals().loc[("detector", "AUC")]
    >>> round(float(table["estimate"]), 4), bool(table["low"] < 0.6), bool(table["high"] > 0.9)
    (0.7333, True, True)
    """
    labels = as_labels(y_true, pos_label)
    if labels.all() or not labels.any():
        raise InputError("y_true holds one class only: there is nothing to draw from in the other")
    if not isinstance(n_replicates, int | np.integer) or n_replicates < 1:
        raise InputError(f"n_replicates is {n_replicates}; draw a whole number, at least one")
    if not isinstance(y_scores, Mapping) or not y_scores:
        raise InputError("y_scores must map the name of each detector to its scores")
    names = [statistic.name for statistic in statistics]
    if not names or len(set(names)) < len(names):
        raise InputError(f"statistics are {names}; name at least one, and none twice")
    codes = None
    if groups is not None:
        codes, _ = as_codes(groups, "groups")
        check_lengths(y_true=labels, groups=codes)
    detectors = []
    for name, y_score in y_scores.items():
        scores = as_scores(y_score, f"y_scores[{name!r}]")
        check_lengths(**{"y_true": labels, f"y_scores[{name!r}]": scores})
        detectors.append(_Detector(labels, scores, statistics))
    rng = np.random.default_rng(seed)
    attacks, normals = _Draws(labels, codes), _Draws(~labels, codes)
    blocks = []
    for first in range(0, n_replicates, _BLOCK):
        size = min(_BLOCK, n_replicates - first)
        drawn = [(attacks.draw(rng), normals.draw(rng)) for _ in range(size)]
        blocks.append(np.stack([detector.measure(drawn) for detector in detectors], axis=1))
    once = [(np.arange(labels.sum()), np.arange((~labels).sum()))]
    estimates = np.stack([detector.measure(once)[0] for detector in detectors])
    return Bootstrap(
        tuple(y_scores),
        tuple(statistic.name for statistic in statistics),
        estimates,
        np.concatenate(blocks),
    )


class _Draws:
    """Draws of the records of one class, as indices among them, one by one or by group."""

    def __init__(self, of_class: np.ndarray, codes: np.ndarray | None) -> None:
        self.count = int(of_class.sum())
        self.members = None
        if codes is not None:
            own = codes[of_class]
            order = np.argsort(own, kind="stable")
            edges = np.flatnonzero(np.diff(own[order])) + 1
            self.members = np.split(order, edges)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        if self.members is None:
            return rng.integers(0, self.count, self.count)
        chosen = rng.integers(0, len(self.members), len(self.members))
        return np.concatenate([self.members[group] for group in chosen])


class _Detector:
    """The scores of one detector, sorted into slots between the cuts that statistics look at."""

    def __init__(
        self, labels: np.ndarray, scores: np.ndarray, statistics: Sequence[Statistic]
    ) -> None:
        wanted = [threshold for statistic in statistics for threshold in statistic.thresholds]
        ascending = np.unique(np.concatenate([scores[labels], wanted]))
        self.cuts = ascending[::-1]
        self.statistics = statistics
        self.attack_slot = len(ascending) - 1 - np.searchsorted(ascending, scores[labels])
        # Slot 2 i lies above cut i, slot 2 i + 1 on it.
        below = np.searchsorted(ascending, scores[~labels], side="left")
        not_above = np.searchsorted(ascending, scores[~labels], side="right")
        self.normal_slot = 2 * len(ascending) - below - not_above
        self.losses = {}
        for statistic in statistics:
            if statistic.of_records:
                losses = statistic.of_records(labels, scores)
                self.losses[statistic] = losses[labels], losses[~labels]

    def measure(self, drawn: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """Return the statistics of each replicate, shape (b, s)."""
        cuts = len(self.cuts)
        gained = np.stack(
            [np.bincount(self.attack_slot[attacks], minlength=cuts) for attacks, _ in drawn]
        )
        normals = np.stack(
            [np.bincount(self.normal_slot[normals], minlength=2 * cuts + 1) for _, normals in drawn]
        )
        passed = np.cumsum(normals, axis=1)
        resamples = Resamples(
            self.cuts,
            gained,
            np.cumsum(gained, axis=1),
            passed[:, :-1:2],
            passed[:, 1::2],
            passed[:, -1],
        )
        return np.stack(
            [
                statistic.of_resamples(resamples)
                if statistic.of_resamples
                else self._mean_loss(statistic, drawn)
                for statistic in self.statistics
            ],
            axis=1,
        )

    def _mean_loss(
        self, statistic: Statistic, drawn: list[tuple[np.ndarray, np.ndarray]]
    ) -> np.ndarray:
        of_attacks, of_normals = self.losses[statistic]
        return np.array(
            [
                (of_attacks[attacks].sum() + of_normals[normals].sum())
                / (len(attacks) + len(normals))
                for attacks, normals in drawn
            ]
        )


def _check_threshold(threshold: float) -> None:
    if math.isnan(threshold):
        raise InputError("threshold is NaN")


def _row(resamples: Resamples, threshold: float) -> int:
    return int(np.flatnonzero(resamples.cuts == threshold)[0])


def _tp_of_top(resamples: Resamples, k: int) -> np.ndarray:
    """Return the (expected) attacks among the top k records of each replicate, shape (b,)."""
    tp_above = resamples.tp - resamples.gained
    tied_normals = resamples.fp - resamples.fp_above
    # Alerts left when a cut's tied group comes up; the group gets a share of them.
    room = k - tp_above - resamples.fp_above
    tied = resamples.gained + tied_normals
    share = np.divide(room, tied, out=np.zeros(tied.shape), where=tied > 0).clip(0, 1)
    return np.einsum("bc,bc->b", resamples.gained, share)
