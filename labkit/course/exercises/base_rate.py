"""Exercises of notebook 07: what moves with the base rate, and what does not."""

import numpy as np

from labkit.course.answers import Key, Mistake
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.metrics import OperatingPoint, ThresholdSweep

RARE, RARER = 0.001, 0.0001
COMMON = 0.01
"""The base rate at which 07-4 compares two data sets."""
KEEP_EVERY = 10
"""Of the normal records, the colleague's data set of 07-4 holds one in this many."""


def _sweep(traffic: Traffic) -> ThresholdSweep:
    return traffic.lab.sweep(traffic.lab.boosting[0])


def _precision(point: OperatingPoint, base_rate: float) -> float:
    """Return the precision of an operating point at another base rate, by Bayes' rule."""
    hits = point.recall * base_rate
    return hits / (hits + point.fpr * (1 - base_rate))


def _rare_world(traffic: Traffic) -> Key:
    sweep = _sweep(traffic)
    point, of_table = sweep.at_fpr(0.05), sweep.at_fpr(0.01)
    right = {
        "AUC": sweep.roc_auc,
        "recall": point.recall,
        "precision": _precision(point, RARE),
    }
    factor = RARE / sweep.base_rate
    return Key(
        right,
        (
            Mistake(
                right | {"precision": point.precision},
                "The alerts of that world hold the same share of the attacks, but far more normal "
                "records for each. Precision cannot stay.",
                "precision-travels",
                when=lambda given: abs(given["precision"] - point.precision) <= 0.0005,
            ),
            Mistake(
                right | {"recall": of_table.recall, "precision": _precision(of_table, RARE)},
                "This is `point`, the threshold of the table above. Here the false positive rate "
                "may be up to 0.05.",
                when=lambda given: abs(given["recall"] - of_table.recall) <= 0.0005,
            ),
            Mistake(
                right | {"AUC": sweep.roc_auc * factor},
                "No attack and no normal record has changed its place in the ranking. Which of the "
                "three numbers are shares within one class?",
                "roc-moves-with-base-rate",
                when=lambda given: (
                    given["AUC"] < right["AUC"] - 0.0005
                    or given["recall"] < right["recall"] - 0.0005
                ),
            ),
            Mistake(
                right | {"precision": point.precision * factor},
                "Precision does not fall in proportion to the base rate. Put recall, false "
                "positive rate and base rate into Bayes' rule.",
            ),
        ),
        hint="Ask `sweep.at_base_rate(0.001)` for its AUC, and for its operating point at the same "
        "false positive rate.",
    )


def _mostly_false(traffic: Traffic) -> Key:
    point = _sweep(traffic).at_fpr(0.01)

    def base_rate_of(precision: float) -> float:
        odds = precision / (1 - precision) * point.fpr / point.recall
        return odds / (1 + odds)

    return Key(
        base_rate_of(1 / 6),
        (
            Mistake(
                5.0,
                "A base rate is a share: above 0 and below 1.",
                when=lambda given: not 0 < given < 1,
            ),
            Mistake(
                _sweep(traffic).base_rate,
                "Attacks are too common there: more than one alert in four is right.",
                "precision-travels",
                when=lambda given: _precision(point, given) > 1 / 4,
            ),
            Mistake(
                base_rate_of(1 / 20),
                "Attacks are too rare there: fewer than one alert in ten is right.",
                when=lambda given: _precision(point, given) < 1 / 10,
            ),
        ),
        is_open=True,
    )


def _fpr_needed(traffic: Traffic) -> Key:
    point = _sweep(traffic).at_fpr(0.01)
    right = point.recall * RARER / (1 - RARER)
    return Key(
        right,
        (
            Mistake(
                0.5,
                "Half of the *alerts* may be false. The false positive rate is the share of the "
                "*normal records* that are alerts.",
                "fpr-is-share-of-alerts",
            ),
            Mistake(
                point.fpr,
                "This is the false positive rate of today. Where attacks are this rare it leaves "
                "far more false alerts than hits.",
                "precision-travels",
            ),
            Mistake(
                RARER,
                "There must be as many false alerts as *hits*, and not every attack is hit. (Or "
                "did you round? Zeros in front are no significant digits.)",
                when=lambda given: (
                    min(abs(given - RARER), abs(given - RARER / (1 - RARER))) <= 5e-7
                ),
            ),
            Mistake(
                right + 3e-6,
                "Close. Three significant digits are asked for, and zeros in front do not count.",
                when=lambda given: abs(given - right) <= 5e-6,
            ),
        ),
        hint="Precision is one half where t times the base rate equals f times the rest. Solve "
        "for f.",
        within=5e-7,
    )


def _lead_at_one_rate(traffic: Traffic) -> Key:
    lab, sweep = traffic.lab, _sweep(traffic)
    labels = lab.test["label"].to_numpy()
    kept = (labels == 1) | (np.cumsum(labels == 0) % KEEP_EVERY == 0)
    theirs = ThresholdSweep.from_scores(labels[kept], lab.logistic[kept])
    mine, yours = (one.at_base_rate(COMMON).average_precision for one in (sweep, theirs))
    return Key(
        mine - yours,
        (
            Mistake(
                sweep.average_precision - theirs.average_precision,
                "This compares average precision across two base rates. Part of the colleague's "
                "number is only the share of attacks in their file.",
                "ap-across-base-rates",
            ),
            Mistake(
                mine - theirs.average_precision,
                "Only one of the two was brought to the common base rate.",
                "ap-across-base-rates",
            ),
            Mistake(
                sweep.average_precision - yours,
                "Only one of the two was brought to the common base rate.",
                "ap-across-base-rates",
            ),
            Mistake(yours - mine, "The other way round: asked for is the booster's lead."),
        ),
        hint="Bring both sweeps to a base rate of 0.01 first, then subtract.",
    )


def _limit(traffic: Traffic) -> Key:
    sweep = _sweep(traffic)
    right = sweep.at_fpr(0).recall
    rare_ap = sweep.at_base_rate(RARE).average_precision
    mistakes = (
        Mistake(
            0,
            "Chance would end there. But some of these attacks stand above every normal record, "
            "and no weight can put a false alert among them.",
        ),
        Mistake(
            rare_ap,
            "It is still falling there. Go on to rarer attacks until it no longer changes.",
            when=lambda given: right + 0.0005 < given <= rare_ap + 0.0005,
        ),
        Mistake(
            1,
            "Precision stays at 1 only as far as no normal record is flagged. What share of the "
            "attacks has been passed by then?",
        ),
        Mistake(
            sweep.average_precision,
            "Average precision does move with the base rate.",
            "ap-across-base-rates",
        ),
    )
    return Key(
        right,
        tuple(one for one in mistakes if abs(one.answer - right) > 0.0005),
        hint="Think of each normal record as endlessly heavy. Which attacks still count?",
    )


EXERCISES = (
    Exercise("07-1", "what moves and what stays", _rare_world),
    Exercise("07-2", "mostly false", _mostly_false, points=2),
    Exercise("07-3", "the false positive rate it would take", _fpr_needed),
    Exercise("07-4", "a colleague's better number", _lead_at_one_rate),
    Exercise("07-5", "where average precision ends", _limit),
)
