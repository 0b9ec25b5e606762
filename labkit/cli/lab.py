"""The commands of Lab 2 and its notebooks: numbers, figures, run, lab."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli.app import app
from labkit.cli.progress import progress
from labkit.errors import InputError


@app.command()
def numbers(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    seeds: Annotated[
        int, typer.Option(min=0, help="Repeat the lab on this many other seeds' traffic.")
    ] = 0,
    out: Annotated[
        Path | None, typer.Option(help="With --seeds: write the numbers of each seed as CSV.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder with other flow records; the default is data/.")
    ] = None,
) -> None:
    """Print the lesson's numbers beside this repository's, with 95 % intervals.

    The exit code is 1 if any number is off.
    """
    if out and not seeds:
        raise InputError("--out needs --seeds: it writes one row a seed")
    if seeds:
        _numbers_of_seeds(seeds, out, as_json=as_json)
        return
    from labkit.data import load_flows
    from labkit.data.files import FLOWS
    from labkit.lab2 import experiment, lesson, uncertainty

    lab = experiment.run(load_flows(data / FLOWS if data else None))
    intervals = uncertainty.intervals(lab)
    comparisons = lesson.compare(experiment.numbers(lab), intervals)
    if as_json:
        typer.echo(json.dumps({key: c.to_json() for key, c in comparisons.items()}, indent=2))
    else:
        from labkit.tables import print_comparisons

        print_comparisons(comparisons, uncertainty.few_days(lab, intervals))
    if not all(c.within for c in comparisons.values()):
        sys.exit(1)


def _numbers_of_seeds(count: int, out: Path | None, *, as_json: bool) -> None:
    from labkit.atomic import atomic_write
    from labkit.lab2 import seeds as other

    if out and out.is_dir():
        raise InputError(f"{out} is a folder; name a file to write")
    chosen = range(other.FIRST_FRESH_SEED, other.FIRST_FRESH_SEED + count)
    results = []
    with progress("seeds", count) as advance:
        for result in other.numbers_of_seeds(chosen):
            results.append(result)
            advance()
    table = other.seed_table(chosen, results)
    if out:
        with atomic_write(out) as file:
            file.write(table.to_csv(lineterminator="\n").encode())
    summary, shares = other.seed_summary(table), other.story_shares(table)
    if as_json:
        # One seed has no spread; JSON has no NaN.
        known = summary.astype(object).where(summary.notna(), None)
        numbers_json = {"numbers": known.to_dict("index"), "story": shares.to_dict()}
        typer.echo(json.dumps(numbers_json, indent=2))
    else:
        from labkit.tables import print_seeds

        print_seeds(summary, shares, count)


@app.command()
def figures(
    check: Annotated[
        bool, typer.Option("--check", help="Compare with figures/ and write nothing.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder; the default is figures/.")] = None,
) -> None:
    """Write every figure as SVG, PNG and the CSV behind it; with --check, say which differ."""
    import matplotlib as mpl

    mpl.use("agg")
    from labkit.lab2 import figure_files

    folder = out or figure_files.FIGURES_FOLDER
    if not check:
        with progress("figures", len(figure_files.FIGURES)) as advance:
            figure_files.write_figures(folder, advance)
        return
    differences = figure_files.check_figures(folder)
    for difference in differences:
        typer.echo(difference)
    if differences:
        sys.exit(1)
    typer.echo(f"{len(figure_files.FIGURES)} figures agree with their data")


@app.command()
def run(
    notebooks: Annotated[
        list[Path] | None, typer.Argument(help="Notebooks; all of the course if none is named.")
    ] = None,
) -> None:
    """Execute notebooks from the top and store their outputs."""
    from labkit.course import notebooks as course

    paths = notebooks or course.course_notebooks()
    seconds = {}
    with progress("notebooks", len(paths)) as advance:
        for path in paths:
            seconds[path.name] = course.execute_in_place(path)
            advance(path.stem)
    for name, spent in seconds.items():
        typer.echo(f"{spent:6.1f} s  {name}")


@app.command()
def lab() -> None:
    """Open JupyterLab on the first notebook."""
    from labkit.course import notebooks as course

    # From the repository's folder, so that links between notebooks and texts lead somewhere.
    first = course.course_notebooks()[0]
    root = first.parents[1]
    command = [
        *(sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"),
        f"--LabApp.default_url=/lab/tree/{first.relative_to(root).as_posix()}",
    ]
    if os.name == "posix":
        # In place of this process, so that Ctrl-C reaches JupyterLab alone, which then asks.
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))
