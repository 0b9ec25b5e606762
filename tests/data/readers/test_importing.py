"""The import into one file: what read_flows gives, piece by piece, whole or not at all."""

import gzip
import signal
import sys
import tracemalloc
from contextlib import contextmanager
from importlib.util import find_spec

import pandas as pd
import pytest
from made_up import ARGUS, CIC, CIC_2018, FILES, LUFLOW, MAPPING, TABLE, ZEEK, as_toml, zipped
from typer.testing import CliRunner

from labkit import cli
from labkit.cli import app
from labkit.data.readers import import_flows, importing, read_flows, source
from labkit.data.schema import COLUMNS
from labkit.errors import InputError

needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs pyarrow")
CASES = [(name, number) for name in FILES for number in range(len(FILES[name]))]


@pytest.fixture
def file(tmp_path):
    def file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return file


@pytest.fixture
def block(monkeypatch):
    """Read so many bytes at a time."""
    return lambda size: monkeypatch.setattr(source, "BLOCK", size)


@pytest.fixture
def labkit(monkeypatch, capsys):
    """Run `labkit data import` in this process: exit code, stdout, lines on stderr."""

    def labkit(*arguments):
        monkeypatch.setattr(sys, "argv", ["labkit", "data", "import", *map(str, arguments)])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsys.readouterr()
        return end.value.code or 0, out, err.splitlines()

    return labkit


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def same(one, other):
    # Before pandas 3, Parquet gives None where a text is missing.
    assert one.dtypes.equals(other.dtypes)
    texts = {name: "" for name in one if one[name].dtype.kind == "O"}
    pd.testing.assert_frame_equal(one.fillna(texts), other.fillna(texts))


def options(name):
    return {"mapping": MAPPING} if name == "mapped" else {}


class TestWhatIsWritten:
    @pytest.mark.parametrize(("name", "number"), CASES)
    @pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
    def test_csv_is_the_table(self, block, file, tmp_path, name, number, ending):
        path, out = file("in", FILES[name][number]), tmp_path / f"out{ending}"
        # Blocks of some three lines: the table is put together from several pieces.
        block(400)
        summary = import_flows(path, out, **options(name))
        flows = read_flows(path, **options(name))
        assert summary == flows.attrs["summary"]
        content = out.read_bytes() if ending == ".csv" else gzip.decompress(out.read_bytes())
        assert content == flows.to_csv(index=False, lineterminator="\n").encode()

    @needs_pyarrow
    @pytest.mark.parametrize(("name", "number"), CASES)
    def test_parquet_is_the_table(self, block, file, tmp_path, name, number):
        path, out = file("in", FILES[name][number]), tmp_path / "out.parquet"
        block(400)
        summary = import_flows(path, out, **options(name))
        written = pd.read_parquet(out)
        same(written, read_flows(path, **options(name)))
        assert written.attrs == {"summary": summary}

    @needs_pyarrow
    def test_small_pieces_are_put_together(self, block, file, tmp_path, monkeypatch):
        import pyarrow.parquet as pq

        monkeypatch.setattr(importing, "_GROUP", 5)
        path, out = file("in", LUFLOW + LUFLOW.split("\n", 1)[1] * 3), tmp_path / "out.parquet"
        block(200)
        import_flows(path, out)
        read = pq.ParquetFile(out)
        groups = [read.metadata.row_group(at).num_rows for at in range(read.num_row_groups)]
        assert sum(groups) == 16
        assert min(groups[:-1]) >= 5
        assert len(groups) > 1
        same(pd.read_parquet(out), read_flows(path))

    def test_columns_stand_in_the_order_of_the_schema(self, file, tmp_path):
        out = tmp_path / "out.csv"
        import_flows(file("in", ZEEK), out)
        header = out.read_text().split("\n", 1)[0].split(",")
        assert header[:5] == ["label", "day", "date", "family", "time"]
        known = [c.name for c in COLUMNS if c.name in header[5:]]
        assert header[5 : 5 + len(known)] == known

    def test_columns_of_all_files(self, file, tmp_path):
        lines = [line.split(",") for line in CIC_2018.splitlines()]
        fewer = file("fewer", "\n".join(",".join(line[:9] + line[10:]) for line in lines))
        paths, out = [fewer, file("all", CIC_2018)], tmp_path / "out.csv"
        import_flows(paths, out)
        pd.testing.assert_frame_equal(
            pd.read_csv(out), read_flows(paths), check_dtype=False, check_like=False
        )

    def test_the_same_flows_give_the_same_bytes(self, file, tmp_path):
        path = file("in", LUFLOW)
        for ending in (".csv", ".csv.gz", *([".parquet"] if find_spec("pyarrow") else [])):
            contents = set()
            for name in ("a", "b"):
                import_flows(path, tmp_path / f"{name}{ending}")
                contents.add((tmp_path / f"{name}{ending}").read_bytes())
            assert len(contents) == 1

    def test_memory_does_not_grow_with_the_file(self, block, file, tmp_path):
        rows = LUFLOW.split("\n", 1)[1] * 150

        def peak(times):
            path = file("in", LUFLOW + rows * times)
            tracemalloc.start()
            import_flows(path, tmp_path / "out.csv")
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return most

        block(20_000)
        peak(1)
        assert peak(12) < 1.5 * peak(2)


