"""Notebooks that are broken or mean harm, graded all at once beside honest ones.

Each is one student of one class. None costs another its grade; what each is worth, and what a
person is told of it, is the expected outcome beside it.
"""

import csv
import json
import socket
from dataclasses import dataclass
from pathlib import Path

import pytest
from nbformat import v4
from submitted import (
    NOTEBOOK,
    as_json,
    blank,
    hand_in,
    notebook_bytes,
    solved,
    starting_with,
    without_cells,
)

from labkit.course.exercises import exercises_of
from labkit.grading.grading import Grader, grade_all
from labkit.grading.reports import write_reports
from labkit.grading.tasks import data_folders, find_tasks
from labkit.grading.walls import PACKAGE
from labkit.grading.watching import Limits

ALL = sum(asked.points for asked in exercises_of("03"))
FIRST = exercises_of("03")[0]
LIMITS = Limits(seconds_a_cell=20, seconds=90)


@dataclass(frozen=True)
class Case:
    """What is handed in, the points it must get, and a part of what a person is told."""

    notebook: object
    points: int
    remark: str = ""


def copied(notebook):
    cells = [cell for cell in notebook.cells if cell.id.startswith("ex-03-1")]
    # Twice the same cells, as copying and pasting files together leaves them.
    raw = as_json(notebook)
    raw["cells"] += as_json(v4.new_notebook(cells=cells))["cells"]
    return json.dumps(raw).encode()


def edited(notebook, exercise, source):
    (check,) = [cell for cell in notebook.cells if cell.id == f"ex-{exercise}-check"]
    check.source = source
    return notebook


def with_stub(notebook, exercise, source):
    (stub,) = [cell for cell in notebook.cells if cell.id == f"ex-{exercise}-stub"]
    stub.source = source
    return notebook


def with_kernel(notebook, name):
    notebook.metadata["kernelspec"] = {"name": name, "display_name": name, "language": name}
    return notebook


def reconnecting(notebook, port):
    return starting_with(
        "import socket\n"
        f"for address in (('127.0.0.1', {port}), ('192.0.2.1', 80)):\n"
        "    try:\n"
        "        socket.create_connection(address, timeout=2).sendall(b'answers, please')\n"
        "    except OSError as error:\n"
        "        print(error)",
        notebook,
    )


FORGED = """\
import json, os
import labkit.course, labkit.grading.recording as recording
recording.record = lambda name, answer, calls="[]": print(name, "right.")
labkit.course.check = lambda name, answer: print(name, "right.")
import numpy as np
np.allclose = np.isclose = lambda *_, **__: True
with open("/out/grade.json", "w") as file:
    json.dump({"points": 100}, file)
"""
SNOOPING = f"""\
import importlib, os
found = []
for name in ("base_rate_arithmetic", "counts_and_rates"):
    try:
        found.append(importlib.import_module(f"labkit.course.exercises.{{name}}"))
    except ImportError:
        pass
for folder, _, names in os.walk("/"):
    if not folder.startswith(("/proc", "/usr")):
        found += [name for name in names if name.startswith(("base_rate_arithmetic", "03_"))]
found += [path for path in ("/etc/passwd", "/etc/shadow", "/home", "/var") if os.path.exists(path)]
found += [path for path in ({str(Path(__file__))!r},) if os.path.exists(path)]
answer = found
"""
JUNK = """\
import labkit.grading.recording as recording
recording.record = lambda name, answer, calls="[]": None
with open("/out/answers.jsonl", "a") as file:
    for line in (
        '{"name": "03-1", "answer": "\\\\ud800"}',
        '{"name": "03-2", "fault": ["<b>", "\\\\udfff"]}',
        '{"name": "03-3", "answer": ' + "[" * 900 + "]" * 900 + "}",
        '{"name": "03-4", "answer": ' + "9" * 4000 + "}",
        '{"name": "03-5", "answer": {' + ", ".join(f'"{n}": 1' for n in range(99_999)) + "}}",
        '{"name": "03-6", "answer": [' + "[]," * 5_000_000 + "[]]}", '{"name": {}}', "[]", "\\x00",
    ):
        file.write(line + "\\n")
"""
OUTSIDE = f"""\
import os
for path in ("/written", "/usr/written", {str(PACKAGE / "written.py")!r}, "/etc/written",
             {str(PACKAGE.parent / "data" / "written")!r}):
    try:
        open(path, "w").write("here I was")
    except OSError as error:
        print(type(error).__name__)
for name in ("report.json", "answers.jsonl"):
    os.symlink("/etc/passwd", "/out/" + name) if not os.path.exists("/out/" + name) else None
"""


