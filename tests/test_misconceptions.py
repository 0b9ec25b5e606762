"""docs/misconceptions.md says of each misconception what exposes it, and that is so."""

import json
import re
from pathlib import Path

import pytest

from labkit.course.answers import plain
from labkit.course.exercises import all_exercises
from labkit.course.exercises.exercise import Traffic, key_of
from labkit.course.misconceptions import MISCONCEPTIONS
from labkit.course.notebooks import course_notebooks

COURSE = Traffic()
PAGE = Path(__file__).resolve().parents[1] / "docs" / "misconceptions.md"
NOTEBOOKS = {path.name[:2]: path.name for path in course_notebooks()}
SECTION = re.compile(
    r"^## (?P<belief>[^\n]+)\n\n<a id=\"(?P<slug>[a-z0-9-]+)\"></a>\n\n(?P<truth>.+?)\n\n"
    r"(?P<exposed>(?:- [^\n]+\n)+)",
    re.MULTILINE | re.DOTALL,
)
SECTIONS = {found["slug"]: found for found in SECTION.finditer(PAGE.read_text(encoding="utf-8"))}


def shown(answer):
    """An answer as the page shows it: plain, its numbers to four digits."""
    return re.sub(
        r"\d+\.\d+(?:e[+-]\d+)?",
        lambda match: f"{float(match.group()):.4g}",
        json.dumps(answer, ensure_ascii=False),
    )


def exposures():
    """Misconception -> the lines that say which exercise recognises which wrong answer."""
    lines = {}
    for asked in all_exercises():
        for mistake in key_of(asked, COURSE).mistakes:
            if mistake.misconception:
                link = f"[{asked.name}](../notebooks/{NOTEBOOKS[asked.name[:2]]})"
                line = f"- {link}: `{shown(plain(mistake.answer))}`"
                lines.setdefault(mistake.misconception, []).append(line)
    return lines


def test_at_least_twenty_are_listed_each_with_its_belief():
    assert len(SECTIONS) >= 20
    assert {slug: found["belief"] for slug, found in SECTIONS.items()} == MISCONCEPTIONS


@pytest.fixture(scope="module")
def exposed():
    return exposures()


@pytest.mark.parametrize("slug", MISCONCEPTIONS)
def test_what_exposes_it_is_what_the_checks_recognise(exposed, slug):
    assert SECTIONS[slug]["exposed"].splitlines() == exposed[slug]
    assert len(SECTIONS[slug]["truth"]) > 40
