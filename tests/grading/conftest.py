import shutil

import pytest

from labkit.errors import InputError
from labkit.grading import walls


@pytest.fixture(scope="session")
def bwrap():
    """Where bubblewrap is; tests that need it are skipped, saying so, where it does not work."""
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed: nothing can be graded in a sandbox here")
    try:
        return walls.find_bubblewrap()
    except InputError as error:
        pytest.skip(str(error))
