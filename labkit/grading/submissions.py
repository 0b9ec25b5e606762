"""A student's notebook as handed in: read it whatever it is, and make it ready to run."""

import json
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from labkit.course.cells import exercise_cells
from labkit.course.exercises import exercise
from labkit.course.release import NOTICE, asked_for
from labkit.errors import InputError
from labkit.grading.regular import read_regular

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
    is_personal
        Whether it was handed out for a student's own traffic.
    """

    notebook: NotebookNode
    sources: dict[str, str]
    remarks: list[str]
    is_personal: bool


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
        When the file is too large, cannot be read or is no notebook; says so in one line.
    """
    cells, kernel, is_personal = _read(path)
    remarks = []
    if not any(cell.source.strip() for cell in cells):
        remarks.append("holds no code")
    if kernel != "python3":
        remarks.append(f"asks for the kernel {kernel[:40]!r}; run with python3")
    originals = {cell.id: cell for cell in course.cells}
    checks = {parts["check"].id: name for name, parts in exercise_cells(course).items()}
    waiting, seen, prepared, sources = dict(checks), set(), [], dict.fromkeys(checks.values(), "")
    for number, cell in enumerate(cells, start=1):
        is_copy = cell.identity in seen and cell.identity in originals
        seen.add(cell.identity)
        if cell.identity in checks:
            if is_copy:
                remarks.append(f"cell {cell.identity} stands there more than once")
                continue
            if cell.source.strip() != originals[cell.identity].source.strip():
                remarks.append(f"the check in cell {cell.identity} was edited")
            prepared.append(_grader_cell(waiting.pop(cell.identity), originals[cell.identity]))
            continue
        is_known = cell.identity in originals and not is_copy
        if is_known and cell.identity.endswith("-stub"):
            sources[cell.identity.removeprefix("ex-").removesuffix("-stub")] = cell.source
        prepared.append(nbformat.v4.new_code_cell(cell.source))
        prepared[-1].id = cell.identity if is_known else f"cell-{number}"
    for identity, name in waiting.items():
        remarks.append(f"the check of {name} is missing")
        prepared.append(_grader_cell(name, originals[identity]))
    gone = [name for name in sources if f"ex-{name}-stub" not in seen]
    remarks += [f"the cell for {name} is missing" for name in gone]
    return Submission(nbformat.v4.new_notebook(cells=prepared), sources, remarks, is_personal)


@dataclass(frozen=True)
class _Code:
    """A code cell of a submission: what stands in it, and which cell of the course it was."""

    source: str
    identity: str


def _read(path: Path) -> tuple[list[_Code], str, bool]:
    """Return the code cells of a file, the kernel it asks for, and whether it bears the notice.

    Read as JSON and no more: whatever a tool or a person did to the rest does not matter here.
    """
    content = read_regular(path, MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        size = path.stat().st_size
        raise InputError(f"{path.name} has {size / 1e6:.0f} MB, more than {MAX_BYTES / 1e6:.0f}")
    try:
        raw = json.loads(content.decode("utf-8"))
        cells = [_code(cell) for cell in raw["cells"] if cell["cell_type"] == "code"]
        is_personal = any(cell.get("id") == NOTICE for cell in raw["cells"])
        kernel = raw.get("metadata", {}).get("kernelspec", {}).get("name", "python3")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = " ".join(str(error).split())[:100]
        raise InputError(f"{path.name} is not a notebook ({reason})") from None
    return cells, str(kernel), is_personal


def _code(cell: dict) -> _Code:
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    # JSON can hold halves of signs, which no file can.
    text = text.encode("utf-8", errors="replace").decode()
    grade_id = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id")
    return _Code(text, str(grade_id or cell.get("id", "")))


def _grader_cell(name: str, check: NotebookNode) -> NotebookNode:
    calls = json.dumps(exercise(name).calls)
    cell = nbformat.v4.new_code_cell(
        "from labkit.grading.recording import record\n"
        f"record({name!r}, lambda: {asked_for(check.source)}, {calls!r})"
    )
    cell.id = check.id
    return cell
