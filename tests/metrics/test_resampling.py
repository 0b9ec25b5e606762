"""The bootstrap against the same draws made slowly, and against what theory says of its spread."""

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep, bootstrap
from labkit.metrics.statistics import (
    auc,
    average_precision,
    brier,
    family_recall_at_budget,
    mean_score,
    precision_at,
    precision_at_budget,
    recall_at,
    recall_at_budget,
)

ODD = np.arange(60) % 2 == 1
STATISTICS = [
    auc(),
    average_precision(),
    average_precision(0.01),
    recall_at_budget(7),
    precision_at_budget(7),
    recall_at(0.55),
    precision_at(0.55),
    brier(),
    mean_score(),
    family_recall_at_budget(7, "odd", ODD),
]


def records(seed=0, n=60, n_attacks=12):
    """Labels and two detectors' scores; the second has many ties."""
    rng = np.random.default_rng(seed)
    labels = np.zeros(n, dtype=bool)
    labels[rng.choice(n, n_attacks, replace=False)] = True
    scores = (rng.random(n) + 0.4 * labels) / 1.4
    return labels, {"fine": scores, "coarse": scores.round(1)}


def slowly(labels, scores, odd):
    """Every statistic of one resample, by other means."""
    sweep = ThresholdSweep.from_scores(labels, scores)
    top = sweep.at_budget(7, ties="expected")
    cut = labels[scores >= 0.55]
    weights = np.where(labels, 0.01 / labels.sum(), 0.99 / (~labels).sum())
    return [
        roc_auc_score(labels, scores),
        average_precision_score(labels, scores),
        average_precision_score(labels, scores, sample_weight=weights),
        top.tp / labels.sum(),
        top.tp / 7,
        cut.sum() / labels.sum(),
        cut.mean() if len(cut) else math.nan,
        brier_score_loss(labels, scores),
        np.mean(scores),
        alert_share(scores)[labels & odd].mean() if (labels & odd).any() else math.nan,
    ]


def alert_share(scores):
    """How likely each record is to be one of the top 7: by counting pairs."""
    above = (scores[:, None] < scores[None, :]).sum(axis=1)
    tied = (scores[:, None] == scores[None, :]).sum(axis=1)
    return np.clip((7 - above) / tied, 0, 1)


def drawn_by_record(labels, rngs):
    rows = []
    for of_class, rng in zip((labels, ~labels), rngs, strict=True):
        members = np.flatnonzero(of_class)
        rows.append(members[rng.integers(0, len(members), len(members))])
    return np.concatenate(rows)


def drawn_by_group(labels, groups, rngs):
    rows = []
    for of_class, rng in zip((labels, ~labels), rngs, strict=True):
        present = np.unique(groups[of_class])
        for group in present[rng.integers(0, len(present), len(present))]:
            rows.append(np.flatnonzero(of_class & (groups == group)))
    return np.concatenate(rows)


def test_every_replicate_is_the_statistic_of_the_records_drawn():
    labels, detectors = records()
    result = bootstrap(labels, detectors, STATISTICS, n_replicates=70, seed=3)
    rngs = np.random.default_rng(3).spawn(2)
    for replicate in result.replicates:
        rows = drawn_by_record(labels, rngs)
        expected = [slowly(labels[rows], scores[rows], ODD[rows]) for scores in detectors.values()]
        np.testing.assert_allclose(replicate, expected, rtol=1e-12)


def test_whole_groups_are_drawn_within_each_class():
    labels, detectors = records()
    groups = np.random.default_rng(5).choice(["mon", "tue", "wed", "thu"], len(labels))
    result = bootstrap(labels, detectors, STATISTICS, groups=groups, n_replicates=70, seed=3)
    rngs = np.random.default_rng(3).spawn(2)
    for replicate in result.replicates:
        rows = drawn_by_group(labels, groups, rngs)
        expected = [slowly(labels[rows], scores[rows], ODD[rows]) for scores in detectors.values()]
        np.testing.assert_allclose(replicate, expected, rtol=1e-12)


def test_the_estimate_is_of_the_records_as_they_are():
    labels, detectors = records()
    result = bootstrap(labels, detectors, STATISTICS, n_replicates=1)
    expected = [slowly(labels, scores, ODD) for scores in detectors.values()]
    np.testing.assert_allclose(result.estimates, expected, rtol=1e-12)


def test_intervals_are_percentiles_and_differences_are_paired():
    labels, detectors = records()
    result = bootstrap(labels, detectors, [auc(), brier()], n_replicates=501)
    table = result.intervals(0.9)
    values = np.sort(result.replicates[:, 1, 0])
    assert table.loc[("coarse", "AUC"), ["low", "high"]].tolist() == [values[25], values[475]]
    difference = result.differences().loc[("coarse - fine", "Brier score")]
    paired = result.replicates[:, 1, 1] - result.replicates[:, 0, 1]
    assert difference["low"] == pytest.approx(np.quantile(paired, 0.025), rel=1e-12)
    assert difference["estimate"] == result.estimates[1, 1] - result.estimates[0, 1]


def test_the_spread_of_a_recall_is_that_of_a_binomial():
    labels = np.repeat([True, False], [400, 600])
    scores = np.concatenate([np.arange(400) < 120, np.zeros(600)]).astype(float)
    result = bootstrap(labels, {"d": scores}, [recall_at(1.0)], n_replicates=4000)
    expected = math.sqrt(0.3 * 0.7 / 400)
    assert result.replicates.std() == pytest.approx(expected, rel=0.05)


