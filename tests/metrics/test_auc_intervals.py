"""DeLong against the definition over every pair, and against pROC's published figures."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from scored import auc_over_pairs, scored

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep, delong, delong_of_counts, delong_test

SHARED = Path(__file__).parents[3] / "shared" / "real" / "scores" / "aSAH.csv"


def placements(labels, scores):
    """The share of the other class beaten by each record, pair by pair."""

    def beaten(high, low):
        return (high > low) + 0.5 * (high == low)

    attacks = [score for label, score in zip(labels, scores, strict=True) if label]
    normals = [score for label, score in zip(labels, scores, strict=True) if not label]
    of_attacks = [np.mean([beaten(a, n) for n in normals]) for a in attacks]
    of_normals = [np.mean([beaten(a, n) for a in attacks]) for n in normals]
    return np.array(of_attacks), np.array(of_normals)


@given(scored(both_classes=True, max_size=14))
def test_auc_and_variance_are_those_of_the_placements(records):
    labels, scores = records
    result = delong(labels, scores)
    assert result.auc == pytest.approx(auc_over_pairs(labels, scores), abs=1e-12)
    parts = placements(labels, scores)
    if min(len(part) for part in parts) < 2:
        assert math.isnan(result.variance)
    else:
        variance = sum(part.var(ddof=1) / len(part) for part in parts)
        assert result.variance == pytest.approx(variance, abs=1e-12)
        assert 0 <= result.low <= result.auc <= result.high <= 1


@given(scored())
def test_counts_give_what_records_give(records):
    y_true, y_score = records
    of_counts = delong_of_counts(ThresholdSweep.from_scores(y_true, y_score))
    assert vars(of_counts) == pytest.approx(vars(delong(y_true, y_score)), nan_ok=True)


def test_weights_are_no_numbers_of_records():
    sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 2, 3, 0.5])
    with pytest.raises(InputError, match="counts weights"):
        delong_of_counts(sweep)


def test_worked_by_hand():
    # Attacks beat 5, 4 and 2 of 5 normal records; those are beaten by 1, 2, 2, 3 and 3 of 3.
    result = delong([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    variance = (4 / 15) ** 2 + (1 / 15) ** 2 + (5 / 15) ** 2
    of_attacks = variance / 2 / 3
    of_normals = (0.4**2 + 2 * (1 / 15) ** 2 + 2 * (4 / 15) ** 2) / 4 / 5
    assert result.variance == pytest.approx(of_attacks + of_normals, abs=1e-15)
    half = 1.959963984540054 * math.sqrt(of_attacks + of_normals)
    assert (result.low, result.high) == (pytest.approx(11 / 15 - half), 1.0)


def test_a_perfect_ranking_has_no_width_and_stays_within_1():
    scores = np.array([0.1, 0.2, 0.35, 0.4, 0.8, 0.9], dtype=np.float32)
    result = delong([0, 0, 0, 1, 1, 1], scores)
    assert (result.auc, result.variance, result.low, result.high) == (1, 0, 1, 1)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_undefined(label):
    result = delong([label] * 3, [0.1, 0.5, 0.9])
    assert all(math.isnan(value) for value in vars(result).values())


def test_one_detector_against_itself_does_not_differ():
    result = delong_test([1, 0, 1, 0], [4, 3, 2, 1], [8, 6, 4, 2])
    assert (result.difference, result.variance, result.low, result.high) == (0, 0, 0, 0)
    assert math.isnan(result.z)
    assert math.isnan(result.p_value)


@given(scored(both_classes=True, max_size=10), scored(both_classes=True, max_size=10))
def test_the_difference_changes_sign_with_the_detectors(first, second):
    size = min(len(first[0]), len(second[0]))
    labels = [1, 1, 0, 0, *first[0]][:size]
    a, b = first[1][:size], second[1][:size]
    if 0 not in labels or 1 not in labels:
        return
    there, back = delong_test(labels, a, b), delong_test(labels, b, a)
    if math.isnan(there.variance):
        assert math.isnan(back.variance)
        return
    assert there.difference == pytest.approx(-back.difference, abs=1e-12)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-12)
    expected = sum(
        (x - y).var(ddof=1) / len(x)
        for x, y in zip(placements(labels, a), placements(labels, b), strict=True)
    )
    assert there.variance == pytest.approx(expected, abs=1e-12)


def test_published_figures_of_proc():
    if not SHARED.is_file():
        pytest.skip("the aSAH scores are not here")
    with SHARED.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["outcome"]]
    labels = [row["outcome"] == "Poor" for row in rows]
    wfns, s100b, ndka = ([float(row[name]) for row in rows] for name in ("wfns", "s100b", "ndka"))
    assert delong(labels, wfns).auc == pytest.approx(0.823678861788618, abs=1e-15)
    assert delong(labels, ndka).auc == pytest.approx(0.611957994579946, abs=1e-15)
    assert delong(labels, s100b).auc == pytest.approx(0.731369, abs=5e-7)
    assert delong(labels, wfns).variance == pytest.approx(0.00146991470882363, rel=1e-13)
    assert delong(labels, ndka).variance == pytest.approx(0.0031908105493913, rel=1e-13)
    assert delong(labels, s100b).variance == pytest.approx(0.00266868245717244, rel=1e-13)
    test = delong_test(labels, wfns, s100b)
    assert test.z == pytest.approx(2.20898359144091, rel=1e-13)
    assert test.p_value == pytest.approx(0.0271758, abs=5e-8)
    assert (test.low, test.high) == pytest.approx((0.0104061769564846, 0.174214419249478))
    covariance = (delong(labels, s100b).variance + delong(labels, wfns).variance) / 2
    assert covariance - test.variance / 2 == pytest.approx(0.00119615567376754, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([1, 0], [1, math.nan], [1, 2]), "y_score_a"),
        (([1, 0], [1, 2], [1, 2, 3]), "y_score_b"),
        (([1, 2], [1, 2], [1, 2]), "y_true"),
        (([1, 0], [1, 2], [1, 2], 95), "level"),
    ],
)
def test_faults_are_named(arguments, named):
    with pytest.raises(InputError, match=named):
        delong_test(*arguments)
