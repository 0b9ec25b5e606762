"""The object: from counts alone, with one class, as a dict, and what arguments it refuses."""

import dataclasses
import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from made_up_scores import numbers, scores

import labkit
from labkit import evaluation
from labkit.errors import InputError
from labkit.evaluation import Measure, evaluate, evaluate_sweeps, resampling
from labkit.metrics import ThresholdSweep

ASKED = {"budgets": [5, 20], "cost_fp": 1, "cost_fn": 20, "n_replicates": 30}


def counted(by_name, y_true, day=None):
    """The sweeps of all records, and of each day."""
    whole = {name: ThresholdSweep.from_scores(y_true, y_score) for name, y_score in by_name.items()}
    if day is None:
        return whole, None
    by_day = {
        one: {
            name: ThresholdSweep.from_scores(y_true[day == one], y_score[day == one])
            for name, y_score in by_name.items()
        }
        for one in np.unique(day).tolist()
    }
    return whole, by_day


def test_counts_of_days_give_everything_that_records_give():
    y_true, by_name, day = scores(600)
    whole, by_day = counted(by_name, y_true, day)
    from_records = dict(numbers(evaluate(y_true, by_name, day=day, **ASKED).to_dict()))
    from_counts = dict(numbers(evaluate_sweeps(whole, by_day=by_day, **ASKED).to_dict()))
    assert len(from_counts) > 1000
    assert {path for path in from_records if "/pairs/0/delong" not in path} == set(from_counts)
    for path, value in from_counts.items():
        wanted = from_records[path]
        assert value == (pytest.approx(wanted) if isinstance(wanted, float) else wanted), path


def test_counts_of_single_records_give_much_the_same_intervals():
    y_true, by_name, _ = scores(600)
    asked = ASKED | {"n_replicates": 4000}
    of_records = evaluate(y_true, by_name, **asked)
    of_counts = evaluate_sweeps(counted(by_name, y_true)[0], **asked)
    assert of_counts.pairs == ()
    assert "records or days" in of_counts.to_html()
    for name, one in of_records.detectors.items():
        other = of_counts.detectors[name]
        assert other.auc == one.auc  # DeLong's, of no draws
        judged = [] if one.calibration is None else [(other.calibration, one.calibration)]
        for mine, theirs in (
            *((mine.brier_score, theirs.brier_score) for mine, theirs in judged),
            (other.average_precision, one.average_precision),
            (other.average_precision_at[0.01], one.average_precision_at[0.01]),
            (other.budgets[1].recall, one.budgets[1].recall),
            (other.costs.least.cost_per_record, one.costs.least.cost_per_record),
        ):
            assert mine.estimate == pytest.approx(theirs.estimate)
            assert mine.interval == theirs.interval == "bootstrap of records"
            tolerance = 0.1 * (theirs.high - theirs.low)
            assert mine.low == pytest.approx(theirs.low, abs=tolerance)
            assert mine.high == pytest.approx(theirs.high, abs=tolerance)


def test_more_scores_than_resamples_tell_apart_move_no_interval(monkeypatch):
    y_true, by_name, _ = scores(2000)
    whole, _ = counted(by_name, y_true)
    fine = evaluate_sweeps(whole, budgets=[50], n_replicates=2000).detectors["sharp"]
    monkeypatch.setattr(resampling, "_ROWS", 60)
    rough = evaluate_sweeps(whole, budgets=[50], n_replicates=2000).detectors["sharp"]
    for one, other in (
        (fine.average_precision, rough.average_precision),
        (fine.budgets[0].recall, rough.budgets[0].recall),
        (fine.calibration.log_loss, rough.calibration.log_loss),
    ):
        assert one.estimate == other.estimate
        assert one.low < one.high
        tolerance = 0.15 * (one.high - one.low)
        assert other.low == pytest.approx(one.low, abs=tolerance)
        assert other.high == pytest.approx(one.high, abs=tolerance)


def test_detectors_of_other_records_are_not_compared():
    y_true, by_name, day = scores(600)
    whole, by_day = counted(by_name, y_true, day)
    name = next(iter(whole))
    other, days = counted({name: by_name[name][:-9]}, y_true[:-9], day[:-9])
    mixed = {one: by_day[one] | days[one] for one in by_day}
    assert evaluate_sweeps(whole | other, by_day=mixed, n_replicates=9).pairs == ()


@pytest.mark.parametrize(
    ("days", "asked", "reason"),
    [
        ([1, 1, 1, 2, 2, 2], {}, "one class lies in one of the days only"),
        (None, {"n_replicates": 0}, "no resamples were asked for"),
    ],
)
def test_where_nothing_can_be_drawn_the_reason_is_told(days, asked, reason):
    y_true, y_score = np.array([1, 0, 1, 0, 0, 0]), np.arange(6.0)
    days = None if days is None else np.array(days)
    whole, by_day = counted({"one": y_score}, y_true, days)
    result = evaluate_sweeps(whole, by_day=by_day, **asked)
    assert reason in result.resampling.reason
    assert reason in result.detectors["one"].average_precision.reason


