"""Intervals beside each other, and how often intervals hold what they are meant to hold."""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator, PercentFormatter

from labkit.plots.style import GREY, LINES, STYLE, panels

_MARKERS = ("o", "s", "^", "D")


@plt.style.context(STYLE)
def intervals_compared(intervals: pd.DataFrame) -> Figure:
    """Draw several intervals of each of several numbers, one line an interval.

    Parameters
    ----------
    intervals
        Columns number (what is measured), how (how the interval was made), estimate, low and high;
        a number's rows together, its ways in one order.
    """
    numbers, ways = intervals["number"].unique(), intervals["how"].unique()
    rows = len(numbers) * (len(ways) + 1)
    figure, axes = panels(1, 1, (7.5, 0.22 * rows + 0.9))
    for i, (way, (colour, _), marker) in enumerate(
        zip(ways, cycle(LINES), cycle(_MARKERS), strict=False)
    ):
        of_way = intervals[intervals["how"] == way]
        places = np.array([numbers.tolist().index(number) for number in of_way["number"]])
        y = places * (len(ways) + 1) + i
        axes.hlines(y, of_way["low"], of_way["high"], color=colour, linewidth=2)
        for end in ("low", "high"):
            axes.plot(of_way[end], y, "|", color=colour, markersize=9, markeredgewidth=2)
        axes.plot(of_way["estimate"], y, marker, color=colour, label=way)
    axes.set_yticks(np.arange(len(numbers)) * (len(ways) + 1) + (len(ways) - 1) / 2, numbers)
    axes.invert_yaxis()
    axes.set(xlabel="value")
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=len(ways))
    return figure


@plt.style.context(STYLE)
def coverage(held: pd.DataFrame, *, x: str, level: float = 0.95) -> Figure:
    """Draw how often intervals held the true value, each way of making them a line.

    Parameters
    ----------
    held
        Indexed by what was varied, above 0 and drawn on a logarithmic axis; a column each way,
        shares within [0, 1].
    x
        What was varied, for the axis.
    level
        Where a line is drawn across: what the intervals promise.
    """
    figure, axes = panels(1, 1, (6.5, 3.2))
    for way, (colour, dash), marker in zip(
        held.columns, cycle(LINES), cycle(_MARKERS), strict=False
    ):
        axes.plot(held.index, held[way], marker + dash, color=colour, label=way)
    axes.axhline(level, color=GREY, linewidth=1, label=f"promised: {level:.0%}")
    axes.set(xscale="log", xlabel=x, ylabel="intervals that hold the true value", ylim=(0, 1.02))
    axes.set_xticks(list(held.index), [f"{value:g}" for value in held.index])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.legend(loc="lower left")
    return figure
