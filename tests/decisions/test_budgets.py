import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.decisions import (
    alert_probability,
    at_daily_budget,
    fixed_threshold_by_day,
    period_totals,
    ranking_by_day,
)
from labkit.errors import InputError
from labkit.metrics import ThresholdSweep

LABELS = [1, 0, 1, 0, 0, 1, 1]
SCORES = [0.9, 0.8, 0.8, 0.3, 0.2, 0.7, 0.1]
DAYS = [0, 0, 0, 2, 2, 1, 1]

POLICIES = ("under", "over", "expected")

records_of_days = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.3]), st.integers(0, 3)), min_size=1
)
few_records_of_days = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.3]), st.integers(0, 1)),
    min_size=1,
    max_size=8,
)


def every_cut(labels, scores, k):
    """Attacks among the top k, for every way to fill k places that leaves no higher score out."""
    rows = set(range(len(scores)))
    return [
        sum(labels[i] for i in chosen)
        for chosen in combinations(rows, min(k, len(rows)))
        if all(scores[i] >= scores[j] for i in chosen for j in rows - set(chosen))
    ]


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


def test_a_day_without_attacks_or_alerts_has_no_rate_and_no_interval():
    quiet = fixed_threshold_by_day(LABELS, SCORES, DAYS, 0.7).loc[2]
    for rate in ("recall", "precision"):
        assert quiet[[rate, f"{rate}_low", f"{rate}_high"]].isna().all()


def test_intervals_of_a_fixed_threshold_by_hand():
    # Wilson's for 38 of 38 and for 2 of 199, as published by others.
    labels = [1] * 38 + [1] * 2 + [1] * 197
    scores = [0.9] * 38 + [0.9] * 2 + [0.1] * 197
    table = fixed_threshold_by_day(labels, scores, [0] * 38 + [1] * 199, 0.5)
    assert table.loc[0, ["recall_low", "recall_high"]].tolist() == pytest.approx([0.908190, 1])
    assert table.loc[1, ["recall_low", "recall_high"]].tolist() == pytest.approx(
        [0.00276048, 0.03589759]
    )
    # And for 2 of 2: 1 / (1 + z² / 2).
    assert table.loc[1, ["precision_low", "precision_high"]].tolist() == pytest.approx(
        [1 / (1 + 1.959964**2 / 2), 1]
    )
    narrow = fixed_threshold_by_day(labels, scores, [0] * 38 + [1] * 199, 0.5, level=0.5)
    assert narrow.loc[1, "precision_low"] == pytest.approx(1 / (1 + 0.674490**2 / 2))


def test_a_level_that_cannot_be():
    with pytest.raises(InputError, match="level is 95"):
        fixed_threshold_by_day(LABELS, SCORES, DAYS, 0.7, level=95)


@pytest.mark.parametrize(("threshold", "alerts"), [(math.inf, [0, 0, 0]), (-math.inf, [3, 2, 2])])
def test_a_threshold_may_be_infinite(threshold, alerts):
    assert fixed_threshold_by_day(LABELS, SCORES, DAYS, threshold)["alerts"].tolist() == alerts


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
    assert table["ties_at_cut"].tolist() == [2, 0, 0]
    assert table["tp_low"].tolist() == [1, 2, 0]
    assert table["tp_high"].tolist() == [2, 2, 0]


def test_columns_come_in_one_order_and_the_days_name_the_rows():
    common = ["records", "attacks", "alerts", "tp", "fp", "recall", "precision", "threshold"]
    fixed, ranked = both(LABELS, SCORES, DAYS)
    assert fixed.columns.tolist() == [
        *common,
        *("recall_low", "recall_high", "precision_low", "precision_high"),
    ]
    assert ranked.columns.tolist() == [*common, "ties_at_cut", "tp_low", "tp_high"]
    assert fixed.index.name == ranked.index.name == "day"


@given(few_records_of_days, st.integers(0, 5), st.sampled_from(POLICIES))
def test_bounds_of_a_ranking_are_those_of_every_way_to_cut_each_day(records, per_day, ties):
    table = ranking_by_day(*zip(*records, strict=True), per_day, ties)
    low = high = expected = 0
    for day, row in table.iterrows():
        cuts = every_cut(*zip(*[(y, s) for y, s, d in records if d == day], strict=True), per_day)
        assert (row["tp_low"], row["tp_high"]) == (min(cuts), max(cuts))
        if ties == "expected":
            assert row["tp"] == pytest.approx(sum(cuts) / len(cuts))
        low, high, expected = low + min(cuts), high + max(cuts), expected + sum(cuts) / len(cuts)
    totals = period_totals(table)
    assert (totals["tp_low"], totals["tp_high"]) == (low, high)
    if ties == "expected":
        assert totals["tp"] == pytest.approx(expected)


@given(records_of_days, st.integers(0, 5), st.sampled_from(POLICIES))
def test_a_daily_budget_is_spent_on_the_best_of_all_days_together(records, per_day, ties):
    labels, scores, days = zip(*records, strict=True)
    k = per_day * len(set(days))
    point = at_daily_budget(labels, scores, days, per_day, ties)
    assert point.budget == k
    ranked = sorted(scores, reverse=True)
    spent = min(k, len(ranked))
    if ties == "under":
        assert point.alerts <= k
    elif ties == "over":
        assert point.alerts >= spent
    else:
        assert point.alerts == pytest.approx(spent)
    # Never further from the budget than one group of equal scores.
    assert abs(point.alerts - spent) <= max(scores.count(score) for score in set(scores))
    if spent and ties != "under":
        assert point.threshold == ranked[spent - 1]


