"""Resamples of an evaluation's records: every number of a detector on thousands of draws.

Without weights `labkit.metrics.bootstrap` does it. Where records have weights, the same draws are
made here and a sweep of each is read: a record that was drawn twice weighs twice as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from labkit.evaluation.evaluation import Resampling
from labkit.evaluation.options import Options
from labkit.evaluation.quantities import Quantity
from labkit.evaluation.records import Records
from labkit.metrics import ThresholdSweep, bootstrap
from labkit.metrics.ranking import CountTable
from labkit.metrics.statistics import Statistic

Replicates = Mapping[str, np.ndarray]
"""What was measured -> its value in every resample, shape (n_replicates,)."""


def resampling_of(records: Records, options: Options) -> Resampling:
    """Return what can be drawn of the records, or why nothing can.

    Each class is drawn from its own records, days or groups; of these it needs two, since one drawn
    again and again is always the same.
    """
    drawn = len(records.labels) if records.drawn is None else len(records.drawn.names)
    reason = None
    least = min(_units(records, of_class) for of_class in (records.labels, ~records.labels))
    if not options.n_replicates:
        reason = "no resamples were asked for"
    elif not least:
        reason = "one class only: there is nothing to draw from in the other"
    elif least == 1 and records.drawn is not None:
        reason = f"one class lies in one of the {records.unit} only: draws could not differ"
    return Resampling(records.unit, drawn, options.n_replicates, options.seed, reason)


def replicates_of(
    records: Records,
    detector: str,
    quantities: Sequence[Quantity],
    losses: Sequence[Statistic],
    options: Options,
) -> Replicates:
    """Return every number of one detector on every resample.

    The draws hang on the seed and the records alone: those of two detectors are the same, and their
    differences paired.

    Parameters
    ----------
    records
        Of both classes, as `resampling_of` found.
    detector
        Which.
    quantities
        Numbers of a ranking.
    losses
        Means over records, such as `labkit.metrics.statistics.brier`.
    options
        Number and seed of the draws.
    """
    if records.weights is not None:
        return _of_weighted(records, detector, quantities, losses, options)
    statistics = {one.name: one.statistic for one in quantities}
    statistics |= {loss.name: loss for loss in losses}
    result = bootstrap(
        records.labels,
        {detector: records.scores[detector]},
        list(statistics.values()),
        groups=None if records.drawn is None else records.drawn.codes,
        n_replicates=options.n_replicates,
        seed=options.seed,
    )
    return {name: result.of(detector, name) for name in statistics}


def _units(records: Records, of_class: np.ndarray) -> int:
    """Return how many records or groups of a class there are to draw from."""
    if records.drawn is None:
        return int(np.count_nonzero(of_class))
    return len(np.unique(records.drawn.codes[of_class]))


def _of_weighted(
    records: Records,
    detector: str,
    quantities: Sequence[Quantity],
    losses: Sequence[Statistic],
    options: Options,
) -> Replicates:
    labels, scores = records.labels, records.scores[detector]
    order = np.argsort(-scores, kind="stable")
    descending, is_attack = scores[order], labels[order]
    last_of_tie = np.flatnonzero(np.append(descending[1:] != descending[:-1], True))
    thresholds = descending[last_of_tie]
    lost = {loss.name: loss.of_records(labels, scores, detector) for loss in losses}
    measured: dict[str, list[float]] = {one.name: [] for one in quantities}
    measured |= {name: [] for name in lost}
    draws = [_Draws(records, of_class) for of_class in (labels, ~labels)]
    rngs = np.random.default_rng(options.seed).spawn(2)
    for _ in range(options.n_replicates):
        weights = np.zeros(len(labels))
        for of_class, rng in zip(draws, rngs, strict=True):
            weights[of_class.rows] = of_class.times_drawn(rng)
        weights *= records.weights
        in_order = weights[order]
        tp = np.cumsum(np.where(is_attack, in_order, 0.0))[last_of_tie]
        fp = np.cumsum(np.where(is_attack, 0.0, in_order))[last_of_tie]
        # A score that was not drawn is no threshold.
        kept = np.diff(tp + fp, prepend=0) > 0
        sweep = ThresholdSweep(CountTable(thresholds[kept], tp[kept], fp[kept]))
        for one in quantities:
            measured[one.name].append(one.of_sweep(sweep))
        for name, of_records in lost.items():
            measured[name].append(np.average(of_records, weights=weights))
    return {name: np.array(values) for name, values in measured.items()}


class _Draws:
    """Draws of one class, record by record or by group."""

    def __init__(self, records: Records, of_class: np.ndarray) -> None:
        self.rows = np.flatnonzero(of_class)
        self.units, self.unit = len(self.rows), None
        if records.drawn is not None:
            units, self.unit = np.unique(records.drawn.codes[self.rows], return_inverse=True)
            self.units = len(units)

    def times_drawn(self, rng: np.random.Generator) -> np.ndarray:
        """Return how often each record was drawn, shape (n of the class,)."""
        drawn = rng.integers(0, self.units, self.units)
        often = np.bincount(drawn, minlength=self.units)
        return often if self.unit is None else often[self.unit]
