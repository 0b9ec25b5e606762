"""Whatever is passed, a function answers or raises InputError in one line; it never warns."""

import numpy as np
import pandas as pd
import pytest

from labkit import decisions, metrics
from labkit.errors import InputError
from labkit.metrics import ThresholdSweep, bootstrap, statistics

GOOD = [1, 0]
SWEEP = ThresholdSweep.from_scores(GOOD, GOOD)
POINT = metrics.ConfusionMatrix(1, 1, 1, 1)


def resample(**change):
    arguments = {"y_true": GOOD, "y_scores": {"a": GOOD}, "statistics": [statistics.auc()]}
    return bootstrap(**(arguments | {"n_replicates": 2} | change))


def from_counts(**change):
    columns = {"thresholds": [2, 1], "tp": [1, 2], "fp": [1, 2], "positives": 2, "negatives": 2}
    return ThresholdSweep.from_counts(**(columns | change))


TAKES = {
    "from_scores y_true": lambda junk: ThresholdSweep.from_scores(junk, GOOD),
    "from_scores y_score": lambda junk: ThresholdSweep.from_scores(GOOD, junk),
    "from_scores weight": lambda junk: ThresholdSweep.from_scores(GOOD, GOOD, sample_weight=junk),
    "from_scores pos_label": lambda junk: ThresholdSweep.from_scores(GOOD, GOOD, pos_label=junk),
    **{
        f"from_counts {name}": lambda junk, name=name: from_counts(**{name: junk})
        for name in ("thresholds", "tp", "fp", "positives", "negatives")
    },
    "at_threshold": SWEEP.at_threshold,
    "at_budget k": SWEEP.at_budget,
    "at_budget ties": lambda junk: SWEEP.at_budget(1, junk),
    "at_recall": SWEEP.at_recall,
    "at_fpr": SWEEP.at_fpr,
    "at_cost": lambda junk: SWEEP.at_cost(fp=junk, fn=1),
    "at_base_rate": SWEEP.at_base_rate,
    **{
        f"choose {name}": lambda junk, name=name: SWEEP.choose(**{name: junk})
        for name in ("max_alerts", "min_recall", "min_precision", "prefer")
    },
    "delong": lambda junk: metrics.delong(GOOD, junk),
    "delong level": lambda junk: metrics.delong(GOOD, GOOD, junk),
    "delong_test": lambda junk: metrics.delong_test(GOOD, GOOD, junk),
    **{
        f"bootstrap {name}": lambda junk, name=name: resample(**{name: junk})
        for name in ("y_true", "y_scores", "statistics", "groups", "seed")
    },
    "bootstrap scores": lambda junk: resample(y_scores={"a": junk}),
    "bootstrap family": lambda junk: resample(
        statistics=[statistics.family_recall_at_budget(1, "f", junk)]
    ),
    "average_precision": statistics.average_precision,
    "recall_at_budget": statistics.recall_at_budget,
    "recall_at": statistics.recall_at,
    "percentiles": metrics.percentiles,
    "wilson k": lambda junk: metrics.wilson(junk, 2),
    "wilson n": lambda junk: metrics.wilson(0, junk),
    "clopper_pearson level": lambda junk: metrics.clopper_pearson(1, 2, junk),
    "ConfusionMatrix": lambda junk: metrics.ConfusionMatrix(junk, 1, 1, 1),
    "brier_score": lambda junk: metrics.brier_score(GOOD, junk),
    "log_loss": lambda junk: metrics.log_loss(junk, [0.1, 0.2]),
    "reliability_table strategy": lambda junk: metrics.reliability_table(
        GOOD, [0.1, 0.2], strategy=junk
    ),
    "reliability_table interval": lambda junk: metrics.reliability_table(
        GOOD, [0.1, 0.2], interval=junk
    ),
    "at_daily_budget day": lambda junk: decisions.at_daily_budget(GOOD, GOOD, junk, 1),
    "at_daily_budget per_day": lambda junk: decisions.at_daily_budget(GOOD, GOOD, GOOD, junk),
    "fixed_threshold": lambda junk: decisions.fixed_threshold_by_day(GOOD, GOOD, GOOD, junk),
    "fixed_threshold day": lambda junk: decisions.fixed_threshold_by_day(GOOD, GOOD, junk, 0.5),
    "ranking_by_day day": lambda junk: decisions.ranking_by_day(GOOD, GOOD, junk, 1),
    "alert_probability": lambda junk: decisions.alert_probability(junk, 1),
    "cost_threshold": lambda junk: decisions.cost_threshold(junk, 1),
    "total_cost": lambda junk: decisions.total_cost(POINT, junk, 1),
    "platt_scaling": lambda junk: decisions.platt_scaling(GOOD, junk),
    "platt_scaling labels": lambda junk: decisions.platt_scaling(junk, GOOD),
    "isotonic": lambda junk: decisions.isotonic_calibration(GOOD, junk),
    "isotonic predict": lambda junk: decisions.isotonic_calibration(GOOD, GOOD).predict(junk),
    "prior_shift": lambda junk: decisions.prior_shift(junk, 0.5, 0.1),
    "prior_shift rate": lambda junk: decisions.prior_shift(0.5, junk, 0.1),
}


def junk():
    """Things that nobody should pass, made anew for every test."""
    return [
        *(None, "x", b"x", [], {}, {"a": 1}, [[1, 2], [3, 4]], [[1], [2, 3]], {1, 2}, range(2)),
        *(np.nan, np.inf, -1, 10**400, object(), len, (i for i in (1, 2)), 1 + 1j),
        *(["a", "b"], [None, None], [1, "a"], [1 + 1j, 2], [10**400, 1], [True, False]),
        *(np.array(5), np.array([np.nan, np.inf]), np.array(["a", "b"], dtype="S1")),
        *(np.float16([1, 2]), np.array([1, 2], dtype=">f8"), np.ma.masked_array([1, 2], [1, 0])),
        *(pd.Series([], dtype=float), pd.DataFrame({"a": [1, 2]}), pd.Series([pd.NA, 1])),
        *(pd.array([1, None], dtype="Int64"), pd.Series([pd.NaT, pd.Timestamp("2020")])),
        pd.Categorical(["a", None]),
    ]


@pytest.mark.parametrize("function", TAKES)
def test_an_answer_or_one_line(function):
    told = []
    for value in junk():
        try:
            TAKES[function](value)
        except InputError as error:
            told.append(str(error))
    assert len(told) > 10
    assert all(told)
    assert not any("\n" in message for message in told)
