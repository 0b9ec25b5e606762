"""Judging and operating a rare-event detector.

The course's way is one way: records -> split -> scores -> sweep -> decision -> figure -> notebook.
Import from the floor you need: `labkit.data`, `labkit.metrics`, `labkit.decisions`, `labkit.lab2`.
Whoever has scores of their own needs only `labkit.evaluate`.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_FROM_EVALUATION = ("Evaluation", "evaluate")


def __getattr__(name: str) -> Any:  # noqa: ANN401  it stands for functions and classes
    # By name, and only when asked for: importing labkit stays light, and knows no higher floor.
    if name in _FROM_EVALUATION:
        return getattr(import_module("labkit.evaluation"), name)
    raise AttributeError(f"module 'labkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_FROM_EVALUATION})
