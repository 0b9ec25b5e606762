import math
import re

import pandas as pd
import pytest

from labkit.data.schema import COLUMNS, DAY_SECONDS, check_flows
from labkit.errors import InputError

BENIGN = {
    "time": 72,
    "day": 0,
    "src": "host-1",
    "internal": 1,
    "proto": "tcp",
    "port_class": "web",
    "duration_s": 6.05,
    "bytes_out": 735,
    "bytes_in": 1212,
    "packets": 9,
    "failed_10min": 0,
    "peers_10min": 1,
    "connections_10min": 4,
    "iat_cv_10min": 0.38,
    "label": 0,
    "family": "benign",
    "activity": "telemetry",
}
ATTACK = BENIGN | {"label": 1, "family": "scan", "activity": "scan"}
LATER = BENIGN | {"time": 3 * DAY_SECONDS, "day": 3}


@pytest.fixture
def flows():
    return pd.DataFrame([BENIGN, ATTACK, LATER])


def with_value(flows, column, value, row=1):
    """Return the table with one value changed, in a column wide enough to hold it."""
    values = flows[column].tolist()
    values[row] = value
    return flows.assign(**{column: values})


def test_a_flow_table_passes(flows):
    check_flows(flows)


def test_columns_beyond_the_schema_and_their_order_are_free(flows):
    check_flows(flows.assign(score=0.5)[["score", *flows.columns[::-1]]])


def test_any_index_will_do(flows):
    check_flows(flows.set_axis([4, 4, 4]))


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_texts_may_be_of_any_text_type(flows, dtype):
    texts = [column.name for column in COLUMNS if column.kind == "text"]
    check_flows(flows.astype(dict.fromkeys(texts, dtype)))


def test_nullable_numbers_will_do(flows):
    check_flows(flows.convert_dtypes())


def test_whole_numbers_may_be_stored_as_floats(flows):
    check_flows(flows.astype({"bytes_in": float, "duration_s": "float32"}))


@pytest.mark.parametrize("column", [column.name for column in COLUMNS])
class TestEveryColumn:
    def test_must_be_there(self, flows, column):
        with pytest.raises(InputError, match=f"^column '{column}' is missing$"):
            check_flows(flows.drop(columns=column))

    def test_must_be_there_once(self, flows, column):
        with pytest.raises(InputError, match=f"^column '{column}' occurs 2 times$"):
            check_flows(pd.concat([flows, flows[[column]]], axis=1))

    @pytest.mark.parametrize("missing", [None, math.nan, pd.NA])
    def test_must_hold_a_value_in_every_row(self, flows, column, missing):
        with pytest.raises(InputError, match=f"^column '{column}' is missing at row 1: "):
            check_flows(with_value(flows, column, missing))


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("duration_s", -0.5, "lies outside [0, inf] at row 1: -0.5"),
        ("duration_s", math.inf, "lies outside [0, inf] at row 1: inf"),
        ("duration_s", "long", "is no number at row 1: 'long'"),
        ("iat_cv_10min", -1, "lies outside [0, inf] at row 1: -1.0"),
        ("bytes_in", 0.5, "is not a whole number at row 1: 0.5"),
        ("bytes_in", math.inf, "is not a whole number at row 1: inf"),
        ("bytes_out", -1, "lies outside [0, inf] at row 1: -1"),
        ("packets", 0, "lies outside [1, inf] at row 1: 0"),
        ("failed_10min", -2, "lies outside [0, inf] at row 1: -2"),
        ("peers_10min", 1.5, "is not a whole number at row 1: 1.5"),
        ("internal", 2, "lies outside [0, 1] at row 1: 2"),
        ("label", 2, "lies outside [0, 1] at row 1: 2"),
        ("label", -1, "lies outside [0, 1] at row 1: -1"),
        ("label", "BENIGN", "is no number at row 1: 'BENIGN'"),
        ("time", -1, "lies outside [0, inf] at row 1: -1"),
        ("day", -1, "lies outside [0, inf] at row 1: -1"),
        ("src", "", "is not a text at row 1: ''"),
        ("src", 7, "is not a text at row 1: 7"),
        ("proto", "icmp", "is none of tcp, udp at row 1: 'icmp'"),
        ("proto", "TCP", "is none of tcp, udp at row 1: 'TCP'"),
        (
            "port_class",
            "ftp",
            "is none of web, dns, mail, admin, backup, other at row 1: 'ftp'",
        ),
    ],
)
def test_a_value_at_fault_is_named_with_its_row(flows, column, value, told):
    with pytest.raises(InputError) as error:
        check_flows(with_value(flows, column, value))
    assert str(error.value) == f"column '{column}' {told}"


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("time", DAY_SECONDS, "column 'day' does not hold its time at row 1: 0"),
        ("day", 1, "column 'day' does not hold its time at row 1: 1"),
        ("family", "benign", "column 'family' contradicts its label at row 1: 'benign'"),
        ("label", 0, "column 'family' contradicts its label at row 1: 'scan'"),
    ],
)
def test_columns_must_agree(flows, column, value, told):
    with pytest.raises(InputError) as error:
        check_flows(with_value(flows, column, value))
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([True, False, True], "bool"),
        (pd.Series(["1", "2", "3"], dtype=object), "object"),
        (pd.to_datetime(["2024-01-01"] * 3), "datetime64"),
    ],
    ids=["truths", "texts", "dates"],
)
def test_numbers_must_be_stored_as_numbers(flows, values, dtype):
    with pytest.raises(InputError, match=f"column 'packets' does not hold numbers but {dtype}"):
        check_flows(flows.assign(packets=values))


def test_the_first_row_at_fault_is_counted_from_0_whatever_the_index(flows):
    table = with_value(with_value(flows, "packets", 0, row=1), "packets", 0, row=2)
    with pytest.raises(InputError, match=re.escape("at row 1: 0")):
        check_flows(table.set_axis([7, 8, 9]))


def test_every_column_says_what_it_holds():
    assert all(column.meaning.endswith(".") for column in COLUMNS)
    assert {column.kind for column in COLUMNS} == {"integer", "number", "text"}
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)


def test_records_are_ordered_by_time(flows):
    with pytest.raises(InputError, match="'time' goes back at row 2: 72"):
        check_flows(flows.iloc[[0, 2, 1]])


def test_an_empty_table_is_refused(flows):
    with pytest.raises(InputError, match="no record"):
        check_flows(flows.iloc[:0])
