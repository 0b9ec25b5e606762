"""Running one submission where it can do no harm: bubblewrap, an unprivileged user, and limits.

Inside there is no network, nothing of the host but the environment and what the run needs, nothing
writable but the output folder and a small /tmp, and no answer to any exercise. Time, memory,
processes and files are limited; memory and output are also watched from outside, since the kernel's
own limits count one process at a time.
"""

import compileall
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

import labkit
from labkit.errors import InputError
from labkit.grading.recording import ANSWERS_FILE, REPORT

PACKAGE = Path(labkit.__file__).resolve().parent
# A user that owns nothing, when the grader is root; one for each run at a time, so that their
# processes are counted apart.
FIRST_USER = 61_000
NEEDED = (
    "bubblewrap (bwrap) is missing: install it (Debian, Ubuntu: apt install bubblewrap), "
    "or say --no-sandbox"
)
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
    """

    ended: str
    answers: str
    report: str


def find_bubblewrap() -> str:
    """Return where bubblewrap is.

    Raises
    ------
    InputError
        When it is missing, or not allowed to work here; says what to do.
    """
    path = shutil.which("bwrap")
    if not path:
        raise InputError(NEEDED)
    trial = [path, "--unshare-all", "--ro-bind", "/", "/", "true"]
    done = subprocess.run(trial, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = " ".join(done.stderr.split())[:200]
        raise InputError(f"bubblewrap does not work here ({reason}): say --no-sandbox")
    return path


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
    notebook: Path, package: Path, data: Path, out: Path, limits: Limits, *, user: int, bwrap: str
) -> Outcome:
    """Run a prepared notebook in a sandbox.

    Parameters
    ----------
    notebook
        As `labkit.grading.submissions` made it ready.
    package
        What `without_answers` returned.
    data
        Folder with the student's flow records.
    out
        An empty folder that the run may write to.
    limits
        What it may use.
    user
        Number of this run among those at the same time.
    bwrap
        Where bubblewrap is.
    """
    command = [bwrap, *_walls(notebook, package, data, out), "--"]
    nproc = limits.processes
    if os.geteuid() == 0:
        number = str(FIRST_USER + user)
        os.chown(out, int(number), int(number))
        command += ["setpriv", f"--reuid={number}", f"--regid={number}", "--clear-groups"]
        command += ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    else:
        # The kernel counts the grader's own processes too.
        nproc += _threads_of_user()
    command += [
        *("prlimit", f"--nproc={nproc}", f"--as={limits.memory}", f"--fsize={limits.file_bytes}"),
        *("--nofile=512", "--core=0", f"--cpu={2 * limits.seconds}", "--"),
        *(sys.executable, "-m", "labkit.grading.inside", "/notebook.ipynb", "/out"),
        str(limits.seconds_a_cell),
    ]
    ended = _watch(command, out, limits, PACKAGE.parent)
    return Outcome(ended, _read(out / ANSWERS_FILE, limits), _read(out / REPORT, limits))


def run_bare(notebook: Path, package: Path, data: Path, out: Path, limits: Limits) -> Outcome:
    """Run a prepared notebook with no sandbox at all; only time, memory and output are limited."""
    root = notebook.parent / "course"
    shutil.copytree(package, root / "labkit")
    shutil.copytree(data, root / "data")
    command = [sys.executable, "-m", "labkit.grading.inside", str(notebook), str(out)]
    ended = _watch([*command, str(limits.seconds_a_cell)], out, limits, root)
    return Outcome(ended, _read(out / ANSWERS_FILE, limits), _read(out / REPORT, limits))


def _walls(notebook: Path, package: Path, data: Path, out: Path) -> list[str]:
    """Return bubblewrap's arguments: what is seen inside, and where."""
    root = PACKAGE.parent
    seen = [Path("/usr"), Path(sys.prefix), Path(sys.base_prefix)]
    links = [p for p in map(Path, ("/lib", "/lib64", "/bin", "/sbin")) if p.is_symlink()]
    seen += [p for p in map(Path, ("/lib", "/lib64", "/bin")) if p.is_dir() and p not in links]
    seen += [
        p for p in map(Path, ("/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives")) if p.exists()
    ]
    mounts = [(path, path) for path in dict.fromkeys(seen)]
    mounts += [(package, PACKAGE), (data, root / "data"), (notebook, Path("/notebook.ipynb"))]
    # bubblewrap makes missing folders for root's eyes only.
    folders = {parent for _, inside in mounts for parent in inside.parents} - {Path("/")}
    folders |= {root / "notebooks"}
    arguments = [
        *("--unshare-user", "--unshare-cgroup-try") * (os.geteuid() != 0),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--die-with-parent", "--new-session", "--clearenv"),
    ]
    for folder in sorted(folders):
        if not any(folder.is_relative_to(path) for path in seen):
            arguments += ["--perms", "0755", "--dir", str(folder)]
    for outside, inside in mounts:
        arguments += ["--ro-bind", str(outside), str(inside)]
    for link in links:
        arguments += ["--symlink", str(link.readlink()), str(link)]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    for path in ("/tmp", "/dev/shm"):
        arguments += ["--perms", "1777", "--size", "200000000", "--tmpfs", path]
    arguments += [
        "--bind",
        str(out),
        "/out",
        "--remount-ro",
        "/",
        "--chdir",
        str(root / "notebooks"),
    ]
    for name, value in _environment("/tmp", root).items():
        arguments += ["--setenv", name, value]
    return arguments


def _environment(home: str, root: Path) -> dict[str, str]:
    return {
        "HOME": home,
        "PATH": f"{Path(sys.prefix) / 'bin'}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "agg",
        "JUPYTER_ALLOW_INSECURE_WRITES": "1",
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _watch(command: Sequence[str], out: Path, limits: Limits, root: Path) -> str:
    """Run a command within limits; return "" or what ended it. Its processes are all gone then."""
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=out,
        env=_environment(str(out), root),
    )
    ended = ""
    try:
        while process.poll() is None and not ended:
            time.sleep(_EVERY)
            ended = _excess(process, out, limits, time.monotonic() - began)
    finally:
        _kill(process)
    if not ended and process.returncode:
        ended = "it was ended before it was through"
    return ended


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
        for process in (parent, *parent.children(recursive=True)):
            total += process.memory_info().rss
    except psutil.NoSuchProcess:
        return total
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


def _threads_of_user() -> int:
    user, total = os.getuid(), 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        if process.info["uids"] and process.info["uids"].real == user:
            total += process.info["num_threads"] or 1
    return total


def _read(path: Path, limits: Limits) -> str:
    """Return a file that a student's code may have put there: no link, no pipe, not too long."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return ""
        return file.read(limits.file_bytes).decode("utf-8", errors="replace")
