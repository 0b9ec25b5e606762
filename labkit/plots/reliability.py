"""Reliability diagrams."""

from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from labkit.plots.style import GREY, LINES, STYLE, panels, unit_square


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
    figure, row = panels(1, len(models), (2.9 * len(models), 3.4))
    for axes, (model, rows), (colour, _) in zip(
        np.ravel(row), bins.groupby("model", sort=False), cycle(LINES), strict=False
    ):
        filled = rows[rows["count"] > 0]
        error = [filled["observed"] - filled["low"], filled["high"] - filled["observed"]]
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
        axes.errorbar(
            filled["mean_predicted"], filled["observed"], yerr=error, fmt="o", color=colour,
            markersize=4, elinewidth=1, capsize=2,
        )  # fmt: skip
        unit_square(axes, "mean predicted probability", "", str(model))
        axes.set_ylim(-0.04, 1.04)
    np.ravel(row)[0].set_ylabel("observed share of attacks")
    return figure
