"""The numbers of an evaluation against hand counts, scikit-learn, SciPy and published figures."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_up_scores import scores
from scipy.stats import binomtest
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

from labkit.evaluation import evaluate

REAL = Path(__file__).resolve().parents[3] / "shared" / "real" / "scores"
TEXTS = {"outcome", "gender", "truth", "predicted"}
LABELS, SCORES = [1, 0, 1, 0, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1]


def one(y_true, y_score, **options):
    return evaluate(y_true, y_score, **({"n_replicates": 50} | options)).detectors["score"]


def real(name):
    if not (REAL / name).is_file():
        pytest.skip(f"../shared/real/scores/{name} is absent")
    texts = pd.read_csv(REAL / name, dtype=str)
    # Python reads digits to the nearest float, which not every release of pandas does.
    return texts.apply(lambda c: c if c.name in TEXTS else c.map(float))


@pytest.fixture(scope="module")
def eight():
    return one(LABELS, SCORES, budgets=[1, 3], base_rates=[0.5, 0.1], cost_fp=1, cost_fn=4)


class TestEightRecords:
    """Attacks at ranks 1, 3 and 6 of eight: everything can be counted by hand."""

    def test_what_the_records_are(self, eight):
        assert (eight.records, eight.positives, eight.negatives) == (8, 3, 5)
        assert eight.base_rate.estimate == 3 / 8
        assert eight.distinct_scores == 8

    def test_areas(self, eight):
        # The attacks outscore 5, 4 and 2 of the five normal records.
        assert eight.auc.estimate == pytest.approx(11 / 15)
        assert eight.average_precision.estimate == pytest.approx((1 + 2 / 3 + 3 / 6) / 3)

    def test_average_precision_at_another_base_rate(self, eight):
        # False positive rates at the attacks are 0, 1/5 and 3/5, recalls 1/3, 2/3 and 1.
        at_half = (1 + (2 / 3) / (2 / 3 + 1 / 5) + 1 / (1 + 3 / 5)) / 3
        assert eight.average_precision_at[0.5].estimate == pytest.approx(at_half)
        at_tenth = (1 + (2 / 3) / (2 / 3 + 9 / 5) + 1 / (1 + 27 / 5)) / 3
        assert eight.average_precision_at[0.1].estimate == pytest.approx(at_tenth)

    def test_budgets(self, eight):
        first, third = eight.budgets
        assert (first.recall.estimate, first.precision.estimate) == (1 / 3, 1)
        assert (third.recall.estimate, third.precision.estimate) == (2 / 3, 2 / 3)
        assert third.at_threshold.threshold == 6
        assert third.at_threshold.precision_at[0.1].estimate == pytest.approx(
            (2 / 3) / (2 / 3 + 9 / 5)
        )

    def test_costs(self, eight):
        # Flagging down to the score 3 misses nothing and raises three false alerts.
        assert (eight.costs.least.threshold, eight.costs.least.cost) == (3, 3)
        assert eight.costs.least.cost_per_record.estimate == 3 / 8
        assert (eight.costs.on_nothing, eight.costs.on_everything) == (12, 5)
        assert eight.costs.rule is None
        assert "range from 1 to 8" in eight.costs.rule_reason

    def test_wilson_intervals_at_fixed_thresholds(self, eight):
        at = eight.budgets[1].at_threshold
        for share, (k, n) in ((at.recall, (2, 3)), (at.precision, (2, 3))):
            wanted = binomtest(k, n).proportion_ci(0.95, method="wilson")
            assert (share.low, share.high) == pytest.approx((wanted.low, wanted.high))
            assert share.interval == "Wilson"

    def test_no_calibration_without_probabilities(self, eight):
        assert eight.calibration is None
        assert "no probabilities" in eight.missing["calibration"]


def test_a_tie_at_the_cut_is_cut_by_chance_and_bounded():
    result = one([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1], budgets=[2])
    budget = result.budgets[0]
    assert budget.ties_at_cut == 3
    assert budget.tp == pytest.approx(1 + 2 / 3)
    assert (budget.tp_low, budget.tp_high) == (1, 2)
    assert budget.recall.bounds == pytest.approx((1 / 3, 2 / 3))
    assert budget.precision.bounds == pytest.approx((1 / 2, 1))
    # The threshold leaves the tied records out, and never exceeds the budget.
    assert (budget.at_threshold.threshold, budget.at_threshold.alerts) == (0.9, 1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["coarse", "sharp"])
def test_against_scikit_learn(name, weighted):
    y_true, by_name, _ = scores()
    y_score = by_name[name]
    weights = np.random.default_rng(1).random(len(y_true)) if weighted else None
    result = one(y_true, y_score, sample_weight=weights, cost_fp=1, cost_fn=9, base_rates=[0.01])
    assert result.auc.estimate == pytest.approx(
        roc_auc_score(y_true, y_score, sample_weight=weights)
    )
    assert result.average_precision.estimate == pytest.approx(
        average_precision_score(y_true, y_score, sample_weight=weights)
    )
    own = np.ones(len(y_true)) if weights is None else weights
    # Normal records that weigh more make attacks rarer.
    rarer = np.where(y_true, own, own * own[y_true].sum() / own[~y_true].sum() * 99)
    assert result.average_precision_at[0.01].estimate == pytest.approx(
        average_precision_score(y_true, y_score, sample_weight=rarer)
    )
    least = result.costs.least
    flagged = y_score >= least.threshold
    for rate, of in ((least.recall, recall_score), (least.precision, precision_score)):
        assert rate.estimate == pytest.approx(of(y_true, flagged, sample_weight=weights))
    costs = [
        own[(y_score >= t) & ~y_true].sum() + 9 * own[(y_score < t) & y_true].sum()
        for t in np.unique(y_score)
    ]
    assert least.cost == pytest.approx(min(costs))
    if name == "sharp":
        judged = result.calibration
        for measure, of in ((judged.brier_score, brier_score_loss), (judged.log_loss, log_loss)):
            assert measure.estimate == pytest.approx(of(y_true, y_score, sample_weight=weights))
        assert judged.mean_prediction.estimate == pytest.approx(
            np.average(y_score, weights=weights)
        )
        assert judged.bins["count"].sum() == pytest.approx(own.sum())
        assert judged.bins["attacks"].sum() == pytest.approx(own[y_true].sum())
        # The cost threshold 1 / (1 + 9).
        assert result.costs.rule.threshold == 0.1
        assert result.costs.rule.alerts == pytest.approx(own[y_score >= 0.1].sum())


def test_a_certain_and_wrong_record_makes_the_log_loss_infinite():
    judged = one([1, 0, 1, 0], [0.0, 0.2, 0.9, 1.0]).calibration
    assert judged.log_loss.estimate == math.inf
    assert judged.certain_and_wrong == 2
    assert "2 records" in judged.log_loss.reason
    assert math.isnan(judged.log_loss.low)
    assert judged.brier_score.interval == "bootstrap of records"


def test_infinite_scores_are_scores():
    result = one([0, 1, 1, 0], [math.inf, math.inf, 3, -math.inf], budgets=[0, 2])
    assert result.auc.estimate == 0.625
    nothing, two = result.budgets
    assert math.isnan(nothing.at_threshold.threshold)
    assert nothing.at_threshold.alerts == 0
    assert (two.at_threshold.threshold, two.at_threshold.alerts) == (math.inf, 2)
    assert two.at_threshold.recall.interval == "Wilson"
    assert any("infinite" in note for note in result.notes)


def test_the_direction_of_scores_is_not_turned_around_but_remarked_on():
    result = one([1, 0, 0], [1, 2, 3])
    assert result.auc.estimate == 0
    assert "below one half" in result.notes[0]


def test_constant_scores():
    result = one([1, 0, 0, 0], [5, 5, 5, 5], budgets=[2])
    assert (result.auc.estimate, result.average_precision.estimate) == (0.5, 0.25)
    assert result.budgets[0].at_threshold.threshold == math.inf
    assert result.budgets[0].recall.estimate == 0.5
    assert "nothing is ranked" in result.notes[0]


def test_published_areas_and_intervals_of_aneurysm_patients():
    patients = real("aSAH.csv")
    result = evaluate(
        patients["outcome"], patients[["s100b", "wfns", "ndka"]], pos_label="Poor", n_replicates=50
    )
    # As the tests of pROC have them; the interval is 1.96 standard errors to both sides.
    for name, area, variance in (
        ("s100b", 0.731369, 0.00266868245717244),
        ("wfns", 0.823678861788618, 0.00146991470882363),
        ("ndka", 0.611957994579946, 0.0031908105493913),
    ):
        auc = result.detectors[name].auc
        assert auc.estimate == pytest.approx(area, abs=5e-7)
        half = 1.959963984540054 * math.sqrt(variance)
        assert (auc.low, auc.high) == pytest.approx((auc.estimate - half, auc.estimate + half))
    pair = result.pairs[0]
    assert (pair.detector, pair.baseline) == ("wfns", "s100b")
    assert pair.delong.z == pytest.approx(2.20898359144091)
    assert pair.delong.p_value == pytest.approx(0.0271758, abs=5e-8)


def test_published_weighted_areas():
    records = real("two_class_example.csv")
    for weights, areas in (
        (None, (0.9393138573899673, 0.9465570239988341)),
        (records["weight"], (0.9324405222925298, 0.9422031682413736)),
    ):
        result = one(
            records["truth"], records["Class1"].to_numpy(), pos_label="Class1",
            sample_weight=weights, n_replicates=20,
        )  # fmt: skip
        assert (result.auc.estimate, result.average_precision.estimate) == pytest.approx(
            areas, rel=1e-14
        )
