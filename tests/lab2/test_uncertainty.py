"""Intervals from four days, against whole days drawn again and judged by other means."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from labkit.lab2 import uncertainty
from labkit.lab2.lesson import lesson_values

REPLICATES = 60


@pytest.fixture(scope="module")
def few(experiment):
    return uncertainty.intervals(experiment, 0.9, n_replicates=REPLICATES, seed=4)


def resamples(test):
    """The rows of every replicate: four days of attacks and four of normal records."""
    rngs = dict(zip((1, 0), np.random.default_rng(4).spawn(2), strict=True))
    rows = {
        (label, day): np.flatnonzero((test["label"] == label) & (test["day"] == day))
        for label in (0, 1)
        for day in (10, 11, 12, 13)
    }
    for _ in range(REPLICATES):
        yield np.concatenate(
            [rows[label, 10 + d] for label in (1, 0) for d in rngs[label].integers(0, 4, 4)]
        )


def middle(values):
    usable = [value for value in values if not math.isnan(value)]
    return pytest.approx([*np.quantile(usable, [0.05, 0.95]), len(values) - len(usable)], abs=1e-9)


@pytest.fixture(scope="module")
def drawn(experiment):
    return [(rows, experiment.test.iloc[rows]) for rows in resamples(experiment.test)]


def test_ranking_numbers(experiment, drawn, few):
    def each(metric, scores):
        return middle([metric(test["label"], scores[rows]) for rows, test in drawn])

    gb, lr = experiment.boosting, experiment.logistic
    assert few["gb_auc"] == each(roc_auc_score, gb[0])
    assert few["gb_ap"] == each(average_precision_score, gb[0])
    assert few["lr_auc"] == each(roc_auc_score, lr)
    assert few["lr_ap"] == each(average_precision_score, lr)
    five = [
        np.mean([average_precision_score(test["label"], scores[rows]) for scores in gb.values()])
        for rows, test in drawn
    ]
    assert few["gb_ap_five_seed_mean"] == middle(five)


def test_average_precision_at_rarer_attacks(experiment, drawn, few):
    for key, rate in (("gb_ap_at_1pct", 0.01), ("gb_ap_at_0.1pct", 0.001)):
        values = []
        for rows, test in drawn:
            labels = test["label"].to_numpy()
            weights = np.where(labels, rate / labels.sum(), (1 - rate) / (1 - labels).sum())
            scores = experiment.boosting[0][rows]
            values.append(average_precision_score(labels, scores, sample_weight=weights))
        assert few[key] == middle(values)


def test_budget_numbers(experiment, drawn, few):
    columns = {"precision": [], "recall": [], "dos": [], "beacon": []}
    for rows, test in drawn:
        scores = pd.Series(experiment.boosting[0][rows])
        above, tied = (
            scores.rank(method="min", ascending=False) - 1,
            scores.map(scores.value_counts()),
        )
        chance = ((80 - above) / tied).clip(0, 1).to_numpy()
        attacks = test["label"].to_numpy() == 1
        columns["precision"].append(chance[attacks].sum() / 80)
        columns["recall"].append(chance[attacks].mean())
        for family in ("dos", "beacon"):
            mine = (test["family"] == family).to_numpy()
            columns[family].append(chance[mine].mean() if mine.any() else math.nan)
    assert few["top80_precision"] == middle(columns["precision"])
    assert few["top80_recall"] == middle(columns["recall"])
    assert few["top80_dos_share"] == middle(columns["dos"])
    assert few["top80_beacon_share"] == middle(columns["beacon"])
    assert few["top80_dos_share"].unusable > 0


def test_numbers_of_the_fixed_threshold(experiment, drawn, few):
    recall, precision = [], []
    for rows, test in drawn:
        flagged = experiment.operated_test[rows] >= experiment.fixed.threshold
        recall.append(test["label"][flagged].sum() / test["label"].sum())
        precision.append(test["label"][flagged].mean())
    assert few["fixed_threshold_recall"] == middle(recall)
    assert few["fixed_threshold_precision"] == middle(precision)


def test_fewest_and_most_alerts_of_four_days_drawn(experiment):
    intervals = uncertainty.intervals(experiment, 0.8, n_replicates=3000)
    flagged = experiment.operated_test >= experiment.fixed.threshold
    a_day = experiment.test["day"][flagged].value_counts()
    drawn = list(itertools.product(a_day, repeat=4))
    for key, extreme in (("fixed_threshold_min_day", min), ("fixed_threshold_max_day", max)):
        expected = np.quantile([extreme(four) for four in drawn], [0.1, 0.9])
        assert intervals[key][:2] == pytest.approx(expected)


def test_calibration_numbers(experiment, drawn, few):
    def each(metric, model):
        return [
            metric(test["label"], experiment.probabilities[model][rows]) for rows, test in drawn
        ]

    def mean(_, probabilities):
        return probabilities.mean()

    platt, isotonic = "balanced + Platt", "balanced + isotonic"
    assert few["balanced_lr_brier"] == middle(each(brier_score_loss, "balanced"))
    assert few["balanced_lr_mean_prediction"] == middle(each(mean, "balanced"))
    assert few["platt_ap"] == middle(each(average_precision_score, platt))
    assert few["isotonic_ap"] == middle(each(average_precision_score, isotonic))
    means = few["platt_isotonic_mean_prediction"]
    assert means == [middle(each(mean, platt)), middle(each(mean, isotonic))]


def test_every_measured_number_but_one_of_a_single_day_has_an_interval(few):
    measured = {value.key for value in lesson_values() if value.kind == "measured"}
    assert measured - set(few) == {"fixed_threshold_dos_alerts_day11"}


def test_the_remark_says_what_four_days_cannot(experiment, few):
    told = uncertainty.few_days(experiment, few)
    flagged = experiment.operated_test >= experiment.fixed.threshold
    alerts = flagged.sum()
    assert experiment.test["label"][flagged].all()
    low = float(told.split("precision is ")[1].split(" or more")[0])
    # Clopper and Pearson's bound is the precision at which that many right ones are this unlikely.
    assert binom.sf(alerts - 1, alerts, low) == pytest.approx(0.025, abs=2e-3)
    assert f"{alerts} of {alerts} alerts" in told
    ways = {tuple(sorted(days)) for days in itertools.product(range(4), repeat=4)}
    assert f"({len(ways)} different draws a class)" in told
    unusable = few["top80_dos_share"].unusable
    assert f"top80_dos_share is undefined in {unusable} resamples" in told
    assert "gb_auc" not in told
