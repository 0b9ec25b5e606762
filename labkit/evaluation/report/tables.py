"""The tables of an evaluation, all texts: those of terminal and page, and the page's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from labkit.evaluation.evaluation import Evaluation, as_text
from labkit.evaluation.report.wording import (
    bounds,
    cost,
    count,
    measured,
    number_names,
    percent,
    rate,
    threshold,
)
from labkit.evaluation.results import DailyBudgetResult, DetectorResult, Measure, ThresholdResult

Shown = Callable[[Measure], str]
"""How a number is written."""

LEAST, RULE = "least cost", "cost threshold"
"""Where the thresholds of costs come from."""
_DAYS = 62
"""Days that a table lists; the JSON has all."""


@dataclass(frozen=True)
class Table:
    """A table: its caption, its headings and its rows."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    folded: bool = False


def daily_budgets(evaluation: Evaluation, shown: Shown = measured) -> Table:
    """Return what each budget a day finds, in ranking mode and by one threshold."""
    rows = []
    for name, one in evaluation.detectors.items():
        for daily in one.daily_budgets:
            per_day, ranked, fixed = count(daily.per_day), daily.ranking, daily.one_threshold
            at, alerts = fixed.at_threshold, f"{count(fixed.fewest)}-{count(fixed.most)}"
            for how, spent, of in (
                ("ranking mode", per_day, ranked),
                (threshold(at), alerts, at),
            ):
                rows.append([name, per_day, how, spent, shown(of.recall), shown(of.precision)])
    headings = ["detector", "budget", "threshold", "alerts", "recall", "precision"]
    return Table("Budgets a day", headings, rows)


def budgets(evaluation: Evaluation, shown: Shown = measured) -> Table:
    """Return what each budget for all records together finds."""
    rows = [
        [
            name,
            count(budget.budget),
            threshold(budget.at_threshold),
            count(budget.ties_at_cut),
            shown(budget.recall),
            shown(budget.precision),
        ]
        for name, one in evaluation.detectors.items()
        for budget in one.budgets
    ]
    headings = ["detector", "alerts", "threshold", "tied", "recall", "precision"]
    return Table("Budgets in all", headings, rows)


def costs(evaluation: Evaluation, shown: Shown = measured) -> Table:
    """Return what the errors of every threshold cost, and of none."""
    rows = []
    for name, one in evaluation.detectors.items():
        if one.costs is None:
            continue
        for what, at in _thresholds(one):
            least = one.costs.least_bounds if what == LEAST else None
            rows.append(
                [
                    name,
                    what,
                    threshold(at),
                    count(at.alerts),
                    shown(at.recall),
                    shown(at.precision),
                    f"{cost(at.cost)} {bounds(least, 0)}".strip(),
                    shown(at.cost_per_record),
                ]
            )
        for what, alerts, total in (
            ("alert on nothing", 0, one.costs.on_nothing),
            ("alert on everything", one.records, one.costs.on_everything),
        ):
            a_record = rate(total / one.records)
            rows.append([name, what, "", count(alerts), "", "", cost(total), a_record])
    headings = ["detector", "threshold from", "threshold", "alerts", "recall", "precision", "cost"]
    return Table("Costs", [*headings, "cost a record"], rows)


def probabilities(evaluation: Evaluation, shown: Shown = measured) -> Table:
    """Return how good scores are as probabilities."""
    rows = [
        [name, shown(of.brier_score), shown(of.log_loss), shown(of.mean_prediction)]
        for name, one in evaluation.detectors.items()
        if (of := one.calibration) is not None
    ]
    headings = ["detector", "Brier score", "log loss", "mean prediction"]
    return Table("As probabilities", headings, rows)


def areas(evaluation: Evaluation) -> Table:
    """Return the areas under the curves, and DeLong's intervals where others stand beside them."""
    headings = ["detector", "AUC", "average precision", "distinct scores"]
    rows = [
        [
            name,
            measured(one.auc),
            measured(one.average_precision),
            count(one.distinct_scores) + (" bins" if one.auc.bounds else ""),
        ]
        for name, one in evaluation.detectors.items()
    ]
    delong = [one.auc_delong for one in evaluation.detectors.values() if one.auc_delong != one.auc]
    if delong and None not in delong:
        headings.append("AUC by DeLong, as if records were independent")
        rows = [[*row, measured(area)] for row, area in zip(rows, delong, strict=True)]
    return Table("Areas under the curves", headings, rows)


