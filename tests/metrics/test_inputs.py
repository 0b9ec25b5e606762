import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from labkit.errors import InputError
from labkit.metrics.inputs import as_labels, as_probabilities, as_scores, as_weights, check_lengths

ATTACKS = [False, True, True, False]


@pytest.mark.parametrize(
    "labels",
    [
        [False, True, True, False],
        [0, 1, 1, 0],
        [-1, 1, 1, -1],
        [0.0, 1.0, 1.0, 0.0],
        (0, 1, 1, 0),
        np.array([0, 1, 1, 0], dtype=np.uint8),
        np.array([-1, 1, 1, -1], dtype=np.int8),
        np.array([0, 1, 1, 0], dtype=np.float16),
        np.array([0, 1, 1, 0], dtype=object),
        np.array([False, True, True, False], dtype=object),
        pd.Series([0, 1, 1, 0], dtype="Int64"),
        pd.Series([0, 1, 1, 0], dtype="category"),
        pd.Series([False, True, True, False], dtype="boolean"),
        pd.Series([0, 1, 1, 0], index=[3, 1, 0, 2]),
        pd.Series([0, 1, 1, 0], index=[7, 7, 7, 7]),
    ],
    ids=lambda labels: f"{type(labels).__name__}-{getattr(labels, 'dtype', '')}",
)
def test_labels_that_need_no_pos_label(labels):
    result = as_labels(labels)
    assert result.dtype == bool
    assert result.tolist() == ATTACKS


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (["no", "yes", "yes", "no"], "yes"),
        (np.array(["no", "yes", "yes", "no"], dtype=object), "yes"),
        (np.array([b"no", b"yes", b"yes", b"no"]), b"yes"),
        (pd.Series(["no", "yes", "yes", "no"], dtype="string"), "yes"),
        (pd.Series(["no", "yes", "yes", "no"], dtype="category"), "yes"),
        ([1, 2, 2, 1], 2),
        ([1, 0, 0, 1], 0),
        ([True, False, False, True], False),
        ([-1, 0, 0, 5], 0),
        ([0.5, 2.5, 2.5, 0.5], 2.5),
    ],
)
def test_pos_label_says_which_is_an_attack(labels, pos_label):
    assert as_labels(labels, pos_label).tolist() == ATTACKS


@pytest.mark.parametrize(("label", "attack"), [(0, False), (-1, False), (1, True), (True, True)])
def test_a_single_label_is_understood(label, attack):
    assert as_labels([label] * 3).tolist() == [attack] * 3


@pytest.mark.parametrize(
    ("labels", "shown"),
    [(["No", "Yes"], "'No', 'Yes'"), ([-1, 0], "-1, 0"), ([1, 2], "1, 2"), ([0.5, 1], "0.5, 1.0")],
)
def test_labels_are_never_guessed(labels, shown):
    with pytest.raises(InputError, match="pos_label") as error:
        as_labels(labels)
    assert shown in str(error.value)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [(["0", "1"], 1), ([0, 1], "1"), ([True, False], "True"), ([b"a", b"b"], "a"), (["a"], b"a")],
)
def test_pos_label_of_another_type_is_refused(labels, pos_label):
    with pytest.raises(InputError, match=r"pos_label is .* but y_true holds"):
        as_labels(labels, pos_label)


@pytest.mark.parametrize(
    "labels",
    [
        [1, math.nan, 0, None],
        ["yes", None, "no", None],
        pd.Series([1, None, 0, None], dtype="Int64"),
        pd.Series(["yes", None, "no", None], dtype="string"),
        pd.Series(["yes", None, "no", None], dtype="category"),
        pd.Series([True, pd.NA, False, pd.NA], dtype="boolean"),
        np.array([pd.Timestamp(0), pd.NaT, pd.Timestamp(1), pd.NaT], dtype=object),
    ],
    ids=lambda labels: f"{getattr(labels, 'dtype', labels)}",
)
def test_missing_labels_are_counted(labels):
    with pytest.raises(InputError, match=r"y_true is .* 2 of 4 records \(the first at row 1\)"):
        as_labels(labels, "yes")


