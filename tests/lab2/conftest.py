"""The experiment, which takes seconds, once for all tests of a worker."""

import pytest

from labkit.data import load_flows
from labkit.lab2.experiment import numbers, run


@pytest.fixture(scope="session")
def flows():
    """The flow records in data/."""
    return load_flows()


@pytest.fixture(scope="session")
def experiment(flows):
    """Every model of the lab on those records."""
    return run(flows)


@pytest.fixture(scope="session")
def here(experiment):
    """Every number of the lab by its key."""
    return numbers(experiment)
