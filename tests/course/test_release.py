"""Student versions: what is in them, what is not, and that they are the same each time."""

import io
import json
import posixpath
import re
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator

from labkit.cli import teaching
from labkit.course.cells import exercise_cells
from labkit.course.exercises import all_exercises, exercise
from labkit.course.notebooks import course_notebooks, read_notebook
from labkit.course.release import (
    MANIFEST,
    NAME,
    ROOT,
    asked_for,
    digest,
    release_differences,
    release_files,
    student_notebook,
    with_notice,
    write_release,
    zipped,
)
from labkit.errors import InputError

FILES = release_files()
NOTEBOOKS = {name: text for name, text in FILES.items() if name.endswith(".ipynb")}


def test_a_release_holds_what_a_student_needs():
    assert {f"notebooks/{path.name}" for path in course_notebooks()} == set(NOTEBOOKS)
    needed = {"README.md", "environment.yml", "requirements.lock", "pyproject.toml", "LICENSE"}
    assert needed | {"data/flows.csv.gz", "data/checksums.txt", "labkit/metrics/sweep.py"} <= set(
        FILES
    )
    assert not [name for name in FILES if "__pycache__" in name or name.startswith("tests/")]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_solution_and_no_output_is_in_a_released_notebook(name):
    notebook = nbformat.reads(NOTEBOOKS[name].decode(), as_version=4)
    nbformat.validate(notebook)
    source = read_notebook(course_notebooks()[0].parent / name.rpartition("/")[2])
    for cells in exercise_cells(source).values():
        answer_lines = set(cells["solution"].source.splitlines()) - set(
            cells["stub"].source.splitlines()
        )
        assert not any(
            answer_lines & set(cell.source.splitlines()) - _shown_elsewhere(source)
            for cell in notebook.cells
        )
    for cell in notebook.cells:
        assert "solution" not in cell.metadata.get("tags", [])
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


def _shown_elsewhere(source):
    """The lines of code that the course itself shows outside of its solutions."""
    return {
        line
        for cell in source.cells
        if "solution" not in cell.metadata.get("tags", [])
        for line in cell.source.splitlines()
    }


@pytest.mark.parametrize("path", course_notebooks(), ids=lambda path: path.stem)
def test_nbgrader_accepts_the_metadata(path):
    notebook = student_notebook(read_notebook(path))
    MetadataValidator().validate_nb(notebook)
    for name, cells in exercise_cells(notebook).items():
        check, stub = (cells[role].metadata.nbgrader for role in ("check", "stub"))
        assert (check.grade, check.locked, check.points) == (True, True, exercise(name).points)
        assert (stub.solution, stub.locked) == (True, False)


def test_every_exercise_is_worth_points_in_some_released_notebook():
    released = [
        name
        for text in NOTEBOOKS.values()
        for name in exercise_cells(nbformat.reads(text.decode(), as_version=4))
    ]
    assert released == [asked.name for asked in all_exercises()]


def test_the_source_is_left_as_it_was():
    path = course_notebooks()[0]
    notebook = read_notebook(path)
    before = nbformat.writes(notebook)
    student_notebook(notebook)
    assert nbformat.writes(notebook) == before


@pytest.mark.parametrize(
    ("source", "expression"),
    [
        ('check("03-1", share)', "share"),
        ('check("03-1", {"a": x, "b": f(y)})', "{'a': x, 'b': f(y)}"),
    ],
)
def test_what_a_check_asks_for(source, expression):
    assert asked_for(source) == expression


def test_the_same_input_gives_the_same_bytes(tmp_path):
    assert release_files() == FILES
    for name in ("a", "b"):
        write_release(tmp_path / name, FILES)
    archives = [(tmp_path / name / f"{NAME}.zip").read_bytes() for name in ("a", "b")]
    assert archives[0] == archives[1] == zipped(dict(reversed(FILES.items())))


def test_the_zip_holds_the_folder():
    with zipfile.ZipFile(io.BytesIO(zipped(FILES))) as archive:
        assert archive.testzip() is None
        inside = {name.removeprefix(f"{NAME}/"): archive.read(name) for name in archive.namelist()}
    assert inside == FILES


@pytest.fixture
def small():
    return {name: FILES[name] for name in ("README.md", "LICENSE", *list(NOTEBOOKS)[:1])}


