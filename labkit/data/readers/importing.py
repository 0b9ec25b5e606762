"""Files of others' formats to one flow table: in memory, or in a Parquet or CSV file.

An import reads the files and keeps their pieces in a file without a name, which is gone when the
process is. Only then is known on which day the table begins and which columns it has; then it is
written, whole or not at all. Memory holds a few pieces, however many there are.
"""

import gzip
import json
import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from labkit.atomic import atomic_write, resolved
from labkit.data.readers.formats import AUTO, Paths, open_all
from labkit.data.readers.mapped import require_pyarrow
from labkit.data.readers.mapping import load_mapping
from labkit.data.readers.pieces import Reader
from labkit.data.readers.table import finished, gathered
from labkit.data.readers.times import time_zone
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

# Rows in a group of a Parquet file; small pieces of wide tables are put together.
_GROUP = 1 << 17

MappingGiven = str | os.PathLike[str] | AnyMapping
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], object]]]


def read_flows(
    paths: Paths,
    format: str = AUTO,  # noqa: A002  what the command calls it
    timezone: str | None = None,
    mapping: MappingGiven | None = None,
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

    flows: list[pd.DataFrame] = []
    shape, summary = gathered(_readers(paths, format, timezone, mapping), timezone, flows.append)
    # Each piece is let go when it is finished: two tables of a week need not be held at once.
    done = [finished(flows.pop(0), shape) for _ in range(len(flows))]
    table = pd.concat(done, ignore_index=True)
    table.attrs["summary"] = summary
    return table


def import_flows(
    paths: Paths,
    out: str | os.PathLike[str],
    format: str = AUTO,  # noqa: A002  what the command calls it
    timezone: str | None = None,
    mapping: MappingGiven | None = None,
    progress: Progress = lambda what, total: nullcontext(lambda number: None),
) -> dict:
    """Write what `read_flows` would return into a file, in memory that does not grow with it.

    Parameters
    ----------
    paths, format, timezone, mapping
        As for `labkit.data.readers.read_flows`.
    out
        The file to write or replace: .parquet, .csv or .csv.gz.
    progress
        Entered with "reading" and the bytes of all files; what it gives is told of bytes read.

    Returns
    -------
    dict
        The summary, as `read_flows` gives it.

    Raises
    ------
    InputError
        As `read_flows`; also when the file cannot be written, is one of those to be read, or has
        another ending.
    """
    target = Path(out)
    write = _writer(target)
    readers = _readers(paths, format, timezone, mapping)
    files = dict.fromkeys(reader.source.path for reader in readers)
    if target.is_dir():
        raise InputError(f"{target} is a folder: name a file to write")
    if resolved(target) in map(resolved, files):
        raise InputError(f"{target} is one of the files to read: name another to write")
    folder = resolved(target).parent
    # A folder is made only when there is something to write into it.
    while not folder.exists():
        folder = folder.parent
    try:
        with TemporaryFile(dir=folder) as spool:
            with progress("reading", sum(path.stat().st_size for path in files)) as advance:
                shape, summary = gathered(
                    readers, timezone, lambda flows: pickle.dump(flows, spool), advance
                )
            spool.seek(0)
            with atomic_write(target) as file:
                write((finished(flows, shape) for flows in _kept(spool)), file, summary)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from None
    return summary


def _readers(
    paths: Paths, form: str, timezone: str | None, mapping: MappingGiven | None
) -> list[Reader]:
    told = None if mapping is None else load_mapping(mapping)
    return open_all(paths, form, time_zone(timezone), told)


def _kept(spool: IO[bytes]) -> Iterator["pd.DataFrame"]:
    while True:
        try:
            yield pickle.load(spool)
        except EOFError:
            return


def _writer(target: Path) -> Callable[[Iterable["pd.DataFrame"], IO[bytes], dict], None]:
    name = target.name.lower()
    if name.endswith(".parquet"):
        require_pyarrow(str(target))
        return _write_parquet
    if name.endswith((".csv", ".csv.gz")):
        return _write_packed_csv if name.endswith(".gz") else _write_csv
    raise InputError(f"{target} ends in none of .parquet, .csv and .csv.gz: name such a file")


def _write_csv(flows: Iterable["pd.DataFrame"], file: IO[bytes], summary: dict) -> None:
    for number, piece in enumerate(flows):
        file.write(piece.to_csv(index=False, header=number == 0, lineterminator="\n").encode())


def _write_packed_csv(flows: Iterable["pd.DataFrame"], file: IO[bytes], summary: dict) -> None:
    # No file name and no time in the header: the same flows give the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        _write_csv(flows, packed, summary)


def _write_parquet(flows: Iterable["pd.DataFrame"], file: IO[bytes], summary: dict) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    groups = _groups(flows)
    # There is always one: an import without a flow has been refused.
    group = next(groups)
    kinds = {"int8": pa.int8(), "int32": pa.int32(), "int64": pa.int64(), "float64": pa.float64()}
    columns = [(name, kinds.get(str(group[name].dtype), pa.string())) for name in group]
    # pandas reads the summary as attributes.
    about = {"PANDAS_ATTRS": json.dumps({"summary": summary})}
    schema = pa.schema(columns, metadata=about)
    first = pa.Table.from_pandas(group, schema=schema, preserve_index=False)
    with pq.ParquetWriter(file, first.schema) as writer:
        writer.write_table(first)
        for group in groups:
            writer.write_table(pa.Table.from_pandas(group, schema=schema, preserve_index=False))


def _groups(flows: Iterable["pd.DataFrame"]) -> Iterator["pd.DataFrame"]:
    """Put pieces together until they have as many rows as a group of a Parquet file."""
    import pandas as pd

    held: list[pd.DataFrame] = []
    for piece in flows:
        held.append(piece)
        if sum(map(len, held)) >= _GROUP:
            yield pd.concat(held, ignore_index=True)
            held = []
    if held:
        yield pd.concat(held, ignore_index=True)
