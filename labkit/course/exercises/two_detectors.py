"""Exercises of notebook 05: gradient boosting and logistic regression."""

import math
from functools import lru_cache

import numpy as np

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.lab2.detectors import features, logistic_regression
from labkit.lab2.experiment import JUDGE
from labkit.metrics import ThresholdSweep


@lru_cache(maxsize=1)
def _sweeps_of_seeds(traffic: Traffic) -> tuple[ThresholdSweep, ...]:
    """Return the booster's sweeps on the test days, one a seed."""
    return tuple(traffic.lab.sweep(scores) for scores in traffic.lab.boosting.values())


def _luck(traffic: Traffic) -> Key:
    aps = np.array([sweep.average_precision for sweep in _sweeps_of_seeds(traffic)])
    logistic = traffic.lab.sweep(traffic.lab.logistic).average_precision
    leads = [*(aps - logistic), aps.mean() - logistic]

    def is_lead(given: Plain) -> bool:
        return bool(np.min(np.abs(np.array(leads) - given)) <= 0.001)

    return Key(
        np.ptp(aps),
        (
            Mistake(
                0,
                "The detector did not improve, true; but two runs of it still print two numbers. "
                "Which two of the five lie farthest apart?",
                "seed-is-skill",
            ),
            Mistake(
                aps.std(ddof=1),
                "This is how far a run lies from the mean of the five. Asked for is the most that "
                "two runs can differ from each other.",
            ),
            Mistake(
                aps.mean() - logistic,
                "This is the lead over the logistic regression. Both runs here are of the booster.",
                when=is_lead,
            ),
            Mistake(-np.ptp(aps), "The other way round: the run with the higher AP is reported."),
        ),
        hint="It is a difference between two of the five numbers in the column AP.",
        # Room for the difference of two numbers of the table, which are rounded.
        within=0.001,
    )


def _gaps(traffic: Traffic) -> Key:
    lab = traffic.lab
    logistic, sweeps = lab.sweep(lab.logistic), _sweeps_of_seeds(traffic)
    runs = {
        "AP": np.array([sweep.average_precision for sweep in sweeps]),
        "AUC": np.array([sweep.roc_auc for sweep in sweeps]),
    }
    other = {"AP": logistic.average_precision, "AUC": logistic.roc_auc}
    gaps = {name: values.mean() - other[name] for name, values in runs.items()}
    deviations = {name: values.std(ddof=1) for name, values in runs.items()}

    def in_deviations(of: dict[str, float], ddof: int = 1) -> dict[str, float]:
        return {name: of[name] / runs[name].std(ddof=ddof) for name in runs}

    return Key(
        {name: gaps[name] / deviations[name] for name in runs},
        (
            Mistake(
                in_deviations({name: values[0] - other[name] for name, values in runs.items()}),
                "This takes the lead of seed 0 for the lead of the detector. Another seed would "
                "have given another; use the mean of the five.",
                "seed-is-skill",
            ),
            Mistake(
                in_deviations(gaps, ddof=0),
                "The standard deviation here divides by 5, NumPy's default. With five runs divide "
                "by 4, as pandas does.",
            ),
            Mistake(gaps, "These are the leads themselves. Divide each by a standard deviation."),
        ),
        hint="For each measure: the mean of the five seeds, less the logistic regression's number, "
        "over the standard deviation of the five. The printed numbers are rounded too much; use "
        "`seeds` and `lr`.",
        within=0.02,
    )


def _worst_activity(traffic: Traffic) -> Key:
    lab = traffic.lab

    def most(scores: np.ndarray, budget: int) -> str:
        """Return the normal activity with the most false alerts, empty where there is none."""
        point = lab.sweep(scores).at_budget(budget, ties="over")
        false = (scores >= point.threshold) & (lab.test["label"] == 0).to_numpy()
        counts = lab.test.loc[false, "activity"].value_counts()
        return str(counts.idxmax()) if len(counts) else ""

    right = most(lab.logistic, 160)
    mistakes = (
        Mistake(
            most(lab.logistic, 250),
            "With 250 alerts it is. The threshold for 160 is higher, and other hosts lie above it.",
        ),
        Mistake(
            str(lab.test.loc[lab.test["label"] == 0, "activity"].value_counts().idxmax()),
            "Most normal records are of this kind, but false alerts do not come in proportion: "
            "they come from the hosts that look like attackers.",
        ),
    )
    return Key(
        right,
        tuple(one for one in mistakes if one.answer not in (right, "")),
        hint='Find the threshold with `at_budget(160, ties="over")`, keep the normal records at or '
        "above it, and count their `activity`.",
    )


def _odds(traffic: Traffic) -> Key:
    train = JUDGE.of(traffic.flows, "train")
    model = logistic_regression().fit(train, train["label"])
    weight = model[-1].coef_[0, features(train).columns.get_loc("failed_10min")].item()
    return Key(
        math.exp(weight),
        (
            Mistake(
                weight,
                "This is the weight. It is added to the log odds; asked for is what happens to the "
                "odds.",
            ),
            Mistake(
                1 + weight,
                "A weight is no percentage: adding it to the logarithm multiplies the odds by its "
                "exponential.",
            ),
            Mistake(
                math.exp(weight) - 1,
                "This is the part by which the odds grow. Asked for is the number that they are "
                "multiplied by.",
            ),
            Mistake(
                1 / (1 + math.exp(-weight)),
                "The sigmoid turns log odds into a probability. Here log odds only change by the "
                "weight, so ask what that does to the odds.",
            ),
        ),
        hint="Find the weight of `failed_10min`; log odds that grow by w are odds times exp(w).",
        within=0.005,
    )


EXERCISES = (
    Exercise("05-1", "how much better luck alone can look", _luck),
    Exercise("05-2", "leads, in standard deviations", _gaps),
    Exercise("05-3", "who raises the false alerts", _worst_activity),
    Exercise("05-4", "what a weight does to the odds", _odds),
)
