"""Parquet that does not fit in the memory allowed: counted, with bounds that hold the truth."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from made_up_scores import numbers, scores

from labkit.errors import InputError
from labkit.evaluation import Measure, evaluate_file, evaluate_files, evaluate_sweeps
from labkit.evaluation.calibration import EDGES
from labkit.evaluation.report.wording import measures_of
from labkit.scale import ScoreSketch, sweep_parquet

pytest.importorskip("pyarrow")
ASKED = {"budgets": [5, 40], "cost_fp": 1, "cost_fn": 20, "n_replicates": 60}
NAMES = ["coarse", "sharp"]
# Bytes that may be used where the records of `flows` are counted by score, and in bins.
COUNTED, BINNED = 100_000, 0


def table(n=1500):
    y_true, by_name, day = scores(n)
    dates = np.datetime64("2026-03-01") + day
    return pd.DataFrame({"label": np.where(y_true, "attack", "benign"), "day": dates} | by_name)


@pytest.fixture
def flows(tmp_path):
    path = tmp_path / "flows.parquet"
    table().to_parquet(path, row_group_size=400)
    return path


@pytest.fixture
def few_bins(monkeypatch):
    """A sketch of so few bins that much is left open."""
    monkeypatch.setattr(evaluate_files, "sweep_parquet", partial(sweep_parquet, bins=150))


def evaluated(path, names=NAMES, **asked):
    return evaluate_file(path, names, "label", positive="attack", **ASKED | asked)


@pytest.mark.parametrize("max_memory", [COUNTED, BINNED])
def test_what_is_counted_is_what_is_read(flows, max_memory):
    read = evaluated(flows, day="day").to_dict()
    counted = evaluated(flows, day="day", max_memory=max_memory).to_dict()
    (how,) = set(counted.pop("notes")) - set(read.pop("notes"))
    assert how.startswith("Records were not read one by one, but counted: 1,500 records")
    counted, read = dict(numbers(counted)), dict(numbers(read))
    assert {path for path in read if "/pairs/0/delong" not in path} == set(counted)
    for path, value in counted.items():
        wanted = read[path]
        assert value == (pytest.approx(wanted) if isinstance(wanted, float) else wanted), path


def within(bounds, value):
    low, high = bounds
    return low - 1e-12 <= value <= high + 1e-12


def test_bounds_hold_what_is_true(flows, few_bins):
    read = evaluated(flows, day="day").detectors["sharp"]
    binned = evaluated(flows, ["sharp"], day="day", max_memory=0).detectors["sharp"]
    pairs = [
        (binned.auc, read.auc),
        (binned.average_precision, read.average_precision),
        *zip(binned.average_precision_at.values(), read.average_precision_at.values(), strict=True),
        *((a.recall, b.recall) for a, b in zip(binned.budgets, read.budgets, strict=True)),
        *(
            (a.ranking.recall, b.ranking.recall)
            for a, b in zip(binned.daily_budgets, read.daily_budgets, strict=True)
        ),
        (binned.calibration.brier_score, read.calibration.brier_score),
        (binned.calibration.log_loss, read.calibration.log_loss),
        (binned.calibration.mean_prediction, read.calibration.mean_prediction),
    ]
    for ours, truth in pairs:
        assert within(ours.bounds or (ours.estimate, ours.estimate), truth.estimate)
        assert within(ours.bounds or (ours.estimate, ours.estimate), ours.estimate)
        # As much wider as the bounds are.
        assert ours.low <= ours.estimate <= ours.high
    assert binned.auc.bounds[0] < binned.auc.bounds[1]
    assert within(binned.costs.least_bounds, read.costs.least.cost)
    # What is asked of a threshold that is known beforehand is exact.
    assert binned.costs.rule.cost == read.costs.rule.cost
    bins = "count", "attacks", "observed"
    for column in bins:
        ours, theirs = (one.calibration.bins[column].to_numpy() for one in (binned, read))
        np.testing.assert_array_equal(ours, theirs)
    for place, (low, high) in enumerate(
        zip(binned.days["auc_least"], binned.days["auc_most"], strict=True)
    ):
        truth = read.days["auc"].iloc[place]
        assert np.isnan(truth) or within((low, high), truth)


def test_a_threshold_on_days_whose_bins_it_cuts_has_bounds(flows, few_bins):
    records = table()
    binned = evaluated(flows, ["sharp"], day="day", max_memory=0).detectors["sharp"]
    for daily in binned.daily_budgets:
        fixed = daily.one_threshold
        alerts = records[records["sharp"] >= fixed.at_threshold.threshold]
        true = alerts.groupby("day").size().reindex(sorted(records["day"].unique()), fill_value=0)
        assert (fixed.days["alerts_low"].to_numpy() <= true.to_numpy()).all()
        assert (true.to_numpy() <= fixed.days["alerts_high"].to_numpy()).all()
        assert fixed.fewest <= true.min()
        assert true.max() <= fixed.most
        assert fixed.at_threshold.alerts == true.sum() <= daily.per_day * 7


def test_differences_have_bounds_too(flows, few_bins):
    difference = evaluated(flows, day="day").pairs[0].differences
    binned = evaluated(flows, day="day", max_memory=0).pairs[0].differences
    assert set(binned) == set(difference)
    for name, measure in binned.items():
        known = measure.estimate, measure.estimate
        assert within(measure.bounds or known, difference[name].estimate), name


def test_bounds_stand_beside_the_numbers(flows, few_bins):
    result = evaluated(flows, ["sharp"], max_memory=0)
    low, high = result.detectors["sharp"].auc.bounds
    assert f"[{np.floor(low * 1e4) / 1e4:.4f}-{np.ceil(high * 1e4) / 1e4:.4f}]" in result.summary()
    assert f"[{np.floor(low * 1e6) / 1e6:.6f}\N{NO-BREAK SPACE}to" in result.to_html()
    assert "Scores were counted in" in result.summary()


def test_a_folder_is_its_files(tmp_path):
    records = table()
    whole, parts = tmp_path / "whole.parquet", tmp_path / "parts"
    parts.mkdir()
    records.to_parquet(whole)
    records[:900].to_parquet(parts / "a.parquet")
    records[900:].to_parquet(parts / "b.parquet")
    for max_memory in (10**9, 0):
        asked = {"day": "day", "max_memory": max_memory}
        one, other = (evaluated(path, **asked).to_dict() for path in (whole, parts))
        assert one.pop("source")["file"] == "whole.parquet"
        assert other.pop("source")["file"] == "parts"
        assert one == other
    records[:9].assign(coarse="high").to_parquet(parts / "c.parquet")
    for max_memory in (10**9, 0):
        with pytest.raises(InputError, match=r"several types|must be a column of numbers"):
            evaluated(parts, max_memory=max_memory)


LABELS = {
    "whole numbers": ([0, 1], None, "1"),
    "minus one": ([-1, 1], None, "1"),
    "booleans": ([False, True], None, "true"),
    "floats": ([0.0, 1.0], "1", "1"),
    "others": ([7, 3], "3", "3"),
    "texts": (["no", " Yes"], "Yes", "Yes"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_mean_what_they_mean_where_records_are_read(tmp_path, kind):
    values, positive, told = LABELS[kind]
    path = tmp_path / "f.parquet"
    is_attack = (table()["label"] == "attack").astype(int)
    table().assign(label=np.array(values)[is_attack]).to_parquet(path)
    read, counted = (
        evaluate_file(path, ["coarse"], "label", positive=positive, max_memory=max_memory)
        for max_memory in (10**9, 0)
    )
    assert read.source == counted.source
    assert counted.source.positive == told
    assert counted.detectors["coarse"].auc == read.detectors["coarse"].auc


def test_three_labels_are_told_with_their_numbers(tmp_path):
    path = tmp_path / "f.parquet"
    table().assign(label=["attack", "scan", "normal"] * 500).to_parquet(path)
    notes = [evaluated(path, max_memory=max_memory).notes for max_memory in (10**9, 0)]
    assert "scan (500)" in notes[0][0] + notes[0][0]
    assert notes[0][0] == notes[1][0]


@pytest.mark.parametrize("positive", ["attack", "malware"])
@pytest.mark.parametrize("label", ["benign", "attack"])
def test_one_class(tmp_path, label, positive):
    path = tmp_path / "f.parquet"
    table().assign(label=label).to_parquet(path)
    read, counted = (
        evaluate_file(path, NAMES, "label", positive=positive, day="day", **ASKED, max_memory=of)
        for of in (10**9, 0)
    )
    assert counted.pairs == ()
    assert counted.summary()
    assert counted.to_html()
    estimates = [
        [one.estimate for one in measures_of(tuple(result.detectors.values()))]
        for result in (read, counted)
    ]
    np.testing.assert_allclose(*estimates)


def test_weights_of_days(tmp_path):
    path = tmp_path / "f.parquet"
    table().assign(weight=np.arange(1500) % 4 / 4).to_parquet(path)
    read, counted = (
        evaluated(path, day="day", weight="weight", max_memory=of) for of in (10**9, 0)
    )
    for name, one in read.detectors.items():
        other = counted.detectors[name]
        for mine, theirs in (
            (other.auc, one.auc),
            (other.average_precision, one.average_precision),
            (other.calibration or one.auc, one.calibration or one.auc),
        ):
            if isinstance(mine, Measure):
                assert vars(mine) == pytest.approx(vars(theirs))


def test_columns_named_twice_are_refused_as_where_records_are_read(flows):
    for names, label, told in (
        (["sharp", "sharp"], "label", "name each column once"),
        (["sharp"], "sharp", "as score and as label"),
    ):
        for max_memory in (10**9, 0):
            with pytest.raises(InputError, match=told):
                evaluate_file(flows, names, label, max_memory=max_memory)


@pytest.mark.parametrize(
    ("asked", "table_of", "told"),
    [
        ({"group": "day"}, {}, "--group day: groups are drawn of records in memory"),
        ({"day": "dya"}, {}, "has no column 'dya'; the nearest is 'day'"),
        ({}, {"label": ["attack", None, "benign"] * 500}, "column 'label' is empty or NaN in 500"),
        ({}, {"label": ["a", "b", "c"] * 500}, "--positive is 'attack', but column 'label' holds"),
        ({}, {"label": ["attack", " attack", "b"] * 500}, "writes 'attack' in several ways"),
        ({"day": "day"}, {"day": ["1", "1.0", "2"] * 500}, "writes one day in several ways"),
        ({}, {"sharp": [0.1, None, 0.3] * 500}, "sharp is NaN in 500 of 1500 records"),
        ({}, {"sharp": ["a", "b", "c"] * 500}, "must be a column of numbers"),
        ({"day": "day"}, {"day": np.arange(1500)}, "day has more than 400 values"),
    ],
)
def test_faults_are_named(tmp_path, asked, table_of, told):
    path = tmp_path / "f.parquet"
    table().assign(**table_of).to_parquet(path)
    with pytest.raises(InputError, match=told):
        evaluated(path, ["sharp"], max_memory=0, **asked)


def test_a_sketch_of_ones_own_needs_bins_that_begin_where_it_matters():
    y_true, by_name, _ = scores()
    rough = ScoreSketch.from_scores(y_true, by_name["sharp"], bins=300)
    found = evaluate_sweeps(rough, cost_fp=1, cost_fn=20, n_replicates=9).detectors["score"]
    assert "cross edges of the reliability table" in found.missing["calibration"]
    assert "holds the cost threshold" in found.costs.rule_reason
    cuts = [*EDGES, 1 / 21]
    better = ScoreSketch.from_scores(y_true, by_name["sharp"], bins=300, cuts=cuts)
    found = evaluate_sweeps(better, cost_fp=1, cost_fn=20, n_replicates=9).detectors["score"]
    assert found.calibration is not None
    assert found.costs.rule is not None
