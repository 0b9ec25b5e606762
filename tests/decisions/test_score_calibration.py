"""Platt scaling and isotonic regression, against published values, scikit-learn and conditions
that only the best fit meets."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from labkit.decisions import (
    IsotonicCalibration,
    PlattScaling,
    isotonic_calibration,
    platt_scaling,
)
from labkit.errors import InputError

each_method = pytest.mark.parametrize("calibrate", [platt_scaling, isotonic_calibration])

# Both classes, ties, and scores from small to large.
records = st.lists(
    st.tuples(
        st.booleans(),
        st.one_of(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), st.floats(-20, 20, width=32)),
    ),
    min_size=1,
    max_size=20,
).map(lambda rows: [(True, 1.0), (False, 0.25), *rows])


def traffic(seed, n=800, base_rate=0.1):
    """Draw labels and scores of overlapping classes."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < base_rate
    return labels, rng.normal(size=n) + 1.5 * labels


def smoothed(labels):
    attacks, normals = np.count_nonzero(labels), np.count_nonzero(~np.asarray(labels))
    return np.where(labels, (attacks + 1) / (attacks + 2), 1 / (normals + 2))


class TestPlattScaling:
    def test_published_values_of_separable_data(self):
        fitted = platt_scaling([0, 0, 1, 1], [-2, -1, 1, 2])
        assert fitted.slope == pytest.approx(0.6739963939839232, abs=1e-9)
        assert fitted.intercept == pytest.approx(0, abs=1e-9)
        assert fitted.predict([-2, -1, 1, 2]).tolist() == pytest.approx(
            [0.20619872014380122, 0.33760255971239744, 0.6623974402876026, 0.7938012798561987]
        )

    def test_two_scores_by_hand(self):
        # Two scores and two unknowns: each class gets its target, 2/3 and 1/4 for one attack and
        # two normal records.
        fitted = platt_scaling([1, 0, 0], [5, 3, 3])
        assert fitted.predict([5, 3]).tolist() == pytest.approx([2 / 3, 1 / 4])
        assert fitted.slope == pytest.approx((math.log(2) + math.log(3)) / 2)

    @pytest.mark.parametrize("seed", range(5))
    def test_agrees_with_scikit_learn_on_the_same_scores(self, seed):
        labels, features = traffic(seed)
        past = LogisticRegression().fit(features[:300, np.newaxis], labels[:300])
        later, scores = (
            features[300:, np.newaxis],
            past.decision_function(features[300:, np.newaxis]),
        )
        theirs = CalibratedClassifierCV(FrozenEstimator(past), method="sigmoid")
        theirs.fit(later, labels[300:])
        ours = platt_scaling(labels[300:], scores)
        np.testing.assert_allclose(
            ours.predict(scores), theirs.predict_proba(later)[:, 1], atol=1e-4
        )

    @given(records)
    def test_no_slope_or_intercept_is_likelier(self, rows):
        labels, scores = map(np.array, zip(*rows, strict=True))
        fitted = platt_scaling(labels, scores)
        # The derivatives of the likelihood vanish; it has one maximum only.
        missed = fitted.predict(scores) - smoothed(labels)
        assert missed.sum() == pytest.approx(0, abs=1e-9)
        assert (missed * scores).sum() == pytest.approx(0, abs=1e-7)

    @given(records, st.sampled_from([-3.0, -1e-200, 1e-6, 1e250]))
    def test_a_change_of_unit_or_direction_changes_no_probability(self, rows, unit):
        labels, scores = map(np.array, zip(*rows, strict=True))
        straight, turned = platt_scaling(labels, scores), platt_scaling(labels, unit * scores)
        np.testing.assert_allclose(turned.predict(unit * scores), straight.predict(scores))
        assert turned.slope * unit == pytest.approx(straight.slope, abs=1e-9)

    def test_a_direction_is_fitted_and_shows(self):
        labels, scores = traffic(0)
        fitted = platt_scaling(labels, -scores)
        assert fitted.slope < 0
        assert fitted.predict([-5])[0] > 0.5 > fitted.predict([5])[0]

    def test_an_offset_takes_no_digits(self):
        labels, scores = traffic(0)
        scores = scores.round(2)
        straight, far = platt_scaling(labels, scores), platt_scaling(labels, scores + 2**30)
        assert far.slope == pytest.approx(straight.slope, rel=1e-6)

    @pytest.mark.parametrize("stray", [1e3, 1e12, 1e300])
    def test_a_stray_score_takes_no_digits(self, stray):
        labels, scores = traffic(0)
        labels, scores = np.append(labels, True), np.append(scores, stray)
        missed = platt_scaling(labels, scores).predict(scores) - smoothed(labels)
        assert missed.sum() == pytest.approx(0, abs=1e-9)
        assert (missed * (scores / stray)).sum() == pytest.approx(0, abs=1e-9)

    def test_constant_scores_give_about_the_base_rate(self):
        fitted = platt_scaling([1, 0, 0, 0], [0.3] * 4)
        assert fitted.slope == 0
        # The mean of the targets 2/3 and, three times, 1/5.
        expected = (2 / 3 + 3 / 5) / 4
        assert fitted.predict([0.3, -7, math.inf]).tolist() == pytest.approx([expected] * 3)

    def test_rare_attacks_far_apart_still_end(self):
        labels = np.arange(10_000) < 3
        fitted = platt_scaling(labels, np.where(labels, 50.0, -50.0) + np.arange(10_000) / 1e4)
        assert np.abs(fitted.predict([-50, 50]) - [1 / 9999, 4 / 5]).max() < 1e-3

    def test_probabilities_are_fitted_as_they_are(self):
        labels, scores = traffic(1)
        p = 1 / (1 + np.exp(-scores))
        fitted = platt_scaling(labels, p)
        z = fitted.slope * p + fitted.intercept
        np.testing.assert_allclose(fitted.predict(p), 1 / (1 + np.exp(-z)))
        missed = fitted.predict(p) - smoothed(labels)
        assert (missed * p).sum() == pytest.approx(0, abs=1e-9)

    def test_scores_that_no_slope_can_serve(self):
        with pytest.raises(
            InputError, match=r"^y_score or sample_weight spreads over too many orders"
        ):
            platt_scaling(
                [0, 1, 0],
                [-18551.994878474197, 0.00021177731275831538, -0.0016905683209390535],
                sample_weight=[0.018111884849154825, 776498.9670244489, 66632.10348272315],
            )
        with pytest.raises(InputError, match=r"^y_score is so small that its slope"):
            platt_scaling([1, 0], [5e-324, 0])

    def test_infinite_scores_become_certain(self):
        sigmoid = PlattScaling(slope=2, intercept=1)
        assert sigmoid.predict([-math.inf, math.inf]).tolist() == [0, 1]
        assert PlattScaling(slope=-2, intercept=1).predict([-math.inf, 1e308]).tolist() == [1, 0]

    def test_small_probabilities_keep_their_digits(self):
        assert PlattScaling(slope=1, intercept=0).predict([-700])[0] == pytest.approx(
            math.exp(-700), rel=1e-9
        )


