"""Mapping files: which columns of a table are which, for formats that no reader here knows."""

import json
import re
import tomllib
from collections.abc import Mapping as AnyMapping
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from pathlib import Path

from labkit.data.readers.pieces import RESERVED
from labkit.data.schema import COLUMNS
from labkit.errors import InputError

_TEXT_FEATURES = {"dst", "service", "state", *(c.name for c in COLUMNS if c.kind == "text")}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_BYTES = {
    **{"bit": 0.125, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9},
    **{"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
}
_UNITS = _SECONDS | _BYTES
_TIME_UNITS = ("s", "ms", "us", "ns")
_KEYS = {
    *("label", "attack", "normal", "neither", "family", "time", "time_unit", "time_format"),
    *("delimiter", "unset", "names", "features"),
}
_CLASSES = ("attack", "normal", "neither")
_REST = "rest"
ISO = "iso"
_LARGEST_FILE = 1_000_000


@dataclass(frozen=True)
class Feature:
    """A feature: the column it is read from, what that is multiplied by, whether it is a text."""

    column: str
    scale: float = 1.0
    is_text: bool = False


@dataclass(frozen=True)
class Mapping:
    """Which columns of a table are which.

    Parameters
    ----------
    label
        The column of labels.
    classes
        Label in small letters -> "attack", "normal" or "neither".
    rest
        The class of every other label; "" when there is none.
    family
        The column of attack families; "" takes the label's own word.
    time
        The column of times; "" when there is none.
    per_second
        How many units of it a second has, for numbers since the epoch; 0 for clock times.
    time_format
        How clock times are written, as for `datetime.strptime`, or "iso".
    delimiter
        What stands between columns; "" finds out.
    unset
        Texts that mean that there is no value.
    names
        The columns of a file without a header.
    features
        Name in the flow table -> where it comes from.
    """

    label: str
    classes: dict[str, str]
    rest: str
    family: str
    time: str
    per_second: float
    time_format: str
    delimiter: str
    unset: tuple[str, ...]
    names: tuple[str, ...]
    features: dict[str, Feature]

    @property
    def texts(self) -> set[str]:
        """The columns that are read as text, that of clock times among them."""
        clock = {self.time} if not self.per_second else set()
        of_features = {one.column for one in self.features.values() if one.is_text}
        return ({self.label, self.family} | clock | of_features) - {""}

    @property
    def numbers(self) -> set[str]:
        """The columns that are read as numbers, that of epochs among them."""
        epochs = {self.time} if self.per_second else set()
        of_features = {one.column for one in self.features.values() if not one.is_text}
        return (epochs | of_features) - {""}

    @property
    def columns(self) -> set[str]:
        """All columns that are read."""
        return self.texts | self.numbers


def word(value: object) -> str:
    """Return a label as it is compared: in small letters, whole numbers without decimals.

    Examples
    --------
    >>> word(" Attack "), word(1), word("1.0"), word(True)
    ('attack', '1', '1', 'true')
    """
    return whole(str(value)).lower()


def whole(text: str) -> str:
    """Return a text without the spaces around it and, if it is a whole number, its decimals."""
    text = text.strip()
    return re.sub(r"\.0*$", "", text) if re.fullmatch(r"[+-]?\d+\.0*", text) else text


def load_mapping(given: "str | PathLike[str] | AnyMapping") -> Mapping:
    """Load a mapping from a TOML or JSON file, or from what such a file holds.

    Raises
    ------
    InputError
        When the file cannot be read, or says something that no mapping says.

    Examples
    --------
    >>> mapping = load_mapping({"label": "y", "attack": [1], "normal": [0],
    ...                         "features": {"duration_s": {"column": "ms", "unit": "ms"}}})
    >>> mapping.classes, mapping.features["duration_s"].scale
    ({'1': 'attack', '0': 'normal'}, 0.001)
    """
    if isinstance(given, AnyMapping):
        return _checked("the mapping", given)
    try:
        path = Path(given)
        if path.exists() and not path.is_file():
            raise InputError(f"mapping {path} is no regular file: name a .toml or .json file")
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
    except TypeError:
        raise InputError("the mapping must be a file or a dict: name a .toml or .json") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"mapping {given} cannot be read ({why})") from None
    if len(content) > _LARGEST_FILE:
        raise InputError(f"{path} is too large for a mapping: name a .toml or .json file")
    try:
        text = content.decode("utf-8-sig")
        found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is neither TOML nor JSON ({error})") from None
    return _checked(str(path), found)


