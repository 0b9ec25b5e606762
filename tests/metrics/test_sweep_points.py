"""Reading one operating point off a sweep: by threshold, rate, budget or cost."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import CASES, SCORES, THOUSAND, counts_at, scored

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep

sweep_of = ThresholdSweep.from_scores
few_scores = st.sampled_from([0.1, 0.2, 0.2000000000000001, 0.3])
FIVE = ([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])


class TestAtThreshold:
    def test_a_score_equal_to_the_threshold_is_an_alert(self):
        point = sweep_of([1, 0, 1, 0, 0], [0.9, 0.8, 0.3, 0.2, 0.1]).at_threshold(0.3)
        assert (point.tp, point.fp, point.fn, point.tn) == (2, 1, 0, 2)
        assert point.fpr == pytest.approx(1 / 3)
        assert point.threshold == 0.3

    @given(scored(), SCORES)
    def test_counts_are_those_of_a_loop(self, records, threshold):
        point = sweep_of(*records).at_threshold(threshold)
        assert (point.tp, point.fp) == counts_at(threshold, *records)
        assert point.tp + point.fn == sum(records[0])
        assert point.fp + point.tn == records[0].count(False)

    @given(scored())
    def test_each_threshold_of_the_sweep_and_just_beside_it(self, records):
        sweep = sweep_of(*records)
        for threshold in sweep.thresholds:
            for near in (
                threshold,
                math.nextafter(threshold, -math.inf),
                math.nextafter(threshold, math.inf),
            ):
                point = sweep.at_threshold(near)
                assert (point.tp, point.fp) == counts_at(near, *records)

    def test_a_published_operating_point(self):
        point = ThresholdSweep.from_counts(**THOUSAND).at_threshold(0.55)
        assert (point.tp, point.fp, point.fn, point.tn) == (9, 90, 1, 900)
        assert (point.recall, point.alerts) == (0.9, 99)
        assert point.precision == pytest.approx(1 / 11)
        assert point.fpr == pytest.approx(1 / 11)

    def test_nan_is_no_threshold(self):
        with pytest.raises(InputError, match="threshold is nan"):
            sweep_of([1], [1]).at_threshold(math.nan)


class TestAtRates:
    @given(scored(both_classes=True), st.floats(0, 1, exclude_min=True))
    def test_the_highest_threshold_with_the_recall(self, records, recall):
        labels, scores = records
        reached = [t for t in scores if counts_at(t, *records)[0] / sum(labels) >= recall]
        assert sweep_of(*records).at_recall(recall).threshold == max(reached)

    @given(scored(both_classes=True), st.floats(0, 1))
    def test_the_lowest_threshold_with_the_false_positive_rate(self, records, fpr):
        normals = records[0].count(False)
        allowed = [t for t in records[1] if counts_at(t, *records)[1] / normals <= fpr]
        point = sweep_of(*records).at_fpr(fpr)
        if allowed:
            assert point.threshold == min(allowed)
        else:
            assert point.alerts == 0

    def test_a_rate_met_exactly_is_met(self):
        sweep = sweep_of([1] * 10 + [0] * 10, list(range(10)) * 2)
        for tenths in range(1, 11):
            assert sweep.at_recall(tenths / 10).tp == tenths
            assert sweep.at_fpr(tenths / 10).fp == tenths

    @pytest.mark.parametrize("recall", [0, -0.1, 1.1, 80, math.nan])
    def test_recall_lies_within_0_and_1(self, recall):
        with pytest.raises(InputError, match="recall is"):
            sweep_of([1, 0], [2, 1]).at_recall(recall)

    @pytest.mark.parametrize("fpr", [-0.1, 1.1, math.nan])
    def test_false_positive_rate_lies_within_0_and_1(self, fpr):
        with pytest.raises(InputError, match="fpr is"):
            sweep_of([1, 0], [2, 1]).at_fpr(fpr)

    def test_a_rate_of_a_missing_class_is_undefined(self):
        with pytest.raises(InputError, match="recall is undefined"):
            sweep_of([0], [1]).at_recall(0.5)
        with pytest.raises(InputError, match="false positive rate is undefined"):
            sweep_of([1], [1]).at_fpr(0.5)


class TestAtBudget:
    def test_a_budget_that_ends_inside_a_tie(self):
        under, over, cut = (sweep_of(*FIVE).at_budget(2, t) for t in ("under", "over", "expected"))
        assert (under.threshold, under.alerts, under.tp) == (0.9, 1, 1)
        assert (over.threshold, over.alerts, over.tp) == (0.8, 4, 3)
        assert (cut.threshold, cut.alerts) == (0.8, 2)
        assert cut.tp == pytest.approx(5 / 3)
        assert cut.precision == pytest.approx(5 / 6)
        for point in (under, over, cut):
            assert (point.budget, point.ties_at_cut, point.tp_low, point.tp_high) == (2, 3, 1, 2)

    @pytest.mark.parametrize("labels", [[0, 0, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0]])
    def test_a_constant_score_gives_the_base_rate_in_any_row_order(self, labels):
        sweep = sweep_of(labels, [1, 1, 1, 1])
        cut = sweep.at_budget(2, ties="expected")
        assert (cut.precision, cut.tp_low, cut.tp_high) == (0.5, 0, 2)
        assert sweep.at_budget(2).alerts == 0

    def test_a_budget_that_ends_between_two_scores(self):
        for ties in ("under", "over", "expected"):
            point = sweep_of(*FIVE).at_budget(4, ties)
            assert (point.alerts, point.tp, point.ties_at_cut) == (4, 3, 0)
            assert (point.tp_low, point.tp_high) == (3, 3)

    @given(scored(scores=few_scores), st.integers(0, 20))
    def test_under_never_exceeds_and_over_never_falls_short(self, records, k):
        labels, scores = records
        under, over = (sweep_of(*records).at_budget(k, ties) for ties in ("under", "over"))
        assert under.alerts <= k
        assert over.alerts >= min(k, len(labels))
        for point in (under, over):
            if point.alerts:
                assert (point.tp, point.fp) == counts_at(point.threshold, *records)
        # Nothing lies between them but the one tied group.
        assert over.alerts - under.alerts in (0, over.ties_at_cut)
        allowed = [t for t in scores if sum(counts_at(t, *records)) <= k]
        assert under.alerts == (sum(counts_at(min(allowed), *records)) if allowed else 0)

    @given(scored(scores=few_scores, max_size=8), st.integers(0, 10))
    def test_expected_is_the_mean_over_every_cut_of_the_tie(self, records, k):
        ranked = sorted(zip(records[1], records[0], strict=True), reverse=True)
        cut = sweep_of(*records).at_budget(k, ties="expected")
        at_cut = ranked[k - 1][0] if 0 < k <= len(ranked) else None
        above = [label for score, label in ranked if at_cut is None or score > at_cut]
        tied = [label for score, label in ranked if score == at_cut]
        if k == 0:
            above = []
        room = min(k, len(ranked)) - len(above)
        hits = [sum(above) + sum(chosen) for chosen in combinations(tied, room)]
        assert cut.alerts == min(k, len(ranked))
        assert cut.tp == pytest.approx(sum(hits) / len(hits))
        assert (cut.tp_low, cut.tp_high) == (min(hits), max(hits))
        assert cut.tp + cut.fn == pytest.approx(sum(records[0]))
        assert cut.fp + cut.tn == pytest.approx(records[0].count(False))
        assert cut.ties_at_cut == (len(tied) if len(tied) > room else 0)

    @given(scored(scores=few_scores), st.integers(0, 14), st.randoms(use_true_random=False))
    def test_row_order_never_matters(self, records, k, random):
        shuffled = list(zip(*records, strict=True))
        random.shuffle(shuffled)
        other = sweep_of(*zip(*shuffled, strict=True))
        for ties in ("under", "over", "expected"):
            assert sweep_of(*records).at_budget(k, ties).tp == other.at_budget(k, ties).tp

    @pytest.mark.parametrize("ties", ["under", "over", "expected"])
    def test_no_budget_no_alerts(self, ties):
        point = sweep_of([1, 0, 1], [0.3, 0.2, 0.1]).at_budget(0, ties)
        assert (point.alerts, point.recall, point.threshold) == (0, 0, math.inf)
        assert math.isnan(point.precision)

    @pytest.mark.parametrize("k", [5, 6, 10**9, np.int64(7), 5.0, math.inf])
    @pytest.mark.parametrize("ties", ["under", "over", "expected"])
    def test_a_budget_for_every_record_flags_every_record(self, ties, k):
        point = sweep_of(*FIVE).at_budget(k, ties)
        assert (point.alerts, point.threshold, point.ties_at_cut) == (5, 0.1, 0)

    @pytest.mark.parametrize("k", [-1, 2.5, math.nan, -math.inf, True, np.True_, "3", None, [3]])
    def test_what_is_no_budget(self, k):
        with pytest.raises(InputError, match=r"^k is .*; a budget is a .*number of alerts"):
            sweep_of(*FIVE).at_budget(k)

    def test_ties_have_three_policies(self):
        with pytest.raises(InputError, match="ties is 'random'"):
            sweep_of(*FIVE).at_budget(2, "random")

    def test_nothing_lies_above_an_infinite_score(self):
        point = sweep_of([1, 0], [math.inf, 1]).at_budget(0)
        assert point.alerts == 0
        assert math.isnan(point.threshold)


class TestAtCost:
    @pytest.mark.parametrize("row", CASES["costs"]["rows"], ids=lambda r: f"{r['fp']}:{r['fn']}")
    def test_the_best_of_all_thresholds_and_of_those_the_highest(self, row):
        sweep = sweep_of(CASES["costs"]["labels"], CASES["costs"]["scores"])
        point = sweep.at_cost(fp=row["fp"], fn=row["fn"])
        assert point.threshold == float(row["threshold"])
        assert row["fp"] * point.fp + row["fn"] * point.fn == row["cost"]

    @given(scored(), st.integers(0, 60), st.integers(0, 60))
    def test_agrees_with_trying_every_threshold(self, records, fp, fn):
        labels, scores = records

        def cost(threshold):
            hits, false = (0, 0) if threshold is None else counts_at(threshold, *records)
            return Fraction(fp * false + fn * (sum(labels) - hits))

        candidates = [None, *sorted(set(scores), reverse=True)]
        best = min(candidates, key=cost)
        point = sweep_of(*records).at_cost(fp=fp, fn=fn)
        assert fp * point.fp + fn * point.fn == cost(best)
        assert point.alerts == (0 if best is None else sum(counts_at(best, *records)))
        if best is not None:
            assert point.threshold == best

    def test_on_reweighted_records_the_rare_attack_weighs_less(self):
        sweep = sweep_of([1, 0, 1, 0], [4, 3, 2, 1])
        assert sweep.at_cost(fp=1, fn=5).threshold == 2
        assert sweep.at_base_rate(0.01).at_cost(fp=1, fn=5).threshold == 4

    @pytest.mark.parametrize("cost", [-1, math.nan, math.inf])
    @pytest.mark.parametrize("name", ["fp", "fn"])
    def test_what_is_no_cost(self, name, cost):
        with pytest.raises(InputError, match=f"{name} is"):
            sweep_of([1, 0], [2, 1]).at_cost(**({"fp": 1, "fn": 1} | {name: cost}))


def test_bounds_of_a_cut_below_false_alerts():
    # Two false alerts, then a tie of three attacks and one normal record, of which three are taken.
    sweep = sweep_of([0, 0, 1, 1, 1, 0, 0], [9, 8, 7, 7, 7, 7, 1])
    cut = sweep.at_budget(5, "expected")
    assert (cut.tp, cut.tp_low, cut.tp_high) == (2.25, 2, 3)
    assert (cut.fp, cut.fn, cut.tn) == (2.75, 0.75, 1.25)


def test_an_expected_cut_can_miss_nothing():
    cut = sweep_of([1, 0, 0], [2, 1, 1]).at_budget(2, "expected")
    assert (cut.tp, cut.fp, cut.fn, cut.tn) == (1, 1, 0, 1)
    cut = sweep_of([0, 1, 1], [2, 1, 1]).at_budget(2, "expected")
    assert (cut.tp, cut.fp, cut.fn, cut.tn) == (1, 1, 1, 0)


def test_a_budget_beyond_a_thousand_scores_flags_every_record():
    point = sweep_of([1] * 500 + [0] * 500, range(1000)).at_budget(5000)
    assert (point.alerts, point.threshold) == (1000, 0)


def test_a_published_table_has_columns_of_one_length():
    with pytest.raises(InputError, match="thresholds has 3, tp has 2, fp has 2"):
        ThresholdSweep.from_counts([3, 2, 1], [1, 2], [1, 2], positives=2, negatives=2)
