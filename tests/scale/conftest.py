"""A cluster of two workers, started once for all tests of a test process."""

import pytest
from dask_cluster import dask_cluster


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory):
    """The address of a scheduler with two workers, which nobody ends."""
    with dask_cluster(tmp_path_factory.mktemp("dask")) as (address, _):
        yield address
