"""How much a number would move on other records like these: stratified bootstrap, in pairs.

Each replicate draws as many attacks from the attacks, and as many normal records from the normal
ones, as there are; or, given groups such as days or hosts, as many groups from those that hold the
class. Every detector is judged on the same draw, so differences between detectors are paired.

The scores are sorted once. What a replicate needs is how many drawn records fall between one score
of interest and the next: a sum over records of how often each was drawn, taken for a block of
replicates at a time.

Replicates are shared out by joblib: a worker gets the generators as they stand where its share of
the draws begins. So a seed's replicates are the same however many workers there are, and wherever.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import as_codes, as_labels, as_scores, check_lengths, one_dimensional
from labkit.metrics.scalars import as_share
from labkit.metrics.statistics import Resamples, Statistic

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array

# Replicates worked on at a time: enough to spread NumPy's overhead, few enough for the cache ...
_REPLICATES = 32
# ... and fewer where there are many records, so that memory stays bounded.
_CELLS = 2**24
# Draws that are counted in one go.
_AT_ONCE = 2**16
# Shares of the replicates for each worker, so that none waits long for the slowest.
_SHARES = 4


@dataclass(frozen=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        sizes = zip(self.replicates.shape, ("replicates", "detectors", "statistics"), strict=True)
        return f"Bootstrap({', '.join(f'{size} {what}' for size, what in sizes)})"

    def of(self, detector: str, statistic: str) -> np.ndarray:
        """Return the replicates of one statistic of one detector, shape (n_replicates,)."""
        for name, known in ((detector, self.detectors), (statistic, self.statistics)):
            if name not in known:
                raise InputError(f"{name!r} was not measured; choose from {', '.join(known)}")
        i, j = self.detectors.index(detector), self.statistics.index(statistic)
        return self.replicates[:, i, j]

    def intervals(self, level: float = 0.95) -> pd.DataFrame:
        """Return percentile intervals, one row a detector and statistic.

        Returns
        -------
        pandas.DataFrame
            Indexed by detector and statistic: estimate, low, high, and unusable, the replicates
            in which the statistic was undefined and which the interval leaves out.
        """
        return self._table(self.estimates, self.replicates, self.detectors, level)

    def differences(self, level: float = 0.95) -> pd.DataFrame:
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
    ) -> pd.DataFrame:
        import pandas as pd

        rows = [
            (estimates[i, j], *percentiles(replicates[:, i, j], level))
            for i in range(len(names))
            for j in range(len(self.statistics))
        ]
        index = pd.MultiIndex.from_product(
            [names, self.statistics], names=["detector", "statistic"]
        )
        return pd.DataFrame(rows, index=index, columns=["estimate", "low", "high", "unusable"])


class Percentiles(NamedTuple):
    """The middle of a statistic's replicates, and how many of them were unusable."""

    low: float
    high: float
    unusable: int


def percentiles(replicates: ArrayLike, level: float = 0.95) -> Percentiles:
    """Return the percentile interval of replicates, shape (n,).

    Replicates in which the statistic is undefined (nan) are left out and counted; the ends are
    nan where none is left.

    Examples
    --------
    >>> percentiles([3.0, 1.0, 2.0, float("nan")], level=0.5)
    Percentiles(low=1.5, high=2.5, unusable=1)
    """
    level = as_share(level, "level")
    values = one_dimensional(replicates, "replicates")
    if values.dtype.kind not in "iuf":
        raise InputError("replicates holds values that are not real numbers")
    usable = values[~np.isnan(values)]
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        ends = np.quantile(usable, [tail, 1 - tail]) if len(usable) else np.full(2, math.nan)
    low, high = ends.tolist()
    return Percentiles(low, high, len(values) - len(usable))


