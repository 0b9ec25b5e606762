"""Curves that move in a notebook: a slider, and the picture of where it stands.

Each shows one picture and a slider below it. What is stored of a slider is a line that says how to
get it, so a notebook that is only read shows the first picture and that line. The words of every
picture stand in it, and again as text behind the slider, for those who do not see it.
"""

import html
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from labkit.errors import InputError
from labkit.lab2 import frames
from labkit.lab2.figures import curve_table
from labkit.metrics.inputs import as_scores
from labkit.plots import moving, percent
from labkit.plots.pictures import png

if TYPE_CHECKING:
    import pandas as pd
    from ipywidgets import Widget
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from labkit.metrics import ThresholdSweep

_MILLISECONDS = 900
_RAREST, _COMMONEST = 0.0001, 0.5
_MOST_ALERTS = 100
# At least as many positions of a threshold as there are in 100 steps.
_POSITIONS = 100
# Out of sight, and yet there for a screen reader, which tells it when it changes.
_UNSEEN = "position:absolute; width:1px; height:1px; overflow:hidden; clip-path:inset(50%)"

Frame = tuple["Figure", str]
"""A picture, and what it shows in words."""


def staircase(y_true: "ArrayLike", y_score: "ArrayLike") -> None:
    """Build the ROC staircase a record at a time: a slider and a button to play it.

    Parameters
    ----------
    y_true, y_score
        Label and score of each record, shape (n,), n at most 60. Records that tie are one step.

    Raises
    ------
    InputError
        On one class only, more than 60 records, NaN scores, missing labels, unequal lengths.
    """
    steps = frames.record_steps(y_true, y_score)

    def at(step: int) -> Frame:
        now = steps.iloc[step]
        words = f"ROC staircase. {_step(steps, step)} {now['roc_says']} {_counts(now)}"
        return moving.staircase(steps, step), f"{words} Area so far {now['area']:.3f}."

    _explore_steps(at, len(steps) - 1)


def precision_recall(y_true: "ArrayLike", y_score: "ArrayLike") -> None:
    """Sweep the threshold through precision-recall: each attack adds a rectangle of AP.

    Parameters
    ----------
    y_true, y_score
        Label and score of each record, shape (n,), n at most 60. Records that tie are one step.

    Raises
    ------
    InputError
        On one class only, more than 60 records, NaN scores, missing labels, unequal lengths.
    """
    steps = frames.record_steps(y_true, y_score)

    def at(step: int) -> Frame:
        now = steps.iloc[step]
        words = f"Precision-recall curve. {_step(steps, step)} {now['pr_says']} {_counts(now)}"
        return moving.precision_recall(steps, step), f"{words} AP so far {now['ap']:.3f}."

    _explore_steps(at, len(steps) - 1)


def threshold(y_true: "ArrayLike", y_score: "ArrayLike", day: "ArrayLike") -> None:
    """Move a threshold, and with it a point on both curves and the alerts of each day.

    Parameters
    ----------
    y_true, y_score, day
        Label, score and day of each record, shape (n,).

    Raises
    ------
    InputError
        On one class only, NaN scores, missing labels or days, unequal lengths, no finite score.
    """
    from ipywidgets import FloatSlider

    sweep = frames.both_classes(y_true, y_score)
    curve = curve_table({"": sweep})

    def at(value: float) -> Frame:
        table, days = frames.threshold_frames(y_true, y_score, day, [value])
        now = table.iloc[0]
        words = "ROC curve, precision-recall curve and alerts a day at one threshold."
        by_day = (f"Day {row.day}: {row.tp + row.fp} alerts." for row in days.itertuples())
        return moving.threshold(curve, days, now), " ".join([words, now["says"], *by_day])

    lowest, highest, step = _scale(as_scores(y_score))
    start = lowest + round((highest - lowest) / 2 / step) * step
    slider = FloatSlider(start, min=lowest, max=highest, step=step, description="threshold")
    slider.readout_format = f".{max(0, -math.floor(math.log10(step)))}f"
    _explore(slider, at, f"threshold, {lowest:g} to {highest:g}")


def base_rate(sweep: "ThresholdSweep", recall: float = 0.5) -> None:
    """Move the base rate: the ROC curve stays, the precision-recall curve moves.

    Parameters
    ----------
    sweep
        With attacks and normal records; the slider starts at its base rate.
    recall
        The recall at which one operating point is followed, within (0, 1].

    Raises
    ------
    InputError
        When a class is missing, or the recall is not within (0, 1].
    """
    from ipywidgets import FloatLogSlider

    def at(value: float) -> Frame:
        table, curves = frames.base_rate_frames(sweep, [value], recall)
        now = table.iloc[0]
        return moving.base_rate(curves, now), f"ROC and precision-recall curve. {now['says']}"

    slider = FloatLogSlider(
        min(max(sweep.base_rate, _RAREST), _COMMONEST), base=10, min=math.log10(_RAREST),
        max=math.log10(_COMMONEST), step=0.05, description="base rate", readout_format=".2g",
    )  # fmt: skip
    _explore(slider, at, f"base rate, {percent(_RAREST)} to {percent(_COMMONEST)}")


