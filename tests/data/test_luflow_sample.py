"""The made-up sample: the same each time, in LUFlow's format with its quirks, and small."""

import csv
import gzip
import io
import re

import numpy as np
import pytest

from labkit.data import luflow_sample as made
from labkit.data.readers import read_flows

STORED = sorted(made.FOLDER.glob("*"))


def rows(name):
    """The rows of a file of the sample, as they stand there."""
    return list(csv.DictReader(io.StringIO(made.sample_files()[name].decode())))


@pytest.fixture(scope="module")
def flows():
    return read_flows(made.sample_paths())


def test_what_lies_in_data_is_what_is_made():
    assert [path.name for path in STORED] == [f"{name}.gz" for name in made.sample_files()]
    # Compressors differ: what counts is inside.
    stored = [gzip.decompress(path.read_bytes()) for path in STORED]
    assert stored == list(made.sample_files().values())


def test_it_is_small():
    assert sum(path.stat().st_size for path in STORED) < 400_000


def test_writing_it_twice_gives_the_same_bytes(tmp_path):
    once, twice = (made.write_sample(tmp_path / name) for name in "ab")
    assert [path.read_bytes() for path in once] == [path.read_bytes() for path in twice]


def test_where_the_folder_is_absent_the_sample_is_made(tmp_path):
    paths = made.sample_paths(tmp_path / "nowhere")
    assert [gzip.decompress(path.read_bytes()) for path in paths] == list(
        made.sample_files().values()
    )


def test_ten_days_of_which_five_have_attacks(flows):
    summary = flows.attrs["summary"]
    assert [one["format"] for one in summary["files"]] == ["luflow"] * 10
    attacks = [one["attacks"] > 0 for one in summary["files"]]
    assert attacks == [True, True, False, False, True, False, True, False, True, False]


def test_attacks_come_in_the_first_hours_as_in_the_real_files(flows):
    attacks = flows[flows["label"] == 1]
    hours = set((attacks["time"] // 3600 % 24).astype(int))
    assert hours == {0, 1, 2, 3, 23}
    assert set((flows["time"] // 3600 % 24).astype(int)) == set(range(24))


def test_a_file_with_attacks_begins_on_the_day_before(flows):
    counts = flows.groupby("date").size()
    fringes = counts[counts < 10]
    assert fringes.to_dict() == dict.fromkeys(
        ["2040-01-08", "2040-04-15", "2040-04-20", "2040-04-27", "2040-05-05"], 3
    )


def test_zeros_at_the_end_of_epochs_are_lost_and_put_back(flows):
    lengths = np.array([len(row["time_start"]) for row in rows("2040.04.16.csv")])
    assert set(lengths) <= {12, 13, 14, 15, 16}
    assert 0.05 < (lengths < 16).mean() < 0.15
    repaired = flows.attrs["summary"]["repaired"]
    assert 0.05 < sum(repaired.values()) / len(flows) < 0.2
    assert flows["date"].str[:4].unique().tolist() == ["2040"]


def test_pings_have_blank_ports_in_quotes():
    text = made.sample_files()["2040.04.16.csv"].decode()
    pings = [line for line in text.splitlines() if line.split(",")[8] == "1"]
    assert len(pings) == 22
    assert all(line.split(",")[4] == line.split(",")[10] == '""' for line in pings)


def test_short_durations_are_written_with_an_exponent():
    written = [row["duration"] for row in rows("2040.01.09.csv")]
    short = [text for text in written if 0 < float(text) < 1e-3]
    assert short
    assert all(re.fullmatch(r"\d\.\d+E-\d+", text) for text in short)


def test_outliers_are_dropped_by_the_reader(flows):
    (dropped,) = flows.attrs["summary"]["dropped"].items()
    assert "outlier" in dropped[0]
    assert dropped[1] == sum(
        row["label"] == "outlier" for name in made.sample_files() for row in rows(name)
    )


def test_no_network_is_a_real_one():
    reserved = {*range(64_496, 64_512), *range(65_536, 65_552)}
    seen = {int(row[end]) for name in made.sample_files() for row in rows(name)
            for end in ("src_ip", "dest_ip")}  # fmt: skip
    assert seen <= reserved


def test_durations_are_those_between_the_times():
    for row in rows("2040.05.06.csv"):
        start, end = (int(row[name].ljust(16, "0")) for name in ("time_start", "time_end"))
        assert (end - start) / 1e6 == pytest.approx(float(row["duration"]), abs=1e-9)


def test_the_card_counts_what_is_there(flows):
    card = (made.DATA / "README.md").read_text(encoding="utf-8")
    summary = flows.attrs["summary"]
    outliers = sum(summary["dropped"].values())
    assert f"{summary['read']:,} rows, of which {summary['attacks']:,} are malicious" in card
    assert f"{outliers:,} outliers" in card
