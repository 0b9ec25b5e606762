"""Each term of the course is defined once: in docs/glossary.md, and in the notebook it names."""

import re
from pathlib import Path

import nbformat
import pytest

from labkit.course.notebooks import course_notebooks

GLOSSARY = Path(__file__).resolve().parents[1] / "docs" / "glossary.md"
TERMS = [
    [part.strip() for part in line.strip("|").split("|")]
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines()
    if re.match(r"\|(?! term|---)", line)
]
DEFINED = {
    path.name[:2]: [
        line.removeprefix("> ")
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("> **")
    ]
    for path in course_notebooks()
}


def test_the_glossary_is_read():
    assert len(TERMS) > 40
    assert len({term for term, *_ in TERMS}) == len(TERMS)
    assert all(len(row) == 4 for row in TERMS)


@pytest.mark.parametrize("notebook", DEFINED)
def test_a_notebook_defines_its_terms_in_the_glossarys_words(notebook):
    here = {f"**{term}** ({zh}): {words}" for term, zh, words, home in TERMS if home == notebook}
    assert set(DEFINED[notebook]) == here
    assert len(DEFINED[notebook]) == len(here)


def test_every_term_has_a_notebook():
    assert {home for *_, home in TERMS} <= set(DEFINED)
