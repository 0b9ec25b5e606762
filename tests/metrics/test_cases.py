"""Faults that other tools were reported for, and their relatives: each must not happen here.

The values stand in ../expected/cases.json, worked out in fractions over every pair and every cut.
Those of kind "rankings", "base_rates", "costs" and "wilson" are tried beside the code they concern.
"""

import json
import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import CASES, SCORES, scored

from labkit.decisions import alert_probability, fixed_threshold_by_day, prior_shift, ranking_by_day
from labkit.errors import InputError
from labkit.metrics import (
    ThresholdSweep,
    bootstrap,
    brier_score,
    delong,
    delong_test,
    log_loss,
    reliability_table,
)
from labkit.metrics.statistics import auc, precision_at

sweep_of = ThresholdSweep.from_scores


def by_fault(kind):
    return pytest.mark.parametrize("case", CASES[kind], ids=lambda case: case["fault"])


def areas(sweep):
    return sweep.roc_auc, sweep.average_precision


# Every function that takes labels and scores within [0, 1], as one number or table of them.
OF_LABELS = {
    "sweep": lambda y, s, **named: sweep_of(y, s, **named).to_frame(),
    "delong": lambda y, s, **named: vars(delong(y, s, **named)),
    "delong_test": lambda y, s, **named: vars(delong_test(y, s, np.square(s), **named)),
    "bootstrap": lambda y, s, **named: (
        bootstrap(y, {"d": s}, [auc()], n_replicates=5, **named).replicates
    ),
    "brier_score": brier_score,
    "log_loss": log_loss,
    "reliability_table": reliability_table,
    "fixed_threshold_by_day": lambda y, s, **named: fixed_threshold_by_day(
        y, s, [0, 0, 1, 1, 1], 0.5, **named
    ),
    "ranking_by_day": lambda y, s, **named: ranking_by_day(y, s, [0, 0, 1, 1, 1], 1, **named),
}
everywhere = pytest.mark.parametrize("measure", OF_LABELS.values(), ids=OF_LABELS.keys())
FIVE = [0.9, 0.6, 0.6, 0.2, 0.4]


def assert_equal(one, other):
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    elif isinstance(one, dict):
        np.testing.assert_equal(one, other)
    else:
        np.testing.assert_array_equal(one, other)


