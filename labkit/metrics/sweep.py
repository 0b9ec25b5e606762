"""Every operating point of a detector at once.

Sort the scores once and hold, at every distinct score, how many attacks and how many normal
records lie at or above it. ROC and precision-recall curves, their areas, budgets and costs are all
read off these two columns.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.choice import Preference, best_row
from labkit.metrics.confusion import BudgetedPoint, OperatingPoint
from labkit.metrics.inputs import as_labels, as_scores, as_weights, check_lengths
from labkit.metrics.ranking import CountTable, SortedClasses
from labkit.metrics.scalars import as_budget, as_cost, as_number, as_share, check_choice

if TYPE_CHECKING:
    import pandas as pd

Ties = Literal["under", "over", "expected"]
Weight = TypeVar("Weight", float, np.ndarray)


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdSweep:
    """The counts of a detector at each of its distinct scores.

    Make one with `from_scores` or `from_counts`. A record is an alert when score >= threshold.
    Only observed scores are thresholds, and only equal scores are tied: no tolerance merges
    scores that differ.

    Examples
    --------
    Eight records with attacks at ranks 1, 3 and 6:

    >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    >>> sweep.roc_auc == 11 / 15, round(sweep.average_precision, 3)
    (True, 0.722)
    """

    _ranking: SortedClasses | CountTable
    # The weight that `at_base_rate` gives each normal record. Kept apart from the counts, so that
    # the false positive rates, and with them the ROC curve, stay the same to the last bit.
    _negative_weight: float | None = None

    @classmethod
    def from_scores(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
    ) -> ThresholdSweep:
        """Sweep the threshold over the scores of labelled records.

        Parameters
        ----------
        y_true
            Labels, shape (n,). Booleans, 0/1 and -1/1 are understood; others need `pos_label`.
        y_score
            Scores, shape (n,), higher for likelier attacks. Infinities are scores like any other.
            Single-precision scores are widened as they are: what was tied stays tied.
        sample_weight
            Weights, shape (n,), not negative. A record of weight zero counts as if removed.
        pos_label
            The label that means attack.

        Raises
        ------
        InputError
            On NaN scores (counted), missing labels, unequal lengths, negative weights.
        """
        labels = as_labels(y_true, pos_label)
        scores = as_scores(y_score)
        check_lengths(y_true=labels, y_score=scores)
        if sample_weight is None:
            return cls(SortedClasses.from_records(labels, scores))
        weights = as_weights(sample_weight)
        check_lengths(y_true=labels, sample_weight=weights)
        kept = weights > 0
        return cls(CountTable.from_weights(labels[kept], scores[kept], weights[kept]))

    @classmethod
    def from_counts(
        cls,
        thresholds: ArrayLike,
        tp: ArrayLike,
        fp: ArrayLike,
        *,
        positives: float,
        negatives: float,
    ) -> ThresholdSweep:
        """Sweep a published table of cumulative counts.

        Rows that flag nothing (such as the one at an infinite threshold) carry no operating point
        and are left out. The last row must flag everything: between it and the one above, the
        table is taken to hold one tied group.

        Parameters
        ----------
        thresholds
            Descending thresholds, shape (m,).
        tp, fp
            Attacks and normal records at or above each threshold, shape (m,), never decreasing.
        positives, negatives
            All attacks and all normal records.

        Raises
        ------
        InputError
            When the columns do not descend or grow as they must, naming the row.

        Examples
        --------
        >>> table = ThresholdSweep.from_counts(
        ...     [0.9, 0.5, 0.1], [1, 2, 2], [0, 1, 3], positives=2, negatives=3)
        >>> table.recall.tolist()
        [0.5, 1.0, 1.0]
        """
        columns = [as_scores(thresholds, "thresholds"), as_scores(tp, "tp"), as_scores(fp, "fp")]
        check_lengths(thresholds=columns[0], tp=columns[1], fp=columns[2])
        totals = as_number(positives, "positives"), as_number(negatives, "negatives")
        return cls(CountTable.from_columns(*columns, *totals))

    def __repr__(self) -> str:
        return (
            f"ThresholdSweep({len(self.thresholds)} thresholds, {self.positives:.10g} positives, "
            f"{self.negatives:.10g} negatives)"
        )

    @property
    def thresholds(self) -> np.ndarray:
        """Distinct scores, descending, shape (m,)."""
        return self.table.thresholds

    @property
    def tp(self) -> np.ndarray:
        """Attacks (or their weight) at or above each threshold, shape (m,)."""
        return self.table.tp

    @property
    def fp(self) -> np.ndarray:
        """Normal records (or their weight) at or above each threshold, shape (m,)."""
        return self._reweighted(self.table.fp)

    @cached_property
    def positives(self) -> float:
        """All attacks (or their weight)."""
        return self._ranking.positives

    @cached_property
    def negatives(self) -> float:
        """All normal records (or their weight)."""
        return self._reweighted(self._ranking.negatives)

    @property
    def table(self) -> CountTable:
        """The counts as they were ranked, before any change of base rate."""
        return self._ranking.table

    @property
    def counts_records(self) -> bool:
        """Whether alerts are whole records; otherwise they are weights, and so is a budget."""
        return self.tp.dtype.kind == "i" and self._negative_weight is None

    @property
    def base_rate(self) -> float:
        """Share of attacks among all records."""
        return self.positives / (self.positives + self.negatives)

    @property
    def alerts(self) -> np.ndarray:
        """Records (or their weight) at or above each threshold, shape (m,)."""
        return self.tp + self.fp

    @cached_property
    def recall(self) -> np.ndarray:
        """True positive rate at each threshold, shape (m,); nan without attacks."""
        return _share(self.tp, self.positives)

    @cached_property
    def fpr(self) -> np.ndarray:
        """False positive rate at each threshold, shape (m,); nan without normal records."""
        return _share(self.table.fp, self._ranking.negatives)

    @cached_property
    def precision(self) -> np.ndarray:
        """Share of attacks among the alerts at each threshold, shape (m,)."""
        alerts = np.add(self.tp, self.fp, dtype=np.float64)
        return np.divide(self.tp, alerts, out=alerts)

    @property
    def roc_auc(self) -> float:
        """Area under the ROC curve; nan unless both classes occur.

        The probability that a random attack scores above a random normal record, a tie counting
        one half (Fawcett 2006). A tied group that holds both classes is a sloped segment.
        """
        if not (self.positives and self.negatives):
            return math.nan
        gains, negatives = self._ranking.gains, self._ranking.negatives
        # Counted in a unit near the total, so that no product of two counts or of two extreme
        # weights leaves float64. The units are powers of two: dividing by them rounds nothing.
        x, y = _unit(negatives), _unit(self.positives)
        below = (negatives - gains.fp_above) / x + (negatives - gains.fp) / x
        won_twice = float(np.dot(gains.gained / y, below))
        # Sums of weights are rounded: without the limit a perfect ranking could pass 1.
        return min(won_twice / (2 * (self.positives / y) * (negatives / x)), 1.0)

    @property
    def average_precision(self) -> float:
        """Step-wise area under the precision-recall curve; nan without attacks.

        The sum of (R_n - R_{n-1}) P_n over descending thresholds. No point is made up at recall
        0 and nothing is interpolated (Davis and Goadrich 2006). A constant score gets the base
        rate.
        """
        if not self.positives:
            return math.nan
        gains = self._ranking.gains
        precision = gains.tp / (gains.tp + self._reweighted(gains.fp))
        # One division in the end keeps 1 exact; weights, whose sums are rounded, need the limit.
        return min(float(np.dot(gains.gained, precision)) / self.positives, 1.0)

    def at_base_rate(self, base_rate: float) -> ThresholdSweep:
        """Return the same ranking with normal records reweighted to another share of attacks.

        True and false positive rates stay exactly as they are; precision, alerts and average
        precision move. Alerts are weights from then on, and so is a budget.

        Parameters
        ----------
        base_rate
            The wanted share of attacks, within (0, 1).

        Raises
        ------
        InputError
            When the rate is not within (0, 1) or a class is missing.

        Examples
        --------
        >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> rare = sweep.at_base_rate(0.01)
        >>> round(rare.base_rate, 10), round(rare.precision[2].item(), 4)
        (0.01, 0.0198)
        """
        base_rate = as_share(base_rate, "base_rate")
        if not (self.positives and self.negatives):
            raise InputError("one class only: there is no share of attacks to change")
        weight = self.positives / self._ranking.negatives * (1 - base_rate) / base_rate
        if not 0 < weight * self._ranking.negatives < math.inf:
            raise InputError(f"base_rate is {base_rate}; float64 has no weight that makes it so")
        return replace(self, _negative_weight=weight)

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """Return the counts of the rule score >= threshold, for any threshold but NaN."""
        threshold = as_number(threshold, "threshold")
        # Ascending order for searchsorted: the count of thresholds that are >= the given one.
        flagged = len(self.thresholds) - int(np.searchsorted(self.thresholds[::-1], threshold))
        return self._point(flagged - 1, float(threshold))

    def at_recall(self, recall: float) -> OperatingPoint:
        """Return the highest threshold whose recall is at least `recall`, within (0, 1]."""
        recall = as_share(recall, "recall", one=True)
        if not self.positives:
            raise InputError("no attacks: recall is undefined")
        return self._point(int(np.argmax(self.recall >= recall)))

    def at_fpr(self, fpr: float) -> OperatingPoint:
        """Return the lowest threshold whose false positive rate is at most `fpr`, within [0, 1].

        The highest recall that a false positive rate allows; nothing is interpolated.
        """
        fpr = as_share(fpr, "fpr", zero=True, one=True)
        if not self.negatives:
            raise InputError("no normal records: the false positive rate is undefined")
        return self._point(int(np.searchsorted(self.fpr, fpr, side="right")) - 1)

    def at_budget(self, k: float, ties: Ties = "under") -> BudgetedPoint:
        """Return the operating point that an alert budget of the top `k` records allows.

        Where the budget ends inside a group of equal scores, `ties` decides, and no choice
        depends on the order of the records:

        - "under": leave the whole group out; never more than k alerts,
        - "over": take the whole group in; at least k alerts,
        - "expected": cut the group by chance; k alerts, tp is the expected number of attacks.

        Parameters
        ----------
        k
            Alerts allowed: a whole number, or any weight where records are weighted. More than
            there are records flags every one.
        ties
            What to do with a tied group at the cut.

        Returns
        -------
        BudgetedPoint
            With the size of the tied group and the fewest and most attacks that any cut of it
            yields. A budget that allows no alert has an infinite threshold.

        Raises
        ------
        InputError
            When k is negative, NaN, or not a whole number on unweighted records.

        Examples
        --------
        >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
        >>> sweep.at_budget(2).alerts, sweep.at_budget(2, ties="over").alerts
        (1, 4)
        >>> cut = sweep.at_budget(2, ties="expected")
        >>> round(cut.tp, 3), cut.tp_low, cut.tp_high
        (1.667, 1, 2)
        """
        check_choice(ties, "ties", ("under", "over", "expected"))
        k = as_budget(k, whole=self.counts_records)
        # Bisection needs a few rows, not the column of alerts.
        rows = range(len(self.tp))
        below = bisect_right(rows, k, key=lambda row: self._point(row).alerts) - 1
        low = self._point(below)
        if below + 1 == len(rows) or k == low.alerts:
            return BudgetedPoint(
                **vars(low), budget=k, ties_at_cut=0, tp_low=low.tp, tp_high=low.tp
            )
        high = self._point(below + 1)
        room, tied = k - low.alerts, high.alerts - low.alerts
        tied_attacks, tied_normals = high.tp - low.tp, high.fp - low.fp
        most = low.tp + min(room, tied_attacks)
        least = min(low.tp + max(0, room - tied_normals), most)
        bounds = {"ties_at_cut": tied, "tp_low": least, "tp_high": most}
        if ties != "expected":
            chosen = low if ties == "under" else high
            return BudgetedPoint(**vars(chosen), budget=k, **bounds)
        # The limits are for sums of weights, which rounding may carry a little past them.
        tp = min(max(low.tp + room / tied * tied_attacks, least), most)
        fp = max(k - tp, 0)
        fn, tn = max(self.positives - tp, 0), max(self.negatives - fp, 0)
        return BudgetedPoint(tp, fp, fn, tn, high.threshold, budget=k, **bounds)

    def at_cost(self, *, fp: float, fn: float) -> OperatingPoint:
        """Return the threshold of least total cost, found over all of them and "alert on nothing".

        Of several whose costs are equal as float64, the highest: the fewest alerts.

        Parameters
        ----------
        fp, fn
            Cost of one false alert and of one missed attack; not negative.

        Examples
        --------
        >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> sweep.at_cost(fp=1, fn=5).threshold, sweep.at_cost(fp=1, fn=0).threshold
        (2.0, inf)
        """
        fp, fn = as_cost(fp, "fp"), as_cost(fn, "fn")
        costs = np.concatenate(
            ([fn * self.positives], fp * self.fp + fn * (self.positives - self.tp))
        )
        return self._point(int(np.argmin(costs)) - 1)

    def choose(
        self,
        *,
        max_alerts: float | None = None,
        min_recall: float | None = None,
        min_precision: float | None = None,
        prefer: Preference = "recall",
    ) -> OperatingPoint:
        """Return the operating point that meets every requirement.

        Among the observed scores that do, the one with the highest recall (or precision); then the
        one with the fewest alerts. To alert on nothing is no answer here, though `at_budget` and
        `at_cost` may give it.

        Parameters
        ----------
        max_alerts, min_recall, min_precision
            Requirements; None asks for nothing.
        prefer
            What to make the most of.

        Raises
        ------
        NoFeasibleThreshold
            When none qualifies; the message says what would have to give.

        Examples
        --------
        >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> sweep.choose(max_alerts=3, min_recall=0.9).threshold
        2.0
        >>> sweep.choose(max_alerts=2, min_recall=0.9)
        Traceback (most recent call last):
        ...
        labkit.metrics.choice.NoFeasibleThreshold: no threshold gives at most 2 alerts and recall \
