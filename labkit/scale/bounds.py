"""What counts in bins leave open: the least and the most that a measure can be.

Within a bin the order of the records is not known. A measure is highest where the attacks of every
bin rank before its normal records, and lowest where they rank behind them; between the two lies the
truth, whatever it is. A bin whose records share one score is a tie, of which all is known.
"""

import math
from typing import NamedTuple

import numpy as np

# More than the sums below can lose to rounding, relative to what they come to.
_ROUNDING, _ROUNDING_OF_WEIGHTS = 1e-14, 1e-12
# Products of whole numbers are summed digit by digit, so that no sum leaves 64 bits.
_DIGIT = 20


class Bounds(NamedTuple):
    """The least and the most that a number can be; equal where it is known.

    Examples
    --------
    >>> Bounds(0.25, 0.75).middle, Bounds(0.25, 0.75).width
    (0.5, 0.5)
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Half-way between the two, at most half the width off."""
        return (self.low + self.high) / 2

    @property
    def width(self) -> float:
        """How far apart they are."""
        return self.high - self.low


def exactly(value: float) -> Bounds:
    """Return the bounds of a number that is known."""
    return Bounds(value, value)


def auc_bounds(attacks: np.ndarray, normals: np.ndarray, tied: np.ndarray) -> Bounds:
    """Return bounds on the area under the ROC curve; nan unless both classes occur.

    The share of pairs of an attack and a normal record in which the attack's bin is the higher
    one, and of the pairs within a bin none or all; within a tie a half. Computed in whole numbers
    and rounded once, where the counts are whole.

    Parameters
    ----------
    attacks, normals
        Records of either class in each bin, the highest scores first, shape (m,).
    tied
        True where the records of a bin share one score, shape (m,).

    Examples
    --------
    Two bins; the order of the two records in the first is open:

    >>> auc_bounds(np.array([1, 1]), np.array([1, 1]), np.array([False, True]))
    Bounds(low=0.375, high=0.625)
    """
    positives, negatives = attacks.sum().item(), normals.sum().item()
    if not (positives and negatives):
        return Bounds(math.nan, math.nan)
    whole = attacks.dtype.kind == "i"
    dot = _exact_dot if whole else _float_dot
    twice_won = 2 * dot(attacks, negatives - np.cumsum(normals))
    twice_won += dot(attacks[tied], normals[tied])
    open_pairs = dot(attacks[~tied], normals[~tied])
    low, high = (
        won / (2 * positives * negatives) for won in (twice_won, twice_won + 2 * open_pairs)
    )
    return Bounds(low, high) if whole else _widened(low, high, _ROUNDING_OF_WEIGHTS)


def ap_bounds(
    attacks: np.ndarray, normals: np.ndarray, tied: np.ndarray, normal_weight: float = 1.0
) -> Bounds:
    """Return bounds on average precision; nan without attacks.

    With T attacks and F normal records above a bin that holds p and n of them, the i-th attack
    of the bin comes at a precision of at least (T + i) / (T + i + F + n), where the normal records
    rank first, and at most (T + p) / (T + p + F), where the attacks do and share a score. The
    first grows ever more slowly with i, so that its sum over i is at least p times the mean of
    its first and its last value, which is the lower bound. A tie is (T + p) / (T + p + F + n).

    Parameters
    ----------
    attacks, normals, tied
        As in `auc_bounds`.
    normal_weight
        What a normal record counts beside an attack, at another base rate.

    Examples
    --------
    >>> ap_bounds(np.array([1, 1]), np.array([1, 1]), np.array([True, True]))
    Bounds(low=0.5, high=0.5)
    >>> wide = ap_bounds(np.array([1, 1]), np.array([1, 1]), np.array([False, True]))
    >>> round(wide.low, 6), round(wide.high, 6)
    (0.5, 0.75)
    """
    positives = attacks.sum().item()
    if not positives:
        return Bounds(math.nan, math.nan)
    known, rows = tied.all(), np.flatnonzero(attacks)
    tp, fp = np.cumsum(attacks)[rows], np.cumsum(normals)[rows] * normal_weight
    gained, tied = attacks[rows], tied[rows]
    fp_above = fp - normals[rows] * normal_weight
    with_all = tp / (tp + fp)
    best = np.where(tied, with_all, tp / (tp + np.maximum(fp_above, 0)))
    # Of weights, nothing is known of how many records they are: as if of endlessly many.
    first = tp - gained + (1 if attacks.dtype.kind == "i" else 0)
    alerts = first + fp
    of_first = np.divide(first, alerts, out=np.zeros(len(rows)), where=alerts > 0)
    worst = np.where(tied, with_all, (of_first + with_all) / 2)
    low, high = ((gained * precision).sum().item() / positives for precision in (worst, best))
    if known:
        return exactly(min(low, 1.0))
    return _widened(low, high, _ROUNDING if attacks.dtype.kind == "i" else _ROUNDING_OF_WEIGHTS)


def _widened(low: float, high: float, rounding: float) -> Bounds:
    return Bounds(max(low * (1 - rounding), 0.0), min(high * (1 + rounding), 1.0))


def _exact_dot(a: np.ndarray, b: np.ndarray) -> int:
    """Return the sum of a * b, whole numbers of which those of `a` sum to less than 2**43."""
    total, shift = 0, 0
    while len(b) and (b >> shift).any():
        digit = (b >> shift) & ((1 << _DIGIT) - 1)
        total += int(np.dot(a, digit)) << shift
        shift += _DIGIT
    return total


def _float_dot(a: np.ndarray, b: np.ndarray) -> float:
    return (a * b).sum().item()
