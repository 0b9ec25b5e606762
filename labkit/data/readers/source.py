"""The bytes of flow files as blocks of whole lines: plain, gzip, or inside a zip."""

import codecs
import gzip
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from labkit.errors import InputError

BLOCK = 1 << 23
"""Bytes to read at a time."""
HEAD = 1 << 16
LONGEST_LINE = 1 << 20

PARQUET = b"PAR1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP = b"\x1f\x8b"
# What the standard library raises on a damaged, locked or exotic archive.
_DAMAGE = (
    *(gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, struct.error),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, MemoryError),
)


@dataclass(frozen=True)
class Source:
    """A file, or a member of a zip file, that holds flows.

    Parameters
    ----------
    name
        What messages and summaries call it.
    path
        The file on disk.
    member
        The member; "" where the file is no zip.
    """

    name: str
    path: Path
    member: str = ""

    @property
    def is_parquet(self) -> bool:
        """Whether it holds Parquet, by its first bytes."""
        return not self.member and _first_bytes(self.path).startswith(PARQUET)


def sources(path: Path) -> tuple[Source, ...]:
    """Return what a path holds: itself, or the members of a zip file in the order of their names.

    Raises
    ------
    InputError
        When it is missing, no regular file, or a damaged zip file.
    """
    with _told(str(path)):
        if path.is_dir():
            raise InputError(f"{path} is a folder: name the files in it")
        if not path.exists():
            raise InputError(f"{path} is missing: name a file of flows")
        if not path.is_file():
            raise InputError(f"{path} is no regular file: save it as one first")
    if not _first_bytes(path).startswith(_ZIP):
        return (Source(str(path), path),)
    with _told(str(path)), zipfile.ZipFile(path) as packed:
        found = {one.filename for one in packed.infolist() if not one.is_dir() and one.file_size}
    # Beside each file, an archive made on a Mac holds a hidden one that is no table.
    names = sorted(name for name in found if not name.startswith("__MACOSX/"))
    if not names:
        raise InputError(f"{path} is a zip file without a file in it: fetch it anew")
    if len(names) == 1:
        return (Source(str(path), path, names[0]),)
    return tuple(Source(f"{path}/{name}", path, name) for name in names)


def first_bytes(source: Source) -> bytes:
    """Return the first `HEAD` bytes of a source, unpacked, without a byte order mark.

    Raises
    ------
    InputError
        When it cannot be read, holds nothing, or is UTF-16.
    """
    with _told(source.name), _opened(source) as (_, content):
        head = content.read(HEAD)
    if not head.strip():
        raise InputError(f"{source.name} holds no line: fetch it anew")
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{source.name} is in UTF-16: save it as UTF-8")
    return head.removeprefix(codecs.BOM_UTF8)


def blocks(source: Source) -> Iterator[tuple[bytes, int]]:
    r"""Yield the bytes of a source in order, cut at line ends.

    Line ends are ``\n`` in what is yielded, and the last line has one; a byte order mark is left
    out. Each block comes with the number of bytes of the file on disk that have been read by then.

    Raises
    ------
    InputError
        When the source cannot be read, or has a line of over a million bytes.
    """
    with _told(source.name), _opened(source) as (raw, content):
        rest, mark = b"", codecs.BOM_UTF8
        while chunk := content.read(BLOCK):
            text = rest + chunk.removeprefix(mark)
            mark = b""
            end = text.rfind(b"\n") + 1
            if len(text) - end > LONGEST_LINE:
                raise InputError(f"{source.name} has a line of over a million bytes: no flow table")
            rest = text[end:]
            if end:
                yield text[:end].replace(b"\r\n", b"\n"), raw.tell()
        if rest:
            yield rest.removesuffix(b"\r") + b"\n", raw.tell()


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
    return byte.decode("cp1252", errors="replace"), error.start + 1


_WINDOWS = "labkit-windows-1252"
codecs.register_error(_WINDOWS, _as_windows)


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
    except _DAMAGE as error:
        why = "it is locked with a password" if "password" in str(error) else str(error)
        raise InputError(f"{name} cannot be unpacked ({why}): fetch it anew or unpack it") from None
    except OSError as error:
        why = error.strerror or error
        raise InputError(
            f"{name} cannot be read ({why}): see its rights or fetch it anew"
        ) from None
