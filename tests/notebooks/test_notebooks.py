"""What nbval does not see: order, empty outputs, pictures, numbers in prose, time and size."""

import matplotlib as mpl
import nbformat
import pytest

from labkit.course.guards import MAX_BYTES, problems
from labkit.course.notebooks import course_notebooks, execute
from labkit.lab2.figure_files import FIGURES_FOLDER, read_manifest
from labkit.lab2.lesson import lesson_values

NOTEBOOKS = course_notebooks()
SECONDS = 60
LESSON = [value.lesson for value in lesson_values() if value.kind != "claim"]

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 6


@each_notebook
def test_is_executed_clean_and_says_only_what_was_computed(path):
    assert problems(nbformat.read(path, as_version=4), LESSON) == []


@each_notebook
def test_is_small(path):
    assert path.stat().st_size < MAX_BYTES


@each_notebook
def test_runs_again_to_the_same_outputs_in_time(path, record_property):
    stored = nbformat.read(path, as_version=4)
    again = nbformat.read(path, as_version=4)
    seconds = execute(again, path.parent)
    record_property("notebook_seconds", (path.stem, seconds))
    for number, (old, new) in enumerate(zip(stored.cells, again.cells, strict=True), start=1):
        if old.cell_type == "code":
            assert _comparable(old) == _comparable(new), f"cell {number}"
    assert seconds < SECONDS


def _comparable(cell):
    """The outputs of a cell; pictures only where this matplotlib drew the stored ones."""
    outputs = []
    for output in cell.outputs:
        data = dict(output.get("data", {}))
        if read_manifest(FIGURES_FOLDER)["matplotlib"] != mpl.__version__:
            data.pop("image/png", None)
        outputs.append((output.output_type, output.get("name"), output.get("text"), data))
    return outputs
