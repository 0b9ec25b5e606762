"""Every number of the lab, worked out a second time from the records with other tools.

The second way: pandas and scikit-learn on the models' scores, and for a few numbers on a model
fitted here. No number is held to a value that was once seen; `labkit.lab2.lesson` does that.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from labkit.data.traffic import simulate
from labkit.lab2.detectors import gradient_boosting, logistic_regression
from labkit.lab2.experiment import (
    BOOSTER_SEEDS,
    JUDGE,
    MODELS,
    OPERATE,
    calibrated_models,
    calibration_table,
    family_recall,
    numbers,
    run,
)
from labkit.lab2.lesson import compare, lesson_values


@pytest.fixture(scope="module")
def tested(flows):
    return flows[(flows["day"] >= 10) & (flows["day"] <= 13)]


@pytest.fixture(scope="module")
def past(flows):
    return flows[flows["day"] <= 7]


@pytest.fixture(scope="module")
def calibrate(flows):
    return flows[flows["day"].isin([8, 9])]


def near(value):
    return pytest.approx(value, rel=1e-9)


def test_the_days_are_those_of_the_lesson():
    assert JUDGE.train == tuple(range(10))
    assert OPERATE.train == tuple(range(8))
    assert OPERATE.calibrate == (8, 9)
    assert JUDGE.test == OPERATE.test == (10, 11, 12, 13)


def test_every_number_of_the_lesson_is_computed(here):
    assert {value.key for value in lesson_values()} <= set(here)


def test_every_number_is_within_the_lessons_tolerance(here):
    off = {
        key: (comparison.lesson, comparison.here)
        for key, comparison in compare(here).items()
        if not comparison.within
    }
    assert off == {}


def test_the_scores_are_those_of_models_fitted_on_the_past(experiment, flows, tested, past):
    train = flows[flows["day"] <= 9]
    boosting = gradient_boosting(seed=3).fit(train, train["label"])
    np.testing.assert_array_equal(experiment.boosting[3], boosting.decision_function(tested))
    logistic = logistic_regression().fit(train, train["label"])
    np.testing.assert_allclose(experiment.logistic, logistic.decision_function(tested))
    operated = gradient_boosting(seed=0).fit(past, past["label"])
    np.testing.assert_array_equal(experiment.operated_test, operated.decision_function(tested))


def test_no_detector_learns_from_a_day_that_it_is_judged_on(experiment, flows):
    spoilt = flows.assign(label=flows["label"].where(flows["day"] < 10, 1 - flows["label"]))
    other = run(spoilt, booster_seeds=(0,))
    np.testing.assert_array_equal(other.boosting[0], experiment.boosting[0])
    np.testing.assert_array_equal(other.operated_test, experiment.operated_test)
    for name in MODELS:
        np.testing.assert_array_equal(other.probabilities[name], experiment.probabilities[name])


def test_ranking(experiment, here, tested):
    labels, boosting = tested["label"], experiment.boosting[0]
    assert here["test_attacks"] == labels.sum()
    assert here["test_base_rate"] == near(labels.mean())
    assert here["gb_auc"] == near(roc_auc_score(labels, boosting))
    assert here["gb_ap"] == near(average_precision_score(labels, boosting))
    assert here["lr_auc"] == near(roc_auc_score(labels, experiment.logistic))
    assert here["lr_ap"] == near(average_precision_score(labels, experiment.logistic))
    over_seeds = [average_precision_score(labels, experiment.boosting[s]) for s in range(5)]
    assert list(experiment.boosting) == list(BOOSTER_SEEDS) == [0, 1, 2, 3, 4]
    assert here["gb_ap_five_seed_mean"] == near(np.mean(over_seeds))


@pytest.mark.parametrize(("key", "rate"), [("1pct", 0.01), ("0.1pct", 0.001)])
def test_rarer_attacks_are_normal_records_of_more_weight(experiment, here, tested, key, rate):
    labels = tested["label"].to_numpy()
    attacks, normals = labels.sum(), (labels == 0).sum()
    weights = np.where(labels == 1, 1.0, attacks * (1 - rate) / rate / normals)
    assert np.average(labels, weights=weights) == near(rate)
    ap = average_precision_score(labels, experiment.boosting[0], sample_weight=weights)
    assert here[f"gb_ap_at_{key}"] == near(ap)


def test_the_budget_of_the_test_days_by_sorting(experiment, here, tested):
    scored = tested.assign(score=experiment.boosting[0])
    last = scored["score"].sort_values(ascending=False).iloc[79]
    above, tied = scored[scored["score"] > last], scored[scored["score"] == last]
    part = (80 - len(above)) / len(tied)
    assert here["top80_alerts"] == 80
    hits = above["label"].sum() + part * tied["label"].sum()
    assert here["top80_precision"] == near(hits / 80)
    assert here["top80_recall"] == near(hits / tested["label"].sum())
    for family in ("dos", "beacon"):
        found = (above["family"] == family).sum() + part * (tied["family"] == family).sum()
        assert here[f"top80_{family}_share"] == near(found / (tested["family"] == family).sum())


def test_the_fixed_threshold_replayed(experiment, here, tested, calibrate):
    threshold = sorted(experiment.operated_calibrate, reverse=True)[39]
    assert experiment.fixed.threshold == threshold
    assert here["fixed_threshold_calibration_alerts"] == 40
    assert len(calibrate) == len(experiment.operated_calibrate)
    flagged = tested[experiment.operated_test >= threshold]
    by_day = flagged.groupby("day").size().reindex(range(10, 14), fill_value=0)
    assert here["fixed_threshold_recall"] == near(flagged["label"].sum() / tested["label"].sum())
    assert here["fixed_threshold_precision"] == near(flagged["label"].mean())
    assert here["fixed_threshold_min_day"] == by_day.min()
    assert here["fixed_threshold_max_day"] == by_day.max()
    assert here["fixed_threshold_max_day_is_11"] == (by_day[11] == by_day.max())
    dos = flagged[(flagged["family"] == "dos") & (flagged["day"] == 11)]
    assert here["fixed_threshold_dos_alerts_day11"] == len(dos)
    assert here["fixed_threshold_beacon_alerts"] == (flagged["family"] == "beacon").sum()


def test_calibration(experiment, here, tested, calibrate):
    labels, probability = tested["label"], experiment.probabilities
    assert tuple(probability) == MODELS
    briers = [brier_score_loss(labels, probability[name]) for name in MODELS]
    means = [probability[name].mean() for name in MODELS]
    precisions = [average_precision_score(labels, probability[name]) for name in MODELS]
    assert here["calibration_days_base_rate"] == near(calibrate["label"].mean())
    assert here["balanced_lr_mean_prediction"] == near(means[1])
    assert here["platt_isotonic_mean_prediction"] == near(means[2:])
    assert here["balanced_lr_brier"] == near(briers[1])
    assert here["other_briers"] == near([briers[0], briers[2], briers[3]])
    assert [here[f"{name}_ap"] for name in ("balanced", "platt", "isotonic")] == near(
        precisions[1:]
    )
    table = calibration_table(experiment)
    assert list(table.index) == list(MODELS)
    assert table["brier"].tolist() == near(briers)
    assert table["mean_prediction"].tolist() == near(means)
    assert table["ap"].tolist() == near(precisions)
    beacons = (tested["family"] == "beacon").to_numpy()
    lowest = min(np.mean(probability[name][beacons] < 0.1) for name in MODELS)
    assert here["beacons_in_lowest_bin"] == near(lowest)


@pytest.mark.parametrize("name", MODELS)
def test_the_lowest_bin_is_that_of_the_worst_model_and_ends_below_a_tenth(experiment, name):
    low = {model: np.full(len(experiment.test), 0.0999) for model in MODELS}
    assert numbers(replace(experiment, probabilities=low))["beacons_in_lowest_bin"] == 1
    at_the_edge = low | {name: np.full(len(experiment.test), 0.1)}
    assert numbers(replace(experiment, probabilities=at_the_edge))["beacons_in_lowest_bin"] == 0


def test_recalibration_is_a_curve_on_the_balanced_models_scores(past, calibrate, tested):
    models = calibrated_models(past, calibrate)
    balanced, platt, isotonic = (models[name] for name in MODELS[1:])
    score = balanced.decision_function(tested)
    sigmoid = platt.predict_proba(tested)[:, 1]
    slope, intercept = np.polyfit(score, np.log(sigmoid / (1 - sigmoid)), 1)
    np.testing.assert_allclose(sigmoid, 1 / (1 + np.exp(-slope * score - intercept)), rtol=1e-6)
    stepped = isotonic.predict_proba(tested)[:, 1][np.argsort(score)]
    assert np.all(np.diff(stepped) >= 0)
    # Isotonic regression leaves the mean of the days that it was fitted on where it is.
    fitted = isotonic.predict_proba(calibrate)[:, 1]
    assert fitted.mean() == pytest.approx(calibrate["label"].mean(), rel=1e-6)


def test_the_first_beacon_is_looked_for_on_all_days(experiment, flows):
    early = flows.copy()
    row = early.index[(early["day"] == 2) & (early["label"] == 1)][0]
    early.loc[row, "family"] = "beacon"
    assert numbers(replace(experiment, flows=early))["beacons_first_day"] == 2


def test_family_recall_counts_attacks_alone():
    records = pd.DataFrame(
        {
            "label": [1, 1, 0, 1, 0, 1],
            "family": ["scan", "dos", "benign", "scan", "benign", "beacon"],
        }
    )
    alerts = np.array([True, True, True, False, False, False])
    shares = family_recall(records, alerts)
    assert shares == {"beacon": 0.0, "dos": 1.0, "scan": 0.5}
    assert list(shares) == sorted(shares)


def test_other_traffic_gives_other_numbers(here):
    other = numbers(run(simulate(12_345), booster_seeds=(0,)))
    measured = [v.key for v in lesson_values() if v.kind == "measured" and v.tolerance]
    same = [key for key in measured if other[key] == here[key]]
    # Counts of alerts on a day may coincide; areas and means may not.
    assert {key for key in same if not key.startswith(("fixed", "top80"))} == set()
    assert len(same) < len(measured) / 2


def test_labels_without_meaning_are_ranked_by_chance(flows):
    rng = np.random.default_rng(0)
    shuffled = flows.assign(label=rng.permutation(flows["label"]))
    result = run(shuffled, booster_seeds=(0,))
    attacks, normals = (result.test["label"] == 1).sum(), (result.test["label"] == 0).sum()
    # Four standard deviations of the Mann-Whitney statistic where scores mean nothing.
    margin = 4 * np.sqrt((attacks + normals + 1) / (12 * attacks * normals))
    for scores in (result.boosting[0], result.logistic, result.operated_test):
        sweep = result.sweep(scores)
        assert sweep.roc_auc == pytest.approx(0.5, abs=margin)
        assert sweep.average_precision < 2 * sweep.base_rate
