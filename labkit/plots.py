"""Drawing only: every function takes a table that was computed elsewhere and returns a figure.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; lines differ in
dash and markers in shape as well, so that a print in black and white can be read too.
"""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

# Load the backend now: Jupyter's turns interactive mode on as it loads, and the first style context
# to end would turn it off again, so that no later drawing of the session would appear.
plt.switch_backend(plt.rcParams["backend"])

BLUE, VERMILION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, GREY = "#56B4E9", "#CC79A7", "#767676"
LINES = ((BLUE, "-"), (VERMILION, "--"), (GREEN, "-."), (PURPLE, ":"))
FAMILY_STYLE = {
    "scan": (BLUE, ""),
    "bruteforce": (ORANGE, "//"),
    "exfil": (GREEN, ".."),
    "dos": (VERMILION, "xx"),
    "beacon": (PURPLE, "\\\\"),
    "benign": (GREY, "--"),
}
FAMILY_NAMES = {
    "scan": "scan",
    "bruteforce": "brute force",
    "exfil": "exfiltration",
    "dos": "denial of service",
    "beacon": "beacon",
    "benign": "normal (false alert)",
}
# From matplotlib's own defaults on, whatever the user's settings are.
STYLE = [
    "default",
    {
        "axes.grid": True,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": "medium",
        "figure.dpi": 100,
        "font.size": 10,
        "grid.alpha": 0.3,
        "hatch.linewidth": 0.6,
        "legend.frameon": False,
        "legend.fontsize": "small",
        "savefig.dpi": 150,
        "svg.fonttype": "path",
        "svg.hashsalt": "labkit",
    },
]


def percent(share: float) -> str:
    """Return a share as text, to two digits: 0.041 is "4.1 %"."""
    return f"{float(f'{100 * share:.2g}'):g} %"


def _panels(rows: int = 1, columns: int = 2, size: tuple[float, float] = (9, 4)) -> tuple:
    return plt.subplots(rows, columns, figsize=size, layout="constrained")


def _unit_square(axes: Axes, x: str, y: str, title: str) -> None:
    axes.set(xlabel=x, ylabel=y, title=title, xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    axes.set_aspect("equal")


def _roc(axes: Axes, curves: pd.DataFrame) -> None:
    for (name, curve), (colour, dash) in zip(
        curves.groupby("curve", sort=False), cycle(LINES), strict=False
    ):
        fpr = np.concatenate(([0.0], curve["fpr"]))
        recall = np.concatenate(([0.0], curve["recall"]))
        axes.plot(fpr, recall, color=colour, linestyle=dash, label=name)
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, label="random ranking")
    _unit_square(axes, "false positive rate", "recall (true positive rate)", "ROC curve")


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
    _unit_square(axes, "recall", "precision", "Precision-recall curve")


@plt.style.context(STYLE)
def worked_example(curves: pd.DataFrame) -> Figure:
    """Draw ROC staircase and precision-recall curve of a few records, every point marked.

    Parameters
    ----------
    curves
        `labkit.lab2.figures.curve_table` of one sweep.
    """
    figure, (left, right) = _panels()
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
    figure, (left, right) = _panels()
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
    figure, (left, right) = _panels()
    first = curves["curve"].iloc[0]
    _roc(left, curves[curves["curve"] == first].assign(curve="at every base rate"))
    left.legend(loc="lower right")
    _precision_recall(right, curves)
    right.legend(loc="upper right", title="base rate\n(thin: baseline)", title_fontsize="small")
    return figure


