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
from labkit.lab2.figure_files import FIGURES_FOLDER, check_figures, read_manifest, write_figures
from labkit.lab2.figures import FIGURES

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


@pytest.fixture
def copy(written, tables, tmp_path, monkeypatch):
    """A copy to damage: two of the figures, whose tables are not computed anew for each test."""
    few = [figure for figure in FIGURES if figure.name in ("figure-2-7", "lab2-families")]
    monkeypatch.setattr(figure_files, "FIGURES", few)
    few_tables = {figure.name: tables[figure.name] for figure in few}
    monkeypatch.setattr(figure_files, "figure_tables", lambda flows: few_tables)
    for path in written.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_the_figures_of_the_repository_agree_with_its_data():
    assert check_figures(FIGURES_FOLDER) == []


def test_three_files_a_figure_and_a_manifest(written):
    files = {f"{name}.{ending}" for name in NAMES for ending in ("svg", "png", "csv")}
    assert {path.name for path in written.iterdir()} == files | {"manifest.json"}


def test_what_was_written_agrees(written):
    assert check_figures(written) == []


def test_written_twice_the_bytes_are_the_same(written, tmp_path):
    told = []
    write_figures(tmp_path, told.append)
    assert told == NAMES
    for path in written.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_csv_holds_the_table_to_ten_digits(written, tables):
    for name, table in tables.items():
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
    assert set(manifest) == {"flows", "matplotlib", "numpy", "pandas", "scikit-learn", "files"}


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
    elsewhere = {
        name: table.assign(fpr=table["fpr"] + 5e-7) if name == "figure-2-7" else table
        for name, table in figure_files.figure_tables(None).items()
    }
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


@pytest.mark.parametrize("ending", ["csv", "svg", "png"])
def test_a_missing_file_is_named(copy, ending):
    (copy / f"lab2-families.{ending}").unlink()
    assert check_figures(copy) == [f"lab2-families: lab2-families.{ending} is missing"]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_an_edited_drawing_is_named_with_its_size(copy, ending):
    path = copy / f"lab2-families.{ending}"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert check_figures(copy) == [
        f"lab2-families: lab2-families.{ending} differs in 1 of {len(content)} bytes"
    ]


def edit_manifest(folder, **changes):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_another_matplotlib_may_draw_otherwise_but_not_other_numbers(copy):
    drawn = b"drawn otherwise"
    checksums = read_manifest(copy)["files"]
    checksums["lab2-families.svg"] = hashlib.sha256(drawn).hexdigest()
    edit_manifest(copy, matplotlib="0.0", files=checksums)
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
    for figure in FIGURES:
        assert (
            f"<dc:title>{figure.title}</dc:title>" in (written / f"{figure.name}.svg").read_text()
        )
        assert figure.title.encode() in (written / f"{figure.name}.png").read_bytes()
