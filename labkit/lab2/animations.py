"""The curves that move as GIF files: for each, the tables behind its frames and their drawing."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from labkit.lab2 import frames
from labkit.lab2.experiment import Experiment
from labkit.lab2.figures import curve_table
from labkit.lab2.worked import TEN_LABELS, TEN_SCORES
from labkit.plots import moving

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Tables = Mapping[str, pd.DataFrame]

BASE_RATES = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
BUDGETS = (2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)
_THRESHOLDS = 18


@dataclass(frozen=True)
class Animation:
    """One curve that moves.

    Parameters
    ----------
    name
        Its file name without ending.
    title
        What it shows, as a caption; its file carries it for those who cannot see the drawing.
    data
        From the experiment to the tables: "frames" has one row a frame.
    draw
        From these tables and the number of a frame to its drawing.
    milliseconds
        How long each frame stands; the last stands longer.
    """

    name: str
    title: str
    data: Callable[[Experiment], Tables]
    draw: Callable[[Tables, int], "Drawing"]
    milliseconds: int = 900

    def drawings(self, tables: Tables) -> Iterable["Drawing"]:
        """Return the drawing of each frame, in order."""
        return (self.draw(tables, number) for number in range(len(tables["frames"])))


def _steps(_: Experiment) -> Tables:
    return {"frames": frames.record_steps(TEN_LABELS, TEN_SCORES)}


def _threshold(experiment: Experiment) -> Tables:
    test, scores = experiment.test, experiment.boosting[0]
    thresholds = np.linspace(scores.max(), scores.min(), _THRESHOLDS).round(1)
    table, days = frames.threshold_frames(test["label"], scores, test["day"], thresholds)
    return {
        "frames": table,
        "days": days,
        "curve": curve_table({"gradient boosting": experiment.sweep(scores)}),
    }


def _base_rate(experiment: Experiment) -> Tables:
    sweep = experiment.sweep(experiment.boosting[0])
    rates = sorted({sweep.base_rate, *BASE_RATES}, reverse=True)
    table, curves = frames.base_rate_frames(sweep, rates)
    return {"frames": table, "curves": curves}


def _budget(experiment: Experiment) -> Tables:
    table, days = frames.budget_frames(
        experiment.calibrate,
        experiment.operated_calibrate,
        experiment.test,
        experiment.operated_test,
        BUDGETS,
    )
    return {"frames": table, "days": days}


def draw_staircase(tables: Tables, number: int) -> "Drawing":
    """Draw a frame of the ROC staircase."""
    return moving.staircase(tables["frames"], number)


def draw_precision_recall(tables: Tables, number: int) -> "Drawing":
    """Draw a frame of the precision-recall sweep."""
    return moving.precision_recall(tables["frames"], number)


def draw_threshold(tables: Tables, number: int) -> "Drawing":
    """Draw a frame of the threshold that moves."""
    days = tables["days"]
    return moving.threshold(
        tables["curve"], days[days["frame"] == number], tables["frames"].iloc[number]
    )


def draw_base_rate(tables: Tables, number: int) -> "Drawing":
    """Draw a frame of the base rate that moves."""
    return moving.base_rate(tables["curves"], tables["frames"].iloc[number], number)


def draw_budget(tables: Tables, number: int) -> "Drawing":
    """Draw a frame of the alert budget that moves."""
    days, frame = tables["days"], tables["frames"].iloc[number]
    return moving.budget(days[days["frame"] == number], frame, frames.family_shares(frame))


ANIMATIONS = (
    Animation(
        "moving-staircase",
        "Ten records passed one by one: each attack a step up, each normal record a step right, "
        "and the area under the ROC staircase grows to the AUC",
        _steps,
        draw_staircase,
    ),
    Animation(
        "moving-precision-recall",
        "Ten records passed one by one: each attack adds a rectangle as high as the precision, "
        "and the rectangles add up to average precision",
        _steps,
        draw_precision_recall,
    ),
    Animation(
        "moving-threshold",
        "Gradient boosting on the test days: as the threshold falls, one point moves along both "
        "curves and the alerts a day grow, soon by false ones",
        _threshold,
        draw_threshold,
        700,
    ),
    Animation(
        "moving-base-rate",
        "Gradient boosting as attacks grow rarer: the ROC curve stays, the precision-recall curve "
        "falls",
        _base_rate,
        draw_base_rate,
    ),
    Animation(
        "moving-budget",
        "Alert budgets fixed as thresholds on days 8-9: the alerts a day that come of them and "
        "the share of each family found",
        _budget,
        draw_budget,
    ),
)
