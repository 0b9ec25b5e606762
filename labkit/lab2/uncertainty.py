"""How far the numbers of Lab 2 would move on other days like the four that were tested.

Models and thresholds stay as they are. What is drawn anew, with replacement, is the test days:
four for the attacks and four for the normal records, apart from each other, since a day's attacks
say nothing of its normal traffic. Records of one day are never parted.
"""

import math

import numpy as np

from labkit.decisions import fixed_threshold_by_day
from labkit.lab2.experiment import MODELS, RARER, TOP, Experiment
from labkit.metrics import Percentiles, bootstrap, clopper_pearson, percentiles
from labkit.metrics.statistics import (
    auc,
    average_precision,
    brier,
    family_recall_at_budget,
    mean_score,
    precision_at,
    precision_at_budget,
    recall_at,
    recall_at_budget,
)

Replicates = np.ndarray | list[np.ndarray]
Intervals = dict[str, Percentiles | list[Percentiles]]


def intervals(
    experiment: Experiment, level: float = 0.95, *, n_replicates: int = 2000, seed: int = 0
) -> Intervals:
    """Return a percentile interval for every number that was measured on the test days.

    Parameters
    ----------
    experiment
        Scores of every model.
    level
        Confidence level, within (0, 1).
    n_replicates, seed
        Number of resamples, and the seed of their draws.

    Returns
    -------
    dict
        Key, as in `labkit.lab2.experiment.numbers`, -> interval; a list for a list of numbers.
        What was counted or fixed before the test days, and what was seen on one day only, is left
        out.
    """
    options = {"groups": experiment.test["day"], "n_replicates": n_replicates, "seed": seed}
    replicates = (
        _ranking(experiment, options)
        | _budgets(experiment, options)
        | _alerts_a_day(experiment, n_replicates, seed)
        | _calibration(experiment, options)
    )
    return {
        key: [percentiles(one, level) for one in values]
        if isinstance(values, list)
        else percentiles(values, level)
        for key, values in replicates.items()
    }


def few_days(experiment: Experiment, measured: Intervals) -> str:
    """Return in words what intervals from the test days can and cannot support."""
    unusable = "".join(
        f" {key} is undefined in {interval.unusable} resamples, which are left out."
        for key, interval in measured.items()
        if not isinstance(interval, list) and interval.unusable
    )
    days = experiment.test["day"].nunique()
    draws = math.comb(2 * days - 1, days)
    flagged = experiment.operated_test >= experiment.fixed.threshold
    right, alerts = int(experiment.test["label"][flagged].sum()), int(flagged.sum())
    low, _ = clopper_pearson(right, alerts)
    return (
        f"Intervals: the {days} test days drawn anew, whole and with replacement, for "
        "the attacks and for the normal records apart; models and thresholds stay. They show how "
        f"much these {days} days disagree, coarsely ({draws} different draws a class), and not "
        "what no day held: a number that is the same every day gets no width, no day's attacks or "
        "false alerts are passed, and what was seen on one day has no interval. A fifth day "
        f"may well lie outside. That {right} of {alerts} alerts were right says that precision is "
        f"{low:.3f} or more, not that it is 1 (Clopper-Pearson, as if alerts were independent)."
        + unusable
    )


def _ranking(experiment: Experiment, options: dict) -> dict[str, Replicates]:
    area, precision = auc().name, average_precision().name
    at_rates = {f"gb_ap_at_{name}": average_precision(rate) for name, rate in RARER.items()}
    detectors = {f"gb {seed}": scores for seed, scores in experiment.boosting.items()}
    result = bootstrap(
        experiment.test["label"],
        detectors | {"lr": experiment.logistic},
        [auc(), average_precision(), *at_rates.values()],
        **options,
    )
    return {
        "gb_auc": result.of("gb 0", area),
        "gb_ap": result.of("gb 0", precision),
        "gb_ap_five_seed_mean": np.mean([result.of(name, precision) for name in detectors], axis=0),
        "lr_auc": result.of("lr", area),
        "lr_ap": result.of("lr", precision),
    } | {key: result.of("gb 0", statistic.name) for key, statistic in at_rates.items()}


def _budgets(experiment: Experiment, options: dict) -> dict[str, Replicates]:
    test, threshold = experiment.test, experiment.fixed.threshold
    of_top = {
        "top80_precision": precision_at_budget(TOP),
        "top80_recall": recall_at_budget(TOP),
        "top80_dos_share": family_recall_at_budget(TOP, "dos", test["family"] == "dos"),
        "top80_beacon_share": family_recall_at_budget(TOP, "beacon", test["family"] == "beacon"),
    }
    of_fixed = {
        "fixed_threshold_recall": recall_at(threshold),
        "fixed_threshold_precision": precision_at(threshold),
    }
    replicates = {}
    for scores, statistics in (
        (experiment.boosting[0], of_top),
        (experiment.operated_test, of_fixed),
    ):
        result = bootstrap(test["label"], {"gb": scores}, list(statistics.values()), **options)
        for key, statistic in statistics.items():
            replicates[key] = result.of("gb", statistic.name)
    return replicates


def _alerts_a_day(experiment: Experiment, n_replicates: int, seed: int) -> dict[str, Replicates]:
    test = experiment.test
    days = fixed_threshold_by_day(
        test["label"], experiment.operated_test, test["day"], experiment.fixed.threshold
    )
    rng = np.random.default_rng(seed)
    drawn_tp, drawn_fp = rng.integers(0, len(days), (2, n_replicates, len(days)))
    alerts = days["tp"].to_numpy()[drawn_tp] + days["fp"].to_numpy()[drawn_fp]
    return {
        "fixed_threshold_min_day": alerts.min(axis=1),
        "fixed_threshold_max_day": alerts.max(axis=1),
    }


def _calibration(experiment: Experiment, options: dict) -> dict[str, Replicates]:
    _, balanced, platt, isotonic = MODELS
    precision, brier_score, mean = average_precision(), brier(), mean_score()
    result = bootstrap(
        experiment.test["label"],
        experiment.probabilities,
        [precision, brier_score, mean],
        **options,
    )
    return {
        "balanced_lr_mean_prediction": result.of(balanced, mean.name),
        "balanced_lr_brier": result.of(balanced, brier_score.name),
        "platt_isotonic_mean_prediction": [
            result.of(name, mean.name) for name in (platt, isotonic)
        ],
        "platt_ap": result.of(platt, precision.name),
        "isotonic_ap": result.of(isotonic, precision.name),
    }
