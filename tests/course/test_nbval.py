"""What nbval finds with this project's settings, on notebooks made up for one fault each.

What it leaves to tests/notebooks/test_notebooks.py is shown here as well.
"""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat import v4

REPOSITORY = Path(__file__).resolve().parents[2]
RIGHT = v4.new_output("stream", name="stdout", text="4\n")
OTHER = v4.new_output("stream", name="stdout", text="5\n")
DRAWS = "from IPython.display import display\ndisplay({'image/png': 'QUJD'}, raw=True)"
PICTURE = v4.new_output("display_data", {"image/png": "WFla"})

# Name -> what the second code cell holds, what is stored below it, and whether nbval lets it pass.
NOTEBOOKS = {
    "right": ("print(2 + 2)", [RIGHT], True),
    "changed_number": ("print(2 + 2)", [OTHER], False),
    "output_cleared": ("print(2 + 2)", [], False),
    "output_gone": ("x = 2 + 2", [RIGHT], False),
    "warning": ("import warnings\nwarnings.warn('careful')\nprint(4)", [RIGHT], False),
    "unknown_magic": ("%no_such_magic\nprint(4)", [], False),
    "exception": ("print(4)\n1 / 0", [RIGHT], False),
    "other_picture": (DRAWS, [PICTURE], True),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Run nbval once on all notebooks: name -> whether each of its cells passed."""
    folder = tmp_path_factory.mktemp("nbval")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    prose = v4.new_markdown_cell("# Prose")
    nbformat.write(v4.new_notebook(cells=[prose], metadata=kernel), folder / "no_code.ipynb")
    for name, (source, outputs, _) in NOTEBOOKS.items():
        first = v4.new_code_cell("x = 0", execution_count=1)
        second = v4.new_code_cell(source, execution_count=2, outputs=outputs)
        notebook = v4.new_notebook(cells=[prose, first, second], metadata=kernel)
        nbformat.write(notebook, folder / f"{name}.ipynb")
    report = folder / "report.xml"
    settings = ["-c", "tests/notebooks/nbval.ini", "--rootdir", ".", "-p", "no:cacheprovider"]
    subprocess.run(
        [sys.executable, "-m", "pytest", *settings, f"--junit-xml={report}", str(folder)],
        cwd=REPOSITORY,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        timeout=120,
    )
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = case.get("classname").replace(".ipynb", "").split(".")[-1]
        found.setdefault(name, []).append(len(case) == 0)
    return found


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_nbval_judges_the_cell(outcomes, name):
    assert outcomes[name] == [True, NOTEBOOKS[name][2]]


def test_a_notebook_without_code_gives_no_test_at_all(outcomes):
    assert set(outcomes) == set(NOTEBOOKS)
