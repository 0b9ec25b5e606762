"""Measure what the package promises, and write docs/benchmarks.json.

`make bench` runs this and then `report.py`, which turns the JSON into docs/benchmarks.md.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import scale
import sklearn
from measure import Row, peak_bytes, side_by_side
from MLstatkit import Delong_test
from rich.progress import track
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from sklearn.metrics import log_loss as sklearn_log_loss

from labkit.data.stream import blocks
from labkit.metrics import ThresholdSweep, bootstrap, brier_score, delong_test, log_loss
from labkit.metrics.statistics import auc, average_precision, recall_at_budget

RESULTS = Path(__file__).parents[1] / "docs" / "benchmarks.json"
BUDGET = 1000
RATES = (0.01, 0.001)
MILLION = 10**6


def records(n: int, base_rate: float = 0.04) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and distinct scores within [0, 1]."""
    rng = np.random.default_rng(0)
    labels = rng.random(n) < base_rate
    scores = rng.random(n)
    scores[labels] **= 0.5
    return labels, scores


def summaries(
    labels: np.ndarray, scores: np.ndarray, sample_weight: np.ndarray | None = None
) -> ThresholdSweep:
    """AUC, AP at three base rates, Brier score and log loss."""
    sweep = ThresholdSweep.from_scores(labels, scores, sample_weight=sample_weight)
    _ = sweep.roc_auc, sweep.average_precision
    _ = [sweep.at_base_rate(rate).average_precision for rate in RATES]
    _ = brier_score(labels, scores), log_loss(labels, scores)
    return sweep


def whole(labels: np.ndarray, scores: np.ndarray, sample_weight: np.ndarray | None = None) -> None:
    """Compute the summaries, both curves and the operating point of a budget."""
    sweep = summaries(labels, scores, sample_weight)
    _ = sweep.fpr, sweep.recall, sweep.precision, sweep.at_budget(BUDGET)


def whole_by_sklearn(
    labels: np.ndarray, scores: np.ndarray, sample_weight: np.ndarray | None = None
) -> None:
    """Compute the same with scikit-learn."""
    weights = {"sample_weight": sample_weight}
    roc_curve(labels, scores, drop_intermediate=False, **weights)
    precision_recall_curve(labels, scores, **weights)
    roc_auc_score(labels, scores, **weights)
    average_precision_score(labels, scores, **weights)
    own = np.ones(len(labels)) if sample_weight is None else sample_weight
    positives, negatives = own[labels].sum(), own[~labels].sum()
    for rate in RATES:
        reweighted = np.where(labels, own, own * positives * (1 - rate) / (rate * negatives))
        average_precision_score(labels, scores, sample_weight=reweighted)
    np.partition(scores, -BUDGET)
    brier_score_loss(labels, scores)
    sklearn_log_loss(labels, scores)


def evaluation_rows() -> Iterator[Row]:
    """Evaluate one detector."""
    for n in (MILLION, 10 * MILLION):
        labels, scores = records(n)
        size = f"{n // MILLION} million records"
        for name, function, bar in (
            ("summaries", summaries, 2.0),
            ("summaries and full table", whole, 2.5),
        ):
            once = partial(function, labels, scores)
            pair = side_by_side(once, partial(np.sort, scores), 9)
            memory = peak_bytes(once) / n
            yield Row(f"{name}, {size}", "one np.sort", *pair, bar, True, bytes_a_record=memory)
        pair = side_by_side(
            partial(whole, labels, scores), partial(whole_by_sklearn, labels, scores)
        )
        yield Row(f"whole evaluation, {size}", "scikit-learn", *pair, 50, False)
    labels, scores = records(MILLION)
    weights = np.random.default_rng(1).random(MILLION)
    pair = side_by_side(
        partial(whole, labels, scores, weights), partial(whole_by_sklearn, labels, scores, weights)
    )
    yield Row("weighted evaluation, 1 million records", "scikit-learn", *pair, 5, False)


