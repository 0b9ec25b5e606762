"""What a reader should know before using an evaluation's numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from labkit.evaluation.evaluation import Resampling
    from labkit.evaluation.results import DetectorResult
    from labkit.metrics import ThresholdSweep

FEW_ATTACKS = 20
"""Below so many attacks, one more or less moves recall by over five points."""
FEW_GROUPS = 10
"""Below so many days or groups, percentiles of their resamples are coarse."""


def label_notes(records: Mapping[object, int], positive: object, where: str = "") -> list[str]:
    """Return what is peculiar about labels.

    Parameters
    ----------
    records
        Label -> how many records have it.
    positive
        The label that means attack.
    where
        Of what they are the labels, as " of column y".

    Examples
    --------
    >>> label_notes({"normal": 4}, "attack", " of column y")
    ['No record of column y has the label attack.']
    """
    notes = []
    others = [f"{label} ({count:,})" for label, count in records.items() if label != positive]
    if len(others) > 1:
        notes.append(
            f"Every label{where} but {positive} counts as normal: {first_of(others)}. Leave out "
            "records that are neither."
        )
    if positive not in records:
        notes.append(f"No record{where} has the label {positive}.")
    return notes


def first_of(texts: Iterable[str], most: int = 8) -> str:
    """Return texts in a row; of many the first, and how many more there are.

    Examples
    --------
    >>> first_of("abcd", most=2)
    'a, b and 2 more'
    """
    rest = iter(texts)
    told, more = ", ".join(islice(rest, most)), sum(1 for _ in rest)
    return f"{told} and {more} more" if more else told


def detector_notes(sweep: ThresholdSweep) -> tuple[str, ...]:
    """Return what is peculiar about one detector's scores.

    Examples
    --------
    >>> from labkit.metrics import ThresholdSweep
    >>> detector_notes(ThresholdSweep.from_scores([1, 0], [7, 7]))
    ('Every record has the same score, 7: nothing is ranked.',)
    """
    thresholds = sweep.thresholds
    notes = []
    if len(thresholds) == 1:
        notes.append(f"Every record has the same score, {thresholds[0]:g}: nothing is ranked.")
    if sweep.roc_auc < 0.5:
        notes.append(
            "AUC lies below one half: attacks tend to score lower than normal records. A higher "
            "score must mean a likelier attack; scores are never turned around."
        )
    if np.isinf(thresholds[[0, -1]]).any():
        notes.append("Some scores are infinite: they rank above, or below, all others.")
    return tuple(notes)


def record_notes(
    detector: DetectorResult, attacks: int, records: int, resampling: Resampling
) -> tuple[str, ...]:
    """Return what is peculiar about the records and their days.

    Parameters
    ----------
    detector
        Any that was judged on them.
    attacks, records
        How many there are, whatever they weigh.
    resampling
        What was drawn of them.
    """
    notes = []
    if attacks in (0, records):
        notes.append(
            "There is no normal record: AUC and the projection to other base rates are undefined."
            if attacks
            else "There is no attack: recall, AUC and average precision are undefined."
        )
    elif attacks < FEW_ATTACKS:
        notes.append(
            f"Few attacks ({attacks}): one more or less moves recall by {100 / attacks:.0f} "
            "points, and intervals from resamples are too narrow."
        )
    if detector.days is not None:
        days = len(detector.days)
        quiet = int((detector.days["attacks"] == 0).sum())
        if quiet and attacks:
            notes.append(
                f"Days without an attack: {quiet} of {days}. AUC and recall are undefined there; "
                "alerts count as on any other day."
            )
        if days > records / 2:
            notes.append(
                f"There are {days:,} days for {records:,} records: is it a column of days?"
            )
    if resampling.reason is None and resampling.unit != "records":
        drawn, unit = resampling.drawn, resampling.unit
        if drawn < FEW_GROUPS:
            notes.append(
                f"Intervals draw {drawn} {unit}: they show how much these disagree, and are too "
                "narrow for what others may hold."
            )
    return tuple(notes)
