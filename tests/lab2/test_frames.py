"""What each frame of a curve that moves shows, counted again by brute force."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from labkit.errors import InputError
from labkit.lab2.experiment import ALERTS_PER_DAY
from labkit.lab2.frames import (
    MOST_RECORDS,
    base_rate_frames,
    both_classes,
    budget_frames,
    family_shares,
    record_steps,
    threshold_frames,
)
from labkit.lab2.worked import TEN_LABELS, TEN_SCORES
from labkit.metrics import ThresholdSweep

RECORDS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=MOST_RECORDS
).filter(lambda records: len({label for label, _ in records}) == 2)
NAN = math.nan


@given(records=RECORDS)
def test_steps_count_what_lies_above_and_end_in_both_areas(records):
    labels, scores = np.array(records, dtype=int).T
    steps = record_steps(labels, scores)
    assert steps["threshold"].tolist() == [math.inf, *sorted(set(scores), reverse=True)]
    for row in steps.itertuples():
        alerts, here = scores >= row.threshold, scores == row.threshold
        assert row.tp == np.sum(alerts & (labels == 1))
        assert row.fp == np.sum(alerts & (labels == 0))
        assert row.tp + row.fn == labels.sum()
        assert row.fp + row.tn == (1 - labels).sum()
        assert row.attacks == np.sum(here & (labels == 1))
        assert row.normals == np.sum(here & (labels == 0))
    assert steps["area"].iloc[-1] == pytest.approx(roc_auc_score(labels, scores))
    assert steps["ap"].iloc[-1] == pytest.approx(average_precision_score(labels, scores))
    for rising in ("area", "ap", "recall", "fpr"):
        assert (steps[rising].diff().dropna() >= 0).all()


def test_the_ten_records_step_by_step():
    steps = record_steps(TEN_LABELS, TEN_SCORES)
    # Attacks at ranks 1, 2, 4, 5 and 7: a column is as high as the attacks above it.
    columns = np.cumsum([0, 0, 0, 2, 0, 0, 4, 0, 5, 5, 5]) / 25
    assert steps["area"].tolist() == pytest.approx(columns)
    rectangles = np.cumsum([0, 1, 1, 0, 3 / 4, 4 / 5, 0, 5 / 7, 0, 0, 0]) / 5
    assert steps["ap"].tolist() == pytest.approx(rectangles)
    assert math.isnan(steps["precision"][0])
    assert steps["precision"][1:].tolist() == pytest.approx(
        [1, 1, 2 / 3, 3 / 4, 4 / 5, 4 / 6, 5 / 7, 5 / 8, 5 / 9, 5 / 10]
    )


@pytest.mark.parametrize(
    ("labels", "scores", "step", "roc", "pr"),
    [
        (
            [1, 0],
            [2, 1],
            0,
            "The threshold lies above every score: nothing is an alert yet.",
            "The threshold lies above every score: no alert yet, so no precision.",
        ),
        (
            [1, 0, 1],
            [3, 2, 1],
            1,
            "An attack: one step up.",
            "An attack: recall rises by 1/2; a rectangle 1/2 wide and as high as the precision, "
            "1.000, joins AP.",
        ),
        (
            [1, 0, 1],
            [3, 2, 1],
            2,
            "A normal record: one step right, and the column under it joins the area.",
            "A normal record: recall stays, so no rectangle joins; precision is now 0.500.",
        ),
        (
            [1, 0, 1],
            [3, 2, 1],
            3,
            "An attack: one step up. All records are alerts: the area is the AUC.",
            "An attack: recall rises by 1/2; a rectangle 1/2 wide and as high as the precision, "
            "0.667, joins AP. All records are alerts: the sum is AP.",
        ),
        (
            [1, 0, 1, 0],
            [2, 1, 2, 0],
            1,
            "2 attacks with one score: 2 steps up.",
            "2 attacks with one score: recall rises by 2/2; a rectangle 2/2 wide and as high as "
            "the precision, 1.000, joins AP.",
        ),
        (
            [0, 0, 1],
            [2, 2, 1],
            1,
            "2 normal records with one score: 2 steps right, and the columns under them join the "
            "area.",
            "2 normal records with one score: recall stays, so no rectangle joins; precision is "
            "now 0.000.",
        ),
        (
            [1, 0, 0, 1],
            [2, 2, 2, 1],
            1,
            "1 attack and 2 normal records with one score: they move together, one slanted step, "
            "and what lies under it joins the area.",
            "1 attack and 2 normal records with one score: recall rises by 1/2; a rectangle 1/2 "
            "wide and as high as the precision, 0.333, joins AP.",
        ),
    ],
)
def test_the_rule_of_a_step_in_words(labels, scores, step, roc, pr):
    row = record_steps(labels, scores).iloc[step]
    assert row["roc_says"] == roc
    assert row["pr_says"] == pr


def test_infinity_is_a_score_like_any_other():
    steps = record_steps([1, 0, 1], [math.inf, 0, -math.inf])
    assert math.isnan(steps["threshold"][0])
    assert steps["threshold"][1:].tolist() == [math.inf, 0, -math.inf]


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([1, 1], [2, 1], "y_true holds one class only"),
        ([0, 0], [2, 1], "y_true holds one class only"),
        ([1, 0], [NAN, 1], "y_score is NaN in 1 of 2 records"),
        ([1, 0, 1], [2, 1], "y_true has 3, y_score has 2"),
        ([1, 0] * 31, range(62), "y_true has 62 records; one by one at most 60 can be shown"),
        ([], [], "y_true is empty"),
        (["a", "b"], [1, 2], "say which label means attack"),
    ],
)
def test_what_cannot_be_shown_record_by_record(labels, scores, message):
    with pytest.raises(InputError, match=message) as told:
        record_steps(labels, scores)
    assert "\n" not in str(told.value)


def test_as_many_records_as_can_be_shown():
    assert len(record_steps([1, 0] * 30, range(60))) == 61


DAYS = ["mon", "mon", "mon", "tue", "tue", "wed"]
LABELS, SCORES = [1, 0, 1, 0, 0, 1], [9, 8, 7, 6, 5, 4]


def test_a_threshold_overall_and_day_by_day():
    frames, days = threshold_frames(LABELS, SCORES, DAYS, [7, 9.5, -1])
    assert frames[["threshold", "tp", "fp", "fn", "tn"]].to_numpy().tolist() == [
        [7, 2, 1, 1, 2],
        [9.5, 0, 0, 3, 3],
        [-1, 3, 3, 0, 0],
    ]
    assert frames["says"].tolist() == [
        "Score >= 7: 3 alerts on 3 days. 2 of 3 attacks found (recall 0.67), 1 false alert "
        "(precision 0.67).",
        "Score >= 9.5: no alert, and so no precision.",
        "Score >= -1: 6 alerts on 3 days. 3 of 3 attacks found (recall 1.00), 3 false alerts "
        "(precision 0.50).",
    ]
    assert days.query("frame == 0")["day"].tolist() == ["mon", "tue", "wed"]
    assert days.query("frame == 0")[["attacks", "tp", "fp"]].to_numpy().tolist() == [
        [2, 2, 1],
        [0, 0, 0],
        [1, 0, 0],
    ]
    assert days.groupby("frame")[["tp", "fp"]].sum().to_numpy().tolist() == [[2, 1], [0, 0], [3, 3]]


@given(records=RECORDS, threshold=st.integers(-1, 7))
def test_the_days_of_a_threshold_add_up_to_its_counts(records, threshold):
    labels, scores = np.array(records, dtype=int).T
    frames, days = threshold_frames(labels, scores, scores % 3, [threshold])
    assert days["tp"].sum() == frames["tp"][0] == np.sum((scores >= threshold) & (labels == 1))
    assert days["fp"].sum() == frames["fp"][0] == np.sum((scores >= threshold) & (labels == 0))
    assert days["attacks"].sum() == labels.sum()


def test_one_false_alert_less_than_none_is_not_told():
    says = threshold_frames([1, 0], [2, 1], [0, 0], [2])[0]["says"][0]
    assert says == (
        "Score >= 2: 1 alert on 1 day. 1 of 1 attack found (recall 1.00), no false alert "
        "(precision 1.00)."
    )


@pytest.mark.parametrize(
    ("labels", "scores", "days", "message"),
    [
        ([1, 1], [2, 1], [0, 0], "one class only"),
        ([1, 0], [2, NAN], [0, 0], "y_score is NaN"),
        ([1, 0], [2, 1], [0], "day has 1"),
        ([1, 0], [2, 1], [0, None], "day is missing"),
    ],
)
def test_what_no_threshold_can_be_moved_on(labels, scores, days, message):
    with pytest.raises(InputError, match=message):
        threshold_frames(labels, scores, days, [1])


@given(records=RECORDS, rate=st.sampled_from([0.0001, 0.01, 0.3]))
def test_another_base_rate_moves_precision_alone(records, rate):
    labels, scores = np.array(records, dtype=int).T
    sweep = ThresholdSweep.from_scores(labels, scores)
    frames, curves = base_rate_frames(sweep, [labels.mean(), rate])
    assert frames["base_rate"].tolist() == [labels.mean(), rate]
    for column in ("threshold", "recall", "fpr"):
        assert frames[column][0] == pytest.approx(frames[column][1])
    # Bayes: precision from the two rates that stay.
    hits, false = rate * curves["recall"], (1 - rate) * curves["fpr"]
    alerts = hits + false > 0
    assert curves["precision_1"][alerts].tolist() == pytest.approx((hits / (hits + false))[alerts])
    assert frames["ap"][0] == pytest.approx(average_precision_score(labels, scores))
    assert frames["ap"][1] == sweep.at_base_rate(rate).average_precision


def test_a_base_rate_in_words():
    sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    frames, _ = base_rate_frames(sweep, [0.5, 0.02, 0.0001], recall=0.8)
    assert frames["says"].tolist() == [
        "Attacks are 50 % of the records: the ROC curve is as it was, AP is 0.833. At recall 1.00 "
        "precision is 0.667, with 0.5 false alerts for each attack found.",
        "Attacks are 2 % of the records: the ROC curve is as it was, AP is 0.520. At recall 1.00 "
        "precision is 0.039, with 24 false alerts for each attack found.",
        "Attacks are 0.01 % of the records: the ROC curve is as it was, AP is 0.500. At recall "
        "1.00 precision is 0.0002, with 5,000 false alerts for each attack found.",
    ]
    first, _ = base_rate_frames(sweep, [0.5], recall=0.5)
    assert first["says"][0].endswith(
        "precision is 1.000, with 0 false alerts for each attack found."
    )


def test_one_false_alert_for_each_attack():
    sweep = ThresholdSweep.from_scores([0, 1], [2, 1])
    assert "1 false alert for each" in base_rate_frames(sweep, [0.5])[0]["says"][0]


@pytest.mark.parametrize(("rates", "recall"), [([0], 0.5), ([1], 0.5), ([NAN], 0.5), ([0.1], 0)])
def test_a_base_rate_that_cannot_be(rates, recall):
    with pytest.raises(InputError, match="must"):
        base_rate_frames(ThresholdSweep.from_scores([1, 0], [2, 1]), rates, recall)


def test_one_class_has_no_base_rate_to_move():
    with pytest.raises(InputError, match="one class only"):
        base_rate_frames(ThresholdSweep.from_scores([1, 1], [2, 1]), [0.1])


def flows(days, families):
    labels = [int(family != "benign") for family in families]
    return pd.DataFrame({"day": days, "family": families, "label": labels})


PAST = flows([8, 8, 8, 9, 9], ["scan", "benign", "dos", "scan", "benign"])
PAST_SCORES = [9, 8, 7, 6, 5]
LATER = flows([10, 10, 10, 11, 11], ["scan", "scan", "benign", "beacon", "benign"])
LATER_SCORES = [9.5, 8, 7.5, 6, 7]


def test_a_budget_is_fixed_on_past_days_and_replayed():
    frames, days = budget_frames(PAST, PAST_SCORES, LATER, LATER_SCORES, [1, 2])
    # The second of the past scores, and the fourth.
    assert frames["threshold"].tolist() == [8, 6]
    assert frames[["tp", "fp", "fn", "tn"]].to_numpy().tolist() == [[2, 0, 1, 2], [3, 2, 0, 0]]
    assert frames["days_over"].tolist() == [1, 1]
    assert family_shares(frames.iloc[0]).to_dict() == {"scan": 1, "beacon": 0}
    assert family_shares(frames.iloc[1]).to_dict() == {"scan": 1, "beacon": 1}
    first = days.query("frame == 0")
    assert first["part"].tolist() == ["calibrate"] * 2 + ["test"] * 2
    assert first["day"].tolist() == [8, 9, 10, 11]
    assert first[["scan", "dos", "beacon", "benign"]].to_numpy().tolist() == [
        [1, 0, 0, 1],
        [0, 0, 0, 0],
        [2, 0, 0, 0],
        [0, 0, 0, 0],
    ]
    assert frames["says"].tolist() == [
        "A budget of 1 a day fixes the threshold 8. On the test days it makes 0 to 2 alerts a "
        "day, over budget on 1 of 2 days. 2 of 3 attacks found, no false alert.",
        "A budget of 2 a day fixes the threshold 6. On the test days it makes 2 to 3 alerts a "
        "day, over budget on 1 of 2 days. 3 of 3 attacks found, 2 false alerts.",
    ]


def test_records_that_tie_with_the_budgets_threshold_are_alerts():
    tied = [9, 9, 9, 6, 5]
    frames, days = budget_frames(PAST, tied, LATER, LATER_SCORES, [1])
    assert frames["threshold"][0] == 9
    alerts = days.query("part == 'calibrate'")[["scan", "dos", "benign"]]
    assert alerts.to_numpy().tolist() == [[1, 1, 1], [0, 0, 0]]


def test_the_budget_of_the_lab(experiment, here):
    frames, days = budget_frames(
        experiment.calibrate,
        experiment.operated_calibrate,
        experiment.test,
        experiment.operated_test,
        [ALERTS_PER_DAY],
    )
    frame = frames.iloc[0]
    assert frame["recall"] == here["fixed_threshold_recall"]
    assert frame["precision"] == here["fixed_threshold_precision"]
    a_day = days.drop(columns=["frame", "part"]).set_index("day").sum(axis=1)
    assert a_day[[8, 9]].sum() == here["fixed_threshold_calibration_alerts"]
    assert a_day[[10, 11, 12, 13]].min() == here["fixed_threshold_min_day"]
    assert a_day[[10, 11, 12, 13]].max() == here["fixed_threshold_max_day"]
    beacons = experiment.test["family"].eq("beacon").sum()
    assert frame["share of beacon"] * beacons == here["fixed_threshold_beacon_alerts"]


@pytest.mark.parametrize(
    ("past", "past_scores", "later", "budgets", "message"),
    [
        (PAST, PAST_SCORES, LATER.assign(day=9), [1], "test begins on day 9, but calibrate ends"),
        (PAST, PAST_SCORES, PAST, [1], "test begins on day 8, but calibrate ends on day 9"),
        (PAST.drop(columns="family"), PAST_SCORES, LATER, [1], "calibrate has no column family"),
        (PAST, PAST_SCORES, LATER.drop(columns=["day", "label"]), [1], "test has no column day, l"),
        (PAST, PAST_SCORES, LATER.assign(label=0), [1], "one class only"),
        (PAST, [NAN, 1, 2, 3, 4], LATER, [1], "calibrate_score is NaN"),
        (PAST, [1, 2], LATER, [1], "y_true has 5, y_score has 2"),
        (PAST, PAST_SCORES, LATER, [-1], "per_day is -1"),
        (PAST, PAST_SCORES, LATER, [1.5], "per_day is 1.5"),
    ],
)
def test_a_budget_that_cannot_be_replayed(past, past_scores, later, budgets, message):
    with pytest.raises(InputError, match=message):
        budget_frames(past, past_scores, later, LATER_SCORES, budgets)


def test_curves_need_both_classes():
    assert both_classes([1, 0], [2, 1]).positives == 1
    with pytest.raises(InputError, match="both curves need attacks and normal records"):
        both_classes([True, True], [2, 1])
