"""An evaluation from labelled records."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

import labkit
from labkit.evaluation.calibration import calibration, why_no_probabilities
from labkit.evaluation.detectors import judged
from labkit.evaluation.evaluation import Evaluation, Resampling
from labkit.evaluation.intervals import ratio_over
from labkit.evaluation.notes import record_notes
from labkit.evaluation.options import Options, as_options
from labkit.evaluation.pairs import pairs
from labkit.evaluation.records import Records, as_records
from labkit.evaluation.resampling import (
    Replicates,
    replicates_of_records,
    resampling_of_records,
)
from labkit.evaluation.results import DetectorResult, Measure
from labkit.metrics import AucDifference, delong_test

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
    resampling = resampling_of_records(records, options)
    detectors, replicates = {}, {}
    with progress("detectors", len(records.scores)) as advance:
        for name in records.scores:
            detectors[name], replicates[name] = _judged(records, name, options, resampling)
            advance()
    attacks, count = int(np.count_nonzero(records.labels)), len(records.labels)
    notes = record_notes(next(iter(detectors.values())), attacks, count, resampling)
    compared = ()
    if 0 < attacks < count:
        test = None if records.weights is not None else partial(_delong, records, options)
        compared = pairs(detectors, replicates, options, resampling, test)
    return Evaluation(
        labkit.__version__, None, options, detectors, compared, resampling, records.notes + notes
    )


def _judged(
    records: Records, name: str, options: Options, resampling: Resampling
) -> tuple[DetectorResult, Replicates]:
    """Return what records say of a detector, and its resamples."""
    sweep, by_day = records.sweep(name), None
    if records.day is not None:
        sweeps = (records.sweep(name, rows) for rows in records.rows_by_day())
        by_day = dict(zip(records.day.names, sweeps, strict=True))
    return judged(
        sweep,
        by_day,
        options,
        resampling,
        draw=lambda wanted: replicates_of_records(records, name, wanted, options),
        calibrate=partial(calibration, records.labels, records.scores[name], records.weights),
        no_probabilities=why_no_probabilities(sweep),
        base_rate=_base_rate_of_groups(records, options),
    )


def _base_rate_of_groups(records: Records, options: Options) -> Measure | None:
    """Return the share of attacks with whole groups drawn; None where no groups are."""
    import pandas as pd

    if records.unit != "groups" or records.weights is not None:
        return None
    codes = records.drawn.codes
    groups = pd.DataFrame(
        {"attacks": np.bincount(codes, weights=records.labels), "records": np.bincount(codes)}
    )
    return ratio_over(groups, "attacks", "records", options, "", records.unit)


def _delong(records: Records, options: Options, detector: str, baseline: str) -> AucDifference:
    scores = records.scores
    return delong_test(records.labels, scores[detector], scores[baseline], options.level)
