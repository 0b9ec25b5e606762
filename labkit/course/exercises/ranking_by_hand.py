"""Exercises of notebook 02: curves, AUC and average precision of a few records."""

from itertools import permutations

import numpy as np

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.metrics import ThresholdSweep
from labkit.metrics.pr_interpolation import interpolated_precision


def _tied_pairs(_: Traffic) -> Key:
    labels = np.array([1, 0, 1, 1, 0, 1, 0])
    scores = np.array([9, 7, 7, 7, 5, 5, 2])
    attacks, normals = scores[labels == 1, None], scores[labels == 0]
    pairs = attacks.size * normals.size
    won, tied = float((attacks > normals).mean()), float((attacks == normals).mean())
    return Key(
        won + tied / 2,
        (
            Mistake(
                won + tied,
                "You count every tied pair as won. Would a detector that gives all records one "
                "score then have a perfect AUC?",
                "ties-are-wins",
            ),
            Mistake(
                won,
                "You count every tied pair as lost. Neither record of such a pair is ahead.",
            ),
            Mistake(
                1 - won - tied / 2,
                "These are the pairs in which the normal record is ahead.",
            ),
            Mistake(
                (won + tied / 2) * pairs,
                "This is the number of pairs in order. AUC is their share of all pairs.",
            ),
            Mistake(
                won / (1 - tied),
                "You leave tied pairs out. They are pairs too, and each counts for something.",
            ),
        ),
        hint="Go through the attacks one by one. How many normal records has each below it, and "
        "how many beside it?",
    )


def _ap_by_steps(_: Traffic) -> Key:
    sweep = _ranking((1, 4, 5))
    straight = np.trapezoid(np.append(1, sweep.precision), np.append(0, sweep.recall))
    return Key(
        sweep.average_precision,
        (
            Mistake(
                straight,
                "This is the area below straight lines from (0, 1). AP joins nothing: it is a sum "
                "of steps.",
                "trapezoid-pr",
            ),
            Mistake(
                sweep.precision.mean(),
                "You average over all thresholds. At how many of them does recall grow?",
            ),
            Mistake(sweep.roc_auc, "This is the area below the ROC curve."),
            Mistake(
                3 * sweep.average_precision,
                "You add up the precisions. How much does recall grow at each of the attacks?",
            ),
        ),
        hint="Write down the precision at the rank of each attack. By how much does recall grow "
        "there?",
    )


def _coin_toss(traffic: Traffic) -> Key:
    base_rate = float(traffic.flows["label"].mean())
    return Key(
        base_rate,
        (
            Mistake(
                0.5,
                "That is about the AUC of a random ranking. What share of the alerts are attacks "
                "when alerts are picked blindly?",
                "random-ap-is-half",
                when=lambda given: abs(given - 0.5) < 0.05,
            ),
            Mistake(
                1 - base_rate,
                "This is the share of normal records. Precision counts the attacks.",
                when=lambda given: abs(given - (1 - base_rate)) < 0.1 * base_rate,
            ),
        ),
        hint="This is further off than chance would bring you. What share of the alerts are "
        "attacks when alerts are picked blindly?",
        within=0.2 * base_rate,
    )


