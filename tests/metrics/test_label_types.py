"""The same records, whatever type holds their labels and scores, give the same sweep."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored import scored

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep

sweep_of = ThresholdSweep.from_scores
# A kind of number differs for every record or for none.
few = settings(max_examples=15)
few_scores = st.sampled_from([0.1, 0.25, 0.5, 0.5000000000000001, 1.0])

SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
REAL = [np.float16, np.float32, np.float64, np.longdouble]
NULLABLE = ["Int8", "UInt8", "Int64", "UInt64", "Float32", "Float64"]
TEXT = ["object", "str", "string", "category"]
ARROW = ["int8[pyarrow]", "uint64[pyarrow]", "float[pyarrow]", "double[pyarrow]", "bool[pyarrow]"]


def arrow(name):
    pytest.importorskip("pyarrow", reason="no pyarrow here: Arrow-backed columns are not tried")
    return name


def shuffled(values, dtype=None):
    """A column whose index runs against its rows."""
    return pd.Series(values, index=range(len(values), 0, -1)).astype(dtype or object)


def assert_same(sweep, expected):
    assert sweep.thresholds.tolist() == expected.thresholds.tolist()
    assert sweep.tp.tolist() == expected.tp.tolist()
    assert sweep.fp.tolist() == expected.fp.tolist()
    assert (sweep.positives, sweep.negatives) == (expected.positives, expected.negatives)


class TestLabels:
    @pytest.mark.parametrize("kind", [np.bool_, object, *SIGNED, *UNSIGNED, *REAL])
    @few
    @given(scored(scores=few_scores))
    def test_0_and_1(self, kind, records):
        labels, scores = records
        assert_same(sweep_of(np.array(labels).astype(kind), scores), sweep_of(labels, scores))

    @pytest.mark.parametrize("kind", [object, *SIGNED, *REAL])
    @few
    @given(scored(scores=few_scores))
    def test_minus_1_and_1(self, kind, records):
        labels, scores = records
        signs = np.where(labels, 1, -1).astype(kind)
        assert_same(sweep_of(signs, scores), sweep_of(labels, scores))

    @pytest.mark.parametrize("order", [">", "<"])
    def test_either_byte_order(self, order):
        labels, scores = [0, 1, 1, 0], [1, 2, 3, 4]
        for kind in ("i2", "i4", "f8"):
            swapped = np.array(labels, dtype=order + kind), np.array(scores, dtype=order + kind)
            assert_same(sweep_of(*swapped), sweep_of(labels, scores))

    @pytest.mark.parametrize("kind", ["bool", "boolean", "category", *NULLABLE])
    @few
    @given(scored(scores=few_scores))
    def test_columns_of_a_table(self, kind, records):
        labels, scores = records
        whole = [int(label) for label in labels]
        assert_same(sweep_of(shuffled(whole, kind), scores), sweep_of(labels, scores))

    @pytest.mark.parametrize("kind", ARROW)
    def test_arrow_backed_columns(self, kind):
        labels, scores = [0, 1, 1, 0, 1], [0.5, 0.25, 1, 0, 1]
        expected = sweep_of(labels, scores)
        assert_same(sweep_of(shuffled(labels, arrow(kind)), scores), expected)
        missing = pd.Series([0, 1, None, 0, 1], dtype=kind)
        with pytest.raises(InputError, match=r"y_true is .* in 1 of 5 records .* row 2"):
            sweep_of(missing, scores)
        with pytest.raises(InputError, match=r"y_score is NaN in 1 of 5 records .* row 2"):
            sweep_of(labels, missing)

    @pytest.mark.parametrize("kind", [*TEXT, "string[pyarrow]"])
    @few
    @given(scored(scores=few_scores))
    def test_text_with_pos_label(self, kind, records):
        labels, scores = records
        names = shuffled(["attack" if label else "" for label in labels])
        column = names.astype(arrow(kind) if "pyarrow" in kind else kind)
        expected = sweep_of(labels, scores)
        assert_same(sweep_of(column, scores, pos_label="attack"), expected)
        assert_same(sweep_of(column, scores, pos_label=np.str_("attack")), expected)
        reverse = sweep_of(column, scores, pos_label="")
        assert (reverse.tp.tolist(), reverse.fp.tolist()) == (
            expected.fp.tolist(),
            expected.tp.tolist(),
        )

    @pytest.mark.parametrize("kind", ["U6", "S6", object])
    def test_text_in_an_array(self, kind):
        positive = b"attack" if kind == "S6" else "attack"
        labels = np.array(["normal", "attack", "attack"]).astype(kind)
        expected = sweep_of([0, 1, 1], [1, 2, 3])
        assert_same(sweep_of(labels, [1, 2, 3], pos_label=positive), expected)

    @pytest.mark.parametrize("kind", [*SIGNED, *UNSIGNED, *REAL])
    @pytest.mark.parametrize("as_kind", [int, float, np.int8, np.float32])
    def test_a_number_as_pos_label_of_whatever_kind(self, kind, as_kind):
        labels = np.array([1, 2, 2, 5], dtype=kind)
        sweep = sweep_of(labels, [1, 2, 3, 4], pos_label=as_kind(2))
        assert_same(sweep, sweep_of([0, 1, 1, 0], [1, 2, 3, 4]))

    @few
    @given(scored(scores=few_scores))
    def test_a_category_that_does_not_occur_is_no_label(self, records):
        labels, scores = records
        kind = pd.CategoricalDtype(["unseen", "no", "yes"])
        column = pd.Series(np.where(labels, "yes", "no")).astype(kind)
        assert_same(sweep_of(column, scores, pos_label="yes"), sweep_of(labels, scores))

    def test_a_day_without_the_positive_label_has_no_attacks(self):
        sweep = sweep_of(["benign", "benign"], [1, 2], pos_label="attack")
        assert (sweep.positives, sweep.negatives) == (0, 2)
        assert math.isnan(sweep.roc_auc)

    @pytest.mark.parametrize("kind", ["bool", "boolean"])
    def test_booleans_need_no_pos_label_and_may_have_one(self, kind):
        column = shuffled([True, False, True], kind)
        assert sweep_of(column, [3, 2, 1]).positives == 2
        assert sweep_of(column, [3, 2, 1], pos_label=False).positives == 1


class TestScores:
    @pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
    @few
    @given(st.data())
    def test_what_is_tied_in_its_own_kind_is_tied_and_nothing_else(self, kind, data):
        width = np.dtype(kind).itemsize * 8
        scores = st.floats(width=width, allow_nan=False) if width < 64 else few_scores
        labels, drawn = data.draw(scored(scores=scores))
        column = np.array(drawn, dtype=kind)
        sweep = sweep_of(labels, column)
        assert sweep.thresholds.tolist() == [float(one) for one in np.unique(column)[::-1]]
        for score in column:
            assert sweep.at_threshold(score).alerts == np.count_nonzero(column >= score)

    @pytest.mark.parametrize("kind", [np.bool_, object, *SIGNED, *UNSIGNED, *REAL, *NULLABLE])
    @few
    @given(scored(scores=st.integers(0, 1)))
    def test_the_same_scores_in_any_kind(self, kind, records):
        labels, scores = records
        column = shuffled(scores, kind) if isinstance(kind, str) else np.array(scores, dtype=kind)
        assert_same(sweep_of(labels, column), sweep_of(labels, scores))

    @pytest.mark.parametrize("kind", [*SIGNED, *UNSIGNED])
    def test_the_ends_of_whole_numbers_do_not_wrap(self, kind):
        ends = np.iinfo(kind)
        low, high = max(ends.min, -(2**53) + 1), min(ends.max, 2**53 - 1)
        sweep = sweep_of([1, 0, 0, 1], np.array([high, high - 1, low + 1, low], dtype=kind))
        assert sweep.thresholds.tolist() == [high, high - 1, low + 1, low]
        assert sweep.roc_auc == 0.5

    @pytest.mark.parametrize("kind", [np.int64, np.uint64, object, "Int64", "UInt64"])
    @pytest.mark.parametrize("score", [2**53, 2**63 - 2])
    def test_whole_numbers_that_float64_would_merge_are_refused_in_any_kind(self, kind, score):
        make = shuffled if isinstance(kind, str) else np.array
        with pytest.raises(InputError, match="y_score holds different numbers"):
            sweep_of([1, 0], make([score, score + 1], dtype=kind))

    def test_decimals_are_scores(self):
        tenths = [Decimal("0.1"), Decimal("0.3"), Decimal("0.30")]
        assert_same(sweep_of([1, 0, 1], tenths), sweep_of([1, 0, 1], [0.1, 0.3, 0.3]))
