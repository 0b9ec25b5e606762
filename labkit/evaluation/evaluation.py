"""An evaluation: what was asked for, what was drawn, and what was measured of each detector.

`plain` makes it what JSON knows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass

import numpy as np

from labkit.evaluation.options import Options
from labkit.evaluation.results import DetectorResult, PairResult


@dataclass(frozen=True)
class Resampling:
    """What the bootstrap drew.

    Attributes
    ----------
    unit
        "records", "days" or "groups": what is drawn whole and with replacement, for the attacks
        and for the normal records apart.
    drawn
        How many of them there are.
    replicates, seed
        Number of resamples, and the seed of their draws.
    reason
        Why nothing was drawn; None where something was.
    """

    unit: str
    drawn: int
    replicates: int
    seed: int
    reason: str | None = None


@dataclass(frozen=True)
class Source:
    """The file that the scores were read from, and what its columns were taken for."""

    file: str
    sha256: str
    label: str
    positive: str
    day: str | None
    group: str | None
    weight: str | None


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How good one or several detectors are on labelled records; made by `labkit.evaluate`.

    Attributes
    ----------
    version
        Of labkit.
    source
        The file; None where arrays were passed.
    options
        What was asked for.
    detectors
        Name -> what was measured, in the order given.
    pairs
        Every two detectors compared, the later one minus the earlier.
    resampling
        What the bootstrap drew.
    notes
        What a reader should know before using any of it, one sentence each.
    """

    version: str
    source: Source | None
    options: Options
    detectors: Mapping[str, DetectorResult]
    pairs: tuple[PairResult, ...]
    resampling: Resampling
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        first = next(iter(self.detectors.values()))
        return (
            f"Evaluation({', '.join(map(repr, self.detectors))}: {first.records:.10g} records, "
            f"{first.positives:.10g} attacks)"
        )

    def to_dict(self) -> dict:
        """Return everything as dicts, lists, texts and numbers that JSON knows.

        Nothing is rounded. nan becomes None, and an infinity the text "inf" or "-inf".
        """
        return plain(self)

    def summary(self, width: int = 100) -> str:
        """Return the tables that `labkit evaluate` prints, as plain text."""
        from labkit.evaluation.report.summary import summary

        return summary(self, width)

    def to_html(self, command: str | None = None) -> str:
        """Return the report: one HTML page that needs no other file, no network and no script.

        Parameters
        ----------
        command
            What to run to get the same; by default the call with its options.
        """
        from labkit.evaluation.report.page import report

        return report(self, command)


def plain(value: object) -> object:
    """Return a value as dicts, lists, texts, numbers and None, nothing rounded.

    nan becomes None, and an infinity the text "inf" or "-inf", since JSON has neither. A table
    becomes a list of its rows, with the index as their first key where it has a name. Keys become
    texts: that of a base rate is its shortest decimal form, such as "0.001".

    Examples
    --------
    >>> plain({0.001: (math.nan, math.inf, np.float64(0.5))})
    {'0.001': [None, 'inf', 0.5]}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return _number(value)
    if is_dataclass(value):
        told = [field for field in fields(value) if field.metadata.get("told", True)]
        return {field.name: plain(getattr(value, field.name)) for field in told}
    if isinstance(value, Mapping):
        return {
            key if isinstance(key, str) else as_text(key): plain(of) for key, of in value.items()
        }
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if hasattr(value, "columns"):
        return _rows(value)
    return plain(value.item()) if isinstance(value, np.generic) else as_text(value)


def as_text(value: object) -> str:
    """Return the name of a day or group as text; a time at midnight is its date.

    Examples
    --------
    >>> as_text(np.datetime64("2026-03-01T00:00:00.000000000")), as_text(np.int64(7))
    ('2026-03-01', '7')
    """
    if isinstance(value, np.datetime64):
        import pandas as pd

        value = pd.Timestamp(value)
    return str(value).removesuffix(" 00:00:00")


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return float(value) if math.isfinite(value) else str(float(value))


def _rows(table: object) -> list[dict[str, object]]:
    """Return the rows of a data frame."""
    columns = {name: table[name].tolist() for name in table.columns}
    if table.index.name is not None:
        columns = {table.index.name: [_name(name) for name in table.index]} | columns
    return [
        dict(zip(columns, map(plain, row), strict=True))
        for row in zip(*columns.values(), strict=True)
    ]


def _name(name: object) -> object:
    """Return the name of a day as a number where it is one, and as text otherwise."""
    name = name.item() if isinstance(name, np.number) else name
    return name if isinstance(name, str | bool | int | float) else as_text(name)
