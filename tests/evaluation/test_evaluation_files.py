"""Files of scores: every way to write the same records, and every way to get one wrong."""

import gzip
import hashlib
import sys

import numpy as np
import pandas as pd
import pytest

from labkit.errors import InputError
from labkit.evaluation import evaluate, evaluate_file
from labkit.evaluation.reading.score_files import read_scores

HEADER = "old,new,label,day,host,weight"
ROWS = [
    "0.9,3,1,2026-03-01 10:00,a,1",
    "0.8,2.5,0,2026-03-01 23:59,b,0.5",
    "-inf,1e3,1,2026-03-02 00:00,a,2",
    "1e-300,-0.25,0,2026-03-02 12:00,c,0",
]
CSV = "\n".join([HEADER, *ROWS]) + "\n"
ALL = {"day": "day", "group": "host", "weight": "weight"}


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def parquet(path, table, **options):
    pytest.importorskip("pyarrow")
    table.to_parquet(path, **options)
    return path


def the_same(read):
    assert read.labels.tolist() == [True, False, True, False]
    assert read.scores["old"].tolist() == [0.9, 0.8, -np.inf, 1e-300]
    assert read.scores["new"].tolist() == [3, 2.5, 1000, -0.25]
    assert read.day.tolist() == ["2026-03-01"] * 2 + ["2026-03-02"] * 2
    assert read.groups.tolist() == ["a", "b", "a", "c"]
    assert read.weights.tolist() == [1, 0.5, 2, 0]
    return True


@pytest.mark.parametrize(
    "written",
    [
        CSV,
        CSV.replace("\n", "\r\n"),
        CSV.replace(",", ";"),
        CSV.replace(",", "\t"),
        "\ufeff" + CSV,
        gzip.compress(CSV.encode(), mtime=0),
        CSV.rstrip() + "\n\n\n",
        CSV.replace("old,new", '"old", new').replace("0.9,3", '" 0.9", 3'),
        CSV.replace(",1,2026", ",1.0,2026").replace(",0,2026", ",0.0,2026"),
    ],
    ids=["plain", "crlf", "semicolon", "tab", "bom", "gzip", "blank", "quoted", "decimals"],
)
def test_a_csv_however_it_is_written(tmp_path, written):
    path = write(tmp_path / "any.name", written)
    assert the_same(read_scores(path, ["old", "new"], "label", **ALL))


def test_parquet_of_several_types(tmp_path):
    table = pd.DataFrame(
        {
            "old": [0.9, 0.8, -np.inf, 1e-300],
            "new": [3, 2.5, 1000, -0.25],
            "label": pd.Categorical(["yes", "no", "yes", "no"], ["yes", "no", "never"]),
            "day": pd.to_datetime(["2026-03-01", "2026-03-01", "2026-03-02", "2026-03-02"]),
            "host": ["a", "b", "a", "c"],
            "weight": np.float32([1, 0.5, 2, 0]),
        }
    )
    path = parquet(tmp_path / "scores.parquet", table, row_group_size=3)
    read = read_scores(path, ["old", "new"], "label", positive="yes", **ALL)
    assert the_same(read)
    assert read.notes == ()
    path = parquet(tmp_path / "flags.parquet", table.assign(label=[True, False, True, False]))
    assert the_same(read_scores(path, ["old", "new"], "label", **ALL))
    single = table.assign(new=np.float32([0.7, 0.1, 0.2, 0.3]))
    path = parquet(tmp_path / "single.parquet", single)
    widened = read_scores(path, ["new"], "label", positive="yes").scores["new"]
    assert widened[0] == float(np.float32(0.7))


def test_where_it_came_from_is_kept(tmp_path):
    path = write(tmp_path / "scores.csv", CSV)
    source = read_scores(path, ["old"], "label", day="day").source
    assert (source.file, source.label, source.positive) == ("scores.csv", "label", "1")
    assert source.sha256 == hashlib.sha256(CSV.encode()).hexdigest()
    assert (source.day, source.group, source.weight) == ("day", None, None)


def test_times_are_cut_to_their_date_and_it_is_said(tmp_path):
    read = read_scores(write(tmp_path / "a.csv", CSV), ["old"], "label", day="day")
    assert "cut to their date" in read.notes[0]
    for times, said in (
        (["2026-03-01", "2026-03-02"], False),
        (["2026-03-01 00:00:00", "2026-03-02T00:00"], False),
        (["2026-03-01 00:00:00", "2026-03-01T00:00"], True),
        (["2026-03-01 00:00:01", "2026-03-02T00:00"], True),
        (["2026-03-01", "2026-03-02 10:00"], True),
    ):
        rows = "".join(f"{place},{place},{time}\n" for place, time in enumerate(times))
        read = read_scores(write(tmp_path / "b.csv", f"s,y,d\n{rows}"), ["s"], "y", day="d")
        assert bool(read.notes) == said, times


