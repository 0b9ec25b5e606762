"""The four counts of a decision and the rates they define."""

import math
from dataclasses import dataclass

from labkit.errors import InputError
from labkit.metrics.scalars import as_number


def _ratio(numerator: float, denominator: float) -> float:
    """Return numerator / denominator, nan where it is 0/0."""
    return numerator / denominator if denominator else math.nan


@dataclass(frozen=True)
class ConfusionMatrix:
    """The four counts of one decision rule on labelled records.

    Counts may be weights. Every rate is nan where it is 0/0: a rate that was not measured is not
    a number, and no convention (0, 1) stands in for it.

    Parameters
    ----------
    tp, fp
        Attacks and normal records that raised an alert.
    fn, tn
        Attacks and normal records that raised none.

    Examples
    --------
    >>> day = ConfusionMatrix(tp=9, fp=90, fn=1, tn=900)
    >>> day.alerts, day.recall, round(day.precision, 4)
    (99, 0.9, 0.0909)
    >>> ConfusionMatrix(tp=0, fp=0, fn=10, tn=990).precision
    nan
    """

    tp: float
    fp: float
    fn: float
    tn: float

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "fn", "tn"):
            count = as_number(getattr(self, name), name)
            if count < 0:
                raise InputError(f"{name} is {count}; a count is 0 or more")
            object.__setattr__(self, name, count)

    @property
    def alerts(self) -> float:
        """Records that raised an alert: tp + fp."""
        return self.tp + self.fp

    @property
    def recall(self) -> float:
        """Share of the attacks that raised an alert: tp / (tp + fn). Also true positive rate."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def precision(self) -> float:
        """Share of the alerts that are attacks: tp / (tp + fp); nan without alerts."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def fpr(self) -> float:
        """False positive rate, the share of normal records that raised an alert: fp / (fp + tn)."""
        return _ratio(self.fp, self.fp + self.tn)

    @property
    def specificity(self) -> float:
        """Share of normal records that raised no alert: tn / (fp + tn)."""
        return _ratio(self.tn, self.fp + self.tn)

    @property
    def accuracy(self) -> float:
        """Share of records decided rightly: (tp + tn) / all."""
        return _ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    @property
    def balanced_accuracy(self) -> float:
        """Mean of recall and specificity."""
        return (self.recall + self.specificity) / 2

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return self.fbeta(1.0)

    def fbeta(self, beta: float) -> float:
        """Weighted harmonic mean of precision and recall; beta > 1 leans towards recall.

        Computed as (1 + b²) tp / ((1 + b²) tp + b² fn + fp), which needs no precision and so
        exists without alerts as long as there are attacks.

        Examples
        --------
        >>> ConfusionMatrix(tp=8, fp=20, fn=2, tn=970).fbeta(2)
        0.5882352941176471
        """
        square = float(as_number(beta, "beta")) * beta
        if not 0 <= square < math.inf:
            raise InputError(f"beta is {beta}; it must be 0 or more, and its square finite")
        hits = (1 + square) * self.tp
        return _ratio(hits, hits + square * self.fn + self.fp)

    @property
    def mcc(self) -> float:
        """Matthews correlation coefficient, -1 to 1; nan where a row or column is empty."""
        # In a unit near the greatest count, so that no product leaves float64. It is a power of
        # two: dividing by it rounds nothing.
        unit = math.ldexp(1.0, math.frexp(max(self.tp, self.fp, self.fn, self.tn))[1])
        tp, fp, fn, tn = (count / unit for count in (self.tp, self.fp, self.fn, self.tn))
        margins = math.sqrt(tp + fp) * math.sqrt(tp + fn) * math.sqrt(tn + fp) * math.sqrt(tn + fn)
        mcc = _ratio(tp * tn - fp * fn, margins)
        # The roots are rounded: a perfect rule would come to 1.0000000000000004.
        return math.copysign(1.0, mcc) if abs(mcc) > 1 else mcc


@dataclass(frozen=True)
class OperatingPoint(ConfusionMatrix):
    """The confusion matrix of one threshold: a record is an alert when score >= threshold.

    Parameters
    ----------
    threshold
        The score asked for, or the observed one that was chosen. Where nothing is flagged it is
        inf, or nan if inf is itself a score.
    """

    threshold: float


@dataclass(frozen=True)
class BudgetedPoint(OperatingPoint):
    """The operating point of an alert budget, with what ties at the cut did to it.

    Parameters
    ----------
    budget
        The alerts allowed.
    ties_at_cut
        Records that share the score at which the budget runs out, when the budget ends inside
        them; 0 when the budget ends between two scores.
    tp_low, tp_high
        Fewest and most attacks among exactly `budget` alerts, over every way to cut the tied
        records. An operating point that leaves the group out, or takes it in, may lie outside.
    """

    budget: float
    ties_at_cut: float
    tp_low: float
    tp_high: float
