"""The cells that make up an exercise: its text, its blank, its solution and its check.

Each is named by the exercise and tagged with its role: the text of 03-2 is the cell `ex-03-2`, the
rest `ex-03-2-stub`, `ex-03-2-solution` and `ex-03-2-check`, in that order.
"""

import copy
import re

from nbformat import NotebookNode

ROLES = ("exercise", "stub", "solution", "check")
_NAME = re.compile(r"ex-(?P<exercise>\d\d-\d+)(?:-(?P<role>stub|solution|check))?")


def exercise_cells(notebook: NotebookNode) -> dict[str, dict[str, NotebookNode]]:
    """Return the cells of each exercise: name -> role -> cell, in the notebook's order."""
    found: dict[str, dict[str, NotebookNode]] = {}
    for cell in notebook.cells:
        if match := _NAME.fullmatch(cell.get("id", "")):
            found.setdefault(match["exercise"], {})[match["role"] or "exercise"] = cell
    return found


def without_solutions(notebook: NotebookNode) -> NotebookNode:
    """Return a copy of a notebook as a student gets it: no solution, no output."""
    blank = copy.deepcopy(notebook)
    blank.cells = [cell for cell in blank.cells if "solution" not in cell.metadata.get("tags", [])]
    for cell in blank.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return blank


def exercise_problems(notebook: NotebookNode) -> list[str]:
    """Return everything that is wrong with the exercises of a notebook, one line each.

    Every exercise has its four cells, in order and tagged; a blank promises nothing that the
    solution does not keep; and the check calls for the exercise that it stands under.
    """
    found = []
    for name, cells in exercise_cells(notebook).items():
        if tuple(cells) != ROLES:
            found.append(
                f"exercise {name} has the cells {', '.join(cells)}, not {', '.join(ROLES)}"
            )
            continue
        for role, cell in cells.items():
            if cell.metadata.get("tags") != [role]:
                found.append(f"the {role} of exercise {name} lacks the tag {role}")
        if line := _unkept_line(cells["stub"].source, cells["solution"].source):
            found.append(f"the stub of exercise {name} has a line its solution has not: {line}")
        if not re.fullmatch(rf'check\("{name}", .+\)', cells["check"].source):
            found.append(f"the check of exercise {name} is not one call of check")
    return found


def _unkept_line(stub: str, solution: str) -> str:
    """Return the first line of a stub that begins no line of the solution, empty if all do.

    A line counts up to its blank, `...`; lines must come in the solution's order.
    """
    rest = iter(solution.splitlines())
    for line in stub.splitlines():
        start = line.partition("...")[0].rstrip()
        if start.strip() and not any(kept.startswith(start) for kept in rest):
            return line
    return ""
