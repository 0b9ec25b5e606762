"""The `labkit` command: parses, calls, prints."""

import os
import signal
import sys

from labkit.cli import data, evaluate, lab, teaching  # noqa: F401  each adds its commands to the app
from labkit.cli.app import app
from labkit.errors import InputError
from labkit.terminal import printable

__all__ = ["app", "main"]


def main() -> None:
    """Run the command; a fault of the user's making is one line on stderr and exit code 2."""
    # Read by the OpenMP runtime when scikit-learn loads, here and in every kernel started.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a sign shows another; a number must not be lost for it.
        if stream:
            stream.reconfigure(errors="replace")
    # Ended from outside, as by Ctrl-C: what was begun is cleaned up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        app()
    except (InputError, OSError) as error:
        sys.stderr.write(f"labkit: {printable(' '.join(str(error).split()))}\n")
        sys.exit(2)
