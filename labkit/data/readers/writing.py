"""Files of others' formats to one Parquet or CSV file, piece by piece, whole or not at all.

The first pass reads the files and keeps their pieces in a file without a name, which is gone when
the process is. Only then is known on which day the table begins and which columns it has; the
second pass writes it. Memory holds a few pieces, however many there are.
"""

import gzip
import json
import os
import pickle
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as AnyMapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from labkit.atomic import atomic_write, resolved
from labkit.data.readers.detect import AUTO
from labkit.data.readers.mapping import load_mapping
from labkit.data.readers.parquet import require_pyarrow
from labkit.data.readers.pieces import Opened, Paths, open_all
from labkit.data.readers.source import BLOCK, Advance, silent
from labkit.data.readers.table import Shape, finished, gathered
from labkit.data.readers.times import time_zone
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Rows in a group of a Parquet file; small blocks of wide tables are put together.
_GROUP = 1 << 17

Progress = Callable[[str, int], AbstractContextManager[Advance]]


def _silent(what: str, total: int) -> AbstractContextManager[Advance]:
    return nullcontext(silent)


def import_flows(
    paths: Paths,
    out: str | os.PathLike[str],
    format: str = AUTO,  # noqa: A002  what the command calls it
    timezone: str | None = None,
    mapping: "str | os.PathLike[str] | AnyMapping | None" = None,
    progress: Progress = _silent,
    size: int = BLOCK,
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
    size
        Bytes to read at a time.

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
    told = None if mapping is None else load_mapping(mapping)
    opened = open_all(paths, format, time_zone(timezone), told)
    _check_target(target, opened)
    with _spool(target) as spool:
        files = dict.fromkeys(one.source.path for one in opened)
        with progress("reading", sum(path.stat().st_size for path in files)) as advance:
            shape, summary = gathered(
                opened, timezone, lambda flows: _keep(flows, spool, target), size, advance
            )
        _rewind(spool, target)
        with atomic_write(target) as file:
            write((finished(flows, shape) for flows in _kept(spool)), file, shape, summary)
    return summary


def _writer(target: Path) -> Callable[[Iterable["pd.DataFrame"], IO[bytes], Shape, dict], None]:
    name = target.name.lower()
    if name.endswith(".parquet"):
        require_pyarrow(str(target))
        return _write_parquet
    if name.endswith((".csv", ".csv.gz")):
        return _write_packed_csv if name.endswith(".gz") else _write_csv
    raise InputError(f"{target} ends in none of .parquet, .csv and .csv.gz: name such a file")


def _check_target(target: Path, opened: list[Opened]) -> None:
    if target.is_dir():
        raise InputError(f"{target} is a folder: name a file to write")
    if resolved(target) in {resolved(one.source.path) for one in opened}:
        raise InputError(f"{target} is one of the files to read: name another to write")


@contextmanager
def _spool(target: Path) -> Iterator[IO[bytes]]:
    """Open a file without a name beside the target, where there is room for it."""
    folder = resolved(target).parent
    # A folder is made only when there is something to write into it.
    while not folder.exists():
        folder = folder.parent
    try:
        spool = TemporaryFile(dir=folder)  # noqa: SIM115  closed below
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from None
    with spool:
        yield spool


def _keep(flows: "pd.DataFrame", spool: IO[bytes], target: Path) -> None:
    try:
        pickle.dump(flows, spool, protocol=pickle.HIGHEST_PROTOCOL)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from None


def _rewind(spool: IO[bytes], target: Path) -> None:
    try:
        # What is still in memory is written first.
        spool.seek(0)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from None


def _kept(spool: IO[bytes]) -> Iterator["pd.DataFrame"]:
    while True:
        try:
            yield pickle.load(spool)
        except EOFError:
            return


def _write_csv(
    flows: Iterable["pd.DataFrame"], file: IO[bytes], shape: Shape, summary: dict
) -> None:
    for number, piece in enumerate(flows):
        text = piece.to_csv(index=False, header=number == 0, lineterminator="\n")
        file.write(text.encode())


def _write_packed_csv(
    flows: Iterable["pd.DataFrame"], file: IO[bytes], shape: Shape, summary: dict
) -> None:
    # No file name and no time in the header: the same flows give the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        _write_csv(flows, packed, shape, summary)


def _write_parquet(
    flows: Iterable["pd.DataFrame"], file: IO[bytes], shape: Shape, summary: dict
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    groups = _groups(flows)
    # There is always one: an import without a flow has been refused.
    group = next(groups)
    schema = _schema(group, summary)
    first = pa.Table.from_pandas(group, schema=schema, preserve_index=False)
    with pq.ParquetWriter(file, first.schema) as writer:
        writer.write_table(first)
        for group in groups:
            writer.write_table(pa.Table.from_pandas(group, schema=schema, preserve_index=False))


def _groups(flows: Iterable["pd.DataFrame"]) -> Iterator["pd.DataFrame"]:
    import pandas as pd

    held: list[pd.DataFrame] = []
    for piece in flows:
        held.append(piece)
        if sum(map(len, held)) >= _GROUP:
            yield pd.concat(held, ignore_index=True)
            held = []
    if held:
        yield pd.concat(held, ignore_index=True)


def _schema(flows: "pd.DataFrame", summary: dict) -> "pa.Schema":
    """Return the Arrow types of the columns; pandas reads the summary as attributes."""
    import pyarrow as pa

    kinds = {"i": pa.int64(), "f": pa.float64(), "O": pa.string()}
    small = {"label": pa.int8(), "day": pa.int32()}
    fields = [pa.field(n, small.get(n, kinds.get(flows[n].dtype.kind))) for n in flows]
    attributes = {"PANDAS_ATTRS": json.dumps({"summary": summary})}
    return pa.schema(fields, metadata=attributes)