@given(few_records_of_days, st.integers(0, 4))
def test_bounds_of_a_daily_budget_are_those_of_every_way_to_cut(records, per_day):
    labels, scores, days = zip(*records, strict=True)
    cuts = every_cut(labels, scores, per_day * len(set(days)))
    point = at_daily_budget(labels, scores, days, per_day, "expected")
    assert (point.tp_low, point.tp_high) == (min(cuts), max(cuts))
    assert point.tp == pytest.approx(sum(cuts) / len(cuts))


@given(records_of_days, st.integers(0, 5), st.sampled_from(POLICIES))
def test_a_threshold_replayed_on_its_own_days_gives_its_own_alerts(records, per_day, ties):
    point = at_daily_budget(*zip(*records, strict=True), per_day, ties)
    replayed = period_totals(fixed_threshold_by_day(*zip(*records, strict=True), point.threshold))
    if ties == "expected":
        # A threshold cannot cut a group: it takes it in.
        point = at_daily_budget(*zip(*records, strict=True), per_day, "over")
    assert (replayed["alerts"], replayed["tp"]) == (point.alerts, point.tp)


def test_a_daily_budget_by_hand():
    # Three days of two alerts: the sixth of the seven scores.
    point = at_daily_budget(LABELS, SCORES, DAYS, per_day=2)
    assert (point.budget, point.alerts, point.tp, point.threshold) == (6, 6, 3, 0.2)
    # Two weeks of one alert each, the weeks given as the days: the second score ties.
    weeks = ["first", "first", "first", "second", "second", "first", "first"]
    tied = at_daily_budget(LABELS, SCORES, weeks, per_day=1, ties="expected")
    assert (tied.budget, tied.ties_at_cut, tied.tp) == (2, 2, 1.5)


def test_a_budget_in_eight_bits_does_not_overflow():
    point = at_daily_budget([1, 0] * 100, np.arange(200), [0, 1] * 100, np.int8(99))
    assert point.budget == 198


def test_period_totals_by_hand():
    totals = period_totals(fixed_threshold_by_day(LABELS, SCORES, DAYS, 0.7))
    assert totals.to_dict() == pytest.approx(
        {"records": 7, "attacks": 4, "alerts": 4, "tp": 3, "fp": 1, "recall": 3 / 4}
        | {"precision": 3 / 4}
    )
    some = period_totals(fixed_threshold_by_day(LABELS, SCORES, DAYS, 0.7).loc[1:2])
    assert (some["recall"], some["precision"]) == (1 / 2, 1)


def test_a_period_without_attacks_or_alerts_has_no_rate():
    quiet = period_totals(ranking_by_day([0, 0], [0.1, 0.2], [0, 1], per_day=0))
    assert math.isnan(quiet["recall"])
    assert math.isnan(quiet["precision"])
    assert quiet[["records", "alerts", "tp_low", "tp_high"]].tolist() == [2, 0, 0, 0]


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
    for of_budget in (ranking_by_day, at_daily_budget):
        with pytest.raises(InputError, match=fault):
            of_budget(labels, scores, days, 1)


def test_thresholds_and_budgets_that_cannot_be():
    with pytest.raises(InputError, match="threshold is nan"):
        fixed_threshold_by_day(LABELS, SCORES, DAYS, math.nan)
    for of_budget in (ranking_by_day, at_daily_budget):
        with pytest.raises(InputError, match="ties is 'any'"):
            of_budget(LABELS, SCORES, DAYS, per_day=2, ties="any")


@pytest.mark.parametrize("of_budget", [ranking_by_day, at_daily_budget])
@pytest.mark.parametrize("per_day", [-1, 2.5, True, np.True_, math.nan, "5", None])
def test_what_is_no_daily_budget(of_budget, per_day):
    with pytest.raises(InputError, match=r"^per_day is .*a whole number of alerts"):
        of_budget(LABELS, SCORES, DAYS, per_day)


@pytest.mark.parametrize("per_day", [2, 2.0, np.int8(2), np.float32(2)])
def test_a_whole_number_of_any_type_is_a_daily_budget(per_day):
    assert ranking_by_day(LABELS, SCORES, DAYS, per_day)["alerts"].tolist() == [1, 2, 2]
    assert at_daily_budget(LABELS, SCORES, DAYS, per_day).budget == 6


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


def test_alert_probability_takes_the_budget_of_a_point():
    point = at_daily_budget(LABELS, SCORES, DAYS, per_day=2.0)
    assert alert_probability(SCORES, float(point.budget)).tolist() == [1, 1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("k", [1, 37, 500, 999])
def test_the_top_of_a_thousand_shuffled_records(k):
    scores = np.random.default_rng(k).permutation(1000)
    assert alert_probability(scores, k).tolist() == (scores >= 1000 - k).tolist()
