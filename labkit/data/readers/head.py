"""The first lines of a file, from which its format, delimiter and header are told."""

import codecs
import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass

from labkit.errors import InputError

DELIMITERS = ",\t;|"
_FEW = 200
_UNDEFINED = "\ufffd"


@dataclass(frozen=True)
class Head:
    """The first lines of a file.

    Parameters
    ----------
    name
        The file, for messages.
    lines
        Its first whole lines without their ends; the first one is never blank.
    blank
        Blank lines that stood before them.
    """

    name: str
    lines: tuple[str, ...]
    blank: int = 0

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


def head_of(name: str, content: bytes, *, whole: bool) -> Head:
    r"""Return the first lines of a file from its first bytes.

    Parameters
    ----------
    name
        The file, for messages.
    content
        Its first bytes.
    whole
        Whether these are all of its bytes; otherwise the last line may be cut and is left out.

    Examples
    --------
    >>> head = head_of("a.csv", b"\n time;label\r\n1;normal\r\n2;no", whole=False)
    >>> head.header, head.lines[1], head.blank
    (['time', 'label'], '1;normal', 1)
    """
    lines = [line.removesuffix("\r") for line in decoded(content).split("\n")]
    if len(lines) > 1 and (not whole or not lines[-1]):
        lines.pop()
    blank = 0
    while blank < len(lines) - 1 and not lines[blank].strip():
        blank += 1
    return Head(name, tuple(lines[blank : blank + _FEW]), blank)


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


def require(head: Head, names: Iterable[str], wanted: Iterable[str], what: str) -> None:
    """Raise unless a header has the columns that a format cannot do without."""
    missing = [name for name in wanted if name not in set(names)]
    if missing:
        raise InputError(
            f"{head.name}: its header lacks {', '.join(missing)}: it is no {what}, or a broken copy"
        )


def check_fit(head: Head, columns: int, delimiter: str, *, header: int) -> None:
    """Raise when the first rows of a file have another number of fields than its header names.

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
    rows = [(at, line) for at, line in rows if not line.startswith("#")]
    counts = [len(fields(line, delimiter)) for _, line in rows]
    if counts and columns not in counts:
        row = rows[0][0] + head.blank + 1
        raise InputError(
            f"{head.name}: its header names {columns} columns but line {row} has {counts[0]}: "
            "the copy is broken; fetch it anew"
        )


def decoded(content: bytes) -> str:
    r"""Decode UTF-8, and as Windows-1252 whatever bytes are not.

    Examples
    --------
    >>> decoded(b"Web Attack \x96 XSS") == decoded("Web Attack \u2013 XSS".encode())
    True
    """
    return content.decode("utf-8", errors=_WINDOWS)


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    # Byte by byte, so that what a byte becomes does not depend on those around it.
    byte = error.object[error.start : error.start + 1]
    return byte.decode("cp1252", errors="replace") or _UNDEFINED, error.start + 1


_WINDOWS = "labkit-windows-1252"
codecs.register_error(_WINDOWS, _as_windows)