def interval_rows() -> Iterator[Row]:
    """Put intervals around two detectors on the same records."""
    n, replicates, share = 10_537, 2000, 20
    rng = np.random.default_rng(0)
    labels = np.arange(n) < 432
    detectors = {"a": rng.normal(size=n) + 2 * labels, "b": rng.normal(size=n) + 1.5 * labels}
    statistics = [auc(), average_precision(), recall_at_budget(80)]

    def ours() -> None:
        bootstrap(labels, detectors, statistics, n_replicates=replicates)

    def loop() -> None:
        draws = np.random.default_rng(0)
        for _ in range(replicates // share):
            rows = draws.integers(0, n, n)
            for scores in detectors.values():
                drawn, y = scores[rows], labels[rows]
                roc_auc_score(y, drawn)
                average_precision_score(y, drawn)
                _ = y[drawn >= np.partition(drawn, -80)[-80]].sum() / y.sum()

    def draws_alone() -> None:
        draws = np.random.default_rng(0)
        for _ in range(replicates):
            np.bincount(draws.integers(0, n, n), minlength=n)

    what = f"paired bootstrap, {replicates:,} replicates"
    seconds, part = side_by_side(ours, loop)
    yield Row(
        what,
        f"scikit-learn in a loop ({share} x a {share}th of it)",
        seconds,
        share * part,
        150,
        False,
    )
    yield Row(what, "drawing the resamples", *side_by_side(ours, draws_alone, 15), 2, True)
    a, b = detectors.values()
    pair = side_by_side(
        partial(delong_test, labels, a, b), partial(Delong_test, labels.astype(int), a, b), 15
    )
    yield Row("DeLong, two detectors", "MLstatkit", *pair, 30, False)


def simulator_rows() -> Iterator[Row]:
    """Simulate flow records, all columns, without writing them."""

    def simulate(n: int) -> None:
        for _ in blocks(n):
            pass

    pair = side_by_side(partial(simulate, 5 * MILLION), lambda: sum(range(1)))
    yield Row("5 million flow records simulated", "one second", pair[0], 1.0, 1, True)
    # A block holds 16 to 33 thousand records, so that memory varies, but does not grow, with n.
    large, small = (peak_bytes(partial(simulate, n)) / 1e6 for n in (50 * MILLION, 5 * MILLION))
    what = "memory of simulating 50 million records"
    yield Row(what, "5 million", large, small, 2, True, "MB")


def import_rows() -> Iterator[Row]:
    """Start Python and import."""

    def importing(module: str) -> None:
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True)

    pair = side_by_side(partial(importing, "labkit"), partial(importing, "numpy"), 15)
    yield Row("import labkit", "import numpy", *pair, 1.2, True)


def measure(part: str) -> None:
    """Measure one part and print its rows as JSON."""
    rows = [row.to_json() for row in PARTS[part]()]
    print(json.dumps(rows))


def in_fresh_python(part: str, **environment: str) -> list[dict]:
    """Return the rows of one part, measured by a Python of its own."""
    done = subprocess.run(
        [sys.executable, __file__, part],
        env=os.environ | {"OMP_NUM_THREADS": "1"} | environment,
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout)


def cpu(field: str) -> str:
    """Return what Linux says of the processor, "" elsewhere."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(field)), "")


def main() -> None:
    """Measure everything."""
    rows = []
    for part in track(PARTS, "measuring"):
        rows += in_fresh_python(part)
    # On processors where NumPy's AVX-512 sort is slow (AMD Zen 4), its AVX2 sort is several times
    # faster, and what stands beside a sort looks different.
    if "avx512f" in cpu("flags"):
        for row in in_fresh_python("evaluation", NPY_DISABLE_CPU_FEATURES="X86_V4"):
            rows.append(row | {"what": f"{row['what']}; NumPy without AVX-512"})
    # Its processes are its own, and use all cores.
    sizes = list(track(scale.sizes(), "measuring files", total=len(scale.SIZES)))
    rows += [row.to_json() for row in scale.rows_of(sizes)]
    machine = {
        "processor": cpu("model name") or platform.machine(),
        "cores": os.cpu_count(),
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    results = {"machine": machine, "rows": rows, "sizes": sizes}
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")


PARTS = {
    "evaluation": evaluation_rows,
    "intervals": interval_rows,
    "simulator": simulator_rows,
    "import": import_rows,
}

if __name__ == "__main__":
    if sys.argv[1:]:
        measure(sys.argv[1])
    else:
        main()
