"""Weighted records, and the same ranking at another base rate."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import CASES, THOUSAND, WORKED, auc_over_pairs, counts_at, scored
from sklearn.metrics import average_precision_score, roc_auc_score

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep

sweep_of = ThresholdSweep.from_scores
whole_weights = st.integers(0, 5)
base_rates = st.one_of(st.floats(1e-6, 1 - 1e-6), st.sampled_from([0.5, 0.01, 0.001]))


@st.composite
def weighted(draw):
    labels, scores = draw(scored(scores=st.sampled_from([0.1, 0.2, 0.3, 0.4]), both_classes=True))
    weights = [draw(whole_weights) for _ in labels]
    weights[labels.index(True)] = weights[labels.index(False)] = 2
    return labels, scores, weights


class TestWeights:
    @given(weighted())
    def test_a_whole_weight_is_that_many_records(self, records):
        labels, scores, weights = records
        repeated = [np.repeat(column, weights) for column in (labels, scores)]
        sweep, expected = sweep_of(labels, scores, sample_weight=weights), sweep_of(*repeated)
        assert sweep.thresholds.tolist() == expected.thresholds.tolist()
        assert sweep.tp.tolist() == expected.tp.tolist()
        assert sweep.fp.tolist() == expected.fp.tolist()
        assert sweep.roc_auc == pytest.approx(auc_over_pairs(*records), abs=1e-14)
        assert sweep.average_precision == pytest.approx(expected.average_precision)

    @given(weighted())
    def test_weight_zero_is_as_if_removed(self, records):
        kept = [record for record in zip(*records, strict=True) if record[2]]
        labels, scores, weights = zip(*kept, strict=True)
        thresholds = sweep_of(records[0], records[1], sample_weight=records[2]).thresholds
        expected = sweep_of(labels, scores, sample_weight=weights).thresholds
        assert thresholds.tolist() == expected.tolist()

    @given(weighted())
    def test_unit_weights_change_nothing(self, records):
        labels, scores, _ = records
        sweep = sweep_of(labels, scores, sample_weight=np.ones(len(labels), dtype=np.float32))
        assert sweep.tp.tolist() == sweep_of(labels, scores).tp.tolist()
        assert sweep.roc_auc == sweep_of(labels, scores).roc_auc

    @given(weighted())
    def test_areas_agree_with_scikit_learn(self, records):
        labels, scores, weights = records
        sweep = sweep_of(labels, scores, sample_weight=weights)
        auc = roc_auc_score(labels, scores, sample_weight=weights)
        ap = average_precision_score(labels, scores, sample_weight=weights)
        assert (sweep.roc_auc, sweep.average_precision) == pytest.approx((auc, ap))

    @pytest.mark.parametrize("unit", [2.0**-1000, 1e-200, 0.1, 1e16, 1e200, 2.0**1000])
    def test_the_unit_of_weight_does_not_matter(self, unit):
        labels, scores, weights = [1, 0, 1, 0, 0], [5, 4, 4, 2, 1], [3, 1, 2, 5, 1]
        sweep = sweep_of(labels, scores, sample_weight=np.multiply(weights, unit))
        assert sweep.roc_auc == pytest.approx(auc_over_pairs(labels, scores, weights))
        assert sweep.average_precision == pytest.approx(3 / 5 + 2 / 5 * 5 / 6)

    def test_rates_end_at_exactly_1_beside_a_huge_weight(self):
        sweep = sweep_of([1, 0, 0], [0.5, 0.9, 0.1], sample_weight=[1e16, 1, 1])
        assert sweep.fpr.tolist() == [0.5, 0.5, 1]
        assert sweep.recall.tolist() == [0, 1, 1]

    def test_single_precision_weights_are_summed_in_double(self):
        weights = np.array([2**24, 1, 1, 1, 2], dtype=np.float32)
        sweep = sweep_of([1, 1, 1, 1, 0], range(5), sample_weight=weights)
        assert sweep.positives == 2**24 + 3

    @pytest.mark.parametrize(("class_", "ap"), [(1, math.nan), (0, 1.0)])
    def test_a_class_of_weight_zero_is_a_class_missing(self, class_, ap):
        labels = [1, 0, 1, 0]
        sweep = sweep_of(labels, [4, 3, 2, 1], sample_weight=[label != class_ for label in labels])
        assert math.isnan(sweep.roc_auc)
        assert sweep.average_precision == pytest.approx(ap, nan_ok=True)

    def test_negative_weights_are_refused(self):
        with pytest.raises(InputError, match="sample_weight is negative in 1 of 4 records"):
            sweep_of([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], sample_weight=[1, 1, -0.5, 1])

    def test_a_budget_may_be_any_weight(self):
        sweep = sweep_of([1, 0, 1], [3, 2, 1], sample_weight=[0.5, 0.25, 2])
        assert sweep.at_budget(0.75).alerts == 0.75
        assert sweep.at_budget(0.6).alerts == 0.5
        assert sweep.at_budget(1.75, ties="expected").tp == 0.5 + 1


class TestBaseRate:
    @pytest.mark.parametrize("row", CASES["base_rates"]["rows"], ids=str)
    def test_precision_moves_and_the_roc_curve_does_not(self, row):
        case = CASES["base_rates"]
        sweep = sweep_of(case["labels"], case["scores"]).at_base_rate(row["base_rate"])
        assert sweep.roc_auc == pytest.approx(case["auc"])
        assert sweep.average_precision == pytest.approx(row["ap"])
        assert sweep.at_threshold(0.6).precision == pytest.approx(row["precision_at_0.6"])
        assert sweep.base_rate == pytest.approx(row["base_rate"])
        # The baseline: what flagging everything gives.
        assert sweep.precision[-1] == pytest.approx(row["base_rate"])

    @pytest.mark.parametrize("base_rate", [0.001, 0.01, 0.1])
    def test_published_precisions(self, base_rate):
        sweep = ThresholdSweep.from_counts(**THOUSAND).at_base_rate(base_rate)
        expected = WORKED[f"thousand_precision_at_{base_rate}"]
        assert sweep.at_threshold(0.75).precision == pytest.approx(expected, abs=5e-4)

    @given(scored(both_classes=True), base_rates)
    def test_rates_within_a_class_stay_to_the_last_bit(self, records, base_rate):
        sweep = sweep_of(*records)
        moved = sweep.at_base_rate(base_rate)
        assert moved.recall.tobytes() == sweep.recall.tobytes()
        assert moved.fpr.tobytes() == sweep.fpr.tobytes()
        assert moved.roc_auc == sweep.roc_auc
        assert moved.thresholds.tolist() == sweep.thresholds.tolist()
        assert moved.base_rate == pytest.approx(base_rate)

    @given(scored(both_classes=True), base_rates)
    def test_precision_is_that_of_bayes(self, records, pi):
        moved = sweep_of(*records).at_base_rate(pi)
        bayes = pi * moved.recall / (pi * moved.recall + (1 - pi) * moved.fpr)
        np.testing.assert_allclose(moved.precision, bayes, rtol=1e-12)

    @given(scored(both_classes=True), base_rates)
    def test_agrees_with_weights_on_the_normal_records(self, records, pi):
        labels, scores = records
        weight = sum(labels) * (1 - pi) / pi / labels.count(False)
        weights = [1 if label else weight for label in labels]
        moved, expected = (
            sweep_of(labels, scores).at_base_rate(pi),
            sweep_of(labels, scores, sample_weight=weights),
        )
        np.testing.assert_allclose(moved.alerts, expected.alerts)
        assert moved.average_precision == pytest.approx(expected.average_precision)
        for row in zip(moved.thresholds, moved.tp, moved.fp, strict=True):
            assert row[1:] == pytest.approx(counts_at(row[0], labels, scores, weights))

    @given(scored(both_classes=True), base_rates)
    def test_the_present_base_rate_and_the_way_back_change_nothing(self, records, base_rate):
        sweep = sweep_of(*records)
        for same in (
            sweep.at_base_rate(sweep.base_rate),
            sweep.at_base_rate(base_rate).at_base_rate(sweep.base_rate),
        ):
            np.testing.assert_allclose(same.precision, sweep.precision)
            assert same.average_precision == pytest.approx(sweep.average_precision)

    @pytest.mark.parametrize("base_rate", [0, 1, -0.1, 1.5, math.nan])
    def test_a_base_rate_lies_within_0_and_1(self, base_rate):
        with pytest.raises(InputError, match="base_rate is"):
            sweep_of([1, 0], [2, 1]).at_base_rate(base_rate)

    @pytest.mark.parametrize(
        ("weights", "base_rate"),
        [
            # No weight of the normal record is large, or small, enough to be held in float64.
            ([1e300, 1e10], 1e-15),
            ([5e-324, 1], 0.999),
            ([1e-300, 1e300], 0.5),
        ],
    )
    def test_a_base_rate_that_no_weight_gives_is_refused(self, weights, base_rate):
        with pytest.raises(InputError, match="no weight that makes it so"):
            sweep_of([1, 0], [2, 1], sample_weight=weights).at_base_rate(base_rate)

    @pytest.mark.parametrize("label", [0, 1])
    def test_one_class_has_no_base_rate_to_change(self, label):
        with pytest.raises(InputError, match="one class only"):
            sweep_of([label], [1]).at_base_rate(0.5)

    def test_reweighted_parts_add_up_only_at_one_weight(self):
        one, other = sweep_of([1, 0], [2, 1]), sweep_of([1, 0, 0], [3, 2, 1])
        with pytest.raises(InputError, match="add first, then reweight"):
            one.at_base_rate(0.1) + other.at_base_rate(0.1)
        with pytest.raises(InputError, match="add first, then reweight"):
            one + one.at_base_rate(0.1)
        assert (one.at_base_rate(0.1) + one.at_base_rate(0.1)).base_rate == pytest.approx(0.1)

    def test_a_budget_on_reweighted_records_need_not_be_whole(self):
        rare = sweep_of([1, 0, 1, 0], [4, 3, 2, 1]).at_base_rate(0.1)
        assert rare.at_budget(10.5).alerts == pytest.approx(10)
