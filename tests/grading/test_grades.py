"""Grading as a grader does it: from the command line, stopped half-way, on each student's data."""

import csv
import json
import signal
import subprocess
import sys
import time

import pytest
from submitted import blank, hand_in, solved, starting_with, with_answer

from labkit.course.exercises.exercise import Traffic
from labkit.course.personal import release_to, write_roster
from labkit.course.release import release_files
from labkit.errors import InputError
from labkit.grading.grades import grade_path, read_grade
from labkit.grading.grading import Grader, grade_all
from labkit.grading.reports import needs_a_person, outcome_counts, write_reports
from labkit.grading.sandbox import NEEDED, Limits
from labkit.grading.tasks import data_folders, find_tasks

QUICK = Limits(seconds_a_cell=30, seconds=120)


def labkit(*arguments):
    command = [sys.executable, "-m", "labkit.cli", "grade", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_stopped_grader_goes_on_where_it_stood(bwrap, tmp_path):
    submissions, out = tmp_path / "submissions", tmp_path / "out"
    for student in ("a", "b", "c"):
        hand_in(submissions, student, solved())
    command = [sys.executable, "-m", "labkit.cli", "grade", str(submissions), "--out", str(out)]
    first = grade_path(out, "a", "03_base_rate_arithmetic")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*command, "--jobs", "1"], **quiet) as grader:
        while not first.exists():
            assert grader.poll() is None
            time.sleep(0.05)
        grader.send_signal(signal.SIGKILL)
    finished = {path: path.stat().st_mtime_ns for path in out.rglob("*.json")}
    assert first in finished
    done = labkit(submissions, "--out", out, "--jobs", 2)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    with (out / "grades.csv").open() as file:
        assert [row["points"] == row["of"] for row in csv.DictReader(file)] == [True] * 3


def test_a_grade_is_made_again_when_what_it_depends_on_changes(bwrap, tmp_path):
    submissions, out = tmp_path / "submissions", tmp_path / "out"
    hand_in(submissions, "a", blank())
    tasks, _ = find_tasks(submissions, data_folders(None))
    (before,) = grade_all(tasks, out, Grader(QUICK, bwrap, 1))
    hand_in(submissions, "a", solved())
    (after,) = grade_all(tasks, out, Grader(QUICK, bwrap, 1))
    assert (before.points, after.points) == (0, after.of)
    assert read_grade(grade_path(out, "a", before.notebook)) == after


def test_each_is_judged_on_their_own_records(bwrap, tmp_path):
    release, submissions = tmp_path / "release", tmp_path / "submissions"
    students = ["ada", "bob", "eve"]
    secret = b"a secret of the course, long enough"
    done = list(release_to(release, students, secret, release_files(), n_jobs=2))
    write_roster(release, done)
    code = {one.student: one.code for one in done}
    name = "00_start_here"
    hand_in(submissions, "ada", solved(name), name)
    # By code as well as by id; and eve hands in what ada's records gave.
    hand_in(submissions, code["bob"], solved(name), name)
    traffic = Traffic(release / "instructor" / code["ada"] / "flows.csv.gz")
    hand_in(submissions, "eve", with_answer(blank(name), "00", traffic), name)
    hand_in(submissions, "nobody", solved(name), name)
    tasks, strays = find_tasks(submissions, data_folders(release))
    finished = grade_all(tasks, tmp_path / "out", Grader(QUICK, bwrap, 2))
    grades = {grade.student: grade for grade in finished}
    assert grades["ada"].points == grades["ada"].of
    assert grades[code["bob"]].points == grades["ada"].of
    assert grades["eve"].points < grades["ada"].of
    assert list(strays) == ["nobody"]
    assert "neither an id nor a code" in strays["nobody"][0]


