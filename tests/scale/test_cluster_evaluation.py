"""`labkit evaluate --scheduler`: the same numbers, from a scheduler with two worker processes."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from dask_cluster import dask_cluster
from typer.testing import CliRunner

from labkit.cli import app
from labkit.errors import InputError
from labkit.scale import files

ROWS = 20_000


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The address of a scheduler with two workers, which nobody ends."""
    with dask_cluster(tmp_path_factory.mktemp("dask")) as (address, _):
        yield address


@pytest.fixture
def flows(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_PART", 1000)
    rng = np.random.default_rng(0)
    attack = rng.random(ROWS) < 0.1
    path = tmp_path / "flows.parquet"
    pd.DataFrame(
        {
            "label": attack,
            "few": np.floor(10 * (rng.random(ROWS) + attack)),
            "many": 1 / (1 + np.exp(rng.normal(size=ROWS) - attack)),
            "day": np.sort(rng.integers(0, 4, ROWS)),
        }
    ).to_parquet(path, row_group_size=1000)
    return path


def told(path, *arguments):
    """What the command prints as JSON."""
    asked = ["evaluate", str(path), "--score", "few", "--score", "many", "--label", "label"]
    asked += ["--day", "day", "--budget", "50", "--replicates", "50", "--json", *arguments]
    result = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert result.exit_code == 0
    return json.loads(result.stdout)


# Read record by record, and counted.
@pytest.mark.parametrize("gigabytes", ["1", "0"])
def test_a_cluster_tells_what_one_machine_tells(scheduler, flows, gigabytes):
    asked = flows, "--max-memory", gigabytes
    here, there = told(*asked), told(*asked, "--scheduler", scheduler)
    assert here == there
    assert any("but counted" in note for note in here["notes"]) == (gigabytes != "1")


def test_records_sent_to_workers_are_nothing_to_warn_of(scheduler, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((400_000, 3)), columns=["few", "many", "other"])
    table.assign(label=rng.random(len(table)) < 0.1).to_parquet(tmp_path / "large.parquet")
    asked = ["evaluate", str(tmp_path / "large.parquet"), "--score", "few", "--score", "many"]
    asked += ["--score", "other", "--label", "label", "--replicates", "4"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = CliRunner().invoke(app, [*asked, "--scheduler", scheduler], catch_exceptions=False)
    assert result.exit_code == 0
    assert not [one for one in told if "large graph" in str(one.message)]


def test_no_scheduler_is_one_line(flows, monkeypatch):
    from labkit.scale import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    with pytest.raises(InputError, match="no Dask scheduler answers at"):
        told(flows, "--scheduler", "tcp://127.0.0.1:9")
