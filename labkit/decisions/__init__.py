"""What to do with scores: thresholds from budgets and costs, probabilities for a base rate."""

from labkit.decisions.budgets import alert_probability, fixed_threshold_by_day, ranking_by_day
from labkit.decisions.calibration import prior_shift

__all__ = ["alert_probability", "fixed_threshold_by_day", "prior_shift", "ranking_by_day"]
