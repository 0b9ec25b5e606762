"""A student's notebook as handed in: read it whatever it is, and make it ready to run."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from labkit.course.cells import exercise_cells
from labkit.course.exercises import exercise
from labkit.course.notebooks import read_notebook
from labkit.course.release import asked_for
from labkit.errors import InputError

MAX_BYTES = 10_000_000


@dataclass(frozen=True)
class Submission:
    """A notebook that was handed in.

    Parameters
    ----------
    notebook
        To be executed: the student's cells, the grader's in place of the checks.
    sources
        What stands in the cell of each exercise that the student fills; "" where it is gone.
    remarks
        What a person should know of it.
    """

    notebook: NotebookNode
    sources: dict[str, str]
    remarks: list[str] = field(default_factory=list)


def read_submission(path: Path, course: NotebookNode) -> Submission:
    """Read a submitted notebook and put the grader's checks in place of those it holds.

    Cells are known by their id, and where a tool lost it by nbgrader's; a check that was deleted
    is run at the end, one that was copied runs once, and outputs are not looked at.

    Parameters
    ----------
    path
        The file handed in.
    course
        The course's own notebook, with its solutions.

    Raises
    ------
    InputError
        When the file is too large or no notebook; says so in one line.
    """
    if not path.is_file() or path.is_symlink():
        raise InputError(f"{path.name} is not a file")
    if (size := path.stat().st_size) > MAX_BYTES:
        raise InputError(f"{path.name} has {size / 1e6:.0f} MB, more than {MAX_BYTES / 1e6:.0f}")
    try:
        submitted = read_notebook(path)
    except InputError as error:
        raise InputError(str(error).replace(str(path), path.name)) from None
    remarks = []
    if not any(cell.cell_type == "code" and cell.source.strip() for cell in submitted.cells):
        remarks.append("holds no code")
    kernel = submitted.metadata.get("kernelspec", {}).get("name", "python3")
    if kernel != "python3":
        remarks.append(f"asks for the kernel {str(kernel)[:40]!r}; run with python3")
    originals = {cell.id: cell for cell in course.cells}
    checks = {cells["check"].id: name for name, cells in exercise_cells(course).items()}
    waiting, seen, cells, sources = dict(checks), set(), [], dict.fromkeys(checks.values(), "")
    for number, cell in enumerate(submitted.cells):
        if cell.cell_type != "code":
            continue
        identity = _identity(cell)
        copied = identity in seen and identity in originals
        seen.add(identity)
        if identity in checks:
            if copied:
                remarks.append(f"cell {identity} stands there more than once")
                continue
            if cell.source.strip() != originals[identity].source.strip():
                remarks.append(f"the check in cell {identity} was edited")
            cells.append(_grader_cell(waiting.pop(identity), originals[identity]))
            continue
        if identity.endswith("-stub") and identity in originals and not copied:
            sources[identity.removeprefix("ex-").removesuffix("-stub")] = cell.source
        is_known = identity in originals and not copied
        cells.append(_student_cell(cell, identity if is_known else f"cell-{number + 1}"))
    for identity, name in waiting.items():
        remarks.append(f"the check of {name} is missing")
        cells.append(_grader_cell(name, originals[identity]))
    gone = [name for name in sources if f"ex-{name}-stub" not in seen]
    remarks += [f"the cell for {name} is missing" for name in gone]
    return Submission(nbformat.v4.new_notebook(cells=cells), sources, remarks)


def _identity(cell: NotebookNode) -> str:
    nbgrader = cell.metadata.get("nbgrader")
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return str(grade_id or cell.get("id", ""))[:64]


def _student_cell(cell: NotebookNode, identity: str) -> NotebookNode:
    made = nbformat.v4.new_code_cell(cell.source)
    made.id = identity
    return made


def _grader_cell(name: str, check: NotebookNode) -> NotebookNode:
    calls = json.dumps(exercise(name).calls)
    cell = nbformat.v4.new_code_cell(
        "from labkit.grading.recording import record\n"
        f"record({name!r}, lambda: {asked_for(check.source)}, {calls!r})"
    )
    cell.id = check.id
    return cell