def cases(port):
    """Student -> what is handed in and what must come of it."""
    loop = "while True:\n    pass"
    stubborn = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass"
    fork_bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    all_print = "print('right. ' * 3)\n" + "\n".join(
        f"print('{asked.name} right.')" for asked in exercises_of("03")
    )
    right = ALL - FIRST.points
    return {
        "honest": Case(solved(), ALL),
        "honest-too": Case(solved(), ALL),
        "blank": Case(blank(), 0),
        "infinite-loop": Case(starting_with(loop), ALL, "longer than 20 s"),
        "stubborn-loop": Case(starting_with(stubborn), 0, "it "),
        "fork-bomb": Case(starting_with(fork_bomb), 0, "it"),
        "memory-hog": Case(starting_with("hog = bytearray(10**11)"), ALL),
        "memory-by-many": Case(
            starting_with(
                "import subprocess, sys, time\n"
                "hog = 'x = bytearray(1); import time; x = b\"1\" * 700_000_000; time.sleep(60)'\n"
                "hogs = [subprocess.Popen([sys.executable, '-c', hog]) for _ in range(8)]\n"
                "time.sleep(5)"
            ),
            0,
            "GB of memory",
        ),
        "giant-output": Case(
            starting_with("for _ in range(10**6):\n    print('x' * 1000)"), ALL, "printed more"
        ),
        # There is no file to be made there, so nothing grows.
        "disk-filler": Case(
            starting_with(
                "for i in range(10**6):\n    open(f'/out/{i}', 'wb').write(b'0' * 10_000_000)"
            ),
            ALL,
        ),
        "deleted-cells": Case(
            without_cells(solved(), {"ex-03-1", "ex-03-1-stub", "ex-03-1-check"}),
            right,
            "the cell for 03-1 is missing",
        ),
        "copied-cells": Case(copied(solved()), ALL, "more than once"),
        "no-code": Case(v4.new_notebook(cells=[v4.new_markdown_cell("I was ill.")]), 0, "no code"),
        "unknown-magic": Case(starting_with("%nosuch magic"), ALL),
        "syntax-error": Case(with_stub(solved(), "03-1", "def ("), right),
        "wrong-kernel": Case(with_kernel(solved(), "julia-1.9"), ALL, "julia-1.9"),
        "killed-kernel": Case(starting_with("import os\nos._exit(1)"), 0, "killed the kernel"),
        "invalid-json": Case(notebook_bytes(solved())[:-100], 0, "is not a notebook"),
        "not-utf-8": Case(notebook_bytes(solved()).replace(b"e", b"\xe9"), 0, "is not a notebook"),
        "other-json": Case(b'{"cells": 3}', 0, "is not a notebook"),
        "empty-file": Case(b"", 0, "is not a notebook"),
        "100-MB": Case(b" " * 100_000_001, 0, "has 100 MB"),
        "edited-check": Case(
            edited(with_stub(solved(), "03-1", "x = ..."), "03-1", "print('03-1 right.')"),
            right,
            "the check in cell ex-03-1-check was edited",
        ),
        "printed-verdict": Case(starting_with(all_print, blank()), 0),
        "monkey-patched": Case(starting_with(FORGED, blank()), 0),
        "junk-for-answers": Case(starting_with(JUNK, blank()), 0),
        "half-a-sign": Case(
            notebook_bytes(starting_with("x = 'HALF'")).replace(b"HALF", b"\\ud800"), ALL
        ),
        "reading-the-key": Case(starting_with(SNOOPING, blank()), 0),
        "writing-outside": Case(starting_with(OUTSIDE), ALL),
        "opening-a-socket": Case(reconnecting(solved(), port), ALL),
        "script-in-answer": Case(with_stub(solved(), "03-1", "'<script>alert(1)</script>'"), right),
    }


@pytest.fixture(scope="module")
def graded(bwrap, tmp_path_factory):
    """Every case graded in one class: the cases, the grades, the output folder, the connections."""
    folder = tmp_path_factory.mktemp("class")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        handed_in = cases(server.getsockname()[1])
        for student, case in handed_in.items():
            hand_in(folder / "submissions", student, case.notebook)
        tasks, strays = find_tasks(folder / "submissions", data_folders(None))
        grades = {
            grade.student: grade
            for grade in grade_all(tasks, folder / "out", Grader(LIMITS, bwrap, jobs=2))
        }
        try:
            server.accept()
            connected = True
        except TimeoutError:
            connected = False
    write_reports(folder / "out", list(grades.values()), strays)
    return handed_in, grades, folder / "out", connected


@pytest.mark.parametrize("student", cases(1))
def test_each_gets_what_its_answers_are_worth(graded, student):
    handed_in, grades, out, _ = graded
    case, grade = handed_in[student], grades[student]
    assert (grade.points, grade.of) == (case.points, ALL)
    if case.remark:
        assert any(case.remark in remark for remark in grade.remarks), grade.remarks
        assert student in (out / "person.csv").read_text()
    else:
        assert grade.remarks == ()


def test_every_student_is_in_the_table(graded):
    handed_in, _, out, _ = graded
    with (out / "grades.csv").open() as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert {student: int(row["points"]) for student, row in rows.items()} == {
        student: case.points for student, case in handed_in.items()
    }


def test_every_student_gets_a_page(graded):
    handed_in, _, out, _ = graded
    for student, case in handed_in.items():
        page = (out / "feedback" / f"{student}.html").read_text()
        assert f"{case.points} of {ALL}" in page


def test_what_a_student_wrote_is_shown_and_never_run(graded):
    page = (graded[2] / "feedback" / "script-in-answer.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_the_answers_are_found_nowhere_inside(graded):
    grade = graded[1]["reading-the-key"]
    assert {mark.state for mark in grade.marks} == {"unanswered"}


def test_nothing_was_written_outside(graded):
    assert not list(Path("/").glob("written*"))
    assert not list(PACKAGE.rglob("written*"))
    assert not (PACKAGE.parent / "data" / "written").exists()
    assert "root:" not in "".join(path.read_text() for path in graded[2].rglob("*.json"))


def test_no_connection_came_out(graded):
    assert graded[3] is False


def test_the_summary_names_all(graded):
    page = (graded[2] / "summary.html").read_text()
    assert "<svg" in page
    assert "What needs a person" in page
    assert NOTEBOOK in page
