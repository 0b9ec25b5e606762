"""What was measured: counts and rates, the threshold sweep, probability scores, intervals."""

from labkit.metrics.auc_intervals import (
    AucDifference,
    AucInterval,
    delong,
    delong_of_counts,
    delong_test,
)
from labkit.metrics.choice import NoFeasibleThreshold
from labkit.metrics.confusion import BudgetedPoint, ConfusionMatrix, OperatingPoint
from labkit.metrics.decomposition import BrierDecomposition, brier_decomposition
from labkit.metrics.intervals import clopper_pearson, wilson
from labkit.metrics.probability import (
    brier_score,
    certain_and_wrong,
    expected_calibration_error,
    log_loss,
    reliability_table,
)
from labkit.metrics.resampling import Bootstrap, Percentiles, bootstrap, percentiles
from labkit.metrics.sweep import ThresholdSweep

__all__ = [
    "AucDifference",
    "AucInterval",
    "Bootstrap",
    "BrierDecomposition",
    "BudgetedPoint",
    "ConfusionMatrix",
    "NoFeasibleThreshold",
    "OperatingPoint",
    "Percentiles",
    "ThresholdSweep",
    "bootstrap",
    "brier_decomposition",
    "brier_score",
    "certain_and_wrong",
    "clopper_pearson",
    "delong",
    "delong_of_counts",
    "delong_test",
    "expected_calibration_error",
    "log_loss",
    "percentiles",
    "reliability_table",
    "wilson",
]
