"""Single frames of curves that move: what is on them, and that nothing jumps or is cut off."""

import math

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg

from labkit.lab2 import frames
from labkit.lab2.figures import curve_table
from labkit.metrics import ThresholdSweep
from labkit.plots import moving

LABELS, SCORES = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [10, 9, 8, 7, 6, 6, 4, 3, 2, 1]
STEPS = frames.record_steps(LABELS, SCORES)
MANY = frames.record_steps([1, 0, 0] * 20, [-1234.5 + 0.01 * rank for rank in range(60)])
TIED = frames.record_steps([1, 0] * 30, [rank // 59 for rank in range(60)])
SWEEP = ThresholdSweep.from_scores(LABELS, SCORES)


def flows(days, each):
    families = ["scan", "dos", "benign", "benign"] * (each // 4)
    table = pd.DataFrame({"day": np.repeat(days, each), "family": families * len(days)})
    return table.assign(label=(table["family"] != "benign").astype(int))


def staircase(step, steps=STEPS):
    return moving.staircase(steps, step)


def precision_recall(step, steps=STEPS):
    return moving.precision_recall(steps, step)


def threshold(value, size=10):
    """The records over and over, three a day or on thirty days."""
    labels, scores = LABELS * (size // 10), SCORES * (size // 10)
    days = np.arange(size) // max(3, size // 30)
    table, by_day = frames.threshold_frames(labels, scores, days, [value])
    curve = curve_table({"": ThresholdSweep.from_scores(labels, scores)})
    return moving.threshold(curve, by_day, table.iloc[0])


def base_rate(rate):
    table, curves = frames.base_rate_frames(SWEEP, [0.5, rate])
    return moving.base_rate(curves, table.iloc[1], 1)


def budget(per_day, each=40, days=(10, 11, 12)):
    past, later = flows([8, 9], each), flows(list(days), each)
    scores = np.random.default_rng(0).normal(size=len(past) + len(later))
    table, by_day = frames.budget_frames(
        past, scores[: len(past)], later, scores[len(past) :] + 0.5, [per_day]
    )
    return moving.budget(by_day, table.iloc[0], frames.family_shares(table.iloc[0]))


# Drawing -> what it is drawn at: first, middle and last.
POSITIONS = {
    staircase: (0, 5, 9),
    precision_recall: (0, 5, 9),
    threshold: (99, 6, 0),
    base_rate: (0.5, 0.01, 0.0001),
    budget: (1, 5, 40),
}
FRAMES = [(draw, at) for draw, positions in POSITIONS.items() for at in positions]
EXTREMES = {
    "60 records": lambda: staircase(30, MANY),
    "60 rectangles": lambda: precision_recall(len(MANY) - 1, MANY),
    "59 tied": lambda: staircase(2, TIED),
    "59 tied in one rectangle": lambda: precision_recall(2, TIED),
    "30 days": lambda: threshold(-1e-7, 90),
    "a million records": lambda: threshold(3.14159, 1_000_000),
    "twelve days": lambda: budget(100, 4000, range(10, 20)),
}


def texts(figure):
    """Every text on a figure that is not empty."""
    found = figure.findobj(lambda artist: hasattr(artist, "get_text"))
    return [text for text in found if text.get_text() and text.get_visible()]


def words(figure):
    """The text below the panels, on one line."""
    (text,) = figure.texts
    return " ".join(text.get_text().split())


@pytest.mark.parametrize("draw", POSITIONS, ids=lambda draw: draw.__name__)
def test_no_panel_moves_from_frame_to_frame(draw):
    places = [[axes.get_position().bounds for axes in draw(at).axes] for at in POSITIONS[draw]]
    assert places[0] == places[1] == places[2]


@pytest.mark.parametrize(("draw", "at"), FRAMES)
def test_every_axis_is_labelled_and_the_size_is_that_of_a_notebook(draw, at):
    figure = draw(at)
    assert tuple(figure.get_size_inches()) == moving.SIZE
    assert figure.dpi == 100
    shown = [axes for axes in figure.axes if axes.axison]
    assert len(shown) >= 1
    for axes in shown:
        assert axes.get_title(loc="left")
        assert axes.get_xlabel() or axes.get_title(loc="left").startswith("Share")


def assert_fits(figure):
    FigureCanvasAgg(figure).draw()
    width, height = figure.get_size_inches() * figure.dpi
    undrawn = labels_beyond(figure.axes)
    for text in texts(figure):
        box = text.get_window_extent()
        if text not in undrawn:
            assert -0.5 <= box.x0 <= box.x1 <= width + 0.5, text.get_text()
            assert -0.5 <= box.y0 <= box.y1 <= height + 0.5, text.get_text()


def labels_beyond(panels):
    """The labels of ticks beyond the ends of an axis, which are not drawn."""
    return {
        tick.label1
        for axes in panels
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }


@pytest.mark.parametrize(("draw", "at"), FRAMES)
def test_nothing_is_cut_off(draw, at):
    assert_fits(draw(at))


@pytest.mark.parametrize("what", EXTREMES)
def test_nothing_is_cut_off_where_there_is_much(what):
    assert_fits(EXTREMES[what]())


@pytest.mark.parametrize(("draw", "at"), FRAMES)
def test_the_words_of_the_frame_stand_below(draw, at):
    beginnings = {
        staircase: ("The threshold lies", "1 attack and 1 normal", "A normal record"),
        precision_recall: ("The threshold lies", "1 attack and 1 normal", "A normal record"),
        threshold: ("Score >= 99: no alert", "Score >= 6: 6 alerts", "Score >= 0: 10 alerts"),
        base_rate: ("Attacks are 50 %", "Attacks are 1 %", "Attacks are 0.01 %"),
        budget: ("A budget of 1 a", "A budget of 5 a", "A budget of 40 a"),
    }
    assert words(draw(at)).startswith(beginnings[draw][POSITIONS[draw].index(at)])


def curves_of(axes):
    return [line for line in axes.lines if line.get_marker() != "D" and line.get_linewidth() > 1]


def marker(axes):
    """Where things stand: the one diamond, or None."""
    found = [line for line in axes.lines if line.get_marker() == "D"]
    assert len(found) <= 1
    return (found[0].get_xdata()[0], found[0].get_ydata()[0]) if found else None


def test_the_staircase_and_its_area_grow_to_the_auc():
    for step in range(len(STEPS)):
        axes = staircase(step).axes[0]
        (line,) = curves_of(axes)
        assert line.get_xdata().tolist() == STEPS["fpr"][: step + 1].tolist()
        assert line.get_ydata().tolist() == STEPS["recall"][: step + 1].tolist()
        assert marker(axes) == (STEPS["fpr"][step], STEPS["recall"][step])
        (shade,) = axes.collections
        corners = shade.get_paths()[0].vertices if step else np.zeros((1, 2))
        x, y = corners[:, 0], corners[:, 1]
        area = abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2
        assert area == pytest.approx(STEPS["area"][step])
    assert STEPS["area"].iloc[-1] == pytest.approx(SWEEP.roc_auc)


def test_the_rectangles_add_up_to_average_precision():
    for step in range(len(STEPS)):
        axes = precision_recall(step).axes[0]
        areas = [patch.get_width() * patch.get_height() for patch in axes.patches]
        assert len(areas) == (STEPS["attacks"][: step + 1] > 0).sum()
        assert sum(areas) == pytest.approx(STEPS["ap"][step])
        assert marker(axes) == ((STEPS["recall"][step], STEPS["precision"][step]) if step else None)
    assert sum(areas) == pytest.approx(SWEEP.average_precision)


def test_precision_recall_is_drawn_in_steps_and_with_its_base_rate():
    axes = precision_recall(9).axes[0]
    joined = [line for line in axes.lines if line.get_linestyle() == "-"]
    assert [line.get_drawstyle() for line in joined] == ["steps-pre", "default"][: len(joined)]
    assert "base rate 0.5" in [text.get_text() for text in axes.texts]
    assert [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [0.5]


@pytest.mark.parametrize(("draw", "panel"), [(staircase, 1), (precision_recall, 1)])
@pytest.mark.parametrize("step", [0, 3, 5, 9])
def test_the_records_stand_in_order_and_those_passed_are_marked(draw, panel, step):
    axes = draw(step).axes[panel]
    markers = [line for line in axes.lines if line.get_marker() in "^>"]
    assert [line.get_marker() for line in markers] == ["^" if label else ">" for label in LABELS]
    filled = [line.get_fillstyle() == "full" for line in markers]
    passed = STEPS["tp"][step] + STEPS["fp"][step]
    assert filled == [True] * passed + [False] * (10 - passed)
    framed = [patch.get_linewidth() > 1 for patch in axes.patches]
    assert sum(framed) == STEPS["attacks"][step] + STEPS["normals"][step]
    scores = [text.get_text() for text in axes.texts][-10:]
    assert scores == [str(score) for score in SCORES]


def test_scores_too_long_for_their_cells_give_way_to_the_number_of_the_step():
    figure = moving.staircase(MANY, 3)
    legend, *numbers = [text.get_text() for text in figure.axes[1].texts]
    assert numbers == [str(step) for step in range(1, 61)]
    assert "number: step" in legend
    assert "number: score" in staircase(3).axes[1].texts[0].get_text()


def test_totals_give_way_where_there_are_many_days():
    assert len(threshold(0).axes[2].texts) == 4
    assert len(threshold(0, 90).axes[2].texts) == 0


def test_scores_are_written_in_as_few_digits_as_keep_them_apart():
    steps = frames.record_steps([1, 0, 1, 0], [0.12345, 0.12344, 0.5, -0.0])
    figure = moving.staircase(steps, 0)
    scores = [text.get_text() for text in figure.axes[1].texts][-4:]
    assert scores == ["0.5", "0.1235", "0.1234", "0"]


@pytest.mark.parametrize("step", [0, 5])
def test_counts_and_rates_are_those_of_the_step(step):
    row = STEPS.iloc[step]
    for draw, last in ((staircase, f"area so far {row['area']:.3f}"), (precision_recall, None)):
        said = [text.get_text() for text in texts(draw(step))]
        for name in ("tp", "fp", "fn", "tn"):
            assert f"{name.upper()} {row[name]}" in said
        assert f"recall {row['tp']}/5 = {row['recall']:.3f}" in said
        assert (last or f"AP so far {row['ap']:.3f}") in said
    assert ("precision 0/0: undefined" in said) is (step == 0)


@pytest.mark.parametrize("value", [99, 6, 0])
def test_a_threshold_marks_both_curves_and_counts_each_day(value):
    roc, pr, bars = threshold(value).axes
    point = SWEEP.at_threshold(value)
    assert marker(roc) == (point.fpr, point.recall)
    assert marker(pr) == ((point.recall, point.precision) if point.alerts else None)
    attacks, false = bars.containers
    assert sum(bar.get_height() for bar in attacks) == point.tp
    assert sum(bar.get_height() for bar in false) == point.fp
    for low, high in zip(attacks, false, strict=True):
        assert high.get_y() == low.get_height()
        assert high.get_hatch()
    assert [text.get_text() for text in bars.get_xticklabels()] == ["0", "1", "2", "3"]
    assert bars.get_ylim()[1] > max(bar.get_y() + bar.get_height() for bar in false)


def test_the_curves_of_a_threshold_hold_their_areas():
    roc, pr, _ = threshold(6).axes
    (line,) = curves_of(roc)
    assert np.trapezoid(line.get_ydata(), line.get_xdata()) == pytest.approx(SWEEP.roc_auc)
    (line,) = curves_of(pr)
    assert line.get_drawstyle() == "steps-pre"
    area = np.sum(np.diff(line.get_xdata()) * line.get_ydata()[1:])
    assert area == pytest.approx(SWEEP.average_precision)


def test_the_base_rate_moves_one_curve_and_the_baseline():
    common, rare = base_rate(0.5), base_rate(0.001)
    (first,), (second,) = (curves_of(figure.axes[0]) for figure in (common, rare))
    assert (first.get_xydata() == second.get_xydata()).all()
    assert marker(common.axes[0]) == pytest.approx(marker(rare.axes[0]))
    for figure, rate in ((common, 0.5), (rare, 0.001)):
        pr = figure.axes[1]
        world = SWEEP.at_base_rate(rate)
        assert pr.get_title(loc="left").endswith(f"AP {world.average_precision:.3f}")
        assert [line.get_ydata()[0] for line in pr.lines if line.get_linestyle() == "--"] == [rate]
        point = world.at_recall(0.5)
        assert marker(pr) == (point.recall, point.precision)
    assert [text.get_text() for text in rare.axes[1].texts] == ["base rate 0.1 %"]


def test_a_budget_is_a_line_over_its_days_and_a_share_of_each_family():
    figure = budget(5)
    bars, shares = figure.axes
    assert [line.get_ydata()[0] for line in bars.lines if line.get_linestyle() == "--"] == [5]
    said = [text.get_text() for text in bars.texts]
    assert {"budget\n5", "fixed here", "applied here"} <= set(said)
    assert [label.get_text() for label in bars.get_xticklabels()] == ["8", "9", "10", "11", "12"]
    assert [label.get_text() for label in shares.get_yticklabels()] == ["scan", "denial of service"]
    for container, text in zip(shares.patches, shares.texts, strict=True):
        assert text.get_text() == f"{container.get_width():.0%}"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["normal (false alert)"]


@pytest.mark.parametrize(
    ("highest", "ceiling"), [(0, 10), (8, 10), (9, 20), (43, 50), (90, 200), (1e17, 1.15e17)]
)
def test_the_top_of_an_axis_seldom_changes(highest, ceiling):
    assert moving._ceiling(highest) == pytest.approx(ceiling)


def test_drawing_leaves_no_trace():
    before, open_figures = dict(plt.rcParams), plt.get_fignums()
    for draw, at in FRAMES:
        draw(at)
    assert dict(plt.rcParams) == before
    assert plt.get_fignums() == open_figures


def test_no_alert_is_no_number():
    assert math.isnan(STEPS["precision"][0])
    assert "nan" not in " ".join(text.get_text() for text in texts(precision_recall(0)))
