"""What is to be graded: the notebooks in a folder of submissions, and each student's records."""

import csv
import os
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from labkit.course.exercises import MODULES
from labkit.course.notebooks import course_notebooks, read_notebook
from labkit.data.files import DATA, verify_flows
from labkit.errors import InputError

LONGEST_NAME = 200
"""Bytes: with what is added to it, it is still a file's name."""


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
        When the folder is missing, holds no folder, or one with a name too long for a page's.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: name the one with a folder for each student")
    students = sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")
    if not students:
        raise InputError(f"{folder} holds no student's folder: one each, with the notebooks in it")
    for student in students:
        if len(os.fsencode(student.name)) > LONGEST_NAME:
            raise InputError(f"{student.name} is too long a name: call this folder something else")
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


def data_folders(released: Path | None) -> Callable[[str], Path]:
    """Return where each student's flow records lie: the course's own, or those of a release.

    Parameters
    ----------
    released
        What `labkit release --roster` wrote; students go by id or by code. None for the course's.

    Raises
    ------
    InputError
        When the release holds no roster, or the course's records are damaged; later, for a student
        that the roster does not name or whose records are damaged.
    """
    if released is None:
        verify_flows(DATA)
        return lambda student: DATA
    path = released / "instructor" / "roster.csv"
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        codes = {
            _composed(row[name]): _composed(row["code"])
            for row in rows
            for name in ("student", "code")
        }
    except (OSError, UnicodeDecodeError, KeyError, TypeError, csv.Error):
        again = f"`labkit release {released} --roster … --secret …`"
        raise InputError(f"{path} is missing or damaged: {again} writes it anew") from None

    def folder(student: str) -> Path:
        if _composed(student) not in codes:
            raise InputError(f"{student} is neither an id nor a code in the roster")
        data = released / "instructor" / codes[_composed(student)]
        try:
            verify_flows(data)
        except InputError:
            raise InputError(
                "the student's records are missing or damaged: release again, then grade again"
            ) from None
        return data

    return folder


def _composed(name: str) -> str:
    """Return a name with its accents as one sign each; some systems store them as two."""
    return unicodedata.normalize("NFC", name)


@cache
def course_with_exercises() -> dict[str, NotebookNode]:
    """Return the course's notebooks that have exercises: name without ending -> notebook."""
    return {
        path.stem: read_notebook(path) for path in course_notebooks() if path.name[:2] in MODULES
    }
