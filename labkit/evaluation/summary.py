"""An evaluation as tables for the terminal: a screen or two."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.results import Measure, ThresholdResult
from labkit.evaluation.wording import (
    all_notes,
    bounds,
    cost,
    count,
    how_intervals_were_made,
    percent,
    rate,
    subject,
    threshold,
)
from labkit.terminal import printable, table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_ROWS = 20
"""Rows of a table; the report and the JSON have all."""

Row = tuple[str, ...]


def as_text(evaluation: Evaluation, width: int) -> str:
    """Return what `print_summary` prints, as plain text of a width."""
    from rich.console import Console

    buffer = io.StringIO()
    print_summary(evaluation, Console(file=buffer, width=width, color_system=None))
    return buffer.getvalue()


def print_summary(evaluation: Evaluation, console: Console) -> None:
    """Print ranking, budgets, costs, calibration, pairs, and what to know before using them."""
    name = f"{evaluation.source.file}: " if evaluation.source else ""
    _line(console, name + subject(evaluation))
    rates = [f"AP at {percent(one)}" for one in evaluation.options.base_rates]
    _table(console, "Ranking", ["detector", "AUC", "AP", *rates], _ranking(evaluation))
    _table(
        console,
        "Budgets a day",
        ["detector", "budget", "threshold", "alerts", "recall", "precision"],
        _daily(evaluation),
    )
    _table(
        console,
        "Budgets in all",
        ["detector", "alerts", "threshold", "tied", "recall", "precision"],
        _budgets(evaluation),
    )
    _table(
        console,
        "Costs",
        ["detector", "threshold from", "threshold", "alerts", "recall", "precision", "cost"],
        _costs(evaluation),
    )
    _table(
        console,
        "As probabilities",
        ["detector", "Brier score", "log loss", "mean prediction"],
        _calibration(evaluation),
    )
    _table(
        console, "Differences", ["detectors", "AUC", "AP", "p (DeLong, AUC)"], _pairs(evaluation)
    )
    _line(console, how_intervals_were_made(evaluation))
    for name, note in all_notes(evaluation):
        _line(console, f"Note: {name}: {note}" if name else f"Note: {note}")


def _ranking(evaluation: Evaluation) -> Iterator[Row]:
    for name, one in evaluation.detectors.items():
        measures = one.auc, one.average_precision, *one.average_precision_at.values()
        yield name, *map(_measured, measures)


def _budgets(evaluation: Evaluation) -> Iterator[Row]:
    for name, one in evaluation.detectors.items():
        for budget in one.budgets:
            yield (
                name,
                count(budget.budget),
                threshold(budget.at_threshold),
                count(budget.ties_at_cut),
                _measured(budget.recall),
                _measured(budget.precision),
            )


def _daily(evaluation: Evaluation) -> Iterator[Row]:
    for name, one in evaluation.detectors.items():
        for daily in one.daily_budgets:
            ranking, fixed = daily.ranking, daily.one_threshold
            per_day = count(daily.per_day)
            shares = _measured(ranking.recall), _measured(ranking.precision)
            yield name, per_day, "ranking mode", per_day, *shares
            at = fixed.at_threshold
            shares = _measured(at.recall), _measured(at.precision)
            alerts = f"{count(fixed.fewest)}-{count(fixed.most)}"
            yield name, per_day, threshold(at), alerts, *shares


def _costs(evaluation: Evaluation) -> Iterator[Row]:
    for name, one in evaluation.detectors.items():
        if one.costs is None:
            continue
        *row, least = _cost_row(one.costs.least)
        yield (
            name,
            "least cost",
            *row,
            f"{least} {bounds(one.costs.least_bounds, 0, ' to ')}".strip(),
        )
        if one.costs.rule is not None:
            yield name, "cost threshold", *_cost_row(one.costs.rule)


def _measured(measure: Measure) -> str:
    """Return a number and its interval, which a narrow column breaks apart only between the two."""
    said = [rate(measure.estimate)]
    if not math.isnan(measure.low):
        between = "-" if measure.low >= 0 else " to "
        said.append(f"({rate(measure.low)}{between}{rate(measure.high)})")
    if measure.bounds:
        # No more digits than a narrow column holds.
        said.append(bounds(measure.bounds, 4, "-" if measure.bounds[0] >= 0 else " to "))
    return " ".join(said)


def _cost_row(at: ThresholdResult) -> Row:
    shares = rate(at.recall.estimate), rate(at.precision.estimate)
    return threshold(at), count(at.alerts), *shares, cost(at.cost)


def _calibration(evaluation: Evaluation) -> Iterator[Row]:
    for name, one in evaluation.detectors.items():
        judged = one.calibration
        if judged is not None:
            measures = judged.brier_score, judged.log_loss, judged.mean_prediction
            yield name, *map(_measured, measures)


def _pairs(evaluation: Evaluation) -> Iterator[Row]:
    for pair in evaluation.pairs:
        yield (
            f"{pair.detector} - {pair.baseline}",
            _measured(pair.differences["AUC"]),
            _measured(pair.differences["AP"]),
            "" if pair.delong is None else f"{pair.delong.p_value:.2g}",
        )


def _table(console: Console, title: str, headings: list[str], rows: Iterator[Row]) -> None:
    """Print a table if it has rows; names are shown as they are, whatever signs they hold."""
    from rich.text import Text

    shown = list(islice(rows, _ROWS))
    if not shown:
        return
    made: Table = table(title, *headings)
    made.title_justify = "left"
    for row in shown:
        made.add_row(*(Text(printable(cell)) for cell in row))
    console.print(made)
    left = sum(1 for _ in rows)
    if left:
        _line(console, f"{left} more rows: see --out or --json")


def _line(console: Console, text: str) -> None:
    console.print(printable(text), highlight=False, markup=False, emoji=False)
