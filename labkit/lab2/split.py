"""A split by time: train on the past, judge on what came after."""

import operator
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import TYPE_CHECKING

from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class TemporalSplit:
    """Days to train on, to calibrate on (thresholds, probabilities) and to test on, in that order.

    Parameters
    ----------
    train, calibrate, test
        Days of each part; calibrate may be empty. No day may be in two parts, and every part
        must end before the next begins.

    Raises
    ------
    InputError
        When a part is empty that may not be, or begins before the one before it has ended.

    Examples
    --------
    >>> split = TemporalSplit(train=range(0, 8), calibrate=range(8, 10), test=range(10, 14))
    >>> split.test
    (10, 11, 12, 13)
    """

    train: Iterable[int]
    calibrate: Iterable[int] = ()
    test: Iterable[int]

    def __post_init__(self) -> None:
        for field in fields(self):
            days = getattr(self, field.name)
            try:
                whole = tuple(sorted(operator.index(day) for day in days))
            except TypeError:
                raise InputError(f"{field.name} is {days!r}; pass whole numbers of days") from None
            object.__setattr__(self, field.name, whole)
        if not self.train or not self.test:
            raise InputError("train and test need at least one day each")
        parts = [("train", self.train), ("calibrate", self.calibrate), ("test", self.test)]
        parts = [(name, days) for name, days in parts if days]
        for (earlier, past), (later, future) in pairwise(parts):
            if future[0] <= past[-1]:
                raise InputError(
                    f"{later} begins on day {future[0]}, but {earlier} ends on day {past[-1]}: "
                    "a detector may only learn from the past"
                )

    def of(self, flows: "pd.DataFrame", part: str) -> "pd.DataFrame":
        """Return the records of one part, in their order.

        Parameters
        ----------
        flows
            A table with a column day.
        part
            "train", "calibrate" or "test".

        Raises
        ------
        InputError
            When the part does not exist or has no record.
        """
        if part not in ("train", "calibrate", "test"):
            raise InputError(f'part is {part!r}; choose "train", "calibrate" or "test"')
        days = getattr(self, part)
        records = flows[flows["day"].isin(days)]
        if records.empty:
            raise InputError(f"no record lies on the {part} days {days}")
        return records
