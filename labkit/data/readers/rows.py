"""Blocks of lines to tables of columns, and which lines cannot be read.

Lines are sorted out before pandas sees them: those with too few or too many columns, those that
repeat the header, and those that hold delimiters alone. So no line can swallow the next, and each
that is left out is counted. A record is a line: a quoted field may hold delimiters, not line ends.
"""

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from labkit.data.readers.head import decoded
from labkit.data.readers.source import BLOCK, Advance, Source, blocks, silent
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# Reasons for which a row is dropped.
COLUMNS = "wrong number of columns"
EMPTY = "empty row"
HEADER = "header line again"
NUMBER = "a value that is no number"

_NO_NUMBER = ("", "NaN", "nan", "NAN", "NA", "N/A", "null", "NULL", "None")
_NEW_LINE = ord("\n")


@dataclass(frozen=True)
class Layout:
    """How the lines of a file are cut into columns.

    Parameters
    ----------
    columns
        A name for each column in the order of the file; "" for one that is not wanted.
    texts
        The columns to be read as text; the others hold numbers.
    delimiter
        What stands between columns.
    skip
        Lines before the first row.
    header
        The header line; a row equal to it is left out.
    comment
        What a line begins with that is no row; "" where every line is one.
    unset
        Texts that mean that there is no value, beside an empty one.
    quoted
        Whether a field may stand in quotes.
    """

    columns: tuple[str, ...]
    texts: frozenset[str]
    delimiter: str = ","
    skip: int = 0
    header: str = ""
    comment: str = ""
    unset: tuple[str, ...] = ()
    quoted: bool = True


@dataclass(frozen=True)
class Rows:
    """Some rows of a file.

    Parameters
    ----------
    table
        The wanted columns: texts as categories, numbers as floats, NaN where unset. The index has
        the numbers of their lines in the file, from 1.
    unreadable
        Which of them have a text where a number belongs.
    left_out
        Reason -> how many other rows were left out, and the line of the first.
    """

    table: "pd.DataFrame"
    unreadable: np.ndarray
    left_out: dict[str, tuple[int, int]] = field(default_factory=dict)


def read_rows(
    source: Source, layout: Layout, size: int = BLOCK, advance: Advance = silent
) -> Iterator[Rows]:
    """Yield the rows of a source, block by block.

    Parameters
    ----------
    source
        What to read.
    layout
        How its lines are cut into columns.
    size
        Bytes to read at a time.
    advance
        Is told of the bytes read after every block.

    Raises
    ------
    InputError
        When the source cannot be read.
    """
    line = 1
    for block in blocks(source, size, advance):
        number = block.count(b"\n")
        skipped = min(max(layout.skip + 1 - line, 0), number)
        kept = block
        for _ in range(skipped):
            kept = kept[kept.index(b"\n") + 1 :]
        if kept:
            yield _rows(source.name, kept, line + skipped, layout)
        line += number


def _rows(name: str, block: bytes, first: int, layout: Layout) -> Rows:
    """Read a block whose first line is line `first` of the file."""
    data = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(data == _NEW_LINE)
    starts = np.concatenate([[0], ends[:-1] + 1])
    reasons = _reasons(name, block, data, starts, ends, layout)
    left_out = {}
    for reason in (COLUMNS, EMPTY, HEADER):
        found = np.flatnonzero(reasons == reason)
        if len(found):
            left_out[reason] = (len(found), first + int(found[0]))
    sound = reasons == ""
    if not sound.all():
        block = data[np.repeat(sound, ends - starts + 1)].tobytes()
    table, unreadable = _table(decoded(block), layout)
    lines = np.flatnonzero(sound) + first
    if len(table) != len(lines):
        raise InputError(f"{name}: its lines cannot be told apart from line {first} on")
    table.index = lines
    return Rows(table, unreadable, left_out)


def _reasons(
    name: str,
    block: bytes,
    data: np.ndarray,
    starts: np.ndarray,
    ends: np.ndarray,
    layout: Layout,
) -> np.ndarray:
    """Return for every line why it is left out: "" for a sound row, "no row" for what is none."""
    wanted = len(layout.columns) - 1
    marks = np.flatnonzero(data == ord(layout.delimiter))
    counts = np.diff(np.searchsorted(marks, ends), prepend=0)
    reasons = np.where(counts == wanted, "", COLUMNS).astype(object)
    for at in _lines_with(b'"', block, data, ends) if layout.quoted else ():
        line = block[starts[at] : ends[at]]
        reasons[at] = "" if _quoted_count(line, layout) == wanted + 1 else COLUMNS
    # Neither occurs in a text file, and what comes after it would be misread.
    for control in (b"\r", b"\0"):
        reasons[_lines_with(control, block, data, ends)] = COLUMNS
    lengths = ends - starts
    reasons[(lengths == wanted) & (counts == wanted)] = EMPTY
    header = layout.header.encode()
    for at in np.flatnonzero(lengths == len(header)) if header else ():
        if block[starts[at] : ends[at]] == header:
            reasons[at] = HEADER
    if layout.comment:
        # The first byte of a blank line is its end.
        for at in np.flatnonzero(data[starts] == ord(layout.comment)):
            _check_comment(name, decoded(block[starts[at] : ends[at]]), layout)
            reasons[at] = "no row"
    reasons[lengths == 0] = "no row"
    return reasons


