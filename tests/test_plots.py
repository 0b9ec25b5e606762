"""Drawings from small made-up tables: what is on them, and that they hold what the table holds."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from labkit import plots
from labkit.lab2.figures import base_rate_curves, curve_table, reliability_bins
from labkit.metrics import ThresholdSweep
from labkit.plots import style

SWEEP = ThresholdSweep.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
OTHER = ThresholdSweep.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 1, 7, 2, 3, 6, 4, 5])
DAYS = pd.DataFrame(
    {"scan": [3, 0, 1], "dos": [0, 5, 0], "beacon": [0, 0, 0], "benign": [1, 0, 2]},
    index=pd.Index([8, 9, 10], name="day"),
)
SHARES = pd.DataFrame({"first": [0.5, 1.0], "second": [0.25, 0.0]}, index=["scan", "beacon"])
BINS = reliability_bins(
    pd.Series([0, 1, 0, 1]),
    {"plain": np.array([0.05, 0.9, 0.15, 0.95]), "balanced": np.array([0.2, 0.6, 0.7, 0.9])},
)


def drawings():
    return {
        "worked_example": plots.worked_example(curve_table({"eight": SWEEP}, corners_only=False)),
        "two_detectors": plots.roc_and_precision_recall(
            curve_table({"one": SWEEP, "other": OTHER})
        ),
        "base_rates": plots.base_rate_effect(base_rate_curves(SWEEP)),
        "reliability": plots.reliability(BINS),
        "days": plots.stacked_days(DAYS, y="alerts a day", budget=4, parts={"before": (8, 9)}),
        "shares": plots.shares_by_family(SHARES),
    }


@pytest.fixture(scope="module")
def figures():
    made = drawings()
    yield made
    for figure in made.values():
        plt.close(figure)


NAMES = ["worked_example", "two_detectors", "base_rates", "reliability", "days", "shares"]
CURVES = ["worked_example", "two_detectors", "base_rates"]


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def level_lines(axes):
    """Heights of the lines drawn across the whole axes."""
    return [
        line.get_ydata()[0]
        for line in axes.lines
        if list(line.get_xdata()) == [0, 1] and len(set(line.get_ydata())) == 1
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_axis_is_labelled_and_the_drawing_fits_together(figures, name):
    figure = figures[name]
    figure.canvas.draw()
    for axes in figure.axes:
        assert axes.get_xlabel()
    assert figure.axes[0].get_ylabel() or name == "shares"
    for axes in figure.axes if name in CURVES else []:
        assert axes.get_ylabel()
        assert axes.get_title(loc="left")


@pytest.mark.parametrize("name", CURVES)
def test_the_base_rate_stands_beside_every_precision_recall_curve(figures, name):
    rates = [0.375, 0.01, 0.001] if name == "base_rates" else [0.375]
    assert level_lines(figures[name].axes[1]) == pytest.approx(rates)


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        (
            "worked_example",
            ["eight", "random ranking"],
            ["eight", "straight lines (wrong)", "base rate 0.375"],
        ),
        (
            "two_detectors",
            ["one", "other", "random ranking"],
            ["base rate 38 %"],
        ),
        (
            "base_rates",
            ["at every base rate", "random ranking"],
            ["38 %", "1 %", "0.1 %"],
        ),
    ],
)
def test_every_curve_is_named(figures, name, left, right):
    assert [legend(axes) for axes in figures[name].axes] == [left, right]


@pytest.mark.parametrize("name", CURVES)
def test_curves_differ_in_colour_and_in_dash(figures, name):
    for axes in figures[name].axes:
        lines = [line for line in axes.lines if line.get_linewidth() > 1 and len(line.get_xdata())]
        looks = [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in lines]
        assert len(set(looks)) == len(looks)


def test_the_roc_curve_begins_at_the_origin_and_passes_every_point(figures):
    roc = figures["worked_example"].axes[0].lines[0]
    # Attacks at ranks 1, 3 and 6 of eight.
    assert (roc.get_xdata() * 5).tolist() == pytest.approx([0, 0, 1, 1, 2, 3, 3, 4, 5])
    assert (roc.get_ydata() * 3).tolist() == pytest.approx([0, 1, 1, 2, 2, 2, 3, 3, 3])


def test_the_area_below_the_steps_is_the_average_precision(figures):
    for name, sweeps in (("worked_example", [SWEEP]), ("two_detectors", [SWEEP, OTHER])):
        lines = [line for line in figures[name].axes[1].lines if line.get_drawstyle() != "default"]
        assert [line.get_drawstyle() for line in lines] == ["steps-pre"] * len(sweeps)
        for line, sweep in zip(lines, sweeps, strict=True):
            # Steps "pre": between two points the height of the later.
            area = np.sum(np.diff(line.get_xdata()) * line.get_ydata()[1:])
            assert area == pytest.approx(sweep.average_precision)


def test_one_roc_curve_at_every_base_rate(figures):
    curves = [line for line in figures["base_rates"].axes[0].lines if line.get_linewidth() > 1]
    assert len(curves) == 1


def test_a_reliability_diagram_shows_filled_bins_with_their_intervals(figures):
    panels = figures["reliability"].axes
    assert [axes.get_title(loc="left") for axes in panels] == ["plain", "balanced"]
    for axes, (_, bins) in zip(panels, BINS.groupby("model", sort=False), strict=True):
        filled = bins[bins["count"] > 0]
        points, _, (bars,) = axes.containers[0]
        assert points.get_xdata().tolist() == pytest.approx(filled["mean_predicted"].tolist())
        assert points.get_ydata().tolist() == pytest.approx(filled["observed"].tolist())
        ends = [(low, high) for (_, low), (_, high) in bars.get_segments()]
        wanted = filled[["low", "high"]].to_numpy().tolist()
        assert np.ravel(ends) == pytest.approx(np.ravel(wanted))


def test_days_are_stacked_to_their_totals(figures):
    (axes,) = figures["days"].axes
    bars = [patch for container in axes.containers for patch in container]
    for day, total in DAYS.sum(axis=1).items():
        of_day = [bar for bar in bars if bar.get_x() < day < bar.get_x() + bar.get_width()]
        assert sum(bar.get_height() for bar in of_day) == total
        assert max(bar.get_y() + bar.get_height() for bar in of_day) == total
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["4", "5", "3", "before"]
    # A family without a record needs no entry.
    families = ["scan", "denial of service", "normal (false alert)"]
    assert sorted(legend(axes)) == sorted([*families, "budget: 4 a day"])
    assert axes.get_ylabel() == "alerts a day"
    assert axes.get_ylim()[1] > DAYS.sum(axis=1).max()
    assert [line.get_ydata()[0] for line in axes.lines] == [4]


def test_the_table_of_days_is_left_as_it_was():
    before = DAYS.copy()
    plt.close(plots.stacked_days(DAYS, y="alerts"))
    pd.testing.assert_frame_equal(DAYS, before)


def test_shares_are_bars_with_their_percentage(figures):
    (axes,) = figures["shares"].axes
    widths = [[bar.get_width() for bar in container] for container in axes.containers]
    assert widths == [[0.5, 1.0], [0.25, 0.0]]
    assert [text.get_text() for text in axes.texts] == ["50%", "100%", "25%", "0%"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["scan", "beacon"]
    assert legend(axes) == ["first", "second"]
    hatches = {container[0].get_hatch() for container in axes.containers}
    assert len(hatches) == 2


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.041, "4.1 %"),
        (0.01, "1 %"),
        (0.001, "0.1 %"),
        (0.375, "38 %"),
        (0.999, "100 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
    ],
)
def test_a_share_as_a_percentage_to_two_digits(share, text):
    assert plots.percent(share) == text


def test_families_have_a_name_a_colour_and_a_hatch_each():
    assert set(style.FAMILY_NAMES) == set(style.FAMILY_STYLE)
    assert len(set(style.FAMILY_STYLE.values())) == len(style.FAMILY_STYLE)
    grey = [round(float(np.dot(to_rgb(c), (0.3, 0.59, 0.11))), 2) for c, _ in style.LINES]
    dashes = [dash for _, dash in style.LINES]
    # In a print without colours the dashes tell lines of the same grey apart.
    assert len(set(zip(grey, dashes, strict=True))) == len(set(dashes)) == len(style.LINES)


def test_drawing_leaves_no_trace_on_other_figures():
    before, open_figures = dict(plt.rcParams), plt.get_fignums()
    for figure in drawings().values():
        plt.close(figure)
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == open_figures
