"""Run the course's notebooks from the top and store what they print."""

import asyncio
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from labkit.atomic import atomic_write
from labkit.errors import InputError

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SECONDS_A_CELL = 60
KERNEL = "python3"
# What it holds is the id of a widget that lives as long as its kernel.
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


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
    # JSON that is no notebook makes nbformat trip in all of these ways.
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        nbformat.ValidationError,
    ) as error:
        reason = str(error).splitlines()[0][:200]
        raise InputError(f"{path} is not a notebook: {reason}") from None
    return notebook


def execute(notebook: NotebookNode, folder: Path) -> float:
    """Execute all cells from the top, storing their outputs in the notebook.

    The outputs depend on the cells alone: no timing, no release of Python and no id of a widget is
    recorded, so that running again changes nothing. A widget leaves the text that it is shown with.

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
        When a cell fails, takes too long or kills the kernel; names the cell as a reader counts
        it, from 1, prose included.
    KeyboardInterrupt
        On Ctrl-C, after the kernel was stopped.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata.pop("execution", None)
    client = _Client(
        notebook,
        timeout=SECONDS_A_CELL,
        kernel_name=KERNEL,
        record_timing=False,
        # Two prints may arrive together or apart, as the machine's load will have it.
        coalesce_streams=True,
        # The kernel talks over loopback and warns at every start that this is not encrypted; one
        # that is stopped in the middle of a cell complains. What a cell prints is no log.
        extra_arguments=["--log-level=CRITICAL"],
        resources={"metadata": {"path": str(folder)}},
    )
    began = time.perf_counter()
    try:
        client.execute()
    except CellExecutionError as error:
        what = " ".join(f"{error.ename}: {error.evalue}".split())
        raise InputError(f"{client.cell}: {what}") from None
    except CellTimeoutError:
        raise InputError(f"{client.cell} ran longer than {SECONDS_A_CELL} s") from None
    except (DeadKernelError, asyncio.CancelledError):
        if client.interrupted:
            raise KeyboardInterrupt from None
        raise InputError(f"{client.cell} killed the kernel") from None
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET_VIEW, None)
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


class _Client(NotebookClient):
    """A client that knows which cell it is at, and that Ctrl-C stops.

    The handler of nbclient itself takes the kernel away and lets the rest fail as it may.
    """

    interrupted = False
    cell = "the kernel's start"

    async def async_start_new_kernel(self, **arguments: Any) -> None:  # noqa: ANN401
        task = asyncio.current_task()

        def stop() -> None:
            self.interrupted = True
            task.cancel()

        with suppress(RuntimeError):  # Windows, or not the main thread: no handler there
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop)
        await super().async_start_new_kernel(**arguments)

    async def async_execute_cell(
        self,
        cell: NotebookNode,
        cell_index: int,
        **arguments: Any,  # noqa: ANN401
    ) -> NotebookNode:
        first_line = cell.source.strip().partition("\n")[0]
        self.cell = f"cell {cell_index + 1} ({first_line[:60]!r})"
        return await super().async_execute_cell(cell, cell_index, **arguments)
