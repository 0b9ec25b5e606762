"""What the first cell of the course says of a machine, good or bad."""

import shutil
from importlib import metadata

import pytest

from labkit.course import machine
from labkit.data.files import DATA

ALL_FINE = {"Python": "fine", "packages": "fine", "traffic": "fine"}


def installed(versions):
    """Return what looks versions up in a dict, as `importlib.metadata.version` does."""

    def version_of(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    return version_of


def test_this_machine_is_fine():
    assert machine.report() == ALL_FINE


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("3.11.0", "fine"),
        ("3.11.0rc1", "fine"),
        ("3.100.1", "fine"),
        ("4.0.0", "fine"),
        ("3.10.12", "3.11 or later is needed"),
        ("3.2", "Python 3.2 runs here"),
    ],
)
def test_python_is_compared_by_number(version, state):
    assert state in machine.python_state(">=3.11", version)


@pytest.mark.parametrize(
    ("versions", "faults"),
    [
        ({"numpy": "2.0", "pandas": "2.2.0"}, ""),
        ({"numpy": "2.0.0", "pandas": "2.10"}, ""),
        ({"numpy": "2.1.0.dev0+local", "pandas": "3"}, ""),
        ({"numpy": "1.26.4", "pandas": "2.2"}, "numpy 1.26.4 is older than 2.0"),
        ({"numpy": "2.0"}, "pandas is missing"),
        ({"pandas": "2.1.9"}, "numpy is missing, pandas 2.1.9 is older than 2.2"),
    ],
)
def test_packages_too_old_or_missing_are_named(versions, faults):
    requirements = ["numpy>=2.0", "pandas >= 2.2", 'pytest>=8; extra == "test"']
    state = machine.packages_state(requirements, installed(versions))
    assert state == "fine" if not faults else state.startswith(f"{faults}: set up anew")


def test_every_requirement_of_labkit_can_be_read():
    for requirement in metadata.requires("labkit"):
        name, _, least = requirement.partition(";")[0].partition(">=")
        assert name.strip()
        assert machine.release(least.strip())


def test_damaged_traffic_is_told_with_its_remedy(tmp_path):
    assert "take it again" in machine.report(tmp_path)["traffic"]
    for name in ("flows.csv.gz", "checksums.txt"):
        shutil.copy(DATA / name, tmp_path)
    assert machine.report(tmp_path) == ALL_FINE
    (tmp_path / "checksums.txt").write_text(f"{'0' * 64}  flows.csv\n")
    assert "does not match" in machine.report(tmp_path)["traffic"]


def test_without_labkit_itself_there_is_one_remedy(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(machine.metadata, "metadata", missing)
    states = machine.report()
    assert states.keys() == ALL_FINE.keys()
    assert all(state.startswith("labkit is not installed") for state in states.values())
