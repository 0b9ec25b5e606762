"""What became of the rows of each file, as a table that the command and a notebook print."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

_COUNTS = ("read", "kept", "attacks")


def rows_of_summary(summary: Mapping) -> tuple[list[str], list[list[str]]]:
    """Return a flow table's summary as headings, and a row a file with the total at the end.

    Files go without the folder that they share.

    Parameters
    ----------
    summary
        As it stands in `attrs["summary"]` of a flow table.

    Examples
    --------
    >>> counts = {"read": 2, "kept": 1, "attacks": 1, "dropped": {"no label": 1}, "repaired": {}}
    >>> one = {"file": "a.csv", "format": "luflow", **counts}
    >>> headings, rows = rows_of_summary({"files": [one], **counts})
    >>> headings
    ['file', 'format', 'read', 'kept', 'attacks', 'dropped: no label']
    >>> rows
    [['a.csv', 'luflow', '2', '1', '1', '1']]
    """
    files = summary["files"]
    reasons = [
        (kind, reason)
        for kind in ("dropped", "repaired")
        for reason in dict.fromkeys(reason for one in files for reason in one[kind])
    ]
    shared = _shared_folder([one["file"] for one in files])
    total = [{**summary, "file": "all", "format": ""}] if len(files) > 1 else []
    rows = []
    for one in [*files, *total]:
        numbers = [one[name] for name in _COUNTS] + [one[kind].get(why, 0) for kind, why in reasons]
        name = one["file"].removeprefix(shared)
        rows.append([name, one["format"], *(f"{number:,}" for number in numbers)])
    return ["file", "format", *_COUNTS, *(f"{kind}: {why}" for kind, why in reasons)], rows


def _shared_folder(names: list[str]) -> str:
    """Return the folder that all files lie in, with the mark at its end; "" where there is none."""
    try:
        folder = os.path.commonpath([Path(name).parent for name in names])
    except ValueError:
        # Some are named from the root and others are not, or they lie on several drives.
        return ""
    return folder.rstrip("/\\") + os.sep if folder else ""
