"""The figures of a report, each with a text that says what it shows to whoever cannot see it."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.report import curves
from labkit.evaluation.report.wording import count, enumerated, number_names, percent, rate
from labkit.evaluation.results import DetectorResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_DETECTORS = 6
"""Detectors that are drawn; tables have all."""
_BUDGETS, _BARS = 3, 2500
"""Budgets that are drawn day by day, and days of all of them that a page has room for."""
_PANELS = 3
_ID = re.compile(r'((?:\bid="|href="#|url\(#))')
_PLACE = re.compile(r' (?:d|x|y)="[^"]*"')
_DECIMALS = re.compile(r"\d+\.\d{3,}")


class Drawing(NamedTuple):
    """How to draw a figure, and what it shows."""

    draw: Callable[[], Figure]
    says: str


def left_out(evaluation: Evaluation) -> Iterator[str]:
    """Yield what is not drawn."""
    if len(evaluation.detectors) > _MOST_DETECTORS:
        yield (
            f"The first {_MOST_DETECTORS} detectors are drawn; the tables list all "
            f"{len(evaluation.detectors)}."
        )
    drawn, given = _budgets_drawn(evaluation), len(evaluation.options.budgets)
    if 0 < drawn < given:
        yield f"Day by day {drawn} of the {given} budgets are drawn; the tables list all."


def ranking(evaluation: Evaluation) -> list[Drawing]:
    """ROC and precision-recall curves, and the intervals of their areas; [] with one class."""
    from labkit.plots.evaluation import intervals_by_number, ranking_curves

    found = _ranked(evaluation)
    if not found:
        return []
    base_rate = next(iter(found.values())).sweep.base_rate
    areas = enumerated([rate(one.auc.estimate) for one in found.values()])
    means = enumerated([rate(one.average_precision.estimate) for one in found.values()])
    ends = curves.interval_table(
        (number, name, measure)
        for name, one in found.items()
        for number, measure in (
            ("AUC", one.auc),
            ("AP", one.average_precision),
            *((f"AP at {percent(at)}", of) for at, of in one.average_precision_at.items()),
        )
    )
    return [
        Drawing(
            lambda: ranking_curves(
                curves.roc_table(found),
                curves.precision_recall_table(found),
                curves.budget_points(found),
                base_rate,
            ),
            "ROC curves on the left and precision-recall curves on the right of "
            f"{_listed(evaluation)}. AUC {areas}; average precision {means}; dots mark the alert "
            "budgets.",
        ),
        Drawing(
            lambda: intervals_by_number(ends, x="value"),
            f"AUC and average precisions of {_listed(evaluation)} with their intervals, which the "
            "tables list.",
        ),
    ]


def base_rates(evaluation: Evaluation) -> list[Drawing]:
    """Average precision against the base rate; [] with one class."""
    from labkit.plots.evaluation import base_rate_projection

    found, marked = _ranked(evaluation), list(evaluation.options.base_rates)
    if not found:
        return []
    own = {name: one.sweep.base_rate for name, one in found.items()}
    return [
        Drawing(
            lambda: base_rate_projection(curves.base_rate_table(found, marked), own, marked),
            f"Average precision of {_listed(evaluation)} against the base rate, from rare to "
            "common attacks: every line rises with the base rate. Dots mark these records.",
        )
    ]


def budgets(evaluation: Evaluation) -> Iterator[Drawing]:
    """Yield alerts and attacks found on each day, a figure a budget."""
    from labkit.plots.evaluation import budget_by_day

    detectors = _drawn(evaluation)
    for place, budget in enumerate(evaluation.options.budgets[: _budgets_drawn(evaluation)]):
        days = {}
        for name, one in detectors.items():
            daily = one.daily_budgets[place]
            fixed, found = daily.one_threshold.days, daily.ranking.days["tp"]
            days[name] = fixed[["alerts", "tp"]].assign(found=found)
        said = "; ".join(
            f"{name}: {count(of['alerts'].min())} to {count(of['alerts'].max())} alerts a day, "
            f"{count(of['tp'].sum())} attacks found by the threshold and "
            f"{count(of['found'].sum())} in ranking mode"
            for name, of in zip(evaluation.detectors, days.values(), strict=False)
        )
        yield Drawing(
            partial(budget_by_day, days, budget),
            f"Bars of the alerts of one threshold on each of {len(fixed)} days, with a "
            f"line at the budget of {count(budget)} a day. {said}.",
        )


def costs(evaluation: Evaluation) -> list[Drawing]:
    """Cost against threshold, a panel a detector; [] where no threshold is finite."""
    from labkit.plots.evaluation import costs_by_threshold

    detectors = _drawn(evaluation)
    tables = {name: curves.cost_table(one) for name, one in detectors.items()}
    tables = {name: table for name, table in tables.items() if len(table)}
    if not tables:
        return []
    found = {name: detectors[name].costs for name in tables}
    least = {name: (one.least.threshold, one.least.cost) for name, one in found.items()}
    rule = {name: one.rule.threshold for name, one in found.items() if one.rule is not None}
    return [
        Drawing(
            lambda: costs_by_threshold(tables, least, rule),
            f"Total cost of every threshold of {_listed(evaluation)}, with a dot at the least: "
            + enumerated([count(cost) for _, cost in least.values()])
            + ".",
        )
    ]


def calibration(evaluation: Evaluation) -> Iterator[Drawing]:
    """Yield reliability diagrams, three to a figure."""
    import pandas as pd

    from labkit.plots import reliability

    tables = [
        one.calibration.bins.assign(model=name)
        for name, one in _drawn(evaluation).items()
        if one.calibration is not None
    ]
    for first in range(0, len(tables), _PANELS):
        some = pd.concat(tables[first : first + _PANELS])
        filled = some[some["count"] > 0]
        below = int((filled["observed"] < filled["mean_predicted"]).sum())
        yield Drawing(
            partial(reliability, some),
            "Reliability diagrams: the observed share of attacks against the mean probability in "
            f"bins, with intervals. {below} of {len(filled)} points lie below the line, where too "
            "many attacks are promised.",
        )


def pairs(evaluation: Evaluation) -> list[Drawing]:
    """Differences of pairs with their intervals; [] where there are none, or too many."""
    from labkit.plots.evaluation import intervals_by_number, legible

    called, names = number_names(evaluation), legible(list(evaluation.detectors))
    table = curves.interval_table(
        (called[number], f"{names[pair.detector]} - {names[pair.baseline]}", difference)
        for pair in evaluation.pairs
        for number, difference in pair.differences.items()
    )
    if table.empty or len(names) > _MOST_DETECTORS:
        return []
    return [
        Drawing(
            lambda: intervals_by_number(table, x="difference", zero=True),
            "Differences between detectors with their intervals and a line at 0; the table below "
            "lists them.",
        )
    ]


def _drawn(evaluation: Evaluation) -> dict[str, DetectorResult]:
    """Return the detectors that are drawn, by names that can be."""
    from labkit.plots.evaluation import legible

    names = legible(list(evaluation.detectors))
    drawn = list(evaluation.detectors.items())[:_MOST_DETECTORS]
    return {names[name]: one for name, one in drawn}


def _ranked(evaluation: Evaluation) -> dict[str, DetectorResult]:
    return {
        name: one
        for name, one in _drawn(evaluation).items()
        if one.sweep.positives and one.sweep.negatives
    }


def _listed(evaluation: Evaluation) -> str:
    return enumerated(list(evaluation.detectors)[:_MOST_DETECTORS])


def _budgets_drawn(evaluation: Evaluation) -> int:
    """Return how many budgets are drawn day by day: at least one, fewer of many days."""
    detectors = _drawn(evaluation)
    days = next(iter(detectors.values())).days
    if days is None:
        return 0
    room = max(1, _BARS // (len(days) * len(detectors)))
    return min(len(evaluation.options.budgets), _BUDGETS, room)


def as_svg(draw: Callable[[], Figure], prefix: str, says: str) -> str:
    """Return a figure as an SVG element that can stand beside others in a page.

    Texts stay texts, so that a browser shows signs which matplotlib's font lacks.

    Parameters
    ----------
    draw
        Gives the figure.
    prefix
        What its ids begin with.
    says
        Its alternative text.
    """
    import matplotlib.pyplot as plt
    from markupsafe import escape

    buffer = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = draw()
        try:
            with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "labkit"}):
                nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
                figure.savefig(buffer, format="svg", metadata=nothing)
        finally:
            plt.close(figure)
    element = buffer.getvalue().partition("<svg")[2]
    element = _ID.sub(rf"\g<1>{prefix}", element)
    # A hundredth of a point is more than any screen shows, and a third of the file.
    element = _PLACE.sub(lambda place: _DECIMALS.sub(_rounded, place[0]), element)
    return f'<svg role="img" aria-label="{escape(says)}"{element}'.rstrip()


def _rounded(number: re.Match) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
