"""The figures of an evaluation report: any detectors, any number of them, whatever their names."""

from collections.abc import Iterator, Mapping
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from labkit.plots.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    STYLE,
    VERMILION,
    panels,
    percent,
    unit_square,
)

_COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, "black")
_DASHES = ("-", "--", "-.", ":")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_LONGEST = 26
# Days that each get a label of their own.
_LABELLED = 14
# Days that each get a mark.
_MARKED = 100
# A range of thresholds as wide as this is shown on a logarithmic axis; wider ones than the second
# no axis can show.
_WIDE, _WIDEST = 1e3, 1e30


def legible(names: list[str]) -> dict[str, str]:
    r"""Return names as matplotlib can draw them, each different from the others.

    Long ones lose their middle; a dollar is no formula; a name that begins with an underscore would
    be left out of every legend.

    Examples
    --------
    >>> list(legible(["_a", "cost $", "the detector of the second night shift"]).values())
    [' _a', 'cost \\$', 'the detector … night shift']
    """
    shown: dict[str, str] = {}
    for name in names:
        plain = "".join(sign if sign.isprintable() else " " for sign in name) or " "
        if len(plain) > _LONGEST:
            plain = f"{plain[: _LONGEST // 2]}…{plain[-_LONGEST // 2 + 1 :]}"
        plain = f" {plain}" if plain.startswith("_") else plain
        plain = plain.replace("$", r"\$")
        shown[name], again = plain, 1
        while sum(other == shown[name] for other in shown.values()) > 1:
            again += 1
            shown[name] = f"{plain} ({again})"
    return shown


@plt.style.context(STYLE)
def ranking_curves(
    roc: pd.DataFrame, precision_recall: pd.DataFrame, budgets: pd.DataFrame, base_rate: float
) -> Figure:
    """Draw ROC and precision-recall curves of several detectors, with their alert budgets.

    Parameters
    ----------
    roc
        Columns curve, fpr, recall; each curve from (0, 0).
    precision_recall
        Columns curve, recall, precision, at the gains in recall; drawn in steps, as average
        precision sums them.
    budgets
        Columns curve, budget, fpr, recall, precision: points to mark; may be empty.
    base_rate
        Share of attacks: the precision of a random ranking.
    """
    figure, (left, right) = panels(1, 2, (9, 4.6))
    for name, (colour, dash) in _styled(roc["curve"].unique()):
        curve = roc[roc["curve"] == name]
        left.plot(curve["fpr"], curve["recall"], color=colour, linestyle=dash, label=name)
        gains = precision_recall[precision_recall["curve"] == name]
        if len(gains):
            recall = np.append(0.0, gains["recall"])
            precision = np.append(gains["precision"].iloc[0], gains["precision"])
            right.step(recall, precision, where="pre", color=colour, linestyle=dash)
        marked = budgets[budgets["curve"] == name]
        if not len(marked):
            continue
        for axes, x, y in ((left, "fpr", "recall"), (right, "recall", "precision")):
            axes.plot(marked[x], marked[y], "o", color=colour, markersize=5, clip_on=False)
        # On the left they crowd into the corner.
        for point in marked.itertuples():
            right.annotate(
                f"{point.budget:g}", (point.recall, point.precision), color=colour,
                xytext=(5, -9), textcoords="offset points", fontsize="small",
            )  # fmt: skip
    left.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, label="random ranking")
    right.axhline(base_rate, color=GREY, linewidth=0.8)
    unit_square(left, "false positive rate", "recall (true positive rate)", "ROC curve")
    unit_square(right, "recall", "precision", "Precision-recall curve")
    _legend_below(figure, left)
    return figure


@plt.style.context(STYLE)
def base_rate_projection(
    projected: pd.DataFrame, own: Mapping[str, float], marked: list[float]
) -> Figure:
    """Draw average precision against the base rate, the ranking staying what it is.

    Parameters
    ----------
    projected
        Columns curve, base_rate, average_precision; base rates ascend.
    own
        Curve -> the base rate of its records, marked with a dot.
    marked
        Base rates to draw a line at.
    """
    figure, axes = panels(1, 1, (7, 3.8))
    for name, (colour, dash) in _styled(projected["curve"].unique()):
        curve = projected[projected["curve"] == name]
        axes.plot(
            curve["base_rate"], curve["average_precision"], color=colour, linestyle=dash, label=name
        )
        here = curve[curve["base_rate"] == own[name]]
        axes.plot(here["base_rate"], here["average_precision"], "o", color=colour)
    for rate in marked:
        axes.axvline(rate, color=GREY, linewidth=0.8)
        axes.annotate(
            percent(rate), (rate, 1.02), ha="center", va="bottom", fontsize="small", color=GREY,
            xycoords=("data", "axes fraction"), annotation_clip=False,
        )  # fmt: skip
    axes.set(
        xscale="log", xlabel="base rate (share of attacks)", ylabel="average precision",
        ylim=(-0.02, 1.04),
    )  # fmt: skip
    axes.xaxis.set_major_formatter(lambda value, _: percent(value))
    _legend_below(figure, axes)
    return figure