def test_days_that_are_numbers_are_ordered_as_numbers(tmp_path):
    rows = "\n".join(f"{day},{day % 2},{day}" for day in (10, 9, 100, 1))
    read = read_scores(write(tmp_path / "a.csv", f"s,y,d\n{rows}\n"), ["s"], "y", day="d")
    assert read.day.tolist() == [10, 9, 100, 1]


def test_a_file_gives_what_its_arrays_give(tmp_path):
    path = write(tmp_path / "scores.csv", CSV)
    asked = {"budgets": [1], "n_replicates": 20, "seed": 5}
    of_file = evaluate_file(path, ["old", "new"], "label", day="day", **asked)
    table = pd.read_csv(path)
    day = table["day"].str[:10]
    of_arrays = evaluate(table["label"], table[["old", "new"]], day=day, **asked)
    for part in ("detectors", "pairs", "resampling"):
        assert of_file.to_dict()[part] == of_arrays.to_dict()[part]


@pytest.mark.parametrize(
    ("labels", "positive", "wanted"),
    [
        (["1", "0", "1.0", "0"], None, [1, 0, 1, 0]),
        (["-1", "1", "-1", "1"], None, [0, 1, 0, 1]),
        (["True", "false", "TRUE", "False"], None, [1, 0, 1, 0]),
        (["Yes", " No", "Yes ", "No"], "Yes", [1, 0, 1, 0]),
        (["2", "1", "2.0", "1"], "2", [1, 0, 1, 0]),
        (["a", "b", "c", "a"], "a", [1, 0, 0, 1]),
        (["none", "scan", "none", "none"], "scan", [0, 1, 0, 0]),
    ],
)
def test_labels(tmp_path, labels, positive, wanted):
    rows = "\n".join(f"{place},{label}" for place, label in enumerate(labels))
    path = write(tmp_path / "a.csv", f"s,y\n{rows}\n")
    assert read_scores(path, ["s"], "y", positive=positive).labels.tolist() == wanted


def test_more_than_two_labels_are_told_of(tmp_path):
    path = write(tmp_path / "a.csv", "s,y\n1,a\n2,b\n3,c\n4,b\n")
    note = read_scores(path, ["s"], "y", positive="a").notes[0]
    assert "Every label of column y but a counts as normal: b (2), c (1)" in note


def test_a_quiet_file_may_lack_its_positive_label(tmp_path):
    path = write(tmp_path / "a.csv", "s,y\n1,benign\n2,benign\n")
    read = read_scores(path, ["s"], "y", positive="attack")
    assert not read.labels.any()
    assert "No record of column y has the label attack" in read.notes[0]


GOOD = "s,y,w\n1,1,1\n2,0,1\n"


