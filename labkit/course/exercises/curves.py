"""Exercises of notebook 06: ROC and precision-recall curves."""

import math

import numpy as np

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.metrics import ThresholdSweep

# Two rankings of forty records by hand, as in the notebook: the ranks of their four attacks.
RANKS = {"A": (1, 2, 3, 30), "B": (4, 5, 6, 7)}
RECORDS = 40
WIDTH = 0.01
LEAST_RECALL, LEAST_PRECISION = 0.55, 0.7


def _random_ranking(traffic: Traffic) -> Key:
    lab = traffic.lab
    of_day = (lab.test["day"] == 11).to_numpy()
    labels = lab.test["label"].to_numpy()
    boosting = ThresholdSweep.from_scores(labels[of_day], lab.boosting[0][of_day])
    return Key(
        labels[of_day].mean(),
        (
            Mistake(
                0.5,
                "One half is what chance gets in AUC. Precision is a share of the alerts: what "
                "share of a random handful of day 11's records are attacks?",
                "random-ap-is-half",
            ),
            Mistake(0, "Even a random handful of records holds an attack now and then."),
            Mistake(
                labels.mean(),
                "This is for the four days together. Day 11 has its own share of attacks.",
                "ap-across-base-rates",
            ),
            Mistake(
                boosting.average_precision,
                "This is what the booster gets on day 11. Asked for is what chance would get.",
            ),
        ),
        hint="At any threshold a random ranking flags attacks and normal records in proportion.",
        # Room for the mean of a few shuffles, which lies a little above.
        within=0.004,
    )


def _alerts_for_half(traffic: Traffic) -> Key:
    lab = traffic.lab
    boosting, logistic = lab.sweep(lab.boosting[0]), lab.sweep(lab.logistic)
    days = lab.test["day"].nunique()
    point = logistic.at_recall(0.5)
    return Key(
        point.alerts / days,
        (
            Mistake(
                logistic.positives / 2 / days,
                "This is half of the attacks. It would do if every alert were an attack; look at "
                "the precision there.",
                "auc-is-precision",
            ),
            Mistake(point.alerts, "This is for the four days together."),
            Mistake(
                point.fp / days,
                "These are the false ones alone. Somebody has to look at the others too.",
            ),
            Mistake(
                boosting.at_recall(0.5).alerts / days,
                "This is the booster's number. The exercise asks about `lr`.",
            ),
        ),
        hint="`lr.at_recall(...)` gives the operating point; its alerts are those of four days.",
    )


def _largest_budget(_: Traffic) -> Key:
    found = {
        name: np.array([sum(rank <= k for rank in ranks) for k in range(RECORDS + 1)])
        for name, ranks in RANKS.items()
    }
    budgets = np.flatnonzero(found["A"] > found["B"])
    perfect = budgets[found["A"][budgets] == budgets]
    ties = np.flatnonzero((found["A"] == found["B"]) & (found["A"] < len(RANKS["A"])))
    return Key(
        budgets.max(),
        (
            Mistake(
                0,
                "The AUC averages over all budgets, so the detector behind in AUC may be ahead at "
                "some of them. Who has found more after a single alert?",
                "higher-auc-always-better",
            ),
            Mistake(
                RECORDS,
                "With this many alerts both have found every attack.",
            ),
            Mistake(
                perfect.max(),
                "Up to here every alert of A is an attack. It may still be ahead a little further "
                "down.",
            ),
            Mistake(ties.max(), "Here both have found equally many: A is ahead no longer."),
        ),
        hint="For k = 1, 2, 3 and so on count the attacks of rank k or less, once for A and once "
        "for B.",
    )


def _partial_area(traffic: Traffic) -> Key:
    from sklearn.metrics import roc_auc_score

    lab = traffic.lab
    logistic = lab.sweep(lab.logistic)
    area = _area_left_of(logistic, WIDTH)
    inside = np.append(0, logistic.fpr) < WIDTH
    cut_short = np.trapezoid(
        np.append(0, logistic.recall)[inside], np.append(0, logistic.fpr)[inside]
    ).item()
    slips = (
        Mistake(
            cut_short / WIDTH,
            "Nearly. This strip ends at the last point before 0.01. Carry it on to 0.01, as the "
            "cell above does.",
        ),
    )
    return Key(
        area / WIDTH,
        (
            Mistake(
                roc_auc_score(lab.test["label"], lab.logistic, max_fpr=WIDTH),
                "This is scikit-learn's `max_fpr`, rescaled so that chance gets one half. Asked "
                "for is the plain area as a share of the width.",
            ),
            Mistake(area, "This is the area itself. Divide it by the width of the strip."),
            Mistake(
                logistic.roc_auc,
                "This is the whole area. Nearly all of it lies where no analyst will ever look.",
                "higher-auc-always-better",
            ),
            Mistake(
                _area_left_of(lab.sweep(lab.boosting[0]), WIDTH) / WIDTH,
                "This is the booster's number. The exercise asks about `lr`.",
            ),
            Mistake(
                logistic.at_fpr(WIDTH).recall,
                "This is the recall at the right edge of the strip. The partial AUC is the mean "
                "recall over the whole strip.",
            ),
            *(slip for slip in slips if abs(slip.answer - area / WIDTH) > 0.001),
        ),
        hint="Do with `lr` what the cell above does with `gb`.",
    )


def _area_left_of(sweep: ThresholdSweep, width: float) -> float:
    """Return the area under the ROC curve from a false positive rate of 0 to `width`."""
    fpr, recall = np.append(0, sweep.fpr), np.append(0, sweep.recall)
    inside = fpr < width
    x = np.append(fpr[inside], width)
    y = np.append(recall[inside], np.interp(width, fpr, recall))
    return np.trapezoid(y, x).item()


def _operating_point(traffic: Traffic) -> Key:
    boosting = traffic.lab.sweep(traffic.lab.boosting[0])
    example = boosting.at_recall(LEAST_RECALL).threshold

    def misses_too_much(given: Plain) -> bool:
        return boosting.at_threshold(given).recall < LEAST_RECALL

    def is_wrong_too_often(given: Plain) -> bool:
        return not boosting.at_threshold(given).precision >= LEAST_PRECISION

    return Key(
        example,
        (
            Mistake(
                math.nan,
                "A threshold is asked for: one finite score.",
                when=lambda given: not math.isfinite(given),
            ),
            Mistake(
                boosting.thresholds[0],
                "Too high: at this threshold too many attacks go unflagged.",
                when=misses_too_much,
            ),
            Mistake(
                boosting.at_fpr(0.05).threshold,
                "Too low: at this threshold too many alerts are false, small as the false positive "
                "rate may look.",
                "fpr-is-share-of-alerts",
                when=is_wrong_too_often,
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("06-1", "the average precision of chance", _random_ranking),
    Exercise("06-2", "alerts a day for half of the attacks", _alerts_for_half),
    Exercise("06-3", "two rankings, one budget", _largest_budget),
    Exercise("06-4", "partial AUC of the other detector", _partial_area),
    Exercise("06-5", "an operating point to work with", _operating_point, points=2),
)
