"""Files, names and options that nobody means well with: one clear line, or the right number."""

import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from labkit.cli import app
from labkit.errors import InputError
from labkit.evaluation import Measure, evaluate, evaluate_file, evaluate_files
from labkit.evaluation.reading.columns import Texts, as_days
from labkit.evaluation.report.wording import bounds, measured, percent
from labkit.scale import Bounds, sweep_parquet
from labkit.scale.bounds import Intervals, auc_bounds

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
RNG = np.random.default_rng(3)
N = 600
LABELS, SCORES = RNG.integers(0, 2, N), np.round(RNG.random(N), 1)
# Bytes that may be used where records are read, counted by score, and counted in bins.
MEMORY = [10**9, 100_000, 0]


@pytest.fixture
def written(tmp_path):
    def write(name="scores.parquet", **columns):
        path = tmp_path / name
        pq.write_table(pa.table({"label": LABELS, "score": SCORES} | columns), path)
        return path

    return write


def evaluated(path, **asked):
    return evaluate_file(path, ["score"], "label", **{"n_replicates": 0} | asked)


@pytest.mark.parametrize("max_memory", MEMORY)
@pytest.mark.parametrize("other", ["W", "w_"])
def test_columns_that_differ_in_case_are_two(written, other, max_memory):
    weights = RNG.random(N)
    path = written(**{other: LABELS * (1 - SCORES), "w": weights})
    read = evaluated(path, weight="w").detectors["score"].auc
    counted = evaluated(path, weight="w", max_memory=max_memory).detectors["score"].auc
    assert counted.estimate == pytest.approx(read.estimate)


@pytest.mark.parametrize("max_memory", MEMORY)
@pytest.mark.parametrize("name", ["Score", "labkit records", "a\0b", "is negative"])
def test_no_name_is_in_the_way_of_counting(written, name, max_memory):
    path = written(**{name: SCORES, "w": np.ones(N)})
    found = evaluate_file(
        path, [name], "label", weight="w", max_memory=max_memory, n_replicates=0
    ).detectors[name]
    wanted = evaluated(path).detectors["score"]
    assert found.auc.estimate == pytest.approx(wanted.auc.estimate)


@pytest.mark.parametrize("max_memory", MEMORY)
def test_the_label_may_be_the_day_too(written, max_memory):
    found = evaluated(written(), day="label", max_memory=max_memory)
    assert found.detectors["score"].days["records"].tolist() == np.bincount(LABELS).tolist()


def test_a_day_of_more_scores_than_bins_has_bounds_where_the_whole_is_exact(written, monkeypatch):
    monkeypatch.setattr(evaluate_files, "sweep_parquet", partial(sweep_parquet, bins=N))
    path = written(score=RNG.random(N), day=RNG.integers(0, 3, N))
    read = evaluated(path, day="day", budgets=[7]).detectors["score"]
    binned = evaluated(path, day="day", budgets=[7], max_memory=0).detectors["score"]
    assert binned.auc == read.auc
    assert "Scores of each day were counted in bins" in binned.notes[-1]
    least, most, true = binned.days["auc_least"], binned.days["auc_most"], read.days["auc"]
    assert (least < most).all()
    assert ((least <= true) & (true <= most)).all()
    ours, theirs = (one.daily_budgets[0].one_threshold for one in (binned, read))
    assert (ours.days["alerts_low"] <= theirs.days["alerts"]).all()
    assert (theirs.days["alerts"] <= ours.days["alerts_high"]).all()


@pytest.mark.parametrize("max_memory", MEMORY)
@pytest.mark.parametrize(
    "day",
    [
        pa.array(np.full(N, 2**58)).cast(pa.timestamp("us")),
        pa.array(np.full(N, 4_000_000, np.int32)).cast(pa.date32()),
        pa.array(np.arange(N)).cast(pa.timestamp("us", "Nowhere/Land")),
        pa.Array.from_buffers(
            pa.string(),
            N,
            [None, pa.py_buffer(np.arange(N + 1, dtype=np.int32)), pa.py_buffer(b"\xff" * N)],
        ),
    ],
)
def test_days_that_cannot_be_read_are_told(written, day, max_memory):
    with pytest.raises(InputError, match=r"^column 'day' is .* cannot be read"):
        evaluated(written(day=day), day="day", max_memory=max_memory)


