"""What errors cost: against the threshold, by who pays, and cost curves."""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from labkit.plots.style import BLUE, GREY, LINES, ORANGE, STYLE, VERMILION, panels, unit_square

_HATCHES = ("", "//", "xx", "..")


@plt.style.context(STYLE)
def cost_against_threshold(costs: pd.DataFrame, threshold: float) -> Figure:
    """Draw the total cost of every threshold of several scores, each with its least cost marked.

    Parameters
    ----------
    costs
        Columns score (its name), threshold, within (0, 1], and cost; thresholds descend.
    threshold
        Where a line is drawn: what the costs alone say.
    """
    figure, axes = panels(1, 1, (7, 3.1))
    for (name, curve), (colour, dash) in zip(
        costs.groupby("score", sort=False), cycle(LINES), strict=False
    ):
        axes.plot(
            curve["threshold"], curve["cost"], color=colour, linestyle=dash,
            label=f"{name} (dot: least cost)",
        )  # fmt: skip
        least = curve.loc[curve["cost"].idxmin()]
        axes.plot(least["threshold"], least["cost"], "o", color=colour)
    axes.axvline(threshold, color=GREY, linewidth=1, label=f"cost threshold {threshold:.3f}")
    axes.set(xscale="log", yscale="log", xlabel="threshold", ylabel="total cost")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


@plt.style.context(STYLE)
def who_pays(bills: pd.DataFrame) -> Figure:
    """Draw the parts of several bills, stacked, with the total at the end of each bar.

    Parameters
    ----------
    bills
        One row a choice, in the order to draw from the top, one column a part; the columns' names
        go into the legend.
    """
    figure, axes = panels(1, 1, (7.2, 0.28 * len(bills) + 1.2))
    rows, ends = np.arange(len(bills)), np.zeros(len(bills))
    for part, colour, hatch in zip(
        bills.columns, (BLUE, VERMILION, ORANGE, GREY), _HATCHES, strict=False
    ):
        axes.barh(
            rows, bills[part], left=ends, color=colour, hatch=hatch, edgecolor="white",
            linewidth=0.5, label=part,
        )  # fmt: skip
        ends += bills[part].to_numpy()
    for row, end in zip(rows, ends, strict=True):
        axes.annotate(
            f"{end:,.0f}", (end, row), va="center", xytext=(3, 0), textcoords="offset points",
            fontsize="small",
        )  # fmt: skip
    axes.set_yticks(rows, bills.index)
    axes.invert_yaxis()
    axes.set(xlabel="cost", xlim=(0, 1.12 * ends.max()))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower center", bbox_to_anchor=(0.4, 1), ncols=len(bills.columns))
    return figure


@plt.style.context(STYLE)
def cost_curves(
    points: dict[str, tuple[float, float]],
    envelopes: dict[str, pd.DataFrame],
    *,
    marks: dict[str, float] | None = None,
) -> Figure:
    """Draw operating points on the left, as lines, and lower envelopes on the right.

    Both stand over the two trivial rules: to alert on nothing and to alert on everything.

    Parameters
    ----------
    points
        Name -> false positive rate and miss rate (1 - recall): the two ends of its line.
    envelopes
        Name -> `labkit.decisions.cost_curves.cost_curve`. The first one is drawn among the points,
        too.
    marks
        Name -> probability-cost at which to draw a line across the right panel.
    """
    figure, (left, right) = panels(1, 2, (7.8, 3.9))
    for axes, title in ((left, "One line an operating point"), (right, "The best of all lines")):
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        axes.plot([0, 1], [1, 0], color=GREY, linewidth=0.8)
        unit_square(axes, "probability-cost", "normalised expected cost", title)
        axes.set_ylim(-0.01, 0.62)
        axes.set_aspect("auto")
        for words, x, y in (("alert on nothing", 0.42, 0.43), ("alert on everything", 0.42, 0.565)):
            axes.annotate(words, (x, y), ha="right", va="center", color=GREY, fontsize="small")
    for (name, ends), (colour, dash) in zip(points.items(), cycle(LINES), strict=False):
        left.plot([0, 1], ends, color=colour, linestyle=dash, label=name)
    for i, ((name, curve), (colour, dash)) in enumerate(
        zip(envelopes.items(), cycle(LINES), strict=False)
    ):
        x, y = curve["probability_cost"], curve["cost"]
        right.plot(x, y, color=colour, linestyle=dash, label=name)
        if i == 0:
            left.fill_between(x, y, color=GREY, alpha=0.25, linewidth=0, label=f"below: {name}")
    for name, x in (marks or {}).items():
        right.axvline(x, color="black", linewidth=0.8, linestyle=":")
        right.annotate(
            name, (x, 0.6), ha="right", va="top", rotation=90, fontsize="small",
            xytext=(-2, 0), textcoords="offset points",
        )  # fmt: skip
    for axes in (left, right):
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16))
    return figure