@plt.style.context(STYLE)
def budget_by_day(days: Mapping[str, pd.DataFrame], budget: float) -> Figure:
    """Draw the alerts of one threshold on each day, and what ranking each day would find.

    Parameters
    ----------
    days
        Detector -> a row a day: alerts and tp of the threshold, and found, the true alerts of the
        day's top records.
    budget
        Alerts a day, drawn across.
    """
    rows = len(days)
    figure, grid = plt.subplots(
        rows, 1, figsize=(9, 1.3 + 1.7 * rows), layout="constrained", sharex=True, squeeze=False
    )
    for axes, (name, table) in zip(grid.ravel(), days.items(), strict=True):
        edges = np.arange(len(table) + 1) - 0.5
        # One area for all days, not a bar each: a year of days stays a small drawing.
        axes.stairs(
            table["alerts"], edges, fill=True, facecolor=SKY, edgecolor="white",
            label="alerts of one threshold", hatch="//",
        )  # fmt: skip
        axes.stairs(table["tp"], edges, fill=True, color=BLUE, label="of these, attacks found")
        # Many days are a line: a mark for each would run into the next.
        mark = {"marker": "D", "markersize": 6, "linestyle": "none", "markeredgecolor": "white"}
        axes.plot(
            np.arange(len(table)), table["found"], color=VERMILION,
            label="attacks found in ranking mode",
            **(mark if len(table) <= _MARKED else {"linewidth": 1}),
        )  # fmt: skip
        axes.axhline(
            budget, color="black", linewidth=1, linestyle="--", label=f"budget: {budget:g} a day"
        )
        axes.set(title=name, ylabel="records", xlim=(-0.6, len(table) - 0.4))
        axes.set_ylim(0, 1.15 * max(table["alerts"].max(), table["found"].max(), budget, 1e-9))
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.grid(visible=False, axis="x")
    last = grid.ravel()[-1]
    _name_days(last, next(iter(days.values())).index)
    _legend_below(figure, last)
    return figure


@plt.style.context(STYLE)
def costs_by_threshold(
    costs: Mapping[str, pd.DataFrame],
    least: Mapping[str, tuple[float, float]],
    rule: Mapping[str, float],
) -> Figure:
    """Draw the total cost of every threshold, a panel a detector.

    Parameters
    ----------
    costs
        Detector -> columns threshold and cost, thresholds descending and finite.
    least
        Detector -> threshold and cost of the least, to mark; not finite where nothing is flagged.
    rule
        Detector -> the cost threshold, where its scores are probabilities.
    """
    across = min(len(costs), 3)
    down = -(-len(costs) // across)
    figure, grid = plt.subplots(
        down, across, figsize=(1.2 + 2.9 * across, 0.9 + 2.6 * down), layout="constrained",
        squeeze=False,
    )  # fmt: skip
    for axes, (name, table) in zip(grid.ravel(), costs.items(), strict=False):
        axes.plot(table["threshold"], table["cost"], color=BLUE, label="cost of a threshold")
        if name in rule:
            axes.axvline(
                rule[name], color=GREY, linestyle="--", linewidth=1,
                label="cost threshold of calibrated probabilities",
            )  # fmt: skip
        if np.isfinite(least[name][0]):
            axes.plot(*least[name], "o", color=VERMILION, label="least cost")
        low, high = table["threshold"].min().item(), table["threshold"].max().item()
        if low > 0 and _WIDE * low < high < _WIDEST * low:
            axes.set_xscale("log")
        axes.set(title=name, xlabel="threshold", ylim=(0, None))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    for axes in grid.ravel()[len(costs) :]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel("total cost")
    # Not every panel has every line.
    named = {}
    for axes in grid.ravel():
        handles, labels = axes.get_legend_handles_labels()
        named |= dict(zip(labels, handles, strict=True))
    figure.legend(named.values(), named, loc="outside lower center", ncols=len(named))
    return figure


@plt.style.context(STYLE)
def intervals_by_number(table: pd.DataFrame, *, x: str, zero: bool = False) -> Figure:
    """Draw several numbers, of each detector or pair of them, with their intervals.

    Parameters
    ----------
    table
        Columns number (what was measured), of (whom), estimate, low and high; low and high are nan
        where there is no interval.
    x
        What the values are, for the axis.
    zero
        Whether to draw a line at 0.
    """
    numbers, whose = list(table["number"].unique()), table["of"].unique()
    apart = len(whose) + 0.8
    figure, axes = panels(1, 1, (8, 1 + 0.24 * len(numbers) * apart))
    for i, (name, (colour, _)) in enumerate(_styled(whose)):
        mine = table[table["of"] == name]
        y = [numbers.index(number) * apart + i for number in mine["number"]]
        axes.hlines(y, mine["low"], mine["high"], color=colour, linewidth=2)
        marker = _MARKERS[i % len(_MARKERS)]
        axes.plot(mine["estimate"], y, marker, color=colour, label=name)
    if zero:
        axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(np.arange(len(numbers)) * apart + (len(whose) - 1) / 2, numbers)
    axes.invert_yaxis()
    axes.set(xlabel=x)
    axes.grid(visible=False, axis="y")
    _legend_below(figure, axes)
    return figure


def _styled(names: np.ndarray) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each name with a colour and a dash; 28 of them before one comes again."""
    return zip(names, zip(cycle(_COLOURS), cycle(_DASHES), strict=False), strict=False)


def _legend_below(figure: Figure, axes: Axes) -> None:
    """Name what is on the axes, below them, in as many columns as there is room for."""
    handles, labels = axes.get_legend_handles_labels()
    longest = max(map(len, labels), default=1)
    # About ten signs an inch, and the line that each name stands beside.
    columns = int(figure.get_size_inches()[0] * 10 // (longest + 7))
    figure.legend(
        handles, labels, loc="outside lower center", ncols=max(1, min(columns, len(labels)))
    )


def _name_days(axes: Axes, days: pd.Index) -> None:
    """Name some of the days below the axes: all where they are few."""
    step = -(-len(days) // _LABELLED)
    places = np.arange(0, len(days), step)
    names = [str(days[place]).removesuffix(" 00:00:00") for place in places]
    turned = len(names) * max(map(len, names)) > 90
    axes.set_xticks(
        places, names, rotation=45 if turned else 0, ha="right" if turned else "center",
        rotation_mode="anchor" if turned else "default",
    )  # fmt: skip
    axes.set_xlabel("day")
