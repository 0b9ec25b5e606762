"""Submissions to grade: the course's notebook 03 as an honest student hands it in, and others."""

import json

from nbformat import v4

from labkit.course.answers import plain
from labkit.course.cells import exercise_cells
from labkit.course.exercises import exercises_of
from labkit.course.notebooks import course_notebooks, read_notebook
from labkit.course.release import asked_for, notebook_bytes, student_notebook

NOTEBOOK = "03_base_rate_arithmetic"
COURSE = {path.stem: read_notebook(path) for path in course_notebooks()}


def blank(name=NOTEBOOK):
    """The notebook as it was handed out."""
    return student_notebook(COURSE[name])


def solved(name=NOTEBOOK):
    """The notebook with every blank filled as the solution fills it."""
    notebook = blank(name)
    solutions = exercise_cells(COURSE[name])
    for exercise, cells in exercise_cells(notebook).items():
        cells["stub"].source = solutions[exercise]["solution"].source
    return notebook


def starting_with(source, notebook=None):
    """A notebook, the solved one by default, with a cell of one's own before all others."""
    notebook = notebook or solved()
    notebook.cells.insert(0, v4.new_code_cell(source))
    return notebook


def hand_in(folder, student, notebook, name=NOTEBOOK):
    """Write a submission: a notebook, or the bytes of a file that is none."""
    path = folder / student / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook if isinstance(notebook, bytes) else notebook_bytes(notebook))
    return path


def without_cells(notebook, identities):
    """The notebook without the cells of these ids."""
    notebook.cells = [cell for cell in notebook.cells if cell.id not in identities]
    return notebook


def as_json(notebook):
    """The notebook as plain values, to be damaged."""
    return json.loads(notebook_bytes(notebook))


def with_answer(notebook, number, traffic, *, mistaken=False):
    """The notebook with each blank filled by its key's answer, or first mistake, on some records.

    Written as the value itself, as one who copied it would; functions are left blank.
    """
    for asked in exercises_of(number):
        if asked.calls:
            continue
        key = asked.key(traffic)
        answer = plain(key.mistakes[0].answer if mistaken else key.right)
        cells = exercise_cells(notebook)[asked.name]
        name = asked_for(cells["check"].source)
        cells["stub"].source = f"nan, inf = float('nan'), float('inf')\n{name} = {answer!r}"
    return notebook
