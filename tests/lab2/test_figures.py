"""The tables behind the figures, counted again with pandas and scikit-learn."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from labkit.lab2.figures import (
    FIGURES,
    alerts_by_day,
    attacks_by_day,
    base_rate_curves,
    curve_table,
    reliability_bins,
)
from labkit.metrics import ThresholdSweep

RECORDS = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=40).filter(
    lambda records: len({label for label, _ in records}) == 2
)


def area_under_roc(curve):
    """The area below straight lines from (0, 0) through the points."""
    x, y = np.append(0.0, curve["fpr"]), np.append(0.0, curve["recall"])
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


def area_under_steps(curve):
    """Each gain in recall at the precision it ends with."""
    return float(np.sum(np.diff(curve["recall"], prepend=0.0) * curve["precision"]))


@given(records=RECORDS, corners_only=st.booleans())
def test_the_points_of_a_curve_hold_its_areas(records, corners_only):
    labels, scores = np.array(records, dtype=int).T
    sweep = ThresholdSweep.from_scores(labels, scores)
    curve = curve_table({"one": sweep}, corners_only=corners_only)
    assert area_under_roc(curve) == pytest.approx(roc_auc_score(labels, scores))
    assert area_under_steps(curve) == pytest.approx(average_precision_score(labels, scores))
    assert curve["threshold"].is_monotonic_decreasing
    assert curve[["recall", "fpr"]].iloc[-1].tolist() == [1, 1]
    assert set(curve["base_rate"]) == {labels.mean()}


def test_the_areas_of_the_lab_are_those_of_its_corners(experiment):
    labels = experiment.test["label"]
    for scores in (experiment.boosting[0], experiment.logistic):
        sweep = experiment.sweep(scores)
        corners = curve_table({"one": sweep})
        assert len(corners) < len(curve_table({"one": sweep}, corners_only=False)) / 3
        assert area_under_roc(corners) == pytest.approx(roc_auc_score(labels, scores))
        assert area_under_steps(corners) == pytest.approx(average_precision_score(labels, scores))


def test_all_points_are_those_of_scikit_learn(experiment):
    labels, scores = experiment.test["label"], experiment.logistic
    fpr, recall, thresholds = roc_curve(labels, scores, drop_intermediate=False)
    curve = curve_table({"one": experiment.sweep(scores)}, corners_only=False)
    expected = np.column_stack([thresholds, recall, fpr])[1:]
    np.testing.assert_allclose(curve[["threshold", "recall", "fpr"]], expected)


def test_curves_keep_their_names_and_order():
    sweep = ThresholdSweep.from_scores([1, 0, 1], [3, 2, 1])
    table = curve_table({"second": sweep, "first": sweep})
    assert table["curve"].unique().tolist() == ["second", "first"]
    assert list(table.index) == list(range(len(table)))


def test_another_base_rate_moves_precision_and_nothing_else(experiment):
    sweep = experiment.sweep(experiment.boosting[0])
    (_, own), (one, at_one), (tenth, at_tenth) = base_rate_curves(sweep).groupby(
        "curve", sort=False
    )
    assert [one, tenth] == ["1 %", "0.1 %"]
    for curve, rate in ((at_one, 0.01), (at_tenth, 0.001)):
        assert curve["base_rate"].tolist() == pytest.approx([rate] * len(curve))
        for column in ("threshold", "recall", "fpr"):
            assert curve[column].tolist() == own[column].tolist()
        # Bayes: precision from the two rates that stay.
        hits, false = rate * curve["recall"], (1 - rate) * curve["fpr"]
        assert curve["precision"].tolist() == pytest.approx((hits / (hits + false)).tolist())


def test_reliability_bins_of_the_lab(experiment):
    labels = experiment.test["label"]
    table = reliability_bins(labels, experiment.probabilities)
    assert table["model"].unique().tolist() == list(experiment.probabilities)
    for name, bins in table.groupby("model", sort=False):
        probability = experiment.probabilities[name]
        # A bin holds its lower edge; 1 lies in the last.
        edges = [i / 10 for i in range(10)] + [np.nextafter(1, 2)]
        bin_of = pd.cut(probability, edges, right=False)
        by_bin = labels.groupby(bin_of, observed=False)
        predicted = pd.Series(probability).groupby(bin_of, observed=False).mean()
        assert bins["count"].tolist() == by_bin.size().tolist()
        assert bins["attacks"].tolist() == by_bin.sum().tolist()
        assert bins["mean_predicted"].tolist() == pytest.approx(predicted.tolist(), nan_ok=True)
        filled = bins[bins["count"] > 0]
        assert (filled["low"] <= filled["observed"]).all()
        assert (filled["observed"] <= filled["high"]).all()


def test_a_reliability_interval_by_hand():
    # Wilson's interval of 1 in 2: (0.5 ± z / (2 sqrt 2) sqrt(1 + z² / 2)) / ... = 0.0945, 0.9055.
    bins = reliability_bins(pd.Series([0, 1]), {"m": np.array([0.05, 0.05])})
    assert bins.loc[0, ["low", "high"]].tolist() == pytest.approx([0.09453, 0.90547], abs=1e-5)


def test_attacks_by_day(flows):
    table = attacks_by_day(flows)
    assert table.index.tolist() == list(range(14))
    counted = flows[flows["label"] == 1].groupby(["day", "family"]).size()
    assert table.to_numpy().sum() == counted.sum()
    for (day, family), count in counted.items():
        assert table.loc[day, family] == count


@pytest.mark.parametrize("share", [0.0, 0.01, 1.0])
def test_alerts_by_day(flows, share):
    alerts = np.random.default_rng(1).random(len(flows)) < share
    table = alerts_by_day(flows, alerts)
    assert table.index.tolist() == list(range(14))
    assert table.columns[-1] == "benign"
    assert table.to_numpy().sum() == alerts.sum()
    for (day, family), count in flows[alerts].groupby(["day", "family"]).size().items():
        assert table.loc[day, family] == count


def test_every_figure_has_its_own_name_and_a_title():
    names = [figure.name for figure in FIGURES]
    assert len(set(names)) == len(names)
    assert {"figure-2-7", "figure-2-8", "figure-2-9", "figure-2-10"} <= set(names)
    for figure in FIGURES:
        assert re.fullmatch(r"[a-z0-9-]+", figure.name)
        assert figure.title


def figure_table(name, experiment):
    return next(figure for figure in FIGURES if figure.name == name).data(experiment)


def test_the_eight_records_by_hand(experiment):
    table = figure_table("figure-2-7", experiment)
    # Attacks at ranks 1, 3 and 6 of eight.
    assert (table["recall"] * 3).tolist() == pytest.approx([1, 1, 2, 2, 2, 3, 3, 3])
    assert (table["fpr"] * 5).tolist() == pytest.approx([0, 1, 1, 2, 3, 3, 4, 5])
    precision = [1, 1 / 2, 2 / 3, 2 / 4, 2 / 5, 3 / 6, 3 / 7, 3 / 8]
    assert table["precision"].tolist() == pytest.approx(precision)


def test_the_families_flagged_within_the_budget_by_sorting(experiment):
    table = figure_table("lab2-families", experiment).set_index("family")
    test = experiment.test
    models = {
        "gradient boosting": experiment.boosting[0],
        "logistic regression": experiment.logistic,
    }
    assert list(table.columns) == list(models)
    for name, scores in models.items():
        top = test.assign(score=scores).nlargest(80, "score")
        totals = test.loc[test["label"] == 1, "family"].value_counts()
        shares = (top["family"].value_counts().drop("benign", errors="ignore") / totals).fillna(0)
        assert table[name].to_dict() == pytest.approx(shares.to_dict())


def test_the_fixed_threshold_figure_holds_the_numbers(experiment, here):
    table = figure_table("lab2-fixed-threshold", experiment).set_index("day")
    a_day = table.sum(axis=1)
    assert a_day.index.tolist() == [8, 9, 10, 11, 12, 13]
    assert a_day[[8, 9]].sum() == here["fixed_threshold_calibration_alerts"]
    assert a_day[[10, 11, 12, 13]].min() == here["fixed_threshold_min_day"]
    assert a_day[[10, 11, 12, 13]].max() == here["fixed_threshold_max_day"]
    assert table.loc[11, "dos"] == here["fixed_threshold_dos_alerts_day11"]


def test_every_figure_is_drawn_from_its_table(experiment):
    from matplotlib import pyplot as plt

    for figure in FIGURES:
        drawing = figure.draw(figure.data(experiment))
        assert drawing.axes, figure.name
        plt.close(drawing)
