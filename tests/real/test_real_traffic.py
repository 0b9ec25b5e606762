"""docs/real-traffic.md says what is computed from the files that others recorded."""

import re
from pathlib import Path

import nbformat
import pytest

from labkit.course.guards import problems
from labkit.lab2 import real_traffic

REPOSITORY = Path(__file__).resolve().parents[2]
REAL = REPOSITORY.parent / "shared" / "real"
PAGE = (REPOSITORY / "docs" / "real-traffic.md").read_text(encoding="utf-8")
TABLE = re.compile(r"<!-- (?P<name>[\w-]+) -->\n\n(?P<table>(?:\|[^\n]+\n)+)")
TABLES = {found["name"]: found["table"] for found in TABLE.finditer(PAGE)}
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
FILES = (
    "luflow/2020.09.09.zip",
    "zeek/008-conn.log.labeled",
    "cic/hif_cicids2017_sample.csv",
    "unsw/Escenario3.raw.csv",
    "nslkdd/KDDTest+.txt",
    "ctu/netflowlabeler-test5.tabs.binetflow",
)


def cells(table):
    """The cells of a table in Markdown, row by row, without the line below the headings."""
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    return [rows[0], *rows[2:]]


def numbers(cell):
    return [text.replace(",", "") for text in NUMBER.findall(cell)]


def agree(said, computed):
    """Whether two cells have the same words, and numbers that rounding may have parted."""
    words = [NUMBER.sub("#", cell) for cell in (said, computed)]
    pairs = list(zip(numbers(said), numbers(computed), strict=False))
    return words[0] == words[1] and all(
        # One of the last digit; a count must be the same.
        abs(float(a) - float(b)) <= 1.01 * 10.0 ** -len(a.partition(".")[2]) * ("." in a)
        for a, b in pairs
    )


@pytest.fixture(scope="module")
def computed():
    for name in FILES:
        if not (REAL / name).is_file():
            pytest.skip(f"../shared/real/{name} is absent")
    return {name: real_traffic.as_markdown(table) for name, table in real_traffic.tables(REAL)}


def test_the_page_has_the_tables_that_are_computed(computed):
    assert list(TABLES) != []
    assert set(TABLES) == set(computed)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_says_what_is_computed(name, computed):
    said, here = cells(TABLES[name]), cells(computed[name])
    assert len(said) == len(here)
    assert [
        (mine, its)
        for row, other in zip(said, here, strict=True)
        for mine, its in zip(row, other, strict=True)
        if not agree(mine, its)
    ] == []


def test_the_prose_says_only_what_a_table_says():
    """Needs no file: the same guard as for notebooks, with the tables in the place of outputs."""
    prose = re.sub(r"^\|[^\n]*\n", "", PAGE, flags=re.MULTILINE)
    summary = PAGE[PAGE.index("| the lesson | on LUFlow |") :].split("\n\n", 1)[0]
    notebook = nbformat.v4.new_notebook()
    output = nbformat.v4.new_output("stream", text="".join(TABLES.values()) + KNOWN)
    code = nbformat.v4.new_code_cell("print()", execution_count=1, outputs=[output])
    text = nbformat.v4.new_markdown_cell(prose + summary.replace("|", " "))
    notebook.cells = [code, text]
    assert problems(notebook) == []


# Dates, releases and names of files and networks that the prose has, beside what readers count
# (tests/real/test_readers.py) and the pages of a journal.
KNOWN = " 30 1.9 64,923 786 21 22 28 29 10 19 582 600 "


@pytest.mark.parametrize(
    ("said", "here", "same"),
    [
        ("0.9634 (0.7867 to 0.9821)", "0.9635 (0.7866 to 0.9821)", True),
        ("0.9634 (0.7867 to 0.9821)", "0.9636 (0.7867 to 0.9821)", False),
        ("1,672", "1,672", True),
        ("1,672", "1,673", False),
        ("undefined", "0.0000", False),
        ("gradient boosting", "logistic regression", False),
        ("2020-12-16", "2020-12-17", False),
    ],
)
def test_cells_agree_within_the_last_digit(said, here, same):
    assert agree(said, here) is same
