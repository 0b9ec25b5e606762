"""Whether this machine has what the course needs: the first thing that the first notebook asks."""

import re
import sys
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path

from labkit.data.files import DATA, verify_flows
from labkit.errors import InputError

FINE = "fine"
_RENEW = "set up anew as README.md says"
_RELEASE = re.compile(r"\d+(?:\.\d+)*")


def report(folder: Path = DATA) -> dict[str, str]:
    """Return for Python, the packages and the traffic whether each is fine, or how to mend it.

    Parameters
    ----------
    folder
        Where flows.csv.gz and checksums.txt lie.

    Returns
    -------
    dict
        "Python", "packages" and "traffic" -> "fine", or one line on what is wrong. Where all is
        well nothing in it depends on the machine.
    """
    try:
        needed = metadata.metadata("labkit").get("Requires-Python") or ""
        requirements = metadata.requires("labkit") or []
    except metadata.PackageNotFoundError:
        return dict.fromkeys(
            ("Python", "packages", "traffic"), f"labkit is not installed: {_RENEW}"
        )
    return {
        "Python": python_state(needed, sys.version.split()[0]),
        "packages": packages_state(requirements),
        "traffic": traffic_state(folder),
    }


def python_state(needed: str, version: str) -> str:
    """Say whether a Python is new enough.

    Examples
    --------
    >>> python_state(">=3.11", "3.13.1"), python_state(">=3.11", "3.9.2")
    ('fine', 'Python 3.9.2 runs here, 3.11 or later is needed: install one and set up anew')
    """
    least = needed.partition(">=")[2]
    if release(version) >= release(least):
        return FINE
    return f"Python {version} runs here, {least} or later is needed: install one and set up anew"


def packages_state(
    requirements: Iterable[str], version_of: Callable[[str], str] = metadata.version
) -> str:
    """Say whether every package that is needed is installed and new enough.

    Parameters
    ----------
    requirements
        As package metadata has them: "numpy>=2.0"; those of an extra are passed over.
    version_of
        Name of a package -> its version; raises PackageNotFoundError where there is none.
    """
    faults = []
    for requirement in requirements:
        wanted, _, condition = requirement.partition(";")
        if "extra" in condition:
            continue
        name, _, least = (part.strip() for part in wanted.partition(">="))
        try:
            version = version_of(name)
        except metadata.PackageNotFoundError:
            faults.append(f"{name} is missing")
            continue
        if release(version) < release(least):
            faults.append(f"{name} {version} is older than {least}")
    return f"{', '.join(faults)}: {_RENEW}" if faults else FINE


def traffic_state(folder: Path) -> str:
    """Say whether the flow file holds what its checksum says."""
    try:
        verify_flows(folder)
    except InputError as error:
        return str(error)
    return FINE


def release(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with, without zeros at their end.

    Examples
    --------
    >>> release("2.10.0rc1") > release("2.9"), release("2.0") == release("2")
    (True, True)
    """
    found = _RELEASE.match(version)
    numbers = [int(part) for part in found.group().split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