class TestIsotonicCalibration:
    def test_published_values_within_and_beyond_the_fitted_range(self):
        fitted = isotonic_calibration([0, 1, 1], [0.2, 0.4, 0.6])
        assert fitted.predict([0.1, 0.2, 0.3, 0.9]).tolist() == pytest.approx([0, 0, 0.5, 1])
        assert fitted.predict([-math.inf, math.inf]).tolist() == [0, 1]

    def test_pooled_by_hand(self):
        # 1, 0 falls and is pooled to 1/2; so are the two at score 3 that tie.
        fitted = isotonic_calibration([0, 1, 0, 1, 0, 1], [0, 1, 2, 3, 3, 4])
        assert fitted.predict([0, 1, 2, 3, 4]).tolist() == [0, 0.5, 0.5, 0.5, 1]
        assert fitted.scores.tolist() == [0, 1, 3, 4]
        assert fitted.probabilities.tolist() == [0, 0.5, 0.5, 1]

    @pytest.mark.parametrize("seed", range(5))
    def test_agrees_with_scikit_learn_on_the_same_scores(self, seed):
        labels, features = traffic(seed)
        past = LogisticRegression().fit(features[:300, np.newaxis], labels[:300])
        later, scores = (
            features[300:, np.newaxis],
            past.decision_function(features[300:, np.newaxis]),
        )
        theirs = CalibratedClassifierCV(FrozenEstimator(past), method="isotonic")
        theirs.fit(later[:300], labels[300:600])
        ours = isotonic_calibration(labels[300:600], scores[:300])
        np.testing.assert_allclose(
            ours.predict(scores), theirs.predict_proba(later)[:, 1], atol=1e-12
        )

    @given(records)
    def test_is_the_greatest_lower_mean_of_means(self, rows):
        # The max-min formula: at each score, the greatest over all beginnings at or below it of
        # the least, over all ends at or above it, mean label between the two.
        labels, scores = zip(*rows, strict=True)
        distinct = sorted(set(scores))

        def mean(low, high):
            held = [y for y, s in rows if low <= s <= high]
            return sum(held) / len(held)

        expected = [
            max(
                min(mean(low, high) for high in distinct if high >= score)
                for low in distinct
                if low <= score
            )
            for score in distinct
        ]
        fitted = isotonic_calibration(labels, scores)
        assert fitted.predict(distinct).tolist() == pytest.approx(expected)

    @given(records, st.lists(st.floats(-25, 25), min_size=2))
    def test_never_falls_between_any_two_scores(self, rows, asked):
        labels, scores = zip(*rows, strict=True)
        predicted = isotonic_calibration(labels, scores).predict(sorted(asked))
        assert (np.diff(predicted) >= 0).all()
        assert ((predicted >= 0) & (predicted <= 1)).all()

    def test_neighbours_of_knots_never_fall(self):
        labels, scores = traffic(2)
        fitted = isotonic_calibration(labels, scores)
        below = np.nextafter(fitted.scores, -math.inf)
        assert (fitted.predict(below) <= fitted.predict(fitted.scores)).all()

    def test_tiny_differences_are_differences(self):
        fitted = isotonic_calibration([0, 1], [1e-17, 2e-17])
        assert fitted.predict([1e-17, 2e-17]).tolist() == [0, 1]

    def test_scores_turned_around_come_out_alike(self):
        assert isotonic_calibration([1, 0], [1, 2]).predict([1, 2]).tolist() == [0.5, 0.5]

    def test_constant_scores_give_the_base_rate(self):
        fitted = isotonic_calibration([1, 0, 0, 0], [0.3] * 4)
        assert fitted.predict([0.3, -7, 7]).tolist() == [0.25] * 3

    def test_the_range_of_float64(self):
        fitted = isotonic_calibration([0, 1, 1], [-1e308, 1e308, 1.5e308])
        predicted = fitted.predict([-1.7e308, -1e308, 0, 1e308, 1.7e308])
        assert predicted[[0, 1, 3, 4]].tolist() == [0, 0, 1, 1]
        assert 0 <= predicted[2] <= 1

    def test_knots_may_be_published_ones(self):
        steps = IsotonicCalibration(np.array([0.0, 2.0]), np.array([0.1, 0.3]))
        assert steps.predict([-1, 1, 5]).tolist() == pytest.approx([0.1, 0.2, 0.3])


