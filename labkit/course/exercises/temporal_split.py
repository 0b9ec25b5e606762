"""Exercises of notebook 04: the temporal split."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.lab2.detectors import gradient_boosting
from labkit.lab2.experiment import JUDGE
from labkit.metrics import ThresholdSweep

if TYPE_CHECKING:
    import pandas as pd

# The plans as they stand in the notebook: days to train on, days to test on.
PLANS: dict[str, tuple[Iterable[int], Iterable[int]]] = {
    "A": (range(10), range(10, 14)),
    "B": (range(4, 14), range(4)),
    "C": (range(0, 14, 2), range(1, 14, 2)),
    "D": ((3, 4, 8), (12,)),
    "E": ((2, 5, 11), (10, 12, 13)),
}
PARTS = ("train", "calibrate", "test")
KNOWN = ("scan", "bruteforce", "exfil", "dos")
"""The families that every part of the open exercise's split must hold."""


def _honest_plans(_: Traffic) -> Key:
    honest = {name for name, (train, test) in PLANS.items() if max(train) < min(test)}
    next_day = {name for name in honest if max(PLANS[name][0]) + 1 == min(PLANS[name][1])}
    return Key(
        honest,
        (
            Mistake(
                set(PLANS),
                "No day is in both parts of any plan, but that is not enough. In plan C the "
                "detector that is judged on day 3 has already seen day 4.",
                "random-split-is-fair",
                when=lambda given: {"B", "C", "E"} <= {str(name).upper() for name in given},
            ),
            Mistake(
                honest | {"C"},
                "In plan C the detector that is judged on day 3 has already seen day 4, as it "
                "would have in a shuffle.",
                "random-split-is-fair",
                when=lambda given: "C" in {str(name).upper() for name in given},
            ),
            Mistake(
                honest | {"E"},
                "Look at plan E again: which day does it test on first, and which is the last that "
                "it trains on?",
                "random-split-is-fair",
                when=lambda given: "E" in {str(name).upper() for name in given},
            ),
            Mistake(
                next_day,
                "Training need not use every day that is over, nor end on the eve of the test. It "
                "must only be over.",
            ),
        ),
        hint="For each plan compare the last day of training with the first day of the test.",
    )


def _random_beacons(traffic: Traffic) -> Key:
    from sklearn.model_selection import train_test_split

    flows = traffic.flows
    past, future = train_test_split(
        flows,
        test_size=len(JUDGE.of(flows, "test")),
        stratify=flows["label"],
        random_state=0,
    )
    beacons = (flows["family"] == "beacon").sum()
    learnt = (past["family"] == "beacon").sum()
    return Key(
        learnt / beacons,
        (
            Mistake(
                0,
                "So it is under the temporal split. A shuffle does not know which day it is: it "
                "deals records of days 10 to 13 into both parts.",
                "random-split-is-fair",
            ),
            Mistake(
                (future["family"] == "beacon").sum() / beacons,
                "This is the share that is left for the test.",
            ),
            Mistake(
                learnt / len(past),
                "This is the share of the training records that are beacons. Divide by the beacons "
                "instead.",
            ),
        ),
        hint="Count the beacons among `shuffled_train`, and divide by all beacons there are.",
    )


def _retrained(traffic: Traffic) -> Key:
    flows = traffic.flows

    def beacon_auc(trained_on: Iterable[int]) -> float:
        train = flows[flows["day"].isin(trained_on)]
        return _beacon_auc(train, flows[flows["day"] == 13])

    right = beacon_auc(range(13))
    slips = (
        Mistake(
            beacon_auc(range(12)),
            "This booster stopped learning on day 11. When day 13 begins, day 12 is over too.",
        ),
        Mistake(
            beacon_auc((12,)),
            "This booster learnt from day 12 alone. The days before it are over as well.",
        ),
    )
    return Key(
        right,
        (
            Mistake(
                beacon_auc(range(10)),
                "This booster stopped learning on day 9, before the first beacon. When day 13 "
                "begins, more days are over.",
            ),
            Mistake(
                beacon_auc(range(14)),
                "This booster has studied day 13 itself, on which it is judged.",
                "random-split-is-fair",
            ),
            *(slip for slip in slips if abs(slip.answer - right) > 0.002),
        ),
        hint="Train on days 0 to 12 with seed 0, keep the beacons and the normal records of day "
        "13, and take the AUC of their scores.",
        within=0.001,
    )


def _beacon_auc(train: "pd.DataFrame", day: "pd.DataFrame") -> float:
    """Return how often a beacon of a day outscores a normal record of it."""
    judged = day[(day["family"] == "beacon") | (day["label"] == 0)]
    scores = gradient_boosting(seed=0).fit(train, train["label"]).decision_function(judged)
    return ThresholdSweep.from_scores(judged["label"], scores).roc_auc


def _own_split(traffic: Traffic) -> Key:
    flows = traffic.flows
    present = {
        family: set(flows.loc[flows["family"] == family, "day"].tolist()) for family in KNOWN
    }
    bursts = sorted(present["dos"])
    first, last = int(flows["day"].min()), int(flows["day"].max())

    def is_no_split(given: Plain) -> bool:
        days = set(range(first, last + 1))
        return not all(given[part] and days.issuperset(given[part]) for part in PARTS)

    def shares_a_day(given: Plain) -> bool:
        days = [day for part in PARTS for day in set(given[part])]
        return len(days) > len(set(days))

    def looks_ahead(given: Plain) -> bool:
        train, calibrate, test = (given[part] for part in PARTS)
        return max(train) > min(calibrate) or max(calibrate) > min(test)

    def lacks_a_family(given: Plain) -> bool:
        return any(days.isdisjoint(given[part]) for days in present.values() for part in PARTS)

    early, middle, late = (list(range(day, day + 2)) for day in bursts[:3])
    return Key(
        {"train": early, "calibrate": middle, "test": late},
        (
            Mistake(
                {"train": [], "calibrate": middle, "test": late},
                "Each part is a list of days, at least one, and the days run from 0 to 13.",
                when=is_no_split,
            ),
            Mistake(
                {"train": early, "calibrate": middle + late, "test": late},
                "A day may be in one part only: what a threshold was fixed on must not judge it.",
                "threshold-on-test-days",
                when=shares_a_day,
            ),
            Mistake(
                {"train": late, "calibrate": middle, "test": early},
                "This split looks ahead: a part holds a day that comes after one of the next "
                "part's.",
                "random-split-is-fair",
                when=looks_ahead,
            ),
            Mistake(
                {"train": early[1:], "calibrate": middle, "test": late},
                "A family is missing from a part. Look at the table of attacks by day for the one "
                "that comes in bursts.",
                when=lacks_a_family,
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("04-1", "which plans look ahead", _honest_plans),
    Exercise("04-2", "what a shuffle lets the detector study", _random_beacons),
    Exercise("04-3", "retrain every night", _retrained),
    Exercise("04-4", "a split of your own", _own_split, points=2),
)
