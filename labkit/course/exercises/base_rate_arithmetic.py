"""Exercises of notebook 03: precision by arithmetic."""

from labkit.course.answers import Key, Mistake
from labkit.course.exercises.exercise import Exercise, Traffic


def _precision_at_055(_: Traffic) -> Key:
    tp, fp, negatives = 9, 90, 990
    return Key(
        tp / (tp + fp),
        (
            Mistake(
                tp / 10,
                "This is recall: the nine over the attacks. Precision divides by the alerts.",
                "recall-is-precision",
            ),
            Mistake(
                1 - fp / negatives,
                "This is one minus the false positive rate, a share of the normal records.",
                "fpr-is-share-of-alerts",
            ),
        ),
        hint="Precision is a share of the alerts. How many alerts are there at this threshold?",
    )


EXERCISES = (Exercise("03-1", "precision at threshold 0.55", _precision_at_055),)