class TestDrift:
    def test_a_fresh_release_has_none(self, tmp_path, small):
        write_release(tmp_path / "out", small)
        assert release_differences(tmp_path / "out", small) == []

    def test_every_kind_is_told(self, tmp_path, small):
        out = tmp_path / "out"
        write_release(out, small | {"docs/old.md": b"old"})
        (out / NAME / "LICENSE").write_text("other")
        (out / NAME / "README.md").unlink()
        assert set(release_differences(out, small)) == {
            "docs/old.md: in the release, not in the source",
            "LICENSE: differs from the source",
            "README.md: missing from the release",
            f"{NAME}.zip: differs from the source",
        }

    def test_a_new_release_over_an_old_one_leaves_nothing_stale(self, tmp_path, small):
        out = tmp_path / "out"
        write_release(out, small | {"docs/old.md": b"old"})
        (out / NAME / ".venv").mkdir()
        (out / NAME / ".venv" / "mine").write_text("kept")
        write_release(out, small)
        assert release_differences(out, small) == []
        assert not (out / NAME / "docs" / "old.md").exists()
        assert (out / NAME / ".venv" / "mine").exists()

    def test_a_release_that_was_stopped_can_be_written_again(self, tmp_path, small):
        out = tmp_path / "out"
        write_release(out, small | {"docs/old.md": b"old"})
        manifest = json.loads((out / MANIFEST).read_text())
        manifest["files"] = dict.fromkeys(manifest["files"], "")
        (out / MANIFEST).write_text(json.dumps(manifest))
        (out / f"{NAME}.zip").unlink()
        assert release_differences(out, small)
        write_release(out, small)
        assert release_differences(out, small) == []

    @pytest.mark.parametrize(
        "names",
        ['{"VICTIM": ""}', '{"../victim": ""}', '{"a/../../victim": ""}', '{"a\\u0000": ""}',
         "[1]", '"a"', "3", "[" * 100_000],
    )  # fmt: skip
    def test_a_manifest_removes_nothing_outside(self, tmp_path, small, names):
        out, victim = tmp_path / "out", tmp_path / "out" / "victim"
        write_release(out, small)
        victim.write_text("mine")
        (out / MANIFEST).write_text(f'{{"files": {names.replace("VICTIM", str(victim))}}}')
        for ask in (write_release, release_differences):
            with pytest.raises(InputError, match="is damaged"):
                ask(out, small)
        assert victim.exists()

    def test_the_package_is_no_place_for_a_release(self, small):
        with pytest.raises(InputError, match="lies in the package"):
            write_release(ROOT / "labkit" / "course", small)

    def test_nobodys_folder_is_overwritten(self, tmp_path, small):
        (tmp_path / "thesis.txt").write_text("years of work")
        with pytest.raises(InputError, match="holds no release"):
            write_release(tmp_path, small)
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError, match="is a file"):
            write_release(tmp_path / "file", small)
        with pytest.raises(InputError, match="holds no release"):
            release_differences(tmp_path / "none", small)


def test_a_notice_stands_below_the_opening(small):
    noticed = with_notice(small, "> Note")
    name = next(iter(set(small) & set(NOTEBOOKS)))
    before, after = (
        nbformat.reads(files[name].decode(), as_version=4) for files in (small, noticed)
    )
    assert after.cells[1].source == "> Note"
    assert [after.cells[0], *after.cells[2:]] == before.cells
    assert noticed["LICENSE"] == small["LICENSE"]


def test_a_checksum_tells_contents_and_names_apart():
    assert len({digest(files) for files in ({}, {"a": b""}, {"b": b""}, {"a": b"b"})}) == 4


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_links_of_a_released_notebook_lead_somewhere_in_the_release(name):
    notebook = nbformat.reads(NOTEBOOKS[name].decode(), as_version=4)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose)
    inside = [posixpath.normpath(f"notebooks/{link}") for link in links if "://" not in link]
    assert [link for link in inside if link not in FILES] == []


def test_a_copy_of_a_notebook_is_not_released(tmp_path):
    original = course_notebooks()[0]
    (tmp_path / "notebooks").mkdir()
    for name in (original.name, f"{original.stem}-Copy1.ipynb"):
        (tmp_path / "notebooks" / name).write_bytes(original.read_bytes())
    with pytest.raises(InputError, match="have one number: move one away"):
        release_files(tmp_path)


def test_what_an_editor_keeps_is_not_released(tmp_path):
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ROOT / name).read_bytes() if (ROOT / name).is_file() else b"")
    for folder in ("labkit/course", "notebooks", "labkit/grading/templates"):
        hidden = tmp_path / folder / ".ipynb_checkpoints"
        hidden.mkdir()
        for name in ("03_answers.ipynb", "answers-checkpoint.py"):
            (hidden / name).write_text("answer = 0.9")
    (tmp_path / "labkit" / "grading" / "templates" / ".page.css.swp").write_text("draft")
    assert set(release_files(tmp_path)) == set(FILES)


@pytest.mark.parametrize(
    ("roster", "secret", "jobs", "told"),
    [
        ("students.csv", "secret", 0, "--jobs 0"),
        ("none.csv", "secret", 1, "is missing"),
        ("students.csv", None, 1, "go together"),
        ("students.csv", "out/labkit-course/secret", 1, "lies in what you hand out"),
        ("out/students/students.csv", "secret", 1, "lies in what you hand out"),
    ],
)
def test_a_slip_of_the_instructors_is_told_before_anything_is_written(
    tmp_path, monkeypatch, roster, secret, jobs, told
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "students.csv").write_text("id\nada\n")
    secret = secret and Path(secret)
    with pytest.raises(InputError, match=told):
        teaching.release(Path("out"), check=False, roster=Path(roster), secret=secret, jobs=jobs)
    assert [path.name for path in tmp_path.iterdir()] == ["students.csv"]
