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
from queue import SimpleQueue

from nbformat import NotebookNode

from labkit.course.answers import Key, Verdict, judge
from labkit.course.exercises import exercises_of
from labkit.course.exercises.exercise import Exercise, Traffic, key_of
from labkit.course.release import digest, notebook_bytes, release_files
from labkit.data.files import FLOWS
from labkit.errors import InputError
from labkit.grading import sandbox
from labkit.grading.grades import Grade, Mark, grade_path, read_grade, write_grade
from labkit.grading.submissions import read_submission
from labkit.grading.tasks import Task, course_with_exercises

LONGEST_SHOWN = 200


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

    limits: sandbox.Limits = field(default_factory=sandbox.Limits)
    bwrap: str | None = None
    jobs: int = 2


def grade_all(tasks: list[Task], out: Path, grader: Grader) -> Iterator[Grade]:
    """Grade notebooks, several at a time; yield each grade as it is finished and on disk.

    Parameters
    ----------
    tasks
        What to grade.
    out
        Where grades are kept; those that lie there and are still true are not made again.
    grader
        How.
    """
    with tempfile.TemporaryDirectory(prefix="labkit-grade-") as scratch:
        Path(scratch).chmod(0o755)
        package = sandbox.without_answers(Path(scratch) / "package")
        users: SimpleQueue[int] = SimpleQueue()
        for user in range(grader.jobs):
            users.put(user)

        def one(task: Task) -> Grade:
            user = users.get()
            try:
                with tempfile.TemporaryDirectory(dir=scratch) as folder:
                    return _grade(task, out, grader, package, Path(folder), user)
            finally:
                users.put(user)

        pool = ThreadPoolExecutor(grader.jobs)
        try:
            for done in as_completed([pool.submit(one, task) for task in tasks]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _grade(task: Task, out: Path, grader: Grader, package: Path, folder: Path, user: int) -> Grade:
    checksum = _digest(task)
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
        remarks += submission.remarks
        sources = submission.sources
        outcome = _run(submission.notebook, task, grader, package, folder, user)
        answers = _answers(outcome.answers)
        report = _report(outcome.report)
        errors = report["errors"]
        remarks += [text for text in (outcome.ended, report["ended"]) if text]
        if any("CellTimeoutError" in said for said in errors.values()):
            remarks.append(f"a cell ran longer than {grader.limits.seconds_a_cell} s")
    except (InputError, OSError) as error:
        remarks.append(" ".join(str(error).split()))
    marks = tuple(
        _mark(asked, keys[asked.name], answers, sources, errors)
        for asked in exercises_of(task.notebook[:2])
    )
    grade = Grade(task.student, task.notebook, marks, tuple(remarks), checksum)
    write_grade(out, grade)
    return grade


def _run(
    notebook: NotebookNode, task: Task, grader: Grader, package: Path, folder: Path, user: int
) -> sandbox.Outcome:
    prepared, results = folder / "notebook.ipynb", folder / "out"
    prepared.write_bytes(notebook_bytes(notebook))
    prepared.chmod(0o644)
    results.mkdir()
    if grader.bwrap is None:
        return sandbox.run_bare(prepared, package, task.data, results, grader.limits)
    return sandbox.run_sandboxed(
        prepared, package, task.data, results, grader.limits, user=user, bwrap=grader.bwrap
    )


def _mark(
    asked: Exercise,
    key: Key,
    answers: Mapping[str, dict],
    sources: Mapping[str, str],
    errors: Mapping[str, str],
) -> Mark:
    given = answers.get(asked.name, {})
    if fault := given.get("fault"):
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
    text = "" if answer is None else json.dumps(answer, ensure_ascii=False)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} …"


def _answers(text: str) -> dict[str, dict]:
    """Return the last answer to each exercise, of a file that may hold anything."""
    found = {}
    for line in text.splitlines():
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
        return {"ended": str(report["ended"])[:LONGEST_SHOWN], "errors": errors}
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


def _digest(task: Task) -> str:
    """Return a checksum of everything that a grade depends on."""
    total = hashlib.sha256(_course_digest().encode())
    for path in (task.path, task.data / FLOWS):
        try:
            with path.open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            total.update(str(error.strerror).encode())
    return total.hexdigest()
