"""Thresholds from costs: Elkan's rule for calibrated probabilities, and what a threshold costs.

The rule needs no labels but needs probabilities that mean what they say. `ThresholdSweep.at_cost`
searches labelled records instead and needs only a ranking. On the same records the two agree where
the probabilities are calibrated; how far they differ in cost is what miscalibration costs.
"""

from fractions import Fraction

from labkit.errors import InputError
from labkit.metrics import ConfusionMatrix
from labkit.metrics.scalars import as_cost


def cost_threshold(cost_fp: float, cost_fn: float) -> float:
    """Return the probability of attack from which on an alert costs no more than silence.

    Elkan's rule p* = cost_fp / (cost_fp + cost_fn), for right decisions that cost nothing. At a
    probability of exactly p* both decisions cost the same; the rule p >= p* alerts there, while
    `ThresholdSweep.at_cost` takes the higher of two thresholds of equal cost and does not. Only
    the ratio of the costs matters. False alerts that cost nothing give 0, alert on everything;
    missed attacks that cost nothing give 1, alert only where it is certain.

    If right decisions cost something too, pass the differences that a wrong one makes:
    cost_fp less the cost of a true negative, cost_fn less the cost of a true positive.

    Parameters
    ----------
    cost_fp, cost_fn
        Cost of one false alert and of one missed attack, in one unit of any kind; finite, not
        negative, not both 0.

    Returns
    -------
    float
        p*, within [0, 1]: the float next to the exact ratio, so that it equals a score that was
        worked out as the same ratio.

    Raises
    ------
    InputError
        On a cost that is negative, infinite or NaN, and when both are 0: nothing then depends on
        the threshold.

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI, 973-978.

    Examples
    --------
    A missed attack costs as much as fifty false alerts:

    >>> cost_threshold(1, 50) == 1 / 51
    True
    """
    # Exactly: their sum must neither overflow nor be rounded.
    fp, fn = Fraction(as_cost(cost_fp, "cost_fp")), Fraction(as_cost(cost_fn, "cost_fn"))
    if not fp + fn:
        raise InputError("cost_fp and cost_fn are both 0; every threshold costs the same")
    return float(fp / (fp + fn))


def total_cost(point: ConfusionMatrix, cost_fp: float, cost_fn: float) -> float:
    """Return what the errors of an operating point cost: cost_fp * fp + cost_fn * fn.

    Over the records that the point was counted on; divide by their number for the cost of one.
    Where a point holds expected counts (a budget that cuts ties by chance) it is the expected
    cost, and where it holds weights (another base rate) the weighted one. A class that is missing
    costs nothing.

    Parameters
    ----------
    point
        Any counts of decisions: a `ConfusionMatrix` or what a `ThresholdSweep` returns.
    cost_fp, cost_fn
        Cost of one false alert and of one missed attack; finite, not negative.

    Returns
    -------
    float
        In the unit of the costs.

    Raises
    ------
    InputError
        On a cost that is negative, infinite or NaN.

    Examples
    --------
    >>> total_cost(ConfusionMatrix(tp=8, fp=20, fn=2, tn=970), cost_fp=1, cost_fn=50)
    120.0
    """
    return as_cost(cost_fp, "cost_fp") * point.fp + as_cost(cost_fn, "cost_fn") * point.fn
