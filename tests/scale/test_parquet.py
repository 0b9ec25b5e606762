"""Parquet files against the same records in memory, by each way to go through them."""

import datetime
import math
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep
from labkit.scale import counting, partial, reading
from labkit.scale.files import Columns, parts_of
from labkit.scale.parquet import sweep_parquet
from labkit.scale.sketch import ScoreSketch

ROWS = 5000
# Bytes that let these records be sorted, be counted, or neither.
MEMORY = {"sort": 10**8, "count": 10**5, "sketch": 0}


def table(rows=ROWS, levels=40, seed=0):
    """Records of two detectors with few distinct scores, on three days."""
    rng = np.random.default_rng(seed)
    attack = rng.random(rows) < 0.1
    scores = {
        name: np.floor((rng.random(rows) + shift * attack) * levels) / levels
        for name, shift in (("a", 0.8), ("b", 0.3))
    }
    scores["a"][:3] = [math.inf, -math.inf, -0.0]
    return pd.DataFrame(
        {
            "label": attack.astype(int),
            **scores,
            "day": np.sort(rng.integers(0, 3, rows)),
            "weight": rng.integers(0, 4, rows) / 2,
        }
    )


@pytest.fixture
def flows(tmp_path):
    """A file of five row groups."""
    path = tmp_path / "flows.parquet"
    table().to_parquet(path, row_group_size=ROWS // 5)
    return path


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(reading, "_BLOCK", 300)
    monkeypatch.setattr(partial, "_PATIENCE", 2)


def sweep_of(records, detector, weight=None):
    weights = None if weight is None else records[weight]
    return ThresholdSweep.from_scores(records["label"], records[detector], sample_weight=weights)


def assert_same(ours, theirs):
    ours = ours.sweep if isinstance(ours, ScoreSketch) else ours
    assert ours.thresholds.tolist() == theirs.thresholds.tolist()
    np.testing.assert_allclose(ours.tp, theirs.tp, rtol=1e-12)
    np.testing.assert_allclose(ours.fp, theirs.fp, rtol=1e-12)
    assert ours.counts_records == theirs.counts_records


every_method = pytest.mark.parametrize("method", MEMORY)


@every_method
@pytest.mark.parametrize("weight", [None, "weight"])
def test_detectors_and_days_in_one_pass(flows, method, weight):
    judged = sweep_parquet(
        flows,
        score=["a", "b"],
        label="label",
        day="day",
        weight=weight,
        max_memory=MEMORY[method],
    )
    assert (judged.method, judged.records) == (method, ROWS)
    records = table()
    assert list(judged.whole) == ["a", "b"]
    assert list(judged.by_day) == [0, 1, 2]
    for name, sweep in judged.whole.items():
        assert_same(sweep, sweep_of(records, name, weight))
        assert isinstance(sweep, ThresholdSweep)
    for day, detectors in judged.by_day.items():
        for name, sweep in detectors.items():
            assert_same(sweep, sweep_of(records[records["day"] == day], name, weight))


@every_method
def test_days_in_any_order(tmp_path, method):
    records = table().sample(frac=1, random_state=0)
    records.to_parquet(tmp_path / "shuffled.parquet", row_group_size=700)
    judged = sweep_parquet(tmp_path, score="b", label="label", day="day", max_memory=MEMORY[method])
    assert list(judged.by_day) == [0, 1, 2]
    for day, detectors in judged.by_day.items():
        assert_same(detectors["b"], sweep_of(records[records["day"] == day], "b"))


@every_method
def test_a_folder_and_several_files_are_one_data_set(tmp_path, method):
    records = table()
    folder = tmp_path / "flows"
    (folder / "deeper").mkdir(parents=True)
    paths = [
        folder / "1.parquet",
        folder / "deeper" / "2.parquet",
        tmp_path / "odd [*] 'n\".parquet",
    ]
    for path, part in zip(paths, np.array_split(np.arange(ROWS), 3), strict=True):
        records.iloc[part].to_parquet(path)
    (folder / "_metadata.parquet").write_text("no part of it")
    (folder / "note.txt").write_text("nor is this")
    judged = sweep_parquet([folder, paths[2]], score="a", label="label", max_memory=MEMORY[method])
    assert judged.records == ROWS
    assert_same(judged.whole["a"], sweep_of(records, "a"))


def test_distinct_scores_are_sketched_with_bounds(tmp_path):
    rng = np.random.default_rng(1)
    labels = rng.random(40_000) < 0.2
    scores = rng.normal(size=40_000) + labels
    scores[rng.random(40_000) < 0.3] = 0.25
    records = pd.DataFrame({"label": labels, "s": scores, "day": np.arange(40_000) // 20_000})
    records.to_parquet(tmp_path / "s.parquet", row_group_size=8000)
    judged = sweep_parquet(
        tmp_path, score="s", label="label", day="day", max_memory=10**6, bins=4096
    )
    assert judged.method == "sketch"
    for detectors, of in [
        (judged.whole, records),
        *((judged.by_day[day], records[records["day"] == day]) for day in (0, 1)),
    ]:
        sketch, truth = detectors["s"], sweep_of(of, "s")
        assert isinstance(sketch, ScoreSketch)
        # Cut off from its neighbours since the first look.
        assert {0.25, np.nextafter(0.25, 1)} <= set(sketch.cuts.tolist())
        assert sketch.roc_auc.low < truth.roc_auc < sketch.roc_auc.high
        assert sketch.average_precision.low < truth.average_precision
        assert truth.average_precision < sketch.average_precision.high
        assert sketch.roc_auc.width < (0.001 if of is records else 0.04)
    assert judged.by_day[0]["s"].bins == 4096 // 32


@pytest.mark.parametrize("bins", [1, 7, 512])
@pytest.mark.parametrize("weight", [None, "weight"])
def test_what_a_wanted_threshold_flags_is_exact_in_every_sketch(tmp_path, bins, weight):
    records = table(levels=10**9)
    records.to_parquet(tmp_path / "s.parquet", row_group_size=1000)
    # Scores of records, between them, none of them, and both ends.
    wanted = [records["a"][9], 0.5, 0.3001, 1e-300, 7.0, math.inf, -math.inf, -0.0, 0.5]
    judged = sweep_parquet(
        tmp_path,
        score=["a", "b"],
        label="label",
        day="day",
        weight=weight,
        max_memory=0,
        bins=bins,
        thresholds=wanted,
    )
    for detectors, of in [
        (judged.whole, records),
        *((judged.by_day[day], records[records["day"] == day]) for day in range(3)),
    ]:
        for name, sketch in detectors.items():
            assert isinstance(sketch, ScoreSketch)
            truth = sweep_of(of, name, weight)
            for threshold in wanted:
                bounds, point = sketch.at_threshold(threshold), truth.at_threshold(threshold)
                assert bounds.tp == (point.tp, point.tp)
                assert bounds.fp == (point.fp, point.fp)


@pytest.mark.parametrize("method", ["sort", "count"])
def test_where_all_is_exact_wanted_thresholds_change_nothing(flows, method):
    asked = {"score": "a", "label": "label", "max_memory": MEMORY[method]}
    judged = sweep_parquet(flows, **asked, thresholds=[0.123])
    assert judged.method == method
    assert_same(judged.whole["a"], sweep_of(table(), "a"))


LABELS = {
    "booleans": (np.array([True, False]), None),
    "0 and 1": (np.array([1, 0]), None),
    "-1 and 1": (np.array([1, -1], dtype=np.int8), None),
    "floats": (np.array([1.0, 0.0]), None),
    "texts": (np.array(["attack", "normal"], dtype=object), "attack"),
    "other numbers": (np.array([7, 3]), 7),
}


@every_method
@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type(tmp_path, method, kind):
    values, pos_label = LABELS[kind]
    records = table()
    pd.DataFrame({"label": values[1 - records["label"]], "a": records["a"]}).to_parquet(
        tmp_path / "f.parquet", row_group_size=900
    )
    judged = sweep_parquet(
        tmp_path, score="a", label="label", pos_label=pos_label, max_memory=MEMORY[method]
    )
    assert_same(judged.whole["a"], sweep_of(records, "a"))


@every_method
@pytest.mark.parametrize("dtype", ["float32", "float16", "int16", "uint64", "bool"])
def test_scores_of_any_type(tmp_path, method, dtype):
    records = table()
    scores = (records["b"] * (1 if dtype.startswith("f") else 40)).astype(dtype)
    pd.DataFrame({"label": records["label"], "b": scores}).to_parquet(tmp_path / "f.parquet")
    judged = sweep_parquet(tmp_path, score="b", label="label", max_memory=MEMORY[method])
    # Not every DuckDB knows half precision; then bins are counted, which loses nothing here.
    assert judged.method == method or dtype == "float16"
    assert_same(judged.whole["b"], ThresholdSweep.from_scores(records["label"], scores))


DAYS = {
    "texts": ["mon", "tue", "wed"],
    "dates": [datetime.date(2024, 1, day) for day in (1, 2, 3)],
    "categories": pd.Categorical(["mon", "tue", "wed"], categories=["none", "mon", "tue", "wed"]),
}


@every_method
@pytest.mark.parametrize("kind", DAYS)
def test_days_of_any_type(tmp_path, method, kind):
    records = table()
    days = pd.Series(DAYS[kind]).take(records["day"]).reset_index(drop=True)
    records.assign(day=days).to_parquet(tmp_path / "f.parquet", row_group_size=900)
    judged = sweep_parquet(tmp_path, score="a", label="label", day="day", max_memory=MEMORY[method])
    assert list(judged.by_day) == list(DAYS[kind])
    assert_same(
        judged.by_day[list(DAYS[kind])[1]]["a"], sweep_of(records[records["day"] == 1], "a")
    )


@every_method
@pytest.mark.parametrize("kind", ["times", "zoned", "texts"])
def test_times_are_cut_to_their_date_as_written(tmp_path, method, kind):
    records = table()
    # 0:00 in India is the day before in UTC.
    times = pd.Timestamp("2024-01-01") + pd.to_timedelta(records["day"], unit="D")
    times += pd.to_timedelta(np.arange(len(records)) % 86_400, unit="s")
    if kind == "zoned":
        times = times.dt.tz_localize("Asia/Kolkata")
    elif kind == "texts":
        times = times.dt.strftime("%Y-%m-%dT%H:%M:%S")
    records.assign(day=times).to_parquet(tmp_path / "f.parquet", row_group_size=900)
    judged = sweep_parquet(tmp_path, score="a", label="label", day="day", max_memory=MEMORY[method])
    assert list(map(str, judged.by_day)) == ["2024-01-01", "2024-01-02", "2024-01-03"]
    for day, of_day in zip(range(3), judged.by_day.values(), strict=True):
        assert_same(of_day["a"], sweep_of(records[records["day"] == day], "a"))


def with_fault(column, value):
    """Records of which three have another value in one column."""
    records = table().astype(object)
    records.loc[[5, 1000, 4000], column] = value
    return records


FAULTS = {
    "a NaN score": (("a", math.nan), "a is NaN in 3 of 5000 records; drop"),
    "a missing score": (("a", None), "a is NaN in 3 of 5000 records"),
    "a missing label": (("label", None), "label is missing in 3 of 5000 records; label"),
    "a missing day": (("day", None), "day is missing in 3 of 5000"),
    "a missing weight": (("weight", None), "weight is NaN in 3 of 5000"),
    "a negative weight": (("weight", -1.0), "weight is negative in 3 of 5000"),
    "an infinite weight": (("weight", math.inf), "weight is infinite in 3 of 5000"),
}


@every_method
@pytest.mark.parametrize("fault", FAULTS)
def test_records_at_fault_are_counted(tmp_path, method, fault):
    (column, value), told = FAULTS[fault]
    kinds = {"label": pa.int64(), "day": pa.int64()}
    columns = {
        name: pa.array(values.tolist(), kinds.get(name, pa.float64()))
        for name, values in with_fault(column, value).items()
    }
    pq.write_table(pa.table(columns), tmp_path / "f.parquet", row_group_size=900)
    with pytest.raises(InputError, match=told):
        sweep_parquet(
            tmp_path,
            score=["a", "b"],
            label="label",
            day="day",
            weight="weight",
            max_memory=MEMORY[method],
        )


@every_method
@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ([0, 2], "label holds 0, 2|label holds 2, 0"),
        (["yes", "no"], "pos_label"),
    ],
)
def test_labels_that_do_not_say_which_is_positive(tmp_path, method, labels, told):
    records = table()
    values = np.array(labels, dtype=object)[records["label"]]
    records.assign(label=values).to_parquet(tmp_path / "f.parquet")
    with pytest.raises(InputError, match=told):
        sweep_parquet(tmp_path, score="a", label="label", max_memory=MEMORY[method])


@every_method
def test_normal_records_are_0_or_minus_1_throughout(tmp_path, method):
    records = table()
    records.loc[4000:, "label"] = records.loc[4000:, "label"] * 2 - 1
    records.to_parquet(tmp_path / "f.parquet")
    with pytest.raises(InputError, match=r"label holds .* pos_label"):
        sweep_parquet(tmp_path, score="a", label="label", max_memory=MEMORY[method])


@every_method
def test_weights_of_zero_alone_are_an_error(tmp_path, method):
    table().assign(weight=0.0).to_parquet(tmp_path / "f.parquet")
    with pytest.raises(InputError, match="weight is zero in every record"):
        sweep_parquet(
            tmp_path, score="a", label="label", weight="weight", max_memory=MEMORY[method]
        )


@every_method
def test_a_day_that_weighs_nothing_does_not_occur(tmp_path, method):
    records = table()
    records.loc[records["day"] == 1, "weight"] = 0
    records.to_parquet(tmp_path / "f.parquet")
    judged = sweep_parquet(
        tmp_path, score="a", label="label", day="day", weight="weight", max_memory=MEMORY[method]
    )
    assert list(judged.by_day) == [0, 2]


@every_method
def test_days_that_are_times_are_refused(tmp_path, method):
    table().assign(day=np.arange(ROWS)).to_parquet(tmp_path / "f.parquet")
    # Memory for as many days as these.
    memory = 3 * 10**7 if method == "count" else MEMORY[method]
    with pytest.raises(InputError, match="day has more than 400 values"):
        sweep_parquet(tmp_path, score="a", label="label", day="day", max_memory=memory)


def test_a_look_that_misled_ends_in_a_sketch(flows, monkeypatch):
    def full(*_):
        raise counting.NotCounted("there are more distinct scores than seemed at first")

    monkeypatch.setattr(counting, "_table", full)
    judged = sweep_parquet(flows, score="a", label="label", max_memory=MEMORY["count"])
    assert judged.method == "sketch"
    assert "more distinct scores" in judged.why
    assert_same(judged.whole["a"], sweep_of(table(), "a"))


def test_counting_stops_at_the_memory_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "_LEAST", 10**6)
    path = tmp_path / "f.parquet"
    pd.DataFrame({"label": np.arange(10**6) % 2, "a": np.arange(10**6) / 7}).to_parquet(path)
    columns = Columns("a", "label")
    with pytest.raises(counting.NotCounted, match="more distinct scores"):
        counting.counted_records(columns, parts_of(path, columns), 10**6)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"paths": "missing.parquet"}, "missing.parquet is missing"),
        ({"paths": []}, "no file was named"),
        ({"score": "c"}, "has no column 'c'; it has label, a, b, day, weight, text, when"),
        ({"label": "l"}, "has no column 'l'"),
        ({"day": "d"}, "has no column 'd'"),
        ({"weight": "w"}, "has no column 'w'"),
        ({"score": []}, "score is"),
        ({"score": ["a", "a"]}, "none twice"),
        ({"score": "text"}, "text is .*string in .*; it must be a column of numbers"),
        ({"label": "when"}, "when is timestamp.* in .*; it must be booleans"),
        ({"day": "a"}, "a is double in .*; it must be whole numbers"),
        ({"weight": "text"}, "text is .*string in"),
        ({"max_memory": -1}, "max_memory is -1"),
        ({"max_memory": "1 GB"}, "max_memory is '1 GB'"),
        ({"bins": 0, "max_memory": 0}, "bins is 0"),
        ({"thresholds": [0.5, math.nan]}, "thresholds is NaN in 1 of 2"),
        ({"thresholds": 0.5}, "thresholds has shape"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path, change, told):
    records = table().assign(text="x", when=pd.Timestamp("2024-01-01"))
    records.to_parquet(tmp_path / "f.parquet")
    with pytest.raises(InputError, match=told):
        sweep_parquet(**({"paths": tmp_path, "score": "a", "label": "label"} | change))


