"""What to do with scores: thresholds from budgets and costs, probabilities that hold."""

from labkit.decisions.budgets import (
    alert_probability,
    at_daily_budget,
    fixed_threshold_by_day,
    period_totals,
    ranking_by_day,
)
from labkit.decisions.calibration import (
    IsotonicCalibration,
    PlattScaling,
    isotonic_calibration,
    platt_scaling,
    prior_shift,
)
from labkit.decisions.costs import cost_threshold, total_cost

__all__ = [
    "IsotonicCalibration",
    "PlattScaling",
    "alert_probability",
    "at_daily_budget",
    "cost_threshold",
    "fixed_threshold_by_day",
    "isotonic_calibration",
    "period_totals",
    "platt_scaling",
    "prior_shift",
    "ranking_by_day",
    "total_cost",
]
