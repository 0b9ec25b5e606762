"""docs/evaluate.md: its commands run as they are written, and its keys are those there are."""

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from labkit import evaluation

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
KEYS = GUIDE.partition("## The keys of the JSON object")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A folder with a file of scores as the guide shows it."""
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("desk")
    rng = np.random.default_rng(3)
    n = 700
    attack = rng.random(n) < 0.08
    minutes = np.sort(rng.integers(0, 7 * 24 * 60, n))
    times = pd.Timestamp("2026-03-01") + pd.to_timedelta(minutes, "min")
    table = pd.DataFrame(
        {
            "time": times.strftime("%Y-%m-%d %H:%M"),
            "host": [f"h{host:02d}" for host in rng.integers(0, 30, n)],
            "verdict": np.where(attack, "attack", "benign"),
            "old": (rng.normal(size=n) + 1.5 * attack).round(2),
            "new": (1 / (1 + np.exp(4 - rng.normal(size=n) - 2.5 * attack))).round(3),
            "weight": 1,
        }
    )
    shown = re.search(r"^```text\n(.*?)\n", GUIDE, re.MULTILINE)[1]
    assert list(table) == shown.split(",")
    table.to_csv(folder / "scores.csv", index=False)
    table.to_parquet(folder / "scores.parquet")
    return folder


@pytest.mark.parametrize("place", range(len(COMMANDS)))
def test_a_command_works_as_it_is_written(desk, place):
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", COMMANDS[place]],
        cwd=desk, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout
    if "--out" in COMMANDS[place]:
        assert (desk / "report.html").is_file()


def test_the_guide_has_commands_for_each_task():
    assert len(COMMANDS) >= 6


@pytest.mark.parametrize(
    "kind",
    [
        one
        for one in vars(evaluation).values()
        if dataclasses.is_dataclass(one) and isinstance(one, type)
    ],
    ids=lambda kind: kind.__name__,
)
def test_every_key_is_described(kind):
    keys = {field.name for field in dataclasses.fields(kind) if field.metadata.get("told", True)}
    assert {key for key in keys if f"`{key}`" not in KEYS} == set()