def base_rates(evaluation: Evaluation) -> Table:
    """Return average precision, and the precision of every threshold, at other base rates."""
    rows = []
    for name, one in evaluation.detectors.items():
        at_rates = map(measured, one.average_precision_at.values())
        rows.append([name, "average precision", measured(one.average_precision), *at_rates])
        for what, at in _thresholds(one):
            projected = map(measured, at.precision_at.values())
            rows.append([name, f"precision, {what}", measured(at.precision), *projected])
    headings = ["detector", "at", "here", *map(percent, evaluation.options.base_rates)]
    return Table("Average precision, and precision of fixed thresholds", headings, rows)


def _thresholds(one: DetectorResult) -> Iterator[tuple[str, ThresholdResult]]:
    """Yield every threshold that was looked at, and what it comes from."""
    for daily in one.daily_budgets:
        yield f"{count(daily.per_day)} alerts a day", daily.one_threshold.at_threshold
    for budget in one.budgets:
        yield f"{count(budget.budget)} alerts in all", budget.at_threshold
    if one.costs is not None:
        yield LEAST, one.costs.least
        if one.costs.rule is not None:
            yield RULE, one.costs.rule


def day_by_day(evaluation: Evaluation) -> list[Table]:
    """Return what each daily budget finds on each day, a table a detector and budget."""
    return [
        _days(name, one, daily)
        for name, one in evaluation.detectors.items()
        for daily in one.daily_budgets
    ]


def _days(name: str, one: DetectorResult, daily: DailyBudgetResult) -> Table:
    tables = one.days, daily.ranking.days, daily.one_threshold.days
    rows = []
    for place, day in enumerate(one.days.index[:_DAYS]):
        own, ranked, fixed = (table.iloc[place] for table in tables)
        rows.append(
            [
                as_text(day),
                count(own["records"]),
                count(own["attacks"]),
                rate(own["auc"]),
                count(ranked["tp"]),
                rate(ranked["recall"]),
                _of_day(fixed, "alerts"),
                _of_day(fixed, "tp"),
                rate(fixed["recall"]),
            ]
        )
    listed = f", the first {_DAYS} of {len(one.days)} days" if len(one.days) > _DAYS else ""
    caption = f"Day by day: {name}, {count(daily.per_day)} alerts a day{listed}"
    headings = ["day", "records", "attacks", "AUC", "found in ranking mode", "recall"]
    headings += ["alerts of the threshold", "of these attacks", "recall"]
    return Table(caption, headings, rows, folded=True)


def _of_day(row: Mapping[str, float], name: str) -> str:
    """Return a count of a day, with its bounds where the threshold cuts one of the day's bins."""
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return count(row[name]) + ("" if low == high else f" {bounds((low, high), 0)}")


def reliability(evaluation: Evaluation) -> list[Table]:
    """Return the reliability table of each detector whose scores are probabilities."""
    headings = ["scores", "records", "attacks", "mean prediction", "observed share (Wilson)"]
    tables = []
    for name, one in evaluation.detectors.items():
        if one.calibration is None:
            continue
        rows = [
            [
                f"{row['lower']:g} to {row['upper']:g}",
                count(row["count"]),
                count(row["attacks"]),
                rate(row["mean_predicted"]),
                measured(Measure(row["observed"], row["low"], row["high"])),
            ]
            for _, row in one.calibration.bins.iterrows()
        ]
        tables.append(Table(f"Bins: {name}", headings, rows, folded=True))
    return tables


def differences(evaluation: Evaluation) -> Table:
    """Return every difference of every two detectors."""
    called, rows = number_names(evaluation), []
    for pair in evaluation.pairs:
        name = f"{pair.detector} - {pair.baseline}"
        for number, difference in pair.differences.items():
            rows.append([name, called[number], measured(difference), difference.interval or "", ""])
        if (test := pair.delong) is not None:
            # Where nothing varies the interval has no width, which would look like certainty.
            ends = (test.low, test.high) if test.variance else ()
            how = "DeLong, as if records were independent"
            difference = measured(Measure(test.difference, *ends))
            rows.append([name, "AUC", difference, how, p_value(test.p_value)])
    return Table("Differences", ["detectors", "number", "difference", "by", "p"], rows)


def p_value(p: float) -> str:
    """Return a p-value to two digits.

    Examples
    --------
    >>> p_value(0.0123), p_value(1e-9)
    ('0.012', 'below 0.0001')
    """
    if math.isnan(p):
        return "-"
    return "below 0.0001" if p < 1e-4 else f"{p:.2g}"
