import json
import math

import pytest

from labkit.lab2.lesson import (
    CLAIMS,
    STORY,
    beside_lesson,
    compare,
    lesson_values,
)
from labkit.metrics import Percentiles

VALUES = {value.key: value for value in lesson_values()}
NUMBERS = {key: value for key, value in VALUES.items() if value.kind != "claim"}

# Numbers of a made-up experiment in which every claim of the lesson is true.
TRUE = {key: value.lesson for key, value in NUMBERS.items()} | {
    "gb_ap_five_seed_mean": 0.655,
    "fixed_threshold_max_day_is_11": True,
    "calibration_days_base_rate": 0.030,
    "balanced_lr_mean_prediction": 0.082,
    "balanced_lr_brier": 0.05,
    "other_briers": [0.02, 0.03, 0.04],
    "platt_isotonic_mean_prediction": [0.031, 0.029],
    "platt_ap": 0.500,
    "balanced_ap": 0.500,
    "isotonic_ap": 0.480,
    "beacons_in_lowest_bin": 0.97,
    "fixed_threshold_beacon_alerts": 0,
}


def failing(**changed):
    return {key for key, row in compare(TRUE | changed).items() if not row.within}


def test_every_number_of_the_lesson_is_compared_in_its_order():
    rows = compare(TRUE)
    assert list(rows) == list(VALUES)
    assert failing() == set()
    assert set(CLAIMS) == {key for key, value in VALUES.items() if value.kind == "claim"}


@pytest.mark.parametrize("key", NUMBERS)
def test_the_tolerance_counts_as_within_and_what_is_beyond_does_not(key):
    lesson, tolerance = VALUES[key].lesson, VALUES[key].tolerance
    for side in (-1, 1):
        assert compare(TRUE | {key: lesson + side * tolerance})[key].within
        assert not compare(TRUE | {key: lesson + side * (tolerance + 1e-9)})[key].within
    assert not compare(TRUE | {key: math.nan})[key].within


@pytest.mark.parametrize(
    ("key", "value", "refuted"),
    [
        ("gb_ap_five_seed_mean", 0.653, {"gb_ap_five_seed_mean"}),
        ("gb_ap_five_seed_mean", 0.633 - 1e-9, {"gb_ap_five_seed_mean"}),
        ("gb_ap_five_seed_mean", 0.673 + 1e-9, {"gb_ap_five_seed_mean"}),
        ("fixed_threshold_max_day_is_11", False, {"fixed_threshold_max_day_is_11"}),
        ("balanced_lr_mean_prediction", 1.79 * 0.041, {"balanced_lr_mean_prediction"}),
        ("balanced_lr_mean_prediction", 2.21 * 0.041, {"balanced_lr_mean_prediction"}),
        ("balanced_lr_brier", 0.04, {"balanced_lr_brier"}),
        ("other_briers", [0.02, 0.06, 0.01], {"balanced_lr_brier"}),
        ("platt_isotonic_mean_prediction", [0.0351, 0.029], {"platt_isotonic_mean_prediction"}),
        ("platt_isotonic_mean_prediction", [0.030, 0.0249], {"platt_isotonic_mean_prediction"}),
        ("platt_ap", 0.5 + 1e-9, {"platt_ap"}),
        ("platt_ap", 0.5 - 1e-9, {"platt_ap"}),
        ("isotonic_ap", 0.500, {"isotonic_ap"}),
        ("beacons_in_lowest_bin", 0.949, {"beacons_in_lowest_bin"}),
        (
            "calibration_days_base_rate",
            0.041,
            {"calibration_days_base_rate", "platt_isotonic_mean_prediction"},
        ),
    ],
)
def test_one_number_refutes_each_claim(key, value, refuted):
    assert failing(**{key: value}) == refuted


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gb_ap_five_seed_mean", 0.6729),
        ("balanced_lr_mean_prediction", 1.8 * 0.041),
        ("balanced_lr_mean_prediction", 2.2 * 0.041),
        ("platt_isotonic_mean_prediction", [0.0349, 0.0251]),
        ("beacons_in_lowest_bin", 0.95),
    ],
)
def test_claims_hold_up_to_their_bounds(key, value):
    assert failing(**{key: value}) == set()


def test_recalibration_must_lower_the_mean_prediction():
    numbers = TRUE | {"balanced_lr_mean_prediction": 0.031}
    assert not CLAIMS["platt_isotonic_mean_prediction"](numbers)


@pytest.mark.parametrize(
    ("changed", "refuted"),
    [
        ({"top80_precision": 0.99}, "precision is 1.00 in both budgets"),
        ({"fixed_threshold_precision": 0.99}, "precision is 1.00 in both budgets"),
        ({"fixed_threshold_min_day": 20}, "every test day is over the budget of 20"),
        ({"fixed_threshold_max_day_is_11": False}, "day 11 has the most alerts"),
        ({"top80_beacon_share": 0.01}, "no beacon is flagged"),
        ({"fixed_threshold_beacon_alerts": 1}, "no beacon is flagged"),
        ({"other_briers": [0.06]}, "the balanced model's Brier score is the worst"),
        ({"isotonic_ap": 0.5}, "isotonic regression costs average precision"),
    ],
)
def test_one_number_refutes_each_part_of_the_story(changed, refuted):
    assert all(rule(TRUE) for rule in STORY.values())
    assert {what for what, rule in STORY.items() if not rule(TRUE | changed)} == {refuted}


def test_a_comparison_is_plain_json():
    rows = {key: row.to_json() for key, row in compare(TRUE).items()}
    read = json.loads(json.dumps(rows, allow_nan=False))
    plain = {"lesson": 0.901, "here": 0.901, "tolerance": 0.015, "within": True}
    assert read["gb_auc"] == plain | {"low": None, "high": None}
    assert read["platt_ap"]["tolerance"] is None


def test_a_comparison_holds_the_ends_of_its_interval():
    pair = [Percentiles(0.01, 0.02, 0), Percentiles(0.03, math.nan, 9)]
    intervals = {
        "gb_auc": Percentiles(0.8, 0.9, 3),
        "lr_auc": Percentiles(math.nan, math.nan, 9),
        "platt_isotonic_mean_prediction": pair,
    }
    rows = {key: row.to_json() for key, row in compare(TRUE, intervals).items()}
    read = json.loads(json.dumps(rows, allow_nan=False))
    assert (read["gb_auc"]["low"], read["gb_auc"]["high"]) == (0.8, 0.9)
    assert (read["lr_auc"]["low"], read["lr_auc"]["high"]) == (None, None)
    assert read["platt_isotonic_mean_prediction"]["low"] == [0.01, 0.03]
    assert read["platt_isotonic_mean_prediction"]["high"] == [0.02, None]


def test_a_few_numbers_beside_the_lesson_s():
    table = beside_lesson({"lr_auc": 0.84449, "top80_alerts": 81})
    assert table.loc["lr_auc"].tolist() == ["0.845", "0.844"]
    assert table.loc["top80_alerts"].tolist() == ["80", "81"]
