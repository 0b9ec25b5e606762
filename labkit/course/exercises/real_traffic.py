"""Exercises of notebook 12: Lab 2 on recorded traffic, on the made-up sample that comes with it.

The sample is the same for every student: the keys hang on no traffic of their own.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.data.luflow_sample import sample_paths
from labkit.data.readers import read_flows
from labkit.decisions import at_daily_budget, fixed_threshold_by_day
from labkit.lab2 import other_traffic as other
from labkit.lab2 import table_detectors
from labkit.lab2.split import TemporalSplit
from labkit.metrics import ThresholdSweep

# As they stand in the notebook.
TRAIN, CALIBRATE = 4, 2
RARE = 0.01
PER_DAY = 20
MORNING = 4
"""The hour before which all attacks begin, but for those of the fringes."""


@dataclass(frozen=True, eq=False)
class _Sample:
    """The sample as the notebook has it, with what is computed of it."""

    flows: pd.DataFrame
    split: TemporalSplit

    @cached_property
    def test(self) -> pd.DataFrame:
        return self.split.of(self.flows, "test")

    @cached_property
    def calibrate(self) -> pd.DataFrame:
        return self.split.of(self.flows, "calibrate")

    @cached_property
    def attacks(self) -> pd.Series:
        """Attacks of each day."""
        return self.flows.groupby("day")["label"].sum()

    @cached_property
    def scores(self) -> np.ndarray:
        """Scores on the test days of the booster that learnt from all days before."""
        past = other.before_test(self.flows, self.split)
        return (
            table_detectors.gradient_boosting(0)
            .fit(past, past["label"])
            .decision_function(self.test)
        )

    @cached_property
    def operated(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores on the calibration and test days of the booster of the training days."""
        past = self.split.of(self.flows, "train")
        model = table_detectors.gradient_boosting(0).fit(past, past["label"])
        return model.decision_function(self.calibrate), model.decision_function(self.test)


@cache
def _sample() -> _Sample:
    flows = other.with_fringes_joined(read_flows(sample_paths()))
    return _Sample(flows, other.split_by_days(flows, TRAIN, CALIBRATE))


