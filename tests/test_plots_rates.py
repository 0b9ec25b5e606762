"""Drawings of scores, counts and rates: they hold what the table holds, and say what it is."""

import math

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from labkit.plots.rates import (
    rates_by_threshold,
    recall_by_family,
    scores_by_label,
    where_rates_look,
)
from labkit.plots.style import BLUE, SKY

BINS = pd.DataFrame(
    {"lower": [-2, -1, 0, 1], "upper": [-1, 0, 1, 2], "normal": [900, 90, 9, 1],
     "attack": [1, 2, 3, 4]}
)  # fmt: skip
PARTS = {
    "recall": (["TP"], ["TP", "FN"]),
    "accuracy": (["TP", "TN"], ["TP", "FP", "FN", "TN"]),
}
RATES = pd.DataFrame(
    {"recall": [1.0, 0.5, 0.0], "precision": [0.1, 0.5, math.nan]}, index=[-1.0, 0.0, 1.0]
)
FAMILIES = pd.DataFrame({"attacks": [10, 30], "recall": [0.9, 0.1]}, index=["dos", "beacon"])


@pytest.fixture(autouse=True)
def closed():
    before = plt.get_fignums()
    yield
    assert [number for number in plt.get_fignums() if number not in before]
    plt.close("all")


def texts(axes):
    return sorted(text.get_text() for text in axes.texts)


def test_the_counts_on_both_sides_of_a_threshold():
    figure = scores_by_label(BINS, threshold=0)
    above, below = figure.axes
    assert texts(above) == sorted(["TN 990", "FP 10", "← no alert", "alert →"])
    assert texts(below) == sorted(["FN 3", "TP 7"])
    assert [axes.lines[0].get_xdata()[0] for axes in figure.axes] == [0, 0]


def test_scores_are_bars_over_their_bins():
    figure = scores_by_label(BINS)
    for axes, column in zip(figure.axes, ("normal", "attack"), strict=True):
        bars = axes.containers[0]
        assert [bar.get_height() for bar in bars] == BINS[column].tolist()
        assert [bar.get_x() for bar in bars] == BINS["lower"].tolist()
        assert axes.get_ylabel()
        assert not axes.texts
        assert not axes.lines
    assert figure.axes[1].get_xlabel() == "score"


def test_each_rate_has_its_matrix():
    figure = where_rates_look(PARTS)
    assert [axes.get_title() for axes in figure.axes] == list(PARTS)
    for axes, (above, below) in zip(figure.axes, PARTS.values(), strict=True):
        names = [text.get_text() for text in axes.texts]
        faces = dict(zip(names, (to_hex(p.get_facecolor()) for p in axes.patches), strict=True))
        hatched = {n for n, p in zip(names, axes.patches, strict=True) if p.get_hatch()}
        assert {name for name, face in faces.items() if face == BLUE.lower()} == set(above)
        assert {name for name, face in faces.items() if face == SKY.lower()} == hatched
        assert hatched == set(below) - set(above)


def test_the_attacks_are_the_upper_row_and_the_alerts_the_left_column():
    axes = where_rates_look(PARTS).axes[0]
    places = {text.get_text(): text.get_position() for text in axes.texts}
    assert places["TP"][1] == places["FN"][1] > places["FP"][1] == places["TN"][1]
    assert places["TP"][0] == places["FP"][0] < places["FN"][0] == places["TN"][0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["alert", "no alert"]
    rows = {label.get_text(): label.get_position()[1] for label in axes.get_yticklabels()}
    assert rows == {"attack": places["TP"][1], "normal": places["TN"][1]}


def test_rates_are_lines_that_differ_in_colour_and_dash():
    (axes,) = rates_by_threshold(RATES).axes
    assert [line.get_label() for line in axes.lines] == list(RATES)
    for line, name in zip(axes.lines, RATES, strict=True):
        assert line.get_xdata().tolist() == RATES.index.tolist()
        assert line.get_ydata().tolist() == pytest.approx(RATES[name].tolist(), nan_ok=True)
    assert len({line.get_color() for line in axes.lines}) == 2
    assert len({line.get_linestyle() for line in axes.lines}) == 2
    assert axes.get_xlabel() == "threshold"


def test_a_negative_rate_is_not_cut_off():
    (axes,) = rates_by_threshold(pd.DataFrame({"MCC": [-0.5, 0.5]}, index=[0, 1])).axes
    assert axes.get_ylim()[0] < -0.5


def test_families_are_bars_and_averages_lines_across():
    (axes,) = recall_by_family(FAMILIES, {"macro": 0.5, "micro": 0.3}).axes
    assert [bar.get_width() for bar in axes.containers[0]] == [0.9, 0.1]
    assert [line.get_xdata()[0] for line in axes.lines] == [0.5, 0.3]
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == ["macro 0.500", "micro 0.300"]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["denial of service (10)", "beacon (30)"]
    assert texts(axes) == ["0.10", "0.90"]
