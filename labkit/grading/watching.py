"""Running a command within limits, watched from outside, and ending it with all it started.

The kernel's own limits count one process at a time, so memory is added up here.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import psutil

from labkit.errors import InputError
from labkit.grading.recording import ANSWERS_FILE, REPORT
from labkit.grading.regular import read_regular

CUT_SHORT = "it was ended before it was through"
"""Said of a run that did not come to its own end, and that no limit ended."""
_EVERY = 0.1


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    Parameters
    ----------
    seconds_a_cell
        A cell that runs longer is interrupted, and the next one runs.
    seconds
        The whole run is ended after this.
    memory
        Bytes, of all its processes together.
    processes
        Threads count.
    file_bytes
        The size of one file.
    output_bytes
        All that it leaves in its folder.
    """

    seconds_a_cell: int = 60
    seconds: int = 300
    memory: int = 3_000_000_000
    processes: int = 128
    file_bytes: int = 20_000_000
    output_bytes: int = 50_000_000


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Parameters
    ----------
    ended
        "" when it came to its own end, else what stopped it.
    answers, report
        What `labkit.grading.inside` wrote, "" where it did not. Written by a student's code for
        all that is known: to be read with care.
    said
        The last line on its standard error, by whoever wrote it.
    """

    ended: str
    answers: str
    report: str
    said: str


class StoppedError(Exception):
    """The grader was told to stop while the run went on."""


def watch(
    command: Sequence[str],
    out: Path,
    limits: Limits,
    environment: Mapping[str, str],
    stop: Event,
    *handles: int,
) -> Outcome:
    """Run a command within limits; its processes are all gone when this returns."""
    began = time.monotonic()
    errors = out.with_name("errors")
    with errors.open("wb") as file:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,
            cwd=out,
            env=environment,
            pass_fds=handles,
        )
    ended = ""
    try:
        while process.poll() is None and not ended:
            if stop.wait(_EVERY):
                raise StoppedError
            ended = _excess(process, out, limits, time.monotonic() - began)
    finally:
        _kill(process)
    if not ended and process.returncode:
        ended = CUT_SHORT
    said = _read(errors, limits).splitlines()[-1:]
    answers, report = (_read(out / name, limits) for name in (ANSWERS_FILE, REPORT))
    return Outcome(ended, answers, report, "".join(said))


def _excess(process: subprocess.Popen, out: Path, limits: Limits, seconds: float) -> str:
    if seconds > limits.seconds:
        return f"it ran longer than {limits.seconds} s"
    if _memory(process.pid) > limits.memory:
        return f"it used more than {limits.memory / 1e9:g} GB of memory"
    if _size(out) > limits.output_bytes:
        return f"it wrote more than {limits.output_bytes / 1e6:g} MB"
    return ""


def _memory(pid: int) -> int:
    total = 0
    try:
        parent = psutil.Process(pid)
        processes = [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return total
    for process in processes:
        # One that is gone by now does not hide the others.
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118
            except OSError:
                continue
    return total


def _kill(process: subprocess.Popen) -> None:
    """End a run: bubblewrap takes everything in its process namespace with it."""
    try:
        children = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        children = []
    for one in children:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(path: Path, limits: Limits) -> str:
    """Return a file that a student's code may have put there, "" for what is none."""
    try:
        return read_regular(path, limits.file_bytes).decode("utf-8", errors="replace")
    except InputError:
        return ""
