"""What is drawn: the two forms of each number agree, weights as draws, pairs on the same draws."""

import math

import numpy as np
import pytest
from made_up_scores import scores
from sklearn.metrics import average_precision_score, roc_auc_score

from labkit.errors import InputError
from labkit.evaluation import evaluate
from labkit.evaluation.options import as_options
from labkit.evaluation.records import as_records
from labkit.evaluation.resampling import replicates_of_records
from labkit.evaluation.thresholds import projected_precision
from labkit.metrics import ThresholdSweep, bootstrap
from labkit.metrics.statistics import (
    auc,
    average_precision,
    brier,
    cost_at,
    log_loss,
    mean_score,
    precision_at,
    precision_at_budget,
    recall_at,
    recall_at_budget,
)


def cost_a_record(sweep, at):
    point = sweep.at_threshold(at)
    return (point.fp + 30 * point.fn) / (sweep.positives + sweep.negatives)


# Each statistic, and how a sweep gives the same number.
OF_SWEEP = {
    auc(): lambda sweep: sweep.roc_auc,
    average_precision(): lambda sweep: sweep.average_precision,
    average_precision(0.01): lambda sweep: sweep.at_base_rate(0.01).average_precision,
    **{
        recall_at_budget(k): lambda sweep, k=k: sweep.at_budget(k, "expected").recall
        for k in (0, 7, 10**6)
    },
    **{
        precision_at_budget(k): lambda sweep, k=k: sweep.at_budget(k, "expected").precision
        for k in (7, 10**6)
    },
    **{
        recall_at(at): lambda sweep, at=at: sweep.at_threshold(at).recall
        for at in (0.7, 2.5, 99, -math.inf)
    },
    **{
        precision_at(at): lambda sweep, at=at: sweep.at_threshold(at).precision
        for at in (0.7, 2.5, 99, -math.inf)
    },
    **{
        precision_at(at, 0.02): lambda sweep, at=at: projected_precision(
            sweep.at_threshold(at), 0.02
        )
        for at in (0.7, 99)
    },
    **{cost_at(at, 1, 30): lambda sweep, at=at: cost_a_record(sweep, at) for at in (0.7, 2.5)},
}


def options(**changes):
    asked = {
        "budgets": (), "base_rates": None, "cost_fp": None, "cost_fn": None, "level": 0.95,
        "n_replicates": 40, "seed": 3, "whole": True,
    }  # fmt: skip
    return as_options(**(asked | changes))


@pytest.mark.parametrize("statistic", OF_SWEEP, ids=lambda one: one.name)
def test_a_number_is_the_same_of_a_sweep_and_of_resamples(statistic):
    y_true, by_name, _ = scores(400)
    estimate = bootstrap(y_true, {"a": by_name["coarse"]}, [statistic], n_replicates=1)
    sweep = ThresholdSweep.from_scores(y_true, by_name["coarse"])
    assert OF_SWEEP[statistic](sweep) == pytest.approx(estimate.estimates.item(), nan_ok=True)


def test_weighted_resamples_are_sweeps_of_weighted_draws():
    """Every statistic of weighted draws, against a sweep of each draw made here."""
    y_true, by_name, _ = scores(150)
    y_score, weights = by_name["coarse"], np.random.default_rng(5).random(150)
    records = as_records(y_true, {"a": y_score}, None, None, weights, None)
    of_weights = {
        of(2.5, whole=False): lambda sweep, of=of: getattr(
            sweep.at_budget(2.5, "expected"), of.__name__.partition("_")[0]
        )
        for of in (recall_at_budget, precision_at_budget)
    }
    of_sweep = OF_SWEEP | of_weights
    found = replicates_of_records(records, "a", list(of_sweep), options(n_replicates=20))
    rngs = np.random.default_rng(3).spawn(2)
    for place in range(20):
        drawn = np.zeros(150)
        for of_class, rng in zip((y_true, ~y_true), rngs, strict=True):
            rows = np.flatnonzero(of_class)
            drawn += np.bincount(rows[rng.integers(0, len(rows), len(rows))], minlength=150)
        sweep = ThresholdSweep.from_scores(y_true, y_score, sample_weight=drawn * weights)
        for statistic, of in of_sweep.items():
            wanted = pytest.approx(of(sweep), nan_ok=True)
            assert found[statistic.name][place] == wanted, statistic.name


