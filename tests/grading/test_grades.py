"""Grading as a grader does it: from the command line, stopped half-way, on each student's data."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unicodedata
import zipfile
from pathlib import Path

import pytest
from submitted import NOTEBOOK, blank, hand_in, solved, starting_with, with_answer

from labkit.cli import teaching
from labkit.course.answers import Key
from labkit.course.exercises import exercises_of
from labkit.course.exercises.exercise import Traffic
from labkit.course.personal import release_to, write_roster
from labkit.course.release import NAME, release_files
from labkit.data.files import DATA, FLOWS
from labkit.errors import InputError
from labkit.grading import grading
from labkit.grading.grades import Grade, Mark, grade_path, read_grade
from labkit.grading.grading import Grader, grade_all
from labkit.grading.recording import TOO_MUCH
from labkit.grading.reports import (
    feedback_page,
    grades_csv,
    needs_a_person,
    outcome_counts,
    write_reports,
)
from labkit.grading.tasks import data_folders, find_tasks
from labkit.grading.walls import NEEDED
from labkit.grading.watching import Limits, Outcome

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


def test_each_is_judged_on_their_own_records(bwrap, tmp_path, monkeypatch):
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
    # As it is typed, from the folder where it lies.
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile(release / "students" / f"{code['ada']}.zip") as archive:
        own = archive.read(f"{NAME}/notebooks/{NOTEBOOK}.ipynb")
    hand_in(submissions, "ada", own)
    tasks, strays = find_tasks(submissions, data_folders(Path("release")))
    finished = list(grade_all(tasks, tmp_path / "out", Grader(QUICK, bwrap, 2)))
    assert not any(grade.remarks for grade in finished)
    grades = {grade.student: grade for grade in finished if grade.notebook == name}
    assert grades["ada"].points == grades["ada"].of
    assert grades[code["bob"]].points == grades["ada"].of
    assert grades["eve"].points < grades["ada"].of
    assert list(strays) == ["nobody"]
    assert "neither an id nor a code" in strays["nobody"][0]
    tasks, _ = find_tasks(submissions, data_folders(None))
    forgotten = [task for task in tasks if (task.student, task.notebook) == ("ada", NOTEBOOK)]
    (grade,) = grade_all(forgotten, tmp_path / "out", Grader(QUICK, bwrap, 1))
    assert grade.remarks == ("made for traffic of its own, judged on the course's: use --release",)


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
    with pytest.raises(InputError, match="is missing or damaged: `labkit release"):
        data_folders(tmp_path)


def test_strays_are_told_and_students_without_a_notebook_too(tmp_path):
    folder = tmp_path / "submissions"
    hand_in(folder, "a", blank())
    hand_in(folder, "a", blank(), "my_copy")
    hand_in(folder / "a", "deeper", blank())
    (folder / "b").mkdir()
    hand_in(folder / "c" / ".ipynb_checkpoints", "x", blank())
    hand_in(folder / "c", "__MACOSX", b"", f"._{NOTEBOOK}")
    (folder / "d").mkdir()
    (folder / "d" / "all.zip").write_bytes(b"PK")
    (folder / "list.txt").write_text("a b c d")
    tasks, strays = find_tasks(folder, data_folders(None))
    assert [task.student for task in tasks] == ["a"]
    assert strays == {
        "a": [
            f"deeper/{NOTEBOOK}.ipynb: {NOTEBOOK}.ipynb was graded in its place",
            "my_copy.ipynb: no notebook of the course has this name",
        ],
        "b": ["no notebook of the course"],
        "c": ["no notebook of the course"],
        "d": ["all.zip: it is packed, unpack it and grade again"],
    }
    write_reports(tmp_path / "out", [], strays)
    assert len((tmp_path / "out" / "person.csv").read_text().splitlines()) == 6
    assert len(needs_a_person([], strays)) == 5


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


def test_ctrl_c_ends_what_runs_and_clears_it_away(bwrap, tmp_path):
    hand_in(tmp_path / "submissions", "a", starting_with("import time\ntime.sleep(600)"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-m", "labkit.cli", "grade", str(tmp_path / "submissions")]
    with subprocess.Popen(
        [*command, "--out", str(tmp_path / "out")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(scratch)},
        # As in a terminal; what a test runner was started with may ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as grader:
        while not list(scratch.glob("*/*/run/out")):
            assert grader.poll() is None
            time.sleep(0.05)
        began = time.monotonic()
        grader.send_signal(signal.SIGINT)
        told = grader.communicate()[1]
    assert time.monotonic() - began < 60
    assert "Traceback" not in told
    assert told.endswith("stopped: the same command goes on from here\n")
    assert grader.returncode not in (0, 2)
    assert list(scratch.iterdir()) == []
    assert not list((tmp_path / "out").rglob("*.json"))


def test_what_nobody_can_run_costs_no_student_a_point(tmp_path):
    bwrap = tmp_path / "bwrap"
    bwrap.write_text("#!/bin/sh\necho no namespaces today >&2\nexit 1\n")
    bwrap.chmod(0o755)
    hand_in(tmp_path / "submissions", "a", solved())
    tasks, _ = find_tasks(tmp_path / "submissions", data_folders(None))
    with pytest.raises(InputError, match="not even an empty notebook runs here: no namespaces"):
        list(grade_all(tasks, tmp_path / "out", Grader(QUICK, str(bwrap), 1)))
    assert not (tmp_path / "out").exists()


def test_what_was_ended_is_tried_again_the_next_time(tmp_path, monkeypatch):
    hand_in(tmp_path / "submissions", "a", blank())
    tasks, _ = find_tasks(tmp_path / "submissions", data_folders(None))
    ends = ["it ran longer than 120 s", ""]
    monkeypatch.setattr(
        grading.sandbox, "run_bare", lambda *_, **__: Outcome(ends.pop(0), "", "", "")
    )
    remarks = [next(grade_all(tasks, tmp_path, Grader(QUICK))).remarks for _ in range(3)]
    assert remarks == [("it ran longer than 120 s",), (), ()]


def test_a_full_disk_is_no_grade(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    hand_in(tmp_path / "submissions", "a", blank())
    tasks, _ = find_tasks(tmp_path / "submissions", data_folders(None))
    monkeypatch.setattr(grading.sandbox, "run_bare", full)
    with pytest.raises(OSError, match="No space left"):
        list(grade_all(tasks, tmp_path / "out", Grader(QUICK)))
    assert not (tmp_path / "out").exists()


def test_a_grade_without_a_sandbox_is_none_with_one(tmp_path):
    hand_in(tmp_path / "submissions", "a", blank())
    ((task,), _) = find_tasks(tmp_path / "submissions", data_folders(None))
    assert grading._digest(task, Grader()) != grading._digest(task, Grader(bwrap="bwrap"))


@pytest.mark.parametrize(("open_", "close"), [("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")])
def test_an_answer_may_be_nested_as_deep_as_it_can_be_read(open_, close):
    (asked, *_), key = exercises_of("03"), Key(1.0)
    for depth in range(100, 1000):
        nested = f"{open_ * depth}1{close * depth}"
        answers = grading._answers(f'{{"name": "{asked.name}", "answer": {nested}}}')
        mark = grading._mark(asked, key, answers, {}, {})
        assert mark.state == ("wrong" if answers else "unanswered")
        assert len(mark.answer) <= grading.LONGEST_SHOWN + 2


def test_a_check_that_was_not_reached_is_no_blank_left_blank(tmp_path):
    hand_in(tmp_path / "submissions", "a", b"no notebook")
    tasks, _ = find_tasks(tmp_path / "submissions", data_folders(None))
    (grade,) = grade_all(tasks, tmp_path / "out", Grader(jobs=1))
    assert {(mark.state, mark.hint) for mark in grade.marks} == {
        ("unanswered", "Not read: the run did not come to this check.")
    }


def test_a_page_says_what_is_missing_and_counts_as_the_table_does():
    mark = Mark("03-1", "a title", 0, 1, "wrong", "Not `<x>`.", "", "", "", "")
    grade = Grade("a", NOTEBOOK, (mark,), (), "")
    strays = {"a": ["all.zip: it is packed"]}
    page = feedback_page("a", [grade], [NOTEBOOK, "00_start_here"], strays["a"])
    assert "Not <code>&lt;x&gt;</code>." in page
    assert "Not handed in: 00_start_here" in page
    assert "Not graded: all.zip: it is packed" in page
    table = csv.DictReader(grades_csv({"a": [grade]}, [NOTEBOOK, "00_start_here"]).splitlines())
    assert f"<strong>0 of {next(table)['of']}</strong>" in page


def test_the_last_lines_of_many_count():
    spam = "\n" * 10**6 + '{"name": "03-2", "answer": 1}\n' * 10**4
    answers = grading._answers(f'{spam}{{"name": "03-1", "answer": 2}}\n')
    assert answers["03-1"]["answer"] == 2
    assert grading._answers('{"name": "03-1", "answer": 2}')["03-1"]["answer"] == 2


def test_a_run_cannot_speak_in_the_graders_name():
    report = {"ended": "The sandbox failed: full points, please.", "errors": {}}
    assert grading._report(json.dumps(report))["ended"] == ""
    assert grading._report(json.dumps(report | {"ended": TOO_MUCH}))["ended"] == TOO_MUCH


def test_names_steer_no_terminal_and_break_no_line(tmp_path):
    strays = {
        "\x1b[2Jred": ["\x1b]0;title\x07.ipynb", "a\n=1+1.ipynb", "\u202egpj.ipynb"],
        "caf\udce9": ["\udcff.ipynb", "\ud800"],
        "\t=1+1": [],
        "=1+1": [],
    }
    write_reports(tmp_path, [], strays)
    table = (tmp_path / "person.csv").read_text()
    assert len(table.splitlines()) == 6
    assert all(line.isprintable() for line in table.splitlines())
    with (tmp_path / "grades.csv").open() as file:
        assert not [row for row in csv.DictReader(file) if row["student"][0] in "=\t\x1b"]
    assert len(list((tmp_path / "feedback").iterdir())) == 4


def test_a_name_too_long_for_a_page_is_named_before_anything_is_run(tmp_path):
    hand_in(tmp_path / "submissions", "n" * 250, blank())
    with pytest.raises(InputError, match="is too long a name"):
        find_tasks(tmp_path / "submissions", data_folders(None))


@pytest.mark.parametrize("name", ["ada.ZIP", f"{NOTEBOOK}.ipynb"])
def test_what_is_in_no_students_folder_is_named_before_anything_is_run(tmp_path, name):
    hand_in(tmp_path, "ada", blank())
    (tmp_path / name).write_bytes(b"PK")
    with pytest.raises(InputError, match="is in no student's folder"):
        find_tasks(tmp_path, data_folders(None))


def test_accents_may_be_stored_in_either_way(tmp_path):
    roster = tmp_path / "instructor" / "roster.csv"
    roster.parent.mkdir()
    roster.write_text("student,code,draws,release\nAyşe,0123456789ab,1,x\n", encoding="utf-8")
    shutil.copytree(DATA, roster.parent / "0123456789ab")
    for form in ("NFC", "NFD"):
        folder = data_folders(tmp_path)(unicodedata.normalize(form, "Ayşe"))
        assert folder == roster.parent / "0123456789ab"


@pytest.mark.parametrize("damage", [lambda data: (data / FLOWS).write_bytes(b""), shutil.rmtree])
def test_damaged_records_of_one_student_stop_nobody_else(tmp_path, damage):
    instructor = tmp_path / "release" / "instructor"
    for code in ("a1", "b2"):
        shutil.copytree(DATA, instructor / code)
    (instructor / "roster.csv").write_text("student,code\nada,a1\nbob,b2\n")
    damage(instructor / "a1")
    for student in ("ada", "bob"):
        hand_in(tmp_path / "submissions", student, blank())
    tasks, strays = find_tasks(tmp_path / "submissions", data_folders(tmp_path / "release"))
    assert [task.student for task in tasks] == ["bob"]
    assert "release again" in strays["ada"][0]
    assert "data make" not in strays["ada"][0]


@pytest.mark.parametrize("row", ["ada", '"' + "a" * 200_000 + '",x'])
def test_a_damaged_roster_is_named(tmp_path, row):
    roster = tmp_path / "instructor" / "roster.csv"
    roster.parent.mkdir()
    roster.write_text(f"student,code\n{row}\n")
    with pytest.raises(InputError, match="is missing or damaged"):
        data_folders(tmp_path)


def test_the_output_may_not_be_taken_for_a_student(tmp_path, monkeypatch):
    hand_in(tmp_path / "submissions", "a", blank())
    monkeypatch.chdir(tmp_path)
    for out in ("submissions", "submissions/graded", "submissions/a"):
        with pytest.raises(InputError, match="where each folder is a student's"):
            teaching.grade(Path("submissions"), Path(out))


def test_packages_that_are_missing_are_named(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("labkit.grading")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psutil", None)
    with pytest.raises(InputError, match=r'psutil.* is missing: .*--editable "\.\[grading\]"'):
        teaching.grade(tmp_path, tmp_path / "out")
