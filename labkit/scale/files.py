"""Which Parquet files, which columns of them, and what their footers say of these."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from labkit.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
# Records that one worker of a cluster counts at a time; a row group is never cut.
_PART = 2**22


@dataclass(frozen=True)
class Columns:
    """What the columns of a file are called, and what they mean.

    Attributes
    ----------
    score
        The column of scores, or one for each detector; higher for likelier attacks.
    label
        Booleans, 0/1, -1/1, or anything of which `pos_label` is one.
    day
        Day, week or other group of each record; None for none.
    weight
        Weight of each record; None counts records.
    pos_label
        The label that means attack.
    """

    score: str | Sequence[str]
    label: str
    day: str | None = None
    weight: str | None = None
    pos_label: object = None

    @property
    def scores(self) -> tuple[str, ...]:
        """The columns of scores."""
        return (self.score,) if isinstance(self.score, str) else tuple(self.score)

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, each once."""
        named = (*self.scores, self.label, self.day, self.weight)
        return tuple(dict.fromkeys(name for name in named if name is not None))


@dataclass(frozen=True)
class Part:
    """Some row groups of one file, by their numbers, and how many records they hold."""

    path: str
    row_groups: tuple[int, ...]
    rows: int


def parts_of(paths: Paths, columns: Columns) -> list[Part]:
    """Find the files, check what their footers say, and return all row groups; no record is read.

    Parameters
    ----------
    paths
        A Parquet file, a folder of which every `.parquet` file below counts, or several of these.
        Files whose names begin with "_" or "." are left out.
    columns
        The wanted columns, each of one type throughout.

    Raises
    ------
    InputError
        When a file is missing, no Parquet, or without records, when a column is missing, of a type
        that cannot be what it is to be, or of another type in another file; and when pyarrow is
        not installed.

    Examples
    --------
    >>> parts_of("no-such-file.parquet", Columns("score", "label"))
    Traceback (most recent call last):
    ...
    labkit.errors.InputError: no-such-file.parquet is missing
    """
    _require_pyarrow()
    if not columns.scores or len(set(columns.scores)) < len(columns.scores):
        raise InputError(f"score is {columns.score!r}; name at least one column, and none twice")
    first, parts = None, []
    for path in parquet_files(paths):
        schema, found = _footer(path)
        _check_columns(path, schema, columns)
        first = first or (path, schema)
        for name in columns.names:
            here, there = schema.field(name).type, first[1].field(name).type
            if here != there:
                raise InputError(
                    f"{name} is {there} in {first[0]} and {here} in {path}; make all files alike"
                )
        parts += found
    if not rows_of(parts):
        raise InputError(f"{paths} holds no records; pass at least one")
    return parts


def rows_of(parts: Sequence[Part]) -> int:
    """Return how many records some parts hold."""
    return sum(part.rows for part in parts)


def _require_pyarrow() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install pyarrow`"
        raise InputError(f"Parquet is read with pyarrow: {remedy}") from None


def parquet_files(paths: Paths) -> Iterator[Path]:
    """Yield the files in order, those of a folder by name."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        raise InputError("no file was named; pass at least one")
    for path in map(Path, given):
        if not path.exists():
            raise InputError(f"{path} is missing")
        if not path.is_dir():
            refuse_pipe(path)
            yield path
            continue
        inside = [
            file
            for file in sorted(path.rglob("*.parquet"))
            if not any(name.startswith((".", "_")) for name in file.relative_to(path).parts)
            and not file.is_dir()
        ]
        if not inside:
            raise InputError(f"{path} holds no .parquet file")
        for file in inside:
            refuse_pipe(file)
        yield from inside


def refuse_pipe(path: Path) -> None:
    """Raise InputError where a path is a pipe or a device, which cannot be read twice, or ends."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(f"{path} is a pipe or a device; save what it gives in a file first")


def _footer(path: Path) -> tuple[pa.Schema, list[Part]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            metadata, schema = file.metadata, file.schema_arrow
    except pa.ArrowInvalid:
        raise InputError(f"{path} is not a Parquet file, or damaged") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error})") from None
    # On a cluster a relative path would mean another file.
    name = str(path.resolve())
    parts, held, rows = [], [], 0
    for group in range(metadata.num_row_groups):
        held.append(group)
        rows += metadata.row_group(group).num_rows
        if rows >= _PART or group == metadata.num_row_groups - 1:
            parts.append(Part(name, tuple(held), rows))
            held, rows = [], 0
    return schema, parts


def _check_columns(path: Path, schema: pa.Schema, columns: Columns) -> None:
    for name in columns.names:
        times = schema.names.count(name)
        if times != 1:
            what = "no column" if not times else "more than one column"
            raise InputError(f"{path} has {what} {name!r}; it has {', '.join(schema.names)}")
    numbers = [*columns.scores, *([] if columns.weight is None else [columns.weight])]
    for name, fits, wanted in (
        *((name, is_number, "a column of numbers") for name in numbers),
        (columns.label, _is_label, "booleans, whole numbers, floats or texts"),
        (columns.day, _is_day, "whole numbers, texts, dates or times"),
    ):
        if name is not None and not fits(schema.field(name).type):
            raise InputError(f"{name} is {schema.field(name).type} in {path}; it must be {wanted}")


def is_number(kind: pa.DataType) -> bool:
    """Return whether values of an Arrow type are real numbers, booleans among them."""
    import pyarrow.types as of

    return of.is_integer(kind) or of.is_floating(kind) or of.is_boolean(kind)


def _is_label(kind: pa.DataType) -> bool:
    return is_number(kind) or is_text(kind)


def _is_day(kind: pa.DataType) -> bool:
    import pyarrow.types as of

    return of.is_integer(kind) or of.is_temporal(kind) or is_text(kind)


def is_text(kind: pa.DataType) -> bool:
    """Return whether values of an Arrow type are texts, those of a dictionary among them."""
    import pyarrow.types as of

    kind = kind.value_type if of.is_dictionary(kind) else kind
    return of.is_string(kind) or of.is_large_string(kind) or of.is_string_view(kind)
