"""The first lines of a file, and the layout that they tell: delimiter, header, columns."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass

from labkit.data.readers.source import HEAD, Source, decoded, first_bytes
from labkit.errors import InputError

DELIMITERS = ",\t;|"
_FEW = 200


@dataclass(frozen=True)
class Head:
    """The first lines of a file.

    Parameters
    ----------
    source
        The file.
    lines
        Its first whole lines without their ends; the first one is never blank.
    blank
        Blank lines that stood before them.
    """

    source: Source
    lines: tuple[str, ...]
    blank: int = 0

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.source.name

    @property
    def delimiter(self) -> str:
        """The delimiter that the first line has most of; a comma when it has none."""
        return max(DELIMITERS, key=lambda mark: (self.lines[0].count(mark), mark == ","))

    @property
    def header(self) -> list[str]:
        """The fields of the first line."""
        return fields(self.lines[0], self.delimiter)

    @property
    def rows(self) -> list[list[str]]:
        """The fields of every line that is not blank."""
        return [fields(line, self.delimiter) for line in self.lines if line.strip()]


@dataclass(frozen=True)
class Layout:
    """How the lines of a file are cut into columns.

    Parameters
    ----------
    columns
        Our name for each column in the order of the file; "" for one that is not wanted.
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


def read_head(source: Source) -> Head:
    r"""Return the first lines of a source.

    Raises
    ------
    InputError
        When it cannot be read, holds nothing, or is UTF-16.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_bytes(b"\n time;label\r\n1;normal\r\n")
    >>> head = read_head(Source("a.csv", file))
    >>> head.header, head.lines[1], head.blank
    (['time', 'label'], '1;normal', 1)
    """
    content = first_bytes(source)
    lines = [line.removesuffix("\r") for line in decoded(content).split("\n")]
    # The last line may be cut (a byte order mark has been taken off), or nothing follows its end.
    if len(lines) > 1 and (len(content) >= HEAD - 3 or not lines[-1]):
        lines.pop()
    blank = 0
    while blank < len(lines) - 1 and not lines[blank].strip():
        blank += 1
    return Head(source, tuple(lines[blank : blank + _FEW]), blank)


def layout_of(head: Head, names: Iterable[str], texts: Iterable[str]) -> Layout:
    """Return the layout of a file whose first line is its header.

    Parameters
    ----------
    head
        The first lines.
    names
        Our name for each column; "" for one that is not wanted. One that comes again is left out.
    texts
        The columns to be read as text.

    Raises
    ------
    InputError
        When the header does not fit the rows.
    """
    columns = once(names)
    check_fit(head, len(columns), head.delimiter, header=1)
    return Layout(
        columns=columns,
        texts=frozenset(texts),
        delimiter=head.delimiter,
        skip=head.blank + 1,
        header=head.lines[0],
    )


def fields(line: str, delimiter: str) -> list[str]:
    """Return the fields of a line without the spaces around them.

    Examples
    --------
    >>> fields('a, "b, c" ,"d', ",")
    ['a', 'b, c', 'd']
    """
    try:
        found = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        found = line.split(delimiter)
    return [field.strip() for field in found]


def plain(name: str) -> str:
    """Return a column name in small letters, with _ for what is neither letter nor digit.

    Examples
    --------
    >>> plain(" Src IP"), plain("ct_src_ ltm"), plain("Flow Bytes/s")
    ('src_ip', 'ct_src_ltm', 'flow_bytes_s')
    """
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def once(names: Iterable[str]) -> tuple[str, ...]:
    """Return names with "" for one that came before.

    Examples
    --------
    >>> once(["a", "b", "a"])
    ('a', 'b', '')
    """
    first: dict[str, int] = {}
    return tuple(n if first.setdefault(n, at) == at else "" for at, n in enumerate(names))


def require(head: Head, names: Iterable[str], needed: Iterable[str], what: str) -> None:
    """Raise unless a header has the columns that a format cannot do without."""
    has = set(names)
    missing = [name for name in needed if name not in has]
    if missing:
        raise InputError(
            f"{head.name}: its header lacks {', '.join(missing)}: it is no {what}, or a broken copy"
        )


def check_fit(head: Head, columns: int, delimiter: str, *, header: int) -> None:
    """Raise when no row in the head has as many fields as its header names columns.

    Parameters
    ----------
    head
        The first lines.
    columns
        How many columns the header names.
    delimiter
        What stands between them.
    header
        How many lines the header takes.
    """
    rows = [(at, line) for at, line in enumerate(head.lines) if at >= header and line.strip()]
    counts = {at: len(fields(line, delimiter)) for at, line in rows if not line.startswith("#")}
    if counts and columns not in counts.values():
        at = next(iter(counts))
        raise InputError(
            f"{head.name}: its header names {columns} columns but line {at + head.blank + 1} has "
            f"{counts[at]}: the copy is broken; fetch it anew"
        )
