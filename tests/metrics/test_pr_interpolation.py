from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import THOUSAND, scored

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep
from labkit.metrics.pr_interpolation import interpolated_precision

sweep_of = ThresholdSweep.from_scores


def test_the_table_of_davis_and_goadrich():
    # Their Table 1: from (5, 5) to (10, 30) of 20 attacks, five false alerts an attack.
    sweep = ThresholdSweep.from_counts(
        [3, 2, 1], [5, 10, 20], [5, 30, 2000], positives=20, negatives=2000
    )
    recall = [0.25, 0.3, 0.35, 0.4, 0.45, 0.5]
    printed = [0.500, 0.375, 0.318, 0.286, 0.265, 0.250]
    assert interpolated_precision(sweep, recall) == pytest.approx(printed, abs=5e-4)


def test_before_the_first_threshold_the_precision_is_its_own():
    sweep = ThresholdSweep.from_counts(**THOUSAND)
    assert interpolated_precision(sweep, [1e-12, 0.1, 0.4]) == pytest.approx([0.8] * 3)


def test_a_false_alert_on_top_pulls_precision_to_nothing():
    # FP stays 1 while TP grows from 0 to 1: x / (x + 1).
    sweep = sweep_of([0, 1], [2, 1])
    assert interpolated_precision(sweep, [0.01, 0.5, 1]) == pytest.approx([1 / 101, 1 / 3, 1 / 2])


@given(scored(both_classes=True))
def test_at_a_threshold_it_is_the_precision_there(records):
    sweep = sweep_of(*records)
    recall, first = np.unique(sweep.recall, return_index=True)
    found = interpolated_precision(sweep, recall[recall > 0])
    assert found.tolist() == sweep.precision[first[recall > 0]].tolist()


@given(scored(both_classes=True), st.integers(1, 99))
def test_it_is_a_straight_line_in_roc_space(records, percent):
    sweep = sweep_of(*records)
    tp = Fraction(percent, 100) * int(sweep.positives)
    table = [(0, 0), *zip(sweep.tp.tolist(), sweep.fp.tolist(), strict=True)]
    # Of the points on the way up, the first pair that has the wanted count between it.
    low, high = next((a, b) for a, b in pairwise(table) if a[0] < tp <= b[0])
    fp = low[1] + (tp - low[0]) * Fraction(high[1] - low[1], high[0] - low[0])
    found = interpolated_precision(sweep, [percent / 100])
    assert found == pytest.approx([float(tp / (tp + fp))], rel=1e-9)


def test_it_is_the_expected_cut_of_a_tied_group():
    sweep = ThresholdSweep.from_counts(**THOUSAND)
    cut = sweep.at_budget(40, ties="expected")
    assert interpolated_precision(sweep, [cut.recall]) == pytest.approx([cut.precision])


@pytest.mark.parametrize("base_rate", [0.5, 1e-3, 1e-6])
def test_it_holds_at_any_base_rate(base_rate):
    sweep = ThresholdSweep.from_counts(**THOUSAND).at_base_rate(base_rate)
    # Halfway between the points at 0.75 and 0.55.
    recall, fpr = 0.85, 55 / 990
    expected = recall * base_rate / (recall * base_rate + fpr * (1 - base_rate))
    assert interpolated_precision(sweep, [recall]) == pytest.approx([expected])


@pytest.mark.parametrize(
    ("low", "high", "straight_is_above"), [((4, 1), (9, 36), True), ((1, 6), (9, 10), False)]
)
def test_a_straight_line_flatters_where_precision_falls_and_only_there(
    low, high, straight_is_above
):
    counts = [low, high, (10, 90)]
    sweep = ThresholdSweep.from_counts(
        [3, 2, 1], [tp for tp, _ in counts], [fp for _, fp in counts], positives=10, negatives=90
    )
    recall = np.linspace(sweep.recall[0], sweep.recall[1], 9)[1:-1]
    straight = np.interp(recall, sweep.recall[:2], sweep.precision[:2])
    curve = interpolated_precision(sweep, recall)
    assert ((straight > curve) == straight_is_above).all()


@pytest.mark.parametrize(
    ("recall", "message"),
    [
        ([0.0, 0.5], "recall ranges from 0 to 0.5; it must lie within (0, 1]"),
        ([0.5, 1.1], "recall ranges from 0.5 to 1.1; it must lie within (0, 1]"),
        ([0.5, float("nan")], "recall is NaN in 1 of 2 records"),
        (0.5, "recall has shape ()"),
        ([], "recall is empty"),
    ],
)
def test_what_cannot_be_a_recall(recall, message):
    with pytest.raises(InputError) as told:
        interpolated_precision(sweep_of([1, 0], [2, 1]), recall)
    assert message in str(told.value)


def test_without_attacks_there_is_no_recall():
    with pytest.raises(InputError, match="no attacks: recall is undefined"):
        interpolated_precision(sweep_of([0, 0], [2, 1]), [0.5])


def test_with_nothing_but_attacks_every_alert_is_right():
    assert interpolated_precision(sweep_of([1, 1], [2, 1]), [0.1, 1]).tolist() == [1, 1]