class TestWholeOrNot:
    def test_what_cannot_be_read_leaves_everything_as_it_was(self, file, tmp_path):
        out = file("out.csv", "as it was")
        broken = LUFLOW.split("\n", 1)[0] + "\n" + "1,2,3\n" * 9 + LUFLOW.split("\n")[1]
        paths = [file("whole", LUFLOW), file("broken", broken)]
        before = names(tmp_path)
        with pytest.raises(InputError, match="9 of 10 rows are damaged"):
            import_flows(paths, out)
        with pytest.raises(InputError, match="9 of 10 rows are damaged"):
            import_flows(paths, tmp_path / "new" / "out.csv")
        assert out.read_text() == "as it was"
        assert names(tmp_path) == before

    @pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
    def test_what_is_interrupted_leaves_nothing(self, file, tmp_path, stop):
        path = file("in", LUFLOW)

        def advance(_):
            raise stop

        @contextmanager
        def progress(what, total):
            assert (what, total) == ("reading", path.stat().st_size)
            yield advance

        with pytest.raises(stop):
            import_flows(path, tmp_path / "out.csv", progress=progress)
        assert names(tmp_path) == ["in"]

    @pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
    def test_so_while_it_is_written(self, block, file, tmp_path, monkeypatch, ending):
        if ending == ".parquet":
            pytest.importorskip("pyarrow")
        path, number = file("in", LUFLOW), iter(range(9))

        def finished(flows, shape):
            if next(number):
                raise KeyboardInterrupt
            return whole(flows, shape)

        whole = importing.finished
        monkeypatch.setattr(importing, "finished", finished)
        monkeypatch.setattr(importing, "_GROUP", 1)
        block(200)
        with pytest.raises(KeyboardInterrupt):
            import_flows(path, tmp_path / f"out{ending}")
        assert names(tmp_path) == ["in"]

    def test_a_full_disk(self, file, tmp_path, monkeypatch):
        def dump(*_, **__):
            raise OSError(28, "No space left on device")

        path = file("in", LUFLOW)
        monkeypatch.setattr("pickle.dump", dump)
        with pytest.raises(InputError, match=r"out.csv cannot be written: No space left"):
            import_flows(path, tmp_path / "out.csv")
        assert names(tmp_path) == ["in"]

    def test_folders_are_made(self, file, tmp_path):
        import_flows(file("in", LUFLOW), tmp_path / "a" / "b" / "out.csv")
        assert names(tmp_path / "a" / "b") == ["out.csv"]

    def test_where_nothing_can_be_written(self, file, tmp_path):
        path = file("in", LUFLOW)
        (tmp_path / "folder.csv").mkdir()
        for out, said in (
            (tmp_path / "out.txt", "ends in none of .parquet, .csv and .csv.gz"),
            (tmp_path / "out", "ends in none of"),
            (tmp_path / "folder.csv", "is a folder: name a file to write"),
            (path / "out.csv", "cannot be written"),
        ):
            with pytest.raises(InputError, match=said):
                import_flows(path, out)
        assert names(tmp_path) == ["folder.csv", "in"]

    def test_over_one_of_the_files_that_are_read(self, file, tmp_path):
        path = file("in.csv", LUFLOW)
        (tmp_path / "link.csv").symlink_to(path)
        for out in (path, tmp_path / "." / "in.csv", tmp_path / "link.csv"):
            with pytest.raises(InputError, match="is one of the files to read"):
                import_flows(path, out)
        assert path.read_text() == LUFLOW

    def test_parquet_without_pyarrow(self, file, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(InputError, match=r"needs pyarrow: run .* -m pip install pyarrow"):
            import_flows(file("in", LUFLOW), tmp_path / "out.parquet")
        with pytest.raises(InputError, match="needs pyarrow"):
            read_flows(file("in", b"PAR1....PAR1"), mapping=MAPPING)


class TestProgress:
    def test_bytes_add_up_to_those_of_the_files(self, block, file, tmp_path):
        paths = [file("a", LUFLOW), file("b", gzip.compress(LUFLOW.encode()))]
        paths.append(file("c", zipped(day=LUFLOW, night=LUFLOW)))
        told = []

        @contextmanager
        def progress(what, total):
            told.append(total)
            yield told.append

        block(100)
        import_flows(paths, tmp_path / "out.csv", progress=progress)
        assert told[0] == sum(path.stat().st_size for path in paths)
        assert sum(told[1:]) == told[0]
        assert min(told[1:]) >= 0


class TestCommand:
    def test_it_tells_what_became_of_every_row(self, labkit, file, tmp_path):
        out = tmp_path / "out.csv"
        code, told, err = labkit(file("a.csv", LUFLOW), file("b.csv", LUFLOW + "7\n"), "--out", out)
        assert code == 0
        rows = {line.split()[0]: line.split() for line in told.splitlines() if line.strip()}
        assert rows["a.csv"] == ["a.csv", "luflow", "5", "4", "2", "1", "0", "2"]
        assert rows["b.csv"] == ["b.csv", "luflow", "6", "4", "2", "1", "1", "2"]
        assert rows["all"] == ["all", "11", "8", "4", "2", "1", "4"]
        for words in ("wrong number of columns", "(outlier)", "padded", "note: bytes_out"):
            assert words in told
        assert told.endswith(f"wrote 8 flows into {out}, day 0 is 2020-12-31 (UTC)\n")
        assert "reading" in err[-1]
        assert len(pd.read_csv(out)) == 8

    def test_a_name_that_looks_like_markup(self, labkit, file, tmp_path):
        code, told, _ = labkit(file("[red].csv", LUFLOW), "--out", tmp_path / "out.csv")
        assert code == 0
        assert "[red].csv" in told

    def test_a_name_is_broken_only_where_numbers_have_no_room(self, file, tmp_path):
        short, long = "2020.12.16.zip.csv", "netflow" * 12
        for name in (short, long):
            asked = ["data", "import", str(file(name, LUFLOW)), "--out", str(tmp_path / "out.csv")]
            told = CliRunner(env={"COLUMNS": "80"}).invoke(app, asked).output
            shown = told[: told.index("note:")]
            assert max(map(len, shown.splitlines())) <= 80
            assert (name in shown) == (name == short)
            for word in ("(outlier)", "padded", "without"):
                assert word in shown

    def test_the_zone(self, labkit, file, tmp_path):
        out = tmp_path / "out.csv"
        _, told, _ = labkit(file("in", ARGUS), "--out", out, "--timezone", "Europe/Prague")
        assert "day 0 is 2011-10-29 (Europe/Prague)" in told
        assert "note" not in told

    def test_a_mapping(self, labkit, file, tmp_path):
        out, mapping = tmp_path / "out.csv", file("m.toml", as_toml(MAPPING))
        code, told, _ = labkit(file("in", TABLE), "--mapping", mapping, "--out", out)
        assert (code, len(pd.read_csv(out))) == (0, 3)
        assert "neither class (unsure)" in told

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ("in --out out.txt", "ends in none of"),
            ("in --out out.csv --format zeek", "no Zeek log"),
            ("in --out out.csv --format word", "format 'word' is none of auto"),
            ("in --out out.csv --timezone Mars", "no time zone 'Mars'"),
            ("in --out out.csv --mapping gone.toml", "mapping gone.toml cannot be read"),
            ("gone --out out.csv", "gone is missing"),
            ("in in --out out.csv", "in is named twice"),
            (". --out out.csv", ". is a folder"),
        ],
    )
    def test_a_users_fault_is_one_line(self, labkit, file, tmp_path, monkeypatch, arguments, said):
        file("in", CIC)
        monkeypatch.chdir(tmp_path)
        code, told, err = labkit(*arguments.split())
        assert (code, told) == (2, "")
        assert err[-1].startswith("labkit: ")
        assert said in err[-1]
        assert names(tmp_path) == ["in"]
