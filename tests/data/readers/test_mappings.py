"""What a mapping may say, and what it may not, in one line."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import MAPPING, TABLE

from labkit.data.readers import read_flows
from labkit.data.readers.mapping import load_mapping
from labkit.errors import InputError

WITHOUT_TIMES = {k: v for k, v in MAPPING.items() if not k.startswith("time")}
FEATURES = MAPPING["features"]


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({}, "say which labels mean attack"),
        (MAPPING | {"normal": []}, "say which labels mean normal"),
        (MAPPING | {"label": ""}, "name the column of labels"),
        (MAPPING | {"label": 3}, "label must be a text, not 3"),
        (MAPPING | {"lable": "x"}, "'lable' is none of attack, delimiter"),
        (MAPPING | {"attack": "bad"}, "attack must be a list, not 'bad'"),
        (MAPPING | {"attack": [["bad"]]}, "attack must hold texts and numbers alone"),
        (MAPPING | {"normal": ["BAD "]}, "label 'BAD ' is both attack and normal"),
        (MAPPING | {"attack": "rest", "normal": "rest"}, "only one of attack, normal, neither"),
        (MAPPING | {"time_format": "iso"}, "time_unit for epochs or time_format for clocks"),
        (MAPPING | {"time_unit": "days"}, "time_unit must be one of s, ms, us, ns"),
        (WITHOUT_TIMES | {"time_unit": "s"}, "name the column of times too"),
        (WITHOUT_TIMES | {"time": "t", "time_format": "%d.%m. %H:%M"}, "lacks the year, %Y"),
        (WITHOUT_TIMES | {"time": "t", "time_format": "%Y %Q"}, "reads no time"),
        (WITHOUT_TIMES | {"time": "t", "time_format": "%Y %Y"}, "reads no time"),
        (MAPPING | {"delimiter": ";;"}, "delimiter must be one character"),
        (MAPPING | {"delimiter": '"'}, "delimiter must be one character"),
        (MAPPING | {"features": ["a"]}, "features must be a table"),
        (MAPPING | {"features": {"Bytes out": "up"}}, "must have a name in snake_case"),
        (MAPPING | {"features": {"label": "up"}}, "that is none of label, day, date"),
        (MAPPING | {"features": {"a": {"unit": "s"}}}, "feature a names no column"),
        (MAPPING | {"features": {"a": {"column": "up", "unit": "m"}}}, "unit of a must be one of"),
        (MAPPING | {"features": {"a": {"column": "up", "kind": "date"}}}, "must be text or number"),
        (MAPPING | {"features": {"a": {"column": "up", "scale": 2}}}, "'scale' is none of column"),
        (MAPPING | {"features": {"a": 3}}, "column of a must be a text, not 3"),
        (MAPPING | {"features": {"a": "verdict"}}, "read both as text and as a number"),
        (MAPPING | {"family": "start"}, "column 'start' is read both as text and as a number"),
        (MAPPING | {"label": "start"}, "column 'start' is read both as text and as a number"),
        (7, "the mapping must be a file or a dict"),
        ("gone.toml", "mapping gone.toml cannot be read"),
        ("a\0b", "cannot be read"),
    ],
)
def test_what_no_mapping_says(mapping, said):
    with pytest.raises(InputError) as error:
        load_mapping(mapping)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"label = ", "is neither TOML nor JSON"),
        (b'{"label": ', "is neither TOML nor JSON"),
        (b"\xff\xfe", "is neither TOML nor JSON"),
        (b'{"a": ' * 100_000, "is neither TOML nor JSON"),
        (b"x" * 1_000_001, "too large for a mapping"),
        (b"[features]\na = 1979-05-27", "say which labels mean attack"),
    ],
)
def test_what_is_no_mapping_file(tmp_path, content, said):
    path = tmp_path / "mapping"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said) as error:
        load_mapping(path)
    assert str(path) in str(error.value)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(InputError, match="is no regular file: name a"):
            load_mapping(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": "Verdict"}, "has no column 'Verdict' that the mapping names; it has start"),
        ({"features": {"a": "start2"}}, "has no column 'start2'"),
        ({"names": ["a", "a"], "label": "a", "time": "b", "features": {}}, "has 2 times a column"),
        ({"delimiter": ","}, "has no column"),
    ],
)
def test_a_table_that_does_not_fit(tmp_path, change, said):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    with pytest.raises(InputError, match=said):
        read_flows(path, mapping=MAPPING | change)


def test_what_a_file_holds_is_shown_in_signs_alone(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\x1b[2Ja,\x07b\xed\xb2\x80\n1,2\n")
    with pytest.raises(InputError, match="has no column") as error:
        read_flows(path, mapping=MAPPING)
    assert str(error.value).isprintable()


def test_units_are_those_of_the_schema(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("l,x\n1,3\n0,4\n")
    units = {"ns": 3e-9, "min": 180, "h": 10800, "bit": 0.375, "MB": 3e6, "KiB": 3072}
    features = {f"in_{unit.lower()}": {"column": "x", "unit": unit} for unit in units}
    flows = read_flows(
        path, mapping={"label": "l", "attack": [1], "normal": [0]} | {"features": features}
    )
    for unit, wanted in units.items():
        assert flows[f"in_{unit.lower()}"].tolist()[0] == pytest.approx(wanted, rel=1e-15)


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
values = st.recursive(
    plain,
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=5), one, max_size=3),
)


def check_one_line(mapping):
    said = ""
    try:
        load_mapping(mapping)
    except InputError as error:
        said = str(error)
    assert "\n" not in said


@given(st.sampled_from([*sorted(MAPPING), "time_format", "delimiter", "names"]), values)
def test_whatever_stands_in_it_there_is_a_mapping_or_one_line(key, value):
    check_one_line(MAPPING | {key: value})


@given(st.sampled_from(sorted(FEATURES)), values)
def test_so_with_its_features(key, value):
    check_one_line(MAPPING | {"features": FEATURES | {key: value}})
