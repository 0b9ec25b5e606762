"""Files of few distinct scores: DuckDB counts the records of each, for all detectors at once.

DuckDB rather than Polars: over 30 million records on two cores both take about as long where there
are a thousand distinct scores, DuckDB in half the memory; where there are a million, DuckDB takes
two thirds of the time and a third of the memory. It also keeps to the memory it is told, and groups
by several columns, each for itself, in one pass.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from labkit.errors import InputError
from labkit.scale.counting import sweep_of_counts, sweeps_by_group
from labkit.scale.judged import Detectors, Judged, check_weights
from labkit.scale.look import Plan
from labkit.scale.pieces import check_days
from labkit.scale.reading import Faults, as_block, refuse
from labkit.scale.source import Columns, Source, is_number
from labkit.scale.tally import Labels

if TYPE_CHECKING:
    import pyarrow as pa

# What DuckDB needs to read at all.
_LEAST = 2**28
# What the query adds to the columns of the files.
_RECORDS, _WEIGHT, _SET = "labkit records", "labkit weight", "labkit set"
_FAULTY = {
    "is NaN": "coalesce(isnan({0}), true)",
    "is negative": "{0} < 0",
    "is infinite": "isinf({0})",
}


class NotCounted(Exception):  # noqa: N818
    """DuckDB could not; the message says why."""


def counted_records(source: Source, plan: Plan, max_memory: float) -> Judged:
    """Return the sweeps of all detectors, from a table of how many records have each score.

    Raises
    ------
    InputError
        When records are at fault, labels do not say which is positive, or duckdb is missing.
    NotCounted
        When there are more distinct scores than the memory allowed holds, since the records looked
        at were no fair sample, or DuckDB does not know a type.
    """
    columns, faults = source.columns, Counter()
    labels = Labels(columns.pos_label, columns.label)
    table = _table(source, max_memory)
    for name in columns.scores:
        # An old DuckDB takes half precision for bytes.
        if not is_number(table.schema.field(name).type):
            raise NotCounted(f"DuckDB knows no scores of the type of {name}")
    whole: Detectors = {}
    by_day: dict[Hashable, Detectors] = {}
    for place, name in enumerate(columns.scores):
        counts = table.filter(table[_SET].to_numpy() == _set(place, len(columns.scores)))
        found = _weight_faults(columns, counts)
        block = as_block(
            replace(columns, scores=(name,), weight=None),
            counts.combine_chunks().to_batches()[0],
            labels,
            found,
            counts[_RECORDS].to_numpy(),
        )
        # What is missing is so for every detector, and counted once.
        faults |= found
        if faults:
            continue
        amount = counts[_RECORDS if columns.weight is None else _WEIGHT].to_numpy()
        check_weights(source, amount.any())
        kept = amount > 0
        of_class = [np.where(of, amount, 0)[kept] for of in (block.labels, ~block.labels)]
        rows = block.scores[name][kept], *of_class
        whole[name] = sweep_of_counts(*rows)
        if block.days is not None:
            check_days(block.days)
            for code, sweep in sweeps_by_group(block.day[kept], *rows).items():
                by_day.setdefault(block.days[code], {})[name] = sweep
    refuse(faults, source.rows)
    by_day = {day: by_day[day] for day in sorted(by_day)}
    return Judged(plan.method, plan.why, source.rows, whole, by_day)


def _table(source: Source, max_memory: float) -> pa.Table:
    """Return how many records have each score, label and day, one set of rows a detector."""
    try:
        import duckdb
    except ImportError:
        remedy = f"run `{sys.executable} -m pip install duckdb`"
        raise InputError(f"records are counted with duckdb: {remedy}") from None

    # Otherwise these would stand for other files too.
    files = [re.sub(r"([*?\[])", r"[\1]", file) for file in source.files]
    memory = f"{int(max(max_memory, _LEAST))}B"
    try:
        with duckdb.connect(config={"memory_limit": memory, "temp_directory": ""}) as database:
            return database.sql(_query(source.columns), params={"files": files}).to_arrow_table()
    except duckdb.OutOfMemoryException:
        raise NotCounted("there are more distinct scores than seemed at first") from None
    except duckdb.Error as error:
        raise NotCounted(f"DuckDB cannot count them ({error})") from None


def _query(columns: Columns) -> str:
    keys = [_quoted(name) for name in (columns.label, columns.day) if name is not None]
    scores = [_quoted(name) for name in columns.scores]
    wanted = [*scores, *keys, f"count(*) AS {_quoted(_RECORDS)}"]
    wanted.append(f"grouping({', '.join(scores)}) AS {_quoted(_SET)}")
    if columns.weight is not None:
        weight = f"{_quoted(columns.weight)}::DOUBLE"
        wanted.append(f"sum({weight}) AS {_quoted(_WEIGHT)}")
        wanted += [
            f"count(*) FILTER ({test.format(weight)}) AS {_quoted(fault)}"
            for fault, test in _FAULTY.items()
        ]
    sets = ", ".join(f"({', '.join([score, *keys])})" for score in scores)
    return (
        f"SELECT {', '.join(wanted)} FROM read_parquet($files, hive_partitioning = false) "
        f"GROUP BY GROUPING SETS ({sets})"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _set(place: int, scores: int) -> int:
    """Return what GROUPING says where rows are grouped by one of the scores only."""
    return (1 << scores) - 1 - (1 << (scores - 1 - place))


def _weight_faults(columns: Columns, counts: pa.Table) -> Faults:
    if columns.weight is None:
        return Counter()
    records = {fault: int(counts[fault].to_numpy().sum()) for fault in _FAULTY}
    return Counter({(columns.weight, fault): n for fault, n in records.items() if n})
