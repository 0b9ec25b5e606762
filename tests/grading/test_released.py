"""A student's own release, unpacked and run as a student runs it, with all blanks left blank."""

import io
import os
import subprocess
import sys
import zipfile

import pytest

from labkit.course.cells import exercise_cells
from labkit.course.notebooks import course_notebooks, read_notebook
from labkit.course.personal import release_to
from labkit.course.release import NAME, release_files


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    secret = b"a secret of the course, long enough"
    (one,) = release_to(folder / "out", ["ada"], secret, release_files(), n_jobs=1)
    content = (folder / "out" / "students" / f"{one.code}.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    root = folder / NAME
    # Before what is installed: the package that the release itself holds.
    environment = os.environ | {"PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "labkit.cli", "run"],
        cwd=root, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return root, done


def test_every_notebook_runs_to_its_end(unpacked):
    _, done = unpacked
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(".ipynb") == len(course_notebooks())


@pytest.mark.parametrize("name", [path.name for path in course_notebooks()])
def test_every_check_says_not_answered(unpacked, name):
    root, _ = unpacked
    exercises = exercise_cells(read_notebook(root / "notebooks" / name))
    assert exercises
    for exercise, cells in exercises.items():
        (output,) = cells["check"].outputs
        assert output.text.startswith(f"{exercise} not answered. ")


def test_it_ran_on_the_students_own_records(unpacked):
    root, _ = unpacked
    first = read_notebook(root / "notebooks" / "04_temporal_split.ipynb")
    assert first.cells[1].source.startswith("> **Your own traffic.**")
    own = (root / "data" / "flows.csv.gz").read_bytes()
    assert own != release_files()["data/flows.csv.gz"]
