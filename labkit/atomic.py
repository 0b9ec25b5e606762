"""Write a file whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from labkit.errors import InputError


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a binary file that takes the place of `path` only when the block ends without error.

    The bytes go to a temporary file in the same folder, so a process that dies in the middle
    leaves the old file as it was. The folder is made if it is missing.

    Parameters
    ----------
    path
        The file to write or replace.

    Raises
    ------
    InputError
        When it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_write(folder / "a.txt") as file:
    ...     _ = file.write(b"whole")
    >>> (folder / "a.txt").read_bytes()
    b'whole'
    """
    # Through a link to the file itself, which keeps its permissions.
    path = resolved(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode if path.exists() else 0o666 & ~_umask()
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=".tmp", delete=False
        ) as file:
            temporary = Path(file.name)
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                file.close()
                temporary.chmod(mode)
                temporary.replace(path)
            except BaseException:
                file.close()
                temporary.unlink()
                raise
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def resolved(path: str | os.PathLike[str]) -> Path:
    """Return what a path leads to through its links; a loop of links is an InputError."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError):
        raise InputError(f"{path} is a loop of links; name another path") from None


def _umask() -> int:
    """Return the permissions that new files must not have; it can only be read by setting it."""
    umask = os.umask(0)
    os.umask(umask)
    return umask
