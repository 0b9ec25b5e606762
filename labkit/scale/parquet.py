"""Detectors judged on Parquet files of any size, on one machine."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from labkit.metrics import ThresholdSweep
from labkit.scale.bins import BINS
from labkit.scale.counting import NotCounted, counted_records
from labkit.scale.files import Columns, Part, Paths, parts_of, rows_of
from labkit.scale.partial import Partial, Sketches, partial_of
from labkit.scale.plan import MAX_MEMORY, Method, Plan, plan_for
from labkit.scale.reading import blocks, check_days, check_weights, refuse
from labkit.scale.sketch import ScoreSketch
from labkit.scale.tally import Labels

Detectors = dict[str, ThresholdSweep | ScoreSketch]
"""By detector: the exact sweep, or a sketch, which has bounds."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Every detector on all records and on those of each day.

    Attributes
    ----------
    method, why
        How it was done, as in `labkit.scale.plan.Plan`, and why so.
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


def sweep_parquet(
    paths: Paths,
    *,
    score: str | Sequence[str],
    label: str,
    day: str | None = None,
    weight: str | None = None,
    pos_label: object = None,
    max_memory: float = MAX_MEMORY,
    bins: int = BINS,
    thresholds: ArrayLike = (),
) -> Judged:
    """Sweep the threshold over the scores in Parquet files, for several detectors and days at once.

    A first look, at the footers and a few records, decides how. If the records fit in memory, they
    are sorted; if they have few distinct scores, they are counted by score; both are exact. If
    neither, they are counted in bins, in one pass over the files, and areas come as bounds.

    Parameters
    ----------
    paths
        A Parquet file, a folder of which every `.parquet` file below counts, or several of these.
    score
        The column of scores, or one for each detector; higher for likelier attacks. Infinities are
        scores; single precision is widened as it is.
    label
        The column of labels: booleans, 0/1 and -1/1 are understood, others need `pos_label`.
    day
        The column of days, weeks or other groups, at most 400 of them; times are cut to their date,
        as written. None for none.
    weight
        The column of weights, not negative. A record of weight zero counts nowhere.
    pos_label
        The label that means attack.
    max_memory
        Bytes that an exact answer may take; 0 for a sketch in any case.
    bins
        How many bins a sketch of all records may have, about 100 bytes each while counting; for
        each day it is a 32nd, or less where there are more days.
    thresholds
        Scores at which a bin begins in every sketch, shape (t,), so that what these thresholds flag
        is known exactly, of all records and of each day.

    Raises
    ------
    InputError
        When a file is missing, empty or no Parquet; when a column is missing, of a wrong type, or
        holds records at fault: their number is told.

    Examples
    --------
    >>> import tempfile, pandas as pd
    >>> path = f"{tempfile.mkdtemp()}/scores.parquet"
    >>> table = pd.DataFrame({"label": [1, 0, 1, 0], "score": [0.9, 0.8, 0.6, 0.5]})
    >>> table.to_parquet(path)
    >>> judged = sweep_parquet(path, score="score", label="label")
    >>> judged.method, judged.whole["score"].roc_auc
    ('sort', 0.75)
    >>> sketched = sweep_parquet(path, score="score", label="label", max_memory=0, bins=1)
    >>> sketched.method, sketched.whole["score"].roc_auc
    ('sketch', Bounds(low=0.0, high=1.0))
    """
    columns = Columns(score, label, day, weight, pos_label)
    parts = parts_of(paths, columns)
    plan = plan_for(columns, parts, max_memory, bins, thresholds)
    if plan.method == "sort":
        return Judged(plan.method, plan.why, rows_of(parts), *_sorted_records(columns, parts))
    if plan.method == "count":
        try:
            counted = counted_records(columns, parts, max_memory)
        except NotCounted as error:
            plan = replace(plan, method="sketch", why=str(error))
        else:
            return Judged(plan.method, plan.why, rows_of(parts), *counted)
    return judged(partial_of(parts, columns, plan), columns, parts, plan)


def judged(counted: Partial, columns: Columns, parts: list[Part], plan: Plan) -> Judged:
    """Return what came of all parts together; a sketch that lost nothing becomes a sweep.

    Raises
    ------
    InputError
        When records are at fault, or labels do not say which is positive.
    """
    refuse(counted.faults, rows_of(parts))
    Labels(columns.pos_label, columns.label).note(counted.normal)
    check_weights(columns, any(map(len, counted.whole.values())))
    exact = all(sketch.exact for sketch in counted.whole.values())
    by_day = {
        day: _exact_where_so(sketches)
        for day, sketches in sorted(counted.by_day.items())
        if any(map(len, sketches.values()))
    }
    return Judged(
        plan.method if exact else "sketch",
        plan.why,
        rows_of(parts),
        _exact_where_so(counted.whole),
        by_day,
    )


def _exact_where_so(sketches: Sketches) -> Detectors:
    return {name: sketch.sweep if sketch.exact else sketch for name, sketch in sketches.items()}


def _sorted_records(
    columns: Columns, parts: list[Part]
) -> tuple[Detectors, dict[Hashable, Detectors]]:
    """Return the sweep of each detector on all records, held in memory, and by day."""
    rows, at = rows_of(parts), 0
    understood, faults = Labels(columns.pos_label, columns.label), Counter()
    labels, codes = np.empty(rows, bool), np.empty(0 if columns.day is None else rows, np.int32)
    weights = None if columns.weight is None else np.empty(rows)
    scores: dict[str, np.ndarray] = {}
    code_of: dict[Hashable, int] = {}
    for block in blocks(columns, parts, understood, faults):
        here = slice(at, at := at + len(block.labels))
        labels[here] = block.labels
        for name, values in block.scores.items():
            scores.setdefault(name, np.empty(rows, values.dtype))[here] = values
        if weights is not None:
            weights[here] = block.weights
        if block.days:
            known = [code_of.setdefault(day, len(code_of)) for day in block.days]
            check_days(code_of)
            codes[here] = np.array(known)[block.day]
    refuse(faults, rows)
    check_weights(columns, weights is None or weights.any())

    def sweeps(chosen: slice | np.ndarray) -> Detectors:
        of = None if weights is None else weights[chosen]
        return {
            name: ThresholdSweep.from_scores(labels[chosen], values[chosen], sample_weight=of)
            for name, values in scores.items()
        }

    by_day = {}
    for day, code in sorted(code_of.items()):
        chosen = codes == code
        if weights is None or weights[chosen].any():
            by_day[day] = sweeps(chosen)
    return sweeps(slice(None)), by_day
