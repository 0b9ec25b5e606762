"""Scores of any detector judged: everything that the course teaches to ask, in one object.

`evaluate` takes labels and scores, `evaluate_sweeps` counts alone; `labkit evaluate` reads a file.
"""

from labkit.evaluation.counts import evaluate_sweeps
from labkit.evaluation.evaluating import evaluate
from labkit.evaluation.evaluation import Evaluation, Resampling, Source
from labkit.evaluation.files import evaluate_file
from labkit.evaluation.options import Options
from labkit.evaluation.results import (
    BudgetResult,
    CalibrationResult,
    CostResult,
    DailyBudgetResult,
    DetectorResult,
    Measure,
    PairResult,
    RankingByDay,
    ThresholdByDay,
    ThresholdResult,
)

__all__ = [
    "BudgetResult",
    "CalibrationResult",
    "CostResult",
    "DailyBudgetResult",
    "DetectorResult",
    "Evaluation",
    "Measure",
    "Options",
    "PairResult",
    "RankingByDay",
    "Resampling",
    "Source",
    "ThresholdByDay",
    "ThresholdResult",
    "evaluate",
    "evaluate_file",
    "evaluate_sweeps",
]
