"""Alerts a day, right and wrong, where attacks have no families."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from labkit.plots.style import BLUE, STYLE, VERMILION, panels


@plt.style.context(STYLE)
def true_and_false_alerts(days: pd.DataFrame, *, budget: float, fixed: int) -> Figure:
    """Draw the alerts of each day, true ones below false ones, and the budget across.

    Days stand side by side, however far apart they are.

    Parameters
    ----------
    days
        Indexed by what each day is called; columns tp and fp.
    budget
        In alerts a day.
    fixed
        How many of the days, from the first, the threshold was fixed on.
    """
    figure, axes = panels(1, 1, (9, 3.4))
    places = np.arange(len(days))
    bottom = np.zeros(len(days))
    for column, name, colour, hatch in (
        ("tp", "true alerts", BLUE, ""),
        ("fp", "false alerts", VERMILION, "//"),
    ):
        heights = days[column].to_numpy()
        axes.bar(
            places, heights, bottom=bottom, color=colour, hatch=hatch, edgecolor="white",
            linewidth=0.5, label=name,
        )  # fmt: skip
        bottom += heights
    for place, top in zip(places, bottom, strict=True):
        axes.annotate(
            f"{top:,.0f}", (place, top), ha="center", va="bottom", fontsize="small",
            xytext=(0, 2), textcoords="offset points",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip
    axes.axhline(
        budget, color="black", linewidth=1, linestyle="--", label=f"budget: {budget:,g} a day"
    )
    ceiling = 1.25 * max(bottom.max(), budget)
    axes.axvline(fixed - 0.5, color="black", linewidth=0.8)
    for words, first, last in (
        ("threshold fixed here", 0, fixed - 1),
        ("threshold applied here", fixed, len(days) - 1),
    ):
        axes.annotate(
            words, ((first + last) / 2, ceiling), ha="center", va="top", fontsize="small",
            xytext=(0, -2), textcoords="offset points",
        )  # fmt: skip
    axes.set(ylabel="alerts a day", ylim=(0, ceiling))
    axes.set_xticks(places, [str(name) for name in days.index])
    axes.yaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    axes.grid(visible=False, axis="x")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
