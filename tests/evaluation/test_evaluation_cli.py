"""`labkit evaluate`: what it prints and writes, and that a fault is one line."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from made_up_scores import scores

from labkit import cli


@pytest.fixture
def labkit(monkeypatch, capsys):
    """Run the command in this process: exit code, stdout, stderr."""

    def labkit(*arguments):
        monkeypatch.setattr(sys, "argv", ["labkit", "evaluate", *map(str, arguments)])
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        return code, *capsys.readouterr()

    return labkit


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a file of scores, to stand in."""
    y_true, by_name, day = scores(400)
    table = pd.DataFrame(by_name).assign(attack=y_true, day=day, host=np.arange(400) % 25, w=1.5)
    table.to_csv(tmp_path / "scores.csv", index=False)
    table.to_csv(tmp_path / "scores.csv.gz", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


TWO = ["--score", "coarse", "--score", "sharp", "--label", "attack", "--replicates", 30]


def strict_json(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_summary(labkit, folder):
    code, out, err = labkit(
        "scores.csv", *TWO, "--day", "day", "--budget", 5, "--cost-fp", 1, "--cost-fn", 20
    )
    assert (code, err) == (0, "")
    for words in (
        "scores.csv: 400 records", "7 days", "Ranking", "Budgets a day", "Budgets in all",
        "Costs", "As probabilities", "Differences", "sharp - coarse", "30 resamples (seed 0)",
    ):  # fmt: skip
        assert words in out
    assert "\x1b" not in out
    assert len(out.splitlines()) < 80


@pytest.mark.parametrize("columns", [80, 120])
def test_no_number_is_broken(labkit, folder, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, _ = labkit("scores.csv", *TWO, "--day", "day", "--budget", 5, "--budget", 11)
    assert code == 0
    lines = out.splitlines()
    assert max(map(len, lines)) <= columns
    tables = out[: out.index("Intervals")].splitlines()[1:]
    assert all(line.count("(") == line.count(")") for line in tables)
    assert all(line.count("[") == line.count("]") for line in tables)
    assert ("In brackets: " in out) == any("[" in line for line in tables)
    assert any("[" in line for line in tables)


def test_json_is_one_object_and_the_same_for_packed_files(labkit, folder):
    code, out, err = labkit("scores.csv", *TWO, "--day", "day", "--budget", 5, "--json")
    assert (code, err) == (0, "")
    told = strict_json(out)
    assert list(told["detectors"]) == ["coarse", "sharp"]
    assert told["source"]["file"] == "scores.csv"
    assert told["options"]["budgets"] == [5]
    packed = strict_json(labkit("scores.csv.gz", *TWO, "--day", "day", "--budget", 5, "--json")[1])
    assert packed["detectors"] == told["detectors"]


def test_parquet(labkit, folder):
    pytest.importorskip("pyarrow")
    pd.read_csv("scores.csv").to_parquet("scores.parquet")
    of_csv, of_parquet = (
        strict_json(labkit(name, *TWO, "--group", "host", "--weight", "w", "--json")[1])
        for name in ("scores.csv", "scores.parquet")
    )
    assert of_parquet["detectors"] == of_csv["detectors"]
    assert of_csv["resampling"]["unit"] == "groups"


def test_a_report_is_written_whole_and_says_how_to_get_it_again(labkit, folder):
    code, out, _ = labkit("scores.csv", *TWO, "--out", "new/report.html")
    assert code == 0
    assert out.endswith("wrote new/report.html\n")
    page = (folder / "new" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert (
        "labkit evaluate scores.csv --score coarse --score sharp --label attack --replicates 30 "
        "--out new/report.html"
    ) in page
    assert [path.name for path in (folder / "new").iterdir()] == ["report.html"]
    # With --json both are had, and nothing but JSON is printed.
    _, out, _ = labkit("scores.csv", *TWO, "--json", "--out", "new/report.html")
    strict_json(out)


def test_what_cannot_be_written_is_found_before_the_file_is_read(labkit, folder):
    (folder / "file").write_text("no folder")
    for out, told in (
        (".", "is a folder; name a file"),
        ("file/report.html", "cannot be written"),
        ("scores.csv", "is the file of the scores"),
    ):
        before = sorted(path.name for path in folder.iterdir())
        code, printed, err = labkit("scores.csv", *TWO, "--out", out)
        assert (code, printed) == (2, "")
        assert told in err
        assert sorted(path.name for path in folder.iterdir()) == before
    # No half of a report, and no folder, is left where the file is missing.
    assert labkit("gone.csv", *TWO, "--out", "new/report.html")[0] == 2
    assert not (folder / "new").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_without_the_right_to_write(labkit, folder):
    (folder / "locked").mkdir(mode=0o500)
    code, _, err = labkit("scores.csv", *TWO, "--out", "locked/report.html")
    assert (code, "cannot be written" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("gone.csv --score coarse --label attack", "gone.csv is missing"),
        (". --score coarse --label attack", ". holds no .parquet file"),
        ("scores.csv --score coars --label attack", "the nearest is 'coarse'"),
        ("scores.csv --score coarse --label day", "say which one means attack with --positive"),
        ("scores.csv --score attack --label attack", "as score and as label"),
        ("scores.csv --score coarse --label attack --budget 2.5", "--budget is 2.5"),
        ("scores.csv --score coarse --label attack --base-rate 2", "--base-rate is 2.0"),
        ("scores.csv --score coarse --label attack --cost-fp 1", "--cost-fn go together"),
        ("scores.csv --score coarse --label attack --level 1", "--level is 1.0"),
    ],
)
def test_a_fault_is_one_line_and_exit_code_2(labkit, folder, arguments, told):
    code, out, err = labkit(*arguments.split())
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1
    assert err.startswith("labkit: ")


def test_the_installed_command_and_its_help(folder):
    command = [sys.executable, "-m", "labkit.cli", "evaluate"]
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    for flag in ("--score", "--budget", "--cost-fp", "--positive", "--json", "--out"):
        assert flag in done.stdout
    done = subprocess.run([*command, "scores.csv"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "--score" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