class TestRanking:
    def test_every_order_of_the_rows_gives_one_curve(self):
        case = CASES["rankings"][0]
        rows = list(zip(case["labels"], case["scores"], strict=True))
        curves = set()
        for order in permutations(rows):
            sweep = sweep_of(*zip(*order, strict=True))
            columns = (sweep.thresholds, sweep.tp, sweep.fp)
            curves.add((*areas(sweep), *(column.tobytes() for column in columns)))
        assert len(curves) == 1

    @pytest.mark.parametrize("factor", [1e12, 1e-290, 2.0**1000])
    def test_the_size_of_scores_does_not_matter(self, factor):
        labels, scores = [1, 0, 1, 1, 0, 0], [8e-13, 6e-13, 6e-13, 4e-13, 3e-13, 1e-13]
        sweep, other = sweep_of(labels, scores), sweep_of(labels, np.multiply(scores, factor))
        assert other.tp.tolist() == sweep.tp.tolist()
        assert areas(other) == areas(sweep)

    @given(
        st.one_of(
            st.floats(-1e308, 1e308),
            st.sampled_from([0.0, 5e-324, 2.2250738585072014e-308, 1.0, 1.797693134862315e308]),
        ),
        st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=12),
    )
    def test_floats_next_to_each_other_are_as_distinct_as_whole_numbers(self, start, records):
        ladder = [start]
        for _ in range(3):
            ladder.append(math.nextafter(ladder[-1], math.inf))
        labels, steps = zip(*records, strict=True)
        near, far = sweep_of(labels, [ladder[step] for step in steps]), sweep_of(labels, steps)
        assert near.thresholds.tolist() == [ladder[int(step)] for step in far.thresholds]
        assert (near.tp.tolist(), near.fp.tolist()) == (far.tp.tolist(), far.fp.tolist())
        np.testing.assert_array_equal(areas(near), areas(far))

    @given(scored())
    def test_average_precision_is_the_mean_over_attacks_of_the_precision_at_each(self, records):
        labels, scores = records
        precisions = []
        for label, score in zip(labels, scores, strict=True):
            if label:
                flagged = [y for y, s in zip(labels, scores, strict=True) if s >= score]
                precisions.append(Fraction(sum(flagged), len(flagged)))
        result = sweep_of(*records).average_precision
        if precisions:
            expected = float(sum(precisions) / len(precisions))
            assert result == pytest.approx(expected, abs=1e-14)
        else:
            assert math.isnan(result)

    @given(scored())
    def test_the_area_is_undefined_exactly_where_a_class_is_missing(self, records):
        one_class = len(set(records[0])) == 1
        assert math.isnan(sweep_of(*records).roc_auc) == one_class
        assert math.isnan(delong(*records).auc) == one_class

    @given(scored(both_classes=True))
    def test_scores_turned_around_turn_the_area_around(self, records):
        labels, scores = records
        there, back = sweep_of(labels, scores), sweep_of(labels, np.negative(scores))
        assert there.roc_auc + back.roc_auc == pytest.approx(1, abs=1e-14)

    @given(scored(both_classes=True), SCORES)
    def test_an_alert_is_a_score_at_or_above_the_threshold_everywhere(self, records, threshold):
        labels, scores = records
        alerts = [y for y, s in zip(labels, scores, strict=True) if s >= threshold]
        point = sweep_of(labels, scores).at_threshold(threshold)
        day = fixed_threshold_by_day(labels, scores, [0] * len(labels), threshold).loc[0]
        assert (point.tp, point.alerts) == (day["tp"], day["alerts"]) == (sum(alerts), len(alerts))
        measured = bootstrap(labels, {"d": scores}, [precision_at(threshold)], n_replicates=1)
        assert measured.estimates[0, 0] == pytest.approx(point.precision, nan_ok=True)

    @pytest.mark.parametrize("scores", [[math.nan] * 3, [math.nan, 1, math.nan]])
    @pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0]])
    def test_nan_is_never_the_highest_score(self, scores, order):
        count = sum(map(math.isnan, scores))
        for judge in (sweep_of, delong):
            with pytest.raises(InputError, match=f"y_score is NaN in {count} of 3 .* row 0"):
                judge(np.array([1, 0, 0])[order], np.array(scores)[order])

    def test_nothing_but_the_point_without_alerts_has_an_infinite_threshold(self):
        sweep = sweep_of([0, 1], [0.2, 0.8])
        assert sweep.at_budget(0).threshold == math.inf
        assert math.isfinite(sweep.to_frame()["threshold"].max())
        points = [vars(sweep.at_budget(k)) for k in (1, 2)]
        assert json.loads(json.dumps(points, allow_nan=False)) == points


