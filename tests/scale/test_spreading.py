"""Replicates, booster fits and data seeds: the same whoever works on them, Dask's workers too."""

import joblib
import numpy as np
import pytest
from dask_cluster import dask_cluster
from distributed import Client

from labkit.data.traffic import simulate
from labkit.errors import InputError
from labkit.lab2.experiment import run
from labkit.lab2.seeds import FIRST_FRESH_SEED, numbers_of_seeds
from labkit.metrics import bootstrap
from labkit.metrics.statistics import (
    auc,
    average_precision,
    brier,
    family_recall_at_budget,
    precision_at,
    recall_at_budget,
)

SEEDS = (FIRST_FRESH_SEED + 901, FIRST_FRESH_SEED + 902)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The address of a scheduler with two workers, which nobody ends."""
    with dask_cluster(tmp_path_factory.mktemp("dask")) as (address, _):
        yield address


@pytest.fixture
def dask_backend(scheduler):
    """Within it, joblib has Dask's two workers do what it shares out."""
    with Client(scheduler, timeout=60), joblib.parallel_config("dask"):
        yield


def replicates(**how):
    """Replicates of every kind of statistic, of records alone and of groups."""
    rng = np.random.default_rng(0)
    labels = np.arange(500) < 60
    detectors = {"a": rng.random(500), "b": (rng.random(500) + labels).round(1) / 2}
    statistics = [
        auc(),
        average_precision(),
        brier(),
        precision_at(0.5),
        recall_at_budget(30),
        family_recall_at_budget(30, "odd", np.arange(500) % 2 == 1),
    ]
    asked = {"n_replicates": 1000, "seed": 7} | how
    groups = [None, rng.integers(0, 5, 500)]
    return [
        bootstrap(labels, detectors, statistics, groups=of, **asked).replicates for of in groups
    ]


@pytest.fixture(scope="module")
def alone():
    """What one process finds."""
    return replicates()


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_replicates_do_not_depend_on_the_workers(alone, backend, n_jobs):
    with joblib.parallel_config(backend, n_jobs=n_jobs):
        np.testing.assert_array_equal(replicates(), alone)


def test_replicates_do_not_depend_on_how_many_are_asked_for(alone):
    few = replicates(n_jobs=2, n_replicates=100)
    np.testing.assert_array_equal(few, np.array(alone)[:, :100])
    np.testing.assert_array_equal(few, replicates(n_replicates=100))


def test_dask_draws_the_same_replicates(alone, dask_backend):
    assert joblib.effective_n_jobs() == 2
    np.testing.assert_array_equal(replicates(), alone)


def test_faults_found_by_a_worker_are_told():
    odd = family_recall_at_budget(1, "x", [True])
    with pytest.raises(InputError, match="of_family has 1"):
        bootstrap([1, 0, 0], {"a": [3, 2, 1]}, [odd], n_jobs=2)


@pytest.mark.parametrize("n_jobs", [0, 1.5, True, "two"])
def test_workers_are_a_number(n_jobs):
    with pytest.raises(InputError, match="n_jobs is"):
        replicates(n_jobs=n_jobs)


@pytest.fixture(scope="module")
def flows():
    return simulate(SEEDS[0])


@pytest.fixture(scope="module")
def boosted(flows):
    """The scores of two boosters, fitted one after the other."""
    return run(flows, booster_seeds=(0, 1)).boosting


def assert_same_scores(ours, theirs):
    assert list(ours) == list(theirs)
    for seed in ours:
        np.testing.assert_array_equal(ours[seed], theirs[seed])


def test_boosters_do_not_depend_on_the_workers(flows, boosted):
    assert_same_scores(run(flows, booster_seeds=(0, 1), n_jobs=2).boosting, boosted)


def test_dask_fits_the_same_boosters(flows, boosted, dask_backend):
    assert_same_scores(run(flows, booster_seeds=(0, 1)).boosting, boosted)


def test_dask_finds_the_same_numbers_on_other_seeds(dask_backend):
    with joblib.parallel_config("sequential"):
        one_after_the_other = list(numbers_of_seeds(SEEDS, n_jobs=1))
    assert list(numbers_of_seeds(SEEDS)) == one_after_the_other
