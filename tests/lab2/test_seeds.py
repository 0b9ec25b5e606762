"""Other seeds: the tables on made-up numbers, and one seed from end to end."""

import math

import pytest

from labkit.data.traffic import simulate
from labkit.lab2 import seeds as module
from labkit.lab2.experiment import numbers, run
from labkit.lab2.lesson import STORY, lesson_values
from labkit.lab2.seeds import (
    FIRST_FRESH_SEED,
    numbers_of_seeds,
    seed_summary,
    seed_table,
    story_shares,
)
from labkit.lab2.uncertainty import intervals

SEED = FIRST_FRESH_SEED + 900


@pytest.fixture(scope="module")
def result():
    experiment = run(simulate(SEED))
    ends = {
        f"{key} {end}": value
        for key, interval in intervals(experiment).items()
        if not isinstance(interval, list)
        for end, value in zip(("low", "high"), interval[:2], strict=True)
    }
    return numbers(experiment) | ends


def test_a_seed_is_simulated_and_judged_from_end_to_end(result):
    assert list(numbers_of_seeds([SEED], n_jobs=1)) == [result]


def test_processes_side_by_side_find_the_same(result):
    first, second = numbers_of_seeds([SEED, SEED + 1], n_jobs=2)
    assert first == result
    assert second != result


def test_seeds_are_yielded_in_order(monkeypatch):
    monkeypatch.setattr(module, "numbers_of_seed", lambda seed: {"gb_auc": seed / 10})
    values = [one["gb_auc"] for one in numbers_of_seeds([3, 1, 2], n_jobs=1)]
    assert values == [0.3, 0.1, 0.2]


def test_the_table_holds_one_row_a_seed_and_every_single_number(result):
    table = seed_table([7, 8], [result, result | {"gb_auc": 0.5}])
    assert table.index.tolist() == [7, 8]
    assert table.index.name == "seed"
    keys = [v.key for v in lesson_values()]
    single = [key for key in keys if not isinstance(result[key], bool | list)]
    numbers = [column for column in table if not column.endswith((" low", " high"))]
    assert numbers == [*single, *STORY, "all"]
    at = table.columns.get_loc("gb_auc")
    assert table.columns[at : at + 3].tolist() == ["gb_auc", "gb_auc low", "gb_auc high"]
    assert table["gb_auc high"].tolist() == [result["gb_auc high"]] * 2
    assert table["gb_auc"].tolist() == [result["gb_auc"], 0.5]
    assert not any(isinstance(value, list) for value in table.iloc[0])


def test_seeds_and_results_must_be_as_many(result):
    with pytest.raises(ValueError, match="zip"):
        seed_table([1, 2], [result])


RIGHT = {
    "top80_precision": 1.0,
    "fixed_threshold_precision": 1.0,
    "fixed_threshold_min_day": 21,
    "fixed_threshold_max_day_is_11": True,
    "top80_beacon_share": 0.0,
    "fixed_threshold_beacon_alerts": 0,
    "balanced_lr_brier": 0.04,
    "other_briers": [0.03, 0.02, 0.02],
    "isotonic_ap": 0.4,
    "platt_ap": 0.5,
}
WRONG = {
    "precision is 1.00 in both budgets": [
        {"top80_precision": 0.99},
        {"fixed_threshold_precision": 0.99},
    ],
    "every test day is over the budget of 20": [{"fixed_threshold_min_day": 20}],
    "day 11 has the most alerts": [{"fixed_threshold_max_day_is_11": False}],
    "no beacon is flagged": [{"top80_beacon_share": 0.01}, {"fixed_threshold_beacon_alerts": 1}],
    "the balanced model's Brier score is the worst": [
        {"balanced_lr_brier": 0.03},
        {"other_briers": [0.03, 0.05, 0.02]},
    ],
    "isotonic regression costs average precision": [{"isotonic_ap": 0.5}],
}


def test_every_part_of_the_story_is_tried():
    assert set(WRONG) == set(STORY)


@pytest.mark.parametrize(
    ("part", "change"), [(part, change) for part, changes in WRONG.items() for change in changes]
)
def test_a_part_of_the_story_fails_alone(result, part, change):
    table = seed_table([0, 1], [result | RIGHT, result | RIGHT | change])
    shares = story_shares(table)
    assert shares[part] == shares["all"] == 0.5
    assert (shares.drop([part, "all"]) == 1).all()


def test_summary_by_hand(result):
    table = seed_table(
        [0, 1, 2], [result | {"gb_auc": value, "test_attacks": 431} for value in (0.8, 0.9, 1.0)]
    )
    summary = seed_summary(table)
    assert summary.columns.tolist() == ["mean", "sd", "held"]
    assert summary.loc["gb_auc", ["mean", "sd"]].tolist() == pytest.approx([0.9, 0.1])
    assert summary.loc["test_attacks", ["mean", "sd"]].tolist() == [431, 0]
    assert not set(summary.index) & {*STORY, "all", "gb_auc low", "gb_auc high"}


def test_how_many_intervals_hold_the_mean_over_seeds(result):
    # The mean is 3/4: the first interval ends on it, the second misses it, the third begins on it.
    ends = ((0.7, 0.75), (0.76, 1.0), (0.75, 0.95), (0.0, 0.74))
    seeds = [
        result | {"gb_auc": value, "gb_auc low": low, "gb_auc high": high}
        for value, (low, high) in zip((0.5, 1.0, 0.75, 0.75), ends, strict=True)
    ]
    summary = seed_summary(seed_table(range(4), seeds))
    assert summary.loc["gb_auc", "held"] == 0.5
    assert math.isnan(summary.loc["test_attacks", "held"])


def test_one_seed_has_no_spread(result):
    summary = seed_summary(seed_table([0], [result]))
    assert summary[["sd", "held"]].isna().all(axis=None)
    assert summary["mean"].notna().all()
