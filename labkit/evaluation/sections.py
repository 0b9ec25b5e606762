"""The parts of a report: what each says, its figures and its tables, as texts and SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from labkit.evaluation import readings
from labkit.evaluation.drawings import Drawing, Drawings
from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.plain import as_text
from labkit.evaluation.readings import Said
from labkit.evaluation.results import (
    DailyBudgetResult,
    DetectorResult,
    Measure,
    PairResult,
    ThresholdResult,
)
from labkit.evaluation.wording import (
    bounds,
    cost,
    count,
    measured,
    number_names,
    percent,
    rate,
    threshold,
)

_DAYS = 62
"""Days that a table lists; the JSON has all."""


_LEAST = "least cost"


@dataclass(frozen=True)
class Table:
    """A table of a page: its caption, its headings and its rows, all texts."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    folded: bool = False


@dataclass(frozen=True)
class Section:
    """A part of a page: what it says, its figures and its tables, or why it is absent."""

    slug: str
    title: str
    says: Sequence[Said]
    drawings: Sequence[Drawing] = ()
    tables: Sequence[Table] = ()


def sections(evaluation: Evaluation, drawings: Drawings) -> list[Section]:
    """Return the parts of a report in order; one that is absent says why."""
    return [
        part(evaluation, drawings)
        for part in (_ranking, _base_rates, _budgets, _costs, _calibration, _pairs)
    ]


def _ranking(evaluation: Evaluation, drawings: Drawings) -> Section:
    headings = ["detector", "AUC", "by", "average precision", "by", "distinct scores"]
    rows = [
        [
            name,
            measured(one.auc),
            _by(one.auc),
            measured(one.average_precision),
            _by(one.average_precision),
            count(one.distinct_scores) + (" bins" if one.auc.bounds else ""),
        ]
        for name, one in evaluation.detectors.items()
    ]
    delong = [one.auc_delong for one in evaluation.detectors.values() if one.auc_delong != one.auc]
    if delong and None not in delong:
        headings.append("AUC by DeLong, as if records were independent")
        rows = [[*row, measured(area)] for row, area in zip(rows, delong, strict=True)]
    tables = [Table("Areas under the curves", headings, rows)]
    return Section("ranking", "Ranking", readings.ranking(evaluation), drawings.ranking(), tables)


def _base_rates(evaluation: Evaluation, drawings: Drawings) -> Section:
    title = "At other base rates"
    rates = evaluation.options.base_rates
    drawn = drawings.base_rates() if rates else ()
    if not drawn:
        why = "No base rate was given." if not rates else "There is one class only."
        return Section("base-rates", title, [("", why)])
    headings = ["detector", "at", "here", *map(percent, rates)]
    rows = []
    for name, one in evaluation.detectors.items():
        at_rates = map(measured, one.average_precision_at.values())
        rows.append([name, "average precision", measured(one.average_precision), *at_rates])
        for what, at in _thresholds(one):
            projected = map(measured, at.precision_at.values())
            rows.append([name, f"precision, {what}", measured(at.precision), *projected])
    table = Table("Average precision, and precision of fixed thresholds", headings, rows)
    return Section("base-rates", title, readings.base_rates(evaluation), drawn, [table])


def _thresholds(one: DetectorResult) -> Iterator[tuple[str, ThresholdResult]]:
    """Yield every threshold that was looked at, and what it comes from."""
    for daily in one.daily_budgets:
        yield f"{count(daily.per_day)} alerts a day", daily.one_threshold.at_threshold
    for budget in one.budgets:
        yield f"{count(budget.budget)} alerts in all", budget.at_threshold
    if one.costs is not None:
        yield _LEAST, one.costs.least
        if one.costs.rule is not None:
            yield "cost threshold", one.costs.rule


def _budgets(evaluation: Evaluation, drawings: Drawings) -> Section:
    title = "Alert budgets"
    if not evaluation.options.budgets:
        return Section("budgets", title, [("", "No alert budget was given (--budget N).")])
    daily, overall, folded = [], [], []
    for name, one in evaluation.detectors.items():
        for budget in one.daily_budgets:
            daily += _daily_rows(name, budget)
            folded.append(_day_table(name, one, budget))
        for budget in one.budgets:
            overall.append(
                [
                    name,
                    count(budget.budget),
                    threshold(budget.at_threshold),
                    count(budget.ties_at_cut),
                    measured(budget.recall),
                    measured(budget.precision),
                ]
            )
    tables = []
    if daily:
        headings = ["detector", "a day", "how", "threshold", "alerts", "recall", "precision"]
        tables.append(Table("A budget a day", headings, daily))
    headings = ["detector", "alerts", "threshold", "tied at the cut", "recall", "precision"]
    tables += [Table("A budget for all records together", headings, overall), *folded]
    return Section("budgets", title, readings.budgets(evaluation), drawings.budgets(), tables)


def _daily_rows(name: str, budget: DailyBudgetResult) -> Iterator[list[str]]:
    ranked, fixed = budget.ranking, budget.one_threshold
    at, per_day = fixed.at_threshold, count(budget.per_day)
    yield [
        name,
        per_day,
        "ranking mode",
        "",
        count(ranked.alerts),
        measured(ranked.recall),
        measured(ranked.precision),
    ]
    yield [
        name,
        per_day,
        f"one threshold: {count(fixed.fewest)} to {count(fixed.most)} a day",
        threshold(at),
        count(at.alerts),
        measured(at.recall),
        measured(at.precision),
    ]


