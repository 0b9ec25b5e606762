"""Cost curves: what an operating point costs under every share of attacks and every cost at once.

Drummond and Holte (2006) fold base rate and costs into one number, the probability-cost PC, and
divide the expected cost by the most it could be. An operating point is then a straight line, from
its false positive rate at PC = 0 to its miss rate (1 - recall) at PC = 1; to alert on nothing is
the line from 0 to 1, to alert on everything the line from 1 to 0. The lowest line at each PC makes
up the lower envelope: the least that the ranking can cost there, at a threshold chosen for it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics import ConfusionMatrix, ThresholdSweep
from labkit.metrics.inputs import as_scores
from labkit.metrics.scalars import as_cost, as_share

if TYPE_CHECKING:
    import pandas as pd


def probability_cost(base_rate: float, cost_fp: float, cost_fn: float) -> float:
    """Return the probability-cost of attacks: their share of all that could go wrong.

    PC = b cost_fn / (b cost_fn + (1 - b) cost_fp) for a base rate b. Where both errors cost the
    same it is the base rate; at a base rate of one half it is 1 less `cost_threshold`.

    Parameters
    ----------
    base_rate
        Share of attacks, within [0, 1].
    cost_fp, cost_fn
        Cost of one false alert and of one missed attack; finite, not negative.

    Returns
    -------
    float
        PC, within [0, 1].

    Raises
    ------
    InputError
        On a rate or cost that cannot be, and where no error that can occur costs anything.

    References
    ----------
    Drummond and Holte (2006), Cost curves: an improved method for visualizing classifier
    performance, Machine Learning 65, 95-130.

    Examples
    --------
    One record in 51 is an attack, and missing it costs fifty times as much as a false alert:

    >>> probability_cost(1 / 51, 1, 50)
    0.5
    """
    rate = Fraction(as_share(base_rate, "base_rate", zero=True, one=True))
    missed = rate * Fraction(as_cost(cost_fn, "cost_fn"))
    false = (1 - rate) * Fraction(as_cost(cost_fp, "cost_fp"))
    if not missed + false:
        raise InputError("no error that can occur costs anything at this base rate")
    return float(missed / (missed + false))


def normalised_cost(point: ConfusionMatrix, probability_cost: float) -> float:
    """Return the expected cost of an operating point as a share of the most it could be.

    (1 - recall) PC + fpr (1 - PC). 0 where every record is decided rightly, 1 where every one is
    decided wrongly. Times (attacks cost_fn + normal records cost_fp) it is `total_cost`, with the
    PC of these costs and of the point's own base rate.

    Parameters
    ----------
    point
        Any counts of decisions; nan where it holds one class only.
    probability_cost
        PC, within [0, 1].

    Raises
    ------
    InputError
        On a probability-cost outside [0, 1].

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, 95-130.

    Examples
    --------
    >>> point = ConfusionMatrix(tp=8, fp=20, fn=2, tn=980)
    >>> round(normalised_cost(point, 0.5), 3)
    0.11
    """
    share = as_share(probability_cost, "probability_cost", zero=True, one=True)
    return (1 - point.recall) * share + point.fpr * (1 - share)


def cost_curve(sweep: ThresholdSweep, probability_cost: ArrayLike | None = None) -> pd.DataFrame:
    """Return the lower envelope of a ranking: its least normalised cost at each probability-cost.

    Over all thresholds and "alert on nothing". Of several whose costs are equal as float64, the
    highest: the fewest alerts. The envelope never lies above the two trivial rules, min(PC,
    1 - PC). A deployed threshold stays on its own line, above it: the envelope is the best that
    could be chosen, with the labels known.

    Parameters
    ----------
    sweep
        Of records of both classes.
    probability_cost
        Values of PC within [0, 1], shape (m,); by default from 0 to 1 in steps of 0.01.

    Returns
    -------
    pandas.DataFrame
        One row a value: probability_cost, cost, threshold (inf for no alert), recall, fpr.

    Raises
    ------
    InputError
        When a class is missing, and on values that are NaN or outside [0, 1].

    References
    ----------
    Drummond and Holte (2006), Machine Learning 65, 95-130.

    Examples
    --------
    >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    >>> cost_curve(sweep, [0.1, 0.5, 0.9]).round(3)
       probability_cost   cost  threshold  recall  fpr
    0               0.1  0.067        8.0   0.333  0.0
    1               0.5  0.267        6.0   0.667  0.2
    2               0.9  0.060        3.0   1.000  0.6
    """
    import pandas as pd

    if not (sweep.positives and sweep.negatives):
        raise InputError("one class only: there are no two rates to weigh against each other")
    values = np.linspace(0, 1, 101) if probability_cost is None else probability_cost
    shares = as_scores(values, "probability_cost")
    if shares.min() < 0 or shares.max() > 1:
        raise InputError(
            f"probability_cost ranges from {shares.min():g} to {shares.max():g}; it lies within "
            "[0, 1]"
        )
    thresholds = np.concatenate(([sweep.at_budget(0).threshold], sweep.thresholds))
    recall = np.concatenate(([0.0], sweep.recall))
    fpr = np.concatenate(([0.0], sweep.fpr))
    # A row at a time: thresholds times values could fill the memory.
    rows = []
    for share in shares.tolist():
        costs = (1 - recall) * share + fpr * (1 - share)
        best = int(np.argmin(costs))
        rows.append((share, costs[best], thresholds[best], recall[best], fpr[best]))
    columns = ["probability_cost", "cost", "threshold", "recall", "fpr"]
    return pd.DataFrame(rows, columns=columns, dtype=float)


def cost_at_every_threshold(
    sweep: ThresholdSweep, *, cost_fp: float, cost_fn: float
) -> pd.DataFrame:
    """Return what the errors of each threshold cost in all, as `total_cost` of its point.

    Parameters
    ----------
    sweep
        Of any records; a class that is missing costs nothing.
    cost_fp, cost_fn
        Cost of one false alert and of one missed attack; finite, not negative.

    Returns
    -------
    pandas.DataFrame
        threshold, cost: one row a distinct score, descending. "Alert on nothing" is no score and
        has no row.

    Examples
    --------
    >>> sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> cost_at_every_threshold(sweep, cost_fp=1, cost_fn=5)["cost"].tolist()
    [5.0, 6.0, 1.0, 2.0]
    """
    import pandas as pd

    fp, fn = as_cost(cost_fp, "cost_fp"), as_cost(cost_fn, "cost_fn")
    cost = fp * sweep.fp + fn * (sweep.positives - sweep.tp)
    return pd.DataFrame({"threshold": sweep.thresholds, "cost": cost})
