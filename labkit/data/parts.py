"""Any number of simulated records as Parquet files, whole or not at all."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from operator import index
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from labkit.atomic import resolved
from labkit.data.profiles import TWO_WEEKS, Scenario
from labkit.data.stream import Block, blocks, vocabularies
from labkit.data.traffic import DEFAULT_SEED
from labkit.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

PART_RECORDS = 1_000_000
"""Records in every part but the last, which has the rest."""


Progress = Callable[[str, int], AbstractContextManager[Callable[[], object]]]


def _silent(what: str, total: int) -> AbstractContextManager[Callable[[], object]]:
    return nullcontext(lambda: None)


def write_parts(
    folder: str | os.PathLike[str],
    records: int,
    seed: int | None = None,
    scenario: Scenario = TWO_WEEKS,
    progress: Progress = _silent,
) -> Path:
    """Simulate flow records and write them into a new folder, a million a part.

    The parts are part-00000.parquet and so on, in order of time; `pandas.read_parquet` of the
    folder gives the flow table, with texts as categories. The folder bears its name only when all
    of them are on disk.

    Parameters
    ----------
    folder
        A folder that is not there yet, or is empty.
    records
        Records in all, 1 to 10**12.
    seed
        Seed of everything random; None is the course's own.
    scenario
        Kinds, volumes and campaigns; the volumes are scaled to the number of records.
    progress
        Entered with "parts" and their number when nothing stands in the way of writing; what it
        gives is called after every part.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    InputError
        When there can be no such number of records, the folder holds something or cannot be
        written, or pyarrow is not installed.

    Examples
    --------
    >>> write_parts("flows", 0)
    Traceback (most recent call last):
    ...
    labkit.errors.InputError: records must be 1 to 1_000_000_000_000, not 0
    """
    stream = blocks(records, DEFAULT_SEED if seed is None else seed, scenario)
    _require_pyarrow()
    number = -(-index(records) // PART_RECORDS)
    # Through a link to the folder itself.
    folder = resolved(folder)
    with _whole_or_not(folder) as made, progress("parts", number) as advance:
        for part, table in enumerate(_tables(stream, vocabularies(scenario))):
            _write(table, made / f"part-{part:05d}.parquet")
            advance()
    return folder


def _require_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install pyarrow`"
        raise InputError(f"records go into Parquet, which needs pyarrow: {remedy}") from None


@contextmanager
def _whole_or_not(folder: Path) -> Iterator[Path]:
    """Make a folder that gets its name only when the block ends without error."""
    try:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file: name a new folder")
        if folder.is_dir() and any(folder.iterdir()):
            raise InputError(f"{folder} already holds files: name a new or an empty folder")
        if os.path.ismount(folder):
            raise InputError(f"{folder} is a mount point: name a new folder in it")
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside it, since only a rename within one file system is all or nothing. What dies
        # without a chance to clean up leaves this hidden folder and no other trace.
        with TemporaryDirectory(
            prefix=f".{folder.name}.", suffix=".tmp", dir=folder.parent
        ) as temporary:
            made = Path(temporary) / folder.name
            made.mkdir()
            yield made
            # Not every system renames onto an empty folder.
            if folder.exists():
                folder.rmdir()
            made.rename(folder)
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{folder} cannot be written ({why}): name another folder") from None


def _tables(stream: Iterable[Block], texts: dict[str, tuple[str, ...]]) -> Iterator["pa.Table"]:
    """Join blocks to tables of a part's size."""
    import pyarrow as pa

    known = {name: pa.array(words) for name, words in texts.items()}
    held, rows = [], 0
    for block in stream:
        held.append(_batch(block, known))
        rows += held[-1].num_rows
        while rows >= PART_RECORDS:
            table = pa.Table.from_batches(held)
            yield table[:PART_RECORDS]
            held, rows = table[PART_RECORDS:].to_batches(), rows - PART_RECORDS
    if rows:
        yield pa.Table.from_batches(held)


def _batch(block: Block, texts: dict[str, "pa.Array"]) -> "pa.RecordBatch":
    import pyarrow as pa

    return pa.RecordBatch.from_pydict(
        {
            name: pa.DictionaryArray.from_arrays(pa.array(values), texts[name])
            if name in texts
            else pa.array(values)
            for name, values in block.items()
        }
    )


def _write(table: "pa.Table", path: Path) -> None:
    import pyarrow.parquet as pq

    with path.open("wb") as file:
        pq.write_table(table, file)
        file.flush()
        # A name must not outlive its content when the power fails.
        os.fsync(file.fileno())
