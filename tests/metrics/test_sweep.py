import json
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import CASES, THOUSAND, WORKED, auc_over_pairs, counts_at, scored
from sklearn.metrics import average_precision_score, roc_auc_score

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep

sweep_of = ThresholdSweep.from_scores
by_fault = pytest.mark.parametrize("case", CASES["rankings"], ids=lambda case: case["fault"])


def sweep_of_case(case, order=slice(None)):
    weights = case.get("weights")
    return sweep_of(
        case["labels"][order],
        case["scores"][order],
        sample_weight=weights[order] if weights else None,
        pos_label=case.get("pos_label"),
    )


@by_fault
def test_known_faults_of_other_tools(case):
    sweep = sweep_of_case(case)
    assert sweep.thresholds.tolist() == case["thresholds"]
    assert sweep.tp.tolist() == case["tp"]
    assert sweep.fp.tolist() == case["fp"]
    assert sweep.roc_auc == pytest.approx(case["auc"], rel=1e-14)
    assert sweep.average_precision == pytest.approx(case["ap"], rel=1e-14)


@by_fault
def test_known_faults_read_backwards(case):
    backwards = sweep_of_case(case, order=slice(None, None, -1))
    assert backwards.tp.tolist() == case["tp"]
    assert backwards.fp.tolist() == case["fp"]


