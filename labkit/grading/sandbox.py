"""Running one submission where it can do no harm: bubblewrap, an unprivileged user, and limits.

Inside there is no network, nothing of the host but the environment and what the run needs, nothing
writable but two files and a small /tmp, and no answer to any exercise. Time, memory, processes and
files are limited; memory is also watched from outside, since the kernel's own limits count one
process at a time.
"""

import compileall
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import psutil

import labkit
from labkit.data.files import CHECKSUMS, DATA, FLOWS
from labkit.errors import InputError
from labkit.grading.calls import forbidden_calls
from labkit.grading.recording import ANSWERS_FILE, REPORT
from labkit.grading.regular import read_regular

PACKAGE = Path(labkit.__file__).resolve().parent
# A user that owns nothing, when the grader is root; one for each run at a time, so that their
# processes are counted apart.
FIRST_USER = 61_000
NEEDED = (
    "bubblewrap (bwrap) is missing: install it (Debian, Ubuntu: apt install bubblewrap), "
    "or say --no-sandbox"
)
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
    notebook: Path,
    package: Path,
    data: Path,
    limits: Limits,
    *,
    user: int,
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
    user
        Number of this run among those at the same time.
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
    nproc = limits.processes
    number = FIRST_USER + user
    # The only files that a run may write to: whatever it does, no more than these can grow.
    for path in (out / ANSWERS_FILE, out / REPORT):
        path.touch()
        if os.geteuid() == 0:
            os.chown(path, number, number)
    inside = []
    if os.geteuid() == 0:
        inside += ["setpriv", f"--reuid={number}", f"--regid={number}", "--clear-groups"]
        inside += ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
    else:
        # The kernel counts the grader's own processes too.
        nproc += _threads_of_user()
    inside += [
        *("prlimit", f"--nproc={nproc}", f"--as={limits.memory}", f"--fsize={limits.file_bytes}"),
        *("--nofile=512", "--core=0", f"--cpu={2 * limits.seconds}", "--"),
        *(sys.executable, "-m", "labkit.grading.inside", "/notebook.ipynb", "/out"),
        str(limits.seconds_a_cell),
    ]
    with calls.open("rb") as file:
        walls = _walls(notebook, package, records, out)
        if calls.stat().st_size:
            walls += ["--seccomp", str(file.fileno())]
        command = [bwrap, *walls, "--", *inside]
        return _watch(command, out, limits, PACKAGE.parent, stop, file.fileno())


def run_bare(notebook: Path, package: Path, data: Path, limits: Limits, *, stop: Event) -> Outcome:
    """Run a prepared notebook with no sandbox at all; only time, memory and output are limited."""
    folder = notebook.parent
    root, out = folder / "course", folder / "out"
    out.mkdir()
    shutil.copytree(package, root / "labkit")
    shutil.copytree(DATA, root / "data")
    _copy_records(data, root / "data")
    command = [sys.executable, "-m", "labkit.grading.inside", str(notebook), str(out)]
    return _watch([*command, str(limits.seconds_a_cell)], out, limits, root, stop)


def _copy_records(data: Path, target: Path) -> None:
    """Copy a student's records, and nothing that lies beside them: there is the key to them."""
    target.mkdir(exist_ok=True)
    for name in (FLOWS, CHECKSUMS):
        shutil.copyfile(data / name, target / name)
        # For whoever runs in the sandbox to read, whatever the grader's own mask is.
        (target / name).chmod(0o644)


def _walls(notebook: Path, package: Path, records: Path, out: Path) -> list[str]:
    """Return bubblewrap's arguments: what is seen inside, and where."""
    root = PACKAGE.parent
    seen = [Path("/usr"), Path(sys.prefix), Path(sys.base_prefix)]
    links = [p for p in map(Path, ("/lib", "/lib64", "/bin", "/sbin")) if p.is_symlink()]
    seen += [p for p in map(Path, ("/lib", "/lib64", "/bin")) if p.is_dir() and p not in links]
    seen += [
        p for p in map(Path, ("/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives")) if p.exists()
    ]
    seen = list(dict.fromkeys(seen))
    if root in seen:
        raise InputError(f"{root} is the environment too, and holds the solutions: make a .venv")
    arguments = [
        *("--unshare-user", "--unshare-cgroup-try") * (os.geteuid() != 0),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--die-with-parent", "--new-session", "--clearenv"),
        *_small("/tmp"),
    ]
    # The repository first, as an empty folder: it may lie in what is seen, such as /usr.
    arguments += _mounts([(p, p) for p in seen if not p.is_relative_to(root)], Path("/"))
    arguments += ["--perms", "0755", "--tmpfs", str(root)]
    within = [(p, p) for p in seen if p.is_relative_to(root)]
    within += [(package, PACKAGE), (DATA, root / "data")]
    arguments += _mounts(within, root, root / "notebooks")
    for name in (FLOWS, CHECKSUMS):
        arguments += ["--ro-bind", str(records / name), str(root / "data" / name)]
    for link in links:
        arguments += ["--symlink", str(link.readlink()), str(link)]
    arguments += ["--proc", "/proc", "--dev", "/dev", *_small("/dev/shm")]
    arguments += ["--ro-bind", str(notebook), "/notebook.ipynb"]
    arguments += ["--perms", "0755", "--dir", "/out"]
    for name in (ANSWERS_FILE, REPORT):
        arguments += ["--bind", str(out / name), f"/out/{name}"]
    for path in ("/", "/dev", str(root)):
        arguments += ["--remount-ro", path]
    arguments += ["--chdir", str(root / "notebooks")]
    for name, value in _environment("/tmp", root).items():
        arguments += ["--setenv", name, value]
    return arguments


def _mounts(mounts: Sequence[tuple[Path, Path]], below: Path, *others: Path) -> list[str]:
    """Return the arguments that show what lies outside, and make the folders in which it shows."""
    inside = [path for _, path in mounts]
    # bubblewrap makes missing folders for root's eyes only.
    folders = {parent for path in inside for parent in path.parents if parent != below}
    folders = {path for path in folders if path.is_relative_to(below)} | set(others)
    arguments = []
    for folder in sorted(folders):
        if not any(folder.is_relative_to(path) for path in inside):
            arguments += ["--perms", "0755", "--dir", str(folder)]
    for outside, path in mounts:
        arguments += ["--ro-bind", str(outside), str(path)]
    return arguments


def _small(path: str) -> list[str]:
    """Return the arguments for a file system in memory that all may write to."""
    return ["--perms", "1777", "--size", "200000000", "--tmpfs", path]


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


def _watch(
    command: Sequence[str],
    out: Path,
    limits: Limits,
    root: Path,
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
            env=_environment(str(out), root),
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


def _threads_of_user() -> int:
    user, total = os.getuid(), 0
    for process in psutil.process_iter(["uids", "num_threads"]):
        if process.info["uids"] and process.info["uids"].real == user:
            total += process.info["num_threads"] or 1
    return total


def _read(path: Path, limits: Limits) -> str:
    """Return a file that a student's code may have put there, "" for what is none."""
    try:
        return read_regular(path, limits.file_bytes).decode("utf-8", errors="replace")
    except InputError:
        return ""
