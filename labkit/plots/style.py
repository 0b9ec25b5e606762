"""How the course's figures look: colours, dashes, hatches and axes.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; lines differ in
dash and markers in shape as well, so that a print in black and white can be read too.
"""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

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


def panels(rows: int = 1, columns: int = 2, size: tuple[float, float] = (9, 4)) -> tuple:
    """Return a figure and its axes, laid out so that no label is cut off; sizes in inches."""
    return plt.subplots(rows, columns, figsize=size, layout="constrained")


def unit_square(axes: Axes, x: str, y: str, title: str) -> None:
    """Name axes that both run from 0 to 1, with room for what lies on their edges."""
    axes.set(xlabel=x, ylabel=y, title=title, xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    axes.set_aspect("equal")
