"""What a file is, told by its first bytes and not by its name, and its checksum."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from labkit.errors import InputError
from labkit.scale.files import parquet_files, refuse_pipe

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
# Other things that people keep tables in.
_OTHERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; unpack it, or export it as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet; export it as CSV",
    b"ARROW1": "an Arrow file; write it as Parquet",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first",
    b"BZh": "packed with bzip2; unpack it first",
    b"\xfd7zXZ": "packed with xz; unpack it first",
}
_BLOCK = 2**20


@dataclass(frozen=True)
class ScoreFiles:
    """A file, or the Parquet files of a folder.

    Attributes
    ----------
    files
        In order.
    sha256
        Of their bytes, one after the other.
    parquet, packed
        Whether they are Parquet, and whether the one is packed with gzip.
    """

    files: tuple[Path, ...]
    sha256: str
    parquet: bool
    packed: bool


def look_at(path: Path) -> ScoreFiles:
    """Read a file, or those of a folder, through once.

    Raises
    ------
    InputError
        When one is missing, cannot be read, is empty, or is neither CSV nor Parquet.
    """
    files = tuple(parquet_files(path)) if path.is_dir() else (path,)
    digest, first = hashlib.sha256(), b""
    for one in files:
        first = _digested(one, digest)
    parquet = first.startswith(_PARQUET)
    if path.is_dir() and not parquet:
        raise InputError(f"{files[-1]} is not a Parquet file")
    return ScoreFiles(files, digest.hexdigest(), parquet, first.startswith(_GZIP))


def _digested(path: Path, digest: "hashlib._Hash") -> bytes:
    """Add the bytes of a file to a checksum; return the first of them."""
    first = b""
    refuse_pipe(path)
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                first = first or block[:8]
                digest.update(block)
    except FileNotFoundError:
        raise InputError(f"{path} is missing; name a CSV or Parquet file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from None
    if not first:
        raise InputError(f"{path} is empty; a header and records were expected")
    for start, what in _OTHERS.items():
        if first.startswith(start):
            raise InputError(f"{path} is neither CSV nor Parquet: it is {what}")
    return first
