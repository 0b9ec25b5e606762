"""Curves that move: what is shown and stored, and what a slider does to it.

Here without a browser; tests/browser moves them in JupyterLab.
"""

import io
import os
import subprocess
import sys
from pathlib import Path

import IPython.display
import nbformat
import numpy as np
import pandas as pd
import pytest
from ipywidgets import FloatLogSlider, FloatSlider, IntSlider, Play
from ipywidgets.widgets import widget
from nbformat import v4
from PIL import Image

from labkit.course import explorers
from labkit.course.guards import problems
from labkit.course.notebooks import execute
from labkit.errors import InputError
from labkit.metrics import ThresholdSweep

REPOSITORY = Path(__file__).resolve().parents[2]
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
LABELS, SCORES = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [10, 9, 8, 7, 6, 6, 4, 3, 2, 1]
DAYS = [10, 10, 10, 10, 11, 11, 11, 11, 11, 11]
SWEEP = ThresholdSweep.from_scores(LABELS, SCORES)


def flows(days):
    families = np.tile(["scan", "dos", "benign", "benign"], 5 * len(days))
    table = pd.DataFrame({"day": np.repeat(days, 20), "family": families})
    return table.assign(label=(table["family"] != "benign").astype(int))


PAST, LATER = flows([8, 9]), flows([10, 11])
RANKS = np.arange(40) % 17

# Name -> the call, its kind of slider, where that starts, ends and moves to, and words for either.
EXPLORERS = {
    "staircase": (
        lambda: explorers.staircase(LABELS, SCORES),
        *(IntSlider, (4, 0, 9), 5),
        "ROC staircase. Step 4 of 9. An attack: one step up. TP 3, FP 1, FN 2, TN 4. Area so far "
        "0.080.",
        "ROC staircase. Step 5 of 9. 1 attack and 1 normal record with one score: they move "
        "together, one slanted step, and what lies under it joins the area. TP 4, FP 2, FN 1, "
        "TN 3. Area so far 0.220.",
    ),
    "precision_recall": (
        lambda: explorers.precision_recall(LABELS, SCORES),
        *(IntSlider, (4, 0, 9), 3),
        "Precision-recall curve. Step 4 of 9. An attack: recall rises by 1/5; a rectangle 1/5 wide "
        "and as high as the precision, 0.750, joins AP. TP 3, FP 1, FN 2, TN 4. AP so far 0.550.",
        "Precision-recall curve. Step 3 of 9. A normal record: recall stays, so no rectangle "
        "joins; precision is now 0.667. TP 2, FP 1, FN 3, TN 4. AP so far 0.400.",
    ),
    "threshold": (
        lambda: explorers.threshold(LABELS, SCORES, DAYS),
        *(FloatSlider, (5.5, 1, 10.05), 8.0),
        "ROC curve, precision-recall curve and alerts a day at one threshold. Score >= 5.5: 6 "
        "alerts on 2 days. 4 of 5 attacks found (recall 0.80), 2 false alerts (precision 0.67). "
        "Day 10: 4 alerts. Day 11: 2 alerts.",
        "ROC curve, precision-recall curve and alerts a day at one threshold. Score >= 8: 3 "
        "alerts on 2 days. 2 of 5 attacks found (recall 0.40), 1 false alert (precision 0.67). "
        "Day 10: 3 alerts. Day 11: 0 alerts.",
    ),
    "base_rate": (
        lambda: explorers.base_rate(SWEEP),
        *(FloatLogSlider, (0.5, -4, np.log10(0.5)), 0.01),
        "ROC and precision-recall curve. Attacks are 50 % of the records: the ROC curve is as it "
        "was, AP is 0.826. At recall 0.60 precision is 0.750, with 0.33 false alerts for each "
        "attack found.",
        "ROC and precision-recall curve. Attacks are 1 % of the records: the ROC curve is as it "
        "was, AP is 0.415. At recall 0.60 precision is 0.029, with 33 false alerts for each "
        "attack found.",
    ),
    "budget": (
        lambda: explorers.budget(PAST, RANKS, LATER, RANKS, per_day=2),
        *(IntSlider, (2, 1, 100), 3),
        "Alerts a day, and share of each family found. A budget of 2 a day fixes the threshold "
        "15. On the test days it makes 2 alerts a day, over budget on 0 of 2 days. 3 of 20 "
        "attacks found, 1 false alert. Found: scan 20%, dos 10%.",
        "Alerts a day, and share of each family found. A budget of 3 a day fixes the threshold "
        "14. On the test days it makes 3 alerts a day, over budget on 0 of 2 days. 3 of 20 "
        "attacks found, 3 false alerts. Found: scan 20%, dos 10%.",
    ),
}
each_explorer = pytest.mark.parametrize("name", EXPLORERS)


