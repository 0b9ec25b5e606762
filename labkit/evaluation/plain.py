"""An evaluation as what JSON knows: dicts, lists, texts and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np


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