@each_method
class TestArguments:
    @given(rows=records, weights=st.data())
    def test_a_weight_is_a_number_of_equal_records(self, calibrate, rows, weights):
        labels, scores = map(np.array, zip(*rows, strict=True))
        extra = st.lists(st.integers(0, 3), min_size=len(rows) - 2, max_size=len(rows) - 2)
        times = np.array([1, 2, *weights.draw(extra)])
        weighted = calibrate(labels, scores, sample_weight=times).predict(scores)
        repeated = calibrate(np.repeat(labels, times), np.repeat(scores, times)).predict(scores)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-7, atol=1e-12)

    @given(rows=records, random=st.randoms(use_true_random=False))
    def test_row_order_never_matters(self, calibrate, rows, random):
        shuffled = list(rows)
        random.shuffle(shuffled)
        one, other = (calibrate(*zip(*order, strict=True)) for order in (rows, shuffled))
        asked = np.linspace(-2, 3, 11)
        np.testing.assert_allclose(one.predict(asked), other.predict(asked), rtol=1e-9)

    @pytest.mark.parametrize(
        ("labels", "pos_label"),
        [
            ([1, -1, 1, -1], None),
            (["x", "ok", "x", "ok"], "x"),
            (pd.Series([1, 0, 1, 0], index=[3, 2, 1, 0]), None),
        ],
    )
    def test_labels_may_be_of_any_kind(self, calibrate, labels, pos_label):
        scores = [3, 1, 2, 2]
        expected = calibrate([True, False, True, False], scores).predict(scores)
        given_ = calibrate(labels, scores, pos_label=pos_label).predict(scores)
        assert given_.tolist() == expected.tolist()

    @pytest.mark.parametrize(
        ("labels", "scores", "fault"),
        [
            ([1, 1], [1, 2], "y_true holds one class only"),
            ([0, 0], [1, 2], "y_true holds one class only"),
            ([1, 0], [1, math.nan], "y_score is NaN in 1 of 2"),
            (
                [1, 0, 0],
                [1, -math.inf, math.inf],
                r"y_score is infinite in 2 of 3 records \(the first at row 1\)",
            ),
            ([1, 0], [1], "y_true has 2, y_score has 1"),
            (["a", "b"], [1, 2], "pos_label="),
        ],
    )
    def test_faults_are_named(self, calibrate, labels, scores, fault):
        with pytest.raises(InputError, match=fault):
            calibrate(labels, scores)

    @pytest.mark.parametrize(
        ("weights", "fault"),
        [
            ([1, -1], "sample_weight is negative"),
            ([1, 1, 1], "sample_weight has 3"),
            ([1, 0], "y_true holds one class only"),
        ],
    )
    def test_faulty_weights_are_named(self, calibrate, weights, fault):
        with pytest.raises(InputError, match=fault):
            calibrate([1, 0], [2, 1], sample_weight=weights)

    def test_scores_to_predict_are_checked_too(self, calibrate):
        fitted = calibrate([1, 0], [2, 1])
        with pytest.raises(InputError, match="y_score is NaN in 1 of 2"):
            fitted.predict([1, math.nan])
        assert fitted.predict(pd.Series([1.5], index=[9])).shape == (1,)
