"""An evaluation as tables for the terminal: a screen or two."""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING

from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.report import tables
from labkit.evaluation.report.tables import Table
from labkit.evaluation.report.wording import (
    all_notes,
    how_intervals_were_made,
    measured,
    percent,
    rate,
    subject,
)
from labkit.terminal import natural_width, printable, table

if TYPE_CHECKING:
    from rich.console import Console

_ROWS = 20
"""Rows of a table; the report and the JSON have all."""

_TOLD = "AUC", "AP"
"""Differences that there is room for."""

_narrow = partial(measured, narrow=True)


def summary(evaluation: Evaluation, width: int) -> str:
    """Return what `print_summary` prints, as plain text of a width."""
    from rich.console import Console

    buffer = io.StringIO()
    print_summary(evaluation, Console(file=buffer, width=width, color_system=None))
    return buffer.getvalue()


def print_summary(evaluation: Evaluation, console: Console) -> None:
    """Print ranking, budgets, costs, calibration, pairs, and what to know before using them."""
    name = f"{evaluation.source.file}: " if evaluation.source else ""
    _line(console, name + subject(evaluation))
    shown = (
        _ranking(evaluation),
        tables.daily_budgets(evaluation, _narrow),
        tables.budgets(evaluation, _narrow),
        _costs(evaluation),
        tables.probabilities(evaluation, _narrow),
        _pairs(evaluation),
    )
    for one in shown:
        _print(console, one)
    _line(console, how_intervals_were_made(evaluation))
    if any("[" in cell for one in shown for row in one.rows[:_ROWS] for cell in row[1:]):
        _line(
            console,
            "In brackets: the least and the most that a number can be, where ties at a budget's "
            "cut or bins of scores leave that open.",
        )
    for name, note in all_notes(evaluation):
        _line(console, f"Note: {name}: {note}" if name else f"Note: {note}")


def _ranking(evaluation: Evaluation) -> Table:
    rows = [
        [name, *map(_narrow, (one.auc, one.average_precision, *one.average_precision_at.values()))]
        for name, one in evaluation.detectors.items()
    ]
    rates = [f"AP at {percent(one)}" for one in evaluation.options.base_rates]
    return Table("Ranking", ["detector", "AUC", "AP", *rates], rows)


def _costs(evaluation: Evaluation) -> Table:
    """Return the thresholds that come from costs, without intervals, for which there is no room."""
    every = tables.costs(evaluation, lambda measure: rate(measure.estimate))
    rows = [row[:-1] for row in every.rows if row[1] in (tables.LEAST, tables.RULE)]
    return Table(every.caption, every.headings[:-1], rows)


def _pairs(evaluation: Evaluation) -> Table:
    headings = ["detectors", *_TOLD]
    rows = [
        [f"{pair.detector} - {pair.baseline}", *(_narrow(pair.differences[one]) for one in _TOLD)]
        for pair in evaluation.pairs
    ]
    tests = [pair.delong for pair in evaluation.pairs]
    if any(tests):
        headings.append("p (DeLong, AUC)")
        p_values = ["" if one is None else tables.p_value(one.p_value) for one in tests]
        rows = [[*row, p] for row, p in zip(rows, p_values, strict=True)]
    return Table("Differences", headings, rows)


def _print(console: Console, one: Table) -> None:
    """Print a table if it has rows; names are shown as they are, whatever signs they hold."""
    from rich.text import Text

    if not one.rows:
        return
    rows = one.rows[:_ROWS]
    for parted in (False, True):
        made = table(one.caption, *one.headings)
        made.title_justify = "left"
        # A long name shall rather be broken than the numbers beside it.
        made.columns[0].no_wrap = False
        for name, *cells in rows:
            told = [
                cell.replace(" (", "\n(").replace(" [", "\n[") if parted else cell for cell in cells
            ]
            made.add_row(*(Text(printable(cell)) for cell in (name, *told)))
        if natural_width(made, console) <= console.width:
            break
    console.print(made)
    if len(one.rows) > _ROWS:
        _line(console, f"{len(one.rows) - _ROWS} more rows: see --out or --json")


def _line(console: Console, text: str) -> None:
    console.print(printable(text), highlight=False, markup=False, emoji=False)
