"""Exercises of notebook 03: precision by arithmetic."""

import math

import numpy as np

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.lab2.worked import THOUSAND
from labkit.metrics import ConfusionMatrix, NoFeasibleThreshold, ThresholdSweep

_SWEEP = ThresholdSweep.from_counts(**THOUSAND)


def _false_alerts(_: Traffic) -> Key:
    point = _SWEEP.at_threshold(0.35)
    return Key(
        point.fp / point.alerts,
        (
            Mistake(
                point.fpr,
                "This is the false positive rate: the false alerts as a share of the normal "
                "records. What are they a share of here?",
                "fpr-is-share-of-alerts",
            ),
            Mistake(
                point.precision,
                "This is the share of the alerts that are attacks. The others are asked for.",
            ),
            Mistake(
                point.fp / (point.fp + point.tn + point.tp + point.fn),
                "You divide by all records. The analysts only see the alerts.",
            ),
        ),
        hint="How many alerts are there at this threshold, and how many of them are false?",
    )


def _attacks_in_the_queue(_: Traffic) -> Key:
    point, alerts = _SWEEP.at_threshold(0.75), 200
    return Key(
        alerts * point.precision,
        (
            Mistake(
                alerts * _SWEEP.roc_auc,
                "You take the AUC for a share of the alerts. It is a share of pairs, over all "
                "thresholds, and does not know how many attacks there are.",
                "auc-is-precision",
            ),
            Mistake(
                alerts * point.recall,
                "You take the share of attacks that are found. Which share of the alerts are "
                "attacks?",
                "recall-is-precision",
            ),
            Mistake(
                alerts * (1 - point.fpr),
                "You take the false positive rate for the share of alerts that are false. It is a "
                "share of the normal records.",
                "fpr-is-share-of-alerts",
            ),
            Mistake(
                point.precision,
                "This is a share of the alerts. How many of the two hundred is that?",
                when=lambda given: abs(given - point.precision) < 0.01,
            ),
            Mistake(alerts * (1 - point.precision), "This is how many alerts will be false."),
            Mistake(
                point.tp,
                "These are the attacks among the alerts of the table. Here there are more alerts.",
            ),
        ),
        hint="What share of the alerts at this threshold are attacks?",
        within=0.5,
    )


_CALLS = (
    (0.8, 0.02, 0.01),
    (0.9, 0.001, 0.0001),
    (0.5, 0.5, 0.3),
    (0.0, 0.0, 0.01),
    (1.0, 0.0, 0.2),
)


def _precision(recall: float, fpr: float, base_rate: float) -> float:
    hits, false_alerts = recall * base_rate, fpr * (1 - base_rate)
    return hits / (hits + false_alerts) if hits + false_alerts else math.nan


def _precision_function(_: Traffic) -> Key:
    right = [_precision(*call) for call in _CALLS]
    return Key(
        right,
        (
            Mistake(
                [0.0 if math.isnan(value) else value for value in right],
                "Where nothing is flagged you return 0, as if every alert had been false. There "
                "was no alert to judge.",
                "zero-over-zero-is-zero",
            ),
            Mistake(
                [1.0 if math.isnan(value) else value for value in right],
                "Where nothing is flagged you return 1, as if every alert had been right. There "
                "was no alert to judge.",
            ),
            Mistake(
                [_precision(recall, fpr, 0.5) for recall, fpr, _ in _CALLS],
                "Your function does not use the base rate: it answers as if half of the records "
                "were attacks.",
                "precision-travels",
            ),
            Mistake(
                [_precision(recall, fpr, 1 - base_rate) for recall, fpr, base_rate in _CALLS],
                "You weigh recall by the share of normal records, and the false positive rate by "
                "the share of attacks.",
            ),
            Mistake(
                [1 + fpr * (1 - base_rate) for _, fpr, base_rate in _CALLS],
                "A share is never above 1. Is it in percent, or are the brackets around the sum "
                "below the line missing?",
                when=lambda given: any(value > 1 + 1e-9 for value in given),
            ),
        ),
        hint="Of all records, which share are attacks that are flagged, and which share are normal "
        "records that are flagged? And what if both are 0?",
    )


