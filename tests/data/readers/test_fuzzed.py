"""Broken files of every format: a table or one line, never anything else, and no warning."""

import gzip
import io
import shutil
import zipfile

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_up import FILES, LUFLOW, MAPPING, zipped
from mutants import bytes_changed, cut, mutated, several

from labkit.data.readers import import_flows, read_flows, source
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


damage = st.lists(bytes_changed() | cut(), min_size=1, max_size=3)
packings = st.sampled_from(
    [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)


@bounded
@given(changes=damage, packing=packings)
def test_broken_zip_files(tmp_path, changes, packing):
    path = tmp_path / "x"
    path.write_bytes(mutated(zipped(packing, day=LUFLOW, night=LUFLOW), changes))
    attempt(path)


@bounded
@given(changes=damage, more=st.sampled_from([b"", b"\0" * 9, b"more", gzip.compress(b"1,2\n")]))
def test_broken_gzip_files(tmp_path, changes, more):
    path = tmp_path / "x"
    path.write_bytes(mutated(gzip.compress(LUFLOW.encode()) + more, changes))
    attempt(path)


PARQUET = {"label": "l", "attack": [1], "normal": [0], "family": "x"}


@bounded
@given(changes=damage)
def test_broken_parquet_files(tmp_path, changes):
    pytest.importorskip("pyarrow")
    buffer = io.BytesIO()
    table = pd.DataFrame({"l": [1, 0, 1] * 9, "t": [1e9, 2e9, 1.5e9] * 9, "x": ["a", "b", "c"] * 9})
    table.to_parquet(buffer)
    path = tmp_path / "x"
    path.write_bytes(mutated(buffer.getvalue(), changes))
    attempt(path, mapping=PARQUET | {"time": "t", "time_unit": "s", "features": {"service": "x"}})


numbers = st.lists(st.sampled_from([None, 0, 1, 443, -1, 2**20]), min_size=3, max_size=3)
kinds = st.sampled_from(["int8", "float32", "text", "moment", "clock", "span", "words", "bytes"])


def arrow(values, kind):
    """The values as an Arrow array of a kind, most of which no flow table has."""
    import pyarrow as pa

    types = {
        **{"int8": pa.int8(), "float32": pa.float32(), "moment": pa.timestamp("us", "UTC")},
        **{"clock": pa.timestamp("s"), "span": pa.duration("us")},
    }
    if kind in types:
        return pa.array(values, pa.int64()).cast(types[kind], safe=False)
    texts = pa.array([None if value is None else str(value) for value in values], pa.string())
    return {"text": texts, "words": texts.dictionary_encode(), "bytes": texts.cast("binary")}[kind]


@bounded
@given(
    columns=st.tuples(numbers, numbers, numbers),
    types=st.tuples(kinds, kinds, kinds),
    zone=st.sampled_from([None, "Europe/Prague"]),
    feature=st.sampled_from(["dst_port", "src_port", "proto", "state", "a"]),
)
def test_parquet_columns_of_any_type(tmp_path, columns, types, zone, feature):
    pq = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    path = tmp_path / "x"
    pq.write_table(pa.table(dict(zip("ltx", map(arrow, columns, types), strict=True))), path)
    attempt(path, timezone=zone, mapping=PARQUET | {"time": "t", "features": {feature: "x"}})


@bounded
@given(
    case=st.sampled_from(CASES),
    changes=st.lists(bytes_changed(), max_size=3),
    ending=st.sampled_from(["csv", "csv.gz"]),
)
def test_an_import_leaves_a_whole_file_or_none(tmp_path, case, changes, ending):
    path, out = tmp_path / "x", tmp_path / "new" / f"out.{ending}"
    path.write_bytes(mutated(FILES[case[0]][case[1]], changes))
    try:
        import_flows(path, out, **options(case[0]))
    except InputError:
        assert list(tmp_path.iterdir()) == [path]
        return
    assert list(out.parent.iterdir()) == [out]
    assert len(pd.read_csv(out, dtype=str)) > 0
    shutil.rmtree(out.parent)


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
