"""What runs inside the sandbox: one notebook from the top, by nbgrader's machinery.

    python -m labkit.grading.inside NOTEBOOK OUT SECONDS_A_CELL

Writes into OUT the answers as they come, and a report of what each cell did when all is over.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute

from labkit.grading.recording import (
    ANSWERS,
    ANSWERS_FILE,
    KILLED,
    OUTPUT_BYTES_A_CELL,
    REPORT,
    TOO_MUCH,
)


class _Execute(Execute):
    """nbgrader's execution, with an end to what one cell may print."""

    def output(self, outs: list, msg: dict, display_id: str, cell_index: int) -> Any:  # noqa: ANN401
        used = self._printed.get(cell_index, 0) + len(str(msg["content"]))
        self._printed[cell_index] = used
        if used > OUTPUT_BYTES_A_CELL:
            return None
        return super().output(outs, msg, display_id, cell_index)


def run(path: Path, out: Path, seconds_a_cell: int) -> None:
    """Execute a notebook; cells that fail or take too long do not end it."""
    os.environ[ANSWERS] = str(out / ANSWERS_FILE)
    notebook = nbformat.read(path, as_version=4)
    client = _Execute(
        timeout=seconds_a_cell,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--log-level=CRITICAL", "--HistoryManager.hist_file=:memory:"],
    )
    client._printed = {}
    ended = ""
    try:
        client.preprocess(notebook, {"metadata": {"path": str(Path.cwd())}})
    except DeadKernelError:
        ended = KILLED
    too_much = [number for number, size in client._printed.items() if size > OUTPUT_BYTES_A_CELL]
    if too_much and not ended:
        ended = TOO_MUCH
    report = {"ended": ended, "errors": _errors(notebook)}
    (out / REPORT).write_text(json.dumps(report), encoding="utf-8")


def _errors(notebook: NotebookNode) -> dict[str, str]:
    """Return the error that each cell ended in: cell id -> what it says."""
    return {
        cell.id: f"{output.ename}: {output.evalue}"[:300]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "error"
    }


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
