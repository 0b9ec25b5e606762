"""Sketches of some parts of a data set, which add up to those of the whole.

Counts in bins add up to the same in any order, so it is all one who counts which part, and when.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from labkit.scale.files import Columns, Part
from labkit.scale.plan import Plan
from labkit.scale.reading import Block, Faults, blocks, check_days
from labkit.scale.sketch import ScoreSketch
from labkit.scale.tally import Labels, Tally

# Blocks after which a day that did not come again is put away: its grid takes more than its bins.
_PATIENCE = 32

Sketches = dict[str, ScoreSketch]
"""One sketch a detector."""


@dataclass(frozen=True, eq=False)
class Partial:
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
    normal: set[int]

    def __add__(self, other: Partial) -> Partial:
        days = {**self.by_day, **other.by_day}
        check_days(days)
        return Partial(
            _added(self.whole, other.whole),
            {day: _added(self.by_day.get(day, {}), other.by_day.get(day, {})) for day in days},
            self.faults + other.faults,
            self.normal | other.normal,
        )


def partial_of(parts: Iterable[Part], columns: Columns, plan: Plan) -> Partial:
    """Count the records of some parts in bins, for each detector and day at once."""
    labels, faults = Labels(columns.pos_label, columns.label), Counter()
    whole = _tallies(columns, plan, plan.bins)
    by_day: dict[Hashable, dict[str, Tally]] = {}
    last_seen: dict[Hashable, int] = {}
    for number, block in enumerate(blocks(columns, parts, labels, faults)):
        if faults:
            # Nothing will come of the counts; only how many faults there are is of interest.
            continue
        _count(whole, block)
        for code, day in enumerate(block.days):
            if day not in by_day:
                by_day[day] = _tallies(columns, plan, plan.day_bins)
                check_days(by_day)
            _count(by_day[day], block, block.day == code if block.days[1:] else slice(None))
            last_seen[day] = number
        for day, seen in last_seen.items():
            if number - seen == _PATIENCE:
                _sketches(by_day[day])
    return Partial(
        _sketches(whole),
        {day: _sketches(tallies) for day, tallies in by_day.items()},
        faults,
        labels.normal,
    )


def _tallies(columns: Columns, plan: Plan, limit: int) -> dict[str, Tally]:
    weighted = columns.weight is not None
    return {name: Tally(limit, cuts, weighted=weighted) for name, cuts in plan.cuts.items()}


def _count(tallies: dict[str, Tally], block: Block, rows: np.ndarray | slice = slice(None)) -> None:
    labels, weights = block.labels[rows], block.weights
    weights = None if weights is None else weights[rows]
    for name, tally in tallies.items():
        tally.add(labels, block.scores[name][rows], weights)


def _sketches(tallies: dict[str, Tally]) -> Sketches:
    return {name: ScoreSketch(tally.bins(), tally.limit) for name, tally in tallies.items()}


def _added(a: Sketches, b: Sketches) -> Sketches:
    return {name: a[name] + b[name] for name in a} if a and b else a or b
