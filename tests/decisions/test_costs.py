import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labkit.decisions import cost_threshold, total_cost
from labkit.errors import InputError
from labkit.metrics import ConfusionMatrix, ThresholdSweep

# From a public report of a grid that missed the best cut: costs of false alerts and missed attacks,
# the least total cost, and every cut that reaches it.
LABELS = [1, 0, 1, 0, 1, 0, 0, 0]
SCORES = [0.95, 0.9, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
BEST_CUTS = [
    (1, 1, 2, [0.95, 0.7, 0.4]),
    (1, 2, 2, [0.4]),
    (1, 5, 2, [0.4]),
    (10, 1, 2, [0.95]),
    (1, 0, 0, [math.inf, 0.95]),
    (0, 1, 0, [0.4, 0.3, 0.2, 0.1]),
]
NOT_A_COST = [-1, -0.5, math.nan, math.inf, -math.inf, "5", None]

costs = st.integers(0, 60)


@st.composite
def calibrated_groups(draw):
    """Groups of records whose score is, as a fraction and as a float, their share of attacks."""
    sizes = draw(st.lists(st.integers(1, 12), min_size=1, max_size=6))
    groups = {}
    for size in sizes:
        attacks = draw(st.integers(0, size))
        shares = groups.setdefault(Fraction(attacks, size), [0, 0])
        shares[0] += attacks
        shares[1] += size
    return groups


def records_of(groups, score=float):
    labels, scores = [], []
    for share, (attacks, size) in groups.items():
        labels += [1] * attacks + [0] * (size - attacks)
        scores += [score(share)] * size
    return labels, scores


def cost_of_alerting_on(groups, fp, fn, alert):
    return sum(
        fp * (size - attacks) if alert(share) else fn * attacks
        for share, (attacks, size) in groups.items()
    )


class TestCostThreshold:
    @pytest.mark.parametrize(
        ("fp", "fn", "threshold"),
        [(1, 50, 1 / 51), (1, 1, 1 / 2), (3, 1, 3 / 4), (0, 5, 0), (5, 0, 1), (0.25, 0.75, 0.25)],
    )
    def test_by_hand(self, fp, fn, threshold):
        assert cost_threshold(fp, fn) == threshold

    @pytest.mark.parametrize("scale", [1e-300, 1e308, 7])
    def test_only_the_ratio_matters(self, scale):
        assert cost_threshold(scale, scale) == 0.5
        assert type(cost_threshold(np.float32(1), np.int8(127))) is float
        assert cost_threshold(np.int8(127), np.int8(127)) == 0.5

    @given(st.integers(0, 10**6), st.integers(1, 10**6))
    def test_is_the_float_next_to_the_ratio(self, fp, fn):
        assert cost_threshold(fp, fn) == float(Fraction(fp, fp + fn))

    @pytest.mark.parametrize("cost", NOT_A_COST)
    def test_what_is_no_cost(self, cost):
        with pytest.raises(InputError, match=r"^cost_fp is .*finite number, 0 or more"):
            cost_threshold(cost, 1)
        with pytest.raises(InputError, match=r"^cost_fn is .*finite number, 0 or more"):
            cost_threshold(1, cost)

    def test_two_errors_that_cost_nothing_choose_nothing(self):
        with pytest.raises(InputError, match="cost_fp and cost_fn are both 0"):
            cost_threshold(0, 0)


class TestTotalCost:
    def test_by_hand(self):
        point = ConfusionMatrix(tp=9, fp=90, fn=1, tn=900)
        assert total_cost(point, 1, 50) == 140
        assert total_cost(point, 0, 0) == 0
        assert total_cost(ConfusionMatrix(0, 0, 0, 7), 1, 50) == 0

    def test_expected_counts_have_an_expected_cost(self):
        sweep = ThresholdSweep.from_scores([1, 0, 1], [0.9, 0.8, 0.8])
        point = sweep.at_budget(2, ties="expected")
        assert total_cost(point, 1, 10) == pytest.approx(0.5 * 1 + 0.5 * 10)

    @pytest.mark.parametrize("cost", NOT_A_COST)
    def test_what_is_no_cost(self, cost):
        point = ConfusionMatrix(1, 1, 1, 1)
        with pytest.raises(InputError, match=r"^cost_fp is"):
            total_cost(point, cost, 1)
        with pytest.raises(InputError, match=r"^cost_fn is"):
            total_cost(point, 1, cost)

    @pytest.mark.parametrize(("fp", "fn", "least", "best"), BEST_CUTS)
    def test_published_costs_of_every_cut(self, fp, fn, least, best):
        sweep = ThresholdSweep.from_scores(LABELS, SCORES)
        cost_at = {
            threshold: total_cost(sweep.at_threshold(threshold), fp, fn)
            for threshold in (math.inf, *SCORES)
        }
        assert min(cost_at.values()) == least
        assert [threshold for threshold, cost in cost_at.items() if cost == least] == best
        # Of several that cost the same, the search takes the highest.
        assert sweep.at_cost(fp=fp, fn=fn).threshold == best[0]


class TestTheRuleAndTheSearch:
    @given(calibrated_groups(), costs, costs)
    def test_cost_the_same_where_probabilities_are_calibrated(self, groups, fp, fn):
        assume(fp + fn)
        sweep = ThresholdSweep.from_scores(*records_of(groups))
        threshold = cost_threshold(fp, fn)
        by_rule = total_cost(sweep.at_threshold(threshold), fp, fn)
        by_search = total_cost(sweep.at_cost(fp=fp, fn=fn), fp, fn)
        # Both against the groups alone: no threshold of any kind does better.
        cuts = [math.inf, *groups]
        best = min(
            cost_of_alerting_on(groups, fp, fn, lambda share, cut=cut: share >= cut) for cut in cuts
        )
        elkan = cost_of_alerting_on(groups, fp, fn, lambda share: share >= Fraction(fp, fp + fn))
        assert by_rule == elkan == best == by_search

    @given(calibrated_groups(), st.data())
    def test_on_a_score_of_exactly_p_both_decisions_cost_the_same(self, groups, data):
        share = data.draw(st.sampled_from(sorted(groups)))
        fp, fn = share.numerator, share.denominator - share.numerator
        sweep = ThresholdSweep.from_scores(*records_of(groups))
        threshold = cost_threshold(fp, fn)
        assert threshold == float(share)
        alerting, silent = (
            sweep.at_threshold(threshold),
            sweep.at_threshold(math.nextafter(threshold, math.inf)),
        )
        assert alerting.alerts > silent.alerts
        assert total_cost(alerting, fp, fn) == total_cost(silent, fp, fn)
        # The search takes the fewest alerts of those.
        assert sweep.at_cost(fp=fp, fn=fn).alerts == silent.alerts

    def test_differ_where_scores_only_rank(self):
        # Of every ten records scored 0.2, 0.5 and 0.8, so many are attacks.
        groups = {Fraction(2, 10): (2, 10), Fraction(5, 10): (5, 10), Fraction(8, 10): (8, 10)}
        labels, scores = records_of(groups, score=lambda share: float(share) / 10)
        sweep = ThresholdSweep.from_scores(labels, scores)
        # At equal costs p* = 1/2: nothing scores that much, and all 15 attacks are missed.
        rule = sweep.at_threshold(cost_threshold(1, 1))
        search = sweep.at_cost(fp=1, fn=1)
        assert (rule.alerts, total_cost(rule, 1, 1)) == (0, 15)
        # Alerting on the highest ten finds 8, at 2 false alerts: 2 + 7.
        assert (search.alerts, total_cost(search, 1, 1)) == (10, 9)

    @given(calibrated_groups(), costs, costs)
    def test_the_search_is_never_dearer_than_the_rule(self, groups, fp, fn):
        assume(fp + fn)
        sweep = ThresholdSweep.from_scores(*records_of(groups, score=lambda p: float(p) ** 3))
        by_rule = total_cost(sweep.at_threshold(cost_threshold(fp, fn)), fp, fn)
        assert total_cost(sweep.at_cost(fp=fp, fn=fn), fp, fn) <= by_rule

    @pytest.mark.parametrize(("fp", "fn", "by_rule", "by_search"), [(0, 1, 4, 3), (1, 0, 1, 0)])
    def test_an_error_that_costs_nothing(self, fp, fn, by_rule, by_search):
        sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [1.0, 0.5, 0.5, 0.0])
        rule, search = sweep.at_threshold(cost_threshold(fp, fn)), sweep.at_cost(fp=fp, fn=fn)
        # Elkan's rule alerts on a tie in cost, the search does not.
        assert (rule.alerts, search.alerts) == (by_rule, by_search)
        assert total_cost(rule, fp, fn) == total_cost(search, fp, fn) == 0
