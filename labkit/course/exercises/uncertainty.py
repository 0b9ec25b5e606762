"""Exercises of notebook 11: what four days with 432 attacks can say."""

import math

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.lab2.experiment import JUDGE, TOP
from labkit.metrics import delong, delong_test, wilson
from labkit.metrics.intervals import normal_quantile

_TAIL = 0.025
_SURE = 0.99
_MORE = 10
_FLOOD_DAY = 11
_TRIES = 20
_DAYS = 4


def _width(k: float, n: float) -> float:
    low, high = wilson(k, n)
    return high - low


def _alerts_needed(_: Traffic) -> Key:
    # All n right: the Clopper-Pearson bound solves low ** n = tail.
    right = math.ceil(math.log(_TAIL) / math.log(_SURE))
    return Key(
        right,
        (
            Mistake(
                TOP,
                "That many without an error look flawless, and their lower bound is printed above: "
                "it lies below 0.99.",
                "no-error-is-certain",
            ),
            Mistake(
                round(1 / (1 - _SURE)),
                "If one alert in a hundred were false, a hundred would still often be all right: "
                "more than one time in three.",
                "no-error-is-certain",
            ),
            Mistake(
                math.ceil(math.log(2 * _TAIL) / math.log(_SURE)),
                "This leaves 5 % on one side. The two-sided 95 % interval leaves half of that "
                "there.",
            ),
            Mistake(
                right - 1,
                "Very near. Print the low end for this number with all its digits: has it reached "
                "0.99?",
            ),
        ),
        hint="Call `clopper_pearson(n, n)` with growing n until its low end reaches 0.99.",
    )


def _what_narrows(traffic: Traffic) -> Key:
    attacks = int(JUDGE.of(traffic.flows, "test")["label"].sum())
    found = attacks // 2
    now = _width(found, attacks)
    more = _width(_MORE * found, _MORE * attacks) / now
    names = "normal records", "attacks"
    return Key(
        dict(zip(names, (1.0, more), strict=True)),
        (
            Mistake(
                dict(zip(names, (more, 1.0), strict=True)),
                "The two are the wrong way round: which records is recall a share of?",
                "big-test-is-certain",
            ),
            Mistake(
                dict(zip(names, (more, more), strict=True)),
                "Recall is a share of the attacks. How many more of them does a test hold that "
                "adds normal records only?",
                "big-test-is-certain",
                when=lambda given: given["normal records"] < 0.99,
            ),
            Mistake(
                dict(zip(names, (1.0, 1 / _MORE), strict=True)),
                "Ten times the attacks do not make it ten times narrower: the width falls with "
                "the root of their number.",
            ),
            Mistake(
                dict(zip(names, (1.0, 1 / more), strict=True)),
                "You divided the old width by the new one. The new one over the old is asked for.",
            ),
        ),
        hint="Work out two widths with `wilson`, and divide the new one by the old one.",
        within=0.005,
    )


def _no_flood(_: Traffic) -> Key:
    once = 1 / _DAYS
    right = (1 - once) ** _DAYS
    # Three standard deviations of a count out of 1,000 resamples, and more than a rounding.
    by_chance, rounded = 3 * math.sqrt(right * (1 - right) / 1000), 0.02 * right
    return Key(
        right,
        (
            Mistake(
                0.0,
                "So it would be if records were drawn one by one. Here whole days are drawn, and "
                "every record of the flood lies on one of them.",
                "records-are-independent",
            ),
            Mistake(
                1 - once,
                "This is for one draw of a day. A resample draws four, and each must miss.",
            ),
            Mistake(
                once**_DAYS,
                "This is how often all four draws are day 11.",
            ),
            Mistake(
                1 - (1 - once) ** _DAYS,
                "This is how often day 11 is drawn at least once.",
            ),
            Mistake(
                right + by_chance / 2,
                "So many of the resamples happened to hold none. Another thousand would give "
                "another share. Work out the probability itself, from the four draws.",
                when=lambda given: rounded < abs(given - right) < by_chance,
            ),
        ),
        hint="With what probability does one draw miss day 11? All four draws have to miss it, and "
        "they are independent.",
    )


