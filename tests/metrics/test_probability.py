import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import scored
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as log_loss_of_sklearn

from labkit.errors import InputError
from labkit.metrics import brier_score, log_loss, reliability_table

probabilities = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]))
every_score = pytest.mark.parametrize("score", [brier_score, log_loss, reliability_table])


class TestBrierScore:
    @given(scored(scores=probabilities))
    def test_mean_of_squared_differences(self, records):
        expected = sum((p - y) ** 2 for y, p in zip(*records, strict=True)) / len(records[0])
        assert brier_score(*records) == pytest.approx(expected)

    @given(scored(scores=probabilities, both_classes=True))
    def test_agrees_with_scikit_learn(self, records):
        assert brier_score(*records) == pytest.approx(brier_score_loss(*records))

    def test_ends(self):
        assert brier_score([1, 0], [1, 0]) == 0
        assert brier_score([1, 0], [0, 1]) == 1


class TestLogLoss:
    @given(scored(scores=st.floats(1e-9, 1 - 1e-9), both_classes=True))
    def test_agrees_with_scikit_learn_away_from_the_ends(self, records):
        assert log_loss(*records) == pytest.approx(log_loss_of_sklearn(*records))

    @pytest.mark.parametrize(
        ("labels", "given_"),
        [([1, 0, 0], [0.0, 0.1, 0.2]), ([1, 0], [0.5, 1.0]), ([1], np.zeros(1, dtype=np.float32))],
    )
    def test_certain_and_wrong_is_infinite(self, labels, given_):
        assert log_loss(labels, given_) == math.inf

    @pytest.mark.parametrize(
        ("labels", "p", "loss"),
        [
            ([1], 1e-300, 300 * math.log(10)),
            ([0], 1e-300, 1e-300),
            ([0], 1 - 2**-53, 53 * math.log(2)),
            ([1], 5e-324, 1074 * math.log(2)),
        ],
    )
    def test_nothing_is_clipped(self, labels, p, loss):
        assert log_loss(labels, [p]) == pytest.approx(loss)

    def test_certain_and_right_costs_nothing(self):
        assert str(log_loss([1, 0], [1.0, 0.0])) == "0.0"


@every_score
class TestArguments:
    @pytest.mark.parametrize(
        ("labels", "pos_label"),
        [
            ([1, 0, 0], None),
            ([1, -1, -1], None),
            (["yes", "no", "no"], "yes"),
            (pd.Series([1, 0, 0], index=[1, 0, 0]), None),
        ],
    )
    def test_labels_may_be_of_any_kind(self, score, labels, pos_label):
        expected = np.asarray(score([True, False, False], [0.8, 0.4, 0.1]))
        result = np.asarray(score(labels, [0.8, 0.4, 0.1], pos_label=pos_label))
        np.testing.assert_array_equal(result, expected)

    @pytest.mark.parametrize(
        ("labels", "given_", "fault"),
        [
            ([1, 0], [0.5, 1.5], "y_prob lies outside"),
            ([1, 0], [0.5, math.nan], "y_prob is NaN in 1 of 2"),
            ([1, 0], [0.5], "y_true has 2, y_prob has 1"),
            (["no", "yes"], [0.5, 0.5], "pos_label="),
            ([], [], "y_true is empty"),
        ],
    )
    def test_faults_are_named(self, score, labels, given_, fault):
        with pytest.raises(InputError, match=fault):
            score(labels, given_)


def in_bin(p, low, high, *, last):
    return low <= p < high or (last and p == high)


class TestReliabilityTable:
    def test_0_and_1_and_values_on_an_edge(self):
        table = reliability_table([0, 0, 1, 1, 1], [0.0, 0.1, 0.3, 0.55, 1.0])
        assert table["count"].tolist() == [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
        assert table["attacks"].tolist() == [0, 0, 0, 1, 0, 1, 0, 0, 0, 1]

    @pytest.mark.parametrize("n_bins", [10, 100])
    def test_every_literal_edge_begins_its_bin(self, n_bins):
        places = len(str(n_bins)) - 1
        edges = [float(f"{i / n_bins:.{places}f}") for i in range(n_bins)]
        table = reliability_table([1] * n_bins, edges, n_bins=n_bins)
        assert table["count"].tolist() == [1] * n_bins
        assert table["lower"].tolist() == edges

    @given(
        scored(scores=probabilities), st.integers(1, 12), st.sampled_from(["uniform", "quantile"])
    )
    def test_agrees_with_sorting_into_the_bins_one_by_one(self, records, n_bins, strategy):
        table = reliability_table(*records, n_bins=n_bins, strategy=strategy)
        assert table["count"].sum() == len(records[0])
        assert table["lower"].tolist()[1:] == table["upper"].tolist()[:-1]
        for row in table.itertuples():
            last = row.Index == len(table) - 1
            held = [
                r
                for r in zip(*records, strict=True)
                if in_bin(r[1], row.lower, row.upper, last=last)
            ]
            assert table["count"][row.Index] == len(held)
            assert row.attacks == sum(y for y, _ in held)
            if held:
                assert row.mean_predicted == pytest.approx(sum(p for _, p in held) / len(held))
                assert row.observed == pytest.approx(row.attacks / len(held))
            else:
                assert math.isnan(row.mean_predicted)
                assert math.isnan(row.observed)

    @given(st.integers(1, 30), st.integers(1, 12))
    def test_quantile_bins_of_distinct_values_are_about_equal(self, n, n_bins):
        table = reliability_table([1] * n, np.arange(n) / n, n_bins=n_bins, strategy="quantile")
        assert len(table) == min(n, n_bins)
        assert table["count"].max() - table["count"].min() <= 1

    @given(scored(scores=probabilities), st.integers(1, 12))
    def test_quantile_bins_are_never_empty(self, records, n_bins):
        assert reliability_table(*records, n_bins=n_bins, strategy="quantile")["count"].min() > 0

    def test_equal_probabilities_are_never_split_nor_lumped_with_the_next(self):
        labels, given_ = [0] * 7 + [1] * 3, [0.1] * 8 + [0.9] * 2
        table = reliability_table(labels, given_, n_bins=5, strategy="quantile")
        assert table["count"].tolist() == [8, 2]
        assert table["mean_predicted"].tolist() == pytest.approx([0.1, 0.9])
        assert table["observed"].tolist() == [0.125, 1.0]

    @pytest.mark.parametrize("strategy", ["uniform", "quantile"])
    def test_a_constant_probability_fills_one_bin(self, strategy):
        table = reliability_table([1, 0], [0.3, 0.3], strategy=strategy)
        filled = table[table["count"] > 0]
        assert filled[["count", "attacks"]].to_numpy().tolist() == [[2, 1]]
        assert filled["mean_predicted"].item() == pytest.approx(0.3)

    @pytest.mark.parametrize("n_bins", [0, -1, 2.5, 10.0, math.nan, math.inf, "10", None])
    def test_bins_are_counted_in_whole_numbers(self, n_bins):
        with pytest.raises(InputError, match=r"^n_bins is .*whole number"):
            reliability_table([1, 0], [0.5, 0.6], n_bins=n_bins)

    def test_strategies_are_two(self):
        with pytest.raises(InputError, match="strategy is 'kmeans'"):
            reliability_table([1, 0], [0.5, 0.6], strategy="kmeans")