def budget(
    calibrate: "pd.DataFrame",
    calibrate_score: "ArrayLike",
    test: "pd.DataFrame",
    test_score: "ArrayLike",
    per_day: int = 20,
) -> None:
    """Move an alert budget, fixed as a threshold on past days and applied on later ones.

    Parameters
    ----------
    calibrate, test
        Flow records of the days to fix the threshold on, and of those to apply it on: columns
        label, day and family.
    calibrate_score, test_score
        Their scores.
    per_day
        The budget that the slider starts at, from 1 to 100 alerts a day.

    Raises
    ------
    InputError
        On test days that do not come after the calibration days, one class only, NaN scores,
        missing labels or columns, unequal lengths, a budget beyond the slider.
    """
    from ipywidgets import IntSlider

    if per_day not in range(1, _MOST_ALERTS + 1):
        raise InputError(f"per_day is {per_day!r}; the slider runs from 1 to {_MOST_ALERTS}")

    def at(value: int) -> Frame:
        table, days = frames.budget_frames(
            calibrate, calibrate_score, test, test_score, [int(value)]
        )
        now = table.iloc[0]
        shares = frames.family_shares(now)
        found = ", ".join(f"{family} {share:.0%}" for family, share in shares.items())
        words = f"Alerts a day, and share of each family found. {now['says']} Found: {found}."
        return moving.budget(days, now, shares), words

    slider = IntSlider(per_day, min=1, max=_MOST_ALERTS, description="alerts a day")
    _explore(slider, at, f"alerts a day, 1 to {_MOST_ALERTS}")


def _step(steps: "pd.DataFrame", step: int) -> str:
    return f"Step {step} of {len(steps) - 1}."


def _counts(now: "pd.Series") -> str:
    return f"TP {now['tp']}, FP {now['fp']}, FN {now['fn']}, TN {now['tn']}."


def _scale(scores: np.ndarray) -> tuple[float, float, float]:
    """Return the ends and the step of a slider over scores: round numbers, both ends beyond."""
    finite = scores[np.isfinite(scores)]
    if not len(finite):
        raise InputError("y_score holds no finite score; a slider needs some to run between")
    width = float(finite.max() - finite.min()) or 1.0
    exact = width / _POSITIONS
    power = 10.0 ** math.floor(math.log10(exact))
    step = next(factor * power for factor in (5, 2, 1) if factor * power <= exact)
    # One step above the highest score, so that the slider reaches "no alert" too.
    lowest = math.floor(finite.min() / step) * step
    highest = (math.floor(finite.max() / step) + 1) * step
    return float(f"{lowest:.12g}"), float(f"{highest:.12g}"), step


def _explore_steps(at: Callable[[int], Frame], last: int) -> None:
    from ipywidgets import IntSlider, Play, jslink

    # Half-way at first, so that whoever only reads sees a curve.
    start = last // 2
    slider = IntSlider(start, min=0, max=last, description="step")
    play = Play(value=start, min=0, max=last, interval=_MILLISECONDS, show_repeat=False)
    jslink((play, "value"), (slider, "value"))
    _explore(slider, at, f"step, 0 to {last}", play)


def _explore(
    slider: "Widget", at: Callable[[float], Frame], range_of: str, *more: "Widget"
) -> None:
    """Show the picture of where a slider stands, and the slider, which redraws the picture."""
    from IPython.display import display
    from ipywidgets import HTML, HBox, VBox

    bundle, metadata, words = _shown(at, slider.value)
    # An id of the session, to which Jupyter writes down no more than the picture.
    handle = display(bundle, metadata=metadata, raw=True, display_id=True)
    told = HTML(_told(words))
    slider.layout.width, slider.style.description_width = "480px", "initial"

    def redraw(change: dict) -> None:
        bundle, metadata, words = _shown(at, change["new"])
        handle.update(bundle, metadata=metadata, raw=True)
        told.value = _told(words)

    slider.observe(redraw, names="value")
    view = VBox([HBox([*more, slider]), told])._repr_mimebundle_()
    text = f"Run this cell in JupyterLab to move the slider: {range_of}."
    display(view | {"text/plain": text}, raw=True)


def _shown(at: Callable[[float], Frame], value: float) -> tuple[dict, dict, str]:
    """Return a frame as Jupyter takes it, with its size so that nothing below it moves."""
    figure, words = at(value)
    width, height = (int(side * figure.dpi) for side in figure.get_size_inches())
    metadata = {"image/png": {"alt": words, "width": width, "height": height}}
    return {"image/png": png(figure), "text/plain": words}, metadata, words


def _told(words: str) -> str:
    return f'<div role="status" style="{_UNSEEN}">{html.escape(words)}</div>'
