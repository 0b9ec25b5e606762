"""Grading: from a notebook handed in to points, with what stands behind each of them.

What is finished lies on disk as one file a notebook, so that a grader who is stopped loses nothing
and goes on with the rest.
"""

import csv
import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from queue import SimpleQueue

from nbformat import NotebookNode

from labkit.atomic import atomic_write
from labkit.course.answers import Key, Verdict, judge
from labkit.course.exercises import MODULES, exercises_of
from labkit.course.exercises.exercise import Exercise, Traffic, key_of
from labkit.course.notebooks import course_notebooks, read_notebook
from labkit.course.release import digest, notebook_bytes, release_files
from labkit.data.files import DATA, FLOWS
from labkit.errors import InputError
from labkit.grading import sandbox
from labkit.grading.submissions import read_submission

LONGEST_SHOWN = 200


@dataclass(frozen=True)
class Mark:
    """What one exercise of one student was worth.

    Parameters
    ----------
    name, title, points, of
        The exercise, and its points.
    state
        "right", "wrong" or "unanswered".
    hint, misconception
        As in `labkit.course.answers.Verdict`.
    answer
        What was answered, as text.
    source
        What the student wrote in the exercise's cell.
    error
        What that cell ended in, if it failed.
    """

    name: str
    title: str
    points: int
    of: int
    state: str
    hint: str
    misconception: str
    answer: str
    source: str
    error: str


@dataclass(frozen=True)
class Grade:
    """One notebook of one student.

    Parameters
    ----------
    student, notebook
        The folder's name, and the notebook's without ending.
    marks
        One an exercise, in order.
    remarks
        What a person should look at; empty when nothing was out of the ordinary.
    digest
        Of all that the grade depends on: what was handed in, the course, the records.
    """

    student: str
    notebook: str
    marks: tuple[Mark, ...]
    remarks: tuple[str, ...]
    digest: str

    @property
    def points(self) -> int:
        """Points reached."""
        return sum(mark.points for mark in self.marks)

    @property
    def of(self) -> int:
        """Points that there are."""
        return sum(mark.of for mark in self.marks)


@dataclass(frozen=True)
class Task:
    """One notebook to be graded.

    Parameters
    ----------
    student, notebook
        As in `Grade`.
    path
        The file handed in.
    data
        Folder with the student's flow records.
    """

    student: str
    notebook: str
    path: Path
    data: Path


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


def find_tasks(
    folder: Path, data_of: Callable[[str], Path]
) -> tuple[list[Task], dict[str, list[str]]]:
    """Return the notebooks in a folder of submissions, and the strays: student -> file names.

    Parameters
    ----------
    folder
        One folder a student, with the notebooks in it or below it.
    data_of
        From a student to the folder with the student's records.

    Raises
    ------
    InputError
        When the folder is missing or holds no folder.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: name the one with a folder for each student")
    students = sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")
    if not students:
        raise InputError(f"{folder} holds no student's folder: one each, with the notebooks in it")
    names = set(course_with_exercises())
    tasks, strays = [], {}
    for student in students:
        found = sorted(
            path for path in student.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
        )
        known: dict[str, Path] = {}
        for path in found:
            if path.stem in names and path.stem not in known:
                known[path.stem] = path
            else:
                strays.setdefault(student.name, []).append(path.name)
        if not known:
            strays.setdefault(student.name, []).append("no notebook of the course")
        try:
            data = data_of(student.name)
        except InputError as error:
            strays.setdefault(student.name, []).append(str(error))
            continue
        tasks += [Task(student.name, name, path, data) for name, path in known.items()]
    return tasks, strays


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


def grade_path(out: Path, student: str, notebook: str) -> Path:
    """Return where the grade of a notebook is kept."""
    return out / "grades" / student / f"{notebook}.json"


def read_grade(path: Path) -> Grade | None:
    """Return a grade from its file, None when it is missing or not whole."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        marks = tuple(Mark(**mark) for mark in kept.pop("marks"))
        return Grade(**kept | {"marks": marks, "remarks": tuple(kept["remarks"])})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _grade(task: Task, out: Path, grader: Grader, package: Path, folder: Path, user: int) -> Grade:
    path = grade_path(out, task.student, task.notebook)
    mark_of = _digest(task)
    if (kept := read_grade(path)) and kept.digest == mark_of:
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
    grade = Grade(task.student, task.notebook, marks, tuple(remarks), mark_of)
    with atomic_write(path) as file:
        file.write((json.dumps(asdict(grade), indent=1) + "\n").encode())
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


@cache
def course_with_exercises() -> dict[str, NotebookNode]:
    """Return the course's notebooks that have exercises: name without ending -> notebook."""
    return {
        path.stem: read_notebook(path) for path in course_notebooks() if path.name[:2] in MODULES
    }


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


def data_folders(released: Path | None) -> Callable[[str], Path]:
    """Return where each student's flow records lie: the course's own, or those of a release.

    Parameters
    ----------
    released
        What `labkit release --roster` wrote; students go by id or by code. None for the course's.

    Raises
    ------
    InputError
        When the release holds no roster; later, for a student that it does not name.
    """
    if released is None:
        return lambda student: DATA
    path = released / "instructor" / "roster.csv"
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        codes = {row[name]: row["code"] for row in rows for name in ("student", "code")}
    except (OSError, UnicodeDecodeError, KeyError):
        raise InputError(f"{path} is missing or damaged: run `labkit release --roster`") from None

    def folder(student: str) -> Path:
        if student not in codes:
            raise InputError(f"{student} is neither an id nor a code in {path}")
        return released / "instructor" / codes[student]

    return folder