def bootstrap(
    y_true: ArrayLike,
    y_scores: Mapping[str, ArrayLike],
    statistics: Sequence[Statistic],
    *,
    groups: ArrayLike | None = None,
    n_replicates: int = 2000,
    seed: int = 0,
    pos_label: object = None,
    n_jobs: int | None = None,
) -> Bootstrap:
    """Resample labelled records and read statistics off every replicate.

    Parameters
    ----------
    y_true
        Labels, shape (n,).
    y_scores
        Detector -> its scores of the same records, shape (n,).
    statistics
        What to measure: a list of what the functions of `labkit.metrics.statistics` return.
    groups
        Day or host of each record, shape (n,): whole groups are drawn, for attacks and for normal
        records apart, each from at least two. None draws records one by one, as if independent.
        A group's attacks and its normal records are drawn apart, as if one said nothing of the
        other; where a day moves the scores of both, the interval is wrong. Few groups give
        intervals that are too narrow: four days hold little of what a fifth may.
    n_replicates
        Number of replicates.
    seed
        Seed of the draws.
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.
    n_jobs
        Workers, as in joblib; None for one, unless `joblib.parallel_config` says otherwise. The
        replicates do not depend on it.

    Raises
    ------
    InputError
        When a class is missing, or any argument does not fit.

    Examples
    --------
    >>> from labkit.metrics.statistics import auc
    >>> y_true, y_score = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> result = bootstrap(y_true, {"detector": y_score}, [auc()], n_replicates=200)
    >>> table = result.intervals().loc[("detector", "AUC")]
    >>> round(float(table["estimate"]), 4), bool(table["low"] < 0.6), bool(table["high"] > 0.9)
    (0.7333, True, True)
    """
    from joblib import Parallel, delayed, effective_n_jobs

    labels = as_labels(y_true, pos_label)
    if labels.all() or not labels.any():
        raise InputError("y_true holds one class only: there is nothing to draw from in the other")
    if type(n_replicates) is bool or not isinstance(n_replicates, Integral) or n_replicates < 1:
        raise InputError(f"n_replicates is {n_replicates}; draw a whole number, at least one")
    if not isinstance(y_scores, Mapping) or not y_scores:
        raise InputError("y_scores must map the name of each detector to its scores")
    if not all(isinstance(name, str) for name in y_scores):
        raise InputError(f"y_scores has the names {list(y_scores)}; a name is a text")
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"seed is {seed!r}; it must be a whole number, 0 or more")
    if n_jobs is not None and (
        type(n_jobs) is bool or not isinstance(n_jobs, Integral) or not n_jobs
    ):
        raise InputError(f"n_jobs is {n_jobs!r}; pass a number of workers, or -1 for one a core")
    if not isinstance(statistics, list | tuple) or not all(
        isinstance(one, Statistic) for one in statistics
    ):
        raise InputError(
            "statistics must be a list of calls such as auc() and recall_at_budget(80)"
        )
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
        detectors.append(_Detector(labels, scores, statistics, f"y_scores[{name!r}]"))
    size = max(1, min(_REPLICATES, n_replicates, _CELLS // len(labels)))
    # A generator each, so that a seed's draws do not hang on the size of a block.
    rngs = np.random.default_rng(seed).spawn(2)
    classes = [
        _Draws(of_class, codes, size, rng)
        for of_class, rng in zip((labels, ~labels), rngs, strict=True)
    ]
    blocks = -(-n_replicates // size)
    jobs = effective_n_jobs(n_jobs)
    shares = _shares(classes, blocks, 1 if jobs == 1 else min(_SHARES * jobs, blocks))
    measured = Parallel(n_jobs=n_jobs)(
        delayed(_replicates)(detectors, draws, share) for draws, share in shares
    )
    once = [np.ones((draws.count, 1), np.int32) for draws in classes]
    estimates = np.stack([detector.measure(*once)[0] for detector in detectors])
    return Bootstrap(
        tuple(y_scores),
        tuple(statistic.name for statistic in statistics),
        estimates,
        np.concatenate(measured)[:n_replicates],
    )


def _shares(classes: list[_Draws], blocks: int, shares: int) -> Iterator[tuple[list[_Draws], int]]:
    """Yield the draws of each class, each time from where the share before ends, and its blocks."""
    before = 0
    for share in range(shares):
        for draws in classes:
            draws.skip(before)
        before = blocks // shares + (share < blocks % shares)
        yield deepcopy(classes), before


def _replicates(detectors: list[_Detector], classes: list[_Draws], blocks: int) -> np.ndarray:
    """Return the statistics of the next blocks of replicates, shape (b, d, s)."""
    measured = []
    for _ in range(blocks):
        attacks, normals = (draws.times_drawn() for draws in classes)
        measured.append(np.stack([one.measure(attacks, normals) for one in detectors], axis=1))
    return np.concatenate(measured)


class _Draws:
    """Draws of one class, record by record or by group, a block of replicates at a time."""

    def __init__(
        self,
        of_class: np.ndarray,
        codes: np.ndarray | None,
        size: int,
        rng: np.random.Generator,
    ) -> None:
        self._rng = rng
        # Without groups, each record is one of its own.
        self.count = self.groups = int(of_class.sum())
        self.group = None
        if codes is not None:
            groups, self.group = np.unique(codes[of_class], return_inverse=True)
            self.groups = len(groups)
            if self.groups == 1:
                raise InputError("groups holds a class in one group only; draws could not differ")
        # Few draws are counted in one go, since each call has its cost; many, a replicate at a
        # time, to stay in the cache.
        self._size = size
        self._at_once = size if size * self.groups <= _AT_ONCE else 1
        self._times = self._by_record = None

    def skip(self, blocks: int) -> None:
        """Go on to where so many blocks more will have been drawn."""
        for _ in range(blocks * (self._size // self._at_once)):
            self._rng.integers(0, self.groups, (self._at_once, self.groups))

    def times_drawn(self) -> np.ndarray:
        """Draw a block; return how often each replicate drew each record, shape (count, size).

        The next block overwrites it.
        """
        if self._times is None:
            # Written over by every block: fresh memory costs more than the draws do.
            self._times = np.empty((self._size, self.count), np.int32)
            self._by_record = np.empty((self.count, self._size), np.int32)
        size, at_once, of = self._size, self._at_once, self.groups
        offsets = np.arange(0, at_once * of, of)[:, None]
        for first in range(0, size, at_once):
            drawn = self._rng.integers(0, of, (at_once, of)) + offsets
            often = np.bincount(drawn.ravel(), minlength=at_once * of).reshape(at_once, of)
            self._times[first : first + at_once] = (
                often if self.group is None else often[:, self.group]
            )
        # A record a row: the sums over records then run along memory.
        np.copyto(self._by_record, self._times.T)
        return self._by_record


class _Detector:
    """The scores of one detector, sorted into slots between the cuts that statistics look at."""

    def __init__(
        self, labels: np.ndarray, scores: np.ndarray, statistics: Sequence[Statistic], name: str
    ) -> None:
        wanted = [threshold for statistic in statistics for threshold in statistic.thresholds]
        ascending = np.unique(np.concatenate([scores[labels], wanted]))
        self.cuts = ascending[::-1]
        self.statistics = statistics
        self.labels = labels
        self.cut_of = len(ascending) - 1 - np.searchsorted(ascending, scores[labels])
        self.attacks_in = _slots(self.cut_of, len(ascending))
        # Slot 2 i lies above cut i, slot 2 i + 1 on it.
        below = np.searchsorted(ascending, scores[~labels], side="left")
        not_above = np.searchsorted(ascending, scores[~labels], side="right")
        self.normals_in = _slots(2 * len(ascending) - below - not_above, 2 * len(ascending) + 1)
        self.losses = {}
        for statistic in statistics:
            if statistic.of_records:
                losses = statistic.of_records(labels, scores, name)
                self.losses[statistic] = losses[labels], losses[~labels]

    def measure(self, attacks: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """Return the statistics of b replicates, shape (b, s), given how often each was drawn."""
        gained, passed = self.attacks_in @ attacks, (self.normals_in @ normals).cumsum(axis=0)
        resamples = Resamples(
            cuts=self.cuts,
            gained=gained,
            tp=gained.cumsum(axis=0),
            fp_above=passed[:-1:2],
            fp=passed[1::2],
            negatives=passed[-1],
            labels=self.labels,
            cut_of=self.cut_of,
            drawn=attacks,
        )
        measured = []
        for statistic in self.statistics:
            if statistic.of_resamples:
                measured.append(statistic.of_resamples(resamples))
            else:
                of_attacks, of_normals = self.losses[statistic]
                records = resamples.tp[-1] + resamples.negatives
                measured.append((of_attacks @ attacks + of_normals @ normals) / records)
        return np.stack(measured, axis=1)


def _slots(slot: np.ndarray, slots: int) -> csr_array:
    """Return the matrix that sums over the records of each slot."""
    from scipy.sparse import csr_array

    ones = np.ones(len(slot), np.int32)
    return csr_array((ones, (slot, np.arange(len(slot)))), shape=(slots, len(slot)))
