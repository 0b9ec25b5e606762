"""The figures of Lab 2 by name: for each, the table behind it and the drawing of that table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from labkit import plots
from labkit.data.traffic import FAMILIES
from labkit.decisions import alert_probability
from labkit.lab2.experiment import ALERTS_PER_DAY, OPERATE, RARER, TOP, Experiment, family_recall
from labkit.lab2.worked import EIGHT_LABELS, EIGHT_SCORES
from labkit.metrics import ThresholdSweep, reliability_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

TRAFFIC_PARTS = {
    name: (days[0], days[-1])
    for name, days in (
        ("training", OPERATE.train),
        ("calibration", OPERATE.calibrate),
        ("test", OPERATE.test),
    )
}


def curve_table(sweeps: Mapping[str, ThresholdSweep], *, corners_only: bool = True) -> pd.DataFrame:
    """Return the points of every curve: all that is needed to draw ROC and PR exactly.

    Between two attacks a run of normal records only moves the ROC point right, so the row before
    and the row of each attack are the corners and suffice.

    Parameters
    ----------
    sweeps
        Name of the curve -> its sweep.
    corners_only
        Leave out the points on straight stretches.

    Returns
    -------
    pandas.DataFrame
        Columns curve, base_rate, threshold, recall, fpr, precision; thresholds descend.
    """
    tables = []
    for name, sweep in sweeps.items():
        table = sweep.to_frame()[["threshold", "recall", "fpr", "precision"]]
        if corners_only:
            gains = np.diff(sweep.tp, prepend=0) > 0
            table = table[gains | np.append(gains[1:], True)]
        table.insert(0, "base_rate", sweep.base_rate)
        table.insert(0, "curve", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def reliability_bins(labels: pd.Series, probabilities: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return the reliability table of each model, with 95 % Wilson intervals.

    Parameters
    ----------
    labels
        Labels of the records, shape (n,).
    probabilities
        Name of the model -> probabilities, shape (n,).

    Returns
    -------
    pandas.DataFrame
        Column model, then those of `labkit.metrics.reliability_table`.
    """
    tables = []
    for name, probability in probabilities.items():
        table = reliability_table(labels, probability)
        table.insert(0, "model", name)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def attacks_by_day(flows: pd.DataFrame) -> pd.DataFrame:
    """Return the attack records of each day, one column a family."""
    attacks = flows[flows["label"] == 1]
    counts = pd.crosstab(attacks["day"], attacks["family"])
    days = pd.Index(sorted(flows["day"].unique()), name="day")
    return counts.reindex(index=days, columns=list(FAMILIES), fill_value=0)


def alerts_by_day(flows: pd.DataFrame, alerts: np.ndarray) -> pd.DataFrame:
    """Return the alerts of each day, one column a family, "benign" for the false ones.

    Parameters
    ----------
    flows
        Flow records.
    alerts
        True where a record is an alert, shape (n,).
    """
    counts = pd.crosstab(flows["day"], flows["family"].where(alerts))
    days = pd.Index(sorted(flows["day"].unique()), name="day")
    return counts.reindex(index=days, columns=[*FAMILIES, "benign"], fill_value=0)


@dataclass(frozen=True)
class Figure:
    """One figure of the lab.

    Parameters
    ----------
    name
        Its file name without ending.
    title
        What it shows, as a caption; its files carry it for those who cannot see the drawing.
    data
        From the experiment to the table behind the figure.
    draw
        From that table to the drawing.
    """

    name: str
    title: str
    data: Callable[[Experiment], pd.DataFrame]
    draw: Callable[[pd.DataFrame], "Drawing"]


def _eight(_: Experiment) -> pd.DataFrame:
    sweep = ThresholdSweep.from_scores(EIGHT_LABELS, EIGHT_SCORES)
    return curve_table({"eight records": sweep}, corners_only=False)


def _two_detectors(experiment: Experiment) -> pd.DataFrame:
    return curve_table(
        {
            "gradient boosting": experiment.sweep(experiment.boosting[0]),
            "logistic regression": experiment.sweep(experiment.logistic),
        }
    )


def _base_rates(experiment: Experiment) -> pd.DataFrame:
    return base_rate_curves(experiment.sweep(experiment.boosting[0]))


def base_rate_curves(sweep: ThresholdSweep) -> pd.DataFrame:
    """Return the `curve_table` of a ranking at its own base rate, at 1 % and at 0.1 %."""
    worlds = [sweep, *(sweep.at_base_rate(rate) for rate in RARER.values())]
    return curve_table({plots.percent(world.base_rate): world for world in worlds})


def _reliability(experiment: Experiment) -> pd.DataFrame:
    return reliability_bins(experiment.test["label"], experiment.probabilities)


def _traffic(experiment: Experiment) -> pd.DataFrame:
    return attacks_by_day(experiment.flows).reset_index()


def _families(experiment: Experiment) -> pd.DataFrame:
    detectors = {
        "gradient boosting": experiment.boosting[0],
        "logistic regression": experiment.logistic,
    }
    shares = {
        name: family_recall(experiment.test, alert_probability(scores, TOP))
        for name, scores in detectors.items()
    }
    return pd.DataFrame(shares).rename_axis("family").reset_index()


def _fixed_threshold(experiment: Experiment) -> pd.DataFrame:
    records = pd.concat([experiment.calibrate, experiment.test])
    scores = np.concatenate([experiment.operated_calibrate, experiment.operated_test])
    return alerts_by_day(records, scores >= experiment.fixed.threshold).reset_index()


def draw_traffic(attacks: pd.DataFrame) -> "Drawing":
    """Draw the attacks of each day, with the parts that the lab splits the days into."""
    return plots.stacked_days(
        attacks.set_index("day"), y="attack records a day", parts=TRAFFIC_PARTS
    )


def draw_fixed_threshold(alerts: pd.DataFrame) -> "Drawing":
    """Draw the alerts of each day under the threshold fixed on days 8-9."""
    return plots.stacked_days(
        alerts.set_index("day"),
        y="alerts a day",
        budget=ALERTS_PER_DAY,
        parts={
            "threshold fixed here": TRAFFIC_PARTS["calibration"],
            "threshold applied here": TRAFFIC_PARTS["test"],
        },
    )


def draw_families(shares: pd.DataFrame) -> "Drawing":
    """Draw the share of each family that either detector flags within the budget."""
    return plots.shares_by_family(shares.set_index("family"))


FIGURES = (
    Figure(
        "figure-2-7",
        "Eight records: the ROC staircase and the precision-recall curve",
        _eight,
        plots.worked_example,
    ),
    Figure(
        "figure-2-8",
        "Both detectors on the test days: ROC and precision-recall curves",
        _two_detectors,
        plots.roc_and_precision_recall,
    ),
    Figure(
        "figure-2-9",
        "Gradient boosting when attacks are rarer: ROC stays, precision-recall falls",
        _base_rates,
        plots.base_rate_effect,
    ),
    Figure(
        "figure-2-10",
        "Reliability of the four logistic regressions on the test days",
        _reliability,
        plots.reliability,
    ),
    Figure("lab2-traffic", "Attack records a day, by family", _traffic, draw_traffic),
    Figure(
        "lab2-families",
        "Share of each family flagged with 80 alerts on the test days",
        _families,
        draw_families,
    ),
    Figure(
        "lab2-fixed-threshold",
        "Alerts a day under the threshold fixed on days 8-9",
        _fixed_threshold,
        draw_fixed_threshold,
    ),
)
