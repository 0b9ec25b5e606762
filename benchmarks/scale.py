"""Measure files of more records than memory is to hold: time and memory of processes of their own.

`run.py` calls this. Each way is a fresh Python that reads a file and prints what it took, so that
its peak memory is its own; ours and theirs take turns.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measure import Row

MILLION = 10**6
SIZES = (1, 3, 10, 30, 100)
"""Millions of records in the files."""
COMPARED, MOST = 30, 100
"""Millions of records that DuckDB is compared on, and that are sketched at most."""


def write_records(path: Path, millions: int) -> None:
    """Write labels and distinct scores within [0, 1], a million a row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    schema = pa.schema({"label": pa.bool_(), "score": pa.float64()})
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(millions):
            labels, scores = rng.random(MILLION) < 0.04, rng.random(MILLION)
            scores[labels] **= 0.5
            writer.write_table(pa.table({"label": labels, "score": scores}, schema))


def sketch(path: str) -> dict:
    """Sketch the scores, and read the bounds off."""
    from labkit.scale.parquet import sweep_parquet

    judged = sweep_parquet(path, score="score", label="label", max_memory=0)
    found = judged.whole["score"]
    # Of no more scores than bins there may be, each is one, and areas are plain numbers.
    areas = {"auc": found.roc_auc, "ap": found.average_precision}
    return {name: getattr(area, "width", 0.0) for name, area in areas.items()}


def duckdb(path: str) -> dict:
    """Count the records of every score, the least that an exact answer takes; fetch nothing."""
    import duckdb

    duckdb.sql(
        "SELECT count(*), sum(tp), sum(fp) FROM (SELECT score, count(*) FILTER (label) AS tp, "
        f"count(*) FILTER (NOT label) AS fp FROM '{path}' GROUP BY score)"
    ).fetchall()
    return {}


WAYS = {"sketch": sketch, "duckdb": duckdb}


def taken(way: str, path: str) -> dict:
    """Return the seconds and the peak memory of one way, imports left out of the seconds."""
    __import__("pyarrow.parquet" if way == "sketch" else "duckdb")
    began = time.perf_counter()
    found = WAYS[way](path)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "MB": peak_bytes() / 1e6} | found


def peak_bytes() -> int:
    """Return the most memory that this process held at once."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        # Bytes on macOS.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Not what getrusage says: on Linux that counts the parent in, from before this program began.
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def in_turns(path: Path, ways: tuple[str, ...], repeats: int) -> dict[str, dict]:
    """Return the medians of each way, run in turns so that all meet the same machine."""
    runs: dict[str, list[dict]] = {way: [] for way in ways}
    for _ in range(repeats):
        for way in ways:
            done = subprocess.run(
                [sys.executable, __file__, way, path],
                env=os.environ | {"OMP_NUM_THREADS": "1"},
                check=True,
                stdout=subprocess.PIPE,
            )
            runs[way].append(json.loads(done.stdout))
    return {
        way: {name: statistics.median(run[name] for run in of) for name in of[0]}
        for way, of in runs.items()
    }


def sizes(repeats: int = 5) -> Iterator[dict]:
    """Measure files of growing size; DuckDB on those that it holds in memory."""
    with tempfile.TemporaryDirectory() as folder:
        for millions in SIZES:
            path = Path(folder) / f"{millions}.parquet"
            write_records(path, millions)
            ways = ("sketch", "duckdb") if millions <= COMPARED else ("sketch",)
            yield {"records": millions * MILLION} | in_turns(path, ways, repeats)
            path.unlink()


def rows_of(measured: list[dict]) -> Iterator[Row]:
    """Set what was measured beside its bars."""
    by_size = {size["records"] // MILLION: size for size in measured}
    small, compared, most = (by_size[millions]["sketch"] for millions in (10, COMPARED, MOST))
    exact = by_size[COMPARED]["duckdb"]
    what, against = f"{COMPARED} million distinct scores in bins", "DuckDB, GROUP BY score"
    yield Row(what, against, compared["seconds"], exact["seconds"], 0.5, True)
    memory = f"memory of {COMPARED} million distinct scores in bins"
    yield Row(memory, against, compared["MB"], exact["MB"], 1 / 3, True, "MB")
    for name, bar in (("AUC", 1e-5), ("AP", 1e-4)):
        what = f"width of the bounds on {name}, {COMPARED} million"
        yield Row(what, f"{bar:g}", compared[name.lower()], bar, 1, True, "")
    what = f"{MOST} million records in bins"
    yield Row(what, "a second for each 20 million", most["seconds"], MOST / 20, 1, True)
    a_record = most["seconds"] / MOST, small["seconds"] / 10
    yield Row(f"{MOST} million records in bins, a million", "of 10 million", *a_record, 1.2, True)
    what = f"memory of {MOST} million records in bins"
    yield Row(what, "10 million", most["MB"], small["MB"], 1.2, True, "MB")


if __name__ == "__main__":
    print(json.dumps(taken(*sys.argv[1:])))
