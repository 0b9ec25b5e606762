"""docs/benchmarks.md says what the run's own JSON says, and the ratios are those of its times."""

import json
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import measure  # noqa: E402
import report  # noqa: E402

RESULTS = json.loads((REPOSITORY / "docs" / "benchmarks.json").read_text())


def test_the_page_is_that_of_the_last_run():
    assert (REPOSITORY / "docs" / "benchmarks.md").read_text() == report.page(RESULTS)


@pytest.mark.parametrize("row", RESULTS["rows"], ids=lambda row: row["what"])
def test_each_verdict_follows_from_the_times(row):
    if row["at_most"]:
        assert row["ratio"] == pytest.approx(row["ours"] / row["theirs"])
        assert row["reached"] == (row["ratio"] <= row["bar"])
    else:
        assert row["ratio"] == pytest.approx(row["theirs"] / row["ours"])
        assert row["reached"] == (row["ratio"] >= row["bar"])
    assert f"| {row['what']} | {row['against']} |" in report.page(RESULTS)


def test_the_median_and_the_turns():
    calls = []
    measure.side_by_side(lambda: calls.append("ours"), lambda: calls.append("theirs"), 3)
    assert calls == ["ours", "theirs"] * 3


def test_peak_memory_is_counted_beyond_what_was_there():
    # With room for what other threads of the test runner hold meanwhile.
    assert 1e7 <= measure.peak_bytes(lambda: bytearray(10**7)) < 1.2e7