@pytest.mark.parametrize(
    ("content", "options", "told"),
    [
        (b"", {}, "is empty"),
        ("s,y,w\n", {}, "has a header and no records"),
        ("\n\ns,y\n1,0\n", {}, "begins with an empty line"),
        (GOOD, {"scores": ["S"]}, "has no column 'S'; it has 's', 'y', 'w'"),
        ("a,b,c,d,e,f,g,h,i,s\n1\n", {"label": "zz"}, "'f', 'g', 'h' ..."),
        (GOOD, {"label": "yy"}, "has no column 'yy'; the nearest is 'y'"),
        (GOOD, {"scores": ["s", "s"]}, "name each column once"),
        (GOOD, {"scores": ["y"]}, "as score and as label"),
        ("s,s,y\n1,1,1\n", {}, "has 2 columns 's'; rename all but one"),
        ("s,y\n1,1\nhigh,0\n", {}, "column 's' holds 'high' in record 2, which is not a number"),
        ("s;y\n0,5;1\n", {}, "write decimals with a point"),
        ("s,y\n1_0,1\n", {}, "holds '1_0' in record 1"),
        ("s,y\n1,1\n,0\nNaN,0\nNA,0\n", {}, "NaN in 3 of 4 records (the first is record 2"),
        ("s,y\n1,\n2,1\n", {}, "'y' is empty or NaN in 1 of 2 records (the first is record 1"),
        ("s,y\n1,Yes\n2,No\n", {}, "column 'y' holds 'Yes', 'No': say which one means attack"),
        ("s,y\n1,a\n2,b\n3,c\n", {}, "holds 3 labels, 'a', 'b', 'c': say which one"),
        ("s,y\n1,Yes\n2,No\n", {"positive": "yes"}, "--positive is 'yes', but column 'y' holds"),
        ("s,y,w\n1,1,-1\n2,0,1\n", {"weight": "w"}, "column 'w' is negative in 1 of 2 records"),
        ("s,y,w\n1,1,inf\n2,0,1\n", {"weight": "w"}, "column 'w' is infinite in 1 of 2 records"),
        ("s,y,w\n1,1,0\n2,0,0\n", {"weight": "w"}, "column 'w' is zero in every record"),
        ("s,y,w\n1,1,\n2,0,1\n", {"weight": "w"}, "column 'w' is empty or NaN"),
        ("s,y,d\n1,1,\n2,0,1\n", {"day": "d"}, "column 'd' is empty or NaN"),
        ("s,y\n1,1,7\n", {}, "has 3 fields in line 2, and 2 in its header"),
        ("s,y\n1,1\n2\n", {}, "has 1 fields in line 3, and 2 in its header"),
        ('s,y\n"1,1\n', {}, "is no CSV file"),
        ("größe,y\n1,1\n".encode("latin-1"), {}, "is not in UTF-8 (byte 0xf6)"),
        (CSV.encode("utf-16"), {}, "is not in UTF-8 (byte 0xff)"),
        (b"PK\x03\x04 and more", {}, "a zip archive or a spreadsheet"),
        (b"\x28\xb5\x2f\xfd more", {}, "packed with zstd"),
        (b"\x1f\x8bno gzip", {}, "is damaged"),
        (gzip.compress(GOOD.encode(), mtime=0)[:-9], {}, "is damaged"),
        (b"a\0b\n", {}, "is neither CSV nor Parquet"),
        (b"PAR1 and no more", {}, "is damaged or no Parquet file"),
        ('{"s": 1}\n', {}, "has no column 's'"),
    ],
)  # fmt: skip
def test_one_line_names_the_file_or_column_and_the_remedy(tmp_path, content, options, told):
    if content[:4] == b"PAR1":
        pytest.importorskip("pyarrow")
    path = write(tmp_path / "f.csv", content)
    asked = {"scores": ["s"], "label": "y"} | options
    with pytest.raises(InputError) as error:
        read_scores(path, asked.pop("scores"), asked.pop("label"), **asked)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("table", "options", "told"),
    [
        ({"s": ["1", "2"], "y": [0, 1]}, {}, "column 's' holds '1' in record 1, which is not"),
        ({"s": [1.0, None], "y": [0, 1]}, {}, "column 's' is empty or NaN in 1 of 2"),
        ({"s": [1, 2], "y": [0, None]}, {}, "column 'y' is empty or NaN in 1 of 2"),
        ({"s": [1, 2], "y": ["a", "b"]}, {}, "--positive"),
        ({"s": [[1], [2]], "y": [0, 1]}, {}, "column 's' holds"),
        ({"s": [1, 2], "y": [[0], [1]]}, {}, "column 'y' holds list"),
        ({"s": [2**53, 2**53 + 1], "y": [0, 1]}, {}, "float64 would merge"),
        ({"s": [], "y": []}, {}, "has no records"),
    ],
)
def test_parquet_that_cannot_be(tmp_path, table, options, told):
    path = parquet(tmp_path / "f.parquet", pd.DataFrame(table))
    with pytest.raises(InputError) as error:
        read_scores(path, ["s"], "y", **options)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = write(tmp_path / "f.parquet", b"PAR1")
    with pytest.raises(InputError, match="needs pyarrow: run"):
        read_scores(path, ["s"], "y")


def test_a_folder_and_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"holds no \.parquet file"):
        read_scores(tmp_path, ["s"], "y")
    with pytest.raises(InputError, match=r"gone\.csv is missing"):
        read_scores(tmp_path / "gone.csv", ["s"], "y")


def test_options_are_checked_before_the_file_is_read_and_called_as_in_the_command(tmp_path):
    for asked, told in (
        ({"budgets": [2.5]}, "--budget is 2.5"),
        ({"base_rates": [2]}, "--base-rate is 2"),
        ({"cost_fp": 1}, "--cost-fp and --cost-fn go together"),
        ({"level": 0}, "--level is 0"),
        ({"n_replicates": -1}, "--replicates is -1"),
    ):
        with pytest.raises(InputError, match=told):
            evaluate_file(tmp_path / "gone.csv", ["s"], "y", **asked)


def test_more_rows_than_are_held_at_a_time(tmp_path, monkeypatch):
    from labkit.evaluation.reading import csv_files

    monkeypatch.setattr(csv_files, "_ROWS", 3)
    rows = "\n".join(f"{place},{place % 2},h{place % 3}" for place in range(10))
    path = write(tmp_path / "a.csv", f"s,y,g\n{rows}\n")
    read = read_scores(path, ["s"], "y", group="g")
    assert read.scores["s"].tolist() == list(range(10))
    assert read.groups.tolist() == [f"h{place % 3}" for place in range(10)]
    wrong = path.read_text().replace("\n8,0", "\n8x,0")
    with pytest.raises(InputError, match="in record 9"):
        read_scores(write(tmp_path / "b.csv", wrong), ["s"], "y")
