"""Day by day: budgets spent on each day, and what whole days drawn again would give.

Everything is read off one sweep a day, so that it needs no records.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from labkit.decisions import period_totals
from labkit.evaluation.intervals import NO_ALERTS, NO_ATTACKS, by_delong, by_every_cut, ratio_over
from labkit.evaluation.options import Options
from labkit.evaluation.resampling import DaySweeps
from labkit.evaluation.results import RankingByDay, ThresholdByDay, ThresholdResult
from labkit.metrics import ConfusionMatrix, ThresholdSweep, delong_of_counts

if TYPE_CHECKING:
    import pandas as pd


def day_table(by_day: DaySweeps, level: float) -> pd.DataFrame:
    """Return what the days hold, and how well each is ranked.

    Returns
    -------
    pandas.DataFrame
        One row a day: records, attacks, base_rate, auc, and where these are no weights auc_low and
        auc_high, by DeLong; the AUC is nan on a day of one class.
    """
    rows = []
    for sweep in by_day.values():
        row = {
            "records": sweep.positives + sweep.negatives,
            "attacks": sweep.positives,
            "base_rate": sweep.base_rate,
            "auc": sweep.roc_auc,
        }
        if sweep.counts_records:
            area = by_delong(delong_of_counts(sweep, level))
            row |= {"auc_low": area.low, "auc_high": area.high}
        rows.append(row)
    return _by_day(by_day, rows)


def ranking(by_day: DaySweeps, per_day: float, options: Options) -> RankingByDay:
    """Return what comes of sending the top records of each day; ties are cut by chance.

    Its intervals draw whole days with replacement, a day's attacks and normal records together,
    since they compete for the day's budget.
    """
    rows = []
    for sweep in by_day.values():
        point = sweep.at_budget(per_day, "expected")
        rows.append(
            _counts(sweep, point)
            | {
                "threshold": point.threshold,
                "ties_at_cut": point.ties_at_cut,
                "tp_low": point.tp_low,
                "tp_high": point.tp_high,
            }
        )
    days = _by_day(by_day, rows)
    total = period_totals(days)
    ends = float(total["tp_low"]), float(total["tp_high"])
    return RankingByDay(
        *(float(total[name]) for name in ("alerts", "tp", "tp_low", "tp_high")),
        recall=by_every_cut(
            ratio_over(days, "tp", "attacks", options, NO_ATTACKS), ends, days["attacks"].sum()
        ),
        precision=by_every_cut(
            ratio_over(days, "tp", "alerts", options, NO_ALERTS), ends, total["alerts"]
        ),
        days=days,
    )


def one_threshold(by_day: DaySweeps, at_threshold: ThresholdResult) -> ThresholdByDay:
    """Return what one threshold does on each day."""
    threshold = at_threshold.threshold
    rows = []
    for sweep in by_day.values():
        # Where inf is itself a score no threshold allows no alert, and nan stands for it.
        nothing = ConfusionMatrix(0, 0, sweep.positives, sweep.negatives)
        point = nothing if math.isnan(threshold) else sweep.at_threshold(threshold)
        rows.append(_counts(sweep, point) | {"threshold": threshold})
    days = _by_day(by_day, rows)
    alerts = days["alerts"]
    return ThresholdByDay(at_threshold, alerts.min().item(), alerts.max().item(), days)


def _counts(sweep: ThresholdSweep, point: ConfusionMatrix) -> dict[str, float]:
    return {
        "records": sweep.positives + sweep.negatives,
        "attacks": sweep.positives,
        "alerts": point.alerts,
        "tp": point.tp,
        "fp": point.fp,
        "recall": point.recall,
        "precision": point.precision,
    }


def _by_day(by_day: DaySweeps, rows: list[dict[str, float]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows, index=pd.Index(list(by_day), name="day"))
