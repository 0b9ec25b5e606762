"""What counts in bins leave open: the least and the most that a measure can be.

Within a bin the order of the records is not known. A measure is highest where the attacks of every
bin rank before its normal records, and lowest where they rank behind them; between the two lies the
truth, whatever it is. A bin whose records share one score is a tie, of which all is known.
"""

import math
from dataclasses import dataclass
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


class Intervals(NamedTuple):
    """Which scores the records of each bin may have, and how many they are; the highest bin first.

    Attributes
    ----------
    low, high
        The lowest and the highest score that falls in the bin, shape (m,); equal where all of its
        records share one.
    attacks, normals
        Records of either class in it, or the weight of them, shape (m,).
    """

    low: np.ndarray
    high: np.ndarray
    attacks: np.ndarray
    normals: np.ndarray

    @property
    def tied(self) -> np.ndarray:
        """Whether all records of the bin share one score, shape (m,)."""
        return self.low == self.high


@dataclass(frozen=True)
class OperatingBounds:
    """Bounds on what a decision rule does to labelled records.

    Attributes
    ----------
    threshold
        The score that the rule flags from.
    tp, fp
        Attacks and normal records that raise an alert, or the weight of them.
    recall
        Share of the attacks that raise an alert; nan without attacks.
    precision
        Share of the alerts that are attacks; nan where there can be no alert.
    """

    threshold: Bounds
    tp: Bounds
    fp: Bounds
    recall: Bounds
    precision: Bounds


def auc_bounds(bins: Intervals) -> Bounds:
    """Return bounds on the area under the ROC curve; nan unless both classes occur.

    The share of pairs of an attack and a normal record in which the attack's bin is the higher
    one, and of the pairs within a bin none or all; within a tie a half. Computed in whole numbers
    and rounded once, where the counts are whole.

    Examples
    --------
    Two bins; the order of the two records in the first is open:

    >>> columns = [[0.5, 0.2], [0.9, 0.2], [1, 1], [1, 1]]
    >>> auc_bounds(Intervals(*map(np.array, columns)))
    Bounds(low=0.375, high=0.625)
    """
    _, _, attacks, normals = bins
    tied = bins.tied
    positives, negatives = attacks.sum().item(), normals.sum().item()
    if not (positives and negatives):
        return Bounds(math.nan, math.nan)
    whole = attacks.dtype.kind == "i"
    if not whole:
        # As shares, so that no product of weights leaves float64.
        attacks, normals = attacks / positives, normals / negatives
        positives = negatives = 1.0
    dot = _exact_dot if whole else _float_dot
    twice_won = 2 * dot(attacks, negatives - np.cumsum(normals))
    twice_won += dot(attacks[tied], normals[tied])
    open_pairs = dot(attacks[~tied], normals[~tied])
    low, high = (
        won / (2 * positives * negatives) for won in (twice_won, twice_won + 2 * open_pairs)
    )
    return Bounds(low, high) if whole else _widened(low, high, _ROUNDING_OF_WEIGHTS)


def ap_bounds(bins: Intervals, normal_weight: float = 1.0) -> Bounds:
    """Return bounds on average precision; nan without attacks.

    With T attacks and F normal records above a bin that holds p and n of them, the i-th attack
    of the bin comes at a precision of at least (T + i) / (T + i + F + n), where the normal records
    rank first, and at most (T + p) / (T + p + F), where the attacks do and share a score. The
    first grows ever more slowly with i, so that its sum over i is at least p times the mean of
    its first and its last value, which is the lower bound. A tie is (T + p) / (T + p + F + n).

    Parameters
    ----------
    bins
        The counts.
    normal_weight
        What a normal record counts beside an attack, at another base rate.

    Examples
    --------
    >>> columns = [[0.5, 0.2], [0.9, 0.2], [1, 1], [1, 1]]
    >>> low, high = ap_bounds(Intervals(*map(np.array, columns)))
    >>> round(low, 6), round(high, 6)
    (0.5, 0.75)
    """
    _, _, attacks, normals = bins
    tied = bins.tied
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
        return _exactly(min(low, 1.0))
    return _widened(low, high, _ROUNDING if attacks.dtype.kind == "i" else _ROUNDING_OF_WEIGHTS)


def at_threshold(bins: Intervals, threshold: float) -> OperatingBounds:
    """Return bounds on the counts of the rule score >= threshold.

    Known but for the records of the bin that the threshold cuts, if it cuts one.
    """
    surely, perhaps = (np.count_nonzero(end >= threshold) for end in (bins.low, bins.high))
    tp, fp = (
        Bounds(of_class[:surely].sum().item(), of_class[:perhaps].sum().item())
        for of_class in (bins.attacks, bins.normals)
    )
    return _bounded(_exactly(threshold), tp, fp, bins.attacks.sum().item())


def at_budget(bins: Intervals, k: float) -> OperatingBounds:
    """Return bounds on what the `k` highest records hold; all of them where there are fewer.

    A tie at the cut is cut by chance. Of a bin of several scores the cut may take anything from as
    few attacks as leave its normal records to fill the rest, up to as many as there is room for.
    """
    positives = bins.attacks.sum().item()
    cut = int(np.searchsorted(np.cumsum(bins.attacks + bins.normals), k, side="right"))
    tp, fp = bins.attacks[:cut].sum().item(), bins.normals[:cut].sum().item()
    if cut == len(bins.low) or k <= tp + fp:
        above_all = math.nan if bins.high[0] == math.inf else math.inf
        score = bins.low[cut - 1].item() if cut else above_all
        return _bounded(_exactly(score), _exactly(tp), _exactly(fp), positives)
    room, attacks, normals = k - tp - fp, bins.attacks[cut].item(), bins.normals[cut].item()
    threshold = Bounds(bins.low[cut].item(), bins.high[cut].item())
    if threshold.low < threshold.high:
        most = min(room, attacks)
        least = min(max(0, room - normals), most)
    else:
        least = most = room / (attacks + normals) * attacks
    found = Bounds(tp + least, tp + most)
    return OperatingBounds(
        threshold,
        found,
        Bounds(k - found.high, k - found.low),
        Bounds(*(_share(count, positives) for count in found)),
        Bounds(*(count / k for count in found)),
    )


def least_cost(bins: Intervals, fp: float, fn: float) -> Bounds:
    """Return bounds on the least cost over all thresholds and "alert on nothing".

    The upper one is reached at the edge of a bin. A threshold inside a bin flags at best all of its
    attacks and none of its normal records, which is the lower one.
    """
    tp, false = np.cumsum(bins.attacks), np.cumsum(bins.normals)
    missed = fn * (tp[-1] - tp)
    at_edges = min((fn * tp[-1]).item(), (fp * false + missed).min().item())
    # Sums of weights are rounded; costs must not come out below zero.
    spared = np.where(bins.tied, false, np.maximum(false - bins.normals, 0))
    return Bounds(min((fp * spared + missed).min().item(), at_edges), at_edges)


def _bounded(threshold: Bounds, tp: Bounds, fp: Bounds, positives: float) -> OperatingBounds:
    """Return what follows from bounds on tp and fp that do not hang on each other."""
    # Without an alert there is no precision: these are bounds on it where there is one.
    worst = _share(tp.low, tp.low + fp.high) if tp.low + fp.high else _share(tp.high, tp.high)
    best = _share(tp.high, tp.high + fp.low) if tp.high + fp.low else _share(0, fp.high)
    recall = Bounds(*(_share(count, positives) for count in tp))
    return OperatingBounds(threshold, tp, fp, recall, Bounds(worst, best))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _exactly(value: float) -> Bounds:
    return Bounds(value, value)


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
