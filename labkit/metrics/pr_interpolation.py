"""Precision between two operating points: a hyperbola, not a straight line."""

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.inputs import as_scores
from labkit.metrics.sweep import ThresholdSweep


def interpolated_precision(sweep: ThresholdSweep, recall: ArrayLike) -> np.ndarray:
    """Return the precision at any recall, between thresholds as between points of the ROC curve.

    Between two neighbouring thresholds a and b a detector can be run by flagging each record that
    lies between them with the same chance. As that chance grows, attacks and false alerts grow in
    step: a straight line in ROC space (Davis and Goadrich 2006), but not here:

        TP = recall * P
        FP = FP_a + (TP - TP_a) * (FP_b - FP_a) / (TP_b - TP_a)
        precision = TP / (TP + FP)

    Above the first threshold lies the point that flags nothing, TP_a = FP_a = 0. The counts are
    expected ones, and the precision is their ratio.

    Parameters
    ----------
    sweep
        Any sweep, of records, counts or weights, at any base rate.
    recall
        Within (0, 1], shape (k,). At 0 the precision depends on how 0 is neared.

    Returns
    -------
    numpy.ndarray
        Shape (k,). Where several thresholds share a recall, the precision of the highest of them:
        the best.

    Raises
    ------
    InputError
        When there are no attacks, or a recall is not within (0, 1].

    Examples
    --------
    From 4 attacks and 1 false alert to 9 attacks and 36: halfway, at recall 0.65, there are 6.5
    and 18.5, a precision of 0.26, where a straight line from 0.8 to 0.2 would promise 0.5.

    >>> sweep = ThresholdSweep.from_counts(
    ...     [3, 2, 1], [4, 9, 10], [1, 36, 90], positives=10, negatives=90)
    >>> interpolated_precision(sweep, [0.4, 0.65, 0.9]).round(3).tolist()
    [0.8, 0.26, 0.2]
    """
    wanted = as_scores(recall, "recall")
    if not sweep.positives:
        raise InputError("no attacks: recall is undefined")
    if not ((wanted > 0) & (wanted <= 1)).all():
        raise InputError(
            f"recall ranges from {wanted.min():g} to {wanted.max():g}; it must lie within (0, 1]"
        )
    rows = np.searchsorted(sweep.recall, wanted)
    below = np.append(0.0, sweep.recall)[rows]
    # 1 where a threshold has just the recall that is asked for, so that its own counts are used.
    way = (wanted - below) / (sweep.recall[rows] - below)
    tp, fp = (
        (1 - way) * np.append(0, counts)[rows] + way * counts[rows]
        for counts in (sweep.tp, sweep.fp)
    )
    return tp / (tp + fp)
