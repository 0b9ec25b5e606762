"""Scores on both sides of a threshold, and the rates of the four counts."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator, PercentFormatter

from labkit.plots.style import BLUE, FAMILY_NAMES, GREY, LINES, SKY, STYLE, VERMILION, panels

_CELLS = {"TP": (0, 1), "FN": (1, 1), "FP": (0, 0), "TN": (1, 0)}
"""Count -> column and row of the confusion matrix: alerts left, attacks above."""


@plt.style.context(STYLE)
def scores_by_label(bins: pd.DataFrame, threshold: float | None = None) -> Figure:
    """Draw how many normal records and how many attacks score how much, one above the other.

    Parameters
    ----------
    bins
        Columns lower and upper, the edges of each bin of scores, and normal and attack, the
        records from its lower edge up to, but not at, its upper one.
    threshold
        The lower edge of a bin: the four counts on both sides of it are written beside it.
    """
    figure, rows = plt.subplots(2, 1, figsize=(8, 4), layout="constrained", sharex=True)
    width = bins["upper"] - bins["lower"]
    kinds = (
        ("normal", "normal records", GREY, "", ("TN", "FP")),
        ("attack", "attacks", VERMILION, "//", ("FN", "TP")),
    )
    for axes, (column, name, colour, hatch, counts) in zip(rows, kinds, strict=True):
        axes.bar(
            bins["lower"], bins[column], width, align="edge", color=colour, hatch=hatch,
            edgecolor="white", linewidth=0.5,
        )  # fmt: skip
        axes.set(ylabel=name, ylim=(0, 1.3 * bins[column].max()))
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        if threshold is None:
            continue
        axes.axvline(threshold, color="black", linestyle="--", linewidth=1)
        alerts = bins["lower"] >= threshold
        below, above = bins.loc[~alerts, column].sum(), bins.loc[alerts, column].sum()
        for text, side, shift in (
            (f"{counts[0]} {below:,.0f}", "right", -6),
            (f"{counts[1]} {above:,.0f}", "left", 6),
        ):
            axes.annotate(
                text, (threshold, 1), xycoords=("data", "axes fraction"), ha=side, va="top",
                xytext=(shift, -4), textcoords="offset points", weight="bold",
            )  # fmt: skip
    if threshold is not None:
        for text, side, shift in (("← no alert", "right", -6), ("alert →", "left", 6)):
            rows[0].annotate(
                text, (threshold, 1), xycoords=("data", "axes fraction"), ha=side, va="bottom",
                xytext=(shift, 2), textcoords="offset points", fontsize="small",
            )  # fmt: skip
    rows[1].set_xlabel("score")
    rows[1].xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


@plt.style.context(STYLE)
def where_rates_look(rates: Mapping[str, tuple[Sequence[str], Sequence[str]]]) -> Figure:
    """Draw one confusion matrix a rate: the counts it divides, and those it divides by.

    Parameters
    ----------
    rates
        Name of the rate -> the counts above the line and the counts below it, each of TP, FP, FN
        and TN.
    """
    figure, row = panels(1, len(rates), (2.05 * len(rates), 2.9))
    for axes, (name, (above, below)) in zip(np.ravel(row), rates.items(), strict=True):
        _matrix(axes, above, below)
        axes.set_title(name, loc="center")
    first = np.ravel(row)[0]
    first.set_yticks([1.5, 0.5], ["attack", "normal"])
    figure.legend(
        handles=[
            Rectangle((0, 0), 1, 1, facecolor=BLUE, edgecolor="black", label="what is counted"),
            Rectangle(
                (0, 0), 1, 1, facecolor=SKY, alpha=0.45, hatch="//", edgecolor="black",
                label="the rest of what it is a share of",
            ),
            Rectangle((0, 0), 1, 1, facecolor="white", edgecolor="black", label="not looked at"),
        ],
        loc="outside lower center",
        ncols=3,
    )  # fmt: skip
    return figure


def _matrix(axes: Axes, above: Sequence[str], below: Sequence[str]) -> None:
    """Draw the four cells, dark where a count is divided, hatched where it only divides."""
    for count, (x, y) in _CELLS.items():
        face, ink, hatch, alpha = "white", GREY, "", 1.0
        if count in below:
            face, ink, hatch, alpha = SKY, "black", "//", 0.45
        if count in above:
            face, ink, hatch, alpha = BLUE, "white", "", 1.0
        axes.add_patch(
            Rectangle((x, y), 1, 1, facecolor=face, alpha=alpha, hatch=hatch, edgecolor="black")
        )
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5} if hatch else None
        axes.text(x + 0.5, y + 0.5, count, color=ink, ha="center", va="center", bbox=box)
    axes.set(xlim=(-0.02, 2.02), ylim=(-0.02, 2.02))
    axes.set_aspect("equal")
    axes.set_xticks([0.5, 1.5], ["alert", "no alert"])
    axes.set_yticks([])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


@plt.style.context(STYLE)
def rates_by_threshold(rates: pd.DataFrame) -> Figure:
    """Draw rates against the threshold; where a rate is undefined its line has a gap.

    Parameters
    ----------
    rates
        Indexed by threshold, one column a rate, four at most.
    """
    figure, axes = panels(1, 1, (8, 3.6))
    for name, (colour, dash) in zip(rates.columns, cycle(LINES), strict=False):
        axes.plot(rates.index, rates[name], color=colour, linestyle=dash, label=name)
    axes.set(xlabel="threshold", ylabel="rate", ylim=(min(0, rates.min().min()) - 0.02, 1.04))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


@plt.style.context(STYLE)
def recall_by_family(families: pd.DataFrame, averages: Mapping[str, float]) -> Figure:
    """Draw the recall of each family, and averages over the families as lines across.

    Parameters
    ----------
    families
        One row a family: its attacks, and the recall among them.
    averages
        Name of the average -> its value.
    """
    figure, axes = panels(1, 1, (8, 3.4))
    rows = np.arange(len(families))
    bars = axes.barh(rows, families["recall"], 0.6, color=SKY, edgecolor="white", linewidth=0.5)
    axes.bar_label(
        bars, [f"{recall:.2f}" for recall in families["recall"]], padding=3, fontsize="small",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
    )  # fmt: skip
    for (name, value), (colour, dash) in zip(averages.items(), cycle(LINES[1:]), strict=False):
        axes.axvline(value, color=colour, linestyle=dash, label=f"{name} {value:.3f}")
    axes.set_yticks(
        rows,
        [
            f"{FAMILY_NAMES[family]} ({attacks:,.0f})"
            for family, attacks in families["attacks"].items()
        ],
    )
    axes.invert_yaxis()
    axes.set(xlabel="recall (share of the family's records flagged)", xlim=(0, 1.02))
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(visible=False, axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