def _lines_with(mark: bytes, block: bytes, data: np.ndarray, ends: np.ndarray) -> np.ndarray:
    if mark not in block:
        return np.array([], dtype=int)
    return np.unique(np.searchsorted(ends, np.flatnonzero(data == ord(mark))))


def _quoted_count(line: bytes, layout: Layout) -> int:
    try:
        reader = csv.reader(
            [decoded(line)], delimiter=layout.delimiter, skipinitialspace=True, strict=True
        )
        return len(next(reader))
    except csv.Error:
        return 0


def _check_comment(name: str, line: str, layout: Layout) -> None:
    """Refuse logs joined to one file whose columns differ."""
    if line.startswith("#fields") and line != layout.header:
        raise InputError(f"{name}: a second #fields line differs from the first: import them apart")


def _table(text: str, layout: Layout) -> tuple["pd.DataFrame", np.ndarray]:
    """Parse sound lines; also return in which of them a number cannot be read."""
    names = [name for name in layout.columns if name]
    try:
        table = _parsed(text, layout, numbers_as="float64")
        return table[names], np.zeros(len(table), dtype=bool)
    except (ValueError, OverflowError):
        pass
    # Some value is no number. Every one is looked at, to say which.
    table = _parsed(text, layout, numbers_as="object")
    unreadable = np.zeros(len(table), dtype=bool)
    for name in names:
        if name not in layout.texts:
            table[name], bad = numbers_of(table[name], layout.unset)
            unreadable |= bad
    return table[names], unreadable


def numbers_of(column: "pd.Series", unset: tuple[str, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers that a text column spells, and which rows spell none.

    Examples
    --------
    >>> import pandas as pd
    >>> values, bad = numbers_of(pd.Series(["1e3", "-", "x", None], dtype="category"), ("-",))
    >>> values.tolist(), bad.tolist()
    ([1000.0, nan, nan, nan], [False, False, True, False])
    """
    found = [_number(text, unset) for text in column.cat.categories]
    # The last one stands for a row without a text, whose code is -1.
    bad = np.array([number is None for number in found] + [False])
    values = np.array([math.nan if n is None else n for n in found] + [math.nan], dtype=float)
    codes = column.cat.codes.to_numpy()
    return values[codes], bad[codes]


def _parsed(text: str, layout: Layout, numbers_as: str) -> "pd.DataFrame":
    import pandas as pd

    wanted = {at: name for at, name in enumerate(layout.columns) if name}
    unset = ["", *layout.unset]
    if not text:
        kinds = {n: "category" if n in layout.texts else "float64" for n in wanted.values()}
        return pd.DataFrame({n: pd.Series([], dtype=kind) for n, kind in kinds.items()})
    table = pd.read_csv(
        io.StringIO(text),
        sep=layout.delimiter,
        header=None,
        names=list(range(len(layout.columns))),
        usecols=list(wanted),
        dtype={at: object if n in layout.texts else numbers_as for at, n in wanted.items()},
        keep_default_na=False,
        na_values={
            at: unset if n in layout.texts else [*unset, *_NO_NUMBER] for at, n in wanted.items()
        },
        quoting=csv.QUOTE_MINIMAL if layout.quoted else csv.QUOTE_NONE,
        skipinitialspace=True,
        skip_blank_lines=False,
        index_col=False,
        engine="c",
        **_exact(),
    )
    table = table.rename(columns=wanted)
    for name in table:
        if table[name].dtype == object:
            table[name] = categories(table[name].to_numpy())
    return table


def categories(texts: np.ndarray) -> "pd.Categorical":
    """Return texts as categories, NaN where there is none.

    pandas would make numbers of texts that look like them.
    """
    import pandas as pd

    codes, words = pd.factorize(texts)
    return pd.Categorical.from_codes(codes, categories=pd.Index(words, dtype=object))


def _exact() -> dict[str, str]:
    """Return what makes pandas read digits to the nearest float; from 3.1 on it always does."""
    import pandas as pd

    release = tuple(int(part) for part in pd.__version__.split(".")[:2])
    return {} if release >= (3, 1) else {"float_precision": "round_trip"}


def _number(value: str, unset: tuple[str, ...]) -> float | None:
    """Return the number that a text spells, NaN where unset, None where it spells none."""
    value = value.strip()
    if value in _NO_NUMBER or value in unset:
        return math.nan
    if value.lower() in ("true", "false"):
        return float(value.lower() == "true")
    # Python alone reads 1_000 and digits of other scripts as numbers.
    if "_" in value or not value.isascii():
        return None
    try:
        return float(value)
    except ValueError:
        return None
