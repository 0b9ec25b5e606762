"""Drawings of costs from small made-up tables: what is on them, and that they hold the tables."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color, to_hex

from labkit.decisions.cost_curves import cost_curve, normalised_cost
from labkit.metrics import ThresholdSweep
from labkit.plots.costs import cost_against_threshold, cost_curves, who_pays

RULE = 0.2
COSTS = pd.DataFrame(
    {
        "score": ["plain"] * 4 + ["booster"] * 3,
        "threshold": [0.9, 0.5, 0.1, 0.01, 0.8, 0.03, 0.001],
        "cost": [5000, 700, 1000, 2000, 1500, 250, 250],
    }
)
BILLS = pd.DataFrame(
    {"false alerts": [40, 0, 1000], "missed beacons": [300, 700, 0], "other": [60, 1400, 0]},
    index=["rule", "alert on nothing", "alert on everything"],
)
SWEEP = ThresholdSweep.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
OTHER = ThresholdSweep.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 2, 5, 4, 3, 6, 1])
LINES = {name: SWEEP.at_threshold(cut) for name, cut in (("strict", 8), ("lax", 3))}
POINTS = {name: (point.fpr, 1 - point.recall) for name, point in LINES.items()}
ENVELOPES = {"one, best": cost_curve(SWEEP), "other, best": cost_curve(OTHER)}
MARKS = {"costs 1 : 1": 0.375, "costs 1 : 50": 0.968}


def drawings():
    return {
        "threshold": cost_against_threshold(COSTS, RULE),
        "bills": who_pays(BILLS),
        "curves": cost_curves(POINTS, ENVELOPES, marks=MARKS),
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


def points(line):
    return np.column_stack([line.get_xdata(), line.get_ydata()])


@pytest.mark.parametrize("name", ["threshold", "bills", "curves"])
def test_axes_are_labelled_and_nothing_is_cut_off(figures, name):
    figure = figures[name]
    figure.canvas.draw()
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_ylabel() or name == "bills"
        # In the course's style, whatever the reader's settings.
        assert not axes.spines["top"].get_visible()
    drawn, page = figure.get_tightbbox(), figure.bbox_inches
    hair = 0.01
    assert drawn.x0 >= -hair
    assert drawn.y0 >= -hair
    assert drawn.x1 <= page.x1 + hair
    assert drawn.y1 <= page.y1 + hair


def test_each_curve_of_cost_holds_its_score_and_the_rule_stands_across(figures):
    (axes,) = figures["threshold"].axes
    names = ["plain (dot: least cost)", "booster (dot: least cost)", "cost threshold 0.200"]
    assert legend(axes) == names == list(named(axes))
    for name, score in zip(names, ("plain", "booster"), strict=False):
        wanted = COSTS.loc[COSTS["score"] == score, ["threshold", "cost"]].to_numpy()
        assert points(named(axes)[name]).tolist() == wanted.tolist()
    assert set(named(axes)[names[2]].get_xdata()) == {RULE}
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_a_dot_in_the_curve_s_colour_marks_its_least_cost(figures):
    (axes,) = figures["threshold"].axes
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    # Of two that cost the same, the higher threshold: the fewer alerts.
    assert [points(dot).tolist() for dot in dots] == [[[0.5, 700]], [[0.03, 250]]]
    curves = list(named(axes).values())[:2]
    for dot, curve in zip(dots, curves, strict=True):
        assert same_color(dot.get_color(), curve.get_color())


def test_costs_are_written_out_in_full(figures):
    (axes,) = figures["threshold"].axes
    figures["threshold"].canvas.draw()
    low, high = axes.get_ylim()
    shown = dict(
        zip(axes.get_yticks(), [t.get_text() for t in axes.get_yticklabels()], strict=True)
    )
    shown = {tick: text for tick, text in shown.items() if low <= tick <= high}
    assert shown[500] == "500"
    assert shown[2000] == "2,000"


def test_every_bill_is_stacked_from_its_parts_to_its_total(figures):
    (axes,) = figures["bills"].axes
    assert legend(axes) == list(BILLS.columns) == [bars.get_label() for bars in axes.containers]
    ends = np.zeros(len(BILLS))
    for part, bars in zip(BILLS.columns, axes.containers, strict=True):
        assert [bar.get_x() for bar in bars] == ends.tolist()
        assert [bar.get_width() for bar in bars] == BILLS[part].tolist()
        ends += BILLS[part].to_numpy()
    assert [(text.get_text(), *text.xy) for text in axes.texts] == [
        ("400", 400, 0),
        ("2,100", 2100, 1),
        ("1,000", 1000, 2),
    ]


def test_bills_stand_in_the_table_s_order_from_the_top(figures):
    (axes,) = figures["bills"].axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(BILLS.index)
    bottom, top = axes.get_ylim()
    assert bottom > top
    assert axes.get_xlim()[0] == 0
    assert axes.get_xlim()[1] > BILLS.sum(axis=1).max()


def test_parts_of_a_bill_differ_in_colour_and_in_hatch(figures):
    (axes,) = figures["bills"].axes
    bars = [container[0] for container in axes.containers]
    assert len({bar.get_hatch() for bar in bars}) == len(bars)
    assert len({to_hex(bar.get_facecolor()) for bar in bars}) == len(bars)


def test_both_panels_show_the_two_trivial_rules(figures):
    for axes, title in zip(
        figures["curves"].axes,
        ("One line an operating point", "The best of all lines"),
        strict=True,
    ):
        assert axes.get_title(loc="left") == title
        nothing, everything = axes.lines[:2]
        assert points(nothing).tolist() == [[0, 0], [1, 1]]
        assert points(everything).tolist() == [[0, 1], [1, 0]]
        assert {"alert on nothing", "alert on everything"} <= {t.get_text() for t in axes.texts}


def test_an_operating_point_is_a_line_between_its_two_error_rates(figures):
    left, _ = figures["curves"].axes
    assert legend(left) == ["strict", "lax", "below: one, best"]
    for name, point in LINES.items():
        line = named(left)[name]
        assert line.get_ydata() == pytest.approx([point.fpr, 1 - point.recall])
        between = np.interp(0.3, line.get_xdata(), line.get_ydata())
        assert between == pytest.approx(normalised_cost(point, 0.3))


def test_the_envelopes_hold_their_tables_and_the_first_is_shaded_among_the_points(figures):
    left, right = figures["curves"].axes
    assert legend(right) == list(ENVELOPES)
    for name, curve in ENVELOPES.items():
        wanted = curve[["probability_cost", "cost"]].to_numpy()
        assert points(named(right)[name]).tolist() == wanted.tolist()
    (shaded,) = left.collections
    corners = shaded.get_paths()[0].vertices
    first = ENVELOPES["one, best"]
    for x, y in first[["probability_cost", "cost"]].to_numpy():
        assert corners[corners[:, 0] == x, 1].max() == y


def test_marks_stand_across_the_envelopes_each_with_its_name(figures):
    left, right = figures["curves"].axes
    across = [line.get_xdata()[0] for line in right.lines if line.get_linestyle() == ":"]
    assert across == list(MARKS.values())
    words = {text.get_text(): text.xy[0] for text in right.texts}
    assert {name: words[name] for name in MARKS} == MARKS
    assert not {text.get_text() for text in left.texts} & set(MARKS)


def test_without_marks_nothing_stands_across():
    figure = cost_curves(POINTS, ENVELOPES)
    right = figure.axes[1]
    plt.close(figure)
    assert [line.get_linestyle() for line in right.lines] == ["-", "-", "-", "--"]
    assert len(right.texts) == 2


@pytest.mark.parametrize(("name", "panel"), [("threshold", 0), ("curves", 0), ("curves", 1)])
def test_lines_differ_in_colour_and_in_dash(figures, name, panel):
    lines = named(figures[name].axes[panel]).values()
    curves = [line for line in lines if line.get_linewidth() > 1]
    assert len(curves) > 1
    assert len({line.get_linestyle() for line in curves}) == len(curves)
    assert len({line.get_color() for line in curves}) == len(curves)


def test_drawing_changes_neither_its_tables_nor_later_figures():
    tables = [COSTS, BILLS, *ENVELOPES.values()]
    copies = [table.copy() for table in tables]
    before, open_figures = dict(plt.rcParams), plt.get_fignums()
    for figure in drawings().values():
        plt.close(figure)
    for table, copy in zip(tables, copies, strict=True):
        pd.testing.assert_frame_equal(table, copy)
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == open_figures
