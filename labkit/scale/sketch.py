"""A detector's scores in a million bins: what is left of any number of records, with bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import as_labels, as_scores, as_weights, check_lengths
from labkit.metrics.scalars import as_budget, as_cost, as_number
from labkit.metrics.sweep import ThresholdSweep
from labkit.scale import bounds
from labkit.scale.bins import BINS, Bins, added, limited
from labkit.scale.bounds import Bounds, Intervals, OperatingBounds
from labkit.scale.keys import HIGHEST, LOWEST, ZERO, ceilings, scores_of
from labkit.scale.tally import Labels, Tally


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSketch:
    """Attacks and normal records counted in bins of scores.

    Make one with `from_scores` or `from_blocks`, and add up those of parts with `+`, in any order.
    While there are no more distinct scores than bins, each score is a bin and all is exact. From
    then on a bin is a stretch of scores, about evenly wide on a logarithmic scale, and areas come
    as bounds. The counts at the edges of bins stay exact: those of `sweep`.

    Attributes
    ----------
    bins
        How many bins may hold records.

    Examples
    --------
    >>> whole = ScoreSketch.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    >>> whole.exact, whole.roc_auc.low == whole.roc_auc.high == 11 / 15
    (True, True)

    In two parts and at most four bins, of which two then hold several scores:

    >>> first = ScoreSketch.from_scores([1, 0, 1, 0], [8, 7, 6, 5], bins=4)
    >>> both = first + ScoreSketch.from_scores([0, 1, 0, 0], [4, 3, 2, 1], bins=4)
    >>> both.sweep.thresholds.tolist(), [round(bound, 3) for bound in both.roc_auc]
    ([8.0, 4.0, 2.0, 1.0], [0.533, 0.8])
    """

    _counts: Bins
    bins: int

    @classmethod
    def from_scores(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        bins: int = BINS,
        cuts: ArrayLike = (),
    ) -> ScoreSketch:
        """Count the scores of labelled records.

        Parameters
        ----------
        y_true
            Labels, shape (n,). Booleans, 0/1 and -1/1 are understood; others need `pos_label`.
        y_score
            Scores, shape (n,), higher for likelier attacks. Infinities are scores like any other
            and -0.0 is 0.0; single-precision scores are widened as they are.
        sample_weight
            Weights, shape (n,), not negative. Their sums are rounded, so that what is added in
            another order may differ in the last digits. A record of weight zero counts nowhere.
        pos_label
            The label that means attack.
        bins
            How many bins may hold records, at least 1.
        cuts
            Scores at which a bin is to begin besides, shape (c,), so that where many records lie
            close together bins are narrower: what `labkit.scale.plan.cuts_for` finds.

        Raises
        ------
        InputError
            On NaN scores (counted), missing labels, unequal lengths, negative weights.
        """
        labels, scores = as_labels(y_true, pos_label), as_scores(y_score)
        check_lengths(y_true=labels, y_score=scores)
        weights = None
        if sample_weight is not None:
            weights = as_weights(sample_weight)
            check_lengths(y_true=labels, sample_weight=weights)
        bins, cuts = checked_layout(bins, cuts)
        tally = Tally(bins, cuts, weighted=weights is not None)
        tally.add(labels, scores, weights)
        return cls(tally.bins(), bins)

    @classmethod
    def from_blocks(
        cls,
        blocks: Iterable[tuple[ArrayLike, ArrayLike]],
        *,
        pos_label: object = None,
        bins: int = BINS,
        cuts: ArrayLike = (),
    ) -> ScoreSketch:
        """Count the scores of labelled records that come block by block, and need not fit memory.

        Parameters
        ----------
        blocks
            Pairs of labels and scores, as `from_scores` takes them; blocks of 100,000 records and
            more are fastest.
        pos_label, bins, cuts
            As in `from_scores`.

        Raises
        ------
        InputError
            As `from_scores`, of the first block at fault; and when there is no block.

        Examples
        --------
        >>> blocks = ([[0, 1], [i, i + 0.5]] for i in range(1000))
        >>> ScoreSketch.from_blocks(blocks)
        ScoreSketch(2000 bins, exact, 1000 positives, 1000 negatives)
        """
        bins, cuts = checked_layout(bins, cuts)
        tally, understood = Tally(bins, cuts), Labels(pos_label)
        for y_true, y_score in blocks:
            labels, scores = understood.of(y_true), as_scores(y_score)
            check_lengths(y_true=labels, y_score=scores)
            tally.add(labels, scores)
        counted = tally.bins()
        if not len(counted):
            raise InputError("blocks is empty; pass at least one record")
        return cls(counted, bins)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else f"{self._counts.depth} bits deep"
        return (
            f"ScoreSketch({len(self._counts)} bins, {kind}, {self.positives:.10g} positives, "
            f"{self.negatives:.10g} negatives)"
        )

    @property
    def cuts(self) -> np.ndarray:
        """Scores at which a bin begins besides, ascending."""
        return scores_of(self._counts.splits)

    @cached_property
    def positives(self) -> float:
        """All attacks (or their weight)."""
        return self._counts.attacks.sum().item()

    @cached_property
    def negatives(self) -> float:
        """All normal records (or their weight)."""
        return self._counts.normals.sum().item()

    @property
    def base_rate(self) -> float:
        """Share of attacks among all records."""
        return self.positives / (self.positives + self.negatives)

    @property
    def exact(self) -> bool:
        """Whether every bin holds one score, so that nothing was lost."""
        return not np.isnan(self._counts.only).any()

    def __len__(self) -> int:
        """Return how many bins hold records."""
        return len(self._counts)

    @property
    def counts_records(self) -> bool:
        """Whether records are counted; otherwise they are weighed, and a budget is a weight."""
        return self._counts.attacks.dtype.kind == "i"

    @cached_property
    def sweep(self) -> ThresholdSweep:
        """The sweep over the edges of bins: tp and fp of every row are exact.

        A threshold is the one score of a bin, or the lowest that falls in it. Curves drawn from
        the sweep go through true points. Its areas take the records of a bin for tied, and so lie
        within the bounds; where `exact`, it is the sweep of the records.
        """
        low, _, attacks, normals = self.intervals
        tp, fp = np.cumsum(attacks), np.cumsum(normals)
        return ThresholdSweep.from_counts(low, tp, fp, positives=tp[-1], negatives=fp[-1])

    @cached_property
    def intervals(self) -> Intervals:
        """The scores that fall in each bin, with its counts; row by row as in `sweep`.

        Bounds on any sum over records follow, such as on the Brier score: each record adds at
        least what the best score of its bin would, and at most what the worst would.

        Examples
        --------
        >>> sketch = ScoreSketch.from_scores([1, 0, 1], [0.9, 0.6, 0.3], bins=2)
        >>> low, high, attacks, normals = sketch.intervals
        >>> low.tolist(), high.tolist(), attacks.tolist(), normals.tolist()
        ([0.5, 0.3], [0.9999999999999999, 0.3], [1, 1], [1, 0])
        """
        counts = self._counts
        # A bin may begin or end with keys that no score has: beyond the infinities, and that of
        # -0.0 just below that of 0.
        first = np.maximum(counts.lowest, np.uint64(LOWEST))
        last = np.minimum(ceilings(counts.lowest, counts.depth, counts.splits), np.uint64(HIGHEST))
        last -= last == np.uint64(ZERO - 1)
        low, high = (
            np.where(np.isnan(counts.only), scores_of(keys), counts.only) for keys in (first, last)
        )
        return Intervals(low[::-1], high[::-1], counts.attacks[::-1], counts.normals[::-1])

    @cached_property
    def roc_auc(self) -> Bounds:
        """Area under the ROC curve; nan unless both classes occur."""
        return bounds.auc_bounds(self.intervals)

    @cached_property
    def average_precision(self) -> Bounds:
        """Step-wise area under the precision-recall curve; nan without attacks."""
        return bounds.ap_bounds(self.intervals)

    def average_precision_at(self, base_rate: float) -> Bounds:
        """Return average precision with normal records reweighted to another share of attacks.

        Parameters
        ----------
        base_rate
            The wanted share of attacks, within (0, 1).

        Raises
        ------
        InputError
            When the rate is not within (0, 1) or a class is missing.
        """
        reweighted = self.sweep.at_base_rate(base_rate)
        return bounds.ap_bounds(self.intervals, reweighted.negatives / self.negatives)

    def at_threshold(self, threshold: float) -> OperatingBounds:
        """Return bounds on the counts of the rule score >= threshold, for any but NaN.

        Known but for the records of the bin that the threshold cuts, if it cuts one.

        Examples
        --------
        >>> sketch = ScoreSketch.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.5], bins=1)
        >>> sketch.at_threshold(0.7).recall, sketch.at_threshold(0.5).recall
        (Bounds(low=0.0, high=1.0), Bounds(low=1.0, high=1.0))
        """
        threshold = float(as_number(threshold, "threshold"))
        return bounds.at_threshold(self.intervals, threshold)

    def at_budget(self, k: float) -> OperatingBounds:
        """Return bounds on what the `k` highest records hold.

        Where the budget ends inside a tie, the tie is cut by chance, as by the "expected" of
        `ThresholdSweep.at_budget`. Where it ends inside a bin of several scores, anything from
        none of its attacks, as far as its normal records can fill the rest, up to all.

        Parameters
        ----------
        k
            Alerts allowed: a whole number, or any weight where records are weighted. More than
            there are records flags every one.

        Raises
        ------
        InputError
            When k is negative, NaN, or not a whole number on unweighted records.

        Examples
        --------
        >>> sketch = ScoreSketch.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> sketch.at_budget(3).recall, sketch.at_budget(3).threshold
        (Bounds(low=1.0, high=1.0), Bounds(low=2.0, high=2.0))
        """
        k = as_budget(k, whole=self.counts_records)
        return bounds.at_budget(self.intervals, k)

    def at_cost(self, *, fp: float, fn: float) -> Bounds:
        """Return bounds on the least total cost over all thresholds and "alert on nothing".

        The upper one is what the best edge of a bin costs, which `sweep.at_cost` names. A
        threshold inside a bin may do better: at best it flags all attacks of the bin and none of
        its normal records, which is the lower one.

        Parameters
        ----------
        fp, fn
            Cost of one false alert and of one missed attack; not negative.

        Examples
        --------
        >>> sketch = ScoreSketch.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.2], bins=2)
        >>> sketch.at_cost(fp=1, fn=5), sketch.sweep.at_cost(fp=1, fn=5).threshold
        (Bounds(low=0.0, high=1.0), 0.5)
        """
        return bounds.least_cost(self.intervals, as_cost(fp, "fp"), as_cost(fn, "fn"))

    def __add__(self, other: ScoreSketch) -> ScoreSketch:
        """Return the sketch of two parts of one data set, as if their records lay together."""
        if not isinstance(other, ScoreSketch):
            return NotImplemented
        if self.bins != other.bins or not np.array_equal(self.cuts, other.cuts):
            raise InputError("the two sketches differ in bins or cuts; make both with the same")
        if self.counts_records != other.counts_records:
            raise InputError("one sketch is of weighted records, the other is not")
        both = added(self._counts, other._counts)
        return replace(self, _counts=limited(both, self.bins))


def checked_layout(bins: object, cuts: ArrayLike, name: str = "cuts") -> tuple[int, np.ndarray]:
    """Return the number of bins, and the scores at which some begin, ascending and each once."""
    if isinstance(bins, bool) or not isinstance(bins, Integral) or bins < 1:
        raise InputError(f"bins is {bins!r}; it must be a whole number, at least 1")
    scores = as_scores(cuts, name) if np.size(cuts) else np.zeros(0)
    return int(bins), np.unique(scores + 0.0)
