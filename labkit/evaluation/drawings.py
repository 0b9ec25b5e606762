"""The figures of a report as SVG in a page, each with a text that says what it shows."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.evaluation import curves
from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.wording import count, enumerated, number_names, percent, rate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_DETECTORS = 6
"""Detectors that are drawn; tables have all."""
_BUDGETS, _BARS = 3, 2500
"""Budgets that are drawn day by day, and days of all of them that a page has room for."""
_PANELS = 3
_ID = re.compile(r'((?:\bid="|href="#|url\(#))')
_PLACE = re.compile(r' (?:d|x|y)="[^"]*"')
_DECIMALS = re.compile(r"\d+\.\d{3,}")


@dataclass(frozen=True)
class Drawing:
    """A figure in a page.

    Attributes
    ----------
    svg
        The element, with ids of its own.
    says
        What it shows, for whoever cannot see it.
    """

    svg: str
    says: str


class Drawings:
    """The figures of one evaluation, in the order they are asked for; ids are numbered through."""

    def __init__(self, evaluation: Evaluation) -> None:
        from labkit.plots.evaluation import legible

        self._evaluation = evaluation
        self._names = legible(list(evaluation.detectors))
        drawn = list(evaluation.detectors.items())[:MOST_DETECTORS]
        self._detectors = {self._names[name]: one for name, one in drawn}
        self._listed = enumerated([name for name, _ in drawn])
        self._made = 0

    @property
    def left_out(self) -> int:
        """How many detectors are not drawn."""
        return len(self._evaluation.detectors) - len(self._detectors)

    @property
    def budgets_drawn(self) -> int:
        """How many budgets are drawn day by day: one at least, fewer where there are many days."""
        first = next(iter(self._detectors.values()))
        if first.days is None:
            return 0
        room = _BARS // (len(first.days) * len(self._detectors))
        return min(len(first.daily_budgets), _BUDGETS, max(1, room))

    def ranking(self) -> list[Drawing]:
        """ROC and precision-recall curves, and the intervals of their areas; [] with one class."""
        from labkit.plots.evaluation import intervals_by_number, ranking_curves

        found = self._ranked()
        if not found:
            return []
        base_rate = next(iter(found.values())).sweep.base_rate
        areas = enumerated([rate(one.auc.estimate) for one in found.values()])
        means = enumerated([rate(one.average_precision.estimate) for one in found.values()])
        drawn = self._drawing(
            lambda: ranking_curves(
                curves.roc_table(found),
                curves.precision_recall_table(found),
                curves.budget_points(found),
                base_rate,
            ),
            f"ROC curves on the left and precision-recall curves on the right of {self._listed}. "
            f"AUC {areas}; average precision {means}; dots mark the alert budgets.",
        )
        names = {share: f"AP at {percent(share)}" for share in self._evaluation.options.base_rates}
        table = curves.interval_table(found, names)
        ends = self._drawing(
            lambda: intervals_by_number(table, x="value"),
            f"AUC and average precisions of {self._listed} with their intervals, which the table "
            "below lists.",
        )
        return [drawn, ends]

    def base_rates(self) -> list[Drawing]:
        """Average precision against the base rate; [] with one class."""
        from labkit.plots.evaluation import base_rate_projection

        found, marked = self._ranked(), list(self._evaluation.options.base_rates)
        if not found:
            return []
        own = {name: one.sweep.base_rate for name, one in found.items()}
        return [
            self._drawing(
                lambda: base_rate_projection(curves.base_rate_table(found, marked), own, marked),
                f"Average precision of {self._listed} against the base rate, from rare to common "
                "attacks: every line rises with the base rate. Dots mark these records.",
            )
        ]

    def budgets(self) -> list[Drawing]:
        """Alerts and attacks found on each day, a figure a budget; [] where no day is known."""
        from labkit.plots.evaluation import budget_by_day

        drawn = []
        first = next(iter(self._detectors.values()))
        for place, daily in enumerate(first.daily_budgets[: self.budgets_drawn]):
            days = {}
            for name, one in self._detectors.items():
                mine = one.daily_budgets[place]
                days[name] = mine.one_threshold.days[["alerts", "tp"]].assign(
                    found=mine.ranking.days["tp"]
                )
            said = "; ".join(
                f"{name}: {count(table['alerts'].min())} to {count(table['alerts'].max())} alerts "
                f"a day, {count(table['tp'].sum())} attacks found by the threshold and "
                f"{count(table['found'].sum())} in ranking mode"
                for name, table in zip(self._evaluation.detectors, days.values(), strict=False)
            )
            drawn.append(
                self._drawing(
                    lambda days=days, daily=daily: budget_by_day(days, daily.per_day),
                    f"Bars of the alerts of one threshold on each of {len(first.days)} days, with "
                    f"a line at the budget of {count(daily.per_day)} a day. {said}.",
                )
            )
        return drawn

    def costs(self) -> list[Drawing]:
        """Cost against threshold, a panel a detector; [] where there are no costs."""
        from labkit.plots.evaluation import costs_by_threshold

        found = {name: one for name, one in self._detectors.items() if one.costs is not None}
        tables = {name: curves.cost_table(one) for name, one in found.items()}
        tables = {name: table for name, table in tables.items() if len(table)}
        if not tables:
            return []
        least = {
            name: (of.threshold, of.cost)
            for name, of in ((name, found[name].costs.least) for name in tables)
        }
        rule = {
            name: found[name].costs.rule.threshold
            for name in tables
            if found[name].costs.rule is not None
        }
        return [
            self._drawing(
                lambda: costs_by_threshold(tables, least, rule),
                f"Total cost of every threshold of {self._listed}, with a dot at the least: "
                + enumerated([count(cost) for _, cost in least.values()])
                + ".",
            )
        ]

    def calibration(self) -> list[Drawing]:
        """Reliability diagrams, three to a figure; [] where no score is a probability."""
        import pandas as pd

        from labkit.plots import reliability

        tables = [
            one.calibration.bins.assign(model=name)
            for name, one in self._detectors.items()
            if one.calibration is not None
        ]
        drawn = []
        for first in range(0, len(tables), _PANELS):
            some = pd.concat(tables[first : first + _PANELS])
            filled = some[some["count"] > 0]
            below = int((filled["observed"] < filled["mean_predicted"]).sum())
            drawn.append(
                self._drawing(
                    lambda some=some: reliability(some),
                    "Reliability diagrams: the observed share of attacks against the mean "
                    f"probability in bins, with intervals. {below} of {len(filled)} points lie "
                    "below the line, where too many attacks are promised.",
                )
            )
        return drawn

    def pairs(self) -> list[Drawing]:
        """Differences of pairs with their intervals; [] where there are none, or too many."""
        from labkit.plots.evaluation import intervals_by_number

        called = number_names(self._evaluation)
        table = curves.difference_table(self._evaluation.pairs, self._names, called)
        if table.empty or self.left_out:
            return []
        return [
            self._drawing(
                lambda: intervals_by_number(table, x="difference", zero=True),
                "Differences between detectors with their intervals and a line at 0; the table "
                "below lists them.",
            )
        ]

    def _ranked(self) -> curves.Detectors:
        return {
            name: one
            for name, one in self._detectors.items()
            if one.sweep.positives and one.sweep.negatives
        }

    def _drawing(self, draw: Callable[[], Figure], says: str) -> Drawing:
        self._made += 1
        return Drawing(as_svg(draw, f"f{self._made}-", says), says)


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