@pytest.mark.parametrize("grouped", [False, True])
def test_weights_of_one_give_the_resamples_of_no_weights(grouped):
    y_true, by_name, day = scores(400)
    groups = day if grouped else None
    ones = np.ones(len(y_true))
    statistics = [*OF_SWEEP, brier(), mean_score(), log_loss()]
    drawn = [
        replicates_of_records(
            as_records(y_true, {"a": by_name["sharp"]}, None, groups, weights, None),
            "a",
            statistics,
            options(),
        )
        for weights in (None, ones)
    ]
    assert list(drawn[0]) == list(drawn[1])
    for name, replicates in drawn[0].items():
        assert drawn[1][name] == pytest.approx(replicates, nan_ok=True), name


def test_weighted_resamples_against_scikit_learn():
    """The spread of a weighted AUC and AP over draws made here, one by one."""
    y_true, by_name, _ = scores(500)
    y_score = by_name["coarse"]
    weights = np.random.default_rng(5).random(len(y_true))
    result = evaluate(y_true, y_score, sample_weight=weights, n_replicates=600).detectors["score"]
    rng = np.random.default_rng(11)
    classes = [np.flatnonzero(y_true), np.flatnonzero(~y_true)]
    areas, means = [], []
    for _ in range(600):
        rows = np.concatenate([rng.choice(rows, len(rows)) for rows in classes])
        drawn = y_true[rows], y_score[rows]
        areas.append(roc_auc_score(*drawn, sample_weight=weights[rows]))
        means.append(average_precision_score(*drawn, sample_weight=weights[rows]))
    for measure, values in ((result.auc, areas), (result.average_precision, means)):
        assert (measure.low, measure.high) == pytest.approx(
            np.quantile(values, [0.025, 0.975]), abs=0.03
        )
        assert measure.interval == "bootstrap of records"


def test_a_record_of_weight_two_counts_as_two():
    y_true, by_name, day = scores(300)
    y_score, twice = by_name["coarse"], np.arange(300) % 3 == 0
    of = {"budgets": [5], "cost_fp": 1, "cost_fn": 20, "n_replicates": 20}
    weighted = evaluate(y_true, y_score, day=day, sample_weight=1 + twice, **of)
    rows = np.repeat(np.arange(300), 1 + twice)
    repeated = evaluate(y_true[rows], y_score[rows], day=day[rows], **of)
    a, b = (one.detectors["score"] for one in (weighted, repeated))
    assert a.records == b.records == len(rows)
    assert a.auc.estimate == pytest.approx(b.auc.estimate)
    assert a.budgets[0].recall.estimate == pytest.approx(b.budgets[0].recall.estimate)
    assert a.daily_budgets[0].ranking.days["tp"].tolist() == pytest.approx(
        b.daily_budgets[0].ranking.days["tp"].tolist()
    )
    assert a.costs.least.cost == pytest.approx(b.costs.least.cost)


def test_a_record_of_weight_zero_counts_as_removed():
    y_true, by_name, day = scores(300)
    weights = (day != 2).astype(float)
    of = {"budgets": [5], "n_replicates": 20}
    removed = evaluate(
        y_true[day != 2], by_name["coarse"][day != 2], day=day[day != 2],
        sample_weight=weights[day != 2], **of,
    )  # fmt: skip
    weighted = evaluate(y_true, by_name["coarse"], day=day, sample_weight=weights, **of)
    assert weighted.to_dict() == removed.to_dict()


def test_groups_go_before_days_for_what_is_drawn():
    y_true, by_name, day = scores()
    hosts = np.random.default_rng(2).integers(0, 40, len(day))
    result = evaluate(y_true, by_name["coarse"], day=day, groups=hosts, n_replicates=20)
    assert (result.resampling.unit, result.resampling.drawn) == ("groups", 40)
    detector = result.detectors["score"]
    assert detector.average_precision.interval == "bootstrap of groups"
    assert detector.auc.interval == "bootstrap of groups"
    assert detector.auc_delong.interval == "DeLong"
    assert detector.base_rate.interval == "bootstrap of groups"
    assert detector.days is not None


def test_pairs_are_judged_on_the_same_draws():
    y_true, by_name, day = scores()
    same = {"a": by_name["sharp"], "b": by_name["sharp"]}
    pair = evaluate(y_true, same, day=day, budgets=[5], n_replicates=50).pairs[0]
    for difference in pair.differences.values():
        assert difference.estimate == 0
        assert "no resample differs" in difference.reason
    # Unpaired draws of two such detectors would differ by far more than these do.
    nearly = {"a": by_name["sharp"], "b": by_name["sharp"] + 1e-3 * by_name["coarse"]}
    pair = evaluate(y_true, nearly, n_replicates=200).pairs[0]
    auc_width = pair.differences["AUC"].high - pair.differences["AUC"].low
    alone = evaluate(y_true, by_name["sharp"], n_replicates=200).detectors["score"].auc
    assert auc_width < (alone.high - alone.low) / 5


