"""The exercises of every notebook: one module a notebook, named as the notebook is.

Each exercise computes its key from the flow records in data/ when it is asked for, so that on a
student's own traffic the answers are that traffic's.
"""

from importlib import import_module

from labkit.course.exercises.exercise import Exercise
from labkit.errors import InputError

MODULES = {
    "00": "start_here",
    "01": "counts_and_rates",
    "02": "ranking_by_hand",
    "03": "base_rate_arithmetic",
    "04": "temporal_split",
    "05": "two_detectors",
    "06": "curves",
    "07": "base_rate",
    "08": "alert_budgets",
    "09": "costs",
    "10": "calibration",
    "11": "uncertainty",
    "12": "real_traffic",
}
"""Number of a notebook -> the module that holds its exercises."""


def exercises_of(notebook: str) -> tuple[Exercise, ...]:
    """Return the exercises of a notebook, by its number ("03"), in their order."""
    try:
        return import_module(f"{__name__}.{MODULES[notebook]}").EXERCISES
    except ModuleNotFoundError:
        raise InputError("the answers are not kept here; the grader has them") from None


def exercise(name: str) -> Exercise:
    """Return the exercise of a name such as "03-2".

    Raises
    ------
    InputError
        When there is none of that name.
    """
    notebook = name.partition("-")[0] if isinstance(name, str) else ""
    if notebook in MODULES:
        for one in exercises_of(notebook):
            if one.name == name:
                return one
    raise InputError(f"there is no exercise {name!r}; its name stands above the cell, as in 03-2")


def all_exercises() -> tuple[Exercise, ...]:
    """Return the exercises of the whole course in reading order."""
    return tuple(one for notebook in MODULES for one in exercises_of(notebook))
