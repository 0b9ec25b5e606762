"""Records as Parquet parts: read back whole, or not there at all."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from labkit import cli
from labkit.data import check_flows, parts
from labkit.data.schema import COLUMNS
from labkit.data.stream import blocks, vocabularies
from labkit.errors import InputError

needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs pyarrow")


@pytest.fixture
def labkit(monkeypatch, capsys):
    """Run `labkit data make` in this process: exit code, stdout, lines on stderr."""

    def labkit(*arguments):
        monkeypatch.setattr(sys, "argv", ["labkit", "data", "make", *map(str, arguments)])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsys.readouterr()
        return end.value.code, out, err.splitlines()

    return labkit


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(parts, "PART_RECORDS", 400)


@needs_pyarrow
class TestWhole:
    def test_the_folder_is_the_flow_table(self, tmp_path):
        flows = pd.read_parquet(parts.write_parts(tmp_path / "flows", 30_000, 5))
        assert flows.columns.tolist() == [column.name for column in COLUMNS]
        check_flows(flows)
        some = list(blocks(30_000, 5))
        for name in flows:
            drawn = np.concatenate([block[name] for block in some])
            words = vocabularies().get(name)
            if words is None:
                assert flows[name].dtype == drawn.dtype
                assert (flows[name] == drawn).all()
            else:
                assert flows[name].tolist() == [words[code] for code in drawn]

    @pytest.mark.parametrize(
        ("records", "sizes"),
        [(1, [1]), (400, [400]), (401, [400, 1]), (1200, [400] * 3), (1999, [400] * 4 + [399])],
    )
    def test_parts_are_full_but_for_the_last(self, tmp_path, small_parts, records, sizes):
        folder = parts.write_parts(tmp_path / "flows", records)
        files = sorted(folder.iterdir())
        assert [file.name for file in files] == [f"part-{i:05d}.parquet" for i in range(len(sizes))]
        assert [len(pd.read_parquet(file)) for file in files] == sizes
        check_flows(pd.read_parquet(folder))

    def test_a_block_may_fill_several_parts(self, monkeypatch):
        monkeypatch.setattr(parts, "PART_RECORDS", 3)
        tables = list(parts._tables(blocks(5000), vocabularies()))
        assert [len(table) for table in tables] == [3] * 1666 + [2]
        whole = np.concatenate([block["bytes_in"] for block in blocks(5000)])
        assert np.concatenate([table["bytes_in"] for table in tables]).tolist() == whole.tolist()

    def test_the_same_seed_gives_the_same_bytes(self, tmp_path):
        a, b, c = (
            (parts.write_parts(tmp_path / name, 3000, seed) / "part-00000.parquet").read_bytes()
            for name, seed in (("a", None), ("b", 231), ("c", 232))
        )
        assert a == b
        assert a != c

    def test_into_an_empty_folder_or_a_new_one_in_new_ones(self, tmp_path):
        (tmp_path / "empty").mkdir()
        for name in ("empty", "new/er"):
            parts.write_parts(tmp_path / name, 10)
            assert len(list((tmp_path / name).iterdir())) == 1
        assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "new"]

    def test_progress_is_told_of_every_part(self, tmp_path, small_parts):
        told = []

        @contextmanager
        def progress(what, total):
            told.append((what, total))
            yield lambda: told.append("part")

        parts.write_parts(tmp_path / "flows", 801, progress=progress)
        assert told == [("parts", 3), "part", "part", "part"]


@needs_pyarrow
class TestNothingHalfWritten:
    @pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, MemoryError])
    def test_what_ends_in_the_middle_leaves_nothing(self, tmp_path, small_parts, monkeypatch, end):
        write = parts._write

        def fail(table, path):
            if path.name == "part-00002.parquet":
                raise end
            write(table, path)

        monkeypatch.setattr(parts, "_write", fail)
        with pytest.raises(end):
            parts.write_parts(tmp_path / "flows", 2000)
        assert list(tmp_path.iterdir()) == []

    def test_a_full_disk(self, tmp_path, small_parts, monkeypatch):
        def full(table, path):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(parts, "_write", full)
        with pytest.raises(InputError, match=r"flows cannot be written \(No space left"):
            parts.write_parts(tmp_path / "flows", 2000)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.skipif(os.name != "posix", reason="signals")
    @pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
    def test_a_process_that_is_ended_leaves_no_folder_of_that_name(self, tmp_path, how):
        arguments = ("data", "make", "--records", "90_000_000", "--out", tmp_path / "flows")
        running = subprocess.Popen(
            [sys.executable, "-m", "labkit.cli", *arguments], stderr=subprocess.DEVNULL
        )
        try:
            while not list(tmp_path.glob(".flows.*.tmp/flows/part-00000.parquet")):
                assert running.poll() is None
                time.sleep(0.02)
            running.send_signal(how)
            assert running.wait(timeout=20) != 0
        finally:
            running.kill()
            running.wait()
        assert not (tmp_path / "flows").exists()
        if how == signal.SIGTERM:
            assert list(tmp_path.iterdir()) == []


@pytest.fixture
def faulty(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("a file, no folder")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("somebody's own")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@needs_pyarrow
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("--records 100", "--records needs --out: name a new folder"),
        ("--records 0 --out new", "records must be 1 to 1_000_000_000_000, not 0"),
        ("--records -3 --out new", "records must be 1 to 1_000_000_000_000, not -3"),
        ("--records 10_000_000_000_000 --out new", "records must be 1 to"),
        ("--records 100 --out full", "full already holds files: name a new or an empty folder"),
        ("--records 100 --out file", "file is a file: name a new folder"),
        ("--records 100 --out file/below", "below cannot be written"),
    ],
)
def test_a_users_fault_is_one_line_and_exit_code_2(labkit, faulty, arguments, named):
    before = sorted(faulty.rglob("*"))
    code, out, err = labkit(*arguments.split())
    assert (code, out, len(err)) == (2, "", 1)
    assert err[0].startswith("labkit: ")
    assert named in err[0]
    assert sorted(faulty.rglob("*")) == before


@needs_pyarrow
@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_a_folder_that_may_not_be_written(labkit, tmp_path):
    tmp_path.chmod(0o500)
    code, _, err = labkit("--records", 100, "--out", tmp_path / "new")
    tmp_path.chmod(0o700)
    assert (code, len(err)) == (2, 1)
    assert "new cannot be written (Permission denied): name another folder" in err[0]


def test_without_pyarrow(labkit, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, out, err = labkit("--records", 100, "--out", tmp_path / "new")
    assert (code, out, len(err)) == (2, "", 1)
    assert "records go into Parquet" in err[0]
    assert "-m pip install pyarrow`" in err[0]
    assert list(tmp_path.iterdir()) == []


@needs_pyarrow
def test_the_command_writes_as_many_as_it_is_told(labkit, tmp_path):
    code, out, err = labkit("--records", "12_345", "--out", tmp_path / "new", "--seed", 3)
    assert code == 0
    assert out == f"wrote 12,345 records into {tmp_path / 'new'}\n"
    assert "1/1" in err[-1]
    flows = pd.read_parquet(tmp_path / "new")
    assert len(flows) == 12_345
    assert flows["time"].tolist() == np.concatenate([b["time"] for b in blocks(12_345, 3)]).tolist()
