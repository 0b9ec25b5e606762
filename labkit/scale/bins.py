"""Attacks and normal records counted in bins of scores, in the one form that all orders lead to.

Bins start as fine as float64 is, so that each holds one score. Where more of them than allowed
hold records, all are made coarser, a bit at a time, until few enough do. How coarse they end
depends on which scores occur and on nothing else: more scores never make finer bins, and a bin is
made of the same two halves wherever it is made. So parts may be counted apart, in any order, and
added up in any order, and the bins come out the same.
"""

from dataclasses import dataclass, replace

import numpy as np

from labkit.scale.keys import BITS, floors, scores_of

BINS = 2**20
"""Bins that may hold records, unless said otherwise; 32 bytes each."""


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins that hold records, ascending; every array but `splits` of shape (m,).

    Attributes
    ----------
    lowest
        The lowest key that lies in each bin, uint64.
    attacks, normals
        Records of either class in it: int64, or float64 where they are sums of weights.
    only
        The score of all its records where they are equal; nan where they are not.
    splits
        Keys at which bins are split besides, ascending.
    depth
        Leading bits of a key that make a bin.
    """

    lowest: np.ndarray
    attacks: np.ndarray
    normals: np.ndarray
    only: np.ndarray
    splits: np.ndarray
    depth: int = BITS

    def __len__(self) -> int:
        return len(self.lowest)


def bins_of(
    keys: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, splits: np.ndarray
) -> Bins:
    """Count records by score, each score a bin.

    Parameters
    ----------
    keys
        Keys of scores that are no NaN, shape (n,).
    labels
        True where a record is an attack, shape (n,).
    weights
        Weights above zero, shape (n,); None counts records.
    splits
        Keys at which bins are to be split besides.

    Examples
    --------
    >>> from labkit.scale.keys import keys_of, splits_of
    >>> keys, labels = keys_of(np.array([0.5, 0.1, 0.5])), np.array([True, False, False])
    >>> bins = bins_of(keys, labels, None, splits_of([]))
    >>> bins.only.tolist(), bins.attacks.tolist(), bins.normals.tolist()
    ([0.1, 0.5], [0, 1], [1, 1])
    """
    if weights is not None:
        lowest = keys
        attacks, normals = np.where(labels, weights, 0.0), np.where(labels, 0.0, weights)
    else:
        # A sort of each class alone is several times faster than one that carries labels along.
        (attacked, attacks), (normal, normals) = (
            np.unique(keys[of], return_counts=True) for of in (labels, ~labels)
        )
        lowest = np.concatenate([attacked, normal])
        attacks, normals = (
            np.concatenate([attacks, np.zeros_like(normals)]),
            np.concatenate([np.zeros_like(attacks), normals]),
        )
    return summed(Bins(lowest, attacks, normals, scores_of(lowest), splits))


def added(a: Bins, b: Bins) -> Bins:
    """Return the bins of the records of both, as coarse as the coarser of the two."""
    depth = min(a.depth, b.depth)
    a, b = sorted((coarsened(bins, depth) for bins in (a, b)), key=len, reverse=True)
    # The fewer are looked up among the more, into a bin that is there or between two: half the
    # memory of sorting all, and less time.
    at = np.searchsorted(a.lowest, b.lowest)
    there = at < len(a)
    there[there] = a.lowest[at[there]] == b.lowest[there]
    into, new = at[there], ~there
    attacks, normals, only = a.attacks.copy(), a.normals.copy(), a.only.copy()
    attacks[into] += b.attacks[there]
    normals[into] += b.normals[there]
    # Also where either is nan.
    only[into[only[into] != b.only[there]]] = np.nan
    lowest, attacks, normals, only = (
        np.insert(column, at[new], more[new])
        for column, more in (
            (a.lowest, b.lowest),
            (attacks, b.attacks),
            (normals, b.normals),
            (only, b.only),
        )
    )
    return Bins(lowest, attacks, normals, only, a.splits, depth)


def coarsened(bins: Bins, depth: int) -> Bins:
    """Return the same records in bins of the first `depth` bits, no more than they have."""
    if depth == bins.depth:
        return bins
    lowest = floors(bins.lowest, depth, bins.splits)
    return summed(replace(bins, lowest=lowest, depth=depth))


def limited(bins: Bins, limit: int) -> Bins:
    """Return the finest bins of the same records of which at most `limit` hold any.

    Splits are kept whatever the limit, and may make as many bins more.

    Examples
    --------
    Three scores of which the first bits of two agree:

    >>> from labkit.scale.keys import keys_of, splits_of
    >>> keys, labels = keys_of(np.array([0.1, 0.5, 0.6])), np.array([True, False, True])
    >>> coarse = limited(bins_of(keys, labels, None, splits_of([])), 2)
    >>> coarse.only.tolist(), coarse.attacks.tolist(), coarse.normals.tolist()
    ([0.1, nan], [1, 1], [0, 1])
    """
    if len(bins) <= limit:
        return bins
    differ = bins.lowest[1:] ^ bins.lowest[:-1]
    # Fewer bits, fewer bins. Between `low` bits, few enough, and `high`, too many, lies the answer.
    low, high = 0, bins.depth + 1
    while high - low > 1:
        depth = (low + high) // 2
        occupied = 1 + np.count_nonzero(differ >> np.uint64(BITS - depth))
        low, high = (depth, high) if occupied <= limit else (low, depth)
    return coarsened(bins, low)


def summed(bins: Bins) -> Bins:
    """Return one bin for each lowest key, ascending, with the sums of what has that key."""
    columns = bins.lowest, bins.attacks, bins.normals, bins.only
    if (bins.lowest[1:] < bins.lowest[:-1]).any():
        # The stable sort merges runs that ascend already, which is what parts are.
        order = np.argsort(bins.lowest, kind="stable")
        columns = tuple(column[order] for column in columns)
    lowest, attacks, normals, only = columns
    opens = np.append(True, lowest[1:] != lowest[:-1])
    if not opens.all():
        starts = np.flatnonzero(opens)
        # A neighbour within the bin whose score is another, or unknown, leaves no one score.
        several = np.flatnonzero((only[1:] != only[:-1]) & ~opens[1:]) + 1
        only = only.copy()
        only[starts[np.searchsorted(starts, several, side="right") - 1]] = np.nan
        lowest, only = lowest[starts], only[starts]
        attacks, normals = np.add.reduceat(attacks, starts), np.add.reduceat(normals, starts)
    return Bins(lowest, attacks, normals, only, bins.splits, bins.depth)
