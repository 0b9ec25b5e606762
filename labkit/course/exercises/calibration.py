"""Exercises of notebook 10: probabilities that mean what they say."""

import math

import numpy as np

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.decisions import prior_shift
from labkit.lab2.experiment import OPERATE, calibrated_models
from labkit.metrics import ThresholdSweep, brier_score, log_loss

# Three records by hand, as in the notebook.
LABELS = (1, 0, 1)
PROBABILITIES = (0.8, 0.4, 0.0)
TOP = 80


def _two_losses(_: Traffic) -> Key:
    brier = brier_score(LABELS, PROBABILITIES)
    distance = float(np.mean(np.abs(np.subtract(LABELS, PROBABILITIES))))
    kept = log_loss(LABELS[:2], PROBABILITIES[:2])

    def first_is_right(given: Plain) -> bool:
        return len(given) == 2 and abs(given[0] - brier) <= 0.0005

    return Key(
        [brier, log_loss(LABELS, PROBABILITIES)],
        (
            Mistake(
                [brier, kept],
                "The third record was left out. It was certain and wrong: what is minus the "
                "logarithm of 0?",
                when=lambda given: first_is_right(given) and given[1] < 1,
            ),
            Mistake(
                [brier, 12.0],
                "This clips the probability of the third record to something just above 0. How "
                "large the loss comes out then depends on the clip; here nothing is clipped.",
                when=lambda given: first_is_right(given) and math.isfinite(given[1]),
            ),
            Mistake(
                [brier, math.nan],
                "As the probability of what happened goes to 0, where does minus its logarithm go?",
                when=lambda given: first_is_right(given) and math.isnan(given[1]),
            ),
            Mistake(
                [distance, math.inf],
                "The Brier score squares the differences before it takes their mean.",
                when=lambda given: len(given) == 2 and abs(given[0] - distance) <= 0.0005,
            ),
        ),
        hint="Two numbers: the mean squared difference, and the mean of minus the logarithm of "
        "the probability given to what happened.",
    )


def _drift(traffic: Traffic) -> Key:
    lab = traffic.lab
    past = OPERATE.of(traffic.flows, "train")
    platt = calibrated_models(past, lab.calibrate)["balanced + Platt"]
    parts = {"days 8-9": lab.calibrate, "days 10-13": lab.test}
    expected = {name: platt.predict_proba(part)[:, 1].sum() for name, part in parts.items()}
    came = {name: int(part["label"].sum()) for name, part in parts.items()}
    right = {name: expected[name] - came[name] for name in parts}
    later = "days 10-13"

    def is_in_shares(given: Plain) -> bool:
        shares = {name: right[name] / len(part) for name, part in parts.items()}
        return 0 < abs(given[later]) < 1 and abs(given[later] - shares[later]) < 0.001

    return Key(
        right,
        (
            Mistake(
                {name: right[name] / len(part) for name, part in parts.items()},
                "These are shares of the records. Numbers of attacks are asked for: the sum of the "
                "probabilities minus the number of attacks.",
                when=is_in_shares,
            ),
            Mistake(
                dict.fromkeys(parts, 0.0),
                "On the days it was fitted on the sigmoid expects as many attacks as came. That "
                "does not carry over to days with other attacks in other numbers: add up.",
                "calibration-lasts",
                when=lambda given: abs(given[later]) < 1,
            ),
            Mistake(
                {name: -surplus for name, surplus in right.items()},
                "The sign is the other way round: expected minus came.",
            ),
            Mistake(
                expected,
                "These are the attacks that the model expects. Subtract those that came.",
            ),
        ),
        hint="Add up the probabilities of attack that `platt` gives each part (`predict_proba`), "
        "and subtract the number of attacks in it.",
        within=0.5,
    )


