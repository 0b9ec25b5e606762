"""Running notebooks: what is stored, what is left alone, and what a failure says."""

import json

import nbformat
import pytest
from nbformat import v4

from labkit.course import notebooks
from labkit.course.notebooks import course_notebooks, execute, execute_in_place, read_notebook
from labkit.errors import InputError


@pytest.fixture
def write(tmp_path):
    """Write a notebook of code cells (Markdown where they begin with "#") and return its path."""

    def write(*sources, name="lab.ipynb"):
        cells = [
            v4.new_markdown_cell(source) if source.startswith("#") else v4.new_code_cell(source)
            for source in sources
        ]
        path = tmp_path / name
        nbformat.write(v4.new_notebook(cells=cells), path)
        return path

    return write


def test_executing_stores_what_cells_print_and_nothing_that_changes(write):
    path = write("# Prose", "x = 6\nprint(x)", "", "x * 7")
    assert execute_in_place(path) > 0
    stored = nbformat.read(path, as_version=4)
    _, prints, empty, returns = stored.cells
    assert prints.outputs == [v4.new_output("stream", name="stdout", text="6\n")]
    assert returns.outputs[0].data == {"text/plain": "42"}
    assert [prints.execution_count, empty.execution_count, returns.execution_count] == [1, None, 2]
    assert not any("execution" in cell.metadata for cell in stored.cells)
    assert "version" not in stored.metadata.language_info
    once = path.read_bytes()
    execute_in_place(path)
    assert path.read_bytes() == once
    assert once.endswith(b"}\n")


def test_old_outputs_do_not_survive(write):
    path = write("pass")
    stored = nbformat.read(path, as_version=4)
    stored.cells[0].outputs = [v4.new_output("stream", name="stdout", text="old\n")]
    stored.cells[0].execution_count = 9
    stored.cells[0].metadata["execution"] = {"iopub.execute_input": "2026-01-01"}
    execute(stored, path.parent)
    assert stored.cells[0].outputs == []
    assert stored.cells[0].execution_count == 1
    assert "execution" not in stored.cells[0].metadata


def test_of_a_widget_only_its_text_is_stored(write):
    path = write(
        "from ipywidgets import IntSlider\n"
        "view = IntSlider()._repr_mimebundle_()\n"
        "display(view | {'text/plain': 'Move me.'}, raw=True)"
    )
    execute_in_place(path)
    once = path.read_bytes()
    stored = nbformat.read(path, as_version=4)
    assert stored.cells[0].outputs[0].data == {"text/plain": "Move me."}
    assert set(stored.metadata) == {"kernelspec", "language_info"}
    execute_in_place(path)
    assert path.read_bytes() == once


def test_the_kernel_works_in_the_notebooks_folder(write):
    path = write("print(open('beside.txt').read())")
    path.with_name("beside.txt").write_text("read")
    execute_in_place(path)
    assert "read" in path.read_text()


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (
            ("# Prose", "x = 1", "\nprint(y)\nz = 1"),
            "cell 3 ('print(y)'): NameError: name 'y' is not defined",
        ),
        (("1 +",), "cell 1 ('1 +'): SyntaxError: invalid syntax"),
        (("# A", "# B", "raise ValueError('two\\nlines')"), "cell 3"),
        (("# A", "import os; os._exit(1)"), "cell 2 ('import os; os._exit(1)') killed the kernel"),
    ],
)
def test_a_failure_names_the_cell_as_a_reader_counts_and_leaves_the_file(write, sources, message):
    path = write(*sources)
    before = path.read_bytes()
    with pytest.raises(InputError) as told:
        execute_in_place(path)
    assert str(told.value).startswith(f"{path}: {message}")
    assert "\n" not in str(told.value)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_cell_that_takes_too_long_is_stopped_and_named(write, monkeypatch):
    monkeypatch.setattr(notebooks, "SECONDS_A_CELL", 1)
    path = write("x = 1", "import time\ntime.sleep(60)")
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"cell 2 \('import time'\) ran longer than 1 s"):
        execute_in_place(path)
    assert path.read_bytes() == before


def test_a_warning_is_stored_for_the_check_to_find(write):
    path = write("import warnings\nwarnings.warn('careful')")
    execute_in_place(path)
    (output,) = nbformat.read(path, as_version=4).cells[0].outputs
    assert output.name == "stderr"
    assert "careful" in output.text


EMPTY = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff",
        b"print(1)",
        json.dumps(EMPTY).encode("utf-16"),
        b'{"cells": ["\xe9"]}',
        b"[]",
        b"1",
        b"null",
        b"{}",
        json.dumps(EMPTY)[:-5].encode(),
        json.dumps(EMPTY | {"cells": 3}).encode(),
        json.dumps(EMPTY | {"cells": [{"cell_type": "code"}]}).encode(),
        json.dumps(EMPTY | {"nbformat": 99}).encode(),
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_no_notebook_is_told_in_one_line(tmp_path, content):
    path = tmp_path / "lab.ipynb"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"lab\.ipynb is not a notebook: \S") as told:
        read_notebook(path)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < len(str(path)) + 250


def test_a_missing_notebook_is_named(tmp_path):
    with pytest.raises(InputError, match=r"lab\.ipynb is missing"):
        execute_in_place(tmp_path / "lab.ipynb")


def test_the_course_is_read_in_the_order_of_its_numbers(tmp_path):
    for name in ("10_last.ipynb", "02_second.ipynb", "notes.ipynb", "02_second.txt"):
        (tmp_path / name).write_text("")
    assert [path.name for path in course_notebooks(tmp_path)] == [
        "02_second.ipynb",
        "10_last.ipynb",
    ]


def test_a_folder_without_notebooks_is_named(tmp_path):
    with pytest.raises(InputError, match="no notebook lies in"):
        course_notebooks(tmp_path)
