"""A real scheduler with workers of its own processes finds what one process finds."""

import os
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from dask_cluster import dask_cluster
from distributed import CancelledError, Client
from judged import same_bins

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep
from labkit.scale import cluster, files
from labkit.scale.cluster import sweep_on_cluster
from labkit.scale.parquet import sweep_parquet

ROWS = 60_000
# Bytes with which the records are sorted, counted and sketched.
MEMORY = {"sort": 10**8, "count": 2 * 10**6, "sketch": 0}


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The address of a scheduler with two workers, which nobody ends."""
    with dask_cluster(tmp_path_factory.mktemp("dask")) as (address, _):
        yield address


@pytest.fixture
def flows(tmp_path, monkeypatch):
    """Two files, of fifteen parts each; detector "few" has few distinct scores."""
    monkeypatch.setattr(files, "_PART", 1000)
    rng = np.random.default_rng(0)
    attack = rng.random(ROWS) < 0.1
    records = pd.DataFrame(
        {
            "label": np.where(attack, "attack", "normal"),
            "few": np.floor(100 * (rng.random(ROWS) + attack)),
            "many": np.where(rng.random(ROWS) < 0.2, 0.5, rng.normal(size=ROWS) + attack),
            "day": np.sort(rng.integers(0, 3, ROWS)),
            "weight": rng.integers(0, 5, ROWS) / 4,
        }
    )
    for name, part in (("1", records[::2]), ("2", records[1::2])):
        part.to_parquet(tmp_path / f"{name}.parquet", row_group_size=2000)
    return tmp_path


def assert_same(a, b):
    """Two results are alike to the last bit."""
    assert a.records == b.records
    assert list(a.by_day) == list(b.by_day)
    for ours, theirs in [(a.whole, b.whole), *((a.by_day[day], b.by_day[day]) for day in a.by_day)]:
        assert list(ours) == list(theirs)
        for name in ours:
            assert type(ours[name]) is type(theirs[name])
            if isinstance(ours[name], ThresholdSweep):
                for column in ("thresholds", "tp", "fp"):
                    mine, other = getattr(ours[name], column), getattr(theirs[name], column)
                    assert mine.tolist() == other.tolist()
                assert ours[name].roc_auc == theirs[name].roc_auc
                assert ours[name].average_precision == theirs[name].average_precision
            else:
                assert same_bins(ours[name], theirs[name])


COLUMNS = {"label": "label", "pos_label": "attack", "day": "day"}


@pytest.mark.parametrize(
    ("method", "score"),
    [("sort", ["few", "many"]), ("count", ["few"]), ("sketch", ["few", "many"])],
)
@pytest.mark.parametrize("weight", [None, "weight"])
def test_a_cluster_finds_what_one_machine_finds(scheduler, flows, method, score, weight):
    asked = {"score": score, **COLUMNS, "weight": weight, "max_memory": MEMORY[method]}
    there, here = sweep_on_cluster(scheduler, flows, **asked), sweep_parquet(flows, **asked)
    assert here.method == method
    assert there.method == ("count" if method == "sort" else method)
    # Quarters add up without rounding, in whatever order.
    assert_same(there, here)


def test_a_worker_that_dies_half_way_changes_nothing(flows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dask")
    asked = {"score": ["few", "many"], **COLUMNS, "max_memory": 0, "bins": 4096}
    asked["thresholds"] = [0.25, 50.0]
    told = []
    with dask_cluster(folder) as (address, workers), Client(address, timeout=60) as client:

        def kill_one(done, parts):
            told.append(done)
            if done == parts // 2:
                held = client.has_what()
                dying = max(held, key=lambda address: len(held[address]))
                # It takes with it what others wait for.
                assert held[dying]
                pid = client.run(os.getpid)[dying]
                (process,) = (worker for worker in workers if worker.pid == pid)
                process.kill()
                process.wait()

        there = sweep_on_cluster(client, flows, **asked, progress=kill_one)
        assert len(client.ncores()) == 1
    assert told == list(range(1, 31))
    assert_same(there, sweep_parquet(flows, **asked))


def test_faults_are_counted_over_all_workers(scheduler, flows):
    path = flows / "1.parquet"
    records = pd.read_parquet(path)
    records.loc[records.index[::1000], "many"] = np.nan
    records.to_parquet(path, row_group_size=2000)
    with pytest.raises(InputError, match="many is NaN in 30 of 60000 records"):
        sweep_on_cluster(scheduler, flows, score="many", label="label", pos_label="attack")


def test_labels_that_differ_between_parts_are_told(scheduler, flows):
    for name, normal in (("1", 0), ("2", -1)):
        records = pd.read_parquet(flows / f"{name}.parquet")
        labels = np.where(records["label"] == "attack", 1, normal)
        records.assign(label=labels).to_parquet(flows / f"{name}.parquet")
    with pytest.raises(InputError, match="label holds -1, 0, 1"):
        sweep_on_cluster(scheduler, flows, score="many", label="label")


def test_where_no_scheduler_answers_is_told(flows, monkeypatch):
    monkeypatch.setattr("labkit.scale.cluster._PATIENCE", 0.5)
    with pytest.raises(InputError, match="no Dask scheduler answers at 'tcp:"):
        sweep_on_cluster("tcp://127.0.0.1:9", flows, score="few", **COLUMNS)


def test_a_missing_library_is_told(flows, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match="pip install distributed"):
        sweep_on_cluster("tcp://127.0.0.1:9", flows, score="few", **COLUMNS)


def test_a_cluster_without_workers_is_not_waited_for(flows, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 2)
    monkeypatch.setattr(cluster, "_RETURN", 0)
    with dask_cluster(tmp_path, workers=1) as (address, (worker,)):
        worker.kill()
        worker.wait()
        with pytest.raises(InputError, match="the cluster has no workers; start some"):
            sweep_on_cluster(address, flows, score="few", label="label", pos_label="attack")


def test_a_scheduler_that_is_lost_is_told(monkeypatch):
    def lost(timeout):
        raise CancelledError("scheduler-connection-lost.\nClient lost the connection")

    with pytest.raises(InputError, match=r"lost the work \(scheduler-connection-lost\.\); try"):
        cluster._result(None, SimpleNamespace(result=lost))