def _live_precision(_: Traffic) -> Key:
    recall, precision, tested, live = 0.6, 0.8, 0.1, 0.001
    fpr = recall * tested * (1 - precision) / (precision * (1 - tested))
    return Key(
        _precision(recall, fpr, live),
        (
            Mistake(
                precision,
                "This is the precision of the test. It holds at the base rate of the test only.",
                "precision-travels",
            ),
            Mistake(
                precision * live / tested,
                "You let precision shrink as the base rate does. The attacks do shrink so, but "
                "precision also holds the false alerts below its line.",
            ),
            Mistake(
                _precision(recall, 1 - precision, live),
                "You take the share of alerts that were false for the false positive rate. It is "
                "a share of the normal records.",
                "fpr-is-share-of-alerts",
            ),
        ),
        hint="Take a thousand records of the test and count attacks, alerts and false alerts. That "
        "gives the false positive rate, which stays.",
    )


_GATES = {
    "a": {"max_alerts": 10, "min_recall": 0.4},
    "b": {"max_alerts": 100, "min_recall": 0.9},
    "c": {"max_alerts": 200, "min_recall": 1.0},
    "d": {"min_precision": 0.5, "min_recall": 0.8},
}


def _gates(_: Traffic) -> Key:
    right = {name: _chosen(gate) for name, gate in _GATES.items()}
    closed = [name for name, threshold in right.items() if math.isnan(threshold)]
    by_recall = {
        name: _SWEEP.at_recall(gate["min_recall"]).threshold for name, gate in _GATES.items()
    }
    return Key(
        right,
        (
            Mistake(
                {
                    name: _SWEEP.at_threshold(threshold).alerts
                    for name, threshold in by_recall.items()
                },
                "Each part is a threshold of the sweep, a number of its column threshold, or "
                'float("nan").',
                when=lambda given: any(
                    not math.isnan(value) and not np.isclose(value, _SWEEP.thresholds).any()
                    for value in given.values()
                ),
            ),
            Mistake(
                by_recall,
                "You give a threshold for a gate that no row of the table passes. Check every "
                "requirement again, gate by gate: a sweep holds the points it holds.",
                "threshold-always-exists",
                when=lambda given: not all(math.isnan(given[name]) for name in closed),
            ),
            Mistake(
                dict.fromkeys(_GATES, math.nan),
                "For one gate at least you say that nothing passes, and something does. Read the "
                "columns alerts and recall row by row.",
                when=lambda given: any(
                    math.isnan(given[name]) for name in _GATES if name not in closed
                ),
            ),
        ),
        hint="For each gate, go down the rows of the sweep. Which of them meet both requirements?",
    )


def _chosen(gate: dict[str, float]) -> float:
    try:
        return _SWEEP.choose(**gate).threshold
    except NoFeasibleThreshold:
        return math.nan


def _flooded_queue(_: Traffic) -> Key:
    def matrix(given: Plain) -> ConfusionMatrix:
        return ConfusionMatrix(**given)

    def is_no_matrix(given: Plain) -> bool:
        counts = list(given.values())
        return (
            not all(0 <= count < 1e15 and count == int(count) for count in counts)
            or given["tp"] + given["fn"] == 0
            or given["fp"] + given["tn"] == 0
        )

    return Key(
        {"tp": 9, "fp": 100, "fn": 1, "tn": 9900},
        (
            Mistake(
                {"tp": 0, "fp": 0, "fn": 0, "tn": 1000},
                "Counts are whole numbers, 0 or more, and there must be attacks and normal "
                "records.",
                when=is_no_matrix,
            ),
            Mistake(
                {"tp": 5, "fp": 100, "fn": 5, "tn": 9900},
                "Recall is below 0.9: too many attacks are missed.",
                when=lambda given: matrix(given).recall < 0.9 - 1e-12,
            ),
            Mistake(
                {"tp": 9, "fp": 100, "fn": 1, "tn": 900},
                "The false positive rate is above 0.05. More normal records that are left alone "
                "would lower it.",
                when=lambda given: matrix(given).fpr > 0.05 + 1e-12,
            ),
            Mistake(
                {"tp": 90, "fp": 40, "fn": 10, "tn": 960},
                "At least one alert in ten is an attack. The rate of false positives is low, as "
                "asked: how many normal records does it take for so low a rate to fill the queue?",
                "fpr-is-share-of-alerts",
                when=lambda given: matrix(given).precision >= 0.1,
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("03-1", "how many alerts are false?", _false_alerts),
    Exercise("03-2", "two hundred alerts", _attacks_in_the_queue),
    Exercise("03-3", "the formula as a function", _precision_function, calls=_CALLS),
    Exercise("03-4", "from the test to the network", _live_precision),
    Exercise("03-5", "four gates", _gates),
    Exercise("03-6", "a good ROC point, a flooded queue", _flooded_queue),
)
