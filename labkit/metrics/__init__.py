"""What was measured: counts and rates, the threshold sweep, probability scores, intervals."""

from labkit.metrics.auc_intervals import AucDifference, AucInterval, delong, delong_test
from labkit.metrics.choice import NoFeasibleThreshold
from labkit.metrics.confusion import BudgetedPoint, ConfusionMatrix, OperatingPoint
from labkit.metrics.intervals import clopper_pearson, wilson
from labkit.metrics.probability import brier_score, log_loss, reliability_table
from labkit.metrics.resampling import Bootstrap, bootstrap
from labkit.metrics.sweep import ThresholdSweep

__all__ = [
    "AucDifference",
    "AucInterval",
    "Bootstrap",
    "BudgetedPoint",
    "ConfusionMatrix",
    "NoFeasibleThreshold",
    "OperatingPoint",
    "ThresholdSweep",
    "bootstrap",
    "brier_score",
    "clopper_pearson",
    "delong",
    "delong_test",
    "log_loss",
    "reliability_table",
    "wilson",
]
