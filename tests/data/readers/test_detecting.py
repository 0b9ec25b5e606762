"""Which format a file has is told by what is in it; what cannot be told or fit is refused."""

import os
import zipfile

import pytest
from made_up import (
    ARGUS,
    ARGUS_HEADER,
    CIC,
    CIC_2018,
    CIC_HEADER,
    FILES,
    LUFLOW,
    LUFLOW_HEADER,
    MAPPING,
    NSL_KDD,
    TABLE,
    UNSW_RAW,
    UNSW_SET,
    ZEEK,
    as_toml,
    zipped,
)

from labkit.data.readers import NAMES, read_flows
from labkit.errors import InputError

KNOWN = [(name, number) for name in FILES if name != "mapped" for number in range(len(FILES[name]))]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "flows.dat"


@pytest.fixture
def refused(path):
    """Expect a content to be refused in one line that names the file and says these words."""

    def refused(content, *said, **options):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError) as error:
            read_flows(path, **options)
        message = str(error.value)
        assert "\n" not in message
        assert str(path) in message
        for words in said:
            assert words in message
        return message

    return refused


@pytest.mark.parametrize(("name", "number"), KNOWN)
def test_by_content_whatever_the_file_is_called(path, name, number):
    path.write_bytes(FILES[name][number])
    flows = read_flows(path)
    assert [one["format"] for one in flows.attrs["summary"]["files"]] == [name]
    assert read_flows(path, format=name).equals(flows)


@pytest.mark.parametrize(("name", "number"), KNOWN)
def test_line_ends_blank_lines_and_a_missing_last_one_change_nothing(path, name, number):
    content = FILES[name][number].replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf")
    path.write_bytes(content)
    flows = read_flows(path)
    for changed in (
        content.replace(b"\n", b"\r\n"),
        content.removesuffix(b"\n"),
        b"\n" + content.replace(b"\n", b"\n\n"),
        b"\xef\xbb\xbf" + content,
    ):
        path.write_bytes(changed)
        assert read_flows(path).equals(flows)


def test_another_format_than_the_one_named(refused):
    for name in NAMES:
        if name not in ("mapped", "zeek"):
            refused(ZEEK, "broken copy", format=name)
    refused(LUFLOW, "it is no Zeek log", format="zeek")


def test_no_format_known(refused):
    told = refused("a,b\n1,2\n", "has none of the formats", "--format", "mapping file")
    assert all(name in told for name in NAMES if name != "mapped")


def test_more_than_one_format(refused):
    told = refused(f"{LUFLOW_HEADER},{ARGUS_HEADER}\n", "looks like luflow, argus", "--format")
    assert "cic" not in told
    refused(f"{CIC_HEADER},{LUFLOW_HEADER}\n", "looks like luflow, cic")


@pytest.mark.parametrize("name", ["LUFlow", "", "csv", None, 3])
def test_a_format_that_is_none(path, name):
    path.write_text(LUFLOW)
    with pytest.raises(InputError, match="is none of auto, luflow, zeek, cic, unsw, nsl-kdd"):
        read_flows(path, format=name)


def test_a_mapping_and_a_format_that_needs_none(path):
    path.write_text(TABLE)
    with pytest.raises(InputError, match="format zeek needs no mapping"):
        read_flows(path, format="zeek", mapping=MAPPING)
    with pytest.raises(InputError, match="format mapped needs a mapping file"):
        read_flows(path, format="mapped")


class TestBrokenCopies:
    def test_a_header_with_another_number_of_columns_than_the_rows(self, refused):
        header, rows = LUFLOW.split("\n", 1)
        refused(f"{header},extra\n{rows}", "names 17 columns but line 2 has 16", "broken")
        refused(CIC_2018.replace(",Label", ",x,Label"), "names 14 columns but line 2 has 13")
        refused(UNSW_SET.replace("id,dur", "dur"), "names 23 columns but line 2 has 24")
        refused(ARGUS.replace("StartTime", "x,StartTime"), "names 16 columns but line 2 has 15")
        refused(ZEEK.replace("\tuid", "\tuid\tx"), "names 24 columns but line 9 has 23")
        refused(TABLE.replace("start;", "x;start;"), "names 9 columns", mapping=MAPPING)

    def test_columns_that_have_moved_under_their_names(self, refused):
        # Each header is whole, but its rows begin with their last column.
        def moved(text, mark=","):
            header, *rows = text.splitlines()
            rows = [mark.join([row.split(mark)[-1], *row.split(mark)[:-1]]) for row in rows]
            return "\n".join([header, *rows])

        for text in (LUFLOW, CIC_2018, UNSW_SET, ARGUS):
            refused(moved(text), "rows are damaged", "does not fit its columns")
        refused(moved(TABLE, ";"), "rows are damaged", mapping=MAPPING)

    def test_too_few_columns_without_a_header(self, refused):
        rows = "\n".join(row.rsplit(",", 1)[0] for row in NSL_KDD.splitlines())
        refused(rows, "have 42 columns where NSL-KDD has 43", format="nsl-kdd")
        rows = "\n".join(row.split(",", 1)[1] for row in UNSW_RAW.splitlines())
        refused(rows, "has 48 columns where the raw files have 49", format="unsw")

    def test_a_few_damaged_rows_are_dropped_and_counted(self, path):
        rows = LUFLOW + LUFLOW.split("\n", 1)[1]
        no_number = rows.splitlines()[1].replace("14,", "?,")
        path.write_text(f'{rows}7,325,"1595,786\n7,325\n{no_number}')
        flows = read_flows(path)
        assert flows.attrs["summary"]["dropped"] == {
            "wrong number of columns": 2,
            "neither class (outlier)": 2,
            "a value that is no number": 1,
        }
        assert flows.attrs["summary"]["read"] == 13

    def test_nothing_but_neither_class(self, refused):
        rows = LUFLOW.replace("malicious", "outlier").replace("benign", "outlier")
        refused(rows, "none of 5 rows is an attack or a normal flow (neither class (outlier))")

    def test_a_header_alone(self, refused):
        refused(LUFLOW_HEADER + "\n", "none of 0 rows")


