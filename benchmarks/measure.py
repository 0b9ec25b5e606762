"""Time and memory of two ways to the same result, taken in turns within one run."""

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """One comparison, and the bar that was set for it.

    Attributes
    ----------
    what
        What was done, on how much.
    against
        What it was measured against.
    ours, theirs
        Medians, in `unit`.
    bar
        What the ratio should reach.
    at_most
        True where the bar limits ours / theirs, False where theirs / ours should exceed it.
    unit
        "s" or "MB".
    bytes_a_record
        Peak memory beyond the inputs, for each record; None where not measured.
    """

    what: str
    against: str
    ours: float
    theirs: float
    bar: float
    at_most: bool
    unit: str = "s"
    bytes_a_record: float | None = None

    @property
    def ratio(self) -> float:
        """The ratio that the bar is about."""
        return self.ours / self.theirs if self.at_most else self.theirs / self.ours

    @property
    def reached(self) -> bool:
        """Whether the bar was reached."""
        return self.ratio <= self.bar if self.at_most else self.ratio >= self.bar

    def to_json(self) -> dict:
        """Return the row with what follows from it."""
        return asdict(self) | {"ratio": self.ratio, "reached": self.reached}


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], repeats: int = 5
) -> tuple[float, float]:
    """Return the median seconds of both, run in turns so that both meet the same machine."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for function, spent in zip((ours, theirs), times, strict=True):
            gc.collect()
            began = time.perf_counter()
            function()
            spent.append(time.perf_counter() - began)
    return statistics.median(times[0]), statistics.median(times[1])


def peak_bytes(function: Callable[[], object]) -> int:
    """Return the most memory that a call held at once beyond what was there before."""
    gc.collect()
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
