"""Attacks and normal records counted in bins of scores, in the one form that all orders lead to.

Bins start as fine as float64 is, so that each holds one score. Where more of them than allowed
hold records, all are made coarser, a bit at a time, until few enough do. How coarse they end
depends on which scores occur and on nothing else: more scores never make finer bins, and a bin is
made of the same two halves wherever it is made. So parts may be counted apart, in any order, and
added up in any order, and the bins come out the same.
"""

from dataclasses import dataclass

import numpy as np

from labkit.scale.keys import BITS, floors, scores_of

BINS = 2**20
"""Bins that may hold records, unless said otherwise; 32 bytes each."""


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins that hold records, ascending; every array of shape (m,).

    Attributes
    ----------
    lowest
        The lowest key that lies in each bin, uint64.
    attacks, normals
        Records of either class in it: int64, or float64 where they are sums of weights.
    only
        The score of all its records where they are equal; nan where they are not.
    depth
        Leading bits of a key that make a bin.
    """

    lowest: np.ndarray
    attacks: np.ndarray
    normals: np.ndarray
    only: np.ndarray
    depth: int = BITS

    def __len__(self) -> int:
        return len(self.lowest)


def no_bins(dtype: type = np.int64) -> Bins:
    """Return bins without records."""
    none = np.zeros(0, dtype)
    return Bins(np.zeros(0, np.uint64), none, none, np.zeros(0))


def bins_of(keys: np.ndarray, labels: np.ndarray, weights: np.ndarray | None = None) -> Bins:
    """Count records by score, each score a bin.

    Parameters
    ----------
    keys
        Keys of scores that are no NaN, shape (n,).
    labels
        True where a record is an attack, shape (n,).
    weights
        Weights above zero, shape (n,); None counts records.

    Examples
    --------
    >>> from labkit.scale.keys import keys_of
    >>> bins = bins_of(keys_of(np.array([0.5, 0.1, 0.5])), np.array([True, False, False]))
    >>> bins.only.tolist(), bins.attacks.tolist(), bins.normals.tolist()
    ([0.1, 0.5], [0, 1], [1, 1])
    """
    if weights is not None:
        attacks, normals = np.where(labels, weights, 0.0), np.where(labels, 0.0, weights)
        return summed(keys, attacks, normals, scores_of(keys), BITS)
    # A sort of each class alone is several times faster than one that carries labels along.
    (attacked, attacks), (normal, normals) = (
        np.unique(keys[of], return_counts=True) for of in (labels, ~labels)
    )
    lowest = np.concatenate([attacked, normal])
    return summed(
        lowest,
        np.concatenate([attacks, np.zeros(len(normal), np.int64)]),
        np.concatenate([np.zeros(len(attacked), np.int64), normals]),
        scores_of(lowest),
        BITS,
    )


def added(a: Bins, b: Bins, splits: np.ndarray) -> Bins:
    """Return the bins of the records of both, as coarse as the coarser of the two."""
    depth = min(a.depth, b.depth)
    a, b = coarsened(a, depth, splits), coarsened(b, depth, splits)
    if len(a) < len(b):
        a, b = b, a
    if not len(b):
        return a
    # The fewer are looked up among the more: into a bin that is there, or between two.
    at = np.searchsorted(a.lowest, b.lowest)
    there = a.lowest[np.minimum(at, len(a) - 1)] == b.lowest
    into = at[there]
    attacks, normals, only = a.attacks.copy(), a.normals.copy(), a.only.copy()
    attacks[into] += b.attacks[there]
    normals[into] += b.normals[there]
    # Also where either is nan.
    only[into[only[into] != b.only[there]]] = np.nan
    new = ~there
    places = at[new] + np.arange(np.count_nonzero(new))
    lowest = _woven(a.lowest, b.lowest[new], places)
    attacks = _woven(attacks, b.attacks[new], places)
    normals = _woven(normals, b.normals[new], places)
    return Bins(lowest, attacks, normals, _woven(only, b.only[new], places), depth)


def _woven(values: np.ndarray, new: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return values with new ones among them, so that these come to lie at the given places."""
    if not len(new):
        return values
    both = np.empty(len(values) + len(new), values.dtype)
    is_old = np.ones(len(both), dtype=bool)
    is_old[places] = False
    both[places], both[is_old] = new, values
    return both


def coarsened(bins: Bins, depth: int, splits: np.ndarray) -> Bins:
    """Return the same records in bins of the first `depth` bits, no more than they have."""
    if depth == bins.depth:
        return bins
    lowest = floors(bins.lowest, depth, splits)
    return summed(lowest, bins.attacks, bins.normals, bins.only, depth)


def limited(bins: Bins, limit: int, splits: np.ndarray) -> Bins:
    """Return the finest bins of the same records of which at most `limit` hold any.

    Splits are kept whatever the limit, and may make as many bins more.

    Examples
    --------
    Three scores of which the first bits of two agree:

    >>> from labkit.scale.keys import keys_of, splits_of
    >>> bins = bins_of(keys_of(np.array([0.1, 0.5, 0.6])), np.array([True, False, True]))
    >>> coarse = limited(bins, 2, splits_of([]))
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
    return coarsened(bins, low, splits)


def summed(
    lowest: np.ndarray, attacks: np.ndarray, normals: np.ndarray, only: np.ndarray, depth: int
) -> Bins:
    """Return one bin for each lowest key, with the sums of what has that key."""
    if (lowest[1:] < lowest[:-1]).any():
        # The stable sort merges runs that ascend already, which is what parts are.
        order = np.argsort(lowest, kind="stable")
        lowest, attacks, normals, only = (
            values[order] for values in (lowest, attacks, normals, only)
        )
    opens = np.append(True, lowest[1:] != lowest[:-1])
    if not opens.all():
        starts = np.flatnonzero(opens)
        # A neighbour within the bin whose score is another, or unknown, leaves no one score.
        several = np.flatnonzero((only[1:] != only[:-1]) & ~opens[1:]) + 1
        only = only.copy()
        only[starts[np.searchsorted(starts, several, side="right") - 1]] = np.nan
        lowest, only = lowest[starts], only[starts]
        attacks, normals = np.add.reduceat(attacks, starts), np.add.reduceat(normals, starts)
    return Bins(lowest, attacks, normals, only, depth)
