"""Figures written to files: the same bytes again, and every difference from them named."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from labkit.data import load_flows
from labkit.data.files import DATA, flows_as_csv
from labkit.errors import InputError
from labkit.lab2 import figure_files
from labkit.lab2.animations import ANIMATIONS
from labkit.lab2.figure_files import (
    FIGURES,
    FIGURES_FOLDER,
    check_figures,
    read_manifest,
    write_figures,
)

STILL = [figure for figure in FIGURES if figure not in ANIMATIONS]
NAMES = [figure.name for figure in FIGURES]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder as `write_figures` leaves it: nothing may change it."""
    folder = tmp_path_factory.mktemp("figures") / "made"
    write_figures(folder)
    return folder


@pytest.fixture(scope="module")
def tables():
    return figure_files.figure_tables(load_flows())


@pytest.fixture(params=[("figure-2-7", "lab2-families")], ids=["still"])
def copy(request, written, tables, tmp_path, monkeypatch):
    """A copy to damage: a few of the figures, whose tables are not computed anew for each test."""
    few = [figure for figure in FIGURES if figure.name in request.param]
    monkeypatch.setattr(figure_files, "FIGURES", few)
    few_tables = {figure.name: tables[figure.name] for figure in few}
    monkeypatch.setattr(figure_files, "figure_tables", lambda flows: few_tables)
    for path in written.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_the_figures_of_the_repository_agree_with_its_data():
    assert check_figures(FIGURES_FOLDER) == []


def test_three_files_a_still_figure_a_gif_and_its_tables_a_moving_one_and_a_manifest(written):
    files = {f"{figure.name}.{ending}" for figure in STILL for ending in ("svg", "png", "csv")}
    files |= {f"{animation.name}.gif" for animation in ANIMATIONS}
    files |= {f"{animation.name}-frames.csv" for animation in ANIMATIONS}
    files |= {f"moving-{name}.csv" for name in ("threshold-curve", "threshold-days")}
    files |= {f"moving-{name}.csv" for name in ("base-rate-curves", "budget-days")}
    assert {path.name for path in written.iterdir()} == files | {"manifest.json"}
    assert set(read_manifest(written)["files"]) == files


def test_what_was_written_agrees(written):
    assert check_figures(written) == []


def test_written_twice_the_bytes_are_the_same(written, tmp_path):
    told = []
    write_figures(tmp_path, told.append)
    assert told == NAMES
    for path in written.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_csv_holds_the_table_to_ten_digits(written, tables):
    assert set(tables) == set(NAMES)
    for name, table in (pair for of_figure in tables.values() for pair in of_figure.items()):
        stored = pd.read_csv(written / f"{name}.csv")
        assert list(stored.columns) == list(table.columns)
        for column in table.columns:
            if pd.api.types.is_numeric_dtype(table[column]):
                np.testing.assert_allclose(stored[column], table[column], rtol=1e-9)
            else:
                assert stored[column].tolist() == table[column].tolist()


def test_the_manifest_holds_the_checksum_of_the_records(written):
    digest = hashlib.sha256(flows_as_csv(load_flows())).hexdigest()
    manifest = json.loads((written / "manifest.json").read_text())
    assert manifest["flows"] == digest
    assert digest in (DATA / "checksums.txt").read_text()
    tools = {"matplotlib", "numpy", "pandas", "pillow", "scikit-learn"}
    assert set(manifest) == {"flows", "files"} | tools


def edit_csv(path, edit):
    table = pd.read_csv(path)
    edit(table).to_csv(path, index=False)


def test_nothing_else_is_named_when_nothing_changed(copy):
    assert check_figures(copy) == []


