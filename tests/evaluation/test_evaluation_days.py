"""Budgets day by day: hand counts, and the functions of labkit.decisions on the same records."""

import math

import numpy as np
import pandas as pd
import pytest
from made_up_scores import scores

from labkit.decisions import at_daily_budget, fixed_threshold_by_day, ranking_by_day
from labkit.errors import InputError
from labkit.evaluation import evaluate
from labkit.metrics import delong


@pytest.fixture(scope="module")
def by_day():
    y_true, by_name, day = scores()
    return evaluate(y_true, by_name, day=day, budgets=[5, 20], n_replicates=200)


def test_two_days_by_hand():
    result = evaluate(
        [1, 0, 1, 0, 0, 0], [9, 8, 7, 3, 2, 1], day=["mon"] * 3 + ["tue"] * 3, budgets=[1],
        n_replicates=50,
    )  # fmt: skip
    detector = result.detectors["score"]
    daily = detector.daily_budgets[0]
    # Ranking: the 9 of Monday and the 3 of Tuesday.
    assert (daily.ranking.alerts, daily.ranking.tp) == (2, 1)
    assert (daily.ranking.recall.estimate, daily.ranking.precision.estimate) == (0.5, 0.5)
    assert daily.ranking.days["threshold"].tolist() == [9, 3]
    # One threshold for two alerts in two days: 9 and 8, both on Monday.
    fixed = daily.one_threshold
    assert fixed.at_threshold.threshold == 8
    assert (fixed.fewest, fixed.most) == (0, 2)
    assert fixed.days["alerts"].tolist() == [2, 0]
    # Tuesday has no attack: no AUC and no recall, but alerts and a precision.
    assert detector.days["attacks"].tolist() == [2, 0]
    assert math.isnan(detector.days["auc"].iloc[1])
    assert math.isnan(daily.ranking.days["recall"].iloc[1])
    assert daily.ranking.days["precision"].iloc[1] == 0
    assert any("Days without an attack: 1 of 2" in note for note in result.notes)


def test_a_class_on_one_day_only_gets_no_intervals_and_says_why():
    result = evaluate(
        [1, 0, 1, 0, 0, 0], [9, 8, 7, 3, 2, 1], day=[1, 1, 1, 2, 2, 2], n_replicates=50
    )
    assert "one of the days only" in result.resampling.reason
    auc = result.detectors["score"].auc
    assert auc.reason == result.resampling.reason
    assert math.isnan(auc.low)
    assert result.detectors["score"].auc_delong.interval == "DeLong"


@pytest.mark.parametrize("name", ["coarse", "sharp"])
@pytest.mark.parametrize("place", [0, 1])
def test_the_same_as_the_decisions_on_the_records(by_day, name, place):
    y_true, by_name, day = scores()
    daily = by_day.detectors[name].daily_budgets[place]
    ranked = ranking_by_day(y_true, by_name[name], day, daily.per_day, "expected")
    pd.testing.assert_frame_equal(daily.ranking.days, ranked, check_dtype=False)
    point = at_daily_budget(y_true, by_name[name], day, daily.per_day)
    at = daily.one_threshold.at_threshold
    assert (at.threshold, at.alerts, at.tp) == (point.threshold, point.alerts, point.tp)
    fixed = fixed_threshold_by_day(y_true, by_name[name], day, point.threshold)
    shared = daily.one_threshold.days.columns
    pd.testing.assert_frame_equal(daily.one_threshold.days, fixed[shared], check_dtype=False)


def test_the_intervals_of_the_days(by_day):
    y_true, by_name, day = scores()
    days = by_day.detectors["sharp"].days
    of_third = delong(y_true[day == 3], by_name["sharp"][day == 3])
    wanted = of_third.auc, of_third.low, of_third.high
    assert tuple(days.loc[3, ["auc", "auc_low", "auc_high"]]) == pytest.approx(wanted)
    assert days.loc[6, ["auc", "auc_low", "auc_high"]].isna().all()
    assert days.loc[6, "attacks"] == 0
    assert days.loc[6, "records"] == np.count_nonzero(day == 6)


def test_what_whole_days_drawn_again_give(by_day):
    """Recall of ranking, its days drawn by another generator: the interval is about the same."""
    daily = by_day.detectors["sharp"].daily_budgets[1].ranking
    tp, attacks = (daily.days[column].to_numpy() for column in ("tp", "attacks"))
    rng = np.random.default_rng(99)
    drawn = [rng.choice(7, 7) for _ in range(4000)]
    recalls = [tp[days].sum() / attacks[days].sum() for days in drawn]
    wanted = np.quantile(recalls, [0.025, 0.975])
    assert (daily.recall.low, daily.recall.high) == pytest.approx(wanted, abs=0.03)
    assert daily.recall.interval == "bootstrap of days"


def test_timestamps_and_numbers_are_days():
    y_true, by_name, day = scores(300)
    dates = pd.to_datetime("2026-03-01") + pd.to_timedelta(day, "D")
    result = evaluate(y_true, by_name["coarse"], day=dates, budgets=[3], n_replicates=20)
    rows = result.to_dict()["detectors"]["score"]["days"]
    assert [row["day"] for row in rows] == [f"2026-03-0{one}" for one in range(2, 9)]
    rows = evaluate(y_true, by_name["coarse"], day=day, n_replicates=20).to_dict()
    assert [row["day"] for row in rows["detectors"]["score"]["days"]] == list(range(1, 8))


def test_a_column_that_is_no_day_is_remarked_on():
    y_true, by_name, _ = scores(100)
    result = evaluate(y_true, by_name["coarse"], day=np.arange(100), n_replicates=0)
    assert any("is it a column of days?" in note for note in result.notes)


def test_times_that_are_no_days_are_refused_where_they_are_many():
    y_true, y_score = np.arange(6000) % 50 == 0, np.arange(6000)
    with pytest.raises(InputError, match="6,000 values for 6,000 records; cut times to their day"):
        evaluate(y_true, y_score, day=np.arange(6000), n_replicates=0)


def test_draws_of_many_days_are_made_in_parts(monkeypatch):
    from labkit.evaluation import intervals

    y_true, by_name, day = scores(300)
    of = {"y_true": y_true, "y_scores": by_name["coarse"], "day": day, "budgets": [3]}
    at_once = evaluate(**of, n_replicates=50).to_dict()
    # Two replicates of seven days at a time, and one in the end.
    monkeypatch.setattr(intervals, "_CELLS", 14)
    assert evaluate(**of, n_replicates=50).to_dict() == at_once
    drawn = intervals.ratio_replicates(
        np.arange(7.0), np.ones(7), evaluate([1], [1], n_replicates=51).options
    )
    assert drawn.shape == (51,)


def test_days_of_one_class_are_not_said_to_lack_attacks():
    result = evaluate([0, 0, 0, 0], [1, 2, 3, 4], day=[1, 1, 2, 2], budgets=[1])
    assert not any("Days without an attack" in note for note in result.notes)


def test_few_days_are_told_of_where_they_are_drawn(by_day):
    assert any("Intervals draw 7 days" in note for note in by_day.notes)
    y_true, by_name, day = scores(300)
    y_score = by_name["coarse"]
    for drawn in ({}, {"day": day, "groups": np.arange(300) % 20}, {"day": day, "n_replicates": 0}):
        notes = evaluate(y_true, y_score, **({"n_replicates": 5} | drawn)).notes
        assert not any("Intervals draw" in note for note in notes)
