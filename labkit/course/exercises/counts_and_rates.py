"""Exercises of notebook 01: four counts, the rates they define, and averages of rates."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from labkit.course.answers import Key, Mistake, Plain, same
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.metrics import ConfusionMatrix

# Exercise 01-1: ten records, two of which score just the threshold.
LABELS = np.array([0, 1, 0, 1, 1, 0, 0, 1, 0, 1])
SCORES = np.array([0.41, 0.97, 0.70, 0.64, 0.93, 0.91, 0.30, 0.70, 0.52, 0.88])
THRESHOLD = 0.7

# Exercise 01-2: an hour with a scan in it.
HOUR = ConfusionMatrix(tp=45, fp=30, fn=15, tn=210)

# Exercise 01-3: counts and beta; then attacks without an alert, and nothing to measure at all.
FBETA_CALLS = ((8, 20, 2, 1), (8, 20, 2, 2), (8, 20, 2, 0.5), (0, 0, 5, 1), (0, 0, 0, 1))

_COUNTS = ("tp", "fp", "fn", "tn")
_WITHIN = 0.0005


def _part_is(part: str, value: float) -> Callable[[Plain], bool]:
    """Return whether an answer in parts has this value in that part."""
    return lambda given: same(given[part], float(value), _WITHIN)


def _with(right: Mapping[str, float], part: str, value: float) -> dict[str, float]:
    return {**right, part: value}


def _counts_at(alerts: np.ndarray) -> dict[str, int]:
    attacks = LABELS == 1
    return {
        "tp": int((alerts & attacks).sum()),
        "fp": int((alerts & ~attacks).sum()),
        "fn": int((~alerts & attacks).sum()),
        "tn": int((~alerts & ~attacks).sum()),
    }


def _four_counts(_: Traffic) -> Key:
    right = _counts_at(SCORES >= THRESHOLD)
    silent = _counts_at(SCORES < THRESHOLD)
    return Key(
        right,
        (
            Mistake(
                _counts_at(SCORES > THRESHOLD),
                "Two records score just the threshold. Read once more when a record is an alert.",
                "strict-threshold",
            ),
            Mistake(
                right | {"fp": right["fn"], "fn": right["fp"]},
                "FP and FN are swapped. Positive means alert: a false positive is a false alert.",
            ),
            Mistake(silent, "Here the records below the threshold are alerts; it is the others."),
        ),
        hint="Mark the alerts first. Then count attacks and normal records among them, and among "
        "the rest; the four counts add up to the number of records.",
    )


def _four_rates(_: Traffic) -> Key:
    right = {
        "recall": HOUR.recall,
        "precision": HOUR.precision,
        "fpr": HOUR.fpr,
        "specificity": HOUR.specificity,
    }
    swapped = right | {"recall": HOUR.precision, "precision": HOUR.recall}
    false_alerts = HOUR.fp / HOUR.alerts
    of_all = HOUR.fp / (HOUR.tp + HOUR.fp + HOUR.fn + HOUR.tn)
    of_silent = HOUR.tn / (HOUR.tn + HOUR.fn)
    return Key(
        right,
        (
            Mistake(
                swapped,
                "What is called recall here is a share of the alerts, or what is called precision "
                "a share of the attacks. Which one does each divide by?",
                "recall-is-precision",
                when=lambda given: (
                    _part_is("recall", HOUR.precision)(given)
                    or _part_is("precision", HOUR.recall)(given)
                ),
            ),
            Mistake(
                _with(right, "fpr", false_alerts),
                "This fpr is the share of the alerts that are false. The false positive rate is a "
                "share of something else.",
                "fpr-is-share-of-alerts",
                when=_part_is("fpr", false_alerts),
            ),
            Mistake(
                _with(right, "fpr", of_all),
                "This fpr divides by all records. Attacks cannot be false positives: leave them "
                "out.",
                when=_part_is("fpr", of_all),
            ),
            Mistake(
                _with(right, "specificity", of_silent),
                "This specificity divides by the records without an alert. It is a share of the "
                "normal records.",
                when=_part_is("specificity", of_silent),
            ),
            Mistake(
                right | {"fpr": HOUR.specificity, "specificity": HOUR.fpr},
                "fpr and specificity are swapped. Both are shares of the normal records: which of "
                "them counts the false alerts?",
            ),
            Mistake(
                {name: 100 * value for name, value in right.items()},
                "These look like percentages. Shares between 0 and 1 are asked for.",
                when=lambda given: all(given[name] > 1 for name in right),
            ),
        ),
        hint="Say each rate as a share of a group of records: of the attacks, of the alerts, of "
        "the normal records. Then count that group.",
        within=_WITHIN,
    )


def _fbeta_function(_: Traffic) -> Key:
    right = [
        ConfusionMatrix(tp=tp, fp=fp, fn=fn, tn=0).fbeta(beta) for tp, fp, fn, beta in FBETA_CALLS
    ]
    tp, fp, fn, _ = FBETA_CALLS[0]
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    betas = [beta for *_, beta in FBETA_CALLS[:3]]

    def harmonic(weights: list[float]) -> list[float]:
        return [(1 + w) * precision * recall / (w * precision + recall) for w in weights]

    unsquared = harmonic(betas)
    turned = harmonic([1 / beta**2 for beta in betas])
    plain_means = [(precision + beta**2 * recall) / (1 + beta**2) for beta in betas]

    def begins(values: list[float]) -> Callable[[Plain], bool]:
        return lambda given: same(given[: len(values)], values, _WITHIN)

    return Key(
        right,
        (
            Mistake(
                [*right[:-1], 0.0],
                "Right wherever something was measured. Without alerts and without attacks nothing "
                "was: what does this notebook say of 0/0?",
                "zero-over-zero-is-zero",
            ),
            Mistake(
                [*right[:-1], 1.0],
                "Right wherever something was measured. Without alerts and without attacks nothing "
                "was, and so nothing was right either: what does this notebook say of 0/0?",
            ),
            Mistake(
                [*right[:-2], math.nan, math.nan],
                "With attacks but without an alert, precision is undefined, and your F-beta with "
                "it. The form with the counts has a value there.",
            ),
            Mistake(
                [*unsquared, 0.0, math.nan],
                "In the formula beta is squared.",
                when=begins(unsquared),
            ),
            Mistake(
                [*turned, 0.0, math.nan],
                "The weight is on the wrong side: beta above 1 must lean towards recall, and so "
                "count each missed attack more.",
                when=begins(turned),
            ),
            Mistake(
                [*plain_means, 0.0, math.nan],
                "This is a plain mean. The harmonic mean lies closer to the smaller of the two.",
                when=begins(plain_means),
            ),
        ),
        hint="Write down the formula with the counts in it, and try it by hand on tp=8, fp=20, "
        "fn=2 with beta 1.",
        within=_WITHIN,
    )


def _never_alerting(traffic: Traffic) -> Key:
    from labkit.lab2.experiment import JUDGE

    labels = JUDGE.of(traffic.flows, "test")["label"]
    attacks, normal = int(labels.sum()), int((labels == 0).sum())
    silent = ConfusionMatrix(tp=0, fp=0, fn=attacks, tn=normal)
    right = {
        "accuracy": silent.accuracy,
        "balanced_accuracy": silent.balanced_accuracy,
        "recall": silent.recall,
        "precision": silent.precision,
    }
    base_rate = attacks / len(labels)
    return Key(
        right,
        (
            Mistake(
                _with(right, "precision", 0),
                "Precision is a share of the alerts, and there are none. Is a share of nothing 0?",
                "zero-over-zero-is-zero",
                when=_part_is("precision", 0),
            ),
            Mistake(
                _with(right, "precision", 1),
                "A precision of 1 would say that all alerts were right, and there are none.",
                when=_part_is("precision", 1),
            ),
            Mistake(
                _with(right, "recall", math.nan),
                "Recall is a share of the attacks, and attacks there are: it was measured.",
                when=_part_is("recall", math.nan),
            ),
            Mistake(
                _with(right, "balanced_accuracy", silent.accuracy),
                "Balanced accuracy is not accuracy: it takes the share judged right among the "
                "attacks, the share judged right among the normal records, and their mean.",
                "accuracy-means-good",
                when=_part_is("balanced_accuracy", silent.accuracy),
            ),
            Mistake(
                _with(right, "accuracy", base_rate),
                "This accuracy is the share of attacks, just the records that never alerting "
                "judges wrong.",
                when=_part_is("accuracy", base_rate),
            ),
        ),
        hint="Write down the four counts first: without an alert, two of them are 0.",
        within=_WITHIN,
    )


def _two_averages(traffic: Traffic) -> Key:
    from labkit.decisions import alert_probability

    lab = traffic.lab
    flagged = lab.boosting[0] >= 0
    test = lab.test.assign(flagged=flagged, top80=alert_probability(lab.boosting[0], 80))
    families = test[test["label"] == 1].groupby("family")["flagged"]
    recalls = families.mean()
    macro, micro = float(recalls.mean()), float(families.sum().sum() / families.size().sum())
    found = float(recalls[recalls > 0].mean())
    with_normal = float(test.groupby("family")["flagged"].mean().mean())
    top80 = test[test["label"] == 1].groupby("family")["top80"]
    macro_top80, micro_top80 = (
        float(top80.mean().mean()),
        float(top80.sum().sum() / top80.size().sum()),
    )
    return Key(
        {"macro": macro, "micro": micro},
        (
            Mistake(
                {"macro": micro, "micro": macro},
                "These are swapped. In which of the two does each family count the same?",
                "macro-is-micro",
            ),
            Mistake(
                {"macro": micro, "micro": micro},
                "Both parts are the same number. One adds the counts up first; the other works "
                "out a recall a family first. The families differ in size.",
                "macro-is-micro",
                when=lambda given: same(given["macro"], given["micro"], 1e-9),
            ),
            Mistake(
                {"macro": found, "micro": micro},
                "This macro average leaves out the families that were never flagged. They have "
                "attacks, so their recall is defined: it is 0, and it counts.",
                when=_part_is("macro", found),
            ),
            Mistake(
                {"macro": with_normal, "micro": micro},
                "This macro average counts the normal records as a sixth family. They are no "
                "attacks, and recall is a share of the attacks.",
                when=_part_is("macro", with_normal),
            ),
            Mistake(
                {"macro": macro_top80, "micro": micro_top80},
                "These are the averages for the 80 highest scores. Here other records are alerts: "
                "flag them anew.",
            ),
        ),
        hint="For each family count its records and those flagged. Macro: a recall for each "
        "family, then their mean. Micro: add up both counts, then divide once.",
        within=_WITHIN,
    )


def _matrix(given: Plain) -> ConfusionMatrix:
    return ConfusionMatrix(**{name: given[name] for name in _COUNTS})


def _is_no_count(given: Plain) -> bool:
    return any(not 0 <= given[name] < 1e15 or given[name] % 1 for name in _COUNTS)


def _high_accuracy_low_mcc(_: Traffic) -> Key:
    return Key(
        {"tp": 1, "fp": 50, "fn": 49, "tn": 9900},
        (
            Mistake(
                {"tp": -1, "fp": 0.5, "fn": 10, "tn": 990},
                "Each of the four is a count of records: a whole number, 0 or more.",
                when=_is_no_count,
            ),
            Mistake(
                {"tp": 0, "fp": 0, "fn": 0, "tn": 1000},
                "There is no attack among these records, so nothing could be missed. Put some in.",
                when=lambda given: given["tp"] + given["fn"] == 0,
            ),
            Mistake(
                {"tp": 0, "fp": 0, "fn": 10, "tn": 990},
                "Here MCC is 0/0. What is undefined is not below anything: make every row and "
                "every column of the matrix hold a record.",
                "zero-over-zero-is-zero",
                when=lambda given: math.isnan(_matrix(given).mcc),
            ),
            Mistake(
                {"tp": 5, "fp": 500, "fn": 45, "tn": 9450},
                "The accuracy is too low. Which of the four counts can lift it without a single "
                "attack being found?",
                when=lambda given: _matrix(given).accuracy < 0.99,
            ),
            Mistake(
                {"tp": 90, "fp": 5, "fn": 10, "tn": 9895},
                "The accuracy is there, but these alerts still tell attacks from normal records "
                "too well: MCC is too high. High accuracy does not need a good detector.",
                "accuracy-means-good",
                when=lambda given: _matrix(given).mcc >= 0.1,
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("01-1", "four counts at a threshold", _four_counts),
    Exercise("01-2", "four rates from four counts", _four_rates),
    Exercise("01-3", "F-beta as a function", _fbeta_function, points=2, calls=FBETA_CALLS),
    Exercise("01-4", "the detector that never alerts", _never_alerting),
    Exercise("01-5", "macro and micro average of recall", _two_averages, points=2),
    Exercise("01-6", "high accuracy and little else", _high_accuracy_low_mcc, points=2),
)
