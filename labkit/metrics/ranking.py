"""The scores in order, and how many attacks and normal records lie at or above each.

Two forms of the same ranking. `SortedClasses` holds the scores of the two classes, each sorted:
about the work of one sort and eight bytes a record, from which areas are read directly.
`CountTable` holds the cumulative counts at every distinct score: what curves and decisions need,
and all there is where records have weights or only a table was published.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from labkit.errors import InputError


class Gains(NamedTuple):
    """The thresholds at which attacks are gained, descending; every field of shape (u,).

    Areas need no other rows: between two of them only normal records pass by.

    Attributes
    ----------
    gained
        Attacks (or their weight) with just this score.
    tp
        Attacks at or above it.
    fp_above, fp
        Normal records above it, and at or above it. The difference is tied with the attacks.
    """

    gained: np.ndarray
    tp: np.ndarray
    fp_above: np.ndarray
    fp: np.ndarray


@dataclass(frozen=True, eq=False)
class CountTable:
    """Cumulative counts (or weights) at distinct scores.

    Attributes
    ----------
    thresholds
        Distinct scores, descending, shape (m,).
    tp, fp
        Attacks and normal records at or above each, shape (m,).
    """

    thresholds: np.ndarray
    tp: np.ndarray
    fp: np.ndarray

    @classmethod
    def from_weights(
        cls, labels: np.ndarray, scores: np.ndarray, weights: np.ndarray
    ) -> "CountTable":
        """Sum weights above zero at every distinct score."""
        order = np.argsort(scores)[::-1]
        descending = scores[order]
        ends = np.append(descending[1:] != descending[:-1], True)
        if not ends.all():
            # Sums are rounded: within a tie only an order of their own keeps them from hanging on
            # that of the records.
            order = np.lexsort((weights, scores))[::-1]
        weights, is_attack = weights[order], labels[order]
        last_of_tie = np.flatnonzero(ends)
        # Two sums, never total minus attacks: next to a weight of 1e16 a 1 would vanish.
        tp = np.cumsum(np.where(is_attack, weights, 0.0))[last_of_tie]
        fp = np.cumsum(np.where(is_attack, 0.0, weights))[last_of_tie]
        return cls(descending[last_of_tie], tp, fp)

    @classmethod
    def from_columns(
        cls,
        thresholds: np.ndarray,
        tp: np.ndarray,
        fp: np.ndarray,
        positives: float,
        negatives: float,
    ) -> "CountTable":
        """Check a published table; rows that flag nothing are left out."""
        for name, wrong in (
            ("thresholds do not descend", thresholds[1:] >= thresholds[:-1]),
            ("tp decreases", tp[1:] < tp[:-1]),
            ("fp decreases", fp[1:] < fp[:-1]),
        ):
            if wrong.any():
                raise InputError(f"{name} at row {int(np.argmax(wrong)) + 1}")
        if tp[0] < 0 or fp[0] < 0:
            raise InputError("tp and fp count records; row 0 holds a negative count")
        last = f"the last row has tp={tp[-1]:g} and fp={fp[-1]:g}"
        # As Python's numbers, whose sum overflows without a warning.
        if not 0 < tp[-1].item() + fp[-1].item() < math.inf:
            raise InputError(f"{last}: no number of records")
        if (tp[-1], fp[-1]) != (positives, negatives):
            raise InputError(
                f"{last} of {positives:g} positives and {negatives:g} negatives; "
                "add the row of a threshold that flags everything"
            )
        flags = tp + fp > 0
        whole = all(np.all(counts == np.rint(counts)) for counts in (tp, fp))
        if whole and tp[-1] + fp[-1] < 2**53:
            tp, fp = tp.astype(np.int64), fp.astype(np.int64)
        return cls(thresholds[flags], tp[flags], fp[flags])

    @property
    def table(self) -> "CountTable":
        """Itself."""
        return self

    @property
    def positives(self) -> float:
        """All attacks."""
        return self.tp[-1].item()

    @property
    def negatives(self) -> float:
        """All normal records."""
        return self.fp[-1].item()

    @cached_property
    def gains(self) -> Gains:
        """The rows at which attacks are gained."""
        gained = np.diff(self.tp, prepend=0)
        rows = np.flatnonzero(gained)
        fp_above = np.where(rows > 0, self.fp[rows - 1], 0)
        return Gains(gained[rows], self.tp[rows], fp_above, self.fp[rows])

    def __add__(self, other: "CountTable") -> "CountTable":
        thresholds = np.union1d(self.thresholds, other.thresholds)[::-1]
        mine, theirs = self._rows_at(thresholds), other._rows_at(thresholds)
        return CountTable(thresholds, mine[0] + theirs[0], mine[1] + theirs[1])

    def _rows_at(self, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return tp and fp at thresholds that descend; none need be among its own."""
        rows = len(self.thresholds) - np.searchsorted(self.thresholds[::-1], thresholds)
        return np.append(0, self.tp)[rows], np.append(0, self.fp)[rows]


@dataclass(frozen=True, eq=False)
class SortedClasses:
    """The scores of the attacks and of the normal records, each ascending."""

    attacks: np.ndarray
    normals: np.ndarray

    @classmethod
    def from_records(cls, labels: np.ndarray, scores: np.ndarray) -> "SortedClasses":
        """Sort the scores of boolean labels class by class."""
        attacks, normals = scores[labels], scores[~labels]
        attacks.sort()
        normals.sort()
        return cls(attacks, normals)

    @property
    def positives(self) -> int:
        """All attacks."""
        return len(self.attacks)

    @property
    def negatives(self) -> int:
        """All normal records."""
        return len(self.normals)

    @cached_property
    def _normals_below(self) -> np.ndarray:
        """How many normal records lie below each attack."""
        return np.searchsorted(self.normals, self.attacks)

    @cached_property
    def gains(self) -> Gains:
        """The scores of attacks, with the counts there."""
        opens_tie = np.ones(self.positives, dtype=bool)
        np.not_equal(self.attacks[1:], self.attacks[:-1], out=opens_tie[1:])
        starts = np.flatnonzero(opens_tie)
        below = self._normals_below[starts]
        fp = self.negatives - below
        fp_above = self.negatives - not_above(self.normals, self.attacks[starts], below)
        gained = np.diff(starts, append=self.positives)
        tp = self.positives - starts
        return Gains(gained[::-1], tp[::-1], fp_above[::-1], fp[::-1])

    @cached_property
    def table(self) -> CountTable:
        """The counts at every distinct score."""
        records = self.positives + self.negatives
        places = records - 1 - self._normals_below - np.arange(self.positives)
        is_attack = np.zeros(records, dtype=bool)
        is_attack[places] = True
        descending = np.empty(records)
        descending[places] = self.attacks
        descending[~is_attack] = self.normals[::-1]
        tp, fp = np.cumsum(is_attack), np.arange(1, records + 1)
        ends = descending[1:] != descending[:-1]
        if not ends.all():
            last_of_tie = np.append(np.flatnonzero(ends), records - 1)
            descending, tp, fp = descending[last_of_tie], tp[last_of_tie], fp[last_of_tie]
        # In place: where arrays are long, fresh memory costs more than the arithmetic.
        fp -= tp
        return CountTable(descending, tp, fp)


def not_above(ascending: np.ndarray, values: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return how many of the ascending lie at or below each value, given how many lie below."""
    # Few are tied, and only these are searched for once more.
    reach = np.flatnonzero(below < len(ascending))
    tied = reach[ascending[below[reach]] == values[reach]]
    counts = below.copy()
    counts[tied] = np.searchsorted(ascending, values[tied], side="right")
    return counts
