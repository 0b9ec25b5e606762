"""Single frames of curves that move, each drawn from its row of a table.

Every panel has its fixed place and no layout is worked out, so that from frame to frame only what
has changed moves. `labkit.lab2.frames` computes the tables.
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, PercentFormatter

from labkit.plots.days import stack
from labkit.plots.style import (
    BLUE,
    FAMILY_NAMES,
    FAMILY_STYLE,
    GREEN,
    GREY,
    ORANGE,
    STYLE,
    VERMILION,
    percent,
    unit_square,
)

SIZE = (9, 4)
"""Inches; at 100 dots an inch the width of a notebook."""
_ATTACK, _NORMAL = VERMILION, BLUE
_SHADE = 0.18


@plt.style.context(STYLE)
def staircase(steps: pd.DataFrame, step: int) -> Figure:
    """Draw the ROC staircase as it stands when the threshold has passed some records.

    Parameters
    ----------
    steps
        `labkit.lab2.frames.record_steps`.
    step
        Row of the table: how many steps are taken.
    """
    figure = Figure(SIZE)
    axes = _square(figure)
    so_far, now = steps.iloc[: step + 1], steps.iloc[step]
    axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
    axes.fill_between(so_far["fpr"], so_far["recall"], color=BLUE, alpha=_SHADE, linewidth=0)
    axes.plot(so_far["fpr"], so_far["recall"], color=BLUE, marker="o", markersize=4, clip_on=False)
    _here(axes, now["fpr"], now["recall"])
    unit_square(axes, "false positive rate", "recall (true positive rate)", "ROC staircase")
    normals = int(now["fp"] + now["tn"])
    _ticks(axes.xaxis, normals)
    _ticks(axes.yaxis, int(now["tp"] + now["fn"]))
    _records(figure, steps, step)
    rates = [
        f"recall {int(now['tp'])}/{int(now['tp'] + now['fn'])} = {now['recall']:.3f}",
        f"false positive rate {int(now['fp'])}/{normals} = {now['fpr']:.3f}",
        f"area so far {now['area']:.3f}",
    ]
    _confusion(figure, now, rates)
    _words(figure, now["roc_says"], 0.475, 0.225)
    return figure


@plt.style.context(STYLE)
def precision_recall(steps: pd.DataFrame, step: int) -> Figure:
    """Draw the precision-recall points and the rectangles of AP when some records are passed.

    Parameters
    ----------
    steps
        `labkit.lab2.frames.record_steps`.
    step
        Row of the table: how many steps are taken.
    """
    figure = Figure(SIZE)
    axes = _square(figure)
    so_far, now = steps.iloc[1 : step + 1], steps.iloc[step]
    attacks = int(now["tp"] + now["fn"])
    base_rate = attacks / (attacks + now["fp"] + now["tn"])
    axes.axhline(base_rate, color=GREY, linewidth=1, linestyle="--")
    for row in so_far[so_far["attacks"] > 0].itertuples():
        width = row.attacks / attacks
        axes.add_patch(
            Rectangle(
                (row.recall - width, 0), width, row.precision, facecolor=(BLUE, _SHADE),
                edgecolor=(BLUE, 0.5), linewidth=0.8,
            )
        )  # fmt: skip
    if step:
        # In steps, as AP sums them: between two points precision does not run straight.
        axes.step(
            np.append(0, so_far["recall"]), np.append(so_far["precision"][:1], so_far["precision"]),
            where="pre", color=BLUE,
        )  # fmt: skip
        axes.plot(so_far["recall"], so_far["precision"], "o", color=BLUE, markersize=4,
                  clip_on=False)  # fmt: skip
        _here(axes, now["recall"], now["precision"])
    axes.annotate(
        f"base rate {base_rate:.2g}", (0, base_rate), xytext=(2, -3), textcoords="offset points",
        va="top", fontsize="small", color="#595959",
    )  # fmt: skip
    unit_square(axes, "recall", "precision", "Precision-recall curve")
    _ticks(axes.xaxis, attacks)
    _records(figure, steps, step)
    alerts = int(now["tp"] + now["fp"])
    rates = [
        f"recall {int(now['tp'])}/{attacks} = {now['recall']:.3f}",
        f"precision {int(now['tp'])}/{alerts} = {now['precision']:.3f}"
        if alerts
        else "precision 0/0: undefined",
        f"AP so far {now['ap']:.3f}",
    ]
    _confusion(figure, now, rates)
    _words(figure, now["pr_says"], 0.475, 0.225)
    return figure


@plt.style.context(STYLE)
def threshold(curve: pd.DataFrame, days: pd.DataFrame, frame: pd.Series) -> Figure:
    """Draw one threshold on the ROC curve, on the precision-recall curve and day by day.

    Parameters
    ----------
    curve
        `labkit.lab2.figures.curve_table` of one sweep.
    days
        The frame's rows of the days of `labkit.lab2.frames.threshold_frames`.
    frame
        Its row of the frames.
    """
    figure = Figure(SIZE)
    roc, pr = _two_squares(figure)
    _both_curves(roc, pr, curve, curve["precision"])
    _here(roc, frame["fpr"], frame["recall"])
    if frame["tp"] + frame["fp"]:
        _here(pr, frame["recall"], frame["precision"])
    bars = figure.add_axes((0.735, 0.32, 0.25, 0.58))
    places, tp, fp = np.arange(len(days)), days["tp"].to_numpy(), days["fp"].to_numpy()
    bars.bar(places, tp, color=_ATTACK, label="attacks", width=0.7)
    bars.bar(
        places, fp, bottom=tp, color=GREY, hatch="//", edgecolor="white", linewidth=0,
        label="false alerts", width=0.7,
    )  # fmt: skip
    totals = [f"{total:,}" for total in tp + fp]
    # Over many days or of many digits they would lie on each other.
    for place, total in enumerate(tp + fp) if len("".join(totals)) <= 26 else ():
        bars.annotate(
            totals[place], (place, total), ha="center", va="bottom", fontsize="small",
            xytext=(0, 1), textcoords="offset points",
        )  # fmt: skip
    _alerts_a_day(bars, days["day"], int((tp + fp).max()))
    figure.legend(*bars.get_legend_handles_labels(), loc="lower right", ncols=2,
                  bbox_to_anchor=(0.995, 0.11))  # fmt: skip
    _words(figure, frame["says"])
    return figure


@plt.style.context(STYLE)
def base_rate(curves: pd.DataFrame, frame: pd.Series, number: int = 0) -> Figure:
    """Draw one ranking at one base rate: a ROC curve that stays, precision-recall that moves.

    Parameters
    ----------
    curves
        The curves of `labkit.lab2.frames.base_rate_frames`.
    frame
        A row of its frames.
    number
        The number of that row.
    """
    figure = Figure(SIZE)
    roc, pr = (figure.add_axes((x, 0.27, 0.28, 0.63)) for x in (0.12, 0.6))
    _both_curves(roc, pr, curves, curves[f"precision_{number}"])
    rate = frame["base_rate"]
    pr.axhline(rate, color=GREY, linewidth=1, linestyle="--")
    pr.annotate(
        f"base rate {percent(rate)}", (0, rate), xytext=(0, 2), textcoords="offset points",
        va="bottom", fontsize="small", color="#595959",
    )  # fmt: skip
    _here(roc, frame["fpr"], frame["recall"])
    _here(pr, frame["recall"], frame["precision"])
    roc.set_title("ROC curve: stays")
    pr.set_title(f"Precision-recall curve: AP {frame['ap']:.3f}")
    _words(figure, frame["says"])
    return figure


@plt.style.context(STYLE)
def budget(days: pd.DataFrame, frame: pd.Series, shares: pd.Series) -> Figure:
    """Draw the alerts a day that a budget makes, and the share of each family that it finds.

    Parameters
    ----------
    days
        The frame's rows of the days of `labkit.lab2.frames.budget_frames`.
    frame
        Its row of the frames.
    shares
        Of each family, `labkit.lab2.frames.family_shares`.
    """
    figure = Figure(SIZE)
    bars = figure.add_axes((0.065, 0.33, 0.42, 0.57))
    counts = days.drop(columns=["frame", "part", "day"]).reset_index(drop=True)
    stack(bars, counts)
    past = int((days["part"] == "calibrate").sum())
    bars.axhline(frame["budget"], color="black", linewidth=1, linestyle="--")
    bars.annotate(
        f"budget\n{frame['budget']:,}", (1, frame["budget"]), xycoords=("axes fraction", "data"),
        va="center", fontsize="small", xytext=(4, 0), textcoords="offset points",
    )  # fmt: skip
    bars.axvline(past - 0.5, color="black", linewidth=0.8)
    for text, first, last in (("fixed here", 0, past), ("applied here", past, len(counts))):
        bars.annotate(
            text, ((first + last - 1) / 2, 1), xycoords=("data", "axes fraction"), ha="center",
            va="top", fontsize="small", xytext=(0, -2), textcoords="offset points",
        )  # fmt: skip
    bars.set_xlim(-0.6, len(counts) - 0.4)
    _alerts_a_day(bars, days["day"], max(int(counts.sum(axis=1).max()), int(frame["budget"])))
    bars.set_title("Alerts a day; threshold")
    colour, hatch = FAMILY_STYLE["benign"]
    false = Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0)
    figure.legend([false], [FAMILY_NAMES["benign"]], loc="lower right",
                  bbox_to_anchor=(0.48, 0.15))  # fmt: skip

    found = figure.add_axes((0.73, 0.33, 0.235, 0.57))
    rows = np.arange(len(shares))
    for row, (family, share) in zip(rows, shares.items(), strict=True):
        colour, hatch = FAMILY_STYLE[family]
        found.barh(row, share, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
        found.annotate(f"{share:.0%}", (share, row), xytext=(3, 0), textcoords="offset points",
                       va="center", fontsize="small")  # fmt: skip
    found.set_yticks(rows, [FAMILY_NAMES[family] for family in shares.index])
    found.invert_yaxis()
    found.set(title="Share found on the test days", xlim=(0, 1.15))
    found.xaxis.set_major_locator(FixedLocator([0, 0.5, 1]))
    found.xaxis.set_major_formatter(PercentFormatter(1))
    found.grid(visible=False, axis="y")
    _words(figure, frame["says"])
    return figure


def _square(figure: Figure) -> Axes:
    return figure.add_axes((0.07, 0.15, 0.33, 0.75))


def _two_squares(figure: Figure) -> tuple[Axes, Axes]:
    first, second = (figure.add_axes((x, 0.32, 0.25, 0.58)) for x in (0.065, 0.4))
    return first, second


def _both_curves(roc: Axes, pr: Axes, curve: pd.DataFrame, precision: pd.Series) -> None:
    """Draw ROC and, as steps, the precision-recall curve of one sweep."""
    roc.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
    roc.plot(np.append(0, curve["fpr"]), np.append(0, curve["recall"]), color=BLUE)
    # With the drops at normal records, so that every threshold has its place on the line.
    pr.step(
        np.append(0, curve["recall"]), np.append(precision[:1], precision), where="pre", color=BLUE
    )
    unit_square(roc, "false positive rate", "recall", "ROC curve")
    unit_square(pr, "recall", "precision", "Precision-recall curve")


def _here(axes: Axes, x: float, y: float) -> None:
    """Mark where things stand now."""
    axes.plot([x], [y], "D", color=ORANGE, markeredgecolor="black", markersize=8, clip_on=False,
              zorder=5)  # fmt: skip


def _ticks(axis: object, parts: int) -> None:
    """Put a tick at every step, where there are few."""
    if parts <= 5:
        axis.set_major_locator(FixedLocator(np.arange(parts + 1) / parts))
        axis.set_major_formatter(lambda value, _: f"{value:.2g}")


def _alerts_a_day(axes: Axes, days: pd.Series, highest: int) -> None:
    """Name the axes of bars a day and give them ticks."""
    ceiling = _ceiling(highest)
    axes.set(title="Alerts a day", xlabel="day", ylim=(0, ceiling))
    axes.set_yticks([0, ceiling / 2, ceiling], ["0", f"{ceiling / 2:,.0f}", f"{ceiling:,.0f}"])
    axes.grid(visible=False, axis="x")
    places = np.arange(len(days))
    every = -(-len(days) // 12)
    axes.set_xticks(places[::every], [str(day) for day in days.iloc[::every]])


def _ceiling(highest: int) -> float:
    """Return the top of an axis: of few heights, so that it seldom changes from frame to frame."""
    steps = [step * 10**power for power in range(1, 16) for step in (1, 2, 5)]
    return next((step for step in steps if highest * 1.15 <= step), highest * 1.15)


def _records(figure: Figure, steps: pd.DataFrame, step: int) -> None:
    """Draw the records in rank order: those passed are shaded, those passed just now framed."""
    cells = [
        (number, is_attack)
        for number, row in enumerate(steps.itertuples())
        for is_attack in [True] * row.attacks + [False] * row.normals
    ]
    a_row = 10 if len(cells) <= 20 else 15
    rows = -(-len(cells) // a_row)
    axes = figure.add_axes((0.475, 0.6, 0.515, 0.3))
    axes.set(xlim=(-0.5, a_row - 0.5), ylim=(max(rows, 2) - 0.5, -0.5))
    axes.axis("off")
    axes.set_title("Records by score, the highest first")
    scores = _short(steps["threshold"])
    # Of a cell's width.
    told = "score" if max(map(len, scores)) <= (7 if a_row == 10 else 5) else "step"
    axes.annotate(
        f"▲ attack   ▶ normal   number: {told}   shaded: alert   framed: now",
        (-0.5, rows - 0.5), fontsize="small",
        va="top", xytext=(0, -3), textcoords="offset points", annotation_clip=False,
    )  # fmt: skip
    size = 10 if rows <= 2 else 7
    for rank, (number, is_attack) in enumerate(cells):
        row, column = divmod(rank, a_row)
        passed, now = number <= step, number == step
        colour = _ATTACK if is_attack else _NORMAL
        axes.add_patch(
            Rectangle(
                (column - 0.45, row - 0.45), 0.9, 0.9, linewidth=2 if now else 0.6,
                edgecolor="black" if now else "#BFBFBF", zorder=2 if now else 1,
                facecolor=(colour, 0.2) if passed else "white",
            )
        )  # fmt: skip
        axes.plot([column], [row - 0.15], "^" if is_attack else ">", color=colour, markersize=size,
                  fillstyle="full" if passed else "none")  # fmt: skip
        axes.text(
            column, row + 0.28, scores[number] if told == "score" else number, ha="center",
            va="center", fontsize=max(size - 2, 7),
            color="black" if passed else "#595959",
        )  # fmt: skip


def _short(scores: pd.Series) -> list[str]:
    """Return scores in as few digits as keep them apart."""
    finite = scores[np.isfinite(scores)].unique()
    digits = next((n for n in range(2, 6) if len({f"{s:.{n}g}" for s in finite}) == len(finite)), 6)
    return [f"{score + 0.0:.{digits}g}" for score in scores]


def _confusion(figure: Figure, now: pd.Series, rates: list[str]) -> None:
    """Write the confusion matrix, and beside it the rates that it gives."""
    axes = figure.add_axes((0.475, 0.27, 0.515, 0.26))
    axes.set(xlim=(0, 10), ylim=(3, 0))
    axes.axis("off")
    for x, text in ((2.2, "alert"), (3.7, "no alert")):
        axes.text(x, 0.5, text, ha="center", va="center", fontsize="small")
    for y, name, entries in ((1.5, "attack", ("tp", "fn")), (2.5, "normal", ("fp", "tn"))):
        axes.text(1.3, y, name, ha="right", va="center", fontsize="small")
        for x, entry in zip((2.2, 3.7), entries, strict=True):
            right = entry in ("tp", "tn")
            axes.add_patch(
                Rectangle((x - 0.75, y - 0.5), 1.5, 1, edgecolor="white", linewidth=2,
                          facecolor=(GREEN if right else ORANGE, 0.25))
            )  # fmt: skip
            axes.text(x, y, f"{entry.upper()} {int(now[entry])}", ha="center", va="center")
    for line, text in enumerate(rates):
        weight = "bold" if line == len(rates) - 1 else "normal"
        axes.text(5.0, 0.5 + line, text, va="center", weight=weight)


def _words(figure: Figure, text: str, left: float = 0.06, top: float = 0.125) -> None:
    """Write what the frame shows in words, below the panels."""
    lines = textwrap.fill(text, int((0.98 - left) * 126))
    figure.text(left, top, lines, va="top", linespacing=1.3)
