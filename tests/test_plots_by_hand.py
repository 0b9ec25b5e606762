"""Drawings of a few records or thresholds: they hold what their tables hold."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from labkit.lab2 import worked
from labkit.lab2.figures import curve_table
from labkit.metrics import ThresholdSweep
from labkit.metrics.pr_interpolation import interpolated_precision
from labkit.plots import by_hand

EIGHT = ThresholdSweep.from_scores(worked.EIGHT_LABELS, worked.EIGHT_SCORES)
TIED = ThresholdSweep.from_scores(
    worked.EIGHT_LABELS, [0.95, 0.85, 0.75, 0.65, 0.55, 0.65, 0.35, 0.25]
)
THOUSAND = ThresholdSweep.from_counts(**worked.THOUSAND)
RECALL = np.array([0.2, 0.6, 1.0])
BETWEEN = pd.DataFrame(
    {
        "recall": RECALL,
        "precision": interpolated_precision(THOUSAND, RECALL),
        "straight": [0.9, 0.5, 0.01],
    }
)
PAIRS = pd.concat(
    curve_table({name: EIGHT, f"other {name}": TIED}).assign(pair=name) for name in ("one", "two")
)
BY_BASE_RATE = pd.DataFrame(
    {0.01: [0.1, 0.5], 0.1: [0.01, 0.1]}, index=pd.Index([0.001, 0.01], name="base_rate")
)


def drawings():
    return {
        "staircase": by_hand.staircase(EIGHT.to_frame()),
        "staircase of a tie": by_hand.staircase(TIED.to_frame()),
        "staircase and steps": by_hand.staircase_and_steps(EIGHT.to_frame()),
        "steps": by_hand.steps_and_straight_lines(EIGHT.to_frame()),
        "pairs": by_hand.pairs_of_rankings(PAIRS),
        "one pair": by_hand.pairs_of_rankings(PAIRS[PAIRS["pair"] == "one"]),
        "between": by_hand.between_points(THOUSAND.to_frame(), BETWEEN),
        "operating points": by_hand.operating_points(
            curve_table({"thousand": THOUSAND}, corners_only=False)
        ),
        "base rates": by_hand.precision_by_base_rate(BY_BASE_RATE),
    }


@pytest.fixture(scope="module")
def figures():
    made = drawings()
    yield made
    for figure in made.values():
        plt.close(figure)


def texts(axes):
    return [text.get_text() for text in axes.texts]


def points(line):
    return list(zip(line.get_xdata().tolist(), line.get_ydata().tolist(), strict=True))


def test_every_axis_is_labelled_and_the_drawing_fits_together(figures):
    for figure in figures.values():
        figure.canvas.draw()
        for axes in figure.axes:
            assert axes.get_xlabel()
            assert axes.get_ylabel()


@pytest.mark.parametrize(
    ("name", "sweep", "ranks"),
    [
        ("staircase", EIGHT, ["1", "2", "3", "4", "5", "6", "7", "8"]),
        ("staircase of a tie", TIED, ["1", "2", "3", "4-5", "6", "7", "8"]),
        ("staircase and steps", EIGHT, ["1", "2", "3", "4", "5", "6", "7", "8"]),
    ],
)
def test_the_staircase_passes_every_point_and_names_every_step(figures, name, sweep, ranks):
    axes = figures[name].axes[0]
    roc = list(zip(sweep.fpr.tolist(), sweep.recall.tolist(), strict=True))
    assert points(axes.lines[0]) == [(0, 0), *roc]
    assert texts(axes) == ranks


def test_the_grid_has_a_box_for_every_pair(figures):
    axes = figures["staircase"].axes[0]
    assert axes.get_xticks().tolist() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert axes.get_yticks().tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])


@pytest.mark.parametrize(("name", "panel"), [("steps", 0), ("staircase and steps", 1)])
def test_the_bars_add_up_to_the_average_precision(figures, name, panel):
    bars = figures[name].axes[panel].patches
    area = sum(bar.get_width() * bar.get_height() for bar in bars)
    assert area == pytest.approx(EIGHT.average_precision)
    assert len(bars) == EIGHT.positives


def test_the_straight_lines_enclose_the_other_number(figures):
    line = figures["steps"].axes[0].lines[-1]
    assert line.get_linestyle() == ":"
    assert np.trapezoid(line.get_ydata(), line.get_xdata()) == pytest.approx(61 / 90)


@pytest.mark.parametrize(("name", "rows"), [("pairs", 2), ("one pair", 1)])
def test_a_pair_of_rankings_is_a_row_of_two_panels(figures, name, rows):
    axes = figures[name].axes
    assert len(axes) == 2 * rows
    for left, right in zip(axes[::2], axes[1::2], strict=True):
        assert len(left.get_legend().get_texts()) == 2
        for line, sweep in zip(right.lines, (EIGHT, TIED), strict=True):
            area = np.sum(np.diff(line.get_xdata()) * line.get_ydata()[1:])
            assert area == pytest.approx(sweep.average_precision)
        assert {line.get_linestyle() for line in left.lines} == {"-", "--"}


def test_what_can_be_reached_and_straight_lines_lie_side_by_side(figures):
    left, right = figures["between"].axes
    assert points(left.lines[0])[1:] == points(left.lines[1])
    reached, straight, marks = right.lines
    assert reached.get_ydata().tolist() == BETWEEN["precision"].tolist()
    assert straight.get_ydata().tolist() == BETWEEN["straight"].tolist()
    assert marks.get_ydata().tolist() == THOUSAND.precision.tolist()


def test_every_threshold_is_named_on_either_plot(figures):
    for axes in figures["operating points"].axes:
        assert texts(axes) == ["0.95", "0.75", "0.55", "0.35", "0.1"]


def test_precision_is_drawn_over_powers_of_ten(figures):
    (axes,) = figures["base rates"].axes
    assert axes.get_xscale() == "log"
    assert [line.get_ydata().tolist() for line in axes.lines] == [[0.1, 0.5], [0.01, 0.1]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["0.01", "0.1"]
    assert len({line.get_linestyle() for line in axes.lines}) == 2


def test_drawing_leaves_no_trace_on_other_figures():
    before, open_figures = dict(plt.rcParams), plt.get_fignums()
    for figure in drawings().values():
        plt.close(figure)
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == open_figures