class Shown:
    """What was displayed, first and since."""

    def __init__(self, call, monkeypatch):
        self.outputs = []
        monkeypatch.setattr(IPython.display, "display", self.display)
        assert call() is None
        picture, box = self.outputs
        self.box = widget._instances[box[0][WIDGET_VIEW]["model_id"]]
        self.controls = {type(control): control for control in self.box.children[0].children}
        self.slider = self.box.children[0].children[-1]
        self.picture, self.text = picture, box[0]["text/plain"]

    def display(self, bundle, *, raw, metadata=None, display_id=None):
        assert raw
        self.outputs.append((bundle, metadata, display_id))
        return self

    def update(self, bundle, *, raw, metadata):
        assert raw
        self.picture = (bundle, metadata, True)

    @property
    def words(self):
        """What a screen reader is told."""
        return self.box.children[1].value


@pytest.fixture
def show(monkeypatch):
    return lambda name: Shown(EXPLORERS[name][0], monkeypatch)


@each_explorer
def test_one_picture_with_its_words_and_a_slider(show, name):
    _, kind, (value, low, high), _, words, _ = EXPLORERS[name]
    shown = show(name)
    bundle, metadata, display_id = shown.picture
    assert set(bundle) == {"image/png", "text/plain"}
    assert bundle["text/plain"] == words
    assert metadata == {"image/png": {"alt": words, "width": 900, "height": 400}}
    assert display_id is True
    assert Image.open(io.BytesIO(bundle["image/png"])).size == (900, 400)
    assert type(shown.slider) is kind
    assert (shown.slider.value, shown.slider.min) == pytest.approx((value, low))
    assert shown.slider.max == pytest.approx(high)
    assert shown.slider.description
    assert 'role="status"' in shown.words


@each_explorer
def test_moving_the_slider_moves_picture_and_words(show, name):
    *_, moved_to, words, other_words = EXPLORERS[name]
    shown = show(name)
    first = shown.picture[0]["image/png"]
    shown.slider.value = moved_to
    bundle, metadata, _ = shown.picture
    assert bundle["text/plain"] == metadata["image/png"]["alt"] == other_words
    assert bundle["image/png"] != first
    assert other_words.replace(">", "&gt;") in shown.words
    assert words not in shown.words
    # No second picture: the first was exchanged.
    assert len(shown.outputs) == 2


@each_explorer
def test_back_where_it_was_the_picture_is_the_same(show, name):
    shown = show(name)
    first, start = shown.picture[0], shown.slider.value
    shown.slider.value = EXPLORERS[name][3]
    shown.slider.value = start
    assert shown.picture[0] == first


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("staircase", "step, 0 to 9"),
        ("precision_recall", "step, 0 to 9"),
        ("threshold", "threshold, 1 to 10.05"),
        ("base_rate", "base rate, 0.01 % to 50 %"),
        ("budget", "alerts a day, 1 to 100"),
    ],
)
def test_the_line_that_stands_for_a_slider_says_how_to_get_it(show, name, text):
    assert show(name).text == f"Run this cell in JupyterLab to move the slider: {text}."


@pytest.mark.parametrize("name", ["staircase", "precision_recall"])
def test_what_goes_step_by_step_can_be_played(show, name):
    shown = show(name)
    play = shown.controls[Play]
    assert (play.value, play.min, play.max) == (shown.slider.value, 0, shown.slider.max)
    assert 500 <= play.interval <= 1500


@each_explorer
def test_the_ends_of_a_slider_can_be_reached(show, name):
    shown = show(name)
    low, high = shown.slider.min, shown.slider.max
    for end in (10**low, 10**high) if name == "base_rate" else (low, high):
        shown.slider.value = end
        assert shown.picture[0]["text/plain"]


