"""A submitted notebook made ready to run: the grader's checks, whatever was handed in."""

import json
import os

import pytest
from nbformat import v4
from submitted import COURSE, NOTEBOOK, as_json, blank, hand_in, notebook_bytes, solved

from labkit.course.exercises import exercises_of
from labkit.data.files import DATA
from labkit.errors import InputError
from labkit.grading.grading import Grader, _digest
from labkit.grading.submissions import read_submission
from labkit.grading.tasks import Task

NAMES = [asked.name for asked in exercises_of("03")]


def read(folder, notebook):
    return read_submission(hand_in(folder, "s", notebook), COURSE[NOTEBOOK])


def test_every_check_is_the_graders(tmp_path):
    submission = read(tmp_path, solved())
    checks = [cell for cell in submission.notebook.cells if cell.id.endswith("-check")]
    assert [cell.id for cell in checks] == [f"ex-{name}-check" for name in NAMES]
    for name, cell in zip(NAMES, checks, strict=True):
        assert cell.source.splitlines()[0] == "from labkit.grading.recording import record"
        assert cell.source.splitlines()[1].startswith(f"record('{name}', lambda: ")
    assert submission.remarks == []


def test_what_a_student_wrote_is_kept_by_exercise(tmp_path):
    submission = read(tmp_path, blank())
    assert list(submission.sources) == NAMES
    assert all("..." in source for source in submission.sources.values())


def test_only_code_is_run_and_no_output_is_taken_over(tmp_path):
    notebook = solved()
    notebook.cells[1:1] = [
        v4.new_code_cell("1", outputs=[v4.new_output("stream", text="03-1 right.")]),
        v4.new_raw_cell("raw"),
    ]
    cells = read(tmp_path, notebook).notebook.cells
    assert all(cell.cell_type == "code" and not cell.outputs for cell in cells)
    assert len({cell.id for cell in cells}) == len(cells)


def test_cells_are_known_by_nbgraders_name_where_the_id_is_lost(tmp_path):
    raw = as_json(solved())
    for number, cell in enumerate(raw["cells"]):
        cell["id"] = f"lost-{number}"
    submission = read(tmp_path, json.dumps(raw).encode())
    assert submission.remarks == []
    assert all(submission.sources.values())


def test_a_source_may_be_a_list_of_lines(tmp_path):
    raw = as_json(solved())
    for cell in raw["cells"]:
        cell["source"] = "".join(cell["source"]).splitlines(keepends=True)
    assert read(tmp_path, json.dumps(raw).encode()).remarks == []


def test_a_missing_check_is_run_at_the_end(tmp_path):
    notebook = solved()
    notebook.cells = [cell for cell in notebook.cells if cell.id != "ex-03-2-check"]
    submission = read(tmp_path, notebook)
    assert submission.remarks == ["the check of 03-2 is missing"]
    assert submission.notebook.cells[-1].id == "ex-03-2-check"


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"3", b'{"cells": [3]}', b'{"cells": [{"cell_type": "code"}]}', b"{" * 100_000,
     b'{"cells": [{"cell_type": "code", "source": 3}]}', b"[" * 100_000, b"\xff\xfe",
     b'{"cells": [{"cell_type": "code", "source": "", "metadata": []}]}',
     b'{"cells": [], "metadata": {"kernelspec": 3}}'],
)  # fmt: skip
def test_what_is_no_notebook_is_refused_in_one_line(tmp_path, content):
    with pytest.raises(InputError, match="is not a notebook") as refusal:
        read(tmp_path, content)
    assert "\n" not in str(refusal.value)
    assert str(tmp_path) not in str(refusal.value)


def test_links_and_folders_are_no_submission(tmp_path):
    path = tmp_path / f"{NOTEBOOK}.ipynb"
    path.symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="is not a file"):
        read_submission(path, COURSE[NOTEBOOK])
    with pytest.raises(InputError, match="is not a file"):
        read_submission(tmp_path, COURSE[NOTEBOOK])


def test_a_pipe_is_not_waited_for_nor_a_device_read_to_its_end(tmp_path):
    pipe, device = (tmp_path / name / f"{NOTEBOOK}.ipynb" for name in ("pipe", "device"))
    for path in (pipe, device):
        path.parent.mkdir()
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(InputError, match="is not a file"):
            read_submission(path, COURSE[NOTEBOOK])
    # Its checksum, too, is taken without them.
    tasks = [Task("s", NOTEBOOK, path, DATA) for path in (pipe, device)]
    assert len({_digest(task, Grader()) for task in tasks}) == 2


def test_halves_of_signs_are_replaced(tmp_path):
    raw = as_json(solved())
    raw["cells"].insert(0, as_json(v4.new_notebook(cells=[v4.new_code_cell("x")]))["cells"][0])
    raw["cells"][0]["source"] = "x = '\ud800'"
    submission = read(tmp_path, json.dumps(raw).encode())
    assert submission.notebook.cells[0].source == "x = '?'"
    assert notebook_bytes(submission.notebook)
