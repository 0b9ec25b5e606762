"""What an exercise is, and the records it is about."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from labkit.course.answers import Key
from labkit.data import load_flows

if TYPE_CHECKING:
    import pandas as pd

    from labkit.lab2.experiment import Experiment


@dataclass(frozen=True, eq=False)
class Traffic:
    """The flow records that the answers are about, read and worked on only when asked for.

    Parameters
    ----------
    path
        The flow file; None is the course's own.
    done
        Lab 2 on the records, where it was done already; then no file is read.
    """

    path: Path | None = None
    done: "Experiment | None" = None

    @cached_property
    def flows(self) -> "pd.DataFrame":
        """The flow table."""
        return self.done.flows if self.done else load_flows(self.path)

    @cached_property
    def lab(self) -> "Experiment":
        """Lab 2 on these records."""
        from labkit.lab2.experiment import run

        return self.done or run(self.flows)


@dataclass(frozen=True)
class Exercise:
    """One exercise of a notebook; its text, blank and solution stand in the notebook.

    Parameters
    ----------
    name
        Notebook and place in it, such as "03-2".
    title
        What is asked for, in a few words.
    key
        Computes what is right on the records given.
    points
        What it is worth.
    calls
        For a function as answer: the arguments that it is tried on, one tuple a call. The list of
        its results is then the answer that `key` is about.
    """

    name: str
    title: str
    key: Callable[[Traffic], Key]
    points: int = 1
    calls: tuple[tuple, ...] = ()


# Not all: a key keeps its records in memory, and a grader has hundreds of students.
@lru_cache(maxsize=128)
def key_of(asked: Exercise, traffic: Traffic) -> Key:
    """Return the key of an exercise on some records, computed once for each."""
    return asked.key(traffic)
