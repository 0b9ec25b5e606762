"""An evaluation from labelled records, or from counts alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from numpy.typing import ArrayLike

import labkit
from labkit.errors import InputError
from labkit.evaluation.days import DaySweeps
from labkit.evaluation.detectors import from_counts, from_records, rankings
from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.notes import record_notes
from labkit.evaluation.options import Options, as_options
from labkit.evaluation.pairs import pairs
from labkit.evaluation.records import UNNAMED, Records, as_records
from labkit.evaluation.resampling import resampling_of
from labkit.evaluation.thresholds import quantities_at_budget
from labkit.metrics import ThresholdSweep

Progress = Callable[[str, int], AbstractContextManager[Callable[[], object]]]


def silent(what: str, total: int) -> AbstractContextManager[Callable[[], object]]:
    """Show no progress."""
    return nullcontext(lambda: None)


def evaluate(
    y_true: ArrayLike,
    y_scores: object,
    *,
    day: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    budgets: object = (),
    base_rates: object = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    level: float = 0.95,
    n_replicates: int = 2000,
    seed: int = 0,
    progress: Progress = silent,
) -> Evaluation:
    """Judge the scores of one or several detectors on labelled records.

    Parameters
    ----------
    y_true
        Labels, shape (n,). Booleans, 0/1 and -1/1 are understood; others need `pos_label`.
    y_scores
        Scores, shape (n,), higher for likelier attacks; for several detectors a dict or a table of
        them, a detector a column. Infinities are scores like any other.
    day
        Day of each record, shape (n,), any label that can be sorted. Budgets are then spent day by
        day too, and the bootstrap draws whole days.
    groups
        Group of each record, such as its host, shape (n,): what the bootstrap draws whole, instead
        of days or single records.
    sample_weight
        Weights, shape (n,), not negative. Alerts and budgets are then weights.
    pos_label
        The label that means attack.
    budgets
        Alert budgets, whole numbers: each is spent on all records together, and on each day where
        days are given.
    base_rates
        Shares of attacks to project average precision and precision to; by default 0.01 and 0.001.
    cost_fp, cost_fn
        Cost of one false alert and of one missed attack, in one unit of any kind.
    level
        Confidence level of every interval, within (0, 1).
    n_replicates, seed
        Number of resamples (0 for none), and the seed of their draws.
    progress
        Entered with "detectors" and their number; what it gives is called after each.

    Returns
    -------
    Evaluation
        With one class only, whatever can be said; the rest is nan, with the reason beside it.

    Raises
    ------
    InputError
        On NaN scores, missing labels, days or groups, labels that do not say which is positive,
        unequal lengths, and on options that cannot be.

    Examples
    --------
    >>> result = evaluate([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1], budgets=[3])
    >>> result
    Evaluation('score': 8 records, 3 attacks)
    >>> detector = result.detectors["score"]
    >>> round(detector.auc.estimate, 4), detector.auc.interval
    (0.7333, 'DeLong')
    >>> round(detector.budgets[0].recall.estimate, 3), detector.budgets[0].at_threshold.threshold
    (0.667, 6.0)
    """
    records = as_records(y_true, y_scores, day, groups, sample_weight, pos_label)
    options = as_options(
        budgets=budgets,
        base_rates=base_rates,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        level=level,
        n_replicates=n_replicates,
        seed=seed,
        whole=sample_weight is None,
    )
    return evaluate_records(records, options, progress)


def evaluate_records(records: Records, options: Options, progress: Progress = silent) -> Evaluation:
    """Return the evaluation of checked records."""
    resampling = resampling_of(records, options)
    detectors, replicates = {}, {}
    with progress("detectors", len(records.scores)) as advance:
        for name in records.scores:
            detectors[name], replicates[name] = from_records(records, name, options, resampling)
            advance()
    attacks, count = int(np.count_nonzero(records.labels)), len(records.labels)
    notes = record_notes(next(iter(detectors.values())), attacks, count, resampling)
    compared = [*rankings(options)]
    for budget in options.budgets:
        compared += quantities_at_budget(budget)
    return Evaluation(
        labkit.__version__,
        None,
        options,
        detectors,
        pairs(records, detectors, replicates, compared, options, resampling),
        resampling,
        records.notes + notes,
    )


def evaluate_sweeps(
    sweeps: ThresholdSweep | Mapping[str, ThresholdSweep],
    *,
    by_day: Mapping[object, ThresholdSweep | Mapping[str, ThresholdSweep]] | None = None,
    budgets: object = (),
    base_rates: object = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    level: float = 0.95,
    n_replicates: int = 2000,
    seed: int = 0,
) -> Evaluation:
    """Judge detectors of which only the counts at every threshold are known.

    What needs records is absent: calibration, comparisons, and intervals by DeLong and the
    bootstrap of records. Shares at a threshold have Wilson intervals, and those of ranking mode
    intervals from whole days drawn again.

    Parameters
    ----------
    sweeps
        One sweep, or detector -> its sweep.
    by_day
        Day -> the sweeps of its records in the same form, the days in order. Those of a detector
        must add up to its sweep.
    budgets, base_rates, cost_fp, cost_fn, level, n_replicates, seed
        As in `evaluate`; the draws are of days.

    Raises
    ------
    InputError
        When a sweep is none, the days do not add up, and on options that cannot be.

    Examples
    --------
    >>> sweep = ThresholdSweep.from_counts(
    ...     [0.9, 0.5, 0.1], [1, 2, 2], [0, 1, 3], positives=2, negatives=3)
    >>> detector = evaluate_sweeps(sweep, budgets=[1]).detectors["score"]
    >>> round(detector.auc.estimate, 3), detector.auc.reason
    (0.917, 'an interval needs the records; there are only counts')
    """
    named = _named(sweeps, "sweeps")
    options = as_options(
        budgets=budgets,
        base_rates=base_rates,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        level=level,
        n_replicates=n_replicates,
        seed=seed,
        whole=any(sweep.counts_records for sweep in named.values()),
    )
    days = None
    if by_day is not None:
        if not isinstance(by_day, Mapping) or not by_day:
            raise InputError("by_day must map each day to its sweeps")
        days = {day: _named(of_day, f"by_day[{day!r}]") for day, of_day in by_day.items()}
    detectors = {
        name: from_counts(sweep, _days_of(name, sweep, days), options)
        for name, sweep in named.items()
    }
    first = next(iter(detectors.values()))
    notes = ()
    if first.sweep.counts_records:
        notes = record_notes(first, int(first.positives), int(first.records))
    return Evaluation(labkit.__version__, None, options, detectors, (), None, notes)


def _named(sweeps: object, called: str) -> dict[str, ThresholdSweep]:
    """Return detector -> sweep; one sweep alone is of the unnamed detector."""
    named = {UNNAMED: sweeps} if isinstance(sweeps, ThresholdSweep) else sweeps
    if not isinstance(named, Mapping) or not named:
        raise InputError(f"{called} must be a ThresholdSweep, or map each detector to one")
    for name, sweep in named.items():
        if not isinstance(name, str) or not isinstance(sweep, ThresholdSweep):
            raise InputError(f"{called}[{name!r}] must be a ThresholdSweep, and its name a text")
    return dict(named)


def _days_of(
    name: str, sweep: ThresholdSweep, days: Mapping[object, Mapping[str, ThresholdSweep]] | None
) -> DaySweeps | None:
    """Return the days of a detector, which must add up to its sweep."""
    if days is None:
        return None
    lacking = [day for day, of_day in days.items() if name not in of_day]
    if lacking:
        raise InputError(f"by_day[{lacking[0]!r}] has no sweep of {name!r}; pass one a detector")
    mine = {day: of_day[name] for day, of_day in days.items()}
    for what in ("positives", "negatives"):
        total, whole = sum(getattr(one, what) for one in mine.values()), getattr(sweep, what)
        if not math.isclose(total, whole, rel_tol=1e-9):
            raise InputError(
                f"by_day holds {total:g} {what} of {name!r} in all, and its sweep {whole:g}; pass "
                "every day once"
            )
    return mine