class TestFiles:
    def test_what_is_no_file(self, tmp_path):
        for given, said in (
            (tmp_path, "is a folder"),
            (tmp_path / "gone.csv", "is missing"),
            ([], "no file to read"),
            (None, "must be a file or a list of files"),
            ([1], "must be a file or a list of files"),
            ("a\0b", "no file has such a name"),
            ("a" * 999, "cannot be read"),
        ):
            with pytest.raises(InputError, match=said):
                read_flows(given)

    def test_what_is_no_regular_file(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        for given in (tmp_path / "pipe", "/dev/zero"):
            with pytest.raises(InputError, match="is no regular file: save it as one first"):
                read_flows(given)

    def test_the_same_file_twice(self, path):
        path.write_text(LUFLOW)
        with pytest.raises(InputError, match="named twice"):
            read_flows([path, path.parent / "." / path.name])

    @pytest.mark.parametrize("content", [b"", b"\n", b" \r\n \n", b"\xef\xbb\xbf"])
    def test_an_empty_file(self, refused, content):
        refused(content)

    def test_utf_16(self, refused):
        refused(LUFLOW.encode("utf-16"), "is in UTF-16: save it as UTF-8")

    def test_a_damaged_zip_file(self, refused):
        whole = zipped(day=LUFLOW)
        refused(whole[:-30], "cannot be unpacked")
        middle = whole.index(b"day.csv") + 40
        refused(whole[:middle] + b"\xff" * 20 + whole[middle + 20 :], "cannot be unpacked")
        refused(zipped(), "without a file in it")

    @pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
    def test_a_zip_file_damaged_inside_however_it_is_packed(self, path, refused, packing):
        content = zipped(packing, day=LUFLOW)
        path.write_bytes(content)
        assert len(read_flows(path)) == 4
        middle = content.index(b"day.csv") + 30
        refused(content[:middle] + b"\xff\x00\xff\x10" + content[middle + 4 :], "fetch it anew")

    def test_a_locked_zip_file(self, refused):
        content = bytearray(zipped(day=LUFLOW))
        # The first flag of the member, here and in the directory at the end, says that it is.
        content[6] |= 1
        content[content.index(b"PK\x01\x02") + 8] |= 1
        refused(bytes(content), "locked with a password")

    def test_a_line_without_an_end(self, refused):
        refused(LUFLOW_HEADER + "\n" + "1," * 6_000_000, "line of over a million bytes")

    def test_parquet_needs_a_mapping(self, refused):
        refused(b"PAR1....PAR1", "is Parquet", "mapping file")


class TestZones:
    @pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "a\0b", "Europe", 5])
    def test_there_is_no_such_zone(self, path, name):
        path.write_text(LUFLOW)
        with pytest.raises(InputError, match="there is no time zone"):
            read_flows(path, timezone=name)


def test_the_mapping_may_be_toml_or_json(path, tmp_path):
    import json

    path.write_text(TABLE)
    for name, text in (("m.toml", as_toml(MAPPING)), ("m.json", json.dumps(MAPPING))):
        (tmp_path / name).write_text(text)
        assert read_flows(path, mapping=tmp_path / name).equals(read_flows(path, mapping=MAPPING))


def test_a_plain_file_is_read_from_gzip_too(path):
    import gzip

    path.write_bytes(CIC)
    flows = read_flows(path)
    path.write_bytes(gzip.compress(CIC))
    assert read_flows(path).equals(flows)
    path.write_bytes(gzip.compress(CIC)[:-20])
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_flows(path)