@pytest.mark.parametrize("change", [2e-6, 0.25, -0.25])
def test_a_changed_number_is_named_with_its_size(copy, change):
    edit_csv(
        copy / "figure-2-7.csv",
        lambda table: table.assign(recall=table["recall"] + change * (table.index == 7)),
    )
    (line,) = check_figures(copy)
    assert line.startswith("figure-2-7: column recall differs in 1 of ")
    assert f"by up to {abs(change):.3g} (row 7:" in line


def test_a_difference_of_arithmetic_alone_is_none(copy, monkeypatch):
    elsewhere = dict(figure_files.figure_tables(None))
    table = elsewhere["figure-2-7"]["figure-2-7"]
    elsewhere["figure-2-7"] = {"figure-2-7": table.assign(fpr=table["fpr"] + 5e-7)}
    monkeypatch.setattr(figure_files, "figure_tables", lambda flows: elsewhere)
    assert check_figures(copy) == []


def test_a_drawing_that_is_not_of_the_csv_beside_it_is_named(copy):
    edit_csv(copy / "figure-2-7.csv", lambda table: table.assign(fpr=table["fpr"] + 5e-7))
    (line,) = check_figures(copy)
    assert line.startswith("figure-2-7: figure-2-7.svg differs in")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda table: table.drop(index=3), "figure-2-7.csv has 7 rows of curve,"),
        (lambda table: table.drop(columns="fpr"), "now 8 rows of curve,"),
        (
            lambda table: table.assign(curve="other"),
            "column curve differs in 8 of 8 rows, by up to 1",
        ),
        (
            lambda table: table.assign(recall=table["recall"].mask(table.index == 2)),
            "column recall differs in 1 of 8 rows",
        ),
        (
            lambda table: table.assign(
                recall=table["recall"].astype(object).mask(table.index == 2, "x")
            ),
            "column recall differs in 1 of 8 rows",
        ),
    ],
    ids=["row", "column", "text", "nan", "no number"],
)
def test_an_edited_table_is_named(copy, edit, words):
    edit_csv(copy / "figure-2-7.csv", edit)
    (line,) = check_figures(copy)
    assert line.startswith("figure-2-7: ")
    assert words in line


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"a,b\n1,2,3\n1,2,3,4\n"])
def test_a_damaged_table_is_named(copy, content):
    (copy / "figure-2-7.csv").write_bytes(content)
    (line,) = check_figures(copy)
    assert line.startswith("figure-2-7: figure-2-7.csv")
    assert "\n" not in line


STILL_FILES = [f"lab2-families.{ending}" for ending in ("csv", "svg", "png")]
BUDGET_FILES = ["moving-budget-frames.csv", "moving-budget-days.csv", "moving-budget.gif"]
of_budget = pytest.mark.parametrize("copy", [("moving-budget",)], indirect=True, ids=["budget"])
of_staircase = pytest.mark.parametrize(
    "copy", [("moving-staircase",)], indirect=True, ids=["staircase"]
)


@pytest.mark.parametrize("file", STILL_FILES)
def test_a_missing_file_is_named(copy, file):
    (copy / file).unlink()
    assert check_figures(copy) == [f"lab2-families: {file} is missing"]


@of_budget
@pytest.mark.parametrize("file", BUDGET_FILES)
def test_a_missing_file_of_an_animation_is_named(copy, file):
    (copy / file).unlink()
    assert check_figures(copy) == [f"moving-budget: {file} is missing"]


