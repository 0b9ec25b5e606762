"""Alerts a day, right and wrong: what is drawn is what the table holds."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from labkit.plots.true_and_false import true_and_false_alerts

DAYS = pd.DataFrame(
    {"tp": [30, 0, 5], "fp": [10, 4, 0]}, index=["2040-01-01", "2040-03-01", "2040-03-09"]
)


@pytest.fixture
def axes():
    figure = true_and_false_alerts(DAYS, budget=20, fixed=1)
    (axes,) = figure.axes
    yield axes
    plt.close(figure)


def test_true_alerts_lie_below_false_ones(axes):
    true, false = axes.containers
    assert [bar.get_height() for bar in true] == [30, 0, 5]
    assert [(bar.get_y(), bar.get_height()) for bar in false] == [(30, 10), (0, 4), (5, 0)]


def test_totals_and_parts_are_written(axes):
    words = [text.get_text() for text in axes.texts]
    assert words == ["40", "4", "5", "threshold fixed here", "threshold applied here"]


def test_days_stand_side_by_side_by_name(axes):
    assert axes.get_xticks().tolist() == [0, 1, 2]
    assert [label.get_text() for label in axes.get_xticklabels()] == DAYS.index.tolist()


def test_the_budget_is_a_line_within_the_picture(axes):
    assert {tuple(line.get_ydata()) for line in axes.lines} >= {(20, 20)}
    assert axes.get_ylim()[1] > 40


def test_a_budget_above_all_bars_is_not_cut_off():
    figure = true_and_false_alerts(DAYS, budget=5000, fixed=2)
    assert figure.axes[0].get_ylim()[1] > 5000
    plt.close(figure)


def test_no_alert_at_all_can_be_drawn():
    figure = true_and_false_alerts(DAYS * 0, budget=20, fixed=1)
    figure.canvas.draw()
    plt.close(figure)
