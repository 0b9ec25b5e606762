import gzip
import hashlib

import pandas as pd
import pytest

from labkit.data import files
from labkit.data.schema import COLUMNS
from labkit.errors import InputError

TABLE = pd.DataFrame(
    {
        "time": [72, 111, 86_400],
        "day": [0, 0, 1],
        "src": ["host-1", "host-2", "10.0.0.7"],
        "internal": [1, 1, 0],
        "proto": ["tcp", "udp", "tcp"],
        "port_class": ["web", "dns", "admin"],
        "duration_s": [6.0496, 0.1, 1e-4],
        "bytes_out": [735, 80, 9_007_199_254],
        "bytes_in": [1212, 0, 40],
        "packets": [9, 1, 3],
        "failed_10min": [0, 0, 12],
        "peers_10min": [1, 2, 240],
        "connections_10min": [4, 3, 250],
        "iat_cv_10min": [0.38, 0.0, 1.07],
        "label": [0, 0, 1],
        "family": ["benign", "benign", "scan"],
        "activity": ["telemetry", "lookup", "scan"],
    }
)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Make a folder with three hand-written records in place of the simulated ones."""
    monkeypatch.setattr("labkit.data.traffic.simulate", lambda seed: TABLE)
    files.make_flows(tmp_path)
    return tmp_path


def refused(folder, fault, *, by_name=files.FLOWS):
    """Expect both ways in to refuse the folder with one line that names the file."""
    for read in (
        lambda: files.verify_flows(folder),
        lambda: files.load_flows(folder / files.FLOWS),
    ):
        with pytest.raises(InputError, match=fault) as error:
            read()
        assert str(folder / by_name) in str(error.value)
        # It may be a student's own traffic, which the course's must not take the place of.
        assert "take it again from where you had it" in str(error.value)
        assert "\n" not in str(error.value)


class TestWhole:
    def test_round_trip(self, made):
        files.verify_flows(made)
        pd.testing.assert_frame_equal(files.load_flows(made / files.FLOWS), TABLE)

    def test_the_same_records_give_the_same_bytes(self, made, tmp_path_factory):
        again = tmp_path_factory.mktemp("again")
        files.make_flows(again)
        for name in (files.FLOWS, files.CHECKSUMS):
            assert (again / name).read_bytes() == (made / name).read_bytes()

    def test_made_where_it_says(self, made):
        assert files.make_flows(made / "new" / "folder") == made / "new" / "folder" / files.FLOWS

    def test_the_checksum_is_that_of_the_csv(self, made):
        content = gzip.decompress((made / files.FLOWS).read_bytes())
        expected = f"{hashlib.sha256(content).hexdigest()}  flows.csv\n"
        assert (made / files.CHECKSUMS).read_text() == expected

    def test_another_compression_of_the_same_records_is_whole(self, made):
        path = made / files.FLOWS
        path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), compresslevel=1))
        files.verify_flows(made)

    def test_lines_end_alike_on_every_platform(self):
        assert b"\r" not in files.flows_as_csv(TABLE)
        header, *_ = files.flows_as_csv(TABLE).decode().splitlines()
        assert header.split(",") == [column.name for column in COLUMNS]

    def test_the_seed_reaches_the_simulator(self, tmp_path, monkeypatch):
        seeds = []
        monkeypatch.setattr(
            "labkit.data.traffic.simulate", lambda seed: seeds.append(seed) or TABLE
        )
        monkeypatch.setattr("labkit.data.traffic.DEFAULT_SEED", 11)
        files.make_flows(tmp_path, seed=0)
        files.make_flows(tmp_path)
        assert seeds == [0, 11]

    def test_no_table_is_written_that_is_no_flow_table(self, made, monkeypatch):
        before = (made / files.FLOWS).read_bytes()
        monkeypatch.setattr("labkit.data.traffic.simulate", lambda seed: TABLE.assign(label=2))
        with pytest.raises(InputError, match="column 'label'"):
            files.make_flows(made)
        assert (made / files.FLOWS).read_bytes() == before

    def test_without_a_path_the_course_s_own_is_loaded(self, made, monkeypatch):
        monkeypatch.setattr(files, "DATA", made)
        assert len(files.load_flows()) == 3


class TestDamaged:
    def test_cut_off_at_any_byte(self, made):
        whole = (made / files.FLOWS).read_bytes()
        for length in range(len(whole)):
            (made / files.FLOWS).write_bytes(whole[:length])
            refused(made, "is damaged|does not match")

    def test_a_flipped_byte_never_changes_a_record_unnoticed(self, made):
        whole = (made / files.FLOWS).read_bytes()
        for at in range(len(whole)):
            flipped = bytearray(whole)
            flipped[at] ^= 0xFF
            (made / files.FLOWS).write_bytes(flipped)
            try:
                loaded = files.load_flows(made / files.FLOWS)
            except InputError:
                continue
            # Only the time and the system in the header say nothing about the records.
            assert 4 <= at < 10
            pd.testing.assert_frame_equal(loaded, TABLE)

    @pytest.mark.parametrize(
        ("content", "fault"),
        [
            (b"time,day\n0,0\n", "is damaged"),
            (b"", "does not match"),
            (gzip.compress(b"", mtime=0), "does not match"),
            (gzip.compress(files.flows_as_csv(TABLE), mtime=0) + b"tail", "is damaged"),
            (gzip.compress(files.flows_as_csv(TABLE[:2]), mtime=0), "does not match"),
            (gzip.compress(files.flows_as_csv(TABLE[::-1]), mtime=0), "does not match"),
            (
                gzip.compress(files.flows_as_csv(TABLE).replace(b"735", b"736"), mtime=0),
                "does not match",
            ),
        ],
        ids=["no gzip", "empty", "empty csv", "a tail", "a row less", "reordered", "edited"],
    )
    def test_other_content(self, made, content, fault):
        (made / files.FLOWS).write_bytes(content)
        refused(made, fault)

    def test_missing(self, made):
        (made / files.FLOWS).unlink()
        refused(made, "is missing")

    def test_a_folder_in_its_place(self, made):
        (made / files.FLOWS).unlink()
        (made / files.FLOWS).mkdir()
        refused(made, "cannot be read")


class TestChecksums:
    def test_missing(self, made):
        (made / files.CHECKSUMS).unlink()
        refused(made, "is missing", by_name=files.CHECKSUMS)

    @pytest.mark.parametrize(
        "record",
        [b"", b"\n", b"\xff\xfe\x00", b"0123456789abcdef", b"0123  other.csv\n"],
        ids=["empty", "blank", "binary", "no name", "other file"],
    )
    def test_without_a_line_for_the_file(self, made, record):
        (made / files.CHECKSUMS).write_bytes(record)
        refused(made, "has no line for flows.csv", by_name=files.CHECKSUMS)

    def test_of_other_records(self, made):
        (made / files.CHECKSUMS).write_text(f"{'0' * 64}  flows.csv\n")
        refused(made, "does not match checksums.txt")

    def test_among_others(self, made):
        record = made / files.CHECKSUMS
        record.write_bytes(b"0123  other.csv\r\n" + record.read_bytes())
        files.verify_flows(made)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "No columns"),
        (b"a,b\n1,2\n1,2,3\n", "Expected 2 fields"),
        (b"time\n\xff\n", "can't decode"),
        (files.flows_as_csv(TABLE.drop(columns="src")), "column 'src' is missing"),
        (files.flows_as_csv(TABLE.assign(packets=[1, 0, 1])), "column 'packets' .* at row 1"),
    ],
)
def test_someone_s_own_file_that_is_no_flow_table(tmp_path, content, fault):
    path = tmp_path / "mine.csv.gz"
    path.write_bytes(gzip.compress(content))
    checksum = hashlib.sha256(content).hexdigest()
    (tmp_path / files.CHECKSUMS).write_text(f"{checksum}  mine.csv\n")
    with pytest.raises(InputError, match=fault) as error:
        files.load_flows(path)
    assert str(path) in str(error.value)


def test_simulated_traffic_is_a_flow_table():
    from labkit.data.schema import check_flows
    from labkit.data.traffic import simulate

    check_flows(simulate(1))


def test_a_file_that_unpacks_to_far_more_than_two_weeks_is_refused(made, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 10)
    refused(made, "is damaged")


@pytest.mark.parametrize(
    "change",
    [
        lambda line: "\ufeff" + line,
        str.upper,
        lambda line: line.replace("  ", " *"),
        lambda line: "0" * 64 + line[64:] + line,
    ],
    ids=["byte order mark", "upper case", "binary form", "an older line above"],
)
def test_checksums_in_other_forms_are_read(made, change):
    record = made / files.CHECKSUMS
    line = record.read_text(encoding="utf-8")
    changed = change(line).replace("FLOWS.CSV", "flows.csv")
    record.write_text(changed, encoding="utf-8")
    files.verify_flows(made)
