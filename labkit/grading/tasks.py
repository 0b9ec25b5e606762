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
PACKED = (".zip", ".7z", ".rar", ".tar", ".tgz")


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
    """Return the notebooks in a folder of submissions, and the strays: student -> what and why.

    Parameters
    ----------
    folder
        One folder a student, with the notebooks in it or below it.
    data_of
        From a student to the folder with the student's records.

    Raises
    ------
    InputError
        When the folder is missing, holds no folder, one with a name too long for a page's, or a
        notebook or zip that is in none.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder: name the one with a folder for each student")
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.suffix.lower() in (".ipynb", *PACKED):
            raise InputError(f"{path} is in no student's folder: put it, unpacked, into one")
    students = sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")
    if not students:
        raise InputError(f"{folder} holds no student's folder: one each, with the notebooks in it")
    for student in students:
        if len(os.fsencode(student.name)) > LONGEST_NAME:
            raise InputError(f"{student.name} is too long a name: call this folder something else")
    tasks = []
    strays: dict[str, list[str]] = {}
    for student in students:
        known, told = _handed_in(student)
        try:
            data = data_of(student.name)
            tasks += [Task(student.name, name, path, data) for name, path in known.items()]
        except InputError as error:
            told.append(str(error))
        if told:
            strays[student.name] = told
    return tasks, strays


def _handed_in(student: Path) -> tuple[dict[str, Path], list[str]]:
    """Return a student's notebooks by name, and what was meant to be one."""
    known: dict[str, Path] = {}
    told = []
    for path in sorted(student.rglob("*")):
        within = path.relative_to(student)
        # What an editor keeps, an environment, what macOS packs beside each file.
        if any(part.startswith(".") for part in within.parts):
            continue
        if path.suffix.lower() in PACKED:
            told.append(f"{within.as_posix()}: it is packed, unpack it and grade again")
        elif path.suffix == ".ipynb" and path.stem not in course_with_exercises():
            told.append(f"{within.as_posix()}: no notebook of the course has this name")
        elif path.suffix == ".ipynb" and path.stem in known:
            graded = known[path.stem].relative_to(student).as_posix()
            told.append(f"{within.as_posix()}: {graded} was graded in its place")
        elif path.suffix == ".ipynb":
            known[path.stem] = path
    return known, told if known or told else ["no notebook of the course"]


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
