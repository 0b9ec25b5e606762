"""The curves that move, moved in JupyterLab by the keyboard of a real browser.

Not among the tests of `make test`: `make test-browser` runs them, and CI. They skip where Chromium
or playwright's Python package is missing.
"""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

REPOSITORY = Path(__file__).resolve().parents[2]
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
# It is to fetch nothing of its own accord; and root has no sandbox.
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
# A notebook of the course trains its detectors before anything moves.
SECONDS = 120

pytestmark = [
    pytest.mark.skipif(sync_playwright is None, reason="playwright is not installed"),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]

DATA = """\
import numpy as np
import pandas as pd
from labkit.course import explorers
from labkit.metrics import ThresholdSweep

rng = np.random.default_rng(0)
flows = pd.DataFrame({"day": np.repeat([8, 9, 10, 11], 100), "label": np.tile([1] + [0] * 9, 40)})
flows["family"] = np.where(flows["label"] == 1, rng.choice(["scan", "dos"], 400), "benign")
scores = rng.normal(size=400) + 2 * flows["label"]
past = flows["day"] < 10
labels, ranks = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [10, 9, 8, 7, 6, 6, 4, 3, 2, 1]"""
CALLS = (
    "explorers.staircase(labels, ranks)",
    "explorers.precision_recall(labels, ranks)",
    "explorers.threshold(flows['label'], scores, flows['day'])",
    "explorers.base_rate(ThresholdSweep.from_scores(flows['label'], scores))",
    "explorers.budget(flows[past], scores[past], flows[~past], scores[~past], per_day=5)",
)
SMALL = v4.new_notebook(
    cells=[v4.new_code_cell(source) for source in (DATA, *CALLS)],
    metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
)


def explorers_in(notebook):
    """How many cells of a notebook show a curve that moves."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return sum(bool(re.search(r"\bexplorers\.\w+\(", source)) for source in sources)


def notebooks():
    """Name -> notebook: a small one with every explorer, and those of the course with any."""
    found = {"every_explorer.ipynb": SMALL}
    for path in sorted(REPOSITORY.glob("notebooks/[0-9][0-9]_*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        if explorers_in(notebook):
            found[path.name] = notebook
    return found


NOTEBOOKS = notebooks()

# It would ask whether to fetch news.
NO_NEWS = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}


class Lab:
    """A JupyterLab on a free port, with settings, kernels and files of its own."""

    def __init__(self, folder):
        self.token, self.log, self.url = secrets.token_hex(16), folder / "log", None
        self.written = folder / "runtime"
        files = folder / "notebooks"
        files.mkdir()
        for name, notebook in NOTEBOOKS.items():
            nbformat.write(notebook, files / name)
        settings = folder / "config" / "labconfig"
        settings.mkdir(parents=True)
        (settings / "page_config.json").write_text(json.dumps(NO_NEWS))
        places = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
        }
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"),
                    *("--port=0", "--allow-root", f"--ServerApp.root_dir={files}"),
                ],
                # The token not as an argument, which every user of the machine could read.
                env=os.environ
                | {name: str(folder / place) for name, place in places.items()}
                | {"JUPYTER_TOKEN": self.token, "OMP_NUM_THREADS": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait(self):
        """Wait until the server says where it listens, and does."""
        said = self.written / f"jpserver-{self.process.pid}.json"
        patience = time.monotonic() + 60
        while time.monotonic() < patience and self.process.poll() is None:
            with suppress(OSError, ValueError):
                self.url = json.loads(said.read_text())["url"]
                self.ask("api/status")
                return
            time.sleep(0.1)
        raise AssertionError(f"JupyterLab did not start: {self.log.read_text()}")

    def ask(self, path, method="GET", *, with_token=True):
        """Return what the server answers, as JSON."""
        headers = {"Authorization": f"token {self.token}"} if with_token else {}
        asked = urllib.request.Request(self.url + path, method=method, headers=headers)
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return json.loads(answer.read() or "null")

    def stop(self):
        """Stop the kernels, which are processes of their own, and then the server."""
        with suppress(OSError, TypeError):
            for kernel in self.ask("api/kernels"):
                self.ask(f"api/kernels/{kernel['id']}", "DELETE")
        self.process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        self.process.kill()
        self.process.wait()


@contextmanager
def running(folder):
    """Run a JupyterLab, and leave nothing running."""
    started = Lab(folder)
    try:
        started.wait()
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with running(tmp_path_factory.mktemp("lab")) as started:
        yield started


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    yield context.new_page()
    context.close()


def until(page, holds, what):
    """Wait until something holds, accepting any dialog that comes up, which may be at any time."""
    patience = time.monotonic() + SECONDS
    accept = page.locator(".jp-Dialog button.jp-mod-accept")
    while not holds():
        assert time.monotonic() < patience, f"{what}: not within {SECONDS} s"
        if accept.count():
            accept.first.click()
        page.wait_for_timeout(50)


def moving_cells(page, lab, name):
    """Open a notebook, run all of it from the menu, and return its cells with a slider."""
    page.goto(f"{lab.url}lab/tree/{name}?token={lab.token}&reset")
    # A notebook that is told to run before it has its kernel forgets it.
    idle = page.locator("#jp-main-statusbar").get_by_text(re.compile("Idle$"))
    until(page, lambda: idle.count(), "the kernel is ready")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.locator("[data-command='runmenu:run-all']").click()
    cells = page.locator(".jp-CodeCell", has=page.locator(".jp-OutputArea-output [role=slider]"))
    wanted = explorers_in(NOTEBOOKS[name])
    until(page, lambda: cells.count() == wanted and idle.count(), f"{wanted} sliders appear")
    return cells.all()


def seen(cell):
    """Where a cell's slider stands, its picture, and the words that a screen reader is told."""
    return (
        cell.get_by_role("slider").get_attribute("aria-valuetext"),
        cell.locator(".jp-OutputArea-output img").get_attribute("src"),
        # Not the inner text, which is empty where the page leaves out what is out of sight.
        cell.get_by_role("status").text_content(),
    )


def press(page, cell, key):
    """Press a key on a cell's slider; wait until all that can be seen has changed, and stays."""
    cell.get_by_role("slider").focus()
    before = latest = seen(cell)
    page.keyboard.press(key)

    def has_settled():
        nonlocal latest
        page.wait_for_timeout(300)
        earlier, latest = latest, seen(cell)
        changed = all(now != old for now, old in zip(latest, before, strict=True))
        return changed and latest == earlier

    until(page, has_settled, f"slider, picture and words change ({before[2]})")
    return latest


def test_without_the_token_nothing_is_shown(lab, page):
    for path in ("api/contents", "api/kernels", f"files/{next(iter(NOTEBOOKS))}"):
        asked = page.goto(lab.url + path)
        assert asked.status == 403 or "/login" in page.url, path
    assert page.goto(f"{lab.url}api/kernels").status == 403
    page.goto(f"{lab.url}lab")
    assert "/login" in page.url


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_slider_moved_by_keyboard_moves_picture_and_words(lab, page, name):
    for cell in moving_cells(page, lab, name):
        # Where a slider starts need not be one of its steps.
        shown = press(page, cell, "ArrowRight")
        press(page, cell, "ArrowRight")
        assert press(page, cell, "ArrowLeft") == shown


def test_a_staircase_plays_to_its_end(lab, page):
    cell, *_ = moving_cells(page, lab, "every_explorer.ipynb")
    cell.locator("button:has(.fa-play)").click()
    until(page, lambda: "Step 9 of 9" in seen(cell)[2], "it plays to the end")
    assert "Area so far 0.820" in seen(cell)[2]
