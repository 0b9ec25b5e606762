"""The flow table of one or several files, put together from pieces."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from labkit.data.readers.formats import RESERVED
from labkit.data.readers.pieces import Opened, pieces
from labkit.data.readers.source import BLOCK, Advance, silent
from labkit.data.readers.summary import Tally, plus, summary
from labkit.data.readers.times import date_of, time_zone
from labkit.data.schema import COLUMNS
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NUMBER, TEXT = "number", "text"
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
    kinds
        Column -> "number" or "text".
    whole
        The columns of numbers that are whole and set in every row so far.
    first_day
        The first calendar day, counted from 1970-01-01; None where there are no times.
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    whole: frozenset[str] = frozenset()
    first_day: int | None = None


def shape_of(flows: "pd.DataFrame") -> Shape:
    """Return the shape of a piece that is not empty."""
    kinds = {n: TEXT if flows[n].dtype == "category" else NUMBER for n in flows}
    whole = [n for n in flows if kinds[n] == NUMBER and _is_whole(flows[n].to_numpy())]
    first = int(flows["day"].min()) if "day" in flows else None
    return Shape(kinds, frozenset(whole) - _MEASURED, first)


def _is_whole(values: np.ndarray) -> bool:
    if values.dtype.kind in "iu":
        return True
    # A NaN is neither whole nor small; nor is an infinity.
    return bool(((np.abs(values) <= _EXACT) & (np.floor(values) == values)).all())


def merged(one: Shape, other: Shape) -> Shape:
    """Return the shape of two pieces together.

    A column that only one of them has is unset in the other, and so not of integers.
    """
    if not one.kinds:
        return other
    days = [day for day in (one.first_day, other.first_day) if day is not None]
    return Shape(
        {**one.kinds, **other.kinds},
        frozenset(one.whole & other.whole),
        min(days, default=None),
    )


def columns_of(shape: Shape) -> list[str]:
    """Return the columns of the flow table in order.

    First label, day, date, family and time; then the features that the simulated traffic has; then
    the others as the files have them.
    """
    first = [n for n in RESERVED if n in shape.kinds or (n == "date" and "day" in shape.kinds)]
    known = [n for n in _SCHEMA if n in shape.kinds]
    others = [n for n in shape.kinds if n not in RESERVED and n not in _SCHEMA]
    return [*first, *known, *others]


def finished(flows: "pd.DataFrame", shape: Shape) -> "pd.DataFrame":
    """Return a piece as it stands in the flow table: its columns, their types, its days."""
    import pandas as pd

    columns: dict[str, Any] = {}
    missing = pd.Series(np.full(len(flows), math.nan))
    for name in columns_of(shape):
        if name == "date":
            days, places = np.unique(flows["day"].to_numpy(), return_inverse=True)
            dates = [date_of(int(day)) for day in days]
            columns[name] = _texts(pd.Series(pd.Categorical.from_codes(places, dates)))
        elif name == "day":
            columns[name] = (flows["day"].to_numpy() - shape.first_day).astype("int32")
        elif name == "label":
            columns[name] = flows["label"].to_numpy()
        elif shape.kinds[name] == TEXT:
            columns[name] = _texts(flows[name] if name in flows else missing.astype("category"))
        elif name not in flows:
            columns[name] = missing
        else:
            dtype = "int64" if name in shape.whole else "float64"
            columns[name] = flows[name].to_numpy().astype(dtype)
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


def gathered(
    opened: Iterable[Opened],
    timezone: str | None,
    take: Callable[["pd.DataFrame"], object],
    size: int = BLOCK,
    advance: Advance = silent,
) -> tuple[Shape, dict]:
    """Read every file and hand over its pieces; return their shape and the summary.

    Parameters
    ----------
    opened
        The files.
    timezone
        The zone whose calendar days count, and whose clock times are; None is UTC.
    take
        Is given every piece that is not empty.
    size
        Bytes to read at a time.
    advance
        Is told of the bytes read.

    Raises
    ------
    InputError
        When a file is broken, some have times and others none, or no row is left of all.
    """
    zone, shape = time_zone(timezone), Shape()
    files: dict[str, Tally] = {}
    formats, notes = {}, []
    for one in opened:
        name = one.source.name
        files[name], formats[name] = Tally(), one.format
        notes += one.reader.notes
        for flows, tally in pieces(one, zone, size, advance):
            files[name] = plus(files[name], tally)
            if len(flows):
                other = shape_of(flows)
                _check_times(shape, other, name)
                shape = merged(shape, other)
                take(flows)
    if not shape.kinds:
        raise InputError(_nothing_left(files))
    first = None if shape.first_day is None else date_of(shape.first_day)
    return shape, summary(files, formats, timezone=timezone, first_date=first, notes=notes)


def _check_times(shape: Shape, other: Shape, name: str) -> None:
    if shape.kinds and ("time" in shape.kinds) != ("time" in other.kinds):
        has = "has" if "time" in other.kinds else "has no"
        raise InputError(f"{name} {has} times unlike the files before it: import them apart")


def _nothing_left(files: Mapping[str, Tally]) -> str:
    name = next(iter(files), "")
    tallies = list(files.values())
    read = sum(tally.read for tally in tallies)
    reasons = {r: n for tally in tallies for r, n in tally.dropped.items()}
    why = max(reasons, key=lambda r: reasons[r], default="no rows")
    return f"{name}: none of {read:,} rows is an attack or a normal flow ({why}): name another file"
