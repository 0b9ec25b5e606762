"""The columns of Parquet files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from labkit.errors import InputError
from labkit.evaluation.reading.columns import (
    Table,
    Texts,
    not_a_number,
    refuse_missing,
    require_columns,
)
from labkit.metrics.inputs import as_scores
from labkit.scale.reading import readable

if TYPE_CHECKING:
    import pyarrow as pa


def read_parquet(files: Sequence[Path], numbers: Sequence[str], texts: Sequence[str]) -> Table:
    """Read columns of Parquet files; others are not touched.

    Numbers may be of any width, also decimals; single precision is widened as it is.

    Parameters
    ----------
    files
        In order; columns of one type in all of them.
    numbers, texts
        Columns to read as numbers, and as texts.

    Raises
    ------
    InputError
        When pyarrow is not installed, the file is damaged, a column is missing or occurs twice, or
        a number is missing or none.
    """
    try:
        import pyarrow as pa
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install pyarrow`"
        raise InputError(f"{files[0]} is Parquet, which needs pyarrow: {remedy}") from None
    wanted = list(dict.fromkeys([*numbers, *texts]))
    tables = [_read(path, wanted) for path in files]
    try:
        table = pa.concat_tables(tables)
    except pa.ArrowException:
        raise InputError(
            f"{files[0].parent}: the files hold {', '.join(wanted)} in several types; make them "
            "alike"
        ) from None
    if not table.num_rows:
        raise InputError(f"{files[0]} has no records")
    return Table(
        {name: _numbers(table.column(name), name) for name in numbers},
        {name: _texts(table.column(name), name) for name in texts},
    )


def _read(path: Path, wanted: list[str]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            require_columns(path, file.schema_arrow.names, wanted)
            return file.read(columns=wanted)
    except UnicodeEncodeError:
        raise InputError(f"{path} has a name that is not in UTF-8; rename it") from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is damaged or no Parquet file ({error})") from None


def _numbers(column: pa.ChunkedArray, name: str) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    is_number = any(
        of_kind(kind)
        for of_kind in (
            pa.types.is_floating,
            pa.types.is_integer,
            pa.types.is_boolean,
            pa.types.is_decimal,
        )
    )
    if not is_number:
        with readable(column, name):
            first = column[0].as_py()
        raise not_a_number(name, first, 0)
    missing = column.is_null(nan_is_null=True).to_numpy()
    refuse_missing(name, np.count_nonzero(missing), len(missing), int(np.argmax(missing)))
    return as_scores(column.to_numpy(), f"column {name!r}")


def _texts(column: pa.ChunkedArray, name: str) -> Texts:
    import pyarrow as pa

    try:
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        column = column.unify_dictionaries().combine_chunks()
    except pa.ArrowException:
        raise InputError(
            f"column {name!r} holds {column.type}; make it one value a record"
        ) from None
    # In a file of several parts a chunked array can be left.
    whole = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
    with readable(whole, name):
        values = ["" if value is None else str(value) for value in whole.dictionary.to_pylist()]
    # A missing value has no place among the distinct ones; it gets that of an empty text.
    places = whole.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
    # A category that no record has is no label.
    used, codes = np.unique(places, return_inverse=True)
    return Texts(codes, [[*values, ""][place] for place in used])
