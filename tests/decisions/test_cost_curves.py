import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labkit.decisions import cost_threshold, total_cost
from labkit.decisions.cost_curves import (
    cost_at_every_threshold,
    cost_curve,
    normalised_cost,
    probability_cost,
)
from labkit.errors import InputError
from labkit.metrics import ConfusionMatrix, ThresholdSweep

EIGHT = ThresholdSweep.from_scores([1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])

costs = st.integers(0, 60)
shares = st.sampled_from([0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 1])


@st.composite
def sweeps(draw):
    """Few records of both classes, many of them tied."""
    labels = [1, 0, *draw(st.lists(st.integers(0, 1), max_size=10))]
    scores = draw(
        st.lists(
            st.sampled_from([-1.5, 0, 0.2, 0.7, 3]), min_size=len(labels), max_size=len(labels)
        )
    )
    return ThresholdSweep.from_scores(labels, scores)


def every_point(sweep):
    """All operating points, "alert on nothing" first."""
    return [sweep.at_threshold(threshold) for threshold in (math.inf, *sweep.thresholds)]


class TestProbabilityCost:
    @pytest.mark.parametrize(
        ("base_rate", "fp", "fn", "by_hand"),
        [
            (1 / 51, 1, 50, 0.5),
            (0.5, 1, 50, 50 / 51),
            (0.25, 1, 1, 0.25),
            (0.25, 3, 1, 0.1),  # 0.25 / (0.25 + 0.75 * 3)
            (0.01, 1, 0, 0),
            (0.01, 0, 1, 1),
            (0, 1, 50, 0),
            (1, 1, 50, 1),
        ],
    )
    def test_by_hand(self, base_rate, fp, fn, by_hand):
        assert probability_cost(base_rate, fp, fn) == pytest.approx(by_hand, abs=1e-16)

    @given(costs, costs)
    def test_at_a_base_rate_of_one_half_it_is_what_elkans_rule_leaves(self, fp, fn):
        assume(fp + fn)
        assert probability_cost(0.5, fp, fn) == pytest.approx(1 - cost_threshold(fp, fn))

    @pytest.mark.parametrize("scale", [1e-300, 1e300])
    def test_only_the_ratio_of_the_costs_matters(self, scale):
        assert probability_cost(0.25, scale, scale) == 0.25

    @pytest.mark.parametrize(("base_rate", "fp", "fn"), [(0, 0, 5), (1, 5, 0), (0.5, 0, 0)])
    def test_where_nothing_costs(self, base_rate, fp, fn):
        with pytest.raises(InputError, match="no error that can occur costs"):
            probability_cost(base_rate, fp, fn)

    @pytest.mark.parametrize("junk", [-0.1, 1.1, math.nan, "x", None])
    def test_what_is_no_rate(self, junk):
        with pytest.raises(InputError, match="base_rate"):
            probability_cost(junk, 1, 1)

    @pytest.mark.parametrize("junk", [-1, math.inf, math.nan, "x", None])
    def test_what_is_no_cost(self, junk):
        with pytest.raises(InputError, match="cost_fp"):
            probability_cost(0.5, junk, 1)
        with pytest.raises(InputError, match="cost_fn"):
            probability_cost(0.5, 1, junk)


class TestNormalisedCost:
    def test_by_hand(self):
        point = ConfusionMatrix(tp=3, fp=10, fn=1, tn=90)
        # A miss rate of 0.25 and a false positive rate of 0.1.
        assert normalised_cost(point, 0) == 0.1
        assert normalised_cost(point, 1) == 0.25
        assert normalised_cost(point, 0.2) == pytest.approx(0.25 * 0.2 + 0.1 * 0.8)

    def test_the_trivial_rules_are_the_diagonals(self):
        nothing, everything = ConfusionMatrix(0, 0, 5, 95), ConfusionMatrix(5, 95, 0, 0)
        for share in (0, 0.3, 1):
            assert normalised_cost(nothing, share) == share
            assert normalised_cost(everything, share) == 1 - share

    def test_one_class_only_is_nan(self):
        assert math.isnan(normalised_cost(ConfusionMatrix(0, 1, 0, 1), 0.5))
        assert math.isnan(normalised_cost(ConfusionMatrix(1, 0, 1, 0), 0.5))

    @pytest.mark.parametrize("junk", [-0.1, 1.1, math.nan, "x", None, [0.5]])
    def test_what_is_no_probability_cost(self, junk):
        with pytest.raises(InputError, match="probability_cost"):
            normalised_cost(ConfusionMatrix(1, 1, 1, 1), junk)

    @given(sweeps(), costs, costs)
    def test_is_the_total_cost_over_the_most_it_could_be(self, sweep, fp, fn):
        assume(fp + fn)
        most = sweep.positives * fn + sweep.negatives * fp
        share = probability_cost(sweep.base_rate, fp, fn)
        for point in every_point(sweep):
            assert normalised_cost(point, share) * most == pytest.approx(total_cost(point, fp, fn))


