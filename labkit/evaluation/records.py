"""The labelled records of an evaluation, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.evaluation.notes import label_notes
from labkit.metrics import ThresholdSweep
from labkit.metrics.inputs import as_codes, as_labels, as_scores, as_weights, check_lengths

UNNAMED = "score"
"""What a detector is called whose scores came as an array without a name."""


_MOST_DAYS = 5000
"""Beyond so many, with few records each, they are times and no days."""


class Groups(NamedTuple):
    """The day or group of each record as a number from 0, shape (n,), and their names in order."""

    codes: np.ndarray
    names: np.ndarray


@dataclass(frozen=True, eq=False)
class Records:
    """Labels, the scores of every detector, and what else is known of each record.

    Attributes
    ----------
    labels
        True where a record is an attack, shape (n,).
    scores
        Detector -> its scores, shape (n,).
    weights
        All above zero, shape (n,), or None.
    day
        The day of each record, or None.
    drawn
        What the bootstrap draws whole; None for single records.
    unit
        What these are: "records", "days" or "groups".
    notes
        What a reader should know of the labels.
    """

    labels: np.ndarray
    scores: Mapping[str, np.ndarray]
    weights: np.ndarray | None
    day: Groups | None
    drawn: Groups | None
    unit: str
    notes: tuple[str, ...]

    def sweep(self, detector: str, rows: np.ndarray | slice = slice(None)) -> ThresholdSweep:
        """Return the sweep of a detector over some of the records."""
        weights = None if self.weights is None else self.weights[rows]
        return ThresholdSweep.from_scores(
            self.labels[rows], self.scores[detector][rows], sample_weight=weights
        )

    def rows_by_day(self) -> list[np.ndarray]:
        """Return the rows of each day, the days in order."""
        in_order = np.argsort(self.day.codes, kind="stable")
        return np.split(in_order, np.cumsum(np.bincount(self.day.codes))[:-1])


def as_records(
    y_true: ArrayLike,
    y_scores: object,
    day: ArrayLike | None,
    groups: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: object,
) -> Records:
    """Return checked records; those of weight zero count as if removed.

    Raises
    ------
    InputError
        On NaN scores, missing labels, days or groups, unequal lengths, weights that cannot be.

    Examples
    --------
    >>> as_records([1, 0, 0], [3, 2, 1], None, None, [1, 1, 0], None).scores
    {'score': array([3., 2.])}
    """
    labels = as_labels(y_true, pos_label)
    scores = {}
    for name, of_one in by_detector(y_scores).items():
        called = f"y_scores[{name!r}]"
        scores[name] = as_scores(of_one, called)
        check_lengths(**{"y_true": labels, called: scores[name]})
    weights, kept = None, slice(None)
    if sample_weight is not None:
        weights = as_weights(sample_weight)
        check_lengths(y_true=labels, sample_weight=weights)
        kept = weights > 0
        weights = weights[kept]
    days = _groups(day, "day", labels, kept)
    if days and len(days.names) > max(_MOST_DAYS, len(days.codes) / 10):
        raise InputError(
            f"day has {len(days.names):,} values for {len(days.codes):,} records; cut times to "
            "their day first, written as 2026-03-01"
        )
    clusters = _groups(groups, "groups", labels, kept)
    unit = "records"
    if days or clusters:
        unit = "groups" if clusters else "days"
    return Records(
        labels[kept],
        {name: of_one[kept] for name, of_one in scores.items()},
        weights,
        days,
        clusters or days,
        unit,
        _notes(y_true, pos_label, labels, scores),
    )


def by_detector(y_scores: object) -> dict[str, ArrayLike]:
    """Return detector -> scores from an array, a mapping or the columns of a table."""
    if isinstance(y_scores, Mapping):
        named = dict(y_scores)
    elif hasattr(y_scores, "columns"):
        columns = list(y_scores.columns)
        if len(set(columns)) < len(columns):
            raise InputError(f"y_scores has the columns {columns}; name each detector once")
        named = {name: y_scores[name] for name in columns}
    else:
        name = getattr(y_scores, "name", None)
        named = {name if isinstance(name, str) and name else UNNAMED: y_scores}
    if not named:
        raise InputError("y_scores is empty; pass the scores of at least one detector")
    if not all(isinstance(name, str) for name in named):
        raise InputError(f"y_scores has the names {list(named)}; the name of a detector is a text")
    return named


def _groups(
    values: ArrayLike | None, name: str, labels: np.ndarray, kept: np.ndarray | slice
) -> Groups | None:
    if values is None:
        return None
    codes, names = as_codes(values, name)
    check_lengths(y_true=labels, **{name: codes})
    # A day all of whose records weigh nothing is no day.
    left, codes = np.unique(codes[kept], return_inverse=True)
    return Groups(codes, names[left])


def _notes(
    y_true: ArrayLike, pos_label: object, labels: np.ndarray, scores: Mapping[str, np.ndarray]
) -> tuple[str, ...]:
    notes = []
    if pos_label is not None:
        codes, names = as_codes(y_true, "y_true")
        records = dict(zip(names.tolist(), np.bincount(codes).tolist(), strict=True))
        notes = label_notes(records, pos_label)
    notes += [
        f"The scores of {name} are the labels themselves, record by record: look for a leak."
        for name, of_one in scores.items()
        if labels.any() and not labels.all() and np.array_equal(of_one, labels)
    ]
    return tuple(notes)
