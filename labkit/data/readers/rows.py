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

from labkit.data.readers.columns import spread
from labkit.data.readers.layout import Layout
from labkit.data.readers.source import Source, blocks, decoded
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# Reasons for which a row is left out.
WRONG_COLUMNS = "wrong number of columns"
EMPTY_ROW = "empty row"
HEADER_AGAIN = "header line again"
NO_NUMBER = "a value that is no number"

_NO_VALUE = ("", "NaN", "nan", "NAN", "NA", "N/A", "null", "NULL", "None")


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
    position
        How many bytes of the file on disk have been read by then.
    left_out
        Reason -> the lines that were left out for it.
    """

    table: "pd.DataFrame"
    unreadable: np.ndarray
    position: int
    left_out: dict[str, np.ndarray] = field(default_factory=dict)


def read_rows(source: Source, layout: Layout) -> Iterator[Rows]:
    """Yield the rows of a source, block by block.

    Raises
    ------
    InputError
        When the source cannot be read.
    """
    first = 1
    for block, position in blocks(source):
        number = block.count(b"\n")
        skipped = min(max(layout.skip + 1 - first, 0), number)
        rest = block.split(b"\n", skipped)[-1]
        if rest:
            yield _rows(source.name, rest, first + skipped, layout, position)
        first += number


def _rows(name: str, block: bytes, first: int, layout: Layout, position: int) -> Rows:
    """Read a block whose first line is line `first` of the file."""
    data = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths, wanted = ends - starts, len(layout.columns) - 1
    marks = np.flatnonzero(data == ord(layout.delimiter))
    counts = np.diff(np.searchsorted(marks, ends), prepend=0)

    def lines_with(mark: bytes) -> np.ndarray:
        return np.unique(np.searchsorted(ends, np.flatnonzero(data == ord(mark))))

    def line(at: int) -> bytes:
        return block[starts[at] : ends[at]]

    wrong = counts != wanted
    if layout.quoted and b'"' in block:
        for at in lines_with(b'"'):
            wrong[at] = _quoted_count(line(at), layout) != wanted + 1
    # Neither occurs in a text file, and what comes after it would be misread.
    for control in (b"\r", b"\0"):
        if control in block:
            wrong[lines_with(control)] = True
    no_row = lengths == 0
    if layout.comment:
        # The first byte of a blank line is its end.
        for at in np.flatnonzero(data[starts] == ord(layout.comment)):
            _check_comment(name, decoded(line(at)), layout)
            no_row[at] = True
    header = (lengths == len(layout.header.encode())) & ~no_row
    for at in np.flatnonzero(header):
        header[at] = line(at) == layout.header.encode()
    empty = (lengths == wanted) & (counts == wanted) & ~no_row
    wrong &= ~(header | no_row)
    left_out = {
        reason: first + np.flatnonzero(lines)
        for reason, lines in ((WRONG_COLUMNS, wrong), (EMPTY_ROW, empty), (HEADER_AGAIN, header))
        if lines.any()
    }
    sound = ~(wrong | empty | header | no_row)
    if not sound.all():
        block = data[np.repeat(sound, lengths + 1)].tobytes()
    table, unreadable = _table(decoded(block), layout)
    if len(table) != sound.sum():
        raise InputError(f"{name}: its lines cannot be told apart from line {first} on")
    return Rows(table.set_axis(first + np.flatnonzero(sound)), unreadable, position, left_out)


def _quoted_count(line: bytes, layout: Layout) -> int:
    """Return how many fields a line with quotes has; 0 where they are not closed."""
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
    try:
        table = _parsed(text, layout, numbers_as="float64")
        return table, np.zeros(len(table), dtype=bool)
    except (ValueError, OverflowError):
        pass
    # Some value is no number. Every one is looked at, to say which.
    table = _parsed(text, layout, numbers_as="object")
    unreadable = np.zeros(len(table), dtype=bool)
    for name in set(table) - layout.texts:
        table[name], bad = numbers_of(table[name], layout.unset)
        unreadable |= bad
    return table, unreadable


def _parsed(text: str, layout: Layout, numbers_as: str) -> "pd.DataFrame":
    import pandas as pd

    wanted = {at: name for at, name in enumerate(layout.columns) if name}
    if not text:
        none = {n: "category" if n in layout.texts else "float64" for n in wanted.values()}
        return pd.DataFrame({n: pd.Series([], dtype=kind) for n, kind in none.items()})
    kinds = {at: "object" if n in layout.texts else numbers_as for at, n in wanted.items()}
    unset = ["", *layout.unset]
    # From 3.1 on pandas reads digits to the nearest float always, and warns of the option.
    release = tuple(int(part) for part in pd.__version__.split(".")[:2])
    table = pd.read_csv(
        io.StringIO(text),
        sep=layout.delimiter,
        header=None,
        names=list(range(len(layout.columns))),
        usecols=list(wanted),
        dtype=kinds,
        keep_default_na=False,
        na_values={
            at: unset if n in layout.texts else [*unset, *_NO_VALUE] for at, n in wanted.items()
        },
        quoting=csv.QUOTE_MINIMAL if layout.quoted else csv.QUOTE_NONE,
        skipinitialspace=True,
        skip_blank_lines=False,
        index_col=False,
        engine="c",
        **({} if release >= (3, 1) else {"float_precision": "round_trip"}),
    ).rename(columns=wanted)
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
    values = spread(column, [math.nan if number is None else number for number in found], math.nan)
    return values, spread(column, [number is None for number in found], False)


def _number(value: str, unset: tuple[str, ...]) -> float | None:
    """Return the number that a text spells, NaN where unset, None where it spells none."""
    value = value.strip()
    if value in _NO_VALUE or value in unset:
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
