"""Flow tables from files of others' formats."""

import os
from collections.abc import Mapping as AnyMapping
from typing import TYPE_CHECKING

from labkit.data.readers.detect import AUTO
from labkit.data.readers.mapping import load_mapping
from labkit.data.readers.pieces import Paths, open_all
from labkit.data.readers.table import finished, gathered
from labkit.data.readers.times import time_zone

if TYPE_CHECKING:
    import pandas as pd


def read_flows(
    paths: Paths,
    format: str = AUTO,  # noqa: A002  what the command calls it
    timezone: str | None = None,
    mapping: "str | os.PathLike[str] | AnyMapping | None" = None,
) -> "pd.DataFrame":
    r"""Read files of labelled flows in a public format into one flow table.

    Parameters
    ----------
    paths
        A file or several of one format: CSV and the like, also as zip or gzip, or Parquet.
    format
        One of `labkit.data.readers.NAMES`; "auto" tells it by what is in the files.
    timezone
        The zone whose calendar days count and whose clock times are that say no zone, such as
        "Europe/Prague"; None is UTC.
    mapping
        For a table of no format known: a TOML or JSON file that says which columns are which, or
        a dict of what it would hold.

    Returns
    -------
    pandas.DataFrame
        One flow a row, in the order of the files: `label` (1 attack, 0 normal); where the files
        have times, `day` (from the first calendar day in the table), `date` and `time` (seconds
        since 1970-01-01 UTC); `family` (of the attack, or benign); then features, by the schema's
        names where it has them. A column that the files lack is not there, and a value that is
        unset is NaN. Numbers that are all whole and set are integers. ``attrs["summary"]`` counts
        the rows read, kept, dropped and repaired by reason, for every file.

    Raises
    ------
    InputError
        When a file cannot be read or told, is a broken copy, or nothing in it is an attack or a
        normal flow.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "flows.csv"
    >>> _ = file.write_text("start,bytes,verdict\n86400,10,bad\n172800,,good\n0,1,unsure\n")
    >>> flows = read_flows(file, mapping={
    ...     "time": "start", "time_unit": "s", "label": "verdict", "attack": ["bad"],
    ...     "normal": ["good"], "neither": ["unsure"], "features": {"bytes_out": "bytes"}})
    >>> flows[["label", "day", "date", "family", "bytes_out"]].values.tolist()
    [[1, 0, '1970-01-02', 'bad', 10.0], [0, 1, '1970-01-03', 'benign', nan]]
    >>> flows.attrs["summary"]["dropped"]
    {'neither class (unsure)': 1}
    """
    import pandas as pd

    told = None if mapping is None else load_mapping(mapping)
    opened = open_all(paths, format, time_zone(timezone), told)
    flows: list[pd.DataFrame] = []
    shape, summary = gathered(opened, timezone, flows.append)
    # Each piece is let go when it is finished: two tables of a week need not be held at once.
    done = [finished(flows.pop(0), shape) for _ in range(len(flows))]
    table = pd.concat(done, ignore_index=True)
    table.attrs["summary"] = summary
    return table
