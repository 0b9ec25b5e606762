"""Exact sweeps from tables of how many records have each score.

Where scores have few distinct values, a table of them is small however many records there are, and
says all that a sweep needs. `GROUP BY score` makes one in any database.
"""

from collections.abc import Hashable

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep
from labkit.metrics.inputs import as_codes, as_scores, check_lengths


def sweep_of_counts(scores: ArrayLike, attacks: ArrayLike, normals: ArrayLike) -> ThresholdSweep:
    """Return the sweep of records of which each score's number is known.

    Parameters
    ----------
    scores
        Scores in any order, shape (m,); infinities are scores, and what is counted under equal
        ones is added.
    attacks, normals
        Records of either class with that score (or their weight), shape (m,).

    Raises
    ------
    InputError
        On NaN scores, counts that are negative or all zero, and unequal lengths.

    Examples
    --------
    >>> sweep = sweep_of_counts([0.1, 0.9, 0.5], [0, 2, 1], [7, 1, 2])
    >>> sweep.thresholds.tolist(), sweep.tp.tolist(), sweep.fp.tolist()
    ([0.9, 0.5, 0.1], [2, 3, 3], [1, 3, 10])
    """
    columns = {
        "scores": as_scores(scores, "scores") + 0.0,
        "attacks": _counts(attacks, "attacks"),
        "normals": _counts(normals, "normals"),
    }
    check_lengths(**columns)
    thresholds, at = np.unique(columns["scores"], return_inverse=True)
    # Each count goes to its score; of those that are whole the sums are too, below 2**53.
    tp, fp = (
        np.bincount(at, weights=columns[name])[::-1].cumsum() for name in ("attacks", "normals")
    )
    return ThresholdSweep.from_counts(thresholds[::-1], tp, fp, positives=tp[-1], negatives=fp[-1])


def sweeps_by_group(
    groups: ArrayLike, scores: ArrayLike, attacks: ArrayLike, normals: ArrayLike
) -> dict[Hashable, ThresholdSweep]:
    """Return the sweep of each group, such as a day, in order of the groups.

    Parameters
    ----------
    groups
        Group of each row, shape (m,).
    scores, attacks, normals
        As in `sweep_of_counts`, of the records of the group.

    Raises
    ------
    InputError
        As `sweep_of_counts`, and on missing groups.

    Examples
    --------
    >>> by_day = sweeps_by_group([1, 0, 1], [0.5, 0.5, 0.1], [1, 1, 0], [0, 3, 4])
    >>> {day: sweep.alerts.tolist() for day, sweep in by_day.items()}
    {0: [4], 1: [1, 5]}
    """
    codes, distinct = as_codes(groups, "groups")
    columns = [np.asarray(column) for column in (scores, attacks, normals)]
    check_lengths(groups=codes, scores=columns[0], attacks=columns[1], normals=columns[2])
    return {
        group: sweep_of_counts(*(column[codes == code] for column in columns))
        for code, group in enumerate(distinct.tolist())
    }


def _counts(values: ArrayLike, name: str) -> np.ndarray:
    counts = as_scores(values, name)
    if counts.min() < 0:
        raise InputError(f"{name} holds {counts.min():g}; a count is 0 or more")
    return counts