def test_days_that_differ_widen_the_interval():
    # On two days every attack is found, on two none: records say less than they seem to.
    day = np.tile([0, 1, 2, 3], 100)
    labels = np.arange(400) % 8 < 4
    scores = np.where(labels, day < 2, 0.5).astype(float)
    by_record = bootstrap(labels, {"d": scores}, [auc()]).intervals().iloc[0]
    by_day = bootstrap(labels, {"d": scores}, [auc()], groups=day).intervals().iloc[0]
    assert by_day["high"] - by_day["low"] > 4 * (by_record["high"] - by_record["low"])


def test_one_attack_leaves_no_replicate_without_one():
    labels = np.arange(40) == 7
    result = bootstrap(labels, {"d": np.arange(40.0)}, [auc()], n_replicates=300)
    assert not np.isnan(result.replicates).any()
    assert result.intervals()["unusable"].tolist() == [0]


def test_unusable_replicates_are_counted_and_left_out():
    # One record above the threshold: about a third of the draws miss it.
    labels = np.array([True, False] * 10)
    scores = np.linspace(0, 1, 20)
    result = bootstrap(labels, {"d": scores}, [precision_at(1.0)], n_replicates=1000)
    row = result.intervals().iloc[0]
    assert row["unusable"] == np.isnan(result.replicates).sum()
    assert row["unusable"] / 1000 == pytest.approx(0.9**10, abs=0.05)
    assert (row["low"], row["high"]) == (0, 0)


def test_no_usable_replicate_gives_no_interval():
    result = bootstrap([1, 0], {"d": [0.1, 0.2]}, [precision_at(5.0)], n_replicates=10)
    row = result.intervals().iloc[0]
    assert row["unusable"] == 10
    assert math.isnan(row["low"])
    assert math.isnan(row["high"])


def test_the_seed_decides():
    labels, detectors = records()
    first, again, other = (
        bootstrap(labels, detectors, [auc()], n_replicates=50, seed=seed).replicates
        for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"y_true": [1, 1, 1]}, "one class"),
        ({"y_true": [0, 0, 0]}, "one class"),
        ({"y_scores": {"d": [1, 2]}}, "3"),
        ({"y_scores": {"d": [1, 2, math.nan]}}, r"y_scores\['d'\]"),
        ({"y_scores": {}}, "y_scores"),
        ({"statistics": []}, "statistic"),
        ({"groups": [1, 2]}, "groups"),
        ({"n_replicates": 0}, "n_replicates"),
    ],
)
def test_faults_are_named(change, named):
    arguments = {"y_true": [1, 0, 0], "y_scores": {"d": [3, 2, 1]}, "statistics": [auc()]}
    with pytest.raises(InputError, match=named):
        bootstrap(**(arguments | change))


@pytest.mark.parametrize("rate", [0, 1, math.nan])
def test_a_base_rate_lies_within_0_and_1(rate):
    with pytest.raises(InputError, match="base_rate"):
        average_precision(rate)


def test_a_level_lies_within_0_and_1():
    result = bootstrap([1, 0], {"d": [2, 1]}, [auc()], n_replicates=2)
    with pytest.raises(InputError, match="level"):
        result.intervals(95)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: recall_at_budget(-1), "k is -1"),
        (lambda: recall_at_budget(2.5), "k is 2.5"),
        (lambda: precision_at_budget(0), "k is 0"),
        (lambda: recall_at(math.nan), "threshold is nan"),
        (lambda: precision_at(math.nan), "threshold is nan"),
    ],
)
def test_statistics_refuse_what_they_cannot_measure(make, named):
    with pytest.raises(InputError, match=named):
        make()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"groups": [1, None, 2]}, "groups is missing in 1 of 3"),
        ({"groups": [1.0, math.nan, 2.0]}, "groups is missing in 1 of 3"),
        ({"n_replicates": 2.5}, "n_replicates"),
        ({"statistics": [brier()]}, "outside"),
        ({"statistics": [family_recall_at_budget(1, "x", [True])]}, "of_family has 1"),
        ({"y_scores": {"y_true": [1, 2]}}, r"y_scores\['y_true'\] has 2"),
    ],
)
def test_more_faults_are_named(change, named):
    arguments = {"y_true": [1, 0, 0], "y_scores": {"d": [3, 2, 1]}, "statistics": [auc()]}
    with pytest.raises(InputError, match=named):
        bootstrap(**(arguments | change))


def test_many_records_are_drawn_one_replicate_at_a_time_and_as_before():
    labels, detectors = records(n=3000, n_attacks=20)
    result = bootstrap(labels, detectors, [auc(), average_precision()], n_replicates=35, seed=3)
    rngs = np.random.default_rng(3).spawn(2)
    for replicate in result.replicates:
        rows = drawn_by_record(labels, rngs)
        expected = [
            [
                metric(labels[rows], scores[rows])
                for metric in (roc_auc_score, average_precision_score)
            ]
            for scores in detectors.values()
        ]
        np.testing.assert_allclose(replicate, expected, rtol=1e-12)


def test_replicates_are_found_by_name():
    labels, detectors = records()
    result = bootstrap(labels, detectors, [auc(), brier()], n_replicates=5)
    np.testing.assert_array_equal(result.of("coarse", "Brier score"), result.replicates[:, 1, 1])
