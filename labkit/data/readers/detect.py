"""Which format a file has, told by what is in it."""

from zoneinfo import ZoneInfo

from labkit.data.readers import argus, cic, luflow, mapped, nslkdd, unsw, zeek
from labkit.data.readers.formats import Format, Reader
from labkit.data.readers.head import Head, head_of
from labkit.data.readers.mapping import Mapping
from labkit.data.readers.parquet import open_parquet
from labkit.data.readers.source import HEAD, Source, is_parquet, read_head
from labkit.errors import InputError

AUTO = "auto"
FORMATS = {one.FORMAT.name: one.FORMAT for one in (luflow, zeek, cic, unsw, nslkdd, argus)}
NAMES = (*FORMATS, mapped.NAME)
"""What `--format` takes beside auto."""


def check_format(name: str, mapping: Mapping | None) -> None:
    """Raise unless a format is known and goes with the mapping given or not given."""
    known = (AUTO, *NAMES)
    if name not in known:
        raise InputError(f"format {name!r} is none of {', '.join(known)}")
    if mapping and name not in (AUTO, mapped.NAME):
        raise InputError(f"format {name} needs no mapping: leave out one of the two")
    if name == mapped.NAME and not mapping:
        raise InputError("format mapped needs a mapping file: name it with --mapping")


def open_source(
    source: Source, name: str, zone: ZoneInfo | None, mapping: Mapping | None
) -> tuple[str, Reader]:
    """Return the format of a source and how it is read.

    Parameters
    ----------
    source
        The file.
    name
        Its format, or "auto" to find out.
    zone
        Whose calendar days count, and whose clock times are; None is UTC.
    mapping
        Which columns are which, for a table of no format known.

    Raises
    ------
    InputError
        When it has none of the formats, or looks like several, or is a broken copy.
    """
    if is_parquet(source):
        if mapping is None:
            raise InputError(
                f"{source.name} is Parquet: say in a mapping file what its columns are"
            )
        return mapped.NAME, open_parquet(source, zone, mapping)
    content = read_head(source)
    head = head_of(source.name, content, whole=len(content) < HEAD)
    if mapping is not None:
        return mapped.NAME, mapped.open_csv(source, head, zone, mapping)
    found = FORMATS[name] if name != AUTO else _detected(head)
    return found.name, found.open(source, head, zone)


def _detected(head: Head) -> Format:
    found = [one for one in FORMATS.values() if one.matches(head)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(
            f"{head.name} has none of the formats {', '.join(FORMATS)}: "
            "name one with --format, or say in a mapping file what its columns are"
        )
    names = ", ".join(one.name for one in found)
    raise InputError(f"{head.name} looks like {names}: name one of them with --format")
