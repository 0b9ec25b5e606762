"""Columns of a file of scores: which are there, and what their values mean."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from typing import NamedTuple

import numpy as np

from labkit.errors import InputError
from labkit.evaluation.notes import first_of, label_notes
from labkit.scale.reading import LARGEST_WEIGHT

MISSING = frozenset({"", "nan", "na", "n/a", "null", "<na>", "nat"})
"""What stands for a missing value, in small letters. "none" does not: it may mean no attack."""

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}($|[T ])")
_DATE = len("2026-03-01")
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_NEAREST, _SHOWN = 3, 8


class Texts(NamedTuple):
    """A column of texts: the place of each record's text among the distinct ones, shape (n,)."""

    codes: np.ndarray
    values: list[str]


@dataclass(frozen=True, eq=False)
class Table:
    """The columns that were asked for: numbers as float64, all others as texts."""

    numbers: dict[str, np.ndarray]
    texts: dict[str, Texts]


def require_columns(
    path: str | PathLike[str], header: Sequence[str], wanted: Sequence[str]
) -> None:
    """Raise InputError unless every column that is wanted is there, once.

    Examples
    --------
    >>> require_columns("scores.csv", ["score", "label"], ["scroe"])
    Traceback (most recent call last):
    ...
    labkit.errors.InputError: scores.csv has no column 'scroe'; the nearest is 'score'
    """
    for name in wanted:
        count = list(header).count(name)
        if count > 1:
            raise InputError(f"{path} has {count} columns {name!r}; rename all but one")
        if count:
            continue
        nearest = get_close_matches(name, header, _NEAREST)
        told = ", ".join(map(repr, nearest or header[:_SHOWN]))
        near = "the nearest is" if len(nearest) == 1 else "the nearest are"
        if not nearest:
            near, told = "it has", told + (" ..." if len(header) > _SHOWN else "")
        raise InputError(f"{path} has no column {name!r}; {near} {told}")


def refuse_missing(name: str, count: int, of: int, first: int | None = None) -> None:
    """Raise InputError if a column has missing values; `first` is the place of one, from 0."""
    if count:
        where = "" if first is None else f" (the first is record {first + 1:,})"
        raise InputError(
            f"column {name!r} is empty or NaN in {count:,} of {of:,} records{where}; fill or drop "
            "them first"
        )


def is_missing(text: str) -> bool:
    """Return whether a text stands for a missing value."""
    return text.strip().casefold() in MISSING


def not_a_number(name: str, value: object, row: int) -> InputError:
    """Return the error for a value of a column of numbers that is none; rows count from 0."""
    hint = ""
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()):
        hint = "; write decimals with a point"
    return InputError(
        f"column {name!r} holds {value!r} in record {row + 1:,}, which is not a number{hint}"
    )


def check_weights(weights: np.ndarray, name: str) -> None:
    """Raise InputError unless weights are finite, 0 or more, and some are above 0."""
    for fault, at in (
        ("negative", weights < 0),
        ("infinite", np.isinf(weights)),
        (f"above {LARGEST_WEIGHT:g}", weights > LARGEST_WEIGHT),
    ):
        if at.any():
            raise InputError(
                f"column {name!r} is {fault} in {np.count_nonzero(at):,} of {len(at):,} records "
                f"(the first is record {int(np.argmax(at)) + 1:,}); "
                f"weights are finite, from 0 to {LARGEST_WEIGHT:g}"
            )
    if not weights.any():
        raise InputError(f"column {name!r} is zero in every record; some record must count")


def positives_of(
    column: Texts, name: str, positive: str | None
) -> tuple[np.ndarray, str, list[str]]:
    """Return which records are attacks, the label that means so, and what a reader should know.

    Parameters
    ----------
    column
        The labels; numbers may be written as 1 or 1.0, and spaces around a label are ignored.
    name
        Of the column.
    positive
        The label that means attack; None where 0 and 1, -1 and 1, or true and false say so.

    Raises
    ------
    InputError
        When a label is missing, or they do not say which is positive.

    Examples
    --------
    >>> positives_of(Texts(np.array([0, 1, 1]), ["No", "Yes"]), "label", "Yes")[0].tolist()
    [False, True, True]
    """
    _refuse_missing_texts(column, name)
    counts = np.bincount(column.codes, minlength=len(column.values))
    is_positive, told, notes = positive_labels(column.values, counts, name, positive)
    return is_positive[column.codes], told, notes


