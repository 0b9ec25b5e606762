"""Every relative link in the texts leads somewhere."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("data/*.md"), *ROOT.glob("docs/**/*.md")]
NOTEBOOKS = sorted(ROOT.glob("notebooks/*.ipynb"))
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def prose(path):
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("path", [*TEXTS, *NOTEBOOKS], ids=lambda path: path.name)
def test_relative_links_lead_somewhere(path):
    targets = [target for target in LINK.findall(prose(path)) if "://" not in target]
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_readme_names_every_notebook():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in NOTEBOOKS if path.name not in readme] == []