def _clock(_: Traffic) -> Key:
    lab = _sample()

    def early(flows: pd.DataFrame) -> pd.Series:
        return (flows["time"] // 3600 % 24 < MORNING).astype(float)

    sweep = ThresholdSweep.from_scores(lab.test["label"], early(lab.test))
    rule = sweep.at_threshold(1)
    everything = ThresholdSweep.from_scores(lab.flows["label"], early(lab.flows))
    return Key(
        sweep.roc_auc,
        (
            Mistake(
                rule.precision,
                "This is the share of attacks among the records before four o'clock: a precision. "
                "An AUC asks how often an attack outscores a normal record.",
                "auc-is-precision",
            ),
            Mistake(
                rule.recall,
                "This is the share of the attacks that came before four o'clock: a recall. The "
                "normal records of those hours count too.",
            ),
            Mistake(
                1 - sweep.roc_auc,
                "This is the AUC of the opposite rule. Before four o'clock is to score 1.",
            ),
            Mistake(
                everything.roc_auc,
                "This is the AUC over all ten days. Only the records of `test` are asked for.",
            ),
        ),
        hint="Make a score of 1 and 0 from `hour`, and give it to `ThresholdSweep.from_scores` "
        "with the labels of `test`.",
    )


def _same_base_rate(_: Traffic) -> Key:
    lab = _sample()
    sweeps = []
    for day in lab.split.test:
        if lab.attacks[day]:
            here = (lab.test["day"] == day).to_numpy()
            sweeps.append(ThresholdSweep.from_scores(lab.test["label"][here], lab.scores[here]))
    right = [sweep.at_base_rate(RARE).average_precision for sweep in sweeps]
    return Key(
        right,
        (
            Mistake(
                [sweep.average_precision for sweep in sweeps],
                "These are the AP at each day's own base rate. More attacks among the records "
                "raise an AP, whatever the ranking. Bring both days to the same base rate first.",
                "ap-across-base-rates",
            ),
            Mistake(
                [sweep.roc_auc for sweep in sweeps],
                "These are the two AUCs. They hang on no base rate, but the AP is asked for.",
            ),
            Mistake(right[::-1], "The earlier of the two days comes first."),
        ),
        hint="For each of the two days make a sweep of its records alone, take "
        "`at_base_rate(0.01)` of it, and its average precision.",
    )


def _from_quiet(_: Traffic) -> Key:
    lab = _sample()
    past_scores, test_scores = lab.operated
    calm = lab.calibrate["day"].map(lab.attacks).to_numpy() == 0

    def replayed(labels: pd.Series, scores: np.ndarray, days: pd.Series) -> dict[str, list[float]]:
        cut = at_daily_budget(labels, scores, days, PER_DAY, ties="over")
        found = fixed_threshold_by_day(
            lab.test["label"], test_scores, lab.test["day"], cut.threshold
        )
        return {name: found[name].tolist() for name in ("recall", "precision")}

    past = lab.calibrate
    right = replayed(past["label"][calm], past_scores[calm], past["day"][calm])
    both = replayed(past["label"], past_scores, past["day"])
    hindsight = replayed(lab.test["label"], test_scores, lab.test["day"])
    zero = [0 if math.isnan(value) else value for value in right["recall"]]
    unset = [value or math.nan for value in right["precision"]]
    return Key(
        right,
        (
            Mistake(
                {**right, "recall": zero},
                "On a quiet day there was no attack to find, and none was missed. A recall of 0 "
                "would say that all were missed.",
                "zero-over-zero-is-zero",
            ),
            Mistake(
                {**right, "precision": unset},
                "On the quiet days there were alerts, so there is something to take the share of. "
                "How many of those alerts were attacks?",
            ),
            Mistake(
                {"recall": zero, "precision": unset},
                "It is the other way round: a quiet day has alerts, and no attack.",
                "zero-over-zero-is-zero",
            ),
            Mistake(
                both,
                "This threshold was fixed on both calibration days. Take the quiet one alone.",
            ),
            Mistake(
                hindsight,
                "This threshold was read off the test days themselves. When it is fixed, nobody "
                "has seen them.",
                "threshold-on-test-days",
            ),
        ),
        hint="`at_daily_budget` on the records of `calm`, then `fixed_threshold_by_day` on those "
        "of `test` with its threshold.",
    )


def _own_parts(_: Traffic) -> Key:
    lab = _sample()
    attacks = lab.attacks.to_numpy() > 0

    def parts(given: Plain) -> tuple[int, int]:
        return int(given["train"]), int(given["calibrate"])

    def is_no_plan(given: Plain) -> bool:
        counts = [given["train"], given["calibrate"]]
        return not all(one >= 1 and one == int(one) for one in counts) or sum(counts) >= len(
            attacks
        )

    def calibrates_on_quiet_days(given: Plain) -> bool:
        train, calibrate = parts(given)
        return not attacks[train : train + calibrate].any()

    def tests_on_one_day(given: Plain) -> bool:
        return attacks[sum(parts(given)) :].sum() < 2

    def is_the_notebooks(given: Plain) -> bool:
        return parts(given) == (TRAIN, CALIBRATE)

    return Key(
        {"train": 3, "calibrate": 2},
        (
            Mistake(
                {"train": 8, "calibrate": 4},
                "Each part needs at least one whole day, and there are ten days in all: some must "
                "be left for the test.",
                when=is_no_plan,
            ),
            Mistake(
                {"train": 2, "calibrate": 2},
                "All of these calibration days are quiet. From them nobody can learn which "
                "probability an attack should have.",
                when=calibrates_on_quiet_days,
            ),
            Mistake(
                {"train": 6, "calibrate": 2},
                "The days left for the test have attacks on one day at most. All of that day's "
                "attacks together are one observation of what a day may bring.",
                "records-are-independent",
                when=tests_on_one_day,
            ),
            Mistake(
                {"train": TRAIN, "calibrate": CALIBRATE},
                "This is the split that the notebook uses. Find another.",
                when=is_the_notebooks,
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("12-1", "a detector that only looks at the clock", _clock),
    Exercise("12-2", "two days at one base rate", _same_base_rate),
    Exercise("12-3", "a threshold from a quiet day", _from_quiet),
    Exercise("12-4", "a split of your own", _own_parts),
)
