"""What the guides show at a prompt is what comes out."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCE = re.compile(r"^```.*$", re.MULTILINE)


def failures(text, name):
    """Run the examples of a page, in order and sharing their names; return what went wrong."""
    # A fence would be taken for output; an empty line in its place keeps the line numbers.
    test = doctest.DocTestParser().get_doctest(FENCE.sub("", text), {}, name, name, 0)
    told = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=told.append)
    return "".join(told)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_example_gives_what_the_page_says(page):
    assert failures(page.read_text(encoding="utf-8"), page.name) == ""


def test_a_wrong_example_is_told_with_its_line():
    told = failures("Text.\n\n```python\n>>> 1 + 1\n3\n```\n", "page.md")
    assert 'File "page.md", line 4' in told
    assert "Got:\n    2" in told


def test_every_rule_of_the_edges_has_an_example():
    page = (DOCS / "edges.md").read_text(encoding="utf-8")
    rules = re.split(r"^(?=\*\*)", page, flags=re.MULTILINE)[1:]
    assert len(rules) > 20
    assert [rule.splitlines()[0] for rule in rules if ">>>" not in rule] == []