def test_without_bubblewrap_it_says_so_and_stops(tmp_path, monkeypatch):
    hand_in(tmp_path / "submissions", "a", blank())
    monkeypatch.setenv("PATH", str(tmp_path))
    done = labkit(tmp_path / "submissions", "--out", tmp_path / "out")
    assert (done.returncode, done.stderr) == (2, f"labkit: {NEEDED}\n")
    assert not (tmp_path / "out").exists()


def test_without_a_sandbox_if_told_so(tmp_path):
    hand_in(tmp_path / "submissions", "a", solved())
    done = labkit(tmp_path / "submissions", "--out", tmp_path / "out", "--no-sandbox")
    assert done.returncode == 0
    with (tmp_path / "out" / "grades.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert row["points"] == row["of"]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda folder: None, "is no folder"),
        (lambda folder: folder.mkdir(), "holds no student's folder"),
        (lambda folder: folder.write_text(""), "is no folder"),
    ],
)
def test_a_wrong_folder_is_named(tmp_path, make, told):
    make(tmp_path / "submissions")
    with pytest.raises(InputError, match=told):
        find_tasks(tmp_path / "submissions", data_folders(None))


def test_a_release_without_a_roster_is_refused(tmp_path):
    with pytest.raises(InputError, match="run `labkit release --roster`"):
        data_folders(tmp_path)


def test_strays_are_told_and_students_without_a_notebook_too(tmp_path):
    folder = tmp_path / "submissions"
    hand_in(folder, "a", blank())
    hand_in(folder, "a", blank(), "my_copy")
    hand_in(folder / "a", "deeper", blank())
    (folder / "b").mkdir()
    hand_in(folder / "c" / ".ipynb_checkpoints", "x", blank())
    tasks, strays = find_tasks(folder, data_folders(None))
    assert [task.student for task in tasks] == ["a"]
    assert strays == {
        "a": ["03_base_rate_arithmetic.ipynb", "my_copy.ipynb"],
        "b": ["no notebook of the course"],
        "c": ["no notebook of the course"],
    }
    write_reports(tmp_path / "out", [], strays)
    assert len((tmp_path / "out" / "person.csv").read_text().splitlines()) == 5
    assert len(needs_a_person([], strays)) == 4


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"marks": 3}', '{"marks": [{}], "remarks": []}'])
def test_a_damaged_grade_is_no_grade(tmp_path, text):
    (tmp_path / "grade.json").write_text(text)
    assert read_grade(tmp_path / "grade.json") is None
    assert read_grade(tmp_path / "none.json") is None


def test_outcomes_are_counted_by_exercise_and_misconception(bwrap, tmp_path):
    submissions = tmp_path / "submissions"
    hand_in(submissions, "right", solved())
    hand_in(submissions, "blank", blank())
    mistaken = with_answer(blank(), "03", Traffic(), mistaken=True)
    hand_in(submissions, "=mistaken", mistaken)
    tasks, strays = find_tasks(submissions, data_folders(None))
    grades = list(grade_all(tasks, tmp_path / "out", Grader(QUICK, bwrap, 2)))
    counts = outcome_counts(grades)
    assert (counts.sum(axis=1) == 3).all()
    assert (counts["right"] == 1).all()
    assert (counts["unanswered"] >= 1).all()
    assert counts["a known misconception"].sum() >= 3
    write_reports(tmp_path / "out", grades, strays)
    table = (tmp_path / "out" / "grades.csv").read_text()
    assert "\n'=mistaken," in table


def test_the_grader_leaves_no_process_behind(bwrap, tmp_path):
    sleeper = "subprocess.Popen(['/usr/bin/sleep', '987.654'], start_new_session=True)"
    hand_in(tmp_path / "submissions", "a", starting_with(f"import subprocess\n{sleeper}"))
    tasks, _ = find_tasks(tmp_path / "submissions", data_folders(None))
    list(grade_all(tasks, tmp_path / "out", Grader(QUICK, bwrap, 1)))
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert "987.654" not in running.stdout
    assert json.loads(grade_path(tmp_path / "out", "a", tasks[0].notebook).read_text())
