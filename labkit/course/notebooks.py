"""Run the course's notebooks from the top and store what they print."""

import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from labkit.atomic import atomic_write
from labkit.errors import InputError

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SECONDS_A_CELL = 60
KERNEL = "python3"


def course_notebooks(folder: Path = NOTEBOOKS) -> list[Path]:
    """Return the course's notebooks in reading order.

    Raises
    ------
    InputError
        When the folder holds none.
    """
    paths = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    if not paths:
        raise InputError(f"no notebook lies in {folder}")
    return paths


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook, or say in one line why it cannot be read."""
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except FileNotFoundError:
        raise InputError(f"{path} is missing") from None
    except (UnicodeDecodeError, nbformat.reader.NotJSONError, nbformat.ValidationError) as error:
        reason = str(error).splitlines()[0][:200]
        raise InputError(f"{path} is not a notebook: {reason}") from None
    return notebook


def execute(notebook: NotebookNode, folder: Path) -> float:
    """Execute all cells from the top, storing their outputs in the notebook.

    The outputs depend on the cells alone: no timing and no release of Python is recorded, so that
    running again changes nothing.

    Parameters
    ----------
    notebook
        Changed in place.
    folder
        Working folder of its kernel.

    Returns
    -------
    float
        Seconds it took, the kernel's start included.

    Raises
    ------
    InputError
        When a cell fails, naming the cell as a reader counts it, from 1, prose included.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata.pop("execution", None)
    client = NotebookClient(
        notebook,
        timeout=SECONDS_A_CELL,
        kernel_name=KERNEL,
        record_timing=False,
        # Its kernel talks over loopback, and warns at every start that this is not encrypted.
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    )
    began = time.perf_counter()
    try:
        client.execute()
    except CellExecutionError as error:
        raise InputError(f"{_failed_cell(notebook)}: {error.ename}: {error.evalue}") from None
    except CellTimeoutError:
        raise InputError(f"a cell ran longer than {SECONDS_A_CELL} s") from None
    except DeadKernelError:
        raise InputError("the kernel died") from None
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": KERNEL},
        "language_info": {"name": "python"},
    }
    return time.perf_counter() - began


def execute_in_place(path: Path) -> float:
    """Execute a notebook file and write it back, whole or not at all.

    Returns
    -------
    float
        Seconds it took.

    Raises
    ------
    InputError
        When the file is no notebook or a cell fails; the file then stays as it was.
    """
    notebook = read_notebook(path)
    try:
        seconds = execute(notebook, path.parent)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    with atomic_write(path) as file:
        file.write((nbformat.writes(notebook).rstrip("\n") + "\n").encode())
    return seconds


def _failed_cell(notebook: NotebookNode) -> str:
    for number, cell in enumerate(notebook.cells, start=1):
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            return f"cell {number} ({cell.source.splitlines()[0][:60]!r})"
    return "a cell"