def _day_table(name: str, one: DetectorResult, budget: DailyBudgetResult) -> Table:
    ranked, fixed = budget.ranking.days, budget.one_threshold.days
    rows = []
    for place, day in enumerate(one.days.index[:_DAYS]):
        own, mine, theirs = (table.iloc[place] for table in (one.days, ranked, fixed))
        rows.append(
            [
                as_text(day),
                count(own["records"]),
                count(own["attacks"]),
                rate(own["auc"]),
                count(mine["tp"]),
                rate(mine["recall"]),
                _of_day(theirs, "alerts"),
                _of_day(theirs, "tp"),
                rate(theirs["recall"]),
            ]
        )
    listed = f", the first {_DAYS} of {len(one.days)} days" if len(one.days) > _DAYS else ""
    return Table(
        f"Day by day: {name}, {count(budget.per_day)} alerts a day{listed}",
        [
            "day",
            "records",
            "attacks",
            "AUC",
            "found in ranking mode",
            "recall",
            "alerts of the threshold",
            "of these attacks",
            "recall",
        ],
        rows,
        folded=True,
    )


def _of_day(row: Mapping[str, float], name: str) -> str:
    """Return a count of a day, with its bounds where the threshold cuts one of the day's bins."""
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return count(row[name]) + ("" if low == high else f" {bounds((low, high), 0)}")


def _costs(evaluation: Evaluation, drawings: Drawings) -> Section:
    title = "Costs"
    if evaluation.options.cost_fp is None:
        return Section("costs", title, [("", "No costs were given (--cost-fp X --cost-fn Y).")])
    rows = []
    for name, one in evaluation.detectors.items():
        for what, at in _thresholds(one):
            least = one.costs.least_bounds if what == _LEAST else None
            rows.append(
                [
                    name,
                    what,
                    threshold(at),
                    count(at.alerts),
                    measured(at.recall),
                    measured(at.precision),
                    f"{cost(at.cost)} {bounds(least, 0)}".strip(),
                    measured(at.cost_per_record),
                ]
            )
        for what, total in (
            ("alert on nothing", one.costs.on_nothing),
            ("alert on everything", one.costs.on_everything),
        ):
            rows.append([name, what, "", "", "", "", cost(total), rate(total / one.records)])
    headings = ["detector", "threshold from", "threshold", "alerts", "recall", "precision"]
    tables = [Table("What errors cost", [*headings, "cost", "cost a record"], rows)]
    return Section("costs", title, readings.costs(evaluation), drawings.costs(), tables)


def _calibration(evaluation: Evaluation, drawings: Drawings) -> Section:
    title = "Scores as probabilities"
    judged = {
        name: one.calibration
        for name, one in evaluation.detectors.items()
        if one.calibration is not None
    }
    if not judged:
        # Without the last sentence, which is on how to read the figure.
        return Section("calibration", title, readings.calibration(evaluation)[:-1])
    rows = [
        [name, measured(of.brier_score), measured(of.log_loss), measured(of.mean_prediction)]
        for name, of in judged.items()
    ]
    tables = [
        Table(
            "Scores of probabilities",
            ["detector", "Brier score", "log loss", "mean prediction"],
            rows,
        )
    ]
    for name, of in judged.items():
        bins = [
            [
                f"{row.lower:g} to {row.upper:g}",
                count(row.count_),
                count(row.attacks),
                rate(row.mean_predicted),
                measured(Measure(row.observed, row.low, row.high)),
            ]
            for row in of.bins.rename(columns={"count": "count_"}).itertuples()
        ]
        headings = ["scores", "records", "attacks", "mean prediction", "observed share (Wilson)"]
        tables.append(Table(f"Bins: {name}", headings, bins, folded=True))
    return Section(
        "calibration", title, readings.calibration(evaluation), drawings.calibration(), tables
    )


def _pairs(evaluation: Evaluation, drawings: Drawings) -> Section:
    title = "Detectors compared"
    if not evaluation.pairs:
        why = "There is one detector only."
        if len(evaluation.detectors) > 1:
            why = "Comparisons need both classes, and records or days."
        return Section("pairs", title, [("", why)])
    called = number_names(evaluation)
    rows = [row for pair in evaluation.pairs for row in _pair_rows(pair, called)]
    tables = [Table("Differences", ["detectors", "number", "difference", "by", "p"], rows)]
    return Section("pairs", title, readings.pairs(evaluation), drawings.pairs(), tables)


def _pair_rows(pair: PairResult, called: Mapping[str, str]) -> Iterator[list[str]]:
    name = f"{pair.detector} - {pair.baseline}"
    for number, difference in pair.differences.items():
        yield [name, called[number], measured(difference), _by(difference), ""]
    test = pair.delong
    if test is not None:
        # Where nothing varies the interval has no width, which would look like certainty.
        ends = (test.low, test.high) if test.variance else ()
        difference = Measure(test.difference, *ends)
        how = "DeLong, as if records were independent"
        yield [name, "AUC", measured(difference), how, _p_value(test.p_value)]


def _p_value(p: float) -> str:
    if math.isnan(p):
        return "-"
    return "below 0.0001" if p < 1e-4 else f"{p:.2g}"


def _by(measure: Measure) -> str:
    """Return how an interval was made, or why there is none."""
    return measure.interval or measure.reason or ""
