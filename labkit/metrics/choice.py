"""The threshold that meets every requirement, or why there is none."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from labkit.errors import InputError
from labkit.metrics.scalars import as_budget, as_share, check_choice

if TYPE_CHECKING:
    from labkit.metrics.sweep import ThresholdSweep

Preference = Literal["recall", "precision"]


class NoFeasibleThreshold(InputError):  # noqa: N818
    """No threshold meets all requirements; the message says what would have to give."""


def best_row(
    sweep: "ThresholdSweep",
    max_alerts: float | None,
    min_recall: float | None,
    min_precision: float | None,
    prefer: Preference,
) -> int:
    """Return the row of the sweep that `ThresholdSweep.choose` asks for."""
    _check(sweep, max_alerts, min_recall, min_precision, prefer)
    asked = {}
    if max_alerts is not None:
        asked[f"at most {max_alerts} alerts"] = sweep.alerts <= max_alerts
    if min_recall is not None:
        asked[f"recall of at least {min_recall}"] = sweep.recall >= min_recall
    if min_precision is not None:
        asked[f"precision of at least {min_precision}"] = sweep.precision >= min_precision
    feasible = np.ones(len(sweep.thresholds), dtype=bool)
    for met in asked.values():
        feasible &= met
    if not feasible.any():
        told = []
        if max_alerts is not None:
            told.append(_what_alerts_reach(sweep, max_alerts))
        if min_recall:
            told.append(_what_recall_takes(sweep, min_recall, min_precision))
        if min_precision is not None:
            told.append(_what_precision_allows(sweep, min_precision))
        raise NoFeasibleThreshold(f"no threshold gives {' and '.join(asked)}: {'; '.join(told)}")
    if prefer == "recall":
        merit = sweep.recall
    else:
        # Only the order counts. No base rate changes it, but the rounding of weights would.
        table = sweep.table
        merit = table.tp / (table.tp + table.fp)
    return int(np.argmax(np.where(feasible, merit, -1.0)))


def _check(
    sweep: "ThresholdSweep",
    max_alerts: float | None,
    min_recall: float | None,
    min_precision: float | None,
    prefer: Preference,
) -> None:
    check_choice(prefer, "prefer", ("recall", "precision"))
    if max_alerts is not None:
        as_budget(max_alerts, "max_alerts", whole=sweep.counts_records)
    for name, share in (("min_recall", min_recall), ("min_precision", min_precision)):
        if share is not None:
            as_share(share, name, zero=True, one=True)
    if min_recall is not None and not sweep.positives:
        raise InputError("no attacks: recall is undefined")


def _what_alerts_reach(sweep: "ThresholdSweep", max_alerts: float) -> str:
    within = int(np.searchsorted(sweep.alerts, max_alerts, side="right"))
    if not within:
        return f"the highest score alone gives {sweep.alerts[0]:.10g} alerts"
    return f"{sweep.alerts[within - 1]:.10g} alerts reach recall {sweep.recall[within - 1]:.3g}"


def _what_recall_takes(
    sweep: "ThresholdSweep", min_recall: float, min_precision: float | None
) -> str:
    point = sweep.at_recall(min_recall)
    at_precision = "" if min_precision is None else f" at precision {point.precision:.3g}"
    return f"recall {min_recall:g} takes {point.alerts:.10g} alerts{at_precision}"


def _what_precision_allows(sweep: "ThresholdSweep", min_precision: float) -> str:
    met = np.flatnonzero(sweep.precision >= min_precision)
    if not len(met):
        return f"the highest precision is {sweep.precision.max():.3g}"
    return (
        f"precision {min_precision:g} holds at {sweep.alerts[met[0]]:.10g} to "
        f"{sweep.alerts[met[-1]]:.10g} alerts"
    )