@every_method
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_whole_numbers_that_would_be_merged_are_told(tmp_path, method, dtype):
    records = table()
    scores = np.full(ROWS, 2**60, dtype=dtype)
    records.assign(a=scores).to_parquet(tmp_path / "f.parquet")
    judged = sweep_parquet(tmp_path, score="a", label="label", max_memory=MEMORY[method])
    assert judged.whole["a"].thresholds.tolist() == [2.0**60]
    # In another block, where nothing is by it that it would equal.
    scores[-1] += 1
    records.assign(a=scores).to_parquet(tmp_path / "f.parquet")
    with pytest.raises(InputError, match="a holds whole numbers that float64 cannot hold"):
        sweep_parquet(tmp_path, score="a", label="label", max_memory=MEMORY[method])


def test_what_is_no_parquet_is_told(tmp_path):
    (tmp_path / "f.parquet").write_text("label,a\n1,0.5\n")
    with pytest.raises(InputError, match=r"f.parquet is not a Parquet file, or damaged"):
        sweep_parquet(tmp_path, score="a", label="label")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty holds no \.parquet file"):
        sweep_parquet(tmp_path / "empty", score="a", label="label")


def test_a_file_damaged_inside_is_told(flows):
    content = bytearray(flows.read_bytes())
    content[4:400] = bytes(396)
    flows.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
        sweep_parquet(flows, score="a", label="label")


def test_a_file_without_records_is_told(tmp_path):
    table().head(0).to_parquet(tmp_path / "f.parquet")
    with pytest.raises(InputError, match="holds no records"):
        sweep_parquet(tmp_path, score="a", label="label")


def test_files_of_different_types_are_told(tmp_path):
    table().to_parquet(tmp_path / "1.parquet")
    table().astype({"a": "float32"}).to_parquet(tmp_path / "2.parquet")
    with pytest.raises(InputError, match=r"a is double in .*1.parquet and float in .*2.parquet"):
        sweep_parquet(tmp_path, score="a", label="label")


@pytest.mark.parametrize(
    ("library", "named"), [("duckdb", "duckdb"), ("pyarrow.parquet", "pyarrow")]
)
def test_a_missing_library_is_told(flows, monkeypatch, library, named):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=f"pip install {named}"):
        sweep_parquet(flows, score="a", label="label", max_memory=MEMORY["count"])
