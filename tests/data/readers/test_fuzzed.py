"""Broken files of every format: a table or one line, never anything else, and no warning."""

import io

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_up import FILES, LUFLOW, MAPPING, zipped
from mutants import bytes_changed, cut, mutated, several

from labkit.data.readers import read_flows, source
from labkit.errors import InputError

CASES = [(name, number) for name in FILES for number in range(len(FILES[name]))]
bounded = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def attempt(path, **options):
    """Read a file; return the table, None where it was refused in one line."""
    flows, said = None, ""
    try:
        flows = read_flows(path, **options)
    except InputError as error:
        said = str(error)
    assert "\n" not in said
    assert bool(said) == (flows is None)
    if flows is None:
        return None
    summary = flows.attrs["summary"]
    assert summary["read"] == summary["kept"] + sum(summary["dropped"].values())
    assert len(flows) == summary["kept"] > 0
    assert all(count <= summary["kept"] for count in summary["repaired"].values())
    assert flows["label"].isin([0, 1]).all()
    assert flows["label"].sum() == summary["attacks"]
    assert (flows["family"] == "benign").equals(flows["label"] == 0)
    if "day" in flows:
        assert flows["day"].min() == 0
        assert flows["time"].notna().all()
    numbers = flows.select_dtypes("number")
    assert not numbers.isin([float("inf"), float("-inf")]).any(axis=None)
    return flows


def options(name):
    return {"mapping": MAPPING} if name == "mapped" else {"format": name}


@pytest.mark.parametrize(("name", "number"), CASES)
@bounded
@given(changes=several, zone=st.sampled_from([None, "Europe/Prague"]))
def test_a_table_or_one_line(tmp_path, name, number, changes, zone):
    path = tmp_path / "x"
    path.write_bytes(mutated(FILES[name][number], changes))
    attempt(path, timezone=zone, **options(name))


@bounded
@given(case=st.sampled_from(CASES), changes=several)
def test_so_where_the_format_is_to_be_told(tmp_path, case, changes):
    path = tmp_path / "x"
    path.write_bytes(mutated(FILES[case[0]][case[1]], changes))
    attempt(path)


@bounded
@given(content=st.binary(max_size=300), name=st.sampled_from([*FILES, "auto"]))
@example(content=b'"', name="luflow")
@example(content=b"#fields\t\n#fields\t", name="zeek")
@example(content=b"\0", name="auto")
def test_any_bytes(tmp_path, content, name):
    path = tmp_path / "x"
    path.write_bytes(content)
    attempt(path, **options(name))


@bounded
@given(changes=st.lists(bytes_changed() | cut(), min_size=1, max_size=3))
def test_broken_zip_files(tmp_path, changes):
    path = tmp_path / "x"
    path.write_bytes(mutated(zipped(day=LUFLOW), changes))
    attempt(path)


@bounded
@given(changes=st.lists(bytes_changed() | cut(), min_size=1, max_size=3))
def test_broken_parquet_files(tmp_path, changes):
    pytest.importorskip("pyarrow")
    buffer = io.BytesIO()
    table = pd.DataFrame({"l": [1, 0, 1] * 9, "t": [1e9, 2e9, 1.5e9] * 9, "x": ["a", "b", "c"] * 9})
    table.to_parquet(buffer)
    path = tmp_path / "x"
    path.write_bytes(mutated(buffer.getvalue(), changes))
    mapping = {"label": "l", "attack": [1], "normal": [0], "time": "t", "time_unit": "s"}
    attempt(path, mapping=mapping | {"features": {"service": "x"}})


@pytest.mark.parametrize(("name", "number"), CASES)
@settings(bounded, max_examples=6)
@given(
    changes=st.lists(bytes_changed(), max_size=2),
    size=st.integers(150, 2000),
    times=st.integers(1, 3),
)
def test_the_size_of_the_blocks_makes_no_difference(tmp_path, name, number, changes, size, times):
    path = tmp_path / "x"
    content = mutated(FILES[name][number], changes)
    path.write_bytes(content + content.split(b"\n", 1)[1] * (times - 1))
    whole = attempt(path, **options(name))
    if whole is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", size)
        table = attempt(path, **options(name))
    pd.testing.assert_frame_equal(table, whole)
    assert table.attrs == whole.attrs
