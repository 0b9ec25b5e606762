import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import WORKED
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    fbeta_score,
    matthews_corrcoef,
    precision_score,
)

from labkit.errors import InputError
from labkit.metrics import ConfusionMatrix

RATES = (
    "recall",
    "precision",
    "fpr",
    "specificity",
    "accuracy",
    "balanced_accuracy",
    "f1",
    "mcc",
)
counts = st.integers(0, 12)


@pytest.mark.parametrize(
    ("rate", "value"),
    [
        ("alerts", 28),
        ("recall", 8 / 10),
        ("precision", 8 / 28),
        ("fpr", 20 / 990),
        ("specificity", 970 / 990),
        ("accuracy", 978 / 1000),
        ("balanced_accuracy", (8 / 10 + 970 / 990) / 2),
        ("f1", 16 / 38),
        ("mcc", (8 * 970 - 20 * 2) / math.sqrt(28 * 10 * 990 * 972)),
    ],
)
def test_rates_by_hand(rate, value):
    assert getattr(ConfusionMatrix(tp=8, fp=20, fn=2, tn=970), rate) == pytest.approx(value)


@pytest.mark.parametrize("name", RATES)
def test_no_records_give_no_rate(name):
    assert math.isnan(getattr(ConfusionMatrix(0, 0, 0, 0), name))


def test_all_quiet_worked_example():
    quiet = ConfusionMatrix(tp=0, fp=0, fn=10, tn=990)
    assert quiet.accuracy == WORKED["all_quiet_accuracy"]
    assert quiet.balanced_accuracy == WORKED["all_quiet_balanced_accuracy"]
    assert quiet.recall == 0
    assert quiet.f1 == 0
    assert math.isnan(quiet.precision)
    assert math.isnan(quiet.mcc)


def test_rare_attacks_worked_example():
    rare = ConfusionMatrix(tp=50, fp=100, fn=0, tn=9_900)
    assert rare.fpr == pytest.approx(WORKED["rare_fpr"])
    assert rare.precision == pytest.approx(WORKED["rare_precision"])


@pytest.mark.parametrize(
    ("matrix", "undefined"),
    [
        (ConfusionMatrix(0, 0, 3, 4), {"precision", "mcc"}),
        (ConfusionMatrix(3, 4, 0, 0), {"mcc"}),
        (ConfusionMatrix(0, 3, 0, 4), {"recall", "balanced_accuracy", "mcc"}),
        (ConfusionMatrix(3, 0, 4, 0), {"fpr", "specificity", "balanced_accuracy", "mcc"}),
        (ConfusionMatrix(0, 0, 0, 4), {"recall", "precision", "balanced_accuracy", "f1", "mcc"}),
    ],
)
def test_nan_exactly_where_zero_over_zero(matrix, undefined):
    assert {name for name in RATES if math.isnan(getattr(matrix, name))} == undefined


@given(tp=counts, fp=counts, fn=counts, tn=counts, beta=st.floats(0, 10))
def test_agrees_with_scikit_learn_where_both_are_defined(tp, fp, fn, tn, beta):
    matrix = ConfusionMatrix(tp + 1, fp + 1, fn + 1, tn + 1)
    cells = [(1, 1, tp), (0, 1, fp), (1, 0, fn), (0, 0, tn)]
    y_true = [true for true, _, count in cells for _ in range(count + 1)]
    y_pred = [pred for _, pred, count in cells for _ in range(count + 1)]
    assert matrix.accuracy == pytest.approx(accuracy_score(y_true, y_pred))
    assert matrix.balanced_accuracy == pytest.approx(balanced_accuracy_score(y_true, y_pred))
    assert matrix.precision == pytest.approx(precision_score(y_true, y_pred))
    assert matrix.fbeta(beta) == pytest.approx(fbeta_score(y_true, y_pred, beta=beta))
    assert matrix.mcc == pytest.approx(matthews_corrcoef(y_true, y_pred), abs=1e-12)


@pytest.mark.parametrize("tp", range(1, 12))
@pytest.mark.parametrize("tn", range(1, 12))
def test_mcc_of_perfect_and_inverted_rules_ends_at_1(tp, tn):
    perfect, inverted = ConfusionMatrix(tp, 0, 0, tn).mcc, ConfusionMatrix(0, tn, tp, 0).mcc
    assert 1 - 1e-15 < perfect <= 1
    assert -1 <= inverted < -1 + 1e-15


@given(tp=counts, fp=counts, fn=counts, tn=counts)
def test_rates_stay_within_their_range(tp, fp, fn, tn):
    matrix = ConfusionMatrix(tp, fp, fn, tn)
    for name in RATES:
        value = getattr(matrix, name)
        assert math.isnan(value) or (-1 if name == "mcc" else 0) <= value <= 1


def test_counts_of_millions_do_not_overflow():
    million = np.int64(4_000_000)
    matrix = ConfusionMatrix(million, million, million, 3 * million)
    assert matrix.mcc == pytest.approx((3 - 1) / math.sqrt(2 * 2 * 4 * 4))


def test_fbeta_ends():
    matrix = ConfusionMatrix(tp=8, fp=20, fn=2, tn=970)
    assert matrix.fbeta(0) == pytest.approx(matrix.precision)
    assert matrix.fbeta(1e6) == pytest.approx(matrix.recall)


def test_counts_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        ConfusionMatrix(1, 2, 3, 4).tp = 5


def test_counts_of_eight_bits_do_not_overflow():
    tp, fp, fn, tn = np.array([200, 100, 50, 250], dtype=np.uint8)
    assert ConfusionMatrix(tp, fp, fn, tn).precision == 200 / 300


@pytest.mark.parametrize("count", [-1, math.nan])
def test_a_count_is_not_negative(count):
    with pytest.raises(InputError, match="fp is"):
        ConfusionMatrix(tp=1, fp=count, fn=0, tn=0)