@pytest.mark.parametrize("max_memory", MEMORY)
def test_empty_days_are_refused(written, max_memory):
    day = ["" if i == 7 else "monday" for i in range(N)]
    with pytest.raises(
        InputError, match=r"column .day. is empty or NaN in (1 of 600|some) records"
    ):
        evaluated(written(day=day), day="day", max_memory=max_memory)


@pytest.mark.parametrize("max_memory", MEMORY)
def test_times_among_other_days_are_cut_however_they_are_read(written, max_memory):
    day = ["quiet" if i % 2 else f"2026-03-01 00:0{i % 10}" for i in range(N)]
    days = evaluated(written(day=day), day="day", max_memory=max_memory).detectors["score"].days
    assert days["records"].to_dict() == {"2026-03-01": N / 2, "quiet": N / 2}


def test_a_missing_day_among_times_is_refused():
    with pytest.raises(InputError, match="empty or NaN in 1 of 2 records"):
        as_days(Texts(np.array([0, 1]), ["2026-03-01 10:00", ""]), "day")


@pytest.mark.parametrize("max_memory", MEMORY)
def test_weights_of_zero_and_certain_errors(written, max_memory):
    scores = np.where(LABELS == 1, 0.9, 0.1)
    scores[LABELS == 0] = np.where(np.arange((LABELS == 0).sum()) < 5, 1.0, 0.1)
    weights = np.where((scores == 1.0) & (np.cumsum(scores == 1.0) > 2), 0, 0.5)
    judged = evaluated(
        written(score=scores, w=weights), weight="w", max_memory=max_memory
    ).detectors["score"]
    assert judged.calibration.certain_and_wrong == 1.0
    assert "records of weight 1 were given" in judged.calibration.log_loss.reason
    finite = evaluated(
        written(score=scores, w=np.where(scores == 1.0, 0, 0.5)), weight="w", max_memory=max_memory
    ).detectors["score"]
    assert finite.calibration.log_loss.estimate == pytest.approx(-np.log(0.9))


@pytest.mark.parametrize("max_memory", MEMORY)
@pytest.mark.parametrize("scale", [1e-115, 1e90])
def test_only_ratios_of_weights_matter(written, scale, max_memory):
    weights, day = RNG.random(N), RNG.integers(0, 4, N)
    ours, theirs = (
        evaluated(
            written(w=weights * by, day=day),
            **{"weight": "w", "day": "day", "n_replicates": 20, "max_memory": max_memory},
        )
        .detectors["score"]
        .auc
        for by in (scale, 1.0)
    )
    assert (ours.estimate, ours.low, ours.high) == pytest.approx(
        (theirs.estimate, theirs.low, theirs.high)
    )


@pytest.mark.parametrize("max_memory", MEMORY)
@pytest.mark.parametrize("day", [None, "day"])
def test_weights_whose_products_vanish_are_refused(written, day, max_memory):
    path = written(w=np.full(N, 1e-300), day=np.arange(N) % 3)
    with pytest.raises(InputError, match="the weights sum to 6e-298; multiply all by one number"):
        evaluated(path, weight="w", day=day, n_replicates=20, max_memory=max_memory)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_arrays_of_extreme_weights_are_refused(scale):
    with pytest.raises(InputError, match="so that they sum to between 1e-120 and 1e"):
        evaluate(LABELS, SCORES, sample_weight=np.full(N, scale), n_replicates=20)


def test_bounds_of_tiny_weights():
    columns = [[0.5, 0.2], [0.9, 0.2], [1e-200, 1e-200], [1e-200, 1e-200]]
    assert auc_bounds(Intervals(*map(np.array, columns))) == pytest.approx(Bounds(0.375, 0.625))