def _isotonic_top(traffic: Traffic) -> Key:
    lab = traffic.lab
    scores = lab.probabilities["balanced + isotonic"]
    cut, before = (
        lab.sweep(values).at_budget(TOP, ties="expected")
        for values in (scores, lab.probabilities["balanced"])
    )
    first = np.argsort(-scores, kind="stable")[:TOP]
    in_order = int(lab.test["label"].to_numpy()[first].sum())
    right = [cut.tp_low, cut.tp_high]
    mistakes = (
        Mistake(
            [before.tp_low, before.tp_high],
            "This is the top 80 of the balanced model before recalibration. The isotonic steps "
            "made equal what had been apart: look for a tie at the cut.",
            "isotonic-keeps-ranking",
        ),
        Mistake(
            [cut.tp, cut.tp],
            "This is the mean over all ways to cut the tie. The fewest and the most are asked for.",
        ),
        Mistake(
            right[::-1],
            "The fewest come first.",
        ),
        Mistake(
            [in_order, in_order],
            "This is one way to cut the tie, that of the order of the rows.",
            "top-k-is-defined",
            when=lambda given: len(given) == 2 and given[0] == given[1],
        ),
    )
    if in_order == before.tp:
        mistakes = mistakes[:-1]
    return Key(
        right,
        tuple(one for one in mistakes if one.answer != right),
        hint='`at_budget(80, ties="expected")` of the sweep of the isotonic probabilities knows '
        "both.",
    )


def _even_odds(traffic: Traffic) -> Key:
    past = OPERATE.of(traffic.flows, "train")
    base_rate, later = past["label"].mean(), traffic.lab.test["label"].mean()
    return Key(
        prior_shift(0.5, base_rate, 0.5),
        (
            Mistake(
                0.5,
                "This would be right if half of all records were attacks. That is the world the "
                "balanced model was fitted to; in ours they are rarer.",
                "balanced-weights-are-probabilities",
            ),
            Mistake(
                prior_shift(0.5, 0.5, base_rate),
                "This is what a balanced 0.5 means on the training days. Now the way back: which "
                "balanced probability means 0.5 there?",
            ),
            Mistake(
                1 - later,
                "This uses the base rate of the test days. The model was trained on days 0 to 7.",
            ),
        ),
        hint="`prior_shift` works in both directions: from 0.5 at the base rate of the training "
        "days to a world of halves.",
    )


def _ranked_not_calibrated(_: Traffic) -> Key:
    def is_unfit(given: Plain) -> bool:
        labels, probabilities = given["labels"], given["probabilities"]
        return (
            len(labels) != len(probabilities)
            or set(labels) != {0.0, 1.0}
            or not all(0 <= p <= 1 for p in probabilities)
        )

    def auc(given: Plain) -> float:
        return ThresholdSweep.from_scores(given["labels"], given["probabilities"]).roc_auc

    return Key(
        {"labels": [0, 0, 0, 1], "probabilities": [0.9, 0.91, 0.92, 0.95]},
        (
            Mistake(
                {"labels": [1, 1], "probabilities": [0.5, 0.5]},
                "Two lists of one length: labels 0 and 1, each at least once, and probabilities "
                "from 0 to 1.",
                when=is_unfit,
            ),
            Mistake(
                {"labels": [0, 1, 0], "probabilities": [0.9, 0.91, 0.92]},
                "The AUC is below 1: some normal record lies at or above an attack.",
                when=lambda given: auc(given) < 1,
            ),
            Mistake(
                {"labels": [0, 0, 0, 1], "probabilities": [0.1, 0.1, 0.2, 0.9]},
                "The ranking is perfect, but the Brier score is not above 0.25. AUC looks at the "
                "order alone: which changes of the probabilities keep the order?",
                "ranking-is-calibration",
                when=lambda given: brier_score(given["labels"], given["probabilities"]) <= 0.25,
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("10-1", "two losses by hand", _two_losses),
    Exercise("10-2", "as many attacks as expected?", _drift),
    Exercise("10-3", "what isotonic regression does to the top", _isotonic_top),
    Exercise("10-4", "more likely attack than not", _even_odds),
    Exercise("10-5", "ranked perfectly, and wrong", _ranked_not_calibrated, points=2),
)
