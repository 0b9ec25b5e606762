"""The bytes of flow files as blocks of whole lines: plain, gzip, or inside a zip."""

import gzip
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labkit.errors import InputError

BLOCK = 1 << 23
HEAD = 1 << 16
LONGEST_LINE = 1 << 20

PARQUET = b"PAR1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"
# What the standard library raises on a damaged, locked or exotic archive.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError),
    *(RuntimeError, ValueError, OverflowError, MemoryError),
)

Advance = Callable[[int], object]
"""Is told how many more bytes of the file on disk have been read."""


def silent(_: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class Source:
    """A file, or a member of a zip file, that holds flows.

    Parameters
    ----------
    path
        The file on disk.
    member
        The member; "" where the file is no zip.
    is_only
        Whether there is no other member.

    Examples
    --------
    >>> Source(Path("week.zip"), "day.csv", is_only=False).name
    'week.zip/day.csv'
    """

    path: Path
    member: str = ""
    is_only: bool = True

    @property
    def name(self) -> str:
        """What messages and summaries call it."""
        return str(self.path) if self.is_only else f"{self.path}/{self.member}"


def sources(path: Path) -> tuple[Source, ...]:
    """Return what a path holds: itself, or the members of a zip file in the order of their names.

    Raises
    ------
    InputError
        When it is missing, no regular file, empty, or a damaged zip file.
    """
    with _told(str(path)):
        if path.is_dir():
            raise InputError(f"{path} is a folder: name the files in it")
        if not path.exists():
            raise InputError(f"{path} is missing: name a file of flows")
        if not path.is_file():
            raise InputError(f"{path} is no regular file: save it as one first")
    if not _first_bytes(path).startswith(_ZIP):
        return (Source(path),)
    with _told(str(path)), zipfile.ZipFile(path) as packed:
        found = [one for one in packed.infolist() if not one.is_dir() and one.file_size]
    # Beside each file, an archive made on a Mac holds a hidden one that is no table.
    names = sorted(n for n in {one.filename for one in found} if not n.startswith("__MACOSX/"))
    if not names:
        raise InputError(f"{path} is a zip file without a file in it: fetch it anew")
    return tuple(Source(path, name, len(names) == 1) for name in names)


def is_parquet(source: Source) -> bool:
    """Return whether a source holds Parquet, by its first bytes."""
    return not source.member and _first_bytes(source.path).startswith(PARQUET)


def read_head(source: Source) -> bytes:
    """Return the first bytes of a source, unpacked.

    Raises
    ------
    InputError
        When it cannot be read, holds nothing, or is UTF-16.
    """
    with _told(source.name), _opened(source) as (_, content):
        head = content.read(HEAD)
    if not head.strip():
        raise InputError(f"{source.name} holds no line: fetch it anew")
    if head.startswith(_UTF_16):
        raise InputError(f"{source.name} is in UTF-16: save it as UTF-8")
    return head.removeprefix(_BOM)


def blocks(source: Source, size: int = BLOCK, advance: Advance = silent) -> Iterator[bytes]:
    r"""Yield the bytes of a source in order, cut at line ends.

    Line ends are ``\n`` in what is yielded, and the last line has one; a byte order mark is left
    out.

    Parameters
    ----------
    source
        What to read.
    size
        Bytes to read at a time; a block holds about as many.
    advance
        Is told of the bytes read from disk after every block.

    Raises
    ------
    InputError
        When the source cannot be read, or has a line of over a million bytes.
    """
    with _told(source.name), _opened(source) as (raw, content):
        before, rest, first = 0, b"", True
        while chunk := content.read(size):
            text = rest + (chunk.removeprefix(_BOM) if first else chunk)
            first = False
            end = text.rfind(b"\n") + 1
            if len(text) - end > LONGEST_LINE:
                raise InputError(f"{source.name} has a line of over a million bytes: no flow table")
            rest = text[end:]
            if end:
                yield text[:end].replace(b"\r\n", b"\n")
            here = max(raw.tell(), before)
            advance(here - before)
            before = here
        if rest:
            yield rest.removesuffix(b"\r") + b"\n"


def _first_bytes(path: Path) -> bytes:
    with _told(str(path)), path.open("rb") as file:
        return file.read(4)


@contextmanager
def _opened(source: Source) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open the file on disk, and what it holds when unpacked."""
    with source.path.open("rb") as raw:
        if source.member:
            with zipfile.ZipFile(raw) as packed, packed.open(source.member) as content:
                yield raw, content
        elif _first_bytes(source.path).startswith(_GZIP):
            with gzip.GzipFile(fileobj=raw) as content:
                yield raw, content
        else:
            yield raw, raw


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Tell in one line why a file cannot be read."""
    try:
        yield
    except InputError:
        raise
    except (gzip.BadGzipFile, *_DAMAGE) as error:
        why = "it is locked with a password" if "password" in str(error) else str(error)
        raise InputError(f"{name} cannot be unpacked ({why}): fetch it anew or unpack it") from None
    except OSError as error:
        raise InputError(f"{name} cannot be read ({error.strerror or error})") from None
