"""Parquet tables read by a mapping: their own types of times, numbers and texts."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pandas as pd
import pytest

from labkit.data.readers import read_flows
from labkit.errors import InputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

MAPPING = {"label": "y", "attack": [1], "normal": [0]}
Y = pa.array([1, 0, None, 1])


@pytest.fixture
def read(tmp_path):
    def read(mapping=MAPPING, timezone=None, **columns):
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table({"y": Y} | columns), path, row_group_size=3)
        return read_flows(path, mapping=mapping, timezone=timezone)

    return read


def test_labels_of_every_type(read):
    for labels in (
        *(pa.array([1, 0, None, 1], kind) for kind in (pa.int8(), pa.uint64(), pa.float64())),
        *(pa.array(["1", "0", None, "1.0"], kind) for kind in (pa.string(), pa.large_string())),
        pa.array(["1", "0", None, "1"]).dictionary_encode(),
    ):
        flows = read(y=labels)
        assert flows["label"].tolist() == [1, 0, 1]
        assert flows.attrs["summary"]["dropped"] == {"no label": 1}
    flows = read(
        MAPPING | {"attack": [True], "normal": [False]}, y=pa.array([True, False, None, True])
    )
    assert flows["label"].tolist() == [1, 0, 1]


def test_numbers_of_every_type(read):
    mapping = MAPPING | {"features": {"a": "x"}}
    for numbers in (
        pa.array([1, 2, 3, None], pa.int16()),
        pa.array([1, 2, 3, None], pa.float32()),
        pa.array([Decimal(1), Decimal(2), Decimal(3), None]),
        pa.array([" 1", "2.0", "3", ""]),
        pa.array(["1", "2", "3", None]).dictionary_encode(),
    ):
        flows = read(mapping, x=numbers)
        assert flows["a"].tolist()[:2] == [1, 2]
        assert flows["a"].isna().tolist() == [False, False, True]


def test_a_text_where_a_number_belongs(read):
    flows = read(MAPPING | {"features": {"a": "x"}}, x=pa.array(["1", "2", "3", "four"]))
    assert flows.attrs["summary"]["dropped"] == {"no label": 1, "a value that is no number": 1}


def test_times_with_a_zone_are_moments(read):
    mapping = MAPPING | {"time": "t"}
    moments = [datetime(2021, 1, 1, hour, tzinfo=UTC) for hour in (0, 1, 2, 23)]
    for kind in (pa.timestamp("us", "UTC"), pa.timestamp("ns", "Europe/Prague")):
        flows = read(mapping, "Europe/Prague", t=pa.array(moments, kind))
        assert flows["time"].tolist() == [1609459200, 1609462800, 1609542000]
        assert flows["date"].tolist() == ["2021-01-01", "2021-01-01", "2021-01-02"]
        assert flows.attrs["summary"]["notes"] == []


def test_times_without_a_zone_are_a_clocks(read):
    mapping = MAPPING | {"time": "t"}
    walls = [datetime(2021, 1, 1, hour) for hour in (0, 1, 2)] + [None]
    for kind in (pa.timestamp("us"), pa.timestamp("ns")):
        flows = read(mapping, "Europe/Prague", t=pa.array(walls, kind))
        assert flows["time"].tolist() == [1609455600, 1609459200]
        assert set(flows["date"]) == {"2021-01-01"}
        assert flows.attrs["summary"]["dropped"] == {"no label": 1, "unreadable time": 1}
    assert len(read(mapping, t=pa.array(walls, pa.timestamp("s"))).attrs["summary"]["notes"]) == 1
    days = pa.array([date(2021, 1, 1), date(2021, 1, 2), None, date(2021, 1, 4)])
    assert read(mapping, t=days)["day"].tolist() == [0, 1, 3]


def test_times_as_numbers_and_texts(read):
    numbers = pa.array([1609459200000, 1609462800000, 0, 1609542000000])
    flows = read(MAPPING | {"time": "t", "time_unit": "ms"}, t=numbers)
    assert flows["time"].tolist() == [1609459200, 1609462800, 1609542000]
    texts = pa.array(["2021-01-01 00:00", "2021-01-01 01:00Z", "", "2021-01-02 00:00+01:00"])
    assert read(MAPPING | {"time": "t"}, t=texts)["time"].tolist()[1:] == [1609462800, 1609542000]
    with pytest.raises(InputError, match="'t' holds numbers: give its time_unit"):
        read(MAPPING | {"time": "t"}, t=numbers)


def test_a_time_is_no_text_besides(read):
    walls = pa.array([datetime(2021, 1, 1)] * 4)
    for other in ({"family": "t"}, {"label": "t"}, {"features": {"state": "t"}}):
        with pytest.raises(InputError, match="column 't' is read as a time and a text"):
            read(MAPPING | {"time": "t"} | other, t=walls)


def test_far_times_are_none(read):
    far = pa.array([datetime(9999, 1, 1), datetime(2021, 1, 1), None, datetime(1, 1, 1)])
    flows = read(MAPPING | {"time": "t"}, "Europe/Prague", t=far, y=pa.array([1, 0, None, None]))
    assert flows["date"].tolist() == ["2021-01-01"]
    with pytest.raises(InputError, match=r"3 of 4 rows are damaged, as line 1 \(unr"):
        read(MAPPING | {"time": "t"}, t=far, y=pa.array([1, 0, 1, 1]))


@pytest.mark.parametrize(
    "column",
    [pa.array([[1], [2], [], None]), pa.array([{"a": 1}] * 4), pa.array([b"\xff"] * 4)],
)
def test_what_is_neither_text_nor_number(read, column):
    for features in ({"a": "x"}, {"a": {"column": "x", "kind": "text"}}):
        with pytest.raises(InputError, match="column 'x' holds"):
            read(MAPPING | {"features": features}, x=column)


def test_a_column_that_is_not_there(read):
    with pytest.raises(InputError, match=r"has no column 'z' that the mapping names; it has y"):
        read(MAPPING | {"features": {"a": "z"}})


def test_a_column_whose_name_begins_like_another(read):
    others = {"x.y": pa.array([[1]] * 4), "x": pa.array([5, 6, 7, 8])}
    assert read(MAPPING | {"features": {"a": "x"}}, **others)["a"].tolist() == [5, 6, 8]


def test_what_this_package_wrote_is_read_again(tmp_path):
    flows = pd.DataFrame({"label": [0, 1], "family": ["benign", "worm"], "time": [1e9, 1.1e9]})
    flows.to_parquet(tmp_path / "a.parquet")
    mapping = {"label": "label", "attack": [1], "normal": [0], "family": "family"}
    again = read_flows(tmp_path / "a.parquet", mapping=mapping | {"time": "time", "time_unit": "s"})
    assert again[["label", "family", "time"]].equals(flows.astype({"label": "int8"}))
