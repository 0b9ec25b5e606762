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
from labkit.metrics.decomposition import BrierDecomposition, brier_decomposition
from labkit.metrics.probability import certain_and_wrong, expected_calibration_error

probabilities = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]))


def parts(*records, **options):
    """The decomposition as an array, for tests of what all functions share."""
    return list(vars(brier_decomposition(*records, **options)).values())


every_score = pytest.mark.parametrize(
    "score", [brier_score, log_loss, reliability_table, certain_and_wrong, parts]
)


def many_probabilities():
    """More than one block of them, from all over [0, 1) and from next to its ends."""
    rng = np.random.default_rng(0)
    return [
        rng.random(20_001),
        rng.beta(0.2, 8, 20_001),
        10 ** rng.uniform(-300, -1, 20_001),
        10 ** rng.uniform(-18, -14, 20_001),
        1 - 10 ** rng.uniform(-15, -1, 20_001),
        np.full(20_001, 1e-12),
    ]


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

    @pytest.mark.parametrize("p", many_probabilities())
    def test_many_records_are_added_up_without_loss(self, p):
        labels = np.random.default_rng(1).random(len(p)) < 0.05
        expected = math.fsum((q - y) ** 2 for q, y in zip(p.tolist(), labels.tolist(), strict=True))
        assert brier_score(labels, p) == pytest.approx(expected / len(p), rel=1e-14)


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

    @pytest.mark.parametrize("p", many_probabilities())
    def test_many_records_are_added_up_without_loss(self, p):
        labels = np.random.default_rng(1).random(len(p)) < 0.05
        expected = math.fsum(
            -math.log(q) if y else -math.log1p(-q)
            for q, y in zip(p.tolist(), labels.tolist(), strict=True)
        )
        assert log_loss(labels, p) == pytest.approx(expected / len(p), rel=1e-14)

    @pytest.mark.parametrize("p", [1e-300, 1e-17, 1e-16, 1.2e-16, 1e-12, 1e-5, 0.3, 0.5, 0.7])
    def test_probabilities_of_normal_records_are_not_rounded_away(self, p):
        assert log_loss([0] * 20_000, [p] * 20_000) == pytest.approx(-math.log1p(-p), rel=1e-14)

    @given(st.floats(0, 1, exclude_max=True))
    def test_one_normal_record(self, p):
        assert log_loss([0], [p]) == pytest.approx(-math.log1p(-p), rel=1e-14, abs=0)

    @pytest.mark.parametrize("row", [0, 8191, 8192, 19_999])
    def test_one_certain_and_wrong_among_many_is_infinite(self, row):
        p = np.full(20_000, 0.5)
        p[row] = 1
        assert log_loss(np.zeros(len(p)), p) == math.inf

    def test_steps_between_records_are_of_no_account(self):
        labels, p = np.tile([0, 1, 1], 9000), np.tile([0.25, 0.5, 0.75], 9000)
        assert log_loss(labels[::3], p[::3]) == pytest.approx(-math.log(0.75))
        assert brier_score(labels[::3], p[::3]) == pytest.approx(1 / 16)


class TestCertainAndWrong:
    def test_published_case(self):
        assert certain_and_wrong([1, 0, 0], [0.0, 0.1, 0.2]).tolist() == [True, False, False]

    @given(scored(scores=st.sampled_from([0.0, 5e-324, 0.5, 1 - 2**-53, 1.0])))
    def test_are_the_records_of_infinite_loss(self, records):
        expected = [log_loss([y], [p]) == math.inf for y, p in zip(*records, strict=True)]
        assert certain_and_wrong(*records).tolist() == expected
        assert (log_loss(*records) == math.inf) == any(expected)


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

    def test_weights(self):
        records = [True, False, False], [0.05, 0.05, 1.0]
        table = reliability_table(*records, sample_weight=[1.0, 3.0, 2.5])
        assert table["count"].tolist()[::9] == [4.0, 2.5]
        assert table["observed"].tolist()[::9] == [0.25, 0.0]
        assert table[["low", "high"]].isna().all(axis=None)
        # Integers are records that occur so often.
        times = np.array([2, 3, 1])
        repeated = reliability_table(*(np.repeat(one, times) for one in records))
        weighted = reliability_table(*records, sample_weight=times)
        pd.testing.assert_frame_equal(weighted, repeated, check_dtype=False)
        with pytest.raises(InputError, match="sample_weight has 2"):
            reliability_table(*records, sample_weight=[1, 2])

    @pytest.mark.parametrize("n_bins", [0, -1, 2.5, 10.0, math.nan, math.inf, "10", None])
    def test_bins_are_counted_in_whole_numbers(self, n_bins):
        with pytest.raises(InputError, match=r"^n_bins is .*whole number"):
            reliability_table([1, 0], [0.5, 0.6], n_bins=n_bins)

    def test_strategies_are_two(self):
        with pytest.raises(InputError, match="strategy is 'kmeans'"):
            reliability_table([1, 0], [0.5, 0.6], strategy="kmeans")

    def test_intervals_of_the_observed_share(self):
        # 0 of 10, 2 of 199 and 38 of 38, as published by others; and a bin that holds nothing.
        labels = [0] * 10 + [1] * 2 + [0] * 197 + [1] * 38
        given_ = [0.1] * 10 + [0.3] * 199 + [0.9] * 38
        table = reliability_table(labels, given_, n_bins=4)
        assert table["low"].tolist() == pytest.approx(
            [0, 0.0027604822, math.nan, 0.9081901318], nan_ok=True
        )
        assert table["high"].tolist() == pytest.approx(
            [0.2775327999, 0.0358975854, math.nan, 1], nan_ok=True
        )

    def test_exact_intervals_by_hand(self):
        # None of n, or all: the side that is not 0 or 1 solves (1 - p)^n = tail.
        table = reliability_table(
            [0] * 10 + [1] * 5,
            [0.1] * 10 + [0.9] * 5,
            n_bins=2,
            interval="clopper_pearson",
            level=0.9,
        )
        assert table["low"].tolist() == pytest.approx([0, 0.05 ** (1 / 5)])
        assert table["high"].tolist() == pytest.approx([1 - 0.05 ** (1 / 10), 1])

    def test_intervals_that_cannot_be(self):
        with pytest.raises(InputError, match="interval is 'wald'"):
            reliability_table([1, 0], [0.5, 0.6], interval="wald")
        with pytest.raises(InputError, match="level is 95"):
            reliability_table([1, 0], [0.5, 0.6], level=95)