@pytest.mark.parametrize(
    "scores",
    [
        [0.5, 1],
        np.array([0.5, 1], dtype=np.float16),
        np.array([0.5, 1], dtype=object),
        [Decimal("0.5"), Decimal(1)],
        pd.Series([0.5, 1], dtype="Float64"),
        pd.Series([0.5, 1], index=[1, 0]),
    ],
    ids=lambda scores: f"{getattr(scores, 'dtype', scores)}",
)
def test_scores_become_doubles(scores):
    result = as_scores(scores)
    assert result.dtype == np.float64
    assert result.tolist() == [0.5, 1]


@pytest.mark.parametrize(
    "scores",
    [
        [0.1, math.nan, 0.3, None],
        np.array([0.1, np.nan, 0.3, np.nan], dtype=np.float16),
        pd.Series([0.1, None, 0.3, None], dtype="Float64"),
        pd.Series([0.1, pd.NA, 0.3, pd.NA], dtype=object),
    ],
    ids=lambda scores: f"{getattr(scores, 'dtype', scores)}",
)
def test_missing_scores_are_counted(scores):
    with pytest.raises(InputError, match=r"y_score is NaN in 2 of 4 .*first at row 1"):
        as_scores(scores)


@pytest.mark.parametrize(
    ("scores", "fault"),
    [
        ([[0.1, 0.9]], r"shape \(1, 2\).*predict_proba"),
        (0.5, r"shape \(\)"),
        ([], "is empty"),
        ([[1], [1, 2]], "unequal length"),
        (["high", "low"], "not real numbers"),
        (["0.1", "0.2"], "not real numbers"),
        (pd.Series(["0.1", "0.2"]), "not real numbers"),
        (pd.to_datetime(["2024-01-01"]), "not real numbers"),
        ([1 + 2j], "not real numbers"),
        ([10**400], "not real numbers"),
        (np.array([{}, {}], dtype=object), "lists or tables"),
        ([2**53, 2**53 + 1], "float64 would merge"),
    ],
)
def test_scores_that_cannot_be_used(scores, fault):
    with pytest.raises(InputError, match=f"^y_score .*{fault}") as error:
        as_scores(scores)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("weights", "fault"),
    [
        ([1, -0.5, -1], r"negative in 2 of 3 records \(the first at row 1\)"),
        ([1, 1, math.inf], r"infinite in 1 of 3 records \(the first at row 2\)"),
        ([math.nan, 1, 1], r"NaN in 1 of 3 records \(the first at row 0\)"),
        ([0, 0, 0], "zero in every record"),
        ([1e308, 1e308, 1e308], "sums to infinity"),
    ],
)
def test_weights_that_cannot_be_used(weights, fault):
    with pytest.raises(InputError, match=f"sample_weight .*{fault}"):
        as_weights(weights)


@pytest.mark.parametrize(
    ("probabilities", "fault"),
    [
        (
            [0.5, 1.2, -3],
            r"y_prob lies outside \[0, 1\] in 2 of 3 .*first at row 1\); they range from -3 to 1.2",
        ),
        ([0.5, math.inf], r"row 1\); they range from 0.5 to inf"),
        ([0.5, math.nan], "NaN in 1 of 2"),
    ],
)
def test_scores_are_no_probabilities(probabilities, fault):
    with pytest.raises(InputError, match=fault):
        as_probabilities(probabilities)


def test_probabilities_may_be_0_and_1():
    assert as_probabilities([0, 1, 0.5]).tolist() == [0, 1, 0.5]


def test_unequal_lengths_are_named():
    with pytest.raises(InputError, match="y_true has 2, y_score has 3"):
        check_lengths(y_true=np.zeros(2), y_score=np.zeros(3))


def test_whole_numbers_that_float64_would_merge_are_refused_as_objects_too():
    scores = np.array([2**53, 2**53 + 1], dtype=object)
    with pytest.raises(InputError, match="float64 would merge"):
        as_scores(scores)


def test_masked_records_are_refused_and_counted():
    scores = np.ma.array([0.9, 0.8, 99.0], mask=[False, False, True])
    with pytest.raises(InputError, match=r"masked in 1 of 3 .*first at row 2\); drop"):
        as_scores(scores)


@pytest.mark.parametrize("pos_label", [[1, 0], math.nan, pd.NA])
def test_pos_label_is_one_label(pos_label):
    with pytest.raises(InputError, match="pos_label is"):
        as_labels([1, 0], pos_label)
