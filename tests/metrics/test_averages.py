import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, multilabel_confusion_matrix, precision_score, recall_score

from labkit.errors import InputError
from labkit.metrics import ConfusionMatrix
from labkit.metrics.averages import RATES, macro_average, micro_average, one_against_rest

# Rows are true classes, columns what they were taken for: flood, scan, exfil.
TABLE = [[880, 15, 5], [38, 40, 2], [17, 1, 2]]
NAMES = ["flood", "scan", "exfil"]
Y_TRUE = [NAMES[i] for i in range(3) for j in range(3) for _ in range(TABLE[i][j])]
Y_PRED = [NAMES[j] for i in range(3) for j in range(3) for _ in range(TABLE[i][j])]
CLASSES = one_against_rest(Y_TRUE, Y_PRED)

records = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=30
)


def test_counts_by_hand():
    assert one_against_rest(Y_TRUE, Y_PRED) == {
        "exfil": ConfusionMatrix(tp=2, fp=7, fn=18, tn=973),
        "flood": ConfusionMatrix(tp=880, fp=55, fn=20, tn=45),
        "scan": ConfusionMatrix(tp=40, fp=16, fn=40, tn=904),
    }
    assert list(CLASSES) == sorted(NAMES)


@pytest.mark.parametrize(
    ("average", "rate", "value"),
    [
        (macro_average, "recall", (880 / 900 + 40 / 80 + 2 / 20) / 3),
        (macro_average, "precision", (880 / 935 + 40 / 56 + 2 / 9) / 3),
        (macro_average, "fpr", (55 / 100 + 16 / 920 + 7 / 980) / 3),
        (micro_average, "recall", 922 / 1000),
        (micro_average, "precision", 922 / 1000),
        (micro_average, "f1", 922 / 1000),
        (micro_average, "fpr", 78 / 2000),
        (micro_average, "accuracy", (922 + 1922) / 3000),
    ],
)
def test_averages_by_hand(average, rate, value):
    assert average(CLASSES, rate) == pytest.approx(value)


@given(records)
def test_counts_agree_with_scikit_learn(pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    classes = one_against_rest(y_true, y_pred)
    for counts, wanted in zip(
        classes.values(), multilabel_confusion_matrix(y_true, y_pred), strict=True
    ):
        assert [[counts.tn, counts.fp], [counts.fn, counts.tp]] == wanted.tolist()


@given(records)
@pytest.mark.parametrize(
    ("rate", "score"),
    [("recall", recall_score), ("precision", precision_score), ("f1", f1_score)],
)
def test_averages_agree_with_scikit_learn_where_defined(rate, score, pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    classes = one_against_rest(y_true, y_pred)
    micro = score(y_true, y_pred, average="micro")
    assert micro_average(classes, rate) == pytest.approx(micro)
    if not any(math.isnan(getattr(counts, rate)) for counts in classes.values()):
        macro = score(y_true, y_pred, average="macro", zero_division=0)
        assert macro_average(classes, rate) == pytest.approx(macro)


def test_a_class_that_is_never_named_makes_the_macro_precision_undefined():
    classes = one_against_rest(["a", "b", "b"], ["a", "a", "a"])
    assert math.isnan(macro_average(classes, "precision"))
    assert macro_average(classes, "recall") == 1 / 2
    assert micro_average(classes, "precision") == pytest.approx(1 / 3)


def test_a_class_without_records_makes_the_macro_recall_undefined():
    classes = one_against_rest(["a", "a"], ["a", "b"])
    assert list(classes) == ["a", "b"]
    assert math.isnan(macro_average(classes, "recall"))
    assert micro_average(classes, "recall") == 1 / 2


@pytest.mark.parametrize("rate", RATES)
def test_averages_of_equal_classes_are_their_rate(rate):
    counts = ConfusionMatrix(tp=8, fp=20, fn=2, tn=970)
    classes = dict.fromkeys("abc", counts)
    value = getattr(counts, rate)
    assert macro_average(classes, rate) == pytest.approx(value)
    assert micro_average(classes, rate) == pytest.approx(value)


def test_numbers_name_classes_too():
    assert list(one_against_rest(np.array([2, 10, 2]), [10, 10, 2])) == [2, 10]


@pytest.mark.parametrize(
    ("y_true", "y_pred", "told"),
    [
        (["a", "b"], ["a"], "y_true has 2, y_pred has 1"),
        (["a", "b"], [1, 2], "classes of two types"),
        (["a", None], ["a", "b"], "y_true is missing in 1 of 2"),
        ([], [], "y_true is empty"),
    ],
)
def test_classes_that_cannot_be_compared_are_refused(y_true, y_pred, told):
    with pytest.raises(InputError, match=told):
        one_against_rest(y_true, y_pred)


@pytest.mark.parametrize(
    ("classes", "rate", "told"),
    [
        (CLASSES, "auc", "rate is 'auc'"),
        (CLASSES, None, "rate is None"),
        ({}, "recall", "classes is empty"),
        (list(CLASSES.values()), "recall", "classes must be a dict"),
        ({"a": 0.5}, "recall", "classes must be a dict"),
    ],
)
@pytest.mark.parametrize("average", [macro_average, micro_average])
def test_averages_of_nothing_are_refused(average, classes, rate, told):
    with pytest.raises(InputError, match=told):
        average(classes, rate)
