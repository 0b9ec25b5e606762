"""Curves of a few records or a few thresholds, with every step in sight."""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from labkit.plots.curves import roc_and_precision_recall
from labkit.plots.style import BLUE, LINES, STYLE, VERMILION, panels, percent, unit_square


def _ranks(table: pd.DataFrame) -> list[str]:
    """Return the ranks of the records that each threshold adds: "3", or "4-5" where two tie."""
    last = table["alerts"].to_numpy()
    first = np.append(0, last[:-1]) + 1
    return [f"{a}" if a == b else f"{a}-{b}" for a, b in zip(first, last, strict=True)]


def _label(axes: Axes, text: str, x: float, y: float, shift: tuple[float, float]) -> None:
    axes.annotate(
        text, (x, y), xytext=shift, textcoords="offset points", ha="center", va="center",
        fontsize="small",
    )  # fmt: skip


def _staircase(axes: Axes, table: pd.DataFrame) -> None:
    attacks, normals = table["tp"].iloc[-1], table["fp"].iloc[-1]
    fpr = np.append(0.0, table["fpr"])
    recall = np.append(0.0, table["recall"])
    unit_square(axes, "false positive rate", "recall", "ROC curve: one box a pair")
    axes.set_xticks(np.arange(normals + 1) / normals)
    axes.set_yticks(np.arange(attacks + 1) / attacks)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.2g}"))
    axes.set_axisbelow(False)
    axes.grid(alpha=0.8)
    axes.fill_between(fpr, recall, color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(fpr, recall, "o-", color=BLUE, markersize=4, clip_on=False, zorder=3)
    for i, text in enumerate(_ranks(table)):
        x, y = (fpr[i] + fpr[i + 1]) / 2, (recall[i] + recall[i + 1]) / 2
        goes_up, goes_right = recall[i + 1] > recall[i], fpr[i + 1] > fpr[i]
        _label(axes, text, x, y, (9 if goes_up else 0, -9 if goes_right else 0))


def _steps(axes: Axes, table: pd.DataFrame) -> None:
    recall = np.append(0.0, table["recall"])
    gained = np.diff(recall) > 0
    axes.bar(
        recall[:-1][gained], table["precision"][gained], np.diff(recall)[gained], align="edge",
        color=BLUE, alpha=0.2, edgecolor=BLUE, label="gain in recall x precision",
    )  # fmt: skip
    axes.plot(
        table["recall"], table["precision"], "o", color=BLUE, markersize=4, clip_on=False,
        label="threshold",
    )  # fmt: skip
    unit_square(axes, "recall", "precision", "Precision-recall curve")


@plt.style.context(STYLE)
def staircase(table: pd.DataFrame) -> Figure:
    """Draw the ROC curve on a grid with one box for every pair of attack and normal record.

    The boxes below the curve are the pairs in order; that of a tied pair is cut in half. Every
    step bears the rank of the record it passes.

    Parameters
    ----------
    table
        `ThresholdSweep.to_frame` of a few records of both classes.
    """
    figure, axes = panels(1, 1, (3.7, 3.6))
    _staircase(axes, table)
    return figure


@plt.style.context(STYLE)
def staircase_and_steps(table: pd.DataFrame) -> Figure:
    """Draw the ROC staircase, and beside it the precision-recall points with their ranks.

    The bars beside it are the steps that average precision sums.

    Parameters
    ----------
    table
        As for `staircase`.
    """
    figure, (left, right) = panels(1, 2, (7.6, 3.7))
    _staircase(left, table)
    _steps(right, table)
    for text, recall, precision in zip(
        _ranks(table), table["recall"], table["precision"], strict=True
    ):
        _label(right, text, recall, precision, (9, 7))
    return figure


@plt.style.context(STYLE)
def steps_and_straight_lines(table: pd.DataFrame) -> Figure:
    """Draw the steps that average precision sums, and the straight lines that it does not use.

    Parameters
    ----------
    table
        `ThresholdSweep.to_frame` of a few records.
    """
    figure, axes = panels(1, 1, (3.9, 3.7))
    _steps(axes, table)
    axes.plot(
        np.append(0.0, table["recall"]), np.append(1.0, table["precision"]), color=VERMILION,
        linestyle=":", label="straight lines from (0, 1)",
    )  # fmt: skip
    axes.legend(loc="lower left", frameon=True, framealpha=1)
    return figure


@plt.style.context(STYLE)
def pairs_of_rankings(curves: pd.DataFrame) -> Figure:
    """Draw ROC and precision-recall curves of rankings in pairs, one row of panels a pair.

    Parameters
    ----------
    curves
        Column pair, then those of `labkit.lab2.figures.curve_table`.
    """
    pairs = curves.groupby("pair", sort=False)
    figure, rows = panels(len(pairs), 2, (6.4, 3 * len(pairs)))
    for (left, right), (_, pair) in zip(np.reshape(rows, (-1, 2)), pairs, strict=True):
        for (name, curve), (colour, dash) in zip(
            pair.groupby("curve", sort=False), cycle(LINES), strict=False
        ):
            look = {"color": colour, "linestyle": dash, "label": name}
            left.plot(np.append(0.0, curve["fpr"]), np.append(0.0, curve["recall"]), **look)
            gains = curve[curve["recall"].diff().fillna(curve["recall"]) > 0]
            precision = np.append(gains["precision"].iloc[0], gains["precision"])
            right.step(np.append(0.0, gains["recall"]), precision, where="pre", **look)
        unit_square(left, "false positive rate", "recall", "ROC")
        unit_square(right, "recall", "precision", "Precision-recall")
        left.legend(loc="lower right")
    return figure


@plt.style.context(STYLE)
def between_points(table: pd.DataFrame, between: pd.DataFrame) -> Figure:
    """Draw a few operating points, joined by what can be reached and by straight lines.

    Parameters
    ----------
    table
        `ThresholdSweep.to_frame` of a few thresholds.
    between
        Columns recall, precision (what can be reached) and straight (on the straight line).
    """
    figure, (left, right) = panels(1, 2, (7.6, 3.6))
    fpr, recall = np.append(0.0, table["fpr"]), np.append(0.0, table["recall"])
    left.plot(fpr, recall, color=BLUE)
    unit_square(left, "false positive rate", "recall", "ROC curve: straight")
    right.plot(between["recall"], between["precision"], color=BLUE, label="what can be reached")
    right.plot(
        between["recall"], between["straight"], color=VERMILION, linestyle=":",
        label="straight lines from (0, 1)",
    )  # fmt: skip
    unit_square(right, "recall", "precision", "Precision-recall curve: bent")
    right.legend(loc="lower left")
    for axes, (x, y) in ((left, ("fpr", "recall")), (right, ("recall", "precision"))):
        axes.plot(table[x], table[y], "o", color=BLUE, clip_on=False)
    return figure


@plt.style.context(STYLE)
def operating_points(curves: pd.DataFrame) -> Figure:
    """Draw the ROC and precision-recall points of a few thresholds, each named.

    Parameters
    ----------
    curves
        `labkit.lab2.figures.curve_table` of one sweep, with all its points.
    """
    figure = roc_and_precision_recall(curves)
    left, right = figure.axes
    last = len(curves) - 1
    for axes, x, y, above in ((left, "fpr", "recall", -8), (right, "recall", "precision", 8)):
        axes.plot(curves[x], curves[y], "o", color=BLUE, clip_on=False)
        for i, threshold in enumerate(curves["threshold"]):
            # Where all is flagged precision is low and recall 1, close to the point before.
            shift = (17, -4 if i == last else above)
            _label(axes, f"{threshold:g}", curves[x].iloc[i], curves[y].iloc[i], shift)
    return figure


@plt.style.context(STYLE)
def precision_by_base_rate(table: pd.DataFrame) -> Figure:
    """Draw precision against base rate, one line a false positive rate.

    Parameters
    ----------
    table
        Index base_rate, one column a false positive rate, values precision.
    """
    figure, axes = panels(1, 1, (7, 4))
    for fpr, (colour, dash) in zip(table.columns, cycle(LINES), strict=False):
        axes.plot(table.index, table[fpr], color=colour, linestyle=dash, label=f"{fpr:g}")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: percent(share)))
    axes.set(xlabel="base rate", ylabel="precision", ylim=(-0.02, 1.04))
    axes.legend(title="false positive rate", loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