def _checked(where: str, found: AnyMapping) -> Mapping:
    _refuse_unknown(where, found, _KEYS)
    classes, rest = _classes(where, found)
    per_second, time_format = _time(where, found)
    mapping = Mapping(
        label=_text(where, "label", found),
        classes=classes,
        rest=rest,
        family=_text(where, "family", found),
        time=_text(where, "time", found),
        per_second=per_second,
        time_format=time_format,
        delimiter=_text(where, "delimiter", found),
        unset=tuple(map(str, _list(where, "unset", found))),
        names=tuple(str(name).strip() for name in _list(where, "names", found)),
        features=_features(where, found.get("features", {})),
    )
    if not mapping.label:
        raise InputError(f'{where}: name the column of labels: label = "..."')
    mark = mapping.delimiter
    if len(mark.encode()) > 1 or mark in ('"', "\n", "\r", "\0", " "):
        raise InputError(f"{where}: delimiter must be one character such as ';', not {mark!r}")
    for column in sorted(mapping.numbers & mapping.texts):
        raise InputError(f"{where}: column {column!r} is read both as text and as a number")
    return mapping


def _classes(where: str, found: AnyMapping) -> tuple[dict[str, str], str]:
    """Return the class of every label, and that of all other labels."""
    classes: dict[str, str] = {}
    rests = [name for name in _CLASSES if found.get(name) == _REST]
    if len(rests) > 1:
        raise InputError(f"{where}: only one of {', '.join(_CLASSES)} can be the rest")
    for name in (name for name in _CLASSES if name not in rests):
        for label in _list(where, name, found):
            known = classes.setdefault(word(label), name)
            if known != name:
                raise InputError(f"{where}: label {label!r} is both {known} and {name}")
    for name in ("attack", "normal"):
        if name not in (*classes.values(), *rests):
            raise InputError(f"{where}: say which labels mean {name}: {name} = [...] or 'rest'")
    return classes, "".join(rests)


def _time(where: str, found: AnyMapping) -> tuple[float, str]:
    """Return how many units of time a second has, 0 for clock times, and how those are written."""
    unit, written = (_text(where, name, found) for name in ("time_unit", "time_format"))
    if (unit or written) and not found.get("time"):
        raise InputError(f'{where}: name the column of times too: time = "..."')
    if unit and written:
        raise InputError(f"{where}: give time_unit for epochs or time_format for clocks, not both")
    if unit:
        if unit not in _TIME_UNITS:
            raise InputError(
                f"{where}: time_unit must be one of {', '.join(_TIME_UNITS)}: {unit!r}"
            )
        return round(1 / _SECONDS[unit]), ""
    if written not in ("", ISO):
        try:
            # A format without a year would leave it to be guessed.
            if not re.search("%[Yyc]", written):
                raise ValueError("it lacks the year, %Y")
            datetime.strptime(datetime(2017, 7, 3).strftime(written), written)
        except (ValueError, re.error) as error:
            raise InputError(f"{where}: time_format {written!r} reads no time ({error})") from None
    return 0, written or ISO


def _features(where: str, found: object) -> dict[str, Feature]:
    if not isinstance(found, AnyMapping):
        raise InputError(f"{where}: features must be a table of name = column")
    features = {}
    for name, given in found.items():
        if not re.fullmatch("[a-z][a-z0-9_]*", str(name)) or name in RESERVED:
            raise InputError(
                f"{where}: feature {name!r} must have a name in snake_case that is none of "
                f"{', '.join(RESERVED)}"
            )
        told = given if isinstance(given, AnyMapping) else {"column": given}
        _refuse_unknown(f"{where}: feature {name}", told, {"column", "unit", "kind"})
        column = _text(where, "column", told, f"column of {name}")
        unit = _text(where, "unit", told, f"unit of {name}")
        kind = told.get("kind", "text" if name in _TEXT_FEATURES else "number")
        if not column:
            raise InputError(f"{where}: feature {name} names no column")
        if kind not in ("text", "number"):
            raise InputError(f"{where}: kind of {name} must be text or number, not {kind!r}")
        if unit and (unit not in _UNITS or kind == "text"):
            raise InputError(
                f"{where}: unit of {name} must be one of {', '.join(_UNITS)}: {unit!r}"
            )
        features[name] = Feature(column, _UNITS.get(unit, 1.0), kind == "text")
    return features


def _refuse_unknown(where: str, found: AnyMapping, known: set[str]) -> None:
    unknown = sorted(str(key) for key in found if key not in known)
    if unknown:
        raise InputError(f"{where}: {unknown[0]!r} is none of {', '.join(sorted(known))}")


def _text(where: str, name: str, found: AnyMapping, what: str = "") -> str:
    value = found.get(name, "")
    if not isinstance(value, str):
        raise InputError(f"{where}: {what or name} must be a text, not {value!r}")
    # A delimiter may be a tab.
    return value if name == "delimiter" else value.strip()


def _list(where: str, name: str, found: AnyMapping) -> list:
    value = found.get(name, [])
    if not isinstance(value, list | tuple):
        raise InputError(f"{where}: {name} must be a list, not {value!r}")
    if not all(isinstance(one, str | int | float) for one in value):
        raise InputError(f"{where}: {name} must hold texts and numbers alone")
    return list(value)
