"""The guides' commands, run as they are written."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest

from labkit.course.answers import Key, Mistake, judge
from labkit.course.cells import exercise_cells, exercise_problems
from labkit.course.exercises.exercise import Traffic
from labkit.course.notebooks import read_notebook

ROOT = Path(__file__).resolve().parents[2]
STUDENTS = ("ada", "bob")


def commands(guide):
    """The shell blocks of a guide, in order."""
    text = (ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def snippets(guide):
    """The Python blocks of a guide, in order."""
    text = (ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8")
    found = re.findall(r"^ *```python\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(block) for block in found]


def run(block, folder):
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder as an instructor's: the roster, and a copy of the notebooks to check."""
    folder = tmp_path_factory.mktemp("desk")
    (folder / "students.csv").write_text("\n".join(("id", *STUDENTS)) + "\n")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    return folder


def assert_ignored(desk):
    """In a clone, what the guides have made there is in nobody's commit and in no check."""
    ignored = (ROOT / ".gitignore").read_text().split()
    assert {path.name for path in desk.iterdir()} - {"notebooks"} <= {
        line.strip("/") for line in ignored
    }


def test_the_instructors_commands_work(desk):
    blocks = commands("instructors")
    assert len(blocks) >= 5
    # Executing all notebooks is what tests/notebooks does; here one stands for them.
    told = [run(block.replace("labkit run\n", ""), desk) for block in blocks]
    assert "is what its source says" in told[0]
    assert all(student in told[1] for student in STUDENTS)
    assert "lesson" in told[2]
    assert_ignored(desk)


def test_an_exercise_is_added_as_the_guide_says(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    monkeypatch.chdir(tmp_path)
    cells, function = snippets("instructors")
    exec(cells, {})
    notebook = read_notebook(tmp_path / "notebooks" / "04_temporal_split.ipynb")
    assert exercise_problems(notebook) == []
    assert list(exercise_cells(notebook)) == [f"04-{n}" for n in range(1, 6)]
    scope = {"Traffic": Traffic, "Key": Key, "Mistake": Mistake}
    exec(function, scope)
    assert judge(scope["_days"](None), 8).state == "right"


def test_the_graders_commands_work(desk, bwrap):
    if not (desk / "course" / "students").is_dir():
        run(commands("instructors")[1], desk)
    rows = (desk / "course" / "instructor" / "roster.csv").read_text().splitlines()[1:]
    for row in rows:
        student, code = row.split(",")[:2]
        with zipfile.ZipFile(desk / "course" / "students" / f"{code}.zip") as archive:
            for name in ("00_start_here", "08_alert_budgets"):
                path = desk / "submissions" / student / f"{name}.ipynb"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(f"labkit-course/notebooks/{name}.ipynb"))
    told = [run(block, desk) for block in commands("graders")]
    assert all(f"\n{student},0," in told[0] for student in STUDENTS)
    assert told[0].endswith("\nstudent,notebook,why\n")  # all ran to their ends
    assert "was not run" in told[1]
    assert "reports what its reference reports" in told[1]
    assert {path.stem for path in (desk / "graded" / "feedback").iterdir()} == set(STUDENTS)
    assert_ignored(desk)
