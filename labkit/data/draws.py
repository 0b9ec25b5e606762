"""Where every random number of the simulator comes from.

Nothing is ever drawn but `random` and raw words of a seeded PCG64, both of which are the same
under every NumPy. A uniform becomes a normal score by a small table.
"""

from statistics import NormalDist

import numpy as np

CELLS = 4096
"""Normal scores in the table; a score needs this many steps of a uniform and no more."""

LANE_BITS = 16
"""Random bits of a lane: see `lanes`."""

_CELL_SHIFT = LANE_BITS - (CELLS - 1).bit_length()
_Z_MAX = 2.2
# Rounded, so that a last-digit difference between platforms cannot reach the records.
NORMAL = np.array([round(NormalDist().inv_cdf((i + 0.5) / CELLS), 6) for i in range(CELLS)]).clip(
    -_Z_MAX, _Z_MAX
)
"""The normal score of each cell, clipped at 2.2."""


def generator(sequence: np.random.SeedSequence) -> np.random.Generator:
    """Return the generator of a seed sequence."""
    return np.random.Generator(np.random.PCG64(sequence))


def normal(uniform: np.ndarray) -> np.ndarray:
    """Return the normal scores of uniforms, clipped at 2.2.

    Examples
    --------
    >>> normal(np.array([0.0, 0.5, 0.975])).round(2).tolist()
    [-2.2, 0.0, 1.96]
    """
    return NORMAL[(uniform * CELLS).astype(np.intp)]


def strata(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """Draw `width` stratified samples of `n` uniforms, independent of each other.

    Parameters
    ----------
    rng
        What draws them.
    n
        Number of strata, and of values in each row.
    width
        Number of rows.

    Returns
    -------
    numpy.ndarray
        Shape (width, n), in [0, 1). Each row has exactly one value in every [i/n, (i+1)/n).

    Examples
    --------
    >>> rng = generator(np.random.SeedSequence(7))
    >>> sorted((strata(rng, 4, 1)[0] * 4).astype(int).tolist())
    [0, 1, 2, 3]
    """
    order = rng.random((width, n)).argsort(axis=1)
    return (order + rng.random((width, n))) / n


def lanes(bits: np.random.BitGenerator, width: int, n: int) -> np.ndarray:
    """Draw `width` lanes of `n` whole numbers, 16 random bits each, independent of each other.

    Parameters
    ----------
    bits
        A seeded generator; four numbers are cut from each of its words.
    width, n
        Number of lanes, and of values in each.

    Returns
    -------
    numpy.ndarray
        Shape (width, n), uint16.

    Examples
    --------
    >>> lanes(np.random.PCG64(7), 2, 3).shape
    (2, 3)
    """
    words = bits.random_raw(-(-width * n // 4))
    # Little-endian by name, so that the cut is the same on every machine.
    return words.astype("<u8", copy=False).view("<u2")[: width * n].reshape(width, n)


def cell(lane: np.ndarray) -> np.ndarray:
    """Return which cell of `NORMAL` each value of a lane falls into.

    Examples
    --------
    >>> cell(np.array([0, 65535], dtype=np.uint16)).tolist()
    [0, 4095]
    """
    return lane >> _CELL_SHIFT


def uniform(lane: np.ndarray) -> np.ndarray:
    """Return the values of a lane as uniforms in [0, 1)."""
    return lane * (1.0 / (1 << LANE_BITS))
