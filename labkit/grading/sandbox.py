"""Running one submission where it can do no harm: behind walls, as nobody, and within limits.

Inside there is no network, nothing of the host but the environment and what the run needs, nothing
writable but two files and a small /tmp, and no answer to any exercise.
"""

import compileall
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event

import psutil

from labkit.data.files import CHECKSUMS, DATA, FLOWS
from labkit.errors import InputError
from labkit.grading.calls import forbidden_calls
from labkit.grading.recording import ANSWERS_FILE, REPORT
from labkit.grading.walls import PACKAGE, environment, walls
from labkit.grading.watching import Limits, Outcome, watch

# Users that own nothing, when the grader is root.
USERS = range(61_000, 62_000)


def without_answers(folder: Path) -> Path:
    """Copy the package without the exercises' answers, for submissions to run with; return it."""
    target = folder / "labkit"
    shutil.copytree(
        PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__", "personal.py", "release.py")
    )
    for path in (target / "course" / "exercises").glob("*.py"):
        if path.name not in ("__init__.py", "exercise.py"):
            path.unlink()
    # Compiled once, and not in every sandbox anew.
    compileall.compile_dir(target, quiet=2)
    # For whoever runs in the sandbox to read, whatever the grader's own mask is.
    for path in (folder, target, *target.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return target


def run_sandboxed(
    notebook: Path,
    package: Path,
    data: Path,
    limits: Limits,
    *,
    bwrap: str,
    stop: Event,
) -> Outcome:
    """Run a prepared notebook in a sandbox.

    Parameters
    ----------
    notebook
        As `labkit.grading.submissions` made it ready, in a folder of its own.
    package
        What `without_answers` returned.
    data
        Folder with the student's flow records.
    limits
        What it may use.
    bwrap
        Where bubblewrap is.
    stop
        When set, the run is ended.

    Raises
    ------
    StoppedError
        When it was.
    """
    folder = notebook.parent
    out, records, calls = folder / "out", folder / "records", folder / "calls"
    _copy_records(data, records)
    out.mkdir()
    calls.write_bytes(forbidden_calls())
    is_root = os.geteuid() == 0
    with own_user() if is_root else nullcontext() as user, calls.open("rb") as file:
        # The only files that a run may write to: whatever it does, no more than these can grow.
        for path in (out / ANSWERS_FILE, out / REPORT):
            path.touch()
            if is_root:
                os.chown(path, user, user)
        command = [bwrap, *walls(notebook, package, records, out)]
        if calls.stat().st_size:
            command += ["--seccomp", str(file.fileno())]
        command += ["--"]
        if is_root:
            command += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            command += ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        # Else the kernel counts the grader's own processes too.
        nproc = limits.processes + (0 if is_root else _threads_of_user())
        command += [
            *("prlimit", f"--nproc={nproc}", f"--as={limits.memory}"),
            *(f"--fsize={limits.file_bytes}", f"--cpu={2 * limits.seconds}"),
            *("--nofile=512", "--core=0", "--"),
            *(sys.executable, "-m", "labkit.grading.inside", "/notebook.ipynb", "/out"),
            str(limits.seconds_a_cell),
        ]
        seen = environment(str(out), PACKAGE.parent)
        return watch(command, out, limits, seen, stop, file.fileno())


@contextmanager
def own_user() -> Iterator[int]:
    """Hold the number of a user that no other run has, of this grader or another on the machine.

    The processes of each run are then counted apart. Held by a name that the kernel gives to one
    socket at a time, and takes back when its process ends, however that ends.

    Raises
    ------
    InputError
        When all are taken.
    """
    for user in USERS:
        with socket.socket(socket.AF_UNIX) as held:
            try:
                held.bind(f"\0labkit-user-{user}")
            except OSError:
                continue
            yield user
            return
    raise InputError(f"{len(USERS)} runs go on at once on this machine: wait for one to end")


def run_bare(notebook: Path, package: Path, data: Path, limits: Limits, *, stop: Event) -> Outcome:
    """Run a prepared notebook with no sandbox at all; only time, memory and output are limited."""
    folder = notebook.parent
    root, out = folder / "course", folder / "out"
    out.mkdir()
    shutil.copytree(package, root / "labkit")
    shutil.copytree(DATA, root / "data")
    _copy_records(data, root / "data")
    command = [sys.executable, "-m", "labkit.grading.inside", str(notebook), str(out)]
    command += [str(limits.seconds_a_cell)]
    return watch(command, out, limits, environment(str(out), root), stop)


def _copy_records(data: Path, target: Path) -> None:
    """Copy a student's records, and nothing that lies beside them: there is the key to them."""
    target.mkdir(exist_ok=True)
    for name in (FLOWS, CHECKSUMS):
        shutil.copyfile(data / name, target / name)
        # For whoever runs in the sandbox to read, whatever the grader's own mask is.
        (target / name).chmod(0o644)


def _threads_of_user() -> int:
    user, total = os.getuid(), 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        if process.info["uids"] and process.info["uids"].real == user:
            total += process.info["num_threads"] or 1
    return total
