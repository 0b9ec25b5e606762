"""An evaluation as one HTML page that needs no other file, no network and no script."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from labkit.evaluation import readings
from labkit.evaluation.drawings import MOST_DETECTORS, Drawings
from labkit.evaluation.evaluation import Evaluation
from labkit.evaluation.readings import Said
from labkit.evaluation.sections import sections
from labkit.evaluation.wording import (
    all_notes,
    how_intervals_were_made,
    how_ties_were_treated,
    subject,
)


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
    drawings = Drawings(evaluation)
    folder = files("labkit.evaluation") / "templates"
    # Names of columns and values are whatever the file holds: all are escaped. The SVG is our own.
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    page = environment.from_string((folder / "report.html").read_text(encoding="utf-8"))
    return page.render(
        css=Markup((folder / "report.css").read_text(encoding="utf-8")),
        evaluation=evaluation,
        title=_title(evaluation),
        subject=subject(evaluation),
        in_short=readings.in_short(evaluation),
        notes=[*all_notes(evaluation), *_left_out(evaluation, drawings)],
        sections=sections(evaluation, drawings),
        intervals=how_intervals_were_made(evaluation),
        ties=how_ties_were_treated(),
        command=command or call_of(evaluation),
        svg=lambda drawing: Markup(drawing.svg),
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
    if options.cost_fp is not None:
        given |= {"cost_fp": options.cost_fp, "cost_fn": options.cost_fn}
    given |= {
        "level": options.level,
        "n_replicates": options.n_replicates,
        "seed": options.seed,
    }
    told = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return f"labkit.evaluate(y_true, y_scores, ..., {told})"


def _left_out(evaluation: Evaluation, drawings: Drawings) -> Iterator[Said]:
    if drawings.left_out:
        yield (
            "",
            f"The first {MOST_DETECTORS} detectors are drawn; the tables list all "
            f"{len(evaluation.detectors)}.",
        )
    drawn, given = drawings.budgets_drawn, len(evaluation.options.budgets)
    if 0 < drawn < given:
        yield "", f"Day by day {drawn} of the {given} budgets are drawn; the tables list all."
