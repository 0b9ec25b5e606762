"""Scores as whole numbers of the same order, so that leading bits are bins.

A float64 is a sign, an exponent and a fraction, from the highest bit down. Read as a whole number
it already grows with the score where the sign is plus; where it is minus all bits are turned round.
The first d bits of such a key are a bin: about evenly wide on a logarithmic scale, and split in two
by the next bit. What lies in a bin is one stretch of scores, whoever made the bin.
"""

import numpy as np

BITS = 64
_SIGN = np.uint64(1 << 63)
_SIGN_SHIFT = np.int64(63)


def keys_of(scores: np.ndarray) -> np.ndarray:
    """Return a key for each score: equal for equal scores, greater for greater ones.

    Parameters
    ----------
    scores
        float64 or float32 of any shape; float32 is widened as it is. -0.0 equals 0.0, and
        infinities are scores. The key of a NaN lies beyond those of the infinities.

    Returns
    -------
    numpy.ndarray
        uint64, of the same shape.

    Examples
    --------
    >>> keys = keys_of(np.array([-np.inf, -1.0, -0.0, 0.0, 5e-324, np.inf]))
    >>> (keys[1:] > keys[:-1]).tolist(), bool(keys[2] == keys[3])
    ([True, True, False, True, True], True)
    """
    # Adding 0 makes -0.0 the 0.0 that it equals.
    bits = np.add(scores, 0.0, dtype=np.float64).view(np.uint64)
    turned = (bits.view(np.int64) >> _SIGN_SHIFT).view(np.uint64)
    turned |= _SIGN
    return np.bitwise_xor(bits, turned, out=bits)


def scores_of(keys: np.ndarray) -> np.ndarray:
    """Return the float64 score of each key.

    Examples
    --------
    >>> scores_of(keys_of(np.array([-2.5, 0.1]))).tolist()
    [-2.5, 0.1]
    """
    turned = np.where(keys & _SIGN, _SIGN, np.uint64((1 << BITS) - 1))
    return (keys ^ turned).view(np.float64)


LOWEST, ZERO, HIGHEST = keys_of(np.array([-np.inf, 0.0, np.inf])).tolist()
"""Keys of the infinities, beyond which no score has any, and of 0."""


def mask(depth: int) -> np.uint64:
    """Return the number whose first `depth` of 64 bits are ones."""
    return np.uint64((1 << BITS) - (1 << (BITS - depth)))


def splits_of(cuts: np.ndarray) -> np.ndarray:
    """Return the keys, ascending and each once, of scores at which bins are to begin."""
    return np.unique(keys_of(np.asarray(cuts, dtype=np.float64)))


def floors(keys: np.ndarray, depth: int, splits: np.ndarray) -> np.ndarray:
    """Return the lowest key of the bin that each key lies in.

    Parameters
    ----------
    keys
        uint64, shape (n,); the search for splits is fast where they ascend.
    depth
        Leading bits that make a bin, 0 to 64.
    splits
        Keys at which bins are split besides, ascending.

    Examples
    --------
    >>> keys = keys_of(np.array([0.5, 0.6, 0.75, 0.9]))
    >>> none = splits_of([])
    >>> scores_of(floors(keys, 13, none)).tolist(), scores_of(floors(keys, 12, none)).tolist()
    ([0.5, 0.5, 0.75, 0.75], [0.5, 0.5, 0.5, 0.5])
    >>> scores_of(floors(keys, 12, splits_of([0.6, 0.9]))).tolist()
    [0.5, 0.6, 0.6, 0.9]
    """
    lowest = keys & mask(depth)
    if len(splits):
        below = np.concatenate([[np.uint64(0)], splits])
        np.maximum(lowest, below[np.searchsorted(splits, keys, side="right")], out=lowest)
    return lowest


def ceilings(lowest: np.ndarray, depth: int, splits: np.ndarray) -> np.ndarray:
    """Return the highest key of the bin whose lowest key each is.

    Examples
    --------
    >>> lowest = keys_of(np.array([0.5, 0.75]))
    >>> scores_of(ceilings(lowest, 13, splits_of([]))).tolist()
    [0.7499999999999999, 0.9999999999999999]
    """
    highest = lowest | ~mask(depth)
    if len(splits):
        # Above the last split comes the end of all keys, where 0 - 1 wraps round to.
        following = np.append(splits, np.uint64(0))[np.searchsorted(splits, lowest, side="right")]
        np.minimum(highest, following - np.uint64(1), out=highest)
    return highest
