"""Reading a file that somebody else put there, who may have put anything there."""

import os
import stat
from pathlib import Path

from labkit.errors import InputError


def read_regular(path: Path, most: int) -> bytes:
    """Return the first bytes of a file; nothing is followed, waited for or read without end.

    Parameters
    ----------
    path
        The file.
    most
        No more bytes than these are read.

    Raises
    ------
    InputError
        When it is a link, a pipe, a folder or a device, or cannot be read; names it without its
        folder.
    """
    try:
        # Opening a pipe would wait for its other end.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise InputError(f"{path.name} is not a file")
        with os.fdopen(handle, "rb") as file:
            return file.read(most)
    except OSError as error:
        if path.is_symlink():
            raise InputError(f"{path.name} is not a file but a link") from None
        raise InputError(f"{path.name} cannot be read: {error.strerror}") from None
