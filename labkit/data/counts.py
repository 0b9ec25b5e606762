"""How many records each kind has in each window of time, exactly as many as asked for in all."""

from collections.abc import Iterator

import numpy as np


def share_out(
    total: np.ndarray | int, weights: np.ndarray, start: np.ndarray | float
) -> np.ndarray:
    """Split whole totals along the last axis in proportion to weights.

    Parameters
    ----------
    total
        What to split, of the shape of `weights` without its last axis.
    weights
        Not negative.
    start
        In [0, 1), of the shape of `total`. A count is one of the two whole numbers around its
        share; this says which, and over all its values every share is met exactly.

    Returns
    -------
    numpy.ndarray
        Whole numbers of the shape of `weights`.

    Examples
    --------
    >>> share_out(10, np.array([1, 1, 2]), 0.5).tolist()
    [3, 2, 5]
    """
    upto = np.cumsum(weights, axis=-1, dtype=float)
    # What has no weight at all has nothing to split either.
    upto /= np.maximum(upto[..., -1:], np.finfo(float).tiny)
    total, start = np.asarray(total)[..., None], np.asarray(start)[..., None]
    # A start just below 1 may round the last sum up.
    whole = np.minimum(np.floor(total * upto + start), total).astype(np.int64)
    return np.diff(whole, axis=-1, prepend=0)


def by_hour(
    records: int, volumes: np.ndarray, hours: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Count the records of each kind in each hour.

    Parameters
    ----------
    records
        Records in all.
    volumes
        Relative volume of each kind on each day, shape (kinds, days).
    hours
        Relative volume of each kind in each hour of the day, shape (kinds, 24).
    rng

    Returns
    -------
    numpy.ndarray
        Whole numbers of shape (kinds, days, 24) with the sum `records`.

    Examples
    --------
    >>> rng = np.random.Generator(np.random.PCG64(7))
    >>> by_hour(48, np.ones((1, 2)), np.ones((1, 24)), rng).tolist() == [[[1] * 24] * 2]
    True
    """
    share = hours / hours.sum(axis=1, keepdims=True)
    weights = volumes[:, :, None] * share[:, None, :]
    of_kind = share_out(records, volumes.sum(axis=1), rng.random())
    flat = share_out(of_kind, weights.reshape(len(weights), -1), rng.random(len(weights)))
    return flat.reshape(weights.shape)


def windows(
    counts: np.ndarray, most: int, rng: np.random.Generator
) -> Iterator[tuple[int, int, np.ndarray]]:
    """Split an hour into 2**k windows of equal length that hold about `most` records or fewer.

    Parameters
    ----------
    counts
        Records of each kind in the hour.
    most
    rng

    Yields
    ------
    window, number, counts
        Which window it is, from 0, of how many, and its records of each kind. Windows without
        any are left out.

    Examples
    --------
    >>> rng = np.random.Generator(np.random.PCG64(7))
    >>> [(i, n, some.tolist()) for i, n, some in windows(np.array([8, 80]), 44, rng)]
    [(0, 2, [4, 40]), (1, 2, [4, 40])]
    """
    needed = -(-int(counts.sum()) // most)
    number = 1 << max(needed - 1, 0).bit_length()
    start = rng.random(len(counts))
    before = np.zeros_like(counts)
    for window in range(number):
        share = (window + 1) / number
        upto = np.minimum(np.floor(counts * share + start), counts).astype(counts.dtype)
        if (upto > before).any():
            yield window, number, upto - before
        before = upto
