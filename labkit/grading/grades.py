"""Grades: what each exercise and each notebook was worth, and the files that keep them."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from labkit.atomic import atomic_write


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


def write_grade(out: Path, grade: Grade) -> None:
    """Keep a grade in its file, whole or not at all."""
    with atomic_write(grade_path(out, grade.student, grade.notebook)) as file:
        file.write((json.dumps(asdict(grade), indent=1) + "\n").encode())
