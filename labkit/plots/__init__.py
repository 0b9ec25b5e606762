"""Drawing only: every function takes a table that was computed elsewhere and returns a figure."""

from labkit.plots.curves import base_rate_effect, roc_and_precision_recall, worked_example
from labkit.plots.days import shares_by_family, stacked_days
from labkit.plots.reliability import reliability
from labkit.plots.style import STYLE, percent

__all__ = [
    "STYLE",
    "base_rate_effect",
    "percent",
    "reliability",
    "roc_and_precision_recall",
    "shares_by_family",
    "stacked_days",
    "worked_example",
]