def test_counts_at_another_base_rate_have_no_wilson_intervals():
    sweep = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1]).at_base_rate(0.1)
    detector = evaluate_sweeps(sweep, budgets=[2.5]).detectors["score"]
    assert "weights" in detector.base_rate.reason
    assert math.isnan(detector.budgets[0].at_threshold.recall.low)


def test_days_must_add_up():
    whole = ThresholdSweep.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    half = ThresholdSweep.from_scores([1, 0], [4, 3])
    for by_day, named in (
        ({1: half}, "1 positives of 'score' in all, and its sweep 2"),
        ({}, "map each day"),
        ({1: {"other": whole}}, "has no sweep of 'score'"),
        ({1: 7}, r"by_day\[1\] must be a ThresholdSweep"),
    ):
        with pytest.raises(InputError, match=named):
            evaluate_sweeps(whole, by_day=by_day)
    with pytest.raises(InputError, match="must be a ThresholdSweep"):
        evaluate_sweeps({"a": [1, 2]})
    with pytest.raises(InputError, match="map each detector"):
        evaluate_sweeps({})
    days = {1: half, 2: ThresholdSweep.from_scores([1, 0], [2, 1])}
    assert len(evaluate_sweeps(whole, by_day=days).detectors["score"].days) == 2


class TestOneClass:
    @pytest.mark.parametrize("label", [0, 1])
    def test_everything_that_can_be_printed_is(self, label):
        result = evaluate(
            [label] * 6, np.linspace(0, 1, 6), day=[1, 1, 1, 2, 2, 2], **ASKED | {"budgets": [2]}
        )
        assert math.isnan(result.detectors["score"].auc.estimate)
        assert "one class only" in result.resampling.reason
        json.dumps(result.to_dict(), allow_nan=False)
        assert "one class" in result.to_html()
        assert result.summary()

    def test_no_attacks(self):
        result = evaluate([0] * 5, [5, 4, 3, 2, 1], cost_fp=1, cost_fn=10, budgets=[2])
        detector = result.detectors["score"]
        assert math.isnan(detector.average_precision.estimate)
        budget = detector.budgets[0]
        assert math.isnan(budget.recall.estimate)
        assert budget.recall.reason == "there are no attacks"
        assert budget.precision.estimate == 0
        assert budget.at_threshold.alerts == 2
        assert detector.base_rate.estimate == 0
        assert detector.base_rate.high > 0
        assert (detector.costs.least.cost, detector.costs.on_everything) == (0, 5)
        assert any("There is no attack" in note for note in result.notes)
        assert result.pairs == ()

    def test_why_a_budget_of_nothing_finds_nothing(self):
        nothing = evaluate([0] * 4, [4, 3, 2, 1], budgets=[0]).detectors["score"].budgets[0]
        assert nothing.recall.reason == "there are no attacks"
        assert nothing.precision.reason == "there are no alerts"
        nothing = evaluate([1, 0, 1, 0], [4, 3, 2, 1], budgets=[0]).detectors["score"].budgets[0]
        assert (nothing.recall.estimate, nothing.recall.reason) == (0, "there are no alerts")
        assert nothing.at_threshold.recall.reason == "there are no alerts"

    def test_no_normal_records(self):
        detector = evaluate([1] * 4, [0.9, 0.5, 0.4, 0.1], budgets=[2]).detectors["score"]
        assert detector.average_precision.estimate == 1
        assert math.isnan(detector.average_precision_at[0.01].estimate)
        assert detector.average_precision_at[0.01].reason == "there is one class only"
        assert detector.budgets[0].recall.estimate == 0.5
        assert detector.calibration.brier_score.estimate == pytest.approx(
            np.mean(np.square([0.1, 0.5, 0.6, 0.9]))
        )


def test_as_a_dict_it_is_json_without_nan_and_every_key_is_stable():
    y_true, by_name, day = scores(600)
    result = evaluate(y_true, by_name, day=day, **ASKED)
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert list(told) == [field.name for field in dataclasses.fields(evaluation.Evaluation)]
    detector = told["detectors"]["sharp"]
    assert "sweep" not in detector
    assert set(detector["auc"]) == {field.name for field in dataclasses.fields(Measure)}
    assert detector["average_precision_at"].keys() == {"0.01", "0.001"}
    assert detector["daily_budgets"][0]["ranking"]["days"][0]["day"] == 1
    quiet = detector["days"][5]
    assert (quiet["attacks"], quiet["auc"]) == (0, None)
    # Not rounded.
    exact = result.detectors["sharp"].budgets[0].at_threshold.threshold
    assert detector["budgets"][0]["at_threshold"]["threshold"] == exact


