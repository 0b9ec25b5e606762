"""Turn docs/benchmarks.json into docs/benchmarks.md and the charts in it."""

import json
from pathlib import Path

import matplotlib.pyplot as plt

from labkit.plots.style import BLUE, GREY, STYLE, VERMILION

DOCS = Path(__file__).parents[1] / "docs"
HEAD = """# Benchmarks

Each row is one ratio: what is promised beside what it is measured against, run in turns within one
run on one machine, so that both meet the same load; medians of at least five, in one thread. (The
simulator is set beside a second, and memory is measured once.) Made by `make bench`
from [`benchmarks/`](../benchmarks/run.py); the numbers are those of
[`benchmarks.json`](benchmarks.json), written by the run itself.

![Each ratio beside its bar](benchmarks.svg)

| what | against | ours | theirs | ratio | bar | reached | extra bytes a record |
|---|---|---:|---:|---:|---:|---|---:|
"""
TAIL = """
"Whole evaluation" is: the ROC and the precision-recall curve at every threshold, AUC, average
precision at the records' own base rate and at 1 % and 0.1 %, the threshold of a budget, Brier score
and log loss. Summaries are all of it but the curves and the budget. The scikit-learn loop of the
bootstrap takes about a minute, so a part of it is timed and multiplied. Memory is what NumPy held
at most beyond its inputs.

The bars were set beforehand, on a machine whose sort of a million scores takes 17 ms. Ratios to one
sort hang on how fast it is: where NumPy takes 5 to 10 ms, everything else, mostly the first touch
of new memory, weighs more beside it; where its AVX-512 sort is slow, as on AMD's Zen 4 (50 ms), the
same work looks cheap, and scikit-learn, which sorts by another algorithm, does not. So NumPy is
measured with AVX-512 and without (`NPY_DISABLE_CPU_FEATURES=X86_V4`). A shared machine moves each
ratio by a tenth or two from run to run.
"""


FILES = """
## More than memory

![Time and peak memory of files of growing size](benchmarks-files.svg)

| records | bins: time | bins: peak memory | DuckDB: time | DuckDB: peak memory |
|---:|---:|---:|---:|---:|
"""
FILES_TAIL = """
Parquet files of distinct scores, all cores, each run in a process of its own: its peak memory is
all that the process held, Python and libraries included, and the seconds leave out their import.
"Bins" is `sweep_parquet` with `max_memory=0`, from the first look to the bounds on AUC and AP.
DuckDB counts the records of every score, the least that an exact answer takes, and no row of the
table is fetched. The bounds are those of scores within 0 and 1 of which attacks have the higher.
"""


def amount(value: float, unit: str) -> str:
    """Return a time, a size or a number to three digits."""
    if value >= 1000:
        return f"{value:,.0f} {unit}"
    if not unit:
        return f"{value:.3g}"
    return f"{value:.3g} {unit}" if unit != "s" or value >= 1 else f"{1000 * value:.3g} ms"


def line(row: dict) -> str:
    """Return one row of the table."""
    memory = row["bytes_a_record"]
    cells = (
        row["what"],
        row["against"],
        amount(row["ours"], row["unit"]),
        amount(row["theirs"], row["unit"]),
        f"{row['ratio']:.3g} x {'the cost' if row['at_most'] else 'cheaper'}",
        f"{'at most' if row['at_most'] else 'at least'} {row['bar']:.3g}",
        "yes" if row["reached"] else "**no**",
        "" if memory is None else f"{memory:.1f}",
    )
    return f"| {' | '.join(cells)} |\n"


def page(results: dict) -> str:
    """Return docs/benchmarks.md."""
    machine = ", ".join(f"{name} {value}" for name, value in results["machine"].items())
    text = f"{HEAD}{''.join(map(line, results['rows']))}\nMeasured on: {machine}.\n{TAIL}"
    if "sizes" not in results:
        return text
    return f"{text}{FILES}{''.join(map(size_line, results['sizes']))}{FILES_TAIL}"


def size_line(size: dict) -> str:
    """Return the row of one size of file."""
    cells = [f"{size['records']:,}"]
    for way in ("sketch", "duckdb"):
        took = size.get(way)
        cells += [amount(took["seconds"], "s"), amount(took["MB"], "MB")] if took else ["", ""]
    return f"| {' | '.join(cells)} |\n"


def draw(results: dict) -> plt.Figure:
    """Draw each ratio as a part of its bar, or a multiple."""
    rows = results["rows"][::-1]
    with plt.style.context(STYLE):
        figure, axes = plt.subplots(figsize=(8, 0.8 + 0.34 * len(rows)), layout="constrained")
        for place, row in enumerate(rows):
            # Right of the line is better, whichever way the bar points.
            margin = row["bar"] / row["ratio"] if row["at_most"] else row["ratio"] / row["bar"]
            colour, marker = (BLUE, "o") if row["reached"] else (VERMILION, "X")
            axes.plot([1, margin], [place, place], color=colour, lw=1.5)
            axes.plot(margin, place, marker, color=colour, ms=7)
        axes.axvline(1, color=GREY, lw=1)
        axes.set(
            xscale="log",
            yticks=range(len(rows)),
            yticklabels=[f"{row['what']}\nagainst {row['against']}" for row in rows],
            xlabel="how many times better than its bar (log scale)",
        )
        axes.tick_params(axis="y", labelsize=7)
        ticks = [0.5, 1, 2, 5, 10]
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    return figure


def draw_sizes(results: dict) -> plt.Figure:
    """Draw time and peak memory against the number of records."""
    with plt.style.context(STYLE):
        figure, panels = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
        for way, name, colour, marker in (
            ("sketch", "bins", BLUE, "o"),
            ("duckdb", "DuckDB, every score", VERMILION, "s"),
        ):
            sizes = [size for size in results["sizes"] if way in size]
            records = [size["records"] for size in sizes]
            for axes, what in zip(panels, ("seconds", "MB"), strict=True):
                took = [size[way][what] for size in sizes]
                axes.plot(records, took, color=colour, marker=marker, label=name)
        # Through the bins' last point: in proportion to the records.
        last = results["sizes"][-1]
        all_records = [size["records"] for size in results["sizes"]]
        in_proportion = [last["sketch"]["seconds"] * n / last["records"] for n in all_records]
        panels[0].plot(all_records, in_proportion, color=GREY, lw=1, ls=":", label="in proportion")
        panels[0].set(xscale="log", yscale="log", xlabel="records", ylabel="seconds")
        panels[1].set(xscale="log", xlabel="records", ylabel="peak memory (MB)")
        panels[1].set_ylim(bottom=0)
        panels[0].legend()
    return figure


def main() -> None:
    """Write the page and the charts."""
    results = json.loads((DOCS / "benchmarks.json").read_text())
    (DOCS / "benchmarks.md").write_text(page(results))
    draw(results).savefig(DOCS / "benchmarks.svg", metadata={"Date": None})
    if "sizes" in results:
        draw_sizes(results).savefig(DOCS / "benchmarks-files.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
