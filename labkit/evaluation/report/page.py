"""An evaluation as one HTML page that needs no other file, no network and no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.report import drawings, tables
from labkit.evaluation.report.drawings import Drawing, as_svg
from labkit.evaluation.report.in_short import in_short
from labkit.evaluation.report.tables import Table
from labkit.evaluation.report.wording import (
    all_notes,
    cost,
    how_intervals_were_made,
    percent,
    subject,
)


@dataclass(frozen=True)
class Section:
    """A part of a page: what to know of it, its figures as SVG and its tables."""

    slug: str
    title: str
    says: Sequence[str]
    figures: Sequence[Markup] = ()
    tables: Sequence[Table] = ()


def report(evaluation: Evaluation, command: str | None = None) -> str:
    """Return the page.

    The same evaluation and command give the same page, byte by byte.

    Parameters
    ----------
    evaluation
        What was measured.
    command
        What to run to get it again; None for the call that makes it.
    """
    folder = files("labkit.evaluation.report") / "templates"
    # Names of columns and values are whatever the file holds: all are escaped. The SVG is our own.
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    page = environment.from_string((folder / "report.html").read_text(encoding="utf-8"))
    parts = _ranking, _base_rates, _budgets, _costs, _calibration, _pairs
    return page.render(
        css=Markup((folder / "report.css").read_text(encoding="utf-8")),
        evaluation=evaluation,
        title=_title(evaluation),
        subject=subject(evaluation),
        in_short=in_short(evaluation),
        notes=[*all_notes(evaluation), *(("", note) for note in drawings.left_out(evaluation))],
        sections=[part(evaluation) for part in parts],
        intervals=how_intervals_were_made(evaluation),
        command=command or call_of(evaluation),
    )


def _title(evaluation: Evaluation) -> str:
    if evaluation.source:
        return evaluation.source.file
    names = list(evaluation.detectors)
    return " and ".join(names) if len(names) < 3 else f"{len(names)} detectors"


def call_of(evaluation: Evaluation) -> str:
    """Return the Python call that gives an evaluation, its arrays left out."""
    options = evaluation.options
    given = {"budgets": list(options.budgets), "base_rates": list(options.base_rates)}
    for name in ("cost_fp", "cost_fn", "level", "n_replicates", "seed"):
        given[name] = getattr(options, name)
    told = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
    return f"labkit.evaluate(y_true, y_scores, ..., {told})"


def _svgs(slug: str, drawn: Iterable[Drawing]) -> list[Markup]:
    return [
        Markup(as_svg(one.draw, f"{slug}{place}-", one.says)) for place, one in enumerate(drawn)
    ]


def _ranking(evaluation: Evaluation) -> Section:
    says = "With one class there is no ranking to judge."
    drawn = drawings.ranking(evaluation)
    if drawn:
        base_rate = next(iter(evaluation.detectors.values())).base_rate.estimate
        says = (
            "The AUC is the same whatever the share of attacks; average precision is not: it is "
            "the mean precision over the attacks, and a random ranking would have the base rate, "
            f"{percent(base_rate)}."
        )
    figures = _svgs("ranking", drawn)
    return Section("ranking", "Ranking", [says], figures, [tables.areas(evaluation)])


def _base_rates(evaluation: Evaluation) -> Section:
    slug, title = "base-rates", "At other base rates"
    if not evaluation.options.base_rates:
        return Section(slug, title, ["No base rate was given."])
    drawn = drawings.base_rates(evaluation)
    if not drawn:
        return Section(slug, title, ["There is one class only."])
    says = (
        "This supposes that attacks and normal records keep the scores they have, and only their "
        "shares change. The ROC curve and the AUC then stay; precision does not."
    )
    return Section(slug, title, [says], _svgs(slug, drawn), [tables.base_rates(evaluation)])


def _budgets(evaluation: Evaluation) -> Section:
    slug, title = "budgets", "Alert budgets"
    if not evaluation.options.budgets:
        return Section(slug, title, ["No alert budget was given (--budget N)."])
    overall, daily = tables.budgets(evaluation), tables.daily_budgets(evaluation)
    if not daily.rows:
        return Section(slug, title, [], tables=[overall])
    says = (
        "Ranking mode keeps the budget every day. One threshold keeps it on average only, and here "
        "it was read off the days that it is judged on: fixed beforehand it may do worse."
    )
    listed = [daily, overall, *tables.day_by_day(evaluation)]
    return Section(slug, title, [says], _svgs(slug, drawings.budgets(evaluation)), listed)


def _costs(evaluation: Evaluation) -> Section:
    slug, title = "costs", "Costs"
    fp, fn = evaluation.options.cost_fp, evaluation.options.cost_fn
    if fp is None:
        return Section(slug, title, ["No costs were given (--cost-fp X --cost-fn Y)."])
    ratio = "False alerts cost nothing."
    if fp:
        times = "" if fn == fp else f"{cost(fn / fp)} times "
        ratio = f"A missed attack costs {times}as much as a false alert."
    says = (
        f"{ratio} The least cost was found with the labels known: on later records the same "
        "threshold will tend to cost more. The cost threshold needs no labels, but calibrated "
        "probabilities."
    )
    figures = _svgs(slug, drawings.costs(evaluation))
    return Section(slug, title, [says], figures, [tables.costs(evaluation)])


def _calibration(evaluation: Evaluation) -> Section:
    slug, title = "calibration", "Scores as probabilities"
    says = [
        f"{name} is not judged: {one.missing['calibration']}."
        for name, one in evaluation.detectors.items()
        if one.calibration is None
    ]
    if len(says) == len(evaluation.detectors):
        return Section(slug, title, says)
    says.append(
        "Where scores are calibrated their mean is the base rate, and the points lie on the line: "
        "of records given probability p, a share p are attacks. Points below the line promise too "
        "many attacks."
    )
    listed = [tables.probabilities(evaluation), *tables.reliability(evaluation)]
    return Section(slug, title, says, _svgs(slug, drawings.calibration(evaluation)), listed)


def _pairs(evaluation: Evaluation) -> Section:
    slug, title = "pairs", "Detectors compared"
    if len(evaluation.detectors) == 1:
        return Section(slug, title, ["There is one detector only."])
    if not evaluation.pairs:
        return Section(slug, title, ["Comparisons need both classes, and records or days."])
    says = "Where the interval of a difference holds 0, these records do not tell the two apart."
    if len(evaluation.pairs) > 1:
        says += (
            f" These are {len(evaluation.pairs)} comparisons: the more there are, the likelier "
            "one looks like a difference by luck alone."
        )
    figures = _svgs(slug, drawings.pairs(evaluation))
    return Section(slug, title, [says], figures, [tables.differences(evaluation)])
