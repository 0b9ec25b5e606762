"""Counts a day, and shares a family."""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from labkit.plots.style import FAMILY_NAMES, FAMILY_STYLE, LINES, STYLE, panels


def stack(axes: Axes, counts: pd.DataFrame) -> np.ndarray:
    """Draw one bar a row, stacked by family, with its total above; return the totals."""
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
    return bottom


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
    figure, axes = panels(1, 1, (9, 3.6))
    bottom = stack(axes, counts)
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
    figure, axes = panels(1, 1, (7, 3.4))
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