of at least 0.9: 2 alerts reach recall 0.5; recall 0.9 takes 3 alerts
        """
        return self._point(best_row(self, max_alerts, min_recall, min_precision, prefer))

    def to_frame(self) -> pd.DataFrame:
        """Return the sweep as a table, one threshold a row."""
        import pandas as pd

        columns = ("tp", "fp", "alerts", "recall", "fpr", "precision")
        return pd.DataFrame(
            {"threshold": self.thresholds} | {name: getattr(self, name) for name in columns}
        )

    def __add__(self, other: ThresholdSweep) -> ThresholdSweep:
        """Return the sweep of two parts of one data set, as if their records lay together."""
        if not isinstance(other, ThresholdSweep):
            return NotImplemented
        if self._negative_weight != other._negative_weight:
            raise InputError("the two sweeps are at different base rates; add first, then reweight")
        return ThresholdSweep(self.table + other.table, self._negative_weight)

    def _reweighted(self, normals: Weight) -> Weight:
        # Counts stay whole numbers as long as nothing was reweighted.
        return normals if self._negative_weight is None else normals * self._negative_weight

    def _point(self, row: int, threshold: float | None = None) -> OperatingPoint:
        """Return the operating point of a row; row -1 flags nothing."""
        tp = fp = 0
        if row >= 0:
            tp = self.table.tp[row].item()
            fp = self._reweighted(self.table.fp[row].item())
        if threshold is None:
            threshold = self.thresholds[row].item() if row >= 0 else self._above_all
        return OperatingPoint(tp, fp, self.positives - tp, self.negatives - fp, threshold)

    @property
    def _above_all(self) -> float:
        """A threshold that no score reaches; NaN where even infinity is a score."""
        return math.nan if self.thresholds[0] == math.inf else math.inf


def _unit(total: float) -> float:
    """Return the power of two next to `total`, at most equal to it."""
    return math.ldexp(1.0, math.frexp(total)[1] - 1)


def _share(counts: np.ndarray, total: float) -> np.ndarray:
    return counts / total if total else np.full(len(counts), math.nan)
