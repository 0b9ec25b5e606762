"""What came of counting some parts of a file, to be added to what came of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from labkit.errors import InputError
from labkit.scale.look import Plan
from labkit.scale.reading import Block, Faults, blocks
from labkit.scale.sketch import ScoreSketch
from labkit.scale.source import Part, Source
from labkit.scale.tally import Labels, Tally

Sketches = dict[str, ScoreSketch]
"""One sketch a detector."""
DAY_SHARE = 32
"""A day's sketch has so many times fewer bins than that of all days."""
# Blocks after which a day that did not come again is put away: its grid takes more than its bins.
_PATIENCE = 32
MAX_DAYS = 400
"""Days that are told apart: more are a column of times, not of days."""


@dataclass(frozen=True, eq=False)
class Piece:
    """Sketches of some parts, and what was at fault with their records.

    Attributes
    ----------
    whole
        Sketches of all records.
    by_day
        Sketches of the records of each day, which have fewer bins.
    faults
        How many records had what fault in which column; the sketches of others are then not whole.
    normal
        What meant a normal record: 0, -1, or nothing that was seen.
    """

    whole: Sketches
    by_day: dict[Hashable, Sketches]
    faults: Faults
    normal: frozenset[int]

    def __add__(self, other: Piece) -> Piece:
        days = check_days({**self.by_day, **other.by_day})
        return Piece(
            _added(self.whole, other.whole),
            {day: _added(self.by_day.get(day, {}), other.by_day.get(day, {})) for day in days},
            self.faults + other.faults,
            self.normal | other.normal,
        )


def piece_of(source: Source, parts: Iterable[Part], plan: Plan) -> Piece:
    """Count the records of some parts in bins, for each detector and day at once."""
    columns = source.columns
    labels, faults = Labels(columns.pos_label, columns.label), Counter()
    whole = _Tallies(source, plan, 1)
    by_day: dict[Hashable, _Tallies] = {}
    for block in blocks(source, parts, labels, faults):
        if faults:
            # Nothing will come of the counts; only how many faults there are is of interest.
            continue
        whole.add(block)
        for i, day in enumerate(block.days or ()):
            if day not in by_day:
                by_day[day] = _Tallies(source, plan, DAY_SHARE)
                check_days(by_day)
            by_day[day].add(block, None if len(block.days) == 1 else block.day == i)
        for day, tallies in by_day.items():
            tallies.idle = 0 if day in block.days else tallies.idle + 1
            if tallies.idle == _PATIENCE:
                tallies.sketches()
    return Piece(
        whole.sketches(),
        {day: tallies.sketches() for day, tallies in by_day.items()},
        faults,
        frozenset(labels.normal),
    )


def check_days(days: dict[Hashable, object]) -> dict[Hashable, object]:
    """Return the days, unless they are too many to be days."""
    if len(days) > MAX_DAYS:
        raise InputError(f"day has more than {MAX_DAYS:,} values; pass a column of days, not times")
    return days


class _Tallies:
    """A tally a detector."""

    def __init__(self, source: Source, plan: Plan, share: int) -> None:
        self._bins = max(1, plan.bins // share)
        self._tallies = {
            name: Tally(self._bins, cuts, weighted=source.columns.weight is not None)
            for name, cuts in plan.cuts.items()
        }
        self.idle = 0

    def add(self, block: Block, rows: np.ndarray | None = None) -> None:
        """Count the records of a block, or those at the given rows."""
        labels, weights = (
            values if rows is None or values is None else values[rows]
            for values in (block.labels, block.weights)
        )
        for name, tally in self._tallies.items():
            scores = block.scores[name]
            tally.add(labels, scores if rows is None else scores[rows], weights)

    def sketches(self) -> Sketches:
        """Return a sketch a detector."""
        return {
            name: ScoreSketch(tally.bins(), self._bins) for name, tally in self._tallies.items()
        }


def _added(a: Sketches, b: Sketches) -> Sketches:
    if not (a and b):
        return a or b
    return {name: a[name] + b[name] for name in a}
