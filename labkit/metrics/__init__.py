"""What was measured: counts and rates, the threshold sweep, probability scores, intervals."""

from labkit.metrics.confusion import BudgetedPoint, ConfusionMatrix, OperatingPoint
from labkit.metrics.intervals import wilson
from labkit.metrics.probability import brier_score, log_loss, reliability_table
from labkit.metrics.sweep import NoFeasibleThreshold, ThresholdSweep

__all__ = [
    "BudgetedPoint",
    "ConfusionMatrix",
    "NoFeasibleThreshold",
    "OperatingPoint",
    "ThresholdSweep",
    "brier_score",
    "log_loss",
    "reliability_table",
    "wilson",
]
