"""Grading: from a notebook handed in to points, with what stands behind each of them.

What is finished lies on disk as one file a notebook, so that a grader who is stopped loses nothing
and goes on with the rest.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from threading import Event

from nbformat import NotebookNode, v4

from labkit.course.answers import Key, Verdict, judge
from labkit.course.exercises import exercises_of
from labkit.course.exercises.exercise import Exercise, Traffic, key_of
from labkit.course.release import digest, notebook_bytes, release_files
from labkit.data.files import DATA, FLOWS
from labkit.errors import InputError
from labkit.grading import sandbox
from labkit.grading.grades import Grade, Mark, grade_path, read_grade, write_grade
from labkit.grading.recording import ENDINGS
from labkit.grading.regular import read_regular
from labkit.grading.submissions import MAX_BYTES, read_submission
from labkit.grading.tasks import Task, course_with_exercises
from labkit.grading.watching import CUT_SHORT, Limits, Outcome

LONGEST_SHOWN = 200
MOST_LINES = 1000
"""Of answers, counted from the last: many more than there are exercises."""


@dataclass(frozen=True)
class Grader:
    """How submissions are run.

    Parameters
    ----------
    limits
        Of each run.
    bwrap
        Where bubblewrap is; None for no sandbox at all.
    jobs
        Runs at a time.
    """

    limits: Limits = field(default_factory=Limits)
    bwrap: str | None = None
    jobs: int = 2


@dataclass(frozen=True)
class _Place:
    """Where one submission is run, and how."""

    grader: Grader
    package: Path
    folder: Path
    stop: Event


def grade_all(tasks: list[Task], out: Path, grader: Grader) -> Iterator[Grade]:
    """Grade notebooks, several at a time; yield each grade as it is finished and on disk.

    What is running when this ends early, as by Ctrl-C, is ended too, and not graded.

    Parameters
    ----------
    tasks
        What to grade.
    out
        Where grades are kept; those that lie there and are still true are not made again.
    grader
        How.

    Raises
    ------
    InputError
        When records are missing, nothing can be run here, or a grade cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="labkit-grade-") as scratch:
        Path(scratch).chmod(0o755)
        package = sandbox.without_answers(Path(scratch) / "package")
        stop = Event()

        def one(task: Task) -> Grade:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                return _grade(task, out, _Place(grader, package, Path(folder), stop))

        pool = ThreadPoolExecutor(grader.jobs)
        try:
            for done in as_completed([pool.submit(one, task) for task in tasks]):
                yield done.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _grade(task: Task, out: Path, place: _Place) -> Grade:
    checksum = _digest(task, place.grader)
    kept = read_grade(grade_path(out, task.student, task.notebook))
    if kept and kept.digest == checksum:
        return kept
    course = course_with_exercises()[task.notebook]
    keys = _keys(task.notebook[:2], task.data)
    remarks: list[str] = []
    answers: dict[str, dict] = {}
    sources: dict[str, str] = {}
    errors: dict[str, str] = {}
    try:
        submission = read_submission(task.path, course)
    except InputError as error:
        remarks.append(str(error))
    else:
        outcome = _run(submission.notebook, task, place)
        report = _report(outcome.report)
        answers, sources, errors = _answers(outcome.answers), submission.sources, report["errors"]
        remarks += submission.remarks
        if submission.is_personal and task.data == DATA:
            remarks.append("made for traffic of its own, judged on the course's: use --release")
        remarks += [text for text in (outcome.ended, report["ended"]) if text]
        if any("CellTimeoutError" in said for said in errors.values()):
            remarks.append(f"a cell ran longer than {place.grader.limits.seconds_a_cell} s")
        if outcome.ended:
            # Of no use the next time: with more time, or on a quiet machine, it may end well.
            checksum = ""
    marks = tuple(
        _mark(asked, keys[asked.name], answers, sources, errors)
        for asked in exercises_of(task.notebook[:2])
    )
    grade = Grade(task.student, task.notebook, marks, tuple(dict.fromkeys(remarks)), checksum)
    write_grade(out, grade)
    return grade