class TestWeights:
    @given(scored(scores=st.sampled_from([1, 2, 3]), both_classes=True), st.data())
    def test_areas_are_those_of_weighted_fractions(self, records, data):
        labels, scores = records
        some = st.one_of(st.floats(0.01, 100), st.sampled_from([1e-300, 0.1, 1.0, 2.0**60]))
        weights = [data.draw(some) for _ in labels]
        rows = [(y, s, Fraction(w)) for y, s, w in zip(labels, scores, weights, strict=True)]
        won = pairs = precision = 0
        for label, high, weight in rows:
            if label:
                for normal, low, other in rows:
                    if not normal:
                        pairs += weight * other
                        won += weight * other * Fraction((high > low) * 2 + (high == low), 2)
                flagged = [(y, w) for y, s, w in rows if s >= high]
                hits = sum(w for y, w in flagged if y)
                precision += weight * hits / sum(w for _, w in flagged)
        sweep = sweep_of(labels, scores, sample_weight=weights)
        assert sweep.roc_auc == pytest.approx(float(won / pairs), abs=1e-14)
        attacks = sum(w for y, _, w in rows if y)
        assert sweep.average_precision == pytest.approx(float(precision / attacks), abs=1e-14)

    @given(scored(), st.sampled_from([1.0, 0.5, 2.0**-1000]))
    def test_one_weight_for_all_changes_nothing_whatever_the_scores(self, records, weight):
        labels, scores = records
        sweep = sweep_of(labels, scores)
        weighted = sweep_of(labels, scores, sample_weight=[weight] * len(labels))
        assert weighted.thresholds.tolist() == sweep.thresholds.tolist()
        assert weighted.tp.tolist() == (sweep.tp * weight).tolist()
        assert weighted.fp.tolist() == (sweep.fp * weight).tolist()
        assert areas(weighted) == pytest.approx(areas(sweep), rel=1e-15, nan_ok=True)

    @pytest.mark.parametrize(("kind", "stuck"), [(np.float16, 2**11), (np.float32, 2**24)])
    @pytest.mark.parametrize("label", [0, 1])
    def test_a_sum_does_not_stick_where_the_kind_of_number_would(self, kind, stuck, label):
        weights = np.array([stuck, 1, 1, 1, 1], dtype=kind)
        sweep = sweep_of([label] * 4 + [1 - label], [5, 4, 3, 2, 1], sample_weight=weights)
        counts = sweep.tp if label else sweep.fp
        assert counts.tolist() == [stuck, stuck + 1, stuck + 2, stuck + 3, stuck + 3]

    def test_a_record_of_weight_zero_changes_nothing_wherever_it_lies(self):
        labels, scores, weights = [1, 0, 1, 0], [4, 3, 2, 1], [2, 1, 1, 3]
        expected = sweep_of(labels, scores, sample_weight=weights).to_frame()
        for label in (0, 1):
            for score in (-math.inf, 0, 2, 2.5, 4, 5, math.inf):
                sweep = sweep_of([*labels, label], [*scores, score], sample_weight=[*weights, 0])
                pd.testing.assert_frame_equal(sweep.to_frame(), expected)


class TestBudgets:
    @by_fault("budgets")
    def test_known_faults(self, case):
        sweep = sweep_of(case["labels"], case["scores"])
        for ties in ("under", "over"):
            point = sweep.at_budget(case["k"], ties)
            assert (point.alerts, point.tp) == (case[ties]["alerts"], case[ties]["tp"])
            assert point.threshold == float(case[ties]["threshold"])
        cut = sweep.at_budget(case["k"], "expected")
        assert cut.alerts == min(case["k"], len(case["labels"]))
        assert cut.tp == pytest.approx(case["expected_tp"], rel=1e-15)
        for point in (cut, sweep.at_budget(case["k"])):
            assert (point.tp_low, point.tp_high) == (case["tp_low"], case["tp_high"])
            assert point.ties_at_cut == case["ties_at_cut"]

    @by_fault("budgets")
    def test_known_faults_day_by_day_and_record_by_record(self, case):
        labels, scores, k = case["labels"], case["scores"], case["k"]
        twice = ranking_by_day(labels * 2, scores * 2, np.repeat(["mon", "tue"], len(labels)), k)
        assert twice["alerts"].tolist() == [case["under"]["alerts"]] * 2
        likely = alert_probability(scores, k)
        assert likely.sum() == pytest.approx(min(k, len(labels)))
        assert np.dot(likely, labels) == pytest.approx(case["expected_tp"])

    def test_a_day_without_attacks_has_no_recall_and_is_left_out_of_a_mean(self):
        table = ranking_by_day([1, 0, 0, 0], [4, 3, 2, 1], [0, 0, 1, 1], 1)
        assert table["recall"].isna().tolist() == [False, True]
        assert table["recall"].mean() == 1


