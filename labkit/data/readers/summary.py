"""What became of the rows of each file: read, kept, dropped and repaired, by reason."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Tally:
    """Counts of rows.

    Parameters
    ----------
    read
        All rows, those that could not be read among them; each was kept or dropped.
    kept
        Rows in the table.
    attacks
        Those of them that are attacks.
    dropped
        Reason -> rows dropped for it; a row with several counts for the first.
    repaired
        What was repaired -> rows kept with it; a row with several counts for each.
    lines
        Reason -> the line of the first row dropped for it.
    """

    read: int = 0
    kept: int = 0
    attacks: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    repaired: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)


def plus(one: Tally, other: Tally) -> Tally:
    """Return the counts of two parts together, the first of them before the other.

    Examples
    --------
    >>> plus(Tally(2, 1, dropped={"a": 1}), Tally(3, 2, dropped={"a": 1})).dropped
    {'a': 2}
    """
    return Tally(
        one.read + other.read,
        one.kept + other.kept,
        one.attacks + other.attacks,
        _added(one.dropped, other.dropped),
        _added(one.repaired, other.repaired),
        {**other.lines, **one.lines},
    )


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the counts of several parts together."""
    summed = Tally()
    for tally in tallies:
        summed = plus(summed, tally)
    return summed


def _added(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


def as_dict(tally: Tally) -> dict:
    """Return counts as plain values, as they stand in a table's attributes."""
    return {
        "read": tally.read,
        "kept": tally.kept,
        "attacks": tally.attacks,
        "dropped": dict(tally.dropped),
        "repaired": dict(tally.repaired),
    }


def summary(
    files: Mapping[str, Tally],
    formats: Mapping[str, str],
    *,
    timezone: str | None,
    first_date: str | None,
    notes: Iterable[str],
) -> dict:
    """Return the summary of an import, of plain values alone.

    Parameters
    ----------
    files
        File -> its counts.
    formats
        File -> its format.
    timezone
        Whose calendar days were counted; None is UTC.
    first_date
        The date of day 0; None where there are no times.
    notes
        What the user should know of the table.
    """
    return {
        "files": [
            {"file": name, "format": formats[name], **as_dict(tally)}
            for name, tally in files.items()
        ],
        **as_dict(total(files.values())),
        "timezone": timezone or "UTC",
        "first_date": first_date,
        "notes": list(dict.fromkeys(notes)),
    }


def rows_of_summary(found: Mapping) -> tuple[list[str], list[list[str]]]:
    """Return a summary as a table: its headings, and a row a file with the total at the end.

    Files go without the folder that they share.

    Examples
    --------
    >>> one = {"file": "a.csv", "format": "luflow", **as_dict(Tally(2, 1, 1, {"no label": 1}))}
    >>> headings, rows = rows_of_summary({"files": [one]})
    >>> headings
    ['file', 'format', 'read', 'kept', 'attacks', 'dropped: no label']
    >>> rows
    [['a.csv', 'luflow', '2', '1', '1', '1']]
    """
    kinds = ("dropped", "repaired")
    shared = _shared_folder([one["file"] for one in found["files"]])
    reasons = [
        (kind, reason)
        for kind in kinds
        for reason in dict.fromkeys(r for one in found["files"] for r in one[kind])
    ]
    headings = ["file", "format", "read", "kept", "attacks"]
    headings += [f"{kind}: {reason}" for kind, reason in reasons]
    lines = list(found["files"])
    if len(lines) > 1:
        lines.append({"file": "all", "format": "", **found})
    rows = [
        [one["file"].removeprefix(shared), one["format"]]
        + [f"{one[name]:,}" for name in ("read", "kept", "attacks")]
        + [f"{one[kind].get(reason, 0):,}" for kind, reason in reasons]
        for one in lines
    ]
    return headings, rows


def _shared_folder(names: list[str]) -> str:
    """Return the folder that all files lie in, with the mark at its end; "" where there is none."""
    try:
        folder = os.path.commonpath([Path(name).parent for name in names])
    except ValueError:
        # Some are named from the root and others are not, or they lie on several drives.
        return ""
    return folder.rstrip("/\\") + os.sep if folder else ""