def _lowest_lead(traffic: Traffic) -> Key:
    lab = traffic.lab
    of_day = (lab.test["day"] == _FLOOD_DAY).to_numpy()
    labels = lab.test["label"].to_numpy()[of_day]
    booster, logistic = lab.boosting[0][of_day], lab.logistic[of_day]
    first, second = delong(labels, booster), delong(labels, logistic)
    paired = delong_test(labels, booster, logistic)
    apart = normal_quantile(0.95) * math.sqrt(first.variance + second.variance)
    return Key(
        paired.low,
        (
            Mistake(
                first.low - second.high,
                "This is how far the two intervals lie apart, or overlap. Both detectors were "
                "judged on the same records: what one of them finds hard the other does too, and "
                "that part of the uncertainty drops out of the difference.",
                "overlap-is-no-difference",
            ),
            Mistake(
                paired.difference - apart,
                "This adds the two variances, as if the detectors had been judged on different "
                "records. They were judged on the same ones.",
                "overlap-is-no-difference",
            ),
            Mistake(
                paired.difference,
                "This is the difference itself. The low end of its interval is asked for.",
            ),
            Mistake(
                -paired.high,
                "The sign: the booster's AUC minus that of the logistic regression.",
            ),
        ),
        hint="`delong_test` takes labels and both scores; keep the records of day 11 only.",
    )


def _some_miss(_: Traffic) -> Key:
    level = 1 - 2 * _TAIL
    return Key(
        1 - level**_TRIES,
        (
            Mistake(
                1 - level,
                "This is for one interval, named before anybody looked. Here there are twenty, "
                "and any of them may be the one that misses.",
                "interval-forgives-tuning",
            ),
            Mistake(
                level**_TRIES,
                "This is how often all twenty hold.",
            ),
            Mistake(
                _TRIES * (1 - level),
                "Chances add up only where no two can happen together; this sum can pass 1.",
            ),
        ),
        hint="With what probability does one interval hold? With what probability do all twenty? "
        "Otherwise at least one misses.",
    )


def _impressive(_: Traffic) -> Key:
    parts = ("records", "attacks", "found")

    def no_counts(given: Plain) -> bool:
        values = [given[name] for name in parts]
        whole = all(0 <= value < math.inf and value == int(value) for value in values)
        return not (whole and given["attacks"] > 0 and given["found"] <= given["attacks"])

    def small(given: Plain) -> bool:
        return given["records"] < 100_000 or given["attacks"] > given["records"]

    def low_recall(given: Plain) -> bool:
        return given["found"] < 0.9 * given["attacks"]

    def proves(given: Plain) -> bool:
        return wilson(given["found"], given["attacks"])[0] >= 0.8

    return Key(
        {"records": 1_000_000.0, "attacks": 10.0, "found": 9.0},
        (
            Mistake(
                {"records": 1e6, "attacks": 10.0, "found": 11.0},
                "Give whole numbers, 0 or more: at least one attack, and no more found than there "
                "are.",
                when=no_counts,
            ),
            Mistake(
                {"records": 100.0, "attacks": 10.0, "found": 9.0},
                "The test must look big: at least 100,000 records, the attacks among them.",
                when=small,
            ),
            Mistake(
                {"records": 1e6, "attacks": 10.0, "found": 5.0},
                "This recall impresses nobody: it must be 0.9 or more.",
                when=low_recall,
            ),
            Mistake(
                {"records": 1e6, "attacks": 1000.0, "found": 950.0},
                "This test proves something: the interval of its recall starts at 0.8 or above. "
                "Which of the three numbers makes it narrow?",
                "big-test-is-certain",
                when=proves,
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("11-1", "alerts without an error", _alerts_needed),
    Exercise("11-2", "what makes an interval narrow", _what_narrows),
    Exercise("11-3", "resamples without the flood", _no_flood),
    Exercise("11-4", "the lead on day 11", _lowest_lead),
    Exercise("11-5", "twenty intervals", _some_miss),
    Exercise("11-6", "a test that impresses and proves little", _impressive),
)
