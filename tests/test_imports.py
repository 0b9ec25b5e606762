"""The floors of the package: what may import what, read off the source."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "labkit"
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the ground up: a module may import from lower floors and from its own package.
FLOORS = (
    {"labkit", "labkit.errors"},
    {"labkit.atomic", "labkit.terminal"},
    {"labkit.data", "labkit.metrics", "labkit.plots"},
    {"labkit.decisions"},
    {"labkit.scale"},
    {"labkit.lab2", "labkit.evaluation"},
    {"labkit.course", "labkit.tables"},
    {"labkit.grading"},
    {"labkit.cli"},
)
ROOMS = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# A module whose name is not that of the distribution it comes in; nbclient executes notebooks and
# so brings what reads them.
DISTRIBUTION = {"sklearn": "scikit-learn", "IPython": "ipython", "PIL": "pillow"}


def room(module):
    """The package, or module of the ground level, that a dotted name lies in."""
    return ".".join(module.split(".")[:2])


def imports_of(source):
    """Every dotted name that a source text imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "labkit imports by full names"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def rooms_of(path):
    """The rooms of labkit that a module imports, its own left out."""
    dotted = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
    own = room(dotted.removesuffix(".__init__"))
    names = {room(name) for name in imports_of(path.read_text()) if name.startswith("labkit")}
    return own, names - {own}


each_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE))
)


def test_every_module_is_found():
    assert len(MODULES) > 25
    assert {"teaching.py", "sweep.py", "guards.py"} <= {path.name for path in MODULES}


@each_module
def test_a_lower_floor_never_imports_a_higher_one(path):
    own, imported = rooms_of(path)
    assert own in ROOMS, f"say in FLOORS where {own} stands"
    above = {name for name in imported if ROOMS.get(name, 99) >= ROOMS[own]}
    assert above == set()


@pytest.mark.parametrize(
    ("own", "forbidden"),
    [
        ("labkit.metrics", {"data", "lab2", "course", "plots", "cli", "decisions"}),
        ("labkit.plots", {"data", "lab2", "course", "cli", "tables"}),
        ("labkit.decisions", {"data", "plots"}),
        ("labkit.data", {"metrics", "decisions", "plots"}),
        ("labkit.evaluation", {"data", "lab2"}),
    ],
)
def test_rooms_that_know_nothing_of_each_other(own, forbidden):
    of_own = [imported for path in MODULES for mine, imported in [rooms_of(path)] if mine == own]
    assert of_own
    assert not set().union(*of_own) & {f"labkit.{name}" for name in forbidden}


def test_imports_are_found_inside_functions_and_conditions():
    source = "def f():\n    from labkit.cli import app\nif x:\n    import labkit.plots as p"
    assert imports_of(source) == {"labkit.cli.app", "labkit.plots"}


@each_module
def test_what_is_imported_is_declared(path):
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = declared["optional-dependencies"]
    requirements = declared["dependencies"] + extras["parquet"] + extras["grading"]
    requirements += extras.get("scale", [])
    names = {requirement.split(">")[0] for requirement in requirements}
    modules = {name.split(".")[0] for name in imports_of(path.read_text())}
    foreign = modules - set(sys.stdlib_module_names) - {"labkit"}
    assert {DISTRIBUTION.get(module, module) for module in foreign} <= names


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("labkit", {"numpy", "pandas", "sklearn", "matplotlib", "scipy"}),
        ("labkit.metrics", {"pandas", "sklearn", "matplotlib", "scipy"}),
        ("labkit.decisions", {"pandas", "sklearn", "matplotlib", "scipy"}),
        (
            "labkit.scale",
            {"pandas", "sklearn", "scipy", "pyarrow", "duckdb", "dask", "distributed"},
        ),
        ("labkit.evaluation", {"pandas", "sklearn", "matplotlib", "scipy", "rich", "jinja2"}),
        ("labkit.cli", {"numpy", "pandas", "sklearn", "matplotlib", "scipy", "nbformat"}),
    ],
)
def test_importing_loads_nothing_heavy(module, heavy):
    listing = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", listing], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    loaded = done.stdout.split()
    assert module in loaded
    assert not heavy & set(loaded)
