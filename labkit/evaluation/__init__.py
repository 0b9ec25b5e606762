"""Scores of any detector judged: everything that the course teaches to ask, in one object.

The way through this folder:

- Three ways in: `evaluate_records` takes labels and scores, `evaluate_counts` counts alone, and
  `evaluate_files` a file, with what `reading` reads.
- `detectors` reads every number off a detector's sweep: budgets and costs by `thresholds`, days by
  `days`, probabilities by `calibration`. `pairs` compares detectors.
- `intervals` adds intervals, off what `resampling` has drawn (`draws`); `bounds` says what bins
  leave open.
- `results` holds the numbers, `evaluation` all of them; `report` prints, tabulates and draws them.
"""

from labkit.evaluation.evaluate_counts import evaluate_sweeps
from labkit.evaluation.evaluate_files import evaluate_file
from labkit.evaluation.evaluate_records import evaluate
from labkit.evaluation.evaluation import Evaluation, Resampling, Source
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