def positive_labels(
    values: Sequence[str], counts: Sequence[int], name: str, positive: str | None
) -> tuple[np.ndarray, str, list[str]]:
    """Return what `positives_of` does, of the distinct labels and how many records have each."""
    labels = list(map(_canonical, values))
    records = dict.fromkeys(labels, 0)
    for label, count in zip(labels, counts, strict=True):
        records[label] += int(count)
    if positive is None:
        positive = _meant(records)
        if positive is None:
            many = f"{len(records)} labels, " if len(records) > 2 else ""
            raise InputError(
                f"column {name!r} holds {many}{first_of(map(repr, records))}: say which one "
                "means attack with --positive"
            )
    wanted = _canonical(positive)
    if wanted not in records and len(records) > 1:
        raise InputError(
            f"--positive is {positive!r}, but column {name!r} holds "
            f"{first_of(map(repr, records))}; name one of these"
        )
    is_positive = np.array([label == wanted for label in labels])
    return is_positive, positive, label_notes(records, wanted, f" of column {name}")


def as_numbers_or_texts(column: Texts, name: str) -> np.ndarray:
    """Return a column as numbers where all of its values are numbers, so that 9 comes before 10.

    Examples
    --------
    >>> as_numbers_or_texts(Texts(np.array([1, 0]), ["9", "10"]), "day").tolist()
    [10, 9]
    """
    _refuse_missing_texts(column, name)
    values = [value.strip() for value in column.values]
    numbers = [_number(value) for value in values]
    if None in numbers:
        return np.array(values)[column.codes]
    whole = all(number.is_integer() and abs(number) < 2**53 for number in numbers)
    return np.array([int(number) for number in numbers] if whole else numbers)[column.codes]


def as_days(column: Texts, name: str) -> tuple[np.ndarray, list[str]]:
    """Return the day of each record, times cut to their date, and a note where they were cut.

    Examples
    --------
    >>> times = Texts(np.array([0, 1]), ["2026-03-01 23:59", "2026-03-02T00:01"])
    >>> days, notes = as_days(times, "time")
    >>> days.tolist()
    ['2026-03-01', '2026-03-02']
    """
    times = [value for value in column.values if _TIME.match(value.strip())]
    if not times:
        return as_numbers_or_texts(column, name), []
    _refuse_missing_texts(column, name)
    dates = [
        value.strip()[: _DATE if _TIME.match(value.strip()) else None] for value in column.values
    ]
    if len(set(dates)) == len(dates) and all(map(_is_midnight, times)):
        return np.array(dates)[column.codes], []
    note = f"The times in column {name} were cut to their date, as written; no time zone was moved."
    return np.array(dates)[column.codes], [note]


def _is_midnight(value: str) -> bool:
    return not re.search(r"[1-9]", value.strip()[_DATE:].partition("+")[0])


def _number(text: str) -> float | None:
    """Return a finite number written as people do, or None; Python's own 1_000 is no number."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def _canonical(text: str) -> str:
    """Return a label in one form: no spaces around it, 1.0 as 1, TRUE as true."""
    number = _number(text)
    if number is None:
        label = text.strip()
        return label.casefold() if label.casefold() in ("true", "false") else label
    return str(int(number)) if number.is_integer() else repr(number)


def _meant(labels: Iterable[str]) -> str | None:
    """Return the label that means attack where labels say so themselves."""
    distinct = set(labels)
    if distinct <= {"0", "1"} or distinct <= {"-1", "1"}:
        return "1"
    return "true" if distinct <= {"true", "false"} else None


def _refuse_missing_texts(column: Texts, name: str) -> None:
    at = np.array(list(map(is_missing, column.values)))[column.codes]
    refuse_missing(name, np.count_nonzero(at), len(at), int(np.argmax(at)))
