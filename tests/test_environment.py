"""The files that set the course up agree with each other: pyproject, conda, locks, Makefile, CI."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import rattler
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

REPOSITORY = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
CONDA = yaml.safe_load((REPOSITORY / "environment.yml").read_text())
SPECS = [spec for spec in CONDA["dependencies"] if isinstance(spec, str)]
LOCKS = ("requirements.lock", "requirements-test.lock")
CONDA_NAME = {"matplotlib": "matplotlib-base"}

RUN = [Requirement(text) for text in PYPROJECT["project"]["dependencies"]]
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
# One lock serves whoever works on the repository: it holds every extra.
TEST = [Requirement(text) for texts in EXTRAS.values() for text in texts]
BUILD = [Requirement(text) for text in PYPROJECT["dependency-groups"]["build"]]


def locked(name):
    """Name -> (version, hashes) of every requirement that a lock pins."""
    text = re.sub(r"^\s*#.*\n", "", (REPOSITORY / name).read_text(), flags=re.MULTILINE)
    pins = {}
    for block in text.replace("\\\n", " ").strip().splitlines():
        requirement, *hashes = block.split("--hash=")
        pin = Requirement(requirement.strip())
        assert canonicalize_name(pin.name) not in pins or pin.marker, pin.name
        pins[canonicalize_name(pin.name)] = (str(pin.specifier), [h.strip() for h in hashes])
    return pins


def test_conda_asks_for_what_pyproject_asks_for():
    wanted = {CONDA_NAME.get(one.name, one.name): str(one.specifier) for one in RUN + BUILD}
    wanted |= {"python": PYPROJECT["project"]["requires-python"], "pip": ""}
    found = {}
    for spec in SPECS:
        name, relation, version = re.fullmatch(r"([\w-]+)(\W*)(.*)", spec).groups()
        found[name] = relation + version
    assert found == wanted


def test_building_asks_for_the_setuptools_that_is_locked():
    assert PYPROJECT["build-system"]["requires"] == [str(one) for one in BUILD]


def test_conda_installs_the_package_itself_and_nothing_else_by_pip():
    (pip,) = [spec["pip"] for spec in CONDA["dependencies"] if isinstance(spec, dict)]
    assert len(pip) == 1
    assert re.fullmatch(r"(?:--no-deps )?(?:-e|--editable) \.", pip[0])
    assert CONDA["channels"] == ["conda-forge"]


@pytest.mark.parametrize("spec", SPECS)
def test_a_conda_spec_parses(spec):
    parsed = rattler.MatchSpec(spec, strict=True)
    assert spec.startswith(parsed.name.normalized)


@pytest.mark.parametrize("spec", ["numpy>=2.0,<", "numpy>=>2", "scikit learn >=1", ">=2"])
def test_a_broken_conda_spec_would_be_refused(spec):
    with pytest.raises(Exception, match=r"\S"):
        rattler.MatchSpec(spec, strict=True)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_host(lock):
    text = (REPOSITORY / lock).read_text()
    assert "://" not in text
    assert not re.search(r"index-url|find-links|trusted-host|\bfile:|@ ", text)
    assert not re.search(r"\b[\w-]+\.(?:org|com|net|io|local|internal)\b", text)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_everything_to_hashes(lock):
    pins = locked(lock)
    assert len(pins) > 50
    for name, (version, hashes) in pins.items():
        assert re.fullmatch(r"==[\w.!+]+", version), name
        assert hashes, name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one) for one in hashes), name


@pytest.mark.parametrize(
    ("lock", "direct"), [(LOCKS[0], RUN + BUILD), (LOCKS[1], RUN + BUILD + TEST)]
)
def test_a_lock_holds_every_direct_dependency_within_its_range(lock, direct):
    pins = locked(lock)
    for one in direct:
        version = pins[canonicalize_name(one.name)][0].removeprefix("==")
        assert one.specifier.contains(Version(version)), one.name


def test_the_locks_agree():
    run, test = (locked(lock) for lock in LOCKS)
    assert set(run) <= set(test)
    assert {name: test[name] for name in run} == run


def test_the_test_tools_are_not_in_the_lock_to_run_with():
    assert not {"ruff", "hypothesis", "py-rattler"} & set(locked(LOCKS[0]))


@pytest.mark.parametrize("requirement", RUN + TEST + BUILD, ids=str)
def test_every_range_has_a_lower_end_alone(requirement):
    assert re.fullmatch(r">=[\d.]+", str(requirement.specifier))


def test_ci_runs_the_tests():
    script = REPOSITORY / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text().splitlines()
    assert lines[0].startswith("#!")
    assert "make test test-grading test-browser" in lines
    assert subprocess.run(["bash", "-n", script]).returncode == 0


def dry_run(target):
    return subprocess.run(
        ["make", "--dry-run", "--always-make", target],
        cwd=REPOSITORY,
        env={key: value for key, value in os.environ.items() if not key.startswith("MAKE")},
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(not shutil.which("make"), reason="make is not on this machine")
@pytest.mark.parametrize(
    ("target", "steps"),
    [
        ("run", ["requirements.lock", "data verify", "labkit run", "figures", "labkit numbers"]),
        ("test", ["requirements-test.lock", "ruff check", "pytest -n", "nbval.ini"]),
        ("lab", ["labkit lab"]),
    ],
)
def test_make_does_its_steps_in_order(target, steps):
    done = dry_run(target)
    assert done.returncode == 0, done.stderr
    places = [done.stdout.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.skipif(not shutil.which("make"), reason="make is not on this machine")
def test_make_refuses_a_target_that_is_not_there():
    assert dry_run("no-such-target").returncode != 0


def test_one_thread_everywhere():
    assert CONDA["variables"] == {"OMP_NUM_THREADS": "1"}
    assert "export OMP_NUM_THREADS := 1" in (REPOSITORY / "Makefile").read_text()
