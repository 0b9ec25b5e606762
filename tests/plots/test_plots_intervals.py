"""Drawings of intervals from small made-up tables: what is on them, and that they hold these."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color

from labkit.plots.intervals import coverage, intervals_compared

WAYS = ["by record", "by day", "other seeds"]
INTERVALS = pd.DataFrame(
    [
        ("AUC", "by record", 0.9, 0.88, 0.92),
        ("AUC", "by day", 0.9, 0.87, 0.93),
        ("AUC", "other seeds", 0.91, 0.85, 0.95),
        ("a number with a long name", "by record", 0.5, 0.4, 0.55),
        ("a number with a long name", "by day", 0.5, 0.3, 0.7),
        ("a number with a long name", "other seeds", 0.52, 0.52, 0.52),
    ],
    columns=["number", "how", "estimate", "low", "high"],
)
HELD = pd.DataFrame(
    {"by day": [0.55, 0.8, 0.94], "by record": [0.6, 0.61, 0.0]},
    index=pd.Index([2, 4, 32], name="days"),
)


def drawings():
    return {
        "intervals": intervals_compared(INTERVALS),
        "coverage": coverage(HELD, x="days in the test"),
    }


@pytest.fixture(scope="module")
def figures():
    made = drawings()
    yield made
    for figure in made.values():
        plt.close(figure)


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def named(axes):
    """The lines that the legend names, by their names."""
    return {line.get_label(): line for line in axes.lines if not line.get_label().startswith("_")}


def rows_of(axes, way):
    """Places of the rows of one way, from top to bottom."""
    return named(axes)[way].get_ydata().tolist()


@pytest.mark.parametrize("name", ["intervals", "coverage"])
def test_axes_are_labelled_and_nothing_is_cut_off(figures, name):
    figure = figures[name]
    figure.canvas.draw()
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_ylabel() or name == "intervals"
        # In the course's style, whatever the reader's settings.
        assert not axes.spines["top"].get_visible()
    drawn, page = figure.get_tightbbox(), figure.bbox_inches
    hair = 0.01
    assert drawn.x0 >= -hair
    assert drawn.y0 >= -hair
    assert drawn.x1 <= page.x1 + hair
    assert drawn.y1 <= page.y1 + hair


def test_each_interval_runs_from_low_to_high_about_its_estimate(figures):
    (axes,) = figures["intervals"].axes
    assert legend(axes) == WAYS
    assert len(axes.collections) == len(WAYS)
    for way, bars in zip(WAYS, axes.collections, strict=True):
        table = INTERVALS[INTERVALS["how"] == way]
        segments = bars.get_segments()
        wanted = table[["low", "high"]].to_numpy().tolist()
        assert [segment[:, 0].tolist() for segment in segments] == wanted
        estimates = named(axes)[way]
        assert estimates.get_xdata().tolist() == table["estimate"].tolist()
        for segment, y in zip(segments, estimates.get_ydata(), strict=True):
            assert segment[:, 1].tolist() == [y, y]


def test_a_stroke_marks_either_end_of_an_interval(figures):
    (axes,) = figures["intervals"].axes
    strokes = [line for line in axes.lines if line.get_marker() == "|"]
    ends = {
        (x, y) for line in strokes for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }
    wanted = {
        (x, y)
        for way in WAYS
        for low_high, y in zip(
            INTERVALS.loc[INTERVALS["how"] == way, ["low", "high"]].to_numpy(),
            rows_of(axes, way),
            strict=True,
        )
        for x in low_high.tolist()
    }
    assert ends == wanted


def test_intervals_of_a_number_stand_together_in_the_table_s_order_from_the_top(figures):
    (axes,) = figures["intervals"].axes
    bottom, top = axes.get_ylim()
    assert bottom > top
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["AUC", "a number with a long name"]
    for place, tick in enumerate(axes.get_yticks()):
        rows = [rows_of(axes, way)[place] for way in WAYS]
        assert rows == sorted(rows)
        assert np.mean(rows) == tick
    # No row of one number among those of the next, and none on top of another.
    first, second = (sorted(rows_of(axes, way)[place] for way in WAYS) for place in (0, 1))
    assert first[-1] < second[0]
    assert len({*first, *second}) == len(INTERVALS)


def test_a_number_that_lacks_a_way_keeps_its_place():
    some = INTERVALS.drop(index=[1, 3])
    figure = intervals_compared(some)
    (axes,) = figure.axes
    plt.close(figure)
    ways = some["how"].unique().tolist()
    assert legend(axes) == ways
    centre = dict(zip(some["number"].unique(), axes.get_yticks(), strict=True))
    for way in ways:
        table = some[some["how"] == way]
        assert named(axes)[way].get_xdata().tolist() == table["estimate"].tolist()
        for number, y in zip(table["number"], rows_of(axes, way), strict=True):
            assert abs(y - centre[number]) < len(ways) / 2


def test_ways_differ_in_colour_and_in_marker_and_keep_one_colour(figures):
    (axes,) = figures["intervals"].axes
    lines = [named(axes)[way] for way in WAYS]
    assert len({line.get_marker() for line in lines}) == len(WAYS)
    assert len({line.get_color() for line in lines}) == len(WAYS)
    for line, bars in zip(lines, axes.collections, strict=True):
        assert same_color(line.get_color(), bars.get_color())


def test_coverage_holds_the_table_and_the_promise_stands_across(figures):
    (axes,) = figures["coverage"].axes
    assert legend(axes) == ["by day", "by record", "promised: 95%"] == list(named(axes))
    for way in HELD:
        line = named(axes)[way]
        assert line.get_xdata().tolist() == HELD.index.tolist()
        assert line.get_ydata().tolist() == HELD[way].tolist()
    assert set(named(axes)["promised: 95%"].get_ydata()) == {0.95}


def test_coverage_is_in_percent_from_nothing_to_all_at_each_value_tried(figures):
    (axes,) = figures["coverage"].axes
    figures["coverage"].canvas.draw()
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "days in the test"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2", "4", "32"]
    assert axes.get_xticks().tolist() == [2, 4, 32]
    assert axes.get_xticks(minor=True).size == 0
    low, high = axes.get_ylim()
    assert low == 0
    assert high >= 1
    assert {"0%", "100%"} <= {label.get_text() for label in axes.get_yticklabels()}


def test_ways_of_coverage_differ_in_colour_dash_and_marker(figures):
    (axes,) = figures["coverage"].axes
    looks = [
        (line.get_color(), line.get_linestyle(), line.get_marker())
        for line in (named(axes)[way] for way in HELD)
    ]
    for of_lines in zip(*looks, strict=True):
        assert len(set(of_lines)) == len(looks)


def test_another_level_moves_the_promise():
    figure = coverage(HELD, x="days", level=0.8)
    (axes,) = figure.axes
    plt.close(figure)
    assert legend(axes)[-1] == "promised: 80%"
    assert set(named(axes)["promised: 80%"].get_ydata()) == {0.8}


def test_drawing_changes_neither_its_tables_nor_later_figures():
    copies = INTERVALS.copy(), HELD.copy()
    before, open_figures = dict(plt.rcParams), plt.get_fignums()
    for figure in drawings().values():
        plt.close(figure)
    for table, copy in zip((INTERVALS, HELD), copies, strict=True):
        pd.testing.assert_frame_equal(table, copy)
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == open_figures
