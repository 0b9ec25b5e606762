"""The flow table of one or several files, put together from pieces, and its summary."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from labkit.data.readers.pieces import RESERVED, Reader, Tally, pieces
from labkit.data.readers.times import date_of, time_zone
from labkit.data.schema import COLUMNS
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# Floats hold every whole number up to here.
_EXACT = 2**53
_SCHEMA = [column.name for column in COLUMNS if column.name not in RESERVED]
# Never integers, even where all happen to be whole.
_MEASURED = {"time", *(column.name for column in COLUMNS if column.kind == "number")}


@dataclass(frozen=True)
class Shape:
    """What must be known of all pieces before the first can be finished.

    Parameters
    ----------
    is_text
        Column -> whether it holds texts; the others hold numbers.
    whole
        The columns of numbers that are whole and set in every row so far.
    first_day
        The first calendar day, counted from 1970-01-01; None where there are no times.
    """

    is_text: Mapping[str, bool] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    first_day: int | None = None


def shape_of(flows: "pd.DataFrame") -> Shape:
    """Return the shape of a piece that is not empty."""
    is_text = {name: flows[name].dtype == "category" for name in flows}
    whole = [n for n in flows if not is_text[n] and _is_whole(flows[n].to_numpy())]
    first = int(flows["day"].min()) if "day" in flows else None
    return Shape(is_text, frozenset(whole) - _MEASURED, first)


def _is_whole(values: np.ndarray) -> bool:
    # A NaN is neither whole nor small; nor is an infinity.
    return bool(((np.abs(values) <= _EXACT) & (np.floor(values) == values)).all())


def merged(one: Shape, other: Shape) -> Shape:
    """Return the shape of two pieces together.

    A column that only one of them has is unset in the other, and so not of integers.
    """
    if not one.is_text:
        return other
    days = [day for day in (one.first_day, other.first_day) if day is not None]
    return Shape(one.is_text | other.is_text, one.whole & other.whole, min(days, default=None))


def gathered(
    readers: list[Reader],
    timezone: str | None,
    take: Callable[["pd.DataFrame"], object],
    advance: Callable[[int], object] = lambda _: None,
) -> tuple[Shape, dict]:
    """Read every file and hand over its pieces; return their shape and the summary.

    Parameters
    ----------
    readers
        How each file is read.
    timezone
        The zone whose calendar days count; None is UTC.
    take
        Is given every piece that is not empty.
    advance
        Is told how many more bytes of the files have been read.

    Raises
    ------
    InputError
        When a file is broken, some have times and others none, or no row is left of all.
    """
    zone, shape = time_zone(timezone), Shape()
    files, notes = [], []
    told = {reader.source.path: 0 for reader in readers}
    for reader in readers:
        name, path, counts = reader.source.name, reader.source.path, Tally()
        for flows, tally, position in pieces(reader, zone):
            counts += tally
            # The members of a zip file may lie in it in another order.
            advance(max(position - told[path], 0))
            told[path] = max(position, told[path])
            if len(flows):
                other = shape_of(flows)
                _check_times(shape, other, name)
                shape = merged(shape, other)
                take(flows)
        files.append((name, reader.format, counts))
        notes += reader.notes
    if not shape.is_text:
        raise InputError(_nothing_left(files))
    for path, position in told.items():
        advance(path.stat().st_size - position)
    return shape, {
        "files": [{"file": name, "format": kind, **tally.as_dict()} for name, kind, tally in files],
        **sum((tally for _, _, tally in files), Tally()).as_dict(),
        "timezone": timezone or "UTC",
        "first_date": None if shape.first_day is None else date_of(shape.first_day),
        "notes": list(dict.fromkeys(notes)),
    }


def _check_times(shape: Shape, other: Shape, name: str) -> None:
    if shape.is_text and ("time" in shape.is_text) != ("time" in other.is_text):
        has = "has" if "time" in other.is_text else "has no"
        raise InputError(f"{name} {has} times unlike the files before it: import them apart")


def _nothing_left(files: list[tuple[str, str, Tally]]) -> str:
    counts = sum((tally for _, _, tally in files), Tally())
    why, _ = max(counts.dropped.items(), key=lambda one: one[1], default=("no rows", 0))
    return (
        f"{files[0][0]}: none of {counts.read:,} rows is an attack or a normal flow ({why}): "
        "name another file"
    )


def finished(flows: "pd.DataFrame", shape: Shape) -> "pd.DataFrame":
    """Return a piece as it stands in the flow table: its columns, their types, its days.

    First label, day, date, family and time; then the features that the simulated traffic has; then
    the others as the files have them.
    """
    import pandas as pd

    is_text = dict(shape.is_text)
    if "day" in is_text:
        is_text["date"] = True
        days, places = np.unique(flows["day"].to_numpy(), return_inverse=True)
        dates = pd.Categorical.from_codes(places, [date_of(int(day)) for day in days])
        flows = flows.assign(date=dates, day=(flows["day"] - shape.first_day).astype("int32"))
    known = [name for name in (*RESERVED, *_SCHEMA) if name in is_text]
    columns: dict[str, Any] = {}
    for name in [*known, *(name for name in is_text if name not in known)]:
        column = flows.get(name, pd.Series(np.full(len(flows), math.nan), flows.index))
        if is_text[name]:
            columns[name] = _texts(column.astype("category"))
        elif name in ("label", "day"):
            columns[name] = column
        else:
            columns[name] = column.astype("int64" if name in shape.whole else "float64")
    return pd.DataFrame(columns)


def _texts(column: "pd.Series") -> "pd.Series":
    """Return categories as texts, of the kind that this release of pandas has for them."""
    import pandas as pd

    # The last one stands for a row without a text, whose code is -1.
    words = np.array([*column.cat.categories, math.nan], dtype=object)
    texts = pd.Series(words[column.cat.codes.to_numpy()], dtype=object)
    kind = pd.Series([], dtype="str").dtype
    # Before pandas 3 a text was any object, and a NaN would become the text "nan".
    return texts if kind == np.dtype(object) else texts.astype(kind)
