"""What a run can reach of the machine it runs on, tried from inside of it."""

import json
import struct
import subprocess
import sys
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import psutil
import pytest
from nbformat import v4
from submitted import notebook_bytes

from labkit.data.files import CHECKSUMS, DATA, FLOWS
from labkit.errors import InputError
from labkit.grading import walls, watching
from labkit.grading.calls import forbidden_calls
from labkit.grading.recording import ANSWERS_FILE, REPORT
from labkit.grading.sandbox import own_user, run_sandboxed, without_answers
from labkit.grading.watching import Limits

ROOT = walls.PACKAGE.parent
SECRET = "the right answers"
INSIDE = f"""
import ctypes, json, os, platform, subprocess, threading
from pathlib import Path

kernel = ctypes.CDLL(None, use_errno=True)
intel = platform.machine() == "x86_64"


def refused(number, *arguments):
    return kernel.syscall(number, *arguments) == -1 and ctypes.get_errno() == 38


def writable(folder):
    try:
        Path(folder, "written").write_text("here I was")
        return True
    except OSError:
        return False


said = {{
    "data": sorted(os.listdir("../data")),
    "notebooks": os.listdir("."),
    "secret": [str(path) for path in Path({str(ROOT)!r}, "data").rglob("*.json")],
    "mounts": Path("/proc/self/mountinfo").read_text() + Path("/proc/1/cmdline").read_text(),
    "writable": [folder for folder in ("/", "/out", "/dev", "/dev/shm", "/tmp", {str(ROOT)!r}, "..",
                 "../data", {sys.prefix!r}) if writable(folder)],
    "keyring": refused(250 if intel else 219, 11, 0, 0, 0),
    "add_key": refused(248 if intel else 217, b"user", b"note", b"for the next", 12, -4),
    "memfd": refused(319 if intel else 279, b"hidden", 0),
    "shmget": refused(29 if intel else 194, 0, 10**9, 0o1600),
    "unshare": refused(272 if intel else 97, 0x10000000),
    "clone": refused(56 if intel else 220, 0x10000000 | 17, 0, 0, 0, 0),
    "namespace": subprocess.run(["unshare", "--user", "true"], capture_output=True).returncode,
}}
thread = threading.Thread(target=said.update, args=({{"thread": True}},))
thread.start()
thread.join()
from labkit.data import load_flows
said["flows"] = len(load_flows())
with open("/out/answers.jsonl", "a") as file:
    file.write(json.dumps(said))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return without_answers(tmp_path_factory.mktemp("package") / "package")


@pytest.fixture
def run(bwrap, package, tmp_path):
    """Run one cell as a student's; everything in `data` beside the records is the grader's own."""
    data = tmp_path / "instructor" / "a1b2c3"
    data.mkdir(parents=True)
    for name in (FLOWS, CHECKSUMS):
        (data / name).write_bytes((DATA / name).read_bytes())
        # As a careful grader's mask leaves them.
        (data / name).chmod(0o600)
    (data / "key.json").write_text(json.dumps({"key": SECRET}))
    folder = tmp_path / "run"
    folder.mkdir()

    def once(source):
        path = folder / "notebook.ipynb"
        path.write_bytes(notebook_bytes(v4.new_notebook(cells=[v4.new_code_cell(source)])))
        path.chmod(0o644)
        return run_sandboxed(path, package, data, Limits(seconds=60), bwrap=bwrap, stop=Event())

    return once


def test_what_can_be_reached_from_inside(run):
    outcome = run(INSIDE)
    assert outcome.ended == ""
    said = json.loads(outcome.answers)
    # The records, and what the course has beside them; not what the grader keeps there.
    assert set(said["data"]) == {path.name for path in DATA.iterdir()}
    assert said["flows"] > 0
    assert (said["secret"], said["notebooks"]) == ([], [])
    assert "instructor" not in said["mounts"]
    assert said["writable"] == ["/dev/shm", "/tmp"]
    for call in ("keyring", "add_key", "memfd", "shmget", "unshare", "clone"):
        assert said[call] is True, call
    assert said["namespace"] != 0
    assert said["thread"] is True


def test_a_run_leaves_two_files_and_no_more(run, tmp_path):
    # Folders in folders, deeper than they could be removed, and files that are held and hidden.
    run(
        "import os\nos.chdir('/out')\n"
        "for _ in range(3000):\n    os.mkdir('d' * 10)\n    os.chdir('d' * 10)"
    )
    assert {path.name for path in (tmp_path / "run" / "out").iterdir()} == {
        ANSWERS_FILE,
        REPORT,
    }


class Process:
    """A process as psutil shows it; one that is gone holds None."""

    def __init__(self, held, *children):
        self.held, self.of = held, children

    def children(self, recursive):
        return self.of

    def memory_info(self):
        if self.held is None:
            raise psutil.NoSuchProcess(1)
        return SimpleNamespace(rss=self.held)


def test_a_process_that_is_gone_hides_no_other(monkeypatch):
    processes = Process(1, Process(None), Process(2))
    monkeypatch.setattr(watching.psutil, "Process", lambda pid: processes)
    assert watching._memory(0) == 3


def test_no_two_runs_have_one_user_whichever_grader_started_them():
    program = "from labkit.grading.sandbox import own_user\nwith own_user() as user: print(user)"
    with own_user() as first, own_user() as second:
        other = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        assert len({first, second, int(other.stdout)}) == 3


def test_an_environment_that_holds_the_solutions_is_refused(run, monkeypatch):
    monkeypatch.setattr(walls.sys, "prefix", str(ROOT))
    with pytest.raises(InputError, match="holds the solutions"):
        run("1")


@pytest.mark.parametrize("below", ["/usr", "/tmp"])
def test_a_repository_may_lie_anywhere(tmp_path, monkeypatch, below):
    # What is mounted later lies above what was mounted before.
    root = Path(below, "course")
    monkeypatch.setattr(walls, "PACKAGE", root / "labkit")
    built = walls.walls(tmp_path / "n.ipynb", tmp_path / "labkit", tmp_path, tmp_path)
    hidden = built.index(str(root))
    assert built[hidden - 1] == "--tmpfs"
    assert built.index(below) < hidden < built.index(str(root / "labkit"))


def allows(program, architecture, number, first=0):
    """Run a filter as the kernel does: whether it lets a call through."""
    data = struct.pack("=IIQQ", number, architecture, 0, first)
    steps = list(struct.iter_unpack("=HBBI", program))
    value, at = 0, 0
    while True:
        code, yes, no, k = steps[at]
        at += 1
        if code == 0x06:
            return k == 0x7FFF0000
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, k)
        else:
            is_so = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            at += yes if is_so else no


@pytest.mark.parametrize(
    ("machine", "architecture", "forbidden", "clone"),
    [
        ("x86_64", 0xC000003E, {248, 249, 250, 319, 447, 29, 272, 435}, 56),
        ("aarch64", 0xC00000B7, {217, 218, 219, 279, 447, 194, 97, 435}, 220),
    ],
)
def test_the_filter_refuses_these_calls_and_no_other(machine, architecture, forbidden, clone):
    program = forbidden_calls(machine)
    assert {n for n in range(600) if not allows(program, architecture, n)} == forbidden
    assert allows(program, architecture, clone, 0x11)
    assert not allows(program, architecture, clone, 0x10000011)
    assert not allows(program, architecture, 0x40000000 + 1)
    # The calls of another architecture have other numbers.
    assert not any(allows(program, 0x40000003, number) for number in range(600))


def test_where_numbers_are_unknown_there_is_no_filter():
    assert forbidden_calls("riscv64") == b""
