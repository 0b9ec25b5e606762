"""The one experiment of Lab 2: fit the models, score the days, read every number off a sweep."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from joblib import Parallel, delayed
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from labkit.decisions import (
    alert_probability,
    at_daily_budget,
    fixed_threshold_by_day,
    period_totals,
)
from labkit.lab2.detectors import gradient_boosting, logistic_regression
from labkit.lab2.split import TemporalSplit
from labkit.metrics import (
    BudgetedPoint,
    OperatingPoint,
    ThresholdSweep,
    brier_score,
    reliability_table,
)

if TYPE_CHECKING:
    import pandas as pd

JUDGE = TemporalSplit(train=range(10), test=range(10, 14))
"""How well the detectors rank: everything up to day 9 is theirs to learn from."""
OPERATE = TemporalSplit(train=range(8), calibrate=range(8, 10), test=range(10, 14))
"""How they run: days 8-9 are kept to fix thresholds and probabilities on."""
BOOSTER_SEEDS = range(5)
ALERTS_PER_DAY = 20
TOP = ALERTS_PER_DAY * len(JUDGE.test)
"""The budget of the test days together."""
RARER = {"1pct": 0.01, "0.1pct": 0.001}
MODELS = ("plain", "balanced", "balanced + Platt", "balanced + isotonic")

Numbers = dict[str, float | bool | list[float]]


@dataclass(frozen=True, eq=False)
class Experiment:
    """Scores of every model of Lab 2, in the order of the records they belong to.

    Attributes
    ----------
    flows
        The flow table that all was done on.
    boosting
        Scores on the test days of gradient boosting trained on days 0-9, by booster seed.
    logistic
        Scores on the test days of logistic regression trained on days 0-9.
    operated_calibrate, operated_test
        Scores of gradient boosting (seed 0) trained on days 0-7.
    probabilities
        Probabilities on the test days of the four logistic regressions in `MODELS`, trained on
        days 0-7 and, two of them, recalibrated on days 8-9.
    """

    flows: "pd.DataFrame"
    boosting: dict[int, np.ndarray]
    logistic: np.ndarray
    operated_calibrate: np.ndarray
    operated_test: np.ndarray
    probabilities: dict[str, np.ndarray]

    @cached_property
    def test(self) -> "pd.DataFrame":
        """Flow records of days 10-13."""
        return OPERATE.of(self.flows, "test")

    @cached_property
    def calibrate(self) -> "pd.DataFrame":
        """Flow records of days 8-9."""
        return OPERATE.of(self.flows, "calibrate")

    def sweep(self, scores: np.ndarray) -> ThresholdSweep:
        """Return the sweep of scores on the test days."""
        return ThresholdSweep.from_scores(self.test["label"], scores)

    @property
    def top_of_test(self) -> BudgetedPoint:
        """The budget of the four test days, spent with hindsight; ties at the cut by chance."""
        return at_daily_budget(
            self.test["label"], self.boosting[0], self.test["day"], ALERTS_PER_DAY, "expected"
        )

    @property
    def fixed(self) -> OperatingPoint:
        """The score of the 40th record of days 8-9, a threshold that is kept from then on."""
        past = self.calibrate
        return at_daily_budget(
            past["label"], self.operated_calibrate, past["day"], ALERTS_PER_DAY, "over"
        )


def run(
    flows: "pd.DataFrame", booster_seeds: Sequence[int] = BOOSTER_SEEDS, n_jobs: int | None = None
) -> Experiment:
    """Fit every model of Lab 2 and score the days that it may be judged on.

    Parameters
    ----------
    flows
        Flow table of days 0-13.
    booster_seeds
        Seeds of the gradient boosting; 0 must be among them.
    n_jobs
        Workers that fit boosters, as in joblib; None for one, unless `joblib.parallel_config` says
        otherwise. The scores do not depend on it.
    """
    train, test = JUDGE.of(flows, "train"), JUDGE.of(flows, "test")
    past, calibrate = OPERATE.of(flows, "train"), OPERATE.of(flows, "calibrate")
    boosted = Parallel(n_jobs=n_jobs)(
        delayed(_boosted)(seed, train, test) for seed in booster_seeds
    )
    operated = gradient_boosting(0).fit(past, past["label"])
    return Experiment(
        flows=flows,
        boosting=dict(zip(booster_seeds, boosted, strict=True)),
        logistic=logistic_regression().fit(train, train["label"]).decision_function(test),
        operated_calibrate=operated.decision_function(calibrate),
        operated_test=operated.decision_function(test),
        probabilities={
            name: model.predict_proba(test)[:, 1]
            for name, model in calibrated_models(past, calibrate).items()
        },
    )


def _boosted(seed: int, train: "pd.DataFrame", test: "pd.DataFrame") -> np.ndarray:
    return gradient_boosting(seed).fit(train, train["label"]).decision_function(test)


def calibrated_models(past: "pd.DataFrame", calibrate: "pd.DataFrame") -> dict[str, object]:
    """Fit the four logistic regressions in `MODELS`.

    Parameters
    ----------
    past
        Records to train on.
    calibrate
        Later records, on which Platt's sigmoid and the isotonic steps are fitted.
    """
    plain = logistic_regression().fit(past, past["label"])
    balanced = logistic_regression(class_weight="balanced").fit(past, past["label"])
    platt, isotonic = (
        CalibratedClassifierCV(FrozenEstimator(balanced), method=method).fit(
            calibrate, calibrate["label"]
        )
        for method in ("sigmoid", "isotonic")
    )
    return dict(zip(MODELS, (plain, balanced, platt, isotonic), strict=True))


def family_recall(test: "pd.DataFrame", alerts: np.ndarray) -> dict[str, float]:
    """Return the share of each family's records that are alerts, the families in name order.

    Parameters
    ----------
    test
        Flow records.
    alerts
        True where a record is an alert, or the probability that it is one, shape (n,).
    """
    attacks = test["label"].to_numpy() == 1
    flagged = alerts[attacks]
    return {
        str(family): float(share.mean())
        for family, share in test[attacks].assign(flagged=flagged).groupby("family")["flagged"]
    }


def calibration_table(experiment: Experiment) -> "pd.DataFrame":
    """Return mean prediction, Brier score and AP of the four models on the test days.

    Returns
    -------
    pandas.DataFrame
        One row a model of `MODELS`: mean_prediction, brier, ap.
    """
    import pandas as pd

    labels = experiment.test["label"]
    return pd.DataFrame(
        {
            name: {
                "mean_prediction": float(probability.mean()),
                "brier": brier_score(labels, probability),
                "ap": experiment.sweep(probability).average_precision,
            }
            for name, probability in experiment.probabilities.items()
        }
    ).T.rename_axis("model")


def numbers(experiment: Experiment) -> Numbers:
    """Return every number of Lab 2 by its key; `labkit.lab2.lesson` holds what it stands beside."""
    return (
        _ranking_numbers(experiment)
        | _budget_numbers(experiment)
        | _calibration_numbers(experiment)
    )


def _ranking_numbers(experiment: Experiment) -> Numbers:
    sweeps = {seed: experiment.sweep(scores) for seed, scores in experiment.boosting.items()}
    boosting, logistic = sweeps[0], experiment.sweep(experiment.logistic)
    return {
        "test_attacks": boosting.positives,
        "test_base_rate": boosting.base_rate,
        "gb_auc": boosting.roc_auc,
        "gb_ap": boosting.average_precision,
        "gb_ap_five_seed_mean": float(
            np.mean([sweep.average_precision for sweep in sweeps.values()])
        ),
        "lr_auc": logistic.roc_auc,
        "lr_ap": logistic.average_precision,
    } | {
        f"gb_ap_at_{name}": boosting.at_base_rate(rate).average_precision
        for name, rate in RARER.items()
    }


def _budget_numbers(experiment: Experiment) -> Numbers:
    test = experiment.test
    top, fixed = experiment.top_of_test, experiment.fixed
    top_recall = family_recall(test, alert_probability(experiment.boosting[0], TOP))
    days = fixed_threshold_by_day(
        test["label"], experiment.operated_test, test["day"], fixed.threshold
    )
    replayed = period_totals(days)
    flagged = test[experiment.operated_test >= fixed.threshold]
    dos_on_11 = (flagged["family"] == "dos") & (flagged["day"] == 11)
    return {
        "top80_alerts": top.alerts,
        "top80_precision": top.precision,
        "top80_recall": top.recall,
        "top80_dos_share": top_recall["dos"],
        "top80_beacon_share": top_recall["beacon"],
        "fixed_threshold_calibration_alerts": fixed.alerts,
        "fixed_threshold_recall": replayed["recall"],
        "fixed_threshold_precision": replayed["precision"],
        "fixed_threshold_min_day": int(days["alerts"].min()),
        "fixed_threshold_max_day": int(days["alerts"].max()),
        "fixed_threshold_max_day_is_11": bool(days["alerts"].idxmax() == 11),
        "fixed_threshold_dos_alerts_day11": int(dos_on_11.sum()),
        "fixed_threshold_beacon_alerts": int((flagged["family"] == "beacon").sum()),
    }


def _calibration_numbers(experiment: Experiment) -> Numbers:
    table = calibration_table(experiment)
    flows, test = experiment.flows, experiment.test
    beacons = test["family"] == "beacon"
    lowest_bin_end = reliability_table(test["label"], experiment.probabilities["plain"])["upper"][0]
    lowest = [
        float((probability[beacons] < lowest_bin_end).mean())
        for probability in experiment.probabilities.values()
    ]
    plain, balanced, platt, isotonic = (table.loc[name] for name in MODELS)
    return {
        "beacons_first_day": int(flows.loc[flows["family"] == "beacon", "day"].min()),
        "calibration_days_base_rate": float(experiment.calibrate["label"].mean()),
        "balanced_lr_mean_prediction": balanced["mean_prediction"],
        "balanced_lr_brier": balanced["brier"],
        "other_briers": [plain["brier"], platt["brier"], isotonic["brier"]],
        "platt_isotonic_mean_prediction": [platt["mean_prediction"], isotonic["mean_prediction"]],
        "balanced_ap": balanced["ap"],
        "platt_ap": platt["ap"],
        "isotonic_ap": isotonic["ap"],
        "beacons_in_lowest_bin": min(lowest),
    }