def turn_a_bit(path):
    """Change one bit of a file; return how long it is."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return len(content)


@pytest.mark.parametrize("file", STILL_FILES[1:])
def test_an_edited_drawing_is_named_with_its_size(copy, file):
    size = turn_a_bit(copy / file)
    assert check_figures(copy) == [f"lab2-families: {file} differs in 1 of {size} bytes"]


@of_staircase
def test_an_edited_animation_is_named_with_its_size(copy):
    assert check_figures(copy) == []
    size = turn_a_bit(copy / "moving-staircase.gif")
    assert check_figures(copy) == [
        f"moving-staircase: moving-staircase.gif differs in 1 of {size} bytes"
    ]


@of_budget
@pytest.mark.parametrize(
    ("part", "column", "words"),
    [
        ("frames", "recall", "column recall differs in 12 of 12 rows, by up to 0.5"),
        ("days", "scan", "column scan differs in 72 of 72 rows, by up to 0.5"),
    ],
)
def test_an_edited_table_of_an_animation_is_named(copy, part, column, words):
    edit_csv(
        copy / f"moving-budget-{part}.csv",
        lambda table: table.assign(**{column: table[column] + 0.5}),
    )
    (line,) = check_figures(copy)
    assert line.startswith(f"moving-budget: {words}")


@of_staircase
def test_an_animation_that_is_not_of_the_tables_beside_it_is_named(copy, monkeypatch):
    edited = pd.read_csv(copy / "moving-staircase-frames.csv")
    edited["roc_says"] = "Another word."
    edited.to_csv(copy / "moving-staircase-frames.csv", index=False, float_format="%.10g")
    now = {"moving-staircase": {"moving-staircase-frames": edited}}
    monkeypatch.setattr(figure_files, "figure_tables", lambda flows: now)
    (line,) = check_figures(copy)
    assert line.startswith("moving-staircase: moving-staircase.gif differs in")


def edit_manifest(folder, **changes):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize("tool", ["matplotlib", "pillow"])
def test_another_release_may_draw_otherwise_but_not_other_numbers(copy, tool):
    drawn = b"drawn otherwise"
    checksums = read_manifest(copy)["files"]
    checksums["lab2-families.svg"] = hashlib.sha256(drawn).hexdigest()
    edit_manifest(copy, **{tool: "0.0"}, files=checksums)
    (copy / "lab2-families.svg").write_bytes(drawn)
    assert check_figures(copy) == []
    (copy / "figure-2-7.png").write_bytes(b"garbage")
    (line,) = check_figures(copy)
    assert line == "figure-2-7: figure-2-7.png is not the file that manifest.json names"
    edit_manifest(
        copy, files=checksums | {"figure-2-7.png": hashlib.sha256(b"garbage").hexdigest()}
    )
    edit_csv(copy / "lab2-families.csv", lambda table: table.replace({"dos": "ddos"}))
    (line,) = check_figures(copy)
    assert "column family differs in 1 of 5 rows" in line


def test_other_flow_records_are_named(copy):
    edit_manifest(copy, flows="0" * 64)
    (line,) = check_figures(copy)
    assert "other flow records" in line


def test_every_difference_is_told_at_once(copy):
    edit_manifest(copy, flows="0" * 64)
    (copy / "figure-2-7.png").unlink()
    (copy / "lab2-families.csv").unlink()
    assert len(check_figures(copy)) == 3


@pytest.mark.parametrize("content", [None, "", "{", "[]", "3", "{}", '{"flows": "0"}'])
def test_a_missing_or_damaged_manifest_says_what_to_do(tmp_path, content):
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(InputError, match=r"manifest\.json is missing or damaged: run `labkit"):
        read_manifest(tmp_path)


def test_a_failure_in_the_middle_leaves_the_old_manifest(copy, tables, monkeypatch):
    def fail(figure, table):
        raise OSError("disk full")

    before = (copy / "manifest.json").read_bytes()
    monkeypatch.setattr(figure_files, "_render", fail)
    with pytest.raises(OSError, match="disk full"):
        write_figures(copy)
    assert (copy / "manifest.json").read_bytes() == before


def test_every_drawing_carries_its_title(written):
    for animation in ANIMATIONS:
        assert animation.title.encode() in (written / f"{animation.name}.gif").read_bytes()
    for figure in STILL:
        assert (
            f"<dc:title>{figure.title}</dc:title>" in (written / f"{figure.name}.svg").read_text()
        )
        assert figure.title.encode() in (written / f"{figure.name}.png").read_bytes()