def _dominance(_: Traffic) -> Key:
    ranks = {"F": (1, 4, 5), "G": (2, 4, 7), "H": (1, 2, 8)}
    pairs = list(permutations(ranks, 2))
    # At equal recall the ranking with fewer false alerts is ahead in either space.
    right = {f"{a}>{b}" for a, b in pairs if all(np.less_equal(ranks[a], ranks[b]))}
    turned = {f"{b}>{a}" for a, b in pairs if f"{a}>{b}" in right}
    crossing = {f"{a}>{b}" for a, b in pairs} - right - turned
    auc = {name: _ranking(at).roc_auc for name, at in ranks.items()}
    ap = {name: _ranking(at).average_precision for name, at in ranks.items()}
    return Key(
        {"ROC": right, "PR": right},
        (
            Mistake(
                {
                    "ROC": {f"{a}>{b}" for a, b in pairs if auc[a] > auc[b]},
                    "PR": {f"{a}>{b}" for a, b in pairs if ap[a] > ap[b]},
                },
                "A bigger area is not dominance: curves that cross have areas too. Compare the "
                "false alerts attack by attack.",
                "higher-auc-always-better",
            ),
            Mistake(
                {"ROC": right, "PR": set()},
                "Your two answers differ. At the same recall, can the ranking with fewer false "
                "alerts have the lower precision?",
                "roc-and-pr-disagree",
                when=lambda given: set(given["ROC"]) != set(given["PR"]),
            ),
            Mistake(
                {"ROC": turned, "PR": turned},
                "Which is better, an attack near the top of the list or one further down? And "
                '"A>B" says that A is the better one.',
                when=lambda given: bool(turned & set(given["ROC"])),
            ),
            Mistake(
                {"ROC": crossing, "PR": crossing},
                "You name a pair whose curves cross. Dominance has to hold at every attack, not "
                "only at the first or the last.",
                when=lambda given: bool(crossing & set(given["ROC"])),
            ),
        ),
        hint="Write down how many false alerts stand above the first, the second and the third "
        'attack of each ranking. Pairs are written as in "A>B".',
    )


def _halfway(_: Traffic) -> Key:
    sweep = ThresholdSweep.from_counts(
        [3, 2, 1], [10, 30, 50], [10, 90, 950], positives=50, negatives=950
    )
    low, high = sweep.precision[:2].tolist()
    return Key(
        interpolated_precision(sweep, [0.4]).item(),
        (
            Mistake(
                (low + high) / 2,
                "This lies on the straight line between the two precisions. It is the counts that "
                "grow evenly.",
                "trapezoid-pr",
            ),
            Mistake(high, "This is the precision at B, where every record in between is flagged."),
            Mistake(low, "This is the precision at A, where no record in between is flagged."),
        ),
        hint="How many attacks and how many false alerts are there once half of the records "
        "between A and B are flagged?",
    )


def _auc_without_ap(_: Traffic) -> Key:
    def sweep(given: Plain) -> ThresholdSweep:
        return ThresholdSweep.from_scores(given["labels"], given["scores"])

    def is_malformed(given: Plain) -> bool:
        labels, scores = given["labels"], given["scores"]
        return (
            len(labels) != len(scores)
            or len(labels) < 6
            or set(labels) != {0, 1}
            or not np.isfinite(scores).all()
        )

    return Key(
        {"labels": [0, 0, 1] + [0] * 8, "scores": list(range(11, 0, -1))},
        (
            Mistake(
                {"labels": [1, 0], "scores": [2, 1]},
                "Six records or more are asked for: as many scores as labels, labels 0 and 1, "
                "each at least once, and finite scores.",
                when=is_malformed,
            ),
            Mistake(
                {"labels": [0, 1, 0, 1, 0, 1], "scores": [6, 5, 4, 3, 2, 1]},
                "The AUC is below 0.8: attacks lose too many of their pairs. More normal records "
                "far down the list are pairs won.",
                when=lambda given: sweep(given).roc_auc < 0.8 - 1e-9,
            ),
            Mistake(
                {"labels": [1, 0, 0, 0, 0, 0], "scores": [6, 5, 4, 3, 2, 1]},
                "The AUC will do, but AP is 0.5 or more. It only looks at the alerts down to each "
                "attack: who should stand at the very top? A good AUC does not fill that place "
                "with attacks.",
                "auc-is-precision",
                when=lambda given: sweep(given).average_precision >= 0.5,
            ),
        ),
        is_open=True,
    )


def _ranking(attacks: tuple[int, ...]) -> ThresholdSweep:
    """Return the sweep of eight records with attacks at the given ranks."""
    ranks = range(1, 9)
    return ThresholdSweep.from_scores([rank in attacks for rank in ranks], ranks[::-1])


EXERCISES = (
    Exercise("02-1", "pairs that tie", _tied_pairs),
    Exercise("02-2", "AP by steps", _ap_by_steps),
    Exercise("02-3", "a coin toss on two weeks of traffic", _coin_toss),
    Exercise("02-4", "who dominates whom", _dominance),
    Exercise("02-5", "halfway", _halfway),
    Exercise("02-6", "a fine AUC, a poor AP", _auc_without_ap),
)