@plt.style.context(STYLE)
def reliability(bins: pd.DataFrame) -> Figure:
    """Draw a reliability diagram a model, with the share of attacks observed in each bin.

    Parameters
    ----------
    bins
        `labkit.lab2.figures.reliability_bins`: per model and bin, the mean prediction, the
        observed share with its interval, and the count.
    """
    models = bins["model"].unique()
    figure, panels = _panels(1, len(models), (2.9 * len(models), 3.4))
    for axes, (model, rows), (colour, _) in zip(
        np.ravel(panels), bins.groupby("model", sort=False), cycle(LINES), strict=False
    ):
        filled = rows[rows["count"] > 0]
        error = [filled["observed"] - filled["low"], filled["high"] - filled["observed"]]
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        axes.errorbar(
            filled["mean_predicted"], filled["observed"], yerr=error, fmt="o", color=colour,
            markersize=4, elinewidth=1, capsize=2,
        )  # fmt: skip
        _unit_square(axes, "mean predicted probability", "", str(model))
        axes.set_ylim(-0.04, 1.04)
    np.ravel(panels)[0].set_ylabel("observed share of attacks")
    return figure


@plt.style.context(STYLE)
def stacked_days(
    counts: pd.DataFrame,
    *,
    y: str,
    budget: float | None = None,
    parts: dict[str, tuple[int, int]] | None = None,
) -> Figure:
    """Draw counts a day, stacked by family.

    Parameters
    ----------
    counts
        One row a day, one column a family.
    y
        What the counts are, for the axis.
    budget
        A line to draw across, in alerts a day.
    parts
        Names of stretches of days to set apart, with their first and last day.
    """
    figure, axes = _panels(1, 1, (9, 3.6))
    bottom = np.zeros(len(counts))
    for family in counts.columns:
        colour, hatch = FAMILY_STYLE[family]
        heights = counts[family].to_numpy()
        if heights.any():
            axes.bar(
                counts.index, heights, bottom=bottom, color=colour, hatch=hatch,
                edgecolor="white", linewidth=0.5, label=FAMILY_NAMES[family],
            )  # fmt: skip
        bottom += heights
    for x, top in zip(counts.index, bottom, strict=True):
        axes.annotate(
            f"{top:g}", (x, top), ha="center", va="bottom", fontsize="small",
            xytext=(0, 2), textcoords="offset points",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip
    if budget is not None:
        axes.axhline(
            budget, color="black", linewidth=1, linestyle="--", label=f"budget: {budget:g} a day"
        )
    ceiling = bottom.max() * (1.25 if parts else 1.12)
    for name, (first, last) in (parts or {}).items():
        if first > counts.index[0]:
            axes.axvline(first - 0.5, color="black", linewidth=0.8)
        axes.annotate(
            name, ((first + last) / 2, ceiling), ha="center", va="top", fontsize="small",
            xytext=(0, -2), textcoords="offset points",
        )  # fmt: skip
    axes.set(xlabel="day", ylabel=y, ylim=(0, ceiling))
    axes.set_xticks(list(counts.index))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.grid(visible=False, axis="x")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


@plt.style.context(STYLE)
def shares_by_family(shares: pd.DataFrame) -> Figure:
    """Draw the share of each family's records that each detector flags.

    Parameters
    ----------
    shares
        One row a family, one column a detector, values within [0, 1].
    """
    figure, axes = _panels(1, 1, (7, 3.4))
    height = 0.8 / len(shares.columns)
    rows = np.arange(len(shares))
    for i, (detector, (colour, _)) in enumerate(zip(shares.columns, cycle(LINES), strict=False)):
        bars = axes.barh(
            rows + (i - (len(shares.columns) - 1) / 2) * height,
            shares[detector], height, color=colour, hatch=("", "//")[i % 2],
            edgecolor="white", linewidth=0.5, label=detector,
        )  # fmt: skip
        axes.bar_label(bars, [f"{share:.0%}" for share in shares[detector]], padding=3,
                       fontsize="small")  # fmt: skip
    axes.set_yticks(rows, [FAMILY_NAMES[family] for family in shares.index])
    axes.invert_yaxis()
    axes.set(xlabel="share of the family's records flagged", xlim=(0, 1.08))
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(visible=False, axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
