"""The command for anyone's scores: evaluate."""

import json
import os
import shlex
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from labkit.cli.app import app
from labkit.cli.progress import progress
from labkit.errors import InputError


@app.command()
def evaluate(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV (also .csv.gz), Parquet or a folder of Parquet files; a record a row."
        ),
    ],
    score: Annotated[list[str], typer.Option(help="Column of scores; once for each detector.")],
    label: Annotated[str, typer.Option(help="Column that says what is an attack.")],
    positive: Annotated[
        str | None, typer.Option(help="The label that means attack, if it is not 1 or true.")
    ] = None,
    day: Annotated[
        str | None, typer.Option(help="Column of days (or times): budgets day by day.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Column of hosts or the like, whose records are alike.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of weights.")] = None,
    budget: Annotated[
        list[float] | None, typer.Option(help="Alerts, in all and a day; may be repeated.")
    ] = None,
    base_rate: Annotated[
        list[float] | None,
        typer.Option(help="Share of attacks to project to; may be repeated. [0.01 and 0.001]"),
    ] = None,
    cost_fp: Annotated[float | None, typer.Option(help="Cost of one false alert.")] = None,
    cost_fn: Annotated[float | None, typer.Option(help="Cost of one missed attack.")] = None,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    replicates: Annotated[int, typer.Option(help="Resamples; 0 for none.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the resamples.")] = 0,
    max_memory: Annotated[
        float, typer.Option(help="GB that may be used: what does not fit is counted.", min=0)
    ] = 1,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers do the work.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write a report: one HTML file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Judge the scores of any detector: ranking, budgets, costs, calibration, with intervals.

    A higher score must mean a likelier attack. The guide is docs/evaluate.md.
    """
    if out:
        _check_writable(out, file)
    from labkit.evaluation import evaluate_file

    result = evaluate_file(
        file, score, label, positive=positive, day=day, group=group, weight=weight,
        budgets=budget or (), base_rates=base_rate or None, cost_fp=cost_fp, cost_fn=cost_fn,
        level=level, n_replicates=replicates, seed=seed, max_memory=max_memory * 1e9,
        scheduler=scheduler, progress=_progress,
    )  # fmt: skip
    if out:
        import matplotlib as mpl

        from labkit.atomic import atomic_write

        mpl.use("agg")
        page = result.to_html(shlex.join(["labkit", *sys.argv[1:]])).encode(
            errors="backslashreplace"
        )
        with atomic_write(out) as report:
            report.write(page)
    if as_json:
        typer.echo(json.dumps(result.to_dict(), indent=2, allow_nan=False))
        return
    from labkit.evaluation.report.summary import print_summary
    from labkit.terminal import console, printable

    print_summary(result, console())
    if out:
        typer.echo(f"wrote {printable(str(out))}")


def _progress(what: str, total: int) -> AbstractContextManager:
    """Show a bar to whoever is watching, and nothing in a log."""
    return progress(what, total) if sys.stderr.isatty() else nullcontext(lambda: None)


def _check_writable(out: Path, source: Path) -> None:
    """Raise unless a report can be written, before anything is computed; leaves nothing behind."""
    if out.is_dir():
        raise InputError(f"{out} is a folder; name a file to write")
    if out.exists() and not out.is_file():
        raise InputError(f"--out {out} is a pipe or a device; name a file to write")
    sources = source.rglob("*") if source.is_dir() else [source]
    if out.exists() and any(one.exists() and out.samefile(one) for one in sources):
        raise InputError(f"--out {out} is the file of the scores; name another file")
    folder = out.absolute().parent
    while not folder.exists():
        folder = folder.parent
    try:
        if out.exists() and not os.access(out, os.W_OK):
            raise PermissionError(13, "Permission denied")
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from None