def test_the_difference_is_the_later_minus_the_earlier():
    y_true, by_name, _ = scores()
    result = evaluate(y_true, by_name, n_replicates=50)
    pair = result.pairs[0]
    assert (pair.detector, pair.baseline) == ("sharp", "coarse")
    a, b = (roc_auc_score(y_true, by_name[name]) for name in ("sharp", "coarse"))
    assert pair.differences["AUC"].estimate == pytest.approx(a - b)
    assert pair.delong.difference == pytest.approx(a - b)
    assert pair.differences["AUC"].low < a - b < pair.differences["AUC"].high


def test_the_seed_decides():
    y_true, by_name, _ = scores(300)
    of = {"y_true": y_true, "y_scores": by_name, "n_replicates": 50}
    first = evaluate(**of, seed=1).to_dict()
    assert evaluate(**of, seed=1).to_dict() == first
    assert evaluate(**of, seed=2).to_dict() != first


def test_no_resamples_leave_what_needs_none():
    y_true, by_name, day = scores(300)
    result = evaluate(y_true, by_name["coarse"], budgets=[5], n_replicates=0)
    detector = result.detectors["score"]
    assert detector.auc.interval == "DeLong"
    assert detector.budgets[0].at_threshold.recall.interval == "Wilson"
    assert detector.average_precision.reason == "no resamples were asked for"
    daily = evaluate(y_true, by_name["coarse"], day=day, budgets=[5], n_replicates=0)
    ranking = daily.detectors["score"].daily_budgets[0].ranking
    assert ranking.recall.reason == "no resamples were asked for"


def test_unusable_resamples_are_counted_and_told():
    # One record only lies at or above the threshold: a third of the draws lack it.
    y_true = np.array([0] * 50 + [1] * 10)
    y_score = np.arange(60.0)
    y_score[0] = 99
    result = evaluate(
        y_true, y_score, groups=np.arange(60), budgets=[1], base_rates=[], n_replicates=2000
    )
    detector = result.detectors["score"]
    precision = detector.budgets[0].at_threshold.precision
    assert precision.unusable == pytest.approx(2000 * (1 - 1 / 50) ** 50, rel=0.1)
    assert math.isnan(precision.low)
    assert "undefined in some resamples" in result.summary()


@pytest.mark.parametrize("weights", [None, np.random.default_rng(0).random(18)])
def test_a_perfect_ranking_claims_no_certainty(weights):
    detector = evaluate(
        [0] * 9 + [1] * 9, np.arange(18), sample_weight=weights, n_replicates=50
    ).detectors["score"]
    assert (detector.auc.estimate, detector.average_precision.estimate) == pytest.approx((1, 1))
    assert math.isnan(detector.auc.low)
    assert "no proof" in detector.auc.reason
    assert "no proof" in detector.average_precision.reason


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"budgets": [2.5]}, "budgets is 2.5"),
        ({"budgets": [-1]}, "budgets is -1"),
        ({"budgets": [math.inf]}, "finite"),
        ({"budgets": "20"}, "list of numbers"),
        ({"base_rates": [1.0]}, "base_rates is 1.0"),
        ({"cost_fp": 1}, "go together"),
        ({"cost_fp": 0, "cost_fn": 0}, "both 0"),
        ({"cost_fp": -1, "cost_fn": 1}, "cost_fp is -1"),
        ({"level": 1}, "level is 1"),
        ({"n_replicates": -1}, "n_replicates is -1"),
        ({"n_replicates": 2.5}, "n_replicates is 2.5"),
        ({"seed": True}, "seed is True"),
    ],
)
def test_options_that_cannot_be(changes, named):
    with pytest.raises(InputError, match=named):
        options(**changes)


def test_one_number_is_as_good_as_a_list_and_order_does_not_matter():
    assert options(budgets=20).budgets == (20,)
    assert options(budgets=np.array([80, 20, 20])).budgets == (20, 80)
    assert options(base_rates=[0.001, 0.1]).base_rates == (0.1, 0.001)
    assert options(budgets=2.5, whole=False).budgets == (2.5,)
