"""The formats, and which of them a file has: told by what is in it."""

import os
from collections.abc import Iterable
from pathlib import Path
from zoneinfo import ZoneInfo

from labkit.atomic import resolved
from labkit.data.readers import argus, cic, luflow, mapped, nslkdd, unsw, zeek
from labkit.data.readers.layout import Head, read_head
from labkit.data.readers.mapping import Mapping
from labkit.data.readers.pieces import Reader
from labkit.data.readers.source import Source, sources
from labkit.errors import InputError

AUTO = "auto"
FORMATS = {one.NAME: one for one in (luflow, zeek, cic, unsw, nslkdd, argus)}
NAMES = (*FORMATS, mapped.NAME)
"""What `--format` takes beside auto."""

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def open_all(
    paths: Paths, name: str = AUTO, zone: ZoneInfo | None = None, mapping: Mapping | None = None
) -> list[Reader]:
    """Open every file, before any is read.

    Parameters
    ----------
    paths
        One file or several, in the order in which their flows are wanted.
    name
        Their format, or "auto".
    zone
        Whose calendar days count, and whose clock times are; None is UTC.
    mapping
        Which columns are which, for tables of no format known.

    Raises
    ------
    InputError
        When a file cannot be read, is named twice, has none of the formats or looks like several,
        or has not that of the others.
    """
    _check_name(name, mapping)
    found = [source for path in _listed(paths) for source in sources(path)]
    readers = [_open(source, name, zone, mapping) for source in found]
    first = readers[0]
    for other in readers[1:]:
        if other.format != first.format:
            raise InputError(
                f"{first.source.name} is {first.format} but {other.source.name} is "
                f"{other.format}: import them apart"
            )
    return readers


def _check_name(name: str, mapping: Mapping | None) -> None:
    known = (AUTO, *NAMES)
    if name not in known:
        raise InputError(f"format {name!r} is none of {', '.join(known)}")
    if mapping and name not in (AUTO, mapped.NAME):
        raise InputError(f"format {name} needs no mapping: leave out one of the two")
    if name == mapped.NAME and not mapping:
        raise InputError("format mapped needs a mapping file: name it with --mapping")


def _listed(paths: Paths) -> list[Path]:
    try:
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        listed = [Path(path) for path in given]
    except TypeError:
        raise InputError(f"paths must be a file or a list of files, not {paths!r}") from None
    if not listed:
        raise InputError("there is no file to read: name one or several")
    seen: set[Path] = set()
    for path in listed:
        if "\0" in str(path):
            raise InputError(f"no file has such a name: {str(path)!r}")
        if resolved(path) in seen:
            raise InputError(f"{path} is named twice: its flows would count double")
        seen.add(resolved(path))
    return listed


def _open(source: Source, name: str, zone: ZoneInfo | None, mapping: Mapping | None) -> Reader:
    if source.is_parquet:
        if mapping is None:
            raise InputError(
                f"{source.name} is Parquet: say in a mapping file what its columns are"
            )
        return mapped.parquet_reader(source, zone, mapping)
    head = read_head(source)
    if mapping is not None:
        return mapped.text_reader(head, zone, mapping)
    return FORMATS[name if name != AUTO else _detected(head)].reader(head, zone)


def _detected(head: Head) -> str:
    found = [name for name, one in FORMATS.items() if one.matches(head)]
    if not found:
        raise InputError(
            f"{head.name} has none of the formats {', '.join(FORMATS)}: "
            "name one with --format, or say in a mapping file what its columns are"
        )
    if len(found) > 1:
        raise InputError(
            f"{head.name} looks like {', '.join(found)}: name one of them with --format"
        )
    return found[0]