class TestProbabilities:
    @by_fault("reliability")
    @pytest.mark.parametrize("backwards", [False, True])
    def test_known_faults_of_bins(self, case, backwards):
        order = slice(None, None, -1 if backwards else 1)
        table = reliability_table(
            case["labels"][order],
            case["probabilities"][order],
            n_bins=case["n_bins"],
            strategy=case["strategy"],
        )
        assert table["count"].tolist() == case["count"]
        assert table["attacks"].tolist() == case["attacks"]
        mean = [math.nan if value is None else value for value in case["mean_predicted"]]
        assert table["mean_predicted"].tolist() == pytest.approx(mean, nan_ok=True, rel=1e-15)
        assert table["observed"].isna().tolist() == [count == 0 for count in case["count"]]

    @by_fault("log_loss")
    def test_known_faults_of_the_log_loss(self, case):
        loss = log_loss(case["labels"], case["probabilities"])
        assert loss == pytest.approx(float(case["loss"]), rel=1e-14)

    @pytest.mark.parametrize("kind", [np.float16, np.float32, np.longdouble])
    def test_the_kind_of_number_moves_no_loss_but_by_its_own_digits(self, kind):
        p = np.array([0.1, 0.25, 0.9], dtype=kind)
        for score in (brier_score, log_loss):
            assert score([0, 1, 1], p) == score([0, 1, 1], p.astype(np.float64))

    @pytest.mark.parametrize("score", [-20.0, 3.5, 1.0000000000000002, -5e-324])
    def test_a_score_is_never_squeezed_into_a_probability(self, score):
        for measure in (brier_score, log_loss, reliability_table):
            with pytest.raises(InputError, match=r"outside \[0, 1\] in 1 .* row 1"):
                measure([1, 0], [0.5, score])
        with pytest.raises(InputError, match=r"p lies outside \[0, 1\]"):
            prior_shift(score, 0.5, 0.1)


class TestIntervals:
    @by_fault("delong")
    def test_known_faults(self, case):
        result = delong(case["labels"], case["scores"])
        variance = math.nan if case["variance"] is None else case["variance"]
        assert result.auc == pytest.approx(case["auc"], rel=1e-15)
        assert result.variance == pytest.approx(variance, rel=1e-14, nan_ok=True)
        if case["variance"] is None:
            assert math.isnan(result.low)
            assert math.isnan(result.high)
        else:
            assert 0 <= result.low <= result.auc <= result.high <= 1

    @pytest.mark.parametrize("kind", [np.float16, np.float32])
    def test_ranks_are_not_counted_in_the_scores_own_kind(self, kind):
        n = 6000
        scores = np.linspace(0, 1, n).astype(kind)
        labels = np.arange(n) >= n // 2
        assert delong(labels, scores).auc == pytest.approx(1, abs=1e-6)
        assert delong(labels, scores).auc <= 1

    @pytest.mark.parametrize("label", [0, 1])
    def test_one_record_of_a_class_is_drawn_in_every_replicate(self, label):
        labels = [label] + [1 - label] * 39
        result = bootstrap(labels, {"d": np.arange(40)}, [auc()], n_replicates=200)
        row = result.intervals().iloc[0]
        assert row["unusable"] == 0
        assert np.isfinite([row["low"], row["high"]]).all()


class TestLabels:
    @everywhere
    def test_the_positive_label_reaches_every_function(self, measure):
        attacks = np.array([True, False, True, False, False])
        expected = measure(attacks, FIVE)
        assert_equal(measure(np.where(attacks, "x", "ok"), FIVE, pos_label="x"), expected)
        assert_equal(measure(np.where(attacks, 0, 1), FIVE, pos_label=0), expected)
        assert_equal(measure(np.where(attacks, 1, -1), FIVE), expected)

    @everywhere
    @pytest.mark.parametrize("labels", [["No", "Yes"], [1, 2], [-1, 0], [0, 1, -1], [0.0, 0.5]])
    def test_no_function_guesses_which_label_means_attack(self, measure, labels):
        with pytest.raises(InputError, match="say which label means attack with pos_label="):
            measure((labels * 3)[:5], FIVE)

    @everywhere
    @pytest.mark.parametrize("index", [[3, 0, 4, 1, 2], [7] * 5, list("edcba")])
    def test_records_are_taken_by_position_everywhere(self, measure, index):
        labels = [1, 0, 1, 0, 0]
        expected = measure(labels, FIVE)
        assert_equal(measure(pd.Series(labels, index=index), pd.Series(FIVE)), expected)
        assert_equal(measure(pd.Series(labels), pd.Series(FIVE, index=index)), expected)

    @everywhere
    def test_one_record_too_few_is_an_error_everywhere(self, measure):
        with pytest.raises(InputError, match="y_true has 4"):
            measure([1, 0, 1, 0], FIVE)

    @everywhere
    def test_an_empty_table_is_an_error_everywhere(self, measure):
        with pytest.raises(InputError, match="is empty"):
            measure([], [])
