"""The walls of the sandbox: what a run sees of this machine, as bubblewrap's arguments."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import labkit
from labkit.data.files import CHECKSUMS, DATA, FLOWS
from labkit.errors import InputError
from labkit.grading.recording import ANSWERS_FILE, REPORT

PACKAGE = Path(labkit.__file__).resolve().parent
NEEDED = (
    "bubblewrap (bwrap) is missing: install it (Debian, Ubuntu: apt install bubblewrap), "
    "or say --no-sandbox"
)


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


def walls(notebook: Path, package: Path, records: Path, out: Path) -> list[str]:
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
    for name, value in environment("/tmp", root).items():
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


def environment(home: str, root: Path) -> dict[str, str]:
    """Return the only environment variables that a run has; nothing of the grader's own."""
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