def _run(notebook: NotebookNode, task: Task, place: _Place) -> Outcome:
    outcome = _run_in(place.folder / "run", notebook, task, place)
    if outcome.ended == CUT_SHORT:
        # Whose fault is it? What nobody can run costs no student a point.
        trial = _run_in(place.folder / "trial", v4.new_notebook(), task, place)
        if trial.ended == CUT_SHORT:
            raise InputError(f"not even an empty notebook runs here: {trial.said[:LONGEST_SHOWN]}")
    return outcome


def _run_in(folder: Path, notebook: NotebookNode, task: Task, place: _Place) -> Outcome:
    folder.mkdir()
    prepared = folder / "notebook.ipynb"
    prepared.write_bytes(notebook_bytes(notebook))
    prepared.chmod(0o644)
    arguments = prepared, place.package, task.data, place.grader.limits
    bwrap = place.grader.bwrap
    if bwrap is None:
        return sandbox.run_bare(*arguments, stop=place.stop)
    return sandbox.run_sandboxed(*arguments, bwrap=bwrap, stop=place.stop)


def _mark(
    asked: Exercise,
    key: Key,
    answers: Mapping[str, dict],
    sources: Mapping[str, str],
    errors: Mapping[str, str],
) -> Mark:
    given = answers.get(asked.name, {})
    if not given:
        verdict = Verdict("unanswered", "Not read: the run did not come to this check.")
    elif fault := given.get("fault"):
        verdict = Verdict("wrong", str(fault)[:LONGEST_SHOWN])
    else:
        verdict = judge(key, given.get("answer"))
    return Mark(
        name=asked.name,
        title=asked.title,
        points=asked.points if verdict.state == "right" else 0,
        of=asked.points,
        state=verdict.state,
        hint=verdict.hint,
        misconception=verdict.misconception,
        answer=_shown(given.get("answer")),
        source=sources.get(asked.name, "")[:5000],
        error=errors.get(f"ex-{asked.name}-stub", ""),
    )


def _shown(answer: object) -> str:
    try:
        text = "" if answer is None else json.dumps(answer, ensure_ascii=False)
    except RecursionError:  # read in time, and written deeper down
        text = "…"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"


def _answers(text: str) -> dict[str, dict]:
    """Return the last answer to each exercise, of a file that may hold anything."""
    found = {}
    for line in text.rsplit("\n", MOST_LINES)[-MOST_LINES:]:
        try:
            entry = json.loads(line)
            found[str(entry["name"])] = entry
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return found


def _report(text: str) -> dict:
    """Return what the run reported of itself, of a file that may hold anything."""
    try:
        report = json.loads(text)
        errors = {str(cell): str(said)[:LONGEST_SHOWN] for cell, said in report["errors"].items()}
        # A person reads this as the grader's own words.
        return {"ended": report["ended"] if report["ended"] in ENDINGS else "", "errors": errors}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {"ended": "", "errors": {}}


@lru_cache(maxsize=8)
def _traffic(data: Path) -> Traffic:
    return Traffic(data / FLOWS)


def _keys(notebook: str, data: Path) -> dict[str, Key]:
    traffic = _traffic(data)
    return {asked.name: key_of(asked, traffic) for asked in exercises_of(notebook)}


@cache
def _course_digest() -> str:
    return digest(release_files())


def _digest(task: Task, grader: Grader) -> str:
    """Return a checksum of everything that a grade depends on."""
    total = hashlib.sha256(_course_digest().encode())
    total.update(b"sandbox" if grader.bwrap else b"bare")
    for path in (task.path, task.data / FLOWS):
        try:
            total.update(hashlib.sha256(read_regular(path, MAX_BYTES + 1)).digest())
        except InputError as error:
            total.update(str(error).encode())
    return total.hexdigest()
