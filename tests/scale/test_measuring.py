"""What the benchmarks of files say follows from what they measured."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import report
import scale

SIZES = [
    {
        "records": millions * 10**6,
        "sketch": {"seconds": 0.5 + millions / 40, "MB": 300, "auc": 2e-6, "ap": 2e-4},
    }
    | ({"duckdb": {"seconds": millions / 5, "MB": 60 * millions}} if millions <= 30 else {})
    for millions in scale.SIZES
]
ROWS = [row.to_json() for row in scale.rows_of(SIZES)]
RESULTS = {"machine": {"cores": 2}, "rows": ROWS, "sizes": SIZES}


def test_each_bar_is_held_against_what_was_measured():
    reached = {row["what"]: row["reached"] for row in ROWS}
    assert [what for what, yes in reached.items() if not yes] == [
        "width of the bounds on AP, 30 million"
    ]
    by_what = {row["what"]: row["ratio"] for row in ROWS}
    assert by_what["30 million distinct scores in bins"] == pytest.approx(1.25 / 6)
    assert by_what["memory of 30 million distinct scores in bins"] == pytest.approx(1 / 6)
    assert by_what["100 million records in bins"] == pytest.approx(3 / 5)


def test_the_page_has_a_row_for_every_size():
    page = report.page(RESULTS)
    assert "## More than memory" in page
    assert "| 30,000,000 | 1.25 s | 300 MB | 6 s | 1,800 MB |" in page
    assert "| 100,000,000 | 3 s | 300 MB |  |  |" in page
    assert "| width of the bounds on AUC, 30 million | 1e-05 | 2e-06 | 1e-05 | 0.2 x" in page
    assert "More than memory" not in report.page({"machine": {}, "rows": []})


def test_the_chart_shows_time_and_memory_of_both():
    time, memory = report.draw_sizes(RESULTS).axes
    assert [line.get_label() for line in time.lines] == [
        "bins", "DuckDB, every score", "in proportion",
    ]  # fmt: skip
    assert time.lines[0].get_ydata().tolist() == [size["sketch"]["seconds"] for size in SIZES]
    assert memory.lines[1].get_xdata().tolist() == [1e6, 3e6, 1e7, 3e7]


def test_both_ways_are_measured_in_processes_of_their_own(tmp_path):
    path = tmp_path / "one.parquet"
    scale.write_records(path, 1)
    took = scale.in_turns(path, ("sketch", "duckdb"), 1)
    assert list(took) == ["sketch", "duckdb"]
    for way in took.values():
        assert way["seconds"] > 0
        assert 50 < way["MB"] < 2000
    # A million distinct scores are no more than there may be bins.
    assert took["sketch"]["auc"] == took["sketch"]["ap"] == 0
