import signal
import subprocess
import sys

import pytest

from labkit.atomic import atomic_write
from labkit.errors import InputError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"old")
    return path


def test_a_new_file_is_written_and_its_folder_made(tmp_path):
    path = tmp_path / "a" / "b" / "table.csv"
    with atomic_write(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert names(path.parent) == ["table.csv"]


def test_an_old_file_is_replaced_only_at_the_end(old):
    with atomic_write(str(old)) as file:
        file.write(b"a longer text")
        file.flush()
        assert old.read_bytes() == b"old"
    assert old.read_bytes() == b"a longer text"


def test_the_file_is_readable_by_all(old):
    with atomic_write(old) as file:
        file.write(b"new")
    assert old.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_leaves_the_old_file_and_nothing_else(old, error):
    def stop_in_the_middle():
        with atomic_write(old) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        stop_in_the_middle()
    assert old.read_bytes() == b"old"
    assert names(old.parent) == ["table.csv"]


def test_a_file_closed_too_early_counts_as_an_error(old):
    with pytest.raises(ValueError, match="closed"), atomic_write(old) as file:
        file.close()
    assert old.read_bytes() == b"old"
    assert names(old.parent) == ["table.csv"]


def test_a_path_that_cannot_be_replaced_leaves_nothing_behind(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match="folder cannot be written"), atomic_write(folder) as file:
        file.write(b"new")
    assert names(tmp_path) == ["folder"]


KILLED_IN_THE_MIDDLE = """
import os, signal, sys
from labkit.atomic import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write(b"half" * 100_000)
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_process_leaves_the_old_file(old):
    child = subprocess.run([sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(old)], check=False)
    assert child.returncode == -signal.SIGKILL
    assert old.read_bytes() == b"old"


def test_a_link_is_written_through_and_permissions_stay(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o600)
    link.symlink_to(target)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_loop_of_links_is_refused(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(InputError, match="loop of links"), atomic_write(loop / "a.txt"):
        pass
