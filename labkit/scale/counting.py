"""Exact sweeps from tables of how many records have each score.

Where scores have few distinct values, a table of them is small however many records there are, and
says all that a sweep needs. `GROUP BY score` makes one in any database; of Parquet, DuckDB does.

DuckDB rather than Polars: over 30 million records on two cores both take about as long where there
are a thousand distinct scores, DuckDB in half the memory; where there are a million, DuckDB takes
two thirds of the time and a third of the memory. It also keeps to the memory it is told.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep
from labkit.metrics.inputs import as_codes, as_scores, check_lengths
from labkit.scale.files import Columns, Part, is_number, is_text, rows_of
from labkit.scale.reading import LARGEST_WEIGHT, TIME, as_block, check_days, check_weights, refuse
from labkit.scale.tally import Labels

if TYPE_CHECKING:
    import pyarrow as pa

# Bytes that DuckDB needs to read at all.
_LEAST = 2**28
# What the query adds to the columns of the files.
_RECORDS, _WEIGHT = "labkit records", "labkit weight"
_FAULTY = {
    "is NaN": "coalesce(isnan({0}), true)",
    "is negative": "{0} < 0",
    "is infinite": "isinf({0})",
    f"is above {LARGEST_WEIGHT:g}": f"{{0}} > {LARGEST_WEIGHT} AND isfinite({{0}})",
}


def sweep_of_counts(scores: ArrayLike, attacks: ArrayLike, normals: ArrayLike) -> ThresholdSweep:
    """Return the sweep of records of which each score's number is known.

    Parameters
    ----------
    scores
        Scores in any order, shape (m,); infinities are scores, and what is counted under equal
        ones is added.
    attacks, normals
        Records of either class with that score (or their weight), shape (m,).

    Raises
    ------
    InputError
        On NaN scores, counts that are negative or all zero, and unequal lengths.

    Examples
    --------
    >>> sweep = sweep_of_counts([0.1, 0.9, 0.5], [0, 2, 1], [7, 1, 2])
    >>> sweep.thresholds.tolist(), sweep.tp.tolist(), sweep.fp.tolist()
    ([0.9, 0.5, 0.1], [2, 3, 3], [1, 3, 10])
    """
    columns = {
        "scores": as_scores(scores, "scores") + 0.0,
        "attacks": as_scores(attacks, "attacks"),
        "normals": as_scores(normals, "normals"),
    }
    check_lengths(**columns)
    for name in ("attacks", "normals"):
        if (least := columns[name].min()) < 0:
            raise InputError(f"{name} holds {least:g}; a count is 0 or more")
    thresholds, at = np.unique(columns["scores"], return_inverse=True)
    # Each count goes to its score; of those that are whole the sums are too, below 2**53.
    tp, fp = (
        np.bincount(at, weights=columns[name])[::-1].cumsum() for name in ("attacks", "normals")
    )
    return ThresholdSweep.from_counts(thresholds[::-1], tp, fp, positives=tp[-1], negatives=fp[-1])


def sweeps_by_group(
    groups: ArrayLike, scores: ArrayLike, attacks: ArrayLike, normals: ArrayLike
) -> dict[Hashable, ThresholdSweep]:
    """Return the sweep of each group, such as a day, in order of the groups.

    Parameters
    ----------
    groups
        Group of each row, shape (m,).
    scores, attacks, normals
        As in `sweep_of_counts`, of the records of the group.

    Raises
    ------
    InputError
        As `sweep_of_counts`, and on missing groups.

    Examples
    --------
    >>> by_day = sweeps_by_group([1, 0, 1], [0.5, 0.5, 0.1], [1, 1, 0], [0, 3, 4])
    >>> {day: sweep.alerts.tolist() for day, sweep in by_day.items()}
    {0: [4], 1: [1, 5]}
    """
    codes, distinct = as_codes(groups, "groups")
    columns = [np.asarray(column) for column in (scores, attacks, normals)]
    check_lengths(groups=codes, scores=columns[0], attacks=columns[1], normals=columns[2])
    return {
        group: sweep_of_counts(*(column[codes == code] for column in columns))
        for code, group in enumerate(distinct.tolist())
    }


class NotCounted(Exception):  # noqa: N818
    """DuckDB could not; the message says why."""


def counted_records(
    columns: Columns, parts: list[Part], max_memory: float
) -> tuple[dict[str, ThresholdSweep], dict[Hashable, dict[str, ThresholdSweep]]]:
    """Return the sweep of each detector on all records, and by day.

    Raises
    ------
    InputError
        When records are at fault, labels do not say which is positive, or duckdb is missing.
    NotCounted
        When there are more distinct scores than the memory allowed holds, since the records looked
        at were no fair sample, or DuckDB does not know a type.
    """
    labels, faults = Labels(columns.pos_label, columns.label), Counter()
    whole, by_day = {}, {}
    for name in columns.scores:
        of_one = replace(columns, score=name)
        counts = _table(of_one, parts, max_memory)
        amount = records = counts[_RECORDS].to_numpy()
        found = Counter()
        if columns.weight is not None:
            amount = counts[_WEIGHT].to_numpy()
            sums = {fault: int(counts[fault].to_numpy().sum()) for fault in _FAULTY}
            found = Counter({(columns.weight, fault): n for fault, n in sums.items() if n})
        (batch,) = counts.combine_chunks().to_batches()
        block = as_block(replace(of_one, weight=None), batch, labels, found, records)
        # What is missing is so for every detector, and counted once.
        faults |= found
        if faults:
            continue
        check_weights(columns, amount.any())
        kept = amount > 0
        of_class = [np.where(of, amount, 0)[kept] for of in (block.labels, ~block.labels)]
        table = block.scores[name][kept], *of_class
        whole[name] = sweep_of_counts(*table)
        if block.days:
            check_days(block.days)
            for code, sweep in sweeps_by_group(block.day[kept], *table).items():
                by_day.setdefault(block.days[code], {})[name] = sweep
    refuse(faults, rows_of(parts))
    return whole, {day: by_day[day] for day in sorted(by_day)}


def _table(columns: Columns, parts: list[Part], max_memory: float) -> pa.Table:
    """Return how many records have each score, label and day."""
    try:
        import duckdb
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install duckdb`"
        raise InputError(f"records are counted with duckdb: {remedy}") from None

    _check_names(columns, parts)
    # Otherwise these would stand for other files too.
    paths = dict.fromkeys(part.path for part in parts)
    files = [re.sub(r"([*?\[])", r"[\1]", path) for path in paths]
    day = None if columns.day is None else _day(parts[0].path, columns.day)
    memory = f"{int(max(max_memory, _LEAST))}B"
    try:
        with duckdb.connect(config={"memory_limit": memory, "temp_directory": ""}) as database:
            counts = database.sql(_query(columns, day), params={"files": files}).to_arrow_table()
    except duckdb.OutOfMemoryException:
        raise NotCounted("there are more distinct scores than seemed at first") from None
    except duckdb.Error as error:
        raise NotCounted(f"DuckDB cannot count them ({error})") from None
    # An old DuckDB takes half precision for bytes.
    if not is_number(counts.schema.field(columns.score).type):
        raise NotCounted(f"DuckDB knows no scores of the type of {columns.score}")
    return counts


def _check_names(columns: Columns, parts: list[Part]) -> None:
    """Raise NotCounted where DuckDB might take another column: to it score and Score are one."""
    import pyarrow.parquet as pq

    wanted = [name.casefold() for name in (columns.score, columns.label, columns.day) if name]
    reserved = {_RECORDS, _WEIGHT, *_FAULTY} if columns.weight is not None else {_RECORDS}
    reserved = {name.casefold() for name in reserved}
    if len(set(wanted)) < len(wanted) or reserved & set(wanted):
        raise NotCounted("DuckDB cannot tell apart what the columns are called")
    for path in dict.fromkeys(part.path for part in parts):
        found = Counter(name.casefold() for name in pq.read_schema(path).names)
        for name in columns.names:
            if found[name.casefold()] > 1 or "\0" in name:
                raise NotCounted(f"DuckDB cannot tell {name} from what other columns are called")


def _day(path: str, name: str) -> str:
    """Return the expression of a record's day, times cut to their date."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind, day = pq.read_schema(path).field(name).type, _quoted(name)
    if pa.types.is_timestamp(kind):
        if kind.tz is not None:
            raise NotCounted(f"DuckDB does not know the date of a {kind}")
        return f"{day}::DATE"
    if is_text(kind):
        return f"CASE WHEN regexp_matches({day}, '{TIME}') THEN {day}[1:10] ELSE {day} END"
    return day


def _query(columns: Columns, day: str | None) -> str:
    keys = [_quoted(columns.score), _quoted(columns.label)]
    wanted = list(keys)
    if day is not None:
        keys.append(day)
        wanted.append(f"{day} AS {_quoted(columns.day)}")
    wanted = [*wanted, f"count(*) AS {_quoted(_RECORDS)}"]
    if columns.weight is not None:
        weight = f"{_quoted(columns.weight)}::DOUBLE"
        wanted.append(f"sum({weight}) AS {_quoted(_WEIGHT)}")
        wanted += [
            f"count(*) FILTER ({test.format(weight)}) AS {_quoted(fault)}"
            for fault, test in _FAULTY.items()
        ]
    return (
        f"SELECT {', '.join(wanted)} FROM read_parquet($files, hive_partitioning = false) "
        f"GROUP BY {', '.join(keys)}"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