def test_infinities_are_texts():
    told = evaluate([1, 0], [0.0, 1.0], budgets=[0], n_replicates=0).to_dict()
    detector = told["detectors"]["score"]
    assert detector["budgets"][0]["at_threshold"]["threshold"] == "inf"
    assert detector["calibration"]["log_loss"]["estimate"] == "inf"


def test_scores_come_as_array_series_table_or_dict():
    y_true, by_name, _ = scores(200)
    table = pd.DataFrame(by_name)
    # A shuffled index reorders nothing.
    table.index = np.random.default_rng(0).permutation(200)
    for given, names in (
        (by_name["sharp"].tolist(), ["score"]),
        (table["sharp"], ["sharp"]),
        (table, ["coarse", "sharp"]),
        (by_name, ["coarse", "sharp"]),
    ):
        result = evaluate(y_true, given, n_replicates=0)
        assert list(result.detectors) == names
    assert evaluate(y_true, table, n_replicates=0).to_dict() == result.to_dict()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"y_scores": [0.1, math.nan, 0.3]}, "y_scores['score'] is NaN in 1 of 3"),
        ({"y_scores": {"a": [1, 2]}}, "y_scores['a'] has 2"),
        ({"y_scores": {}}, "empty"),
        ({"y_scores": {1: [1, 2, 3]}}, "a text"),
        ({"y_scores": pd.DataFrame([[1, 2]] * 3, columns=["a", "a"])}, "each detector once"),
        ({"y_scores": [[1, 2]] * 3}, "one dimension"),
        ({"y_true": ["a", "b", "a"]}, "pos_label"),
        ({"y_true": [1, 0, None]}, "missing"),
        ({"day": [1, 2]}, "day has 2"),
        ({"groups": [1, None, 2]}, "groups is missing"),
        ({"sample_weight": [1, -1, 1]}, "negative"),
        ({"sample_weight": [0, 0, 0]}, "zero in every record"),
        ({"budgets": [2.5]}, "budgets is 2.5"),
    ],
)
def test_arguments_that_cannot_be(arguments, named):
    with pytest.raises(InputError) as told:
        evaluate(**({"y_true": [1, 0, 1], "y_scores": [3, 2, 1]} | arguments))
    assert named in str(told.value)
    assert "\n" not in str(told.value)


def test_labels_beside_the_positive_one_are_told():
    labels = ["scan", "dos", "benign", "scan", "benign", "benign"]
    result = evaluate(labels, np.arange(6), pos_label="scan", n_replicates=0)
    assert "Every label but scan counts as normal: benign (3), dos (1)" in result.notes[0]
    leak = evaluate([1, 0, 1], [1, 0, 1], n_replicates=0)
    assert any("labels themselves" in note for note in leak.notes)
    for y_true, y_score in (([1, 0, 1], [1, 0, 0]), ([0, 0], [0, 0]), ([1, 1], [1, 1])):
        notes = evaluate(y_true, y_score, n_replicates=0).notes
        assert not any("labels themselves" in note for note in notes)


def test_few_attacks_are_told_of():
    notes = evaluate([1] * 8 + [0] * 40, np.arange(48), n_replicates=0).notes
    assert "Few attacks (8): one more or less moves recall by 12 points" in notes[0]
    assert evaluate([1] * 20 + [0] * 40, np.arange(60), n_replicates=0).notes == ()


def test_it_is_reached_from_labkit_without_making_its_import_heavier():
    assert labkit.evaluate is evaluate
    assert labkit.Evaluation is evaluation.Evaluation
    assert {"evaluate", "Evaluation", "__version__"} <= set(dir(labkit))
    with pytest.raises(AttributeError, match="has no attribute 'evaluat'"):
        labkit.evaluat  # noqa: B018
    listing = "import sys, labkit; before = set(sys.modules); labkit.evaluate; print(*before)"
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "labkit.evaluation" not in done.stdout.split()
    assert "numpy" not in done.stdout.split()


def test_the_summary_fits_and_shows_any_name_as_it_is():
    y_true, by_name, _ = scores(300)
    named = {"[bold]a[/]": by_name["coarse"], ":smile:": by_name["sharp"]}
    result = evaluate(y_true, named, budgets=[5], cost_fp=1, cost_fn=9, n_replicates=20)
    for width in (80, 120):
        text = result.summary(width)
        assert "[bold]a[/]" in text
        assert ":smile:" in text
        assert max(map(len, text.splitlines())) <= width
        assert len(text.splitlines()) < 70


def test_many_detectors_are_cut_short_in_the_summary_only():
    y_true, by_name, _ = scores(200)
    many = {f"detector {place}": by_name["coarse"] + place for place in range(12)}
    result = evaluate(y_true, many, n_replicates=0)
    assert len(result.pairs) == 66
    assert "46 more rows" in result.summary()
    assert len(result.to_dict()["pairs"]) == 66