class TestExpectedCalibrationError:
    def test_published_case_of_collapsing_quantiles(self):
        labels, given_ = [0] * 7 + [1] * 3, [0.1] * 8 + [0.9] * 2
        table = reliability_table(labels, given_, n_bins=5, strategy="quantile")
        assert expected_calibration_error(table) == pytest.approx(0.04)

    @pytest.mark.parametrize("strategy", ["uniform", "quantile"])
    def test_published_case_of_a_constant_probability(self, strategy):
        table = reliability_table([1, 0], [0.3, 0.3], strategy=strategy)
        assert expected_calibration_error(table) == pytest.approx(0.2)

    @given(scored(scores=probabilities), st.integers(1, 5))
    def test_is_the_mean_gap_over_records(self, records, n_bins):
        table = reliability_table(*records, n_bins=n_bins)
        gaps = []
        for row in table.itertuples():
            held = [
                (y, p)
                for y, p in zip(*records, strict=True)
                if in_bin(p, row.lower, row.upper, last=row.Index == n_bins - 1)
            ]
            gaps.append(abs(sum(y - p for y, p in held)))
        assert expected_calibration_error(table) == pytest.approx(sum(gaps) / len(records[0]))


class TestBrierDecomposition:
    def test_by_hand(self):
        # Scored 0.8: 3 of 4 are attacks; scored 0.2: 1 of 4. The base rate is 1/2.
        found = brier_decomposition([1, 1, 1, 0, 1, 0, 0, 0], [0.8] * 4 + [0.2] * 4)
        assert found.reliability == pytest.approx(0.05**2)
        assert found.resolution == pytest.approx(0.25**2)
        assert found.uncertainty == 0.25
        assert found.within_bins == 0
        assert found.brier_score == pytest.approx((6 * 0.2**2 + 2 * 0.8**2) / 8)

    def test_one_bin_by_hand(self):
        # All in one bin: mean probability 0.5, as is the base rate; the rest is within. Variance
        # 0.3², covariance 0.5 * 0.3.
        found = brier_decomposition([1, 0], [0.8, 0.2], n_bins=1)
        assert (found.reliability, found.resolution, found.uncertainty) == pytest.approx(
            (0, 0, 0.25)
        )
        assert found.within_bins == pytest.approx(0.09 - 2 * 0.15)
        assert found.brier_score == pytest.approx(0.04)

    @given(scored(scores=probabilities))
    def test_murphy_s_three_parts_over_distinct_probabilities(self, records):
        labels, given_ = records
        groups = {p: [y for y, q in zip(*records, strict=True) if q == p] for p in given_}
        base_rate = sum(labels) / len(labels)
        share = {p: sum(held) / len(held) for p, held in groups.items()}
        found = brier_decomposition(*records)
        assert found.reliability == pytest.approx(
            sum((p - share[p]) ** 2 for p in given_) / len(given_)
        )
        assert found.resolution == pytest.approx(
            sum((share[p] - base_rate) ** 2 for p in given_) / len(given_)
        )
        assert found.uncertainty == pytest.approx(base_rate - base_rate**2)
        assert found.within_bins == 0

    @given(
        scored(scores=probabilities),
        st.one_of(st.none(), st.integers(1, 12)),
        st.sampled_from(["uniform", "quantile"]),
    )
    def test_the_parts_are_the_whole_score(self, records, n_bins, strategy):
        found = brier_decomposition(*records, n_bins=n_bins, strategy=strategy)
        squares = [(p - y) ** 2 for y, p in zip(*records, strict=True)]
        assert found.brier_score == pytest.approx(sum(squares) / len(squares), abs=1e-15)

    @given(scored(scores=probabilities), st.integers(1, 12))
    def test_the_rest_is_variance_less_twice_the_covariance_within_bins(self, records, n_bins):
        table = reliability_table(*records, n_bins=n_bins)
        rest = 0.0
        for row in table[table["count"] > 0].itertuples():
            rest += sum(
                (p - row.mean_predicted) ** 2 - 2 * (p - row.mean_predicted) * (y - row.observed)
                for y, p in zip(*records, strict=True)
                if in_bin(p, row.lower, row.upper, last=row.Index == n_bins - 1)
            )
        found = brier_decomposition(*records, n_bins=n_bins)
        assert found.within_bins == pytest.approx(rest / len(records[0]), abs=1e-15)

    def test_one_class_has_no_uncertainty(self):
        found = brier_decomposition([0, 0], [0.5, 0.25])
        assert found == BrierDecomposition((0.25 + 0.0625) / 2, 0, 0, 0)

    @pytest.mark.parametrize("n_bins", [0, True, 2.5, "10"])
    def test_bins_that_cannot_be(self, n_bins):
        with pytest.raises(InputError, match=r"^n_bins is"):
            brier_decomposition([1, 0], [0.5, 0.6], n_bins=n_bins)
        with pytest.raises(InputError, match="strategy is 'kmeans'"):
            brier_decomposition([1, 0], [0.5, 0.6], n_bins=2, strategy="kmeans")