class TestWorkedExamples:
    def test_eight_records(self):
        sweep = sweep_of([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
        assert sweep.roc_auc == WORKED["eight_auc"]
        assert sweep.average_precision == pytest.approx(WORKED["eight_ap"], rel=1e-15)
        joined = np.trapezoid([1, *sweep.precision], [0, *sweep.recall])
        assert joined == pytest.approx(WORKED["eight_pr_trapezoid"])

    def test_ten_records(self):
        sweep = sweep_of([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], range(10, 0, -1))
        assert sweep.roc_auc == pytest.approx(WORKED["ten_auc"], rel=1e-15)
        assert sweep.average_precision == pytest.approx(WORKED["ten_ap"], rel=1e-15)

    def test_a_thousand_records_from_published_counts(self):
        sweep = ThresholdSweep.from_counts(**THOUSAND)
        assert sweep.roc_auc == pytest.approx(WORKED["thousand_auc"], rel=1e-14)
        assert sweep.average_precision == pytest.approx(WORKED["thousand_ap"], abs=5e-7)
        assert sweep.base_rate == 0.01

    @pytest.mark.parametrize("threshold", [0.5, 0.6])
    def test_separated_scores(self, threshold):
        scores = [0.99999, 0.99999, 0.99993, 0.99986, 0.99964, 0.99955, 0.68139, 0.50961, 0.48880]
        point = sweep_of([1] * 6 + [0] * 4, [*scores, 0.44951]).at_threshold(threshold)
        assert point.recall == 1
        assert point.fpr == WORKED[f"separated_fpr_at_{threshold}"]
        assert point.precision == pytest.approx(WORKED[f"separated_precision_at_{threshold}"])


class TestEveryThreshold:
    @given(scored())
    def test_counts_are_those_of_a_loop(self, records):
        labels, scores = records
        sweep = sweep_of(labels, scores)
        assert sweep.thresholds.tolist() == sorted(set(scores), reverse=True)
        rows = zip(sweep.thresholds, sweep.tp, sweep.fp, strict=True)
        assert all((tp, fp) == counts_at(t, labels, scores) for t, tp, fp in rows)
        assert (sweep.positives, sweep.negatives) == (sum(labels), labels.count(False))
        assert sweep.tp.dtype == sweep.fp.dtype == np.int64

    @given(scored(), st.randoms(use_true_random=False))
    def test_row_order_never_matters(self, records, random):
        shuffled = list(zip(*records, strict=True))
        random.shuffle(shuffled)
        assert_same(sweep_of(*records), sweep_of(*zip(*shuffled, strict=True)))

    @given(scored(both_classes=True))
    def test_rates(self, records):
        sweep = sweep_of(*records)
        np.testing.assert_array_equal(sweep.recall, sweep.tp / sum(records[0]))
        np.testing.assert_array_equal(sweep.fpr, sweep.fp / records[0].count(False))
        np.testing.assert_array_equal(sweep.precision, sweep.tp / (sweep.tp + sweep.fp))
        assert sweep.recall[-1] == sweep.fpr[-1] == 1
        assert sweep.precision[-1] == sweep.base_rate

    @given(scored(both_classes=True))
    def test_auc_is_the_share_of_ordered_pairs(self, records):
        assert sweep_of(*records).roc_auc == pytest.approx(auc_over_pairs(*records), abs=1e-14)

    @given(scored(scores=st.floats(-1e300, 1e300), both_classes=True))
    def test_areas_agree_with_scikit_learn(self, records):
        sweep = sweep_of(*records)
        assert sweep.roc_auc == pytest.approx(roc_auc_score(*records), abs=1e-12)
        expected = average_precision_score(*records)
        assert sweep.average_precision == pytest.approx(expected, abs=1e-12)

    @given(scored(scores=st.integers(-8, 8), both_classes=True))
    def test_only_the_order_of_scores_counts(self, records):
        labels, scores = records
        stretched = sweep_of(labels, [math.ldexp(score, -1000) for score in scores])
        squeezed = sweep_of(labels, [1 + score * 2**-52 for score in scores])
        for other in (stretched, squeezed):
            assert other.tp.tolist() == sweep_of(labels, scores).tp.tolist()
            assert other.roc_auc == sweep_of(labels, scores).roc_auc

    @given(scored(), scored())
    def test_a_sum_is_the_sweep_of_all_records(self, one, other):
        joined = sweep_of(one[0] + other[0], one[1] + other[1])
        assert_same(sweep_of(*one) + sweep_of(*other), joined)
        assert_same(sweep_of(*other) + sweep_of(*one), joined)


def assert_same(one, other):
    np.testing.assert_array_equal(one.thresholds, other.thresholds)
    np.testing.assert_array_equal(one.tp, other.tp)
    np.testing.assert_array_equal(one.fp, other.fp)
    assert (one.positives, one.negatives) == (other.positives, other.negatives)


class TestKindsOfInput:
    def test_half_precision_scores_are_counted_past_2048(self):
        n = 6000
        scores = np.linspace(0, 1, n).astype(np.float16)
        sweep = sweep_of(np.arange(n) % 2, scores)
        assert (sweep.positives, sweep.negatives, len(sweep.thresholds)) == (3000, 3000, 3549)
        assert sweep.roc_auc == pytest.approx(0.5001666111111112, rel=1e-14)

    def test_single_precision_scores_keep_their_ties(self):
        scores = np.array([0.1, 0.1, 0.7, 0.30000001], dtype=np.float32)
        sweep = sweep_of([1, 0, 1, 0], scores)
        assert sweep.thresholds.tolist() == [float(s) for s in np.unique(scores)[::-1]]
        assert sweep.at_threshold(scores[0]).alerts == 4

    def test_a_shuffled_index_does_not_move_records(self):
        labels = pd.Series([1, 0, 1, 0], index=[3, 0, 2, 1])
        assert sweep_of(labels, pd.Series([0.9, 0.2, 0.8, 0.1])).roc_auc == 1

    def test_a_repeated_index_does_not_multiply_records(self):
        labels = pd.Series([1, 0, 1, 0], index=[5, 5, 5, 5])
        sweep = sweep_of(labels, pd.Series([0.9, 0.2, 0.8, 0.1], index=[5, 5, 5, 5]))
        assert (sweep.positives, sweep.negatives) == (2, 2)

    def test_infinities_are_scores(self):
        sweep = sweep_of([0, 1, 1, 0], [math.inf, math.inf, 3, -math.inf])
        assert sweep.thresholds.tolist() == [math.inf, 3, -math.inf]
        assert sweep.roc_auc == 5 / 8

    def test_the_caller_s_arrays_stay_as_they_were(self):
        labels, scores, weights = np.array([0, 1, 0]), np.array([0.1, 0.3, 0.2]), np.ones(3)
        sweep_of(labels, scores, sample_weight=weights)
        assert labels.tolist() == [0, 1, 0]
        assert scores.tolist() == [0.1, 0.3, 0.2]

    @pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
    def test_nan_scores_are_an_error_wherever_they_stand(self, order):
        scores = np.array([math.nan, 0.2, 0.7, 0.1])[order]
        with pytest.raises(InputError, match="y_score is NaN in 1 of 4"):
            sweep_of(np.array([0, 1, 1, 0])[order], scores)

    def test_lengths_must_agree(self):
        with pytest.raises(InputError, match="y_true has 2, y_score has 3"):
            sweep_of([0, 1], [1, 2, 3])
        with pytest.raises(InputError, match="y_true has 2, sample_weight has 1"):
            sweep_of([0, 1], [1, 2], sample_weight=[1])


class TestOneClass:
    @pytest.mark.parametrize(("label", "ap"), [(0, math.nan), (1, 1.0)])
    def test_what_is_undefined_is_nan(self, label, ap):
        sweep = sweep_of([label] * 3, [0.1, 0.5, 0.9])
        assert math.isnan(sweep.roc_auc)
        assert sweep.average_precision == pytest.approx(ap, nan_ok=True)
        assert np.isnan(sweep.recall).all() == (label == 0)
        assert np.isnan(sweep.fpr).all() == (label == 1)
        assert sweep.base_rate == label

    def test_a_mean_over_days_can_leave_the_undefined_day_out(self):
        days = [([0, 0], [1, 2]), ([0, 1], [1, 2])]
        assert np.nanmean([sweep_of(*day).roc_auc for day in days]) == 1

    def test_one_record(self):
        assert sweep_of([1], [0.5]).average_precision == 1


class TestTable:
    def test_columns(self):
        frame = sweep_of([1, 0, 1, 0], [4, 3, 3, 2]).to_frame()
        assert frame.to_dict("list") == {
            "threshold": [4, 3, 2],
            "tp": [1, 2, 2],
            "fp": [0, 1, 2],
            "alerts": [1, 3, 4],
            "recall": [0.5, 1, 1],
            "fpr": [0, 0.5, 1],
            "precision": [1, 2 / 3, 0.5],
        }

    def test_every_threshold_is_an_observed_score_so_the_table_is_strict_json(self):
        frame = sweep_of([0, 1], [0.2, 0.8]).to_frame()
        assert json.loads(json.dumps(frame.to_dict("list"), allow_nan=False))["threshold"] == [
            0.8,
            0.2,
        ]

    def test_repr_tells_the_counts_in_full(self):
        table = ThresholdSweep.from_counts([1], [1], [12345678], positives=1, negatives=12345678)
        assert repr(table) == "ThresholdSweep(1 thresholds, 1 positives, 12345678 negatives)"


class TestFromCounts:
    @given(scored())
    def test_agrees_with_from_scores(self, records):
        sweep = sweep_of(*records)
        counts = sweep.thresholds, sweep.tp, sweep.fp
        totals = {"positives": sweep.positives, "negatives": sweep.negatives}
        assert_same(ThresholdSweep.from_counts(*counts, **totals), sweep)

    def test_rows_that_flag_nothing_are_left_out(self):
        rows = [math.inf, 0.99, *THOUSAND["thresholds"]], [0, 0, *THOUSAND["tp"]]
        totals = {name: THOUSAND[name] for name in ("positives", "negatives")}
        table = ThresholdSweep.from_counts(*rows, [0, 0, *THOUSAND["fp"]], **totals)
        assert_same(table, ThresholdSweep.from_counts(**THOUSAND))

    def test_whole_counts_stay_whole_and_weights_do_not(self):
        make = ThresholdSweep.from_counts
        assert make([1], [2.0], [3.0], positives=2, negatives=3).tp.dtype == np.int64
        assert make([1], [2.5], [3.0], positives=2.5, negatives=3).tp.tolist() == [2.5]
        assert make([1], [1e19], [1e19], positives=1e19, negatives=1e19).base_rate == 0.5

    @pytest.mark.parametrize(
        ("change", "fault"),
        [
            ({"thresholds": [0.95, 0.75, 0.75, 0.35, 0.1]}, "thresholds do not descend at row 2"),
            ({"tp": [4, 8, 9, 8, 10]}, "tp decreases at row 3"),
            ({"fp": [1, 0, 90, 290, 990]}, "fp decreases at row 1"),
            ({"tp": [-1, 8, 9, 10, 10]}, "row 0 holds a negative count"),
            ({"positives": 12}, "tp=10 and fp=990 of 12 positives"),
            ({"negatives": 991}, "add the row of a threshold that flags everything"),
            ({"tp": [4, 8]}, "thresholds has 5, tp has 2, fp has 5"),
            ({"thresholds": [math.nan, 0.75, 0.55, 0.35, 0.1]}, "thresholds is NaN in 1 of 5"),
            ({"fp": [1, 20, 90, 290, math.inf], "negatives": math.inf}, "no number of records"),
            (
                {"tp": [0] * 5, "fp": [0] * 5, "positives": 0, "negatives": 0},
                "no number of records",
            ),
        ],
    )
    def test_tables_that_cannot_be(self, change, fault):
        with pytest.raises(InputError, match=fault):
            ThresholdSweep.from_counts(**(THOUSAND | change))


def test_a_sweep_adds_to_nothing_but_a_sweep():
    with pytest.raises(TypeError):
        sweep_of([0, 1], [1, 2]) + 1


def test_a_sweep_is_a_value_that_nobody_changes():
    sweep = sweep_of([1, 0], [2, 1])
    with pytest.raises(FrozenInstanceError):
        sweep._negative_weight = 2.0
    # Two sweeps are compared by what is read off them; == asks whether they are one.
    assert sweep != sweep_of([1, 0], [2, 1])
    assert repr(sweep) == "ThresholdSweep(2 thresholds, 1 positives, 1 negatives)"