class TestCostCurve:
    def test_eight_records_by_hand(self):
        # Corners of the ROC curve, as (fpr, recall): (0, 1/3), (0.2, 2/3), (0.6, 1).
        curve = cost_curve(EIGHT, [0, 0.25, 0.5, 0.75, 1])
        by_hand = [0, 0.25 * 2 / 3, (1 / 3 + 0.2) / 2, 0.15, 0]
        assert curve["cost"].tolist() == pytest.approx(by_hand)
        assert curve["threshold"].tolist() == [math.inf, 8, 6, 3, 3]
        assert curve["recall"].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
        assert curve["fpr"].tolist() == pytest.approx([0, 0, 0.2, 0.6, 0.6])

    @given(sweeps(), shares)
    def test_no_threshold_costs_less_and_one_costs_the_same(self, sweep, share):
        (row,) = cost_curve(sweep, [share]).to_dict("records")
        every = [normalised_cost(point, share) for point in every_point(sweep)]
        assert row["cost"] == pytest.approx(min(every))
        chosen = sweep.at_threshold(row["threshold"])
        assert normalised_cost(chosen, share) == pytest.approx(row["cost"])
        assert (chosen.recall, chosen.fpr) == (row["recall"], row["fpr"])

    @given(sweeps(), costs, costs)
    def test_agrees_with_the_search_for_the_least_total_cost(self, sweep, fp, fn):
        assume(fp + fn)
        share = probability_cost(sweep.base_rate, fp, fn)
        most = sweep.positives * fn + sweep.negatives * fp
        least = total_cost(sweep.at_cost(fp=fp, fn=fn), fp, fn)
        assert cost_curve(sweep, [share])["cost"].item() * most == pytest.approx(least)

    @given(sweeps())
    def test_is_concave_and_below_both_trivial_rules(self, sweep):
        curve = cost_curve(sweep)
        assert len(curve) == 101
        share, cost = curve["probability_cost"].to_numpy(), curve["cost"].to_numpy()
        assert (cost <= np.minimum(share, 1 - share) + 1e-12).all()
        assert (np.diff(cost, 2) <= 1e-12).all()

    @given(sweeps(), st.sampled_from([0.001, 0.3, 0.9]))
    def test_another_base_rate_leaves_it_as_it_is(self, sweep, base_rate):
        assert cost_curve(sweep.at_base_rate(base_rate)).equals(cost_curve(sweep))

    def test_of_equal_costs_the_fewest_alerts(self):
        sweep = ThresholdSweep.from_scores([1, 0], [1, 1])
        assert cost_curve(sweep, [0.5])["threshold"].tolist() == [math.inf]

    def test_where_infinity_is_a_score_nothing_lies_above(self):
        sweep = ThresholdSweep.from_scores([0, 1], [math.inf, 0])
        assert math.isnan(cost_curve(sweep, [0])["threshold"].item())

    def test_one_class(self):
        with pytest.raises(InputError, match="one class only"):
            cost_curve(ThresholdSweep.from_scores([0, 0], [1, 2]))

    @pytest.mark.parametrize(
        "junk", [[-0.1], [0.5, 1.1], [math.nan], ["x"], [], 0.5, [[0.1, 0.2]], [None]]
    )
    def test_what_are_no_probability_costs(self, junk):
        with pytest.raises(InputError, match="probability_cost"):
            cost_curve(EIGHT, junk)


class TestCostAtEveryThreshold:
    @given(sweeps(), costs, costs)
    def test_is_the_total_cost_of_each(self, sweep, fp, fn):
        table = cost_at_every_threshold(sweep, cost_fp=fp, cost_fn=fn)
        for (above, _), (below, _) in pairwise(table.itertuples(index=False)):
            assert above > below
        for threshold, cost in table.itertuples(index=False):
            assert cost == total_cost(sweep.at_threshold(threshold), fp, fn)

    def test_one_class_costs_what_it_can(self):
        quiet = ThresholdSweep.from_scores([0, 0], [2, 1])
        assert cost_at_every_threshold(quiet, cost_fp=3, cost_fn=5)["cost"].tolist() == [3, 6]

    @pytest.mark.parametrize("junk", [-1, math.inf, math.nan, "x", None])
    def test_what_is_no_cost(self, junk):
        with pytest.raises(InputError, match="cost_fp"):
            cost_at_every_threshold(EIGHT, cost_fp=junk, cost_fn=1)
        with pytest.raises(InputError, match="cost_fn"):
            cost_at_every_threshold(EIGHT, cost_fp=1, cost_fn=junk)
