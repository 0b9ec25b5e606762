import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.decisions import alert_probability, fixed_threshold_by_day, ranking_by_day
from labkit.errors import InputError
from labkit.metrics import ThresholdSweep

LABELS = [1, 0, 1, 0, 0, 1, 1]
SCORES = [0.9, 0.8, 0.8, 0.3, 0.2, 0.7, 0.1]
DAYS = [0, 0, 0, 2, 2, 1, 1]

records_of_days = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.3]), st.integers(0, 3)), min_size=1
)


def both(labels, scores, days, **options):
    return (
        fixed_threshold_by_day(labels, scores, days, 0.5, **options),
        ranking_by_day(labels, scores, days, 1, **options),
    )


def test_fixed_threshold_by_hand():
    table = fixed_threshold_by_day(LABELS, SCORES, DAYS, 0.7)
    assert table.index.name == "day"
    assert table.index.tolist() == [0, 1, 2]
    assert table["records"].tolist() == [3, 2, 2]
    assert table["attacks"].tolist() == [2, 2, 0]
    assert table["alerts"].tolist() == [3, 1, 0]
    assert table["tp"].tolist() == [2, 1, 0]
    assert table["fp"].tolist() == [1, 0, 0]
    assert table["recall"].tolist()[:2] == [1, 0.5]
    assert table["precision"].tolist()[:2] == [2 / 3, 1]
    assert table["threshold"].tolist() == [0.7] * 3


def test_a_day_without_attacks_or_alerts_has_no_rate():
    quiet = fixed_threshold_by_day(LABELS, SCORES, DAYS, 0.7).loc[2]
    assert math.isnan(quiet["recall"])
    assert math.isnan(quiet["precision"])


@pytest.mark.parametrize(
    ("ties", "alerts", "tp", "thresholds"),
    [
        ("under", [1, 2, 2], [1, 2, 0], [0.9, 0.1, 0.2]),
        ("over", [3, 2, 2], [2, 2, 0], [0.8, 0.1, 0.2]),
        ("expected", [2, 2, 2], [1.5, 2, 0], [0.8, 0.1, 0.2]),
    ],
)
def test_ranking_by_hand_with_a_tie_at_the_cut_of_day_0(ties, alerts, tp, thresholds):
    table = ranking_by_day(LABELS, SCORES, DAYS, per_day=2, ties=ties)
    assert table["alerts"].tolist() == alerts
    assert table["tp"].tolist() == tp
    assert table["threshold"].tolist() == thresholds


@given(records_of_days, st.sampled_from([0.1, 0.15, 0.3, 0.4]))
def test_fixed_threshold_agrees_with_a_loop(records, threshold):
    table = fixed_threshold_by_day(*zip(*records, strict=True), threshold)
    assert table.index.tolist() == sorted({day for *_, day in records})
    for day, row in table.iterrows():
        alerts = [label for label, score, d in records if d == day and score >= threshold]
        assert row["records"] == sum(d == day for *_, d in records)
        assert row["attacks"] == sum(label for label, _, d in records if d == day)
        assert (row["alerts"], row["tp"]) == (len(alerts), sum(alerts))


@given(records_of_days, st.integers(0, 5))
def test_ranking_agrees_with_sorting_each_day(records, per_day):
    table = ranking_by_day(*zip(*records, strict=True), per_day)
    for day, row in table.iterrows():
        ranked = sorted(((s, y) for y, s, d in records if d == day), reverse=True)
        # The score at which the budget has run out: whoever shares it stays out.
        cut = ranked[per_day][0] if per_day < len(ranked) else -math.inf
        alerts = [y for s, y in ranked if s > cut]
        assert (row["alerts"], row["tp"]) == (len(alerts), sum(alerts))
        assert row["alerts"] <= per_day


@given(records_of_days, st.randoms(use_true_random=False))
def test_row_order_never_matters(records, random):
    shuffled = list(records)
    random.shuffle(shuffled)
    for one, other in zip(
        both(*zip(*records, strict=True)), both(*zip(*shuffled, strict=True)), strict=True
    ):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize(
    "days",
    [
        ["tue", "mon", "tue"],
        np.array(["tue", "mon", "tue"], dtype=object),
        pd.Series(["tue", "mon", "tue"], dtype="category"),
        pd.Series([1, 0, 1], dtype="Int64"),
        pd.Series([1, 0, 1], index=[9, 9, 9]),
        pd.Series(pd.to_datetime(["2024-01-02", "2024-01-01", "2024-01-02"])),
        np.array(["2024-01-02", "2024-01-01", "2024-01-02"], dtype="datetime64[ns]"),
    ],
    ids=lambda days: str(getattr(days, "dtype", "list")),
)
def test_days_of_any_kind_come_in_order(days):
    for table in both([1, 0, 1], [0.9, 0.2, 0.8], days):
        assert table["attacks"].tolist() == [0, 2]
        assert table.index.is_monotonic_increasing
        assert set(table.index) == set(days)


def test_text_labels_with_pos_label():
    for table in both(["x", "ok", "x"], [0.9, 0.2, 0.8], [0, 0, 1], pos_label="x"):
        assert table["attacks"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("labels", "scores", "days", "fault"),
    [
        ([1, 0], [0.9, 0.2], [0], "y_true has 2, y_score has 2, day has 1"),
        ([1, 0], [0.9], [0, 0], "y_true has 2, y_score has 1"),
        ([1, 0], [0.9, math.nan], [0, 0], "y_score is NaN in 1 of 2"),
        ([1, 0], [0.9, 0.2], [0, None], r"day is missing in 1 of 2 records \(the first at row 1\)"),
        ([1, 0], [0.9, 0.2], [[0], [1]], r"day has shape \(2, 1\)"),
        (["x", "ok"], [0.9, 0.2], [0, 0], "pos_label="),
    ],
)
def test_faults_are_named(labels, scores, days, fault):
    with pytest.raises(InputError, match=fault):
        fixed_threshold_by_day(labels, scores, days, 0.5)
    with pytest.raises(InputError, match=fault):
        ranking_by_day(labels, scores, days, 1)


def test_thresholds_and_budgets_that_cannot_be():
    with pytest.raises(InputError, match="threshold is NaN"):
        fixed_threshold_by_day(LABELS, SCORES, DAYS, math.nan)
    with pytest.raises(InputError, match="a budget is a whole number of alerts"):
        ranking_by_day(LABELS, SCORES, DAYS, per_day=2.5)
    with pytest.raises(InputError, match="ties is 'any'"):
        ranking_by_day(LABELS, SCORES, DAYS, per_day=2, ties="any")


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.5, 0.9])), min_size=1, max_size=9),
    st.integers(0, 10),
)
def test_alert_probabilities_are_those_of_every_way_to_cut_the_tie(records, k):
    labels, scores = np.array(records).T
    cut = ThresholdSweep.from_scores(labels, scores).at_budget(k, ties="expected")
    everyone = set(range(len(scores)))
    ways = [
        rows
        for rows in combinations(everyone, min(k, len(scores)))
        if all(scores[i] >= scores[j] for i in rows for j in everyone - set(rows))
    ]
    expected = [sum(i in rows for rows in ways) / len(ways) for i in everyone]
    assert alert_probability(scores, k).tolist() == pytest.approx(expected)
    assert alert_probability(scores, k)[labels == 1].sum() == pytest.approx(cut.tp)


@pytest.mark.parametrize("k", [-1, 2.5, True, math.nan, "5"])
def test_alert_probability_refuses_what_is_no_budget(k):
    with pytest.raises(InputError, match="k is"):
        alert_probability([0.1, 0.2], k)
