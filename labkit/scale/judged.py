"""What came of judging detectors on files: one sweep or sketch a detector, in all and by day."""

from collections.abc import Hashable
from dataclasses import dataclass

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep
from labkit.scale.look import Method, Plan
from labkit.scale.pieces import Piece
from labkit.scale.reading import refuse
from labkit.scale.sketch import ScoreSketch
from labkit.scale.source import Source
from labkit.scale.tally import Labels

Detectors = dict[str, ThresholdSweep | ScoreSketch]
"""By detector: the exact sweep, or a sketch, which has bounds."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Every detector on all records and on those of each day.

    Attributes
    ----------
    method, why
        How it was done, as in `labkit.scale.look.Plan`, and why so.
    records
        Records that were read.
    whole
        By detector: a `ThresholdSweep` where it is exact, otherwise a `ScoreSketch`.
    by_day
        The same for each day, in order of the days; empty where no day was asked for. A day of
        which all weights are zero does not occur.
    """

    method: Method
    why: str
    records: int
    whole: Detectors
    by_day: dict[Hashable, Detectors]


def judged_pieces(source: Source, plan: Plan, piece: Piece) -> Judged:
    """Return what came of all parts together; a sketch that lost nothing becomes a sweep.

    Raises
    ------
    InputError
        When records are at fault, or labels do not say which is positive.
    """
    columns = source.columns
    refuse(piece.faults, source.rows)
    Labels(columns.pos_label, columns.label).note(set(piece.normal))
    check_weights(source, any(len(sketch) for sketch in piece.whole.values()))
    exact = all(sketch.exact for sketch in piece.whole.values())
    return Judged(
        plan.method if exact else "sketch",
        plan.why,
        source.rows,
        _exact_where_so(piece.whole),
        {
            day: _exact_where_so(piece.by_day[day])
            for day in sorted(piece.by_day)
            if any(len(sketch) for sketch in piece.by_day[day].values())
        },
    )


def check_weights(source: Source, any_counts: bool) -> None:
    """Raise InputError unless some record has a weight above zero."""
    if not any_counts:
        weight = source.columns.weight
        raise InputError(f"{weight} is zero in every record; some record must count")


def _exact_where_so(sketches: dict[str, ScoreSketch]) -> Detectors:
    return {name: sketch.sweep if sketch.exact else sketch for name, sketch in sketches.items()}
