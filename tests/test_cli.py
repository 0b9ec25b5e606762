"""The command: what it prints, its exit codes, and that a user's fault is one line on stderr."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from typer.testing import CliRunner

from labkit import cli
from labkit.course import notebooks as course
from labkit.data import files
from labkit.lab2 import experiment, figure_files, seeds, uncertainty
from labkit.lab2.lesson import lesson_values
from labkit.metrics import Percentiles

LABKIT = Path(sys.executable).with_name("labkit")
TARGETS = Path(__file__).resolve().parents[2] / "shared" / "design" / "lab2-targets.csv"

# Made up, so that the command can be tried without the seconds that the experiment takes.
NUMBERS = {v.key: v.lesson if v.kind != "claim" else 0.5 for v in lesson_values()} | {
    "gb_ap_five_seed_mean": 0.66,
    "fixed_threshold_max_day_is_11": True,
    "calibration_days_base_rate": 0.03,
    "balanced_lr_mean_prediction": 0.08,
    "balanced_lr_brier": 0.05,
    "other_briers": [0.02, 0.03, 0.03],
    "platt_isotonic_mean_prediction": [0.031, 0.029],
    "isotonic_ap": 0.4,
    "platt_ap": 0.5,
    "balanced_ap": 0.5,
    "beacons_in_lowest_bin": 1.0,
    "fixed_threshold_beacon_alerts": 0,
}

INTERVALS = {
    "gb_auc": Percentiles(0.8804, 0.9126, 0),
    "fixed_threshold_max_day": Percentiles(23, 64, 0),
    "platt_isotonic_mean_prediction": [Percentiles(0.02, 0.04, 0), Percentiles(0.0216, 0.03, 0)],
}


@pytest.fixture
def made_up(monkeypatch):
    """Let the experiment give `NUMBERS`, or those with a change."""

    def made_up(**changes):
        monkeypatch.setattr(experiment, "run", lambda flows: None)
        monkeypatch.setattr(experiment, "numbers", lambda _: NUMBERS | changes)
        monkeypatch.setattr(uncertainty, "intervals", lambda _: INTERVALS)
        monkeypatch.setattr(uncertainty, "few_days", lambda *_: "Few days say little.")

    return made_up


@pytest.fixture
def labkit(monkeypatch, capsys):
    """Run the command in this process: exit code, stdout, stderr."""

    def labkit(*arguments):
        monkeypatch.setattr(sys, "argv", ["labkit", *map(str, arguments)])
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        return code, *capsys.readouterr()

    return labkit


def command(*arguments, **options):
    return subprocess.run(
        [LABKIT, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options
    )


def strict_json(text):
    """Parse JSON as its standard has it: without NaN and infinities."""

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_numbers_as_json_has_the_lessons_keys_and_the_same_fields_each():
    done = command("numbers", "--json")
    assert done.stderr == ""
    told = strict_json(done.stdout)
    assert list(told) == [value.key for value in lesson_values()]
    assert {tuple(fields) for fields in told.values()} == {
        ("lesson", "here", "tolerance", "within", "low", "high")
    }
    assert told["gb_auc"]["low"] < told["gb_auc"]["here"] < told["gb_auc"]["high"]
    assert len(told["platt_isotonic_mean_prediction"]["low"]) == 2
    assert told["test_attacks"]["low"] is None
    within = [fields["within"] for fields in told.values()]
    assert set(map(type, within)) == {bool}
    assert done.returncode == (0 if all(within) else 1)
    if not TARGETS.is_file():
        pytest.skip("the targets of the design are not beside this repository")
    with TARGETS.open(encoding="utf-8") as file:
        assert set(told) == {row["key"] for row in csv.DictReader(file)}


def test_exit_code_0_when_every_number_is_within(labkit, made_up):
    made_up()
    code, out, err = labkit("numbers", "--json")
    assert (code, err) == (0, "")
    assert all(fields["within"] for fields in strict_json(out).values())


@pytest.mark.parametrize(
    ("change", "off"),
    [
        ({"gb_auc": 0.885}, ["gb_auc"]),
        ({"platt_ap": 0.49}, ["platt_ap"]),
        ({"gb_ap": float("nan")}, ["gb_ap", "gb_ap_five_seed_mean"]),
    ],
)
def test_exit_code_1_when_a_number_is_off(labkit, made_up, change, off):
    made_up(**change)
    code, out, _ = labkit("numbers")
    assert code == 1
    total = len(lesson_values())
    assert out.count("NO") == len(off)
    assert f"{total - len(off)} of {total} within" in out
    code, out, _ = labkit("numbers", "--json")
    assert code == 1
    assert [key for key, fields in strict_json(out).items() if not fields["within"]] == off


def test_the_table_cuts_no_key_off(labkit, made_up):
    made_up()
    _, out, _ = labkit("numbers")
    lines = [line.split() for line in out.splitlines()]
    assert {value.key for value in lesson_values()} <= {line[0] for line in lines if line}


def test_the_table_holds_the_intervals_and_what_they_are_worth(labkit, made_up, monkeypatch):
    made_up()
    _, out, _ = labkit("numbers")
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line.strip()}
    assert rows["gb_auc"][-2:] == ["0.880-0.913", "yes"]
    assert rows["fixed_threshold_max_day"][-2:] == ["23-64", "yes"]
    assert rows["platt_isotonic_mean_prediction"][-2:] == ["0.020-0.040", "yes"]
    assert "0.022-0.030" in out
    assert out.endswith("Few days say little.\n")
    assert "area under the ROC curve" not in out
    monkeypatch.setenv("COLUMNS", "200")
    assert "area under the ROC curve" in labkit("numbers")[1]


def test_numbers_of_other_seeds(labkit, monkeypatch, tmp_path):
    chosen = []

    def made_up(wanted):
        chosen.extend(wanted)
        ends = {"gb_auc low": 0.95, "gb_auc high": 1.05}
        return (NUMBERS | ends | {"gb_auc": 0.9 + place / 10} for place in range(len(wanted)))

    monkeypatch.setattr(seeds, "numbers_of_seeds", made_up)
    target = tmp_path / "new" / "seeds.csv"
    code, out, _ = labkit("numbers", "--seeds", 3, "--json", "--out", target)
    assert code == 0
    assert chosen == [seeds.FIRST_FRESH_SEED + place for place in range(3)]
    told = strict_json(out)
    assert told["numbers"]["gb_auc"] == pytest.approx({"mean": 1.0, "sd": 0.1, "held": 1.0})
    assert told["story"]["all"] == 1
    with target.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["seed"]) for row in rows] == chosen
    assert [float(row["gb_auc"]) for row in rows] == pytest.approx([0.9, 1.0, 1.1])
    code, out, _ = labkit("numbers", "--seeds", 1, "--json")
    assert strict_json(out)["numbers"]["gb_auc"] == {"mean": 0.9, "sd": None, "held": None}
    code, out, _ = labkit("numbers", "--seeds", 2)
    assert "Lab 2 on 2 other seeds" in out


def test_figures_that_differ_are_printed_and_exit_code_1(labkit, monkeypatch, tmp_path):
    asked = []
    differing = ["figure-2-7: by 0.1", "figure-2-8: gone"]
    monkeypatch.setattr(
        figure_files, "check_figures", lambda folder: asked.append(folder) or differing
    )
    assert labkit("figures", "--check", "--out", tmp_path)[:2] == (1, "\n".join([*differing, ""]))
    differing.clear()
    code, out, _ = labkit("figures", "--check")
    assert (code, "agree" in out) == (0, True)
    assert asked == [tmp_path, figure_files.FIGURES_FOLDER]


def test_run_executes_all_of_the_course_or_what_is_named(labkit, monkeypatch, tmp_path):
    executed = []
    monkeypatch.setattr(course, "execute_in_place", lambda path: executed.append(path) or 1.25)
    code, out, _ = labkit("run")
    assert (code, executed) == (0, course.course_notebooks())
    assert "   1.2 s  04_temporal_split.ipynb" in out
    executed.clear()
    labkit("run", tmp_path / "b.ipynb", tmp_path / "a.ipynb")
    assert [path.name for path in executed] == ["b.ipynb", "a.ipynb"]


def test_lab_opens_the_first_notebook(labkit, monkeypatch):
    started = []
    monkeypatch.setattr("os.execv", lambda _, arguments: started.append(arguments))
    monkeypatch.setattr("subprocess.call", lambda arguments: started.append(arguments) or 7)
    assert labkit("lab")[0] == 7
    first = course.course_notebooks()[0]
    root = first.parents[1]
    assert (root / "README.md").is_file()
    command = [
        *(sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"),
        f"--LabApp.default_url=/lab/tree/notebooks/{first.name}",
    ]
    assert started == [command] * (2 if os.name == "posix" else 1)


def test_data_made_twice_is_the_same_and_verified(labkit, tmp_path):
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        assert labkit("data", "make", "--out", tmp_path / name, "--seed", seed)[0] == 0
    a, b, c = (
        [(tmp_path / name / part).read_bytes() for part in (files.FLOWS, files.CHECKSUMS)]
        for name in "abc"
    )
    assert a == b
    assert a != c
    assert command("data", "verify", tmp_path / "a").returncode == 0
    (tmp_path / "a" / files.CHECKSUMS).write_bytes(c[1])
    done = command("data", "verify", tmp_path / "a")
    assert done.returncode == 2
    assert "does not match checksums.txt" in done.stderr


def test_help_names_every_command():
    told = CliRunner().invoke(cli.app, ["--help"])
    assert told.exit_code == 0
    for name in ("numbers", "figures", "run", "lab", "data"):
        assert name in told.output
    assert "verify" in CliRunner().invoke(cli.app, ["data", "--help"]).output


@pytest.fixture
def faulty(tmp_path, monkeypatch):
    """A folder in which everything is wrong; the flow records are looked for there too."""
    (tmp_path / "file").write_text("a file, no folder")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / files.FLOWS).write_bytes(b"no gzip")
    (tmp_path / "text.ipynb").write_text("no notebook")
    fails = v4.new_notebook(cells=[v4.new_code_cell("1 / 0")])
    nbformat.write(fails, tmp_path / "fails.ipynb")
    monkeypatch.setattr(files, "DATA", tmp_path / "missing")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("numbers", "flows.csv.gz is missing"),
        ("numbers --json", "take it again from where you had it"),
        ("figures --out new", "flows.csv.gz is missing"),
        ("numbers --out seeds.csv", "--out needs --seeds"),
        ("data verify", "flows.csv.gz is missing"),
        ("data verify damaged", "damaged/flows.csv.gz is damaged"),
        ("data verify file", "file/flows.csv.gz"),
        ("data make --out file", "file"),
        ("data make --out file/below", "file"),
        ("run gone.ipynb", "gone.ipynb is missing"),
        ("run text.ipynb", "text.ipynb is not a notebook"),
        ("run damaged", "damaged"),
        ("run fails.ipynb", "fails.ipynb: cell 1 ('1 / 0'): ZeroDivisionError"),
    ],
)
def test_a_users_fault_is_one_line_and_exit_code_2(labkit, faulty, arguments, named):
    code, out, err = labkit(*arguments.split())
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert err.endswith("\n")
    # A progress bar may stand above, as it was when the command ended.
    *above, line = err.splitlines()
    assert line.startswith("labkit: ")
    assert named in line
    assert not any(one.startswith("labkit:") for one in above)


def test_figures_without_a_manifest(labkit, tmp_path):
    code, _, err = labkit("figures", "--check", "--out", tmp_path)
    assert code == 2
    assert err.splitlines() == [
        f"labkit: {tmp_path / 'manifest.json'} is missing or damaged: run `labkit figures`"
    ]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("numbers --nope", "--nope"),
        ("numbers --seeds many", "--seeds"),
        ("numbers --seeds -1", "--seeds"),
        ("data make --seed -1", "--seed"),
        ("data mend", "mend"),
        ("nothing", "nothing"),
    ],
)
def test_a_wrong_argument_is_named_in_the_last_line(labkit, arguments, named):
    code, out, err = labkit(*arguments.split())
    assert (code, out) == (2, "")
    assert named in err.splitlines()[-1]
    assert "Traceback" not in err


def test_the_installed_command_fails_as_this_process_does(tmp_path):
    done = command("run", "gone.ipynb", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == "labkit: gone.ipynb is missing"


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT can be sent to a process there")
def test_an_interrupted_run_leaves_the_notebook_whole(tmp_path):
    path = tmp_path / "long.ipynb"
    source = "open('started', 'w').close()\nimport time\ntime.sleep(120)"
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell(source)]), path)
    before = path.read_bytes()
    running = subprocess.Popen(
        [LABKIT, "run", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    patience = time.monotonic() + 60
    while not (tmp_path / "started").exists():
        assert time.monotonic() < patience
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode not in (0, 2)
    assert out == ""
    assert "Traceback" not in err
    assert path.read_bytes() == before
    assert {one.name for one in tmp_path.iterdir()} == {"long.ipynb", "started"}
