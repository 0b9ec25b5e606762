"""Files whose records fit in memory: every score is held and sorted, and nothing is lost."""

from collections import Counter
from collections.abc import Hashable

import numpy as np

from labkit.metrics import ThresholdSweep
from labkit.scale.judged import Detectors, Judged, check_weights
from labkit.scale.look import Plan
from labkit.scale.pieces import check_days
from labkit.scale.reading import blocks, refuse
from labkit.scale.source import Source
from labkit.scale.tally import Labels


def sorted_records(source: Source, plan: Plan) -> Judged:
    """Return the sweeps of all detectors, from records held in memory.

    Raises
    ------
    InputError
        When records are at fault, or labels do not say which is positive.
    """
    columns, rows, at = source.columns, source.rows, 0
    understood, faults = Labels(columns.pos_label, columns.label), Counter()
    labels, codes = np.empty(rows, bool), np.empty(0 if columns.day is None else rows, np.int32)
    weights = None if columns.weight is None else np.empty(rows)
    scores: dict[str, np.ndarray] = {}
    code_of: dict[Hashable, int] = {}
    for block in blocks(source, source.parts, understood, faults):
        here = slice(at, at := at + len(block.labels))
        labels[here] = block.labels
        for name, values in block.scores.items():
            scores.setdefault(name, np.empty(rows, values.dtype))[here] = values
        if weights is not None:
            weights[here] = block.weights
        if block.days is not None:
            known = [code_of.setdefault(day, len(code_of)) for day in block.days]
            check_days(code_of)
            codes[here] = np.array(known)[block.day]
    refuse(faults, rows)
    check_weights(source, weights is None or weights.any())

    def sweeps(chosen: slice | np.ndarray) -> Detectors:
        of = None if weights is None else weights[chosen]
        return {
            name: ThresholdSweep.from_scores(labels[chosen], values[chosen], sample_weight=of)
            for name, values in scores.items()
        }

    by_day = {day: codes == code for day, code in sorted(code_of.items())}
    return Judged(
        plan.method,
        plan.why,
        rows,
        sweeps(slice(None)),
        {
            day: sweeps(chosen)
            for day, chosen in by_day.items()
            if weights is None or weights[chosen].any()
        },
    )