@pytest.mark.parametrize(
    ("scores", "low", "high", "step"),
    [
        ([0.0, 1.0], 0, 1.01, 0.01),
        ([-10.7, 7.9], -10.7, 8, 0.1),
        ([0.2, 0.2], 0.2, 0.21, 0.01),
        ([1000, 3500], 1000, 3520, 20),
        ([0.00012, 0.00017], 0.00012, 0.0001705, 5e-7),
        ([-np.inf, 1, 2, np.inf], 1, 2.01, 0.01),
    ],
)
def test_a_slider_over_scores_has_round_steps_and_reaches_past_the_highest(scores, low, high, step):
    found = explorers._scale(np.array(scores, dtype=float))
    assert found == pytest.approx((low, high, step))
    finite = [score for score in scores if np.isfinite(score)]
    assert found[0] <= min(finite) <= max(finite) < found[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: explorers.staircase([1, 1], [2, 1]), "one class only"),
        (lambda: explorers.staircase([1, 0] * 40, range(80)), "80 records; one by one at most 60"),
        (lambda: explorers.staircase([1, 0], [np.nan, 1]), "y_score is NaN"),
        (lambda: explorers.precision_recall([0, 0], [2, 1]), "one class only"),
        (lambda: explorers.precision_recall([1, 0] * 31, range(62)), "at most 60"),
        (lambda: explorers.threshold([1, 1], [2, 1], [0, 0]), "one class only"),
        (lambda: explorers.threshold([1, 0], [np.nan, 1], [0, 0]), "y_score is NaN"),
        (lambda: explorers.threshold([1, 0], [2, 1], [0]), "day has 1"),
        (lambda: explorers.threshold([1, 0], [np.inf, -np.inf], [0, 0]), "no finite score"),
        (
            lambda: explorers.base_rate(ThresholdSweep.from_scores([1, 1], [2, 1])),
            "one class only",
        ),
        (lambda: explorers.base_rate(SWEEP, recall=0), "recall is 0"),
        (lambda: explorers.budget(LATER, RANKS, PAST, RANKS), "test begins on day 8"),
        (lambda: explorers.budget(PAST, RANKS, LATER, RANKS, per_day=0), "per_day is 0; the sl"),
        (lambda: explorers.budget(PAST, RANKS, LATER, RANKS, per_day=2.5), "per_day is 2.5"),
        (lambda: explorers.budget(PAST, RANKS, LATER, RANKS[:5]), "y_score has 5"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line_and_nothing_is_shown(call, message, monkeypatch):
    shown = []
    monkeypatch.setattr(IPython.display, "display", lambda *what, **how: shown.append(what))
    with pytest.raises(InputError, match=message) as told:
        call()
    assert "\n" not in str(told.value)
    assert shown == []


def test_a_base_rate_beyond_the_slider_starts_at_its_end(monkeypatch):
    sweep = ThresholdSweep.from_scores([1, 1, 1, 0], [4, 3, 2, 1])
    shown = Shown(lambda: explorers.base_rate(sweep), monkeypatch)
    assert shown.slider.value == pytest.approx(0.5)


CELLS = (
    "from labkit.course import explorers",
    f"explorers.staircase({LABELS}, {SCORES})",
    f"explorers.threshold({LABELS}, {SCORES}, {DAYS})",
)
MOVES = """\
from ipywidgets import IntSlider
from ipywidgets.widgets import widget

slider, = [one for one in list(widget._instances.values()) if type(one) is IntSlider]
slider.value = 9
"""


def executed(folder, *sources):
    cells = [v4.new_code_cell(source) for source in sources]
    notebook = v4.new_notebook(cells=cells)
    execute(notebook, folder)
    return notebook


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A notebook with two explorers, executed as `labkit run` does."""
    return executed(tmp_path_factory.mktemp("stored"), *CELLS)


def test_what_is_stored_is_the_picture_and_a_line_the_same_at_every_run(stored, tmp_path):
    assert problems(stored) == []
    for cell in stored.cells[1:]:
        picture, slider = cell.outputs
        assert set(picture.data) == {"image/png", "text/plain"}
        assert set(slider.data) == {"text/plain"}
        assert slider.data["text/plain"].startswith("Run this cell in JupyterLab to move the sl")
    assert "widgets" not in stored.metadata
    again = executed(tmp_path, *CELLS)
    assert [cell.outputs for cell in again.cells] == [cell.outputs for cell in stored.cells]


def test_a_slider_moved_by_another_cell_exchanges_the_picture(stored, tmp_path):
    moved = executed(tmp_path, *CELLS[:2], MOVES).cells[1].outputs
    assert len(moved) == 2
    picture, before = moved[0], stored.cells[1].outputs[0]
    assert "Step 9 of 9" in picture.data["text/plain"]
    assert "Step 9 of 9" in picture.metadata["image/png"]["alt"]
    assert picture.data["image/png"] != before.data["image/png"]


def test_nbval_finds_the_stored_outputs_again(stored, tmp_path):
    nbformat.write(stored, tmp_path / "moving.ipynb")
    settings = ["-c", "tests/notebooks/nbval.ini", "--rootdir", ".", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *settings, str(tmp_path)],
        cwd=REPOSITORY,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert f"{len(CELLS)} passed" in done.stdout, done.stdout