@pytest.mark.parametrize("max_memory", MEMORY)
def test_weights_whose_sums_leave_float64_are_refused(written, max_memory):
    with pytest.raises(InputError, match=r"'?w'? is above 1e\+100 in 600 of 600 records"):
        evaluated(written(w=np.full(N, 1e300)), weight="w", max_memory=max_memory)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"cost_fp": 1e308, "cost_fn": 1}, r"--cost-fp is 1e\+308; 1e\+100 is the largest allowed"),
        ({"cost_fp": 1, "cost_fn": 1e308}, r"--cost-fn is 1e\+308"),
        ({"budgets": [1e308], "day": "label"}, r"--budget is 1e\+308"),
        ({"base_rates": [1e-320]}, "--base-rate is .*; the least that can be projected to is"),
    ],
)
def test_options_beyond_float64_are_named(written, asked, told):
    with pytest.raises(InputError, match=told):
        evaluated(written(), **asked)


@pytest.mark.parametrize("name", ["pipe", "folder/a.parquet"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)
    with pytest.raises(InputError, match="is a pipe or a device; save what it gives in a file"):
        evaluated(path if name == "pipe" else path.parent)


def test_a_folder_called_like_a_file_is_gone_into(written, tmp_path):
    (tmp_path / "day" / "scores.parquet").mkdir(parents=True)
    written("day/scores.parquet/part-0.parquet")
    assert evaluated(tmp_path / "day").detectors["score"].records == N


def test_a_file_name_that_is_not_in_utf_8_is_told(written):
    path = written()
    odd = path.rename(os.fsdecode(os.fsencode(path.parent) + b"/\xff.parquet"))
    with pytest.raises(InputError, match="has a name that is not in UTF-8; rename it"):
        evaluated(odd)


def ran(*arguments):
    asked = ["evaluate", *map(str, arguments), "--label", "label", "--replicates", "0"]
    return CliRunner().invoke(app, asked)


def test_nothing_steers_the_terminal(written):
    name = "sc\x1b[2J\x9b\u202e"
    labels = np.where(LABELS == 1, "\x1b[31matt", "be\x1b]0;\x07nign")
    path = written(label=labels, **{name: SCORES})
    said = ran(path, "--score", name, "--positive", "\x1b[31matt")
    assert said.exit_code == 0
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(said.output)
    assert r"sc\x1b[2J\x9b\u202e" in said.output


@pytest.mark.parametrize("kind", ["pipe", "scores"])
def test_a_report_replaces_neither_a_pipe_nor_scores(written, tmp_path, kind):
    path = written()
    if kind == "pipe":
        out, told = tmp_path / "pipe", "is a pipe or a device; name a file to write"
        os.mkfifo(out)
    else:
        out, told = path, "is the file of the scores; name another file"
    before = out.stat()
    said = ran(path.parent if kind == "scores" else path, "--score", "score", "--out", out)
    assert isinstance(said.exception, InputError)
    assert told in str(said.exception)
    assert out.stat() == before


def test_a_report_of_a_file_whose_name_is_not_in_utf_8(tmp_path, monkeypatch):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    with Path(path).open("w") as file:
        file.write("label,score\n1,0.9\n0,0.2\n")
    monkeypatch.setattr("sys.argv", ["labkit", "evaluate", path])
    assert ran(path, "--score", "score", "--out", tmp_path / "r.html").exit_code == 0
    said = ran(path, "--score", "score", "--json")
    assert json.loads(said.output)["source"]["file"].endswith(".csv")


def test_an_empty_address_of_a_scheduler_is_none(written):
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="the address of the scheduler is empty"):
        evaluated(written(), scheduler="")


def test_bounds_below_zero_are_told_apart():
    difference = Measure(-0.25, bounds=(-0.5, -0.125))
    told = measured(difference, narrow=True).replace("\N{NO-BREAK SPACE}", " ")
    assert told == "-0.250 [-0.5000 to -0.1250]"


def test_a_small_number_has_no_exponent_that_looks_like_a_dash():
    assert measured(Measure(0.00023, 2.9e-5, 5.4e-4), narrow=True) == "0.00023 (0.000029-0.00054)"


def test_a_bound_that_fits_its_digits_is_not_moved():
    assert bounds((0.35, 0.7), 4, "-") == "[0.3500-0.7000]"


@pytest.mark.parametrize(
    ("share", "told"), [(0.997, "99.7 %"), (0.99996, "99.996 %"), (0.99, "99 %"), (1.0, "100 %")]
)
def test_nearly_all_is_not_all(share, told):
    assert percent(share) == told
