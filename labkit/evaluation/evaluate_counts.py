"""An evaluation of detectors of which only the counts are known, exact or in bins."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import labkit
from labkit.errors import InputError
from labkit.evaluation.bounds import Counts, sweep_of, with_bounds, with_bounds_of_days
from labkit.evaluation.calibration import calibration_of_counts, why_no_probabilities
from labkit.evaluation.detectors import judged
from labkit.evaluation.evaluation import Evaluation, Resampling
from labkit.evaluation.notes import record_notes
from labkit.evaluation.options import Options, as_options
from labkit.evaluation.pairs import pairs
from labkit.evaluation.records import UNNAMED
from labkit.evaluation.resampling import (
    Replicates,
    replicates_of_counts,
    resampling_of_counts,
)
from labkit.evaluation.results import DetectorResult
from labkit.scale import ScoreSketch

DayCounts = Mapping[object, Counts]
"""Day -> the counts of its records, the days in order."""


def evaluate_sweeps(
    sweeps: Counts | Mapping[str, Counts],
    *,
    by_day: Mapping[object, Counts | Mapping[str, Counts]] | None = None,
    **asked: object,
) -> Evaluation:
    """Judge detectors of which only the counts at every threshold are known.

    Intervals are those of `evaluate`: without days the counts are drawn again, with days whole
    days. Detectors are compared where days are known, and not otherwise: which records two of them
    both find, counts do not say.

    Parameters
    ----------
    sweeps
        One sweep or sketch, or detector -> its own. What a sketch leaves open stands beside each
        number as its `bounds`.
    by_day
        Day -> the sweeps or sketches of its records in the same form, the days in order. Those of
        a detector must add up to its whole.
    asked
        The budgets, base rates, costs, level, n_replicates and seed of `evaluate`.

    Raises
    ------
    InputError
        When a sweep is none, the days do not add up, and on options that cannot be.

    Examples
    --------
    >>> from labkit.metrics import ThresholdSweep
    >>> sweep = ThresholdSweep.from_counts(
    ...     [0.9, 0.5, 0.1], [1, 2, 2], [0, 1, 3], positives=2, negatives=3)
    >>> detector = evaluate_sweeps(sweep, budgets=[1]).detectors["score"]
    >>> round(detector.auc.estimate, 3), detector.auc.interval
    (0.917, 'DeLong')
    """
    named = _named(sweeps, "sweeps")
    whole = any(counts.counts_records for counts in named.values())
    options = as_options(whole=whole, **asked)
    days = None
    if by_day is not None:
        if not isinstance(by_day, Mapping) or not by_day:
            raise InputError("by_day must map each day to its sweeps")
        days = {day: _named(of_day, f"by_day[{day!r}]") for day, of_day in by_day.items()}
    return evaluate_counts(
        named, {name: _days_of(name, counts, days) for name, counts in named.items()}, options
    )


def evaluate_counts(
    named: Mapping[str, Counts], by_day: Mapping[str, DayCounts | None], options: Options
) -> Evaluation:
    """Return the evaluation of checked counts: of each detector, and of each one's days."""
    detectors, replicates, drawn = {}, {}, {}
    for name, counts in named.items():
        detectors[name], replicates[name], drawn[name] = _judged(counts, by_day[name], options)
    name, first = next(iter(detectors.items()))
    notes = ()
    if first.sweep.counts_records:
        notes = record_notes(first, int(first.positives), int(first.records), drawn[name])
    compared = ()
    if (
        by_day[name] is not None
        and first.positives
        and first.negatives
        and _of_same_records(detectors)
    ):
        compared = pairs(detectors, replicates, options, drawn[name])
    return Evaluation(labkit.__version__, None, options, detectors, compared, drawn[name], notes)


def _judged(
    counts: Counts, by_day: DayCounts | None, options: Options
) -> tuple[DetectorResult, Replicates, Resampling]:
    """Return what counts say of a detector, its resamples, and what was drawn for them."""
    sweep, days = sweep_of(counts), None
    if by_day is not None:
        days = {day: sweep_of(of_day) for day, of_day in by_day.items()}
    resampling = resampling_of_counts(sweep, days, options)
    result, replicates = judged(
        sweep,
        days,
        options,
        resampling,
        draw=lambda wanted: replicates_of_counts(sweep, days, wanted, options),
        calibrate=partial(calibration_of_counts, counts),
        no_probabilities=why_no_probabilities(counts),
    )
    if _is_binned(counts):
        result = with_bounds(result, counts, by_day)
    elif any(map(_is_binned, (by_day or {}).values())):
        result = with_bounds_of_days(result, by_day)
    return result, replicates, resampling


def _is_binned(counts: Counts) -> bool:
    """Return whether some bin holds several scores."""
    return isinstance(counts, ScoreSketch) and not counts.exact


def _of_same_records(detectors: Mapping[str, DetectorResult]) -> bool:
    """Return whether detectors were judged on as many records of either class every day."""
    first, *others = (one.days[["records", "attacks"]] for one in detectors.values())
    return all(first.equals(other) for other in others)


def _named(sweeps: object, called: str) -> dict[str, Counts]:
    """Return detector -> counts; one sweep alone is of the unnamed detector."""
    named = {UNNAMED: sweeps} if isinstance(sweeps, Counts) else sweeps
    if not isinstance(named, Mapping) or not named:
        raise InputError(f"{called} must be a ThresholdSweep, or map each detector to one")
    for name, sweep in named.items():
        if not isinstance(name, str) or not isinstance(sweep, Counts):
            raise InputError(f"{called}[{name!r}] must be a ThresholdSweep, and its name a text")
    return dict(named)


def _days_of(
    name: str, counts: Counts, days: Mapping[object, Mapping[str, Counts]] | None
) -> DayCounts | None:
    """Return the days of a detector, which must add up to its whole."""
    if days is None:
        return None
    lacking = [day for day, of_day in days.items() if name not in of_day]
    if lacking:
        raise InputError(f"by_day[{lacking[0]!r}] has no sweep of {name!r}; pass one a detector")
    mine = {day: of_day[name] for day, of_day in days.items()}
    for what in ("positives", "negatives"):
        total, whole = sum(getattr(one, what) for one in mine.values()), getattr(counts, what)
        if not math.isclose(total, whole, rel_tol=1e-9):
            raise InputError(
                f"by_day holds {total:g} {what} of {name!r} in all, and its sweep {whole:g}; pass "
                "every day once"
            )
    return mine
