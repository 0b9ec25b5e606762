"""What became of each exercise in a class."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from labkit.plots.style import BLUE, GREY, ORANGE, STYLE, VERMILION, panels

OUTCOME_STYLE = {
    "right": (BLUE, ""),
    "a known misconception": (VERMILION, "//"),
    "wrong otherwise": (ORANGE, ".."),
    "unanswered": (GREY, ""),
}


@plt.style.context(STYLE)
def exercise_outcomes(counts: pd.DataFrame) -> Figure:
    """Draw, for each exercise, the shares of what students answered.

    Parameters
    ----------
    counts
        One row an exercise, with its name as index, one column a key of `OUTCOME_STYLE`.
    """
    shares = counts.div(counts.sum(axis=1), axis=0)
    figure, axes = panels(1, 1, (9, 1.2 + 0.28 * len(counts)))
    rows, left = np.arange(len(counts)), np.zeros(len(counts))
    for outcome, (colour, hatch) in OUTCOME_STYLE.items():
        axes.barh(
            rows, shares[outcome], 0.75, left=left, color=colour, hatch=hatch,
            edgecolor="white", linewidth=0.5, label=outcome,
        )  # fmt: skip
        left += shares[outcome].to_numpy()
    # A share of two notebooks looks like one of two hundred.
    axes.set_yticks(rows, [f"{name}  (of {row.sum()})" for name, row in counts.iterrows()])
    axes.set_ylim(len(counts) - 0.4, -0.6)
    axes.set(xlabel="share of notebooks", ylabel="exercise", xlim=(0, 1))
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=4)
    return figure
