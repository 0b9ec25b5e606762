"""ROC and precision-recall curves."""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labkit.plots.style import BLUE, GREY, LINES, STYLE, VERMILION, panels, percent, unit_square


def _roc(axes: Axes, curves: pd.DataFrame) -> None:
    for (name, curve), (colour, dash) in zip(
        curves.groupby("curve", sort=False), cycle(LINES), strict=False
    ):
        fpr = np.concatenate(([0.0], curve["fpr"]))
        recall = np.concatenate(([0.0], curve["recall"]))
        axes.plot(fpr, recall, color=colour, linestyle=dash, label=name)
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, label="random ranking")
    unit_square(axes, "false positive rate", "recall (true positive rate)", "ROC curve")


def _precision_recall(axes: Axes, curves: pd.DataFrame, *, base_rates: bool = True) -> None:
    """Draw steps, as average precision sums them: each attack's gain in recall at its precision."""
    for (name, curve), (colour, dash) in zip(
        curves.groupby("curve", sort=False), cycle(LINES), strict=False
    ):
        gains = curve[curve["recall"].diff().fillna(curve["recall"]) > 0]
        recall = np.concatenate(([0.0], gains["recall"]))
        precision = np.concatenate((gains["precision"][:1], gains["precision"]))
        axes.step(recall, precision, where="pre", color=colour, linestyle=dash, label=name)
        if base_rates:
            axes.axhline(curve["base_rate"].iloc[0], color=colour, linewidth=0.8, linestyle=dash)
    unit_square(axes, "recall", "precision", "Precision-recall curve")


@plt.style.context(STYLE)
def worked_example(curves: pd.DataFrame) -> Figure:
    """Draw ROC staircase and precision-recall curve of a few records, every point marked.

    Parameters
    ----------
    curves
        `labkit.lab2.figures.curve_table` of one sweep.
    """
    figure, (left, right) = panels()
    _roc(left, curves)
    left.plot(curves["fpr"], curves["recall"], "o", color=BLUE, clip_on=False)
    left.fill_between(
        np.concatenate(([0.0], curves["fpr"])),
        np.concatenate(([0.0], curves["recall"])),
        color=BLUE,
        alpha=0.12,
        linewidth=0,
    )
    left.legend(loc="lower right")
    _precision_recall(right, curves, base_rates=False)
    right.plot(curves["recall"], curves["precision"], "o", color=BLUE, clip_on=False)
    right.plot(
        np.concatenate(([0.0], curves["recall"])),
        np.concatenate(([1.0], curves["precision"])),
        color=VERMILION,
        linestyle=":",
        label="straight lines (wrong)",
    )
    base_rate = curves["base_rate"].iloc[0]
    right.axhline(base_rate, color=GREY, linewidth=0.8, label=f"base rate {base_rate:.3g}")
    right.legend(loc="lower left")
    return figure


@plt.style.context(STYLE)
def roc_and_precision_recall(curves: pd.DataFrame) -> Figure:
    """Draw ROC and precision-recall curves of several detectors on the same records.

    Parameters
    ----------
    curves
        `labkit.lab2.figures.curve_table`.
    """
    figure, (left, right) = panels()
    _roc(left, curves)
    left.legend(loc="lower right")
    _precision_recall(right, curves, base_rates=False)
    base_rate = curves["base_rate"].iloc[0]
    line = right.axhline(base_rate, color=GREY, linewidth=0.8)
    # The curves are named on the left; here a longer legend would lie on them.
    right.legend([line], [f"base rate {percent(base_rate)}"], loc="upper right")
    return figure


@plt.style.context(STYLE)
def base_rate_effect(curves: pd.DataFrame) -> Figure:
    """Draw one ranking at several base rates: one ROC curve, a precision-recall curve for each.

    Parameters
    ----------
    curves
        `labkit.lab2.figures.curve_table`, one sweep a base rate.
    """
    figure, (left, right) = panels()
    first = curves["curve"].iloc[0]
    _roc(left, curves[curves["curve"] == first].assign(curve="at every base rate"))
    left.legend(loc="lower right")
    _precision_recall(right, curves)
    right.legend(loc="upper right", title="base rate\n(thin: baseline)", title_fontsize="small")
    return figure
