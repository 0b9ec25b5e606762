"""What a threshold or a budget does to records of which only the bins are known."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labkit.scale.bins import Bins
from labkit.scale.bounds import Bounds, exactly
from labkit.scale.keys import HIGHEST, LOWEST, ZERO, ceilings, floors, keys_of, scores_of


@dataclass(frozen=True)
class OperatingBounds:
    """Bounds on what a decision rule does to labelled records.

    Parameters
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


def intervals(bins: Bins, splits: np.ndarray) -> Intervals:
    """Return the scores and the counts of each bin."""
    columns = lowest_scores(bins), highest_scores(bins, splits), bins.attacks, bins.normals
    return Intervals(*(column[::-1] for column in columns))


def lowest_scores(bins: Bins) -> np.ndarray:
    """Return the one score of each bin, or the lowest that falls in it, shape (m,)."""
    # A bin may begin with keys that belong to no score.
    edges = scores_of(np.maximum(bins.lowest, np.uint64(LOWEST)))
    return np.where(np.isnan(bins.only), edges, bins.only)


def highest_scores(bins: Bins, splits: np.ndarray) -> np.ndarray:
    """Return the one score of each bin, or the highest that falls in it, shape (m,)."""
    ends = np.minimum(ceilings(bins.lowest, bins.depth, splits), np.uint64(HIGHEST))
    # The key just below that of 0 is that of -0.0, which no record has.
    ends -= ends == np.uint64(ZERO - 1)
    return np.where(np.isnan(bins.only), scores_of(ends), bins.only)


def at_threshold(bins: Bins, splits: np.ndarray, threshold: float) -> OperatingBounds:
    """Return bounds on the counts of the rule score >= threshold.

    Known but for the records of the bin that the threshold cuts, if it cuts one.
    """
    key = keys_of(np.array([threshold]))
    lowest = floors(key, bins.depth, splits)
    # Bins from this one on lie above the threshold, the first of them perhaps in part.
    row = int(np.searchsorted(bins.lowest, lowest)[0])
    cut = row < len(bins) and bins.lowest[row] == lowest[0] and key[0] > max(lowest[0], LOWEST)
    if cut and not math.isnan(bins.only[row]):
        row, cut = row + int(bins.only[row] < threshold), False
    tp, fp = (
        Bounds(of_class[row + cut :].sum().item(), of_class[row:].sum().item())
        for of_class in (bins.attacks, bins.normals)
    )
    return _bounded(exactly(threshold), tp, fp, bins.attacks.sum().item())


def at_budget(bins: Bins, splits: np.ndarray, k: float) -> OperatingBounds:
    """Return bounds on what the `k` highest records hold; all of them where there are fewer.

    A tie at the cut is cut by chance. Of a bin of several scores the cut may take anything from as
    few attacks as leave its normal records to fill the rest, up to as many as there is room for.
    """
    attacks, normals = bins.attacks[::-1], bins.normals[::-1]
    positives = attacks.sum().item()
    alerts = np.cumsum(attacks + normals)
    whole = int(np.searchsorted(alerts, k, side="right"))
    tp, fp = attacks[:whole].sum().item(), normals[:whole].sum().item()
    row = len(bins) - 1 - whole
    if row < 0 or k <= tp + fp:
        above_all = math.nan if bins.only[-1] == math.inf else math.inf
        score = lowest_scores(bins)[row + 1].item() if whole else above_all
        return _bounded(exactly(score), exactly(tp), exactly(fp), positives)
    room, at_cut, normals_at_cut = k - tp - fp, attacks[whole].item(), normals[whole].item()
    if math.isnan(bins.only[row]):
        most = min(room, at_cut)
        least = min(max(0, room - normals_at_cut), most)
        threshold = Bounds(
            lowest_scores(bins)[row].item(), highest_scores(bins, splits)[row].item()
        )
    else:
        least = most = room / (at_cut + normals_at_cut) * at_cut
        threshold = exactly(bins.only[row].item())
    found = Bounds(tp + least, tp + most)
    return OperatingBounds(
        threshold,
        found,
        Bounds(k - found.high, k - found.low),
        Bounds(*(_share(count, positives) for count in found)),
        Bounds(*(count / k for count in found)),
    )


def _bounded(threshold: Bounds, tp: Bounds, fp: Bounds, positives: float) -> OperatingBounds:
    """Return what follows from bounds on tp and fp that do not hang on each other."""
    # Without an alert there is no precision: these are bounds on it where there is one.
    worst = _share(tp.low, tp.low + fp.high) if tp.low + fp.high else _share(tp.high, tp.high)
    best = _share(tp.high, tp.high + fp.low) if tp.high + fp.low else _share(0, fp.high)
    recall = Bounds(*(_share(count, positives) for count in tp))
    return OperatingBounds(threshold, tp, fp, recall, Bounds(worst, best))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan
