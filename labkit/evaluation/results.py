"""What is measured of a detector: every number with its interval, or with why there is none.

The names of the fields are the keys of `Evaluation.to_dict`; docs/evaluate.md describes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from labkit.metrics import AucDifference, ThresholdSweep

# Marks a field that is for drawing and goes into no JSON.
_NOT_TOLD = {"told": False}


@dataclass(frozen=True)
class Measure:
    """A number with its confidence interval.

    Attributes
    ----------
    estimate
        The number on the records as they are; nan where it is undefined.
    low, high
        Ends of the interval; nan where there is none.
    interval
        How the interval was made: "Wilson", "DeLong", "bootstrap of days" and the like; None where
        there is none.
    unusable
        Resamples in which the number was undefined, which the interval leaves out.
    reason
        Why the number or its interval is missing; None where neither is.
    bounds
        The least and the most that the number can be, where a group tied at a budget's cut leaves
        that open, or counts in bins of scores; None where it is known.
    """

    estimate: float
    low: float = math.nan
    high: float = math.nan
    interval: str | None = None
    unusable: int = 0
    reason: str | None = None
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class ThresholdResult:
    """What one threshold does: a record is an alert when score >= threshold.

    Attributes
    ----------
    threshold
        inf where it allows no alert, nan where inf is itself a score.
    alerts, tp, fp
        Records (or their weight).
    recall, precision
        The threshold taken as fixed.
    precision_at
        Base rate -> precision where that share of records are attacks.
    cost, cost_per_record
        What the errors cost in all and a record; None where no costs were given.
    """

    threshold: float
    alerts: float
    tp: float
    fp: float
    recall: Measure
    precision: Measure
    precision_at: Mapping[float, Measure]
    cost: float | None = None
    cost_per_record: Measure | None = None


@dataclass(frozen=True)
class BudgetResult:
    """The top records that an alert budget pays for, of all records together.

    A group tied at the cut is cut by chance: `tp`, `recall` and `precision` are expected values,
    and their bounds are over every way to cut it. `at_threshold` is the highest threshold that
    never exceeds the budget: it leaves the tied group out.
    """

    budget: float
    ties_at_cut: float
    tp: float
    tp_low: float
    tp_high: float
    recall: Measure
    precision: Measure
    at_threshold: ThresholdResult


@dataclass(frozen=True)
class RankingByDay:
    """The top records of each day, whatever their scores; ties at a day's cut are cut by chance.

    Attributes
    ----------
    alerts, tp, tp_low, tp_high
        Over all days.
    recall, precision
        All true alerts over all attacks, and over all alerts: no mean of daily rates.
    days
        One row a day: records, attacks, alerts, tp, fp, recall, precision, threshold, ties_at_cut,
        tp_low, tp_high.
    """

    alerts: float
    tp: float
    tp_low: float
    tp_high: float
    recall: Measure
    precision: Measure
    days: pd.DataFrame


@dataclass(frozen=True)
class ThresholdByDay:
    """One threshold that spends a daily budget over all days together.

    It is hindsight: the threshold was read off the days that it is judged on.

    Attributes
    ----------
    at_threshold
        Over all days.
    fewest, most
        Alerts of the quietest and the busiest day.
    days
        One row a day: records, attacks, alerts, tp, fp, recall, precision, threshold.
    """

    at_threshold: ThresholdResult
    fewest: float
    most: float
    days: pd.DataFrame


@dataclass(frozen=True)
class DailyBudgetResult:
    """Two ways to spend a budget of so many alerts a day."""

    per_day: float
    ranking: RankingByDay
    one_threshold: ThresholdByDay


@dataclass(frozen=True)
class CostResult:
    """Thresholds from costs.

    Attributes
    ----------
    least
        The threshold of least cost on these records, found among all of them: hindsight.
    rule
        The cost threshold c_FP / (c_FP + c_FN), for calibrated probabilities; None where scores
        are none, and `rule_reason` says so.
    on_nothing, on_everything
        What it costs to alert on nothing, and on everything.
    least_bounds
        Between which the least cost lies, where scores were counted in bins; None where `least`
        has it.
    """

    cost_fp: float
    cost_fn: float
    least: ThresholdResult
    rule: ThresholdResult | None
    rule_reason: str | None
    on_nothing: float
    on_everything: float
    least_bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class CalibrationResult:
    """What scores are worth as probabilities.

    Attributes
    ----------
    mean_prediction
        Mean of the scores; where calibrated, the base rate.
    certain_and_wrong
        Attacks of probability 0 and normal records of probability 1, or the weight of them: each
        makes the log loss infinite.
    bins
        `labkit.metrics.reliability_table`, with Wilson intervals; of weights where records have
        some, and without intervals then.
    """

    brier_score: Measure
    log_loss: Measure
    mean_prediction: Measure
    certain_and_wrong: float
    bins: pd.DataFrame


@dataclass(frozen=True)
class DetectorResult:
    """Everything that was measured of one detector.

    Attributes
    ----------
    records, positives, negatives
        Records (or their weight).
    distinct_scores
        Thresholds there are; equal scores are tied.
    auc
        With an interval by DeLong, or by the bootstrap where groups or weights were given.
    auc_delong
        With an interval by DeLong, which takes records for independent; None without records.
    average_precision_at
        Base rate -> average precision where that share of records are attacks.
    daily_budgets
        One a budget; empty where no day was given.
    costs, calibration
        None where there are none, and `missing` says why.
    days
        One row a day: records, attacks, base_rate, auc, and auc_low and auc_high by DeLong; None
        where no day was given.
    missing
        Part -> why it is absent.
    notes
        What a reader should know before using the numbers, one sentence each.
    sweep
        The counts at every threshold, for drawing; not part of `Evaluation.to_dict`.
    """

    records: float
    positives: float
    negatives: float
    base_rate: Measure
    distinct_scores: int
    auc: Measure
    auc_delong: Measure | None
    average_precision: Measure
    average_precision_at: Mapping[float, Measure]
    budgets: tuple[BudgetResult, ...]
    daily_budgets: tuple[DailyBudgetResult, ...]
    costs: CostResult | None
    calibration: CalibrationResult | None
    days: pd.DataFrame | None
    missing: Mapping[str, str]
    notes: tuple[str, ...]
    sweep: ThresholdSweep = field(repr=False, metadata=_NOT_TOLD)


@dataclass(frozen=True)
class PairResult:
    """Two detectors on the same records: every difference is `detector` minus `baseline`.

    Attributes
    ----------
    differences
        What was measured -> the difference, with a paired bootstrap interval.
    delong
        DeLong's test of the two AUCs, which takes records for independent; None with weights.
    """

    detector: str
    baseline: str
    differences: Mapping[str, Measure]
    delong: AucDifference | None
