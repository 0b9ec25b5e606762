"""Exercises of notebook 08: thresholds from alert budgets."""

import numpy as np

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.decisions import (
    alert_probability,
    at_daily_budget,
    fixed_threshold_by_day,
)
from labkit.lab2.experiment import ALERTS_PER_DAY, OPERATE, Experiment, family_recall

SMALL, HALF, DOUBLE = 5, 10, 40
"""Budgets a day other than the notebook's 20."""
LEVEL, TOP = 3, 300
"""Step of the risk levels, and the budget that ends among them."""


def _threshold(lab: Experiment, per_day: int, days: tuple[int, ...] = OPERATE.calibrate) -> float:
    """Return the score that spends a budget on past days, tied records taken in."""
    of_days = lab.calibrate["day"].isin(days).to_numpy()
    past = lab.calibrate[of_days]
    scores = lab.operated_calibrate[of_days]
    return at_daily_budget(past["label"], scores, past["day"], per_day, ties="over").threshold


def _alerts(lab: Experiment, threshold: float) -> list[float]:
    """Return how many alerts a threshold gives on each test day."""
    test = lab.test
    days = fixed_threshold_by_day(test["label"], lab.operated_test, test["day"], threshold)
    return days["alerts"].tolist()


def _vanished(traffic: Traffic) -> Key:
    lab = traffic.lab
    families = lab.test["family"]
    every = set(families) - {"benign"}
    at_5, at_20 = (
        set(families[lab.operated_test >= _threshold(lab, per_day)]) - {"benign"}
        for per_day in (SMALL, ALERTS_PER_DAY)
    )
    right = at_20 - at_5
    mistakes = (
        Mistake(
            every - at_20,
            "No alert was of this kind at 20 a day either. Which families had alerts then, and "
            "have none now?",
        ),
        Mistake(
            every - at_5,
            "These are all that have no alert at 5 a day. Some had none at 20 a day already: they "
            "did not vanish.",
        ),
        Mistake(at_5, "These still have alerts at 5 a day. Which are gone?"),
        Mistake(at_20, "These have alerts at 20 a day. Which of them have none at 5?"),
    )
    if not right:
        # Where nothing vanished, the second and the last would say the same as the others.
        mistakes = mistakes[::2]
    return Key(
        right,
        tuple(one for one in mistakes if one.answer != right),
        hint="Fix the threshold on days 8 and 9 for either budget, and compare the families among "
        "the alerts of the test days.",
    )


def _half_the_budget(traffic: Traffic) -> Key:
    lab, test = traffic.lab, traffic.lab.test
    right = _alerts(lab, _threshold(lab, HALF))
    hindsight = at_daily_budget(test["label"], lab.operated_test, test["day"], HALF, ties="over")
    mistakes = (
        Mistake(
            [HALF] * len(right),
            "This is the budget. What is fixed is a score: count the records of each day that "
            "reach it.",
            "threshold-fixes-alerts",
        ),
        Mistake(
            _alerts(lab, hindsight.threshold),
            "This threshold was read off the test days themselves. On the evening of day 9 nobody "
            "has seen them.",
            "threshold-on-test-days",
        ),
        Mistake(
            [alerts / 2 for alerts in _alerts(lab, _threshold(lab, ALERTS_PER_DAY))],
            "Half the budget does not halve every day's alerts: it raises the threshold, and each "
            "day has its own share of records above it.",
            "threshold-fixes-alerts",
        ),
        Mistake(
            _alerts(lab, _threshold(lab, ALERTS_PER_DAY)),
            "These are the alerts of the threshold for 20 a day.",
        ),
    )
    return Key(
        right,
        tuple(one for one in mistakes if one.answer != right),
        hint="Fix the threshold as above, with a budget of 10 and tied records taken in, and "
        "replay it on `test` with the scores of `detector`, not those of the first booster.",
    )


def _kept_daily(traffic: Traffic) -> Key:
    lab, past, within = traffic.lab, traffic.lab.calibrate, 0.001
    scores = lab.operated_calibrate
    # By day, the highest scores first: the threshold at place q is that of a day's own budget.
    of_days = [-np.sort(-scores[(past["day"] == day).to_numpy()]) for day in OPERATE.calibrate]
    cuts = [of_day[ALERTS_PER_DAY - 1] for of_day in of_days]
    too_low = max(of_day[ALERTS_PER_DAY] for of_day in of_days)
    right, rounded = scores[scores > too_low].min(), 0.005
    mistakes = (
        Mistake(
            lab.fixed.threshold,
            "This keeps the budget on average over the two days. Count the alerts of each: one of "
            "them is over.",
            "average-holds-daily",
        ),
        Mistake(
            min(cuts),
            "One of the two days keeps its budget at this score. Does the other?",
        ),
        Mistake(
            max(cuts) + 1,
            "Neither day has more than 20 alerts here, but there is room for more. Does a lower "
            "score do as well?",
            when=lambda given: given > right + rounded,
        ),
        Mistake(
            right - 0.1,
            "At this score one of the two days has more than 20 alerts. Count each day's.",
            when=lambda given: given < right - rounded,
        ),
    )
    apart: list[Mistake] = []
    for one in mistakes:
        # The 40th record of both days may be the 20th of one of them.
        taken = [right, *(other.answer for other in apart)]
        if all(abs(one.answer - score) > within for score in taken):
            apart.append(one)
    return Key(
        right,
        tuple(apart),
        hint="Lower the threshold by one record after the other, the two days together, and count "
        "each day's alerts. How low can it go before one of the days has too many?",
        within=within,
    )


def _levels(traffic: Traffic) -> Key:
    lab = traffic.lab
    levels = (lab.boosting[0] / LEVEL).round()
    cut = lab.sweep(levels).at_budget(TOP, ties="expected")
    first = np.argsort(-levels, kind="stable")[:TOP]
    in_order = int(lab.test["label"].to_numpy()[first].sum())
    right = [cut.tp_low, cut.tp_high]
    mistakes = (
        Mistake(
            [in_order, in_order],
            "This is what comes of the order in which the records happen to stand in the file. Any "
            "other order of the tied ones is as good.",
            "top-k-is-defined",
            when=lambda given: len(given) == 2 and given[0] == given[1],
        ),
        Mistake(
            [cut.tp, cut.tp],
            "This is the mean over all ways to cut the tie. The fewest and the most are asked for.",
        ),
        Mistake(
            [0, TOP],
            "The records above the tie are in whatever happens, and the tie holds only so many "
            "attacks.",
        ),
        Mistake(right[::-1], "The fewest come first."),
    )
    distinct = right[0] != right[1]
    return Key(
        right,
        # The second looks the same as the first, but says more where the mean was meant.
        tuple(mistakes[place] for place in (1, 0, 2, 3)) if distinct else mistakes[2:3],
        hint='`at_budget(300, ties="expected")` of the sweep of the levels knows both.',
    )


def _more_exfiltration(traffic: Traffic) -> Key:
    lab = traffic.lab
    budget = DOUBLE * lab.test["day"].nunique()
    shares = {
        name: family_recall(lab.test, alert_probability(scores, budget))["exfil"]
        for name, scores in (
            ("gradient boosting", lab.boosting[0]),
            ("logistic regression", lab.logistic),
        )
    }
    best = max(shares.values())
    leaders = [name for name, share in shares.items() if share == best]
    right = leaders[0] if len(leaders) == 1 else "neither"
    mistakes = (
        Mistake(
            "gradient boosting",
            "It has the better ranking by AUC and by average precision, over all families "
            "together. This question is about one family at one budget: count.",
            "higher-auc-always-better",
        ),
        Mistake(
            "logistic regression",
            "Count once more, with `family_recall` at 40 alerts a day for both detectors.",
        ),
        Mistake("neither", "Their shares differ: compare them at 40 alerts a day, not at 20."),
    )
    return Key(
        right,
        tuple(one for one in mistakes if one.answer != right),
        hint='Answer "gradient boosting", "logistic regression" or "neither".',
    )


def _margin(traffic: Traffic) -> Key:
    lab = traffic.lab
    known, tested = OPERATE.calibrate, list(OPERATE.test)
    days = {int(day) for day in traffic.flows["day"].unique()}

    def most_sent(given: Plain) -> float:
        chosen = tuple(int(day) for day in given["days"])
        return max(_alerts(lab, _threshold(lab, int(given["per_day"]), chosen)))

    plans = [
        {"days": list(chosen), "per_day": per_day}
        for chosen in (known, *((day,) for day in known))
        for per_day in range(ALERTS_PER_DAY, 0, -1)
    ]
    sent = [most_sent(plan) for plan in plans]
    kept = [plan for plan, most in zip(plans, sent, strict=True) if 1 <= most <= ALERTS_PER_DAY]
    silent = [plan for plan, most in zip(plans, sent, strict=True) if most == 0]
    no_plan: dict[str, object] = {"days": [], "per_day": 0}

    def is_no_plan(given: Plain) -> bool:
        if not given["days"] and given["per_day"] == 0:
            return bool(kept)
        per_day = given["per_day"]
        return not (given["days"] and days.issuperset(given["days"])) or not (
            1 <= per_day <= len(lab.calibrate) and per_day == int(per_day)
        )

    def is_plan(given: Plain) -> bool:
        return bool(given["days"])

    return Key(
        kept[0] if kept else no_plan,
        (
            Mistake(
                no_plan if kept else {"days": [], "per_day": 1},
                "A plan is a list of days from 0 to 13, at least one, and a whole number of "
                "alerts, 1 or more."
                + (" There is one that does it: try smaller budgets." if kept else ""),
                when=is_no_plan,
            ),
            Mistake(
                {"days": tested, "per_day": 5},
                "A test day is among your days. When the threshold has to be fixed, nobody has "
                "seen it.",
                "threshold-on-test-days",
                when=lambda given: not set(tested).isdisjoint(given["days"]),
            ),
            Mistake(
                {"days": [0, 1], "per_day": 5},
                "The detector was trained on one of these days. It scores attacks that it has "
                "studied higher than new ones, and the threshold would be too high.",
                when=lambda given: not set(known).issuperset(given["days"]),
            ),
            Mistake(
                {"days": list(known), "per_day": ALERTS_PER_DAY},
                "Replayed, this threshold gives at least one test day more than 20 alerts. A "
                "budget that was kept on the days it was fixed on is not kept on others.",
                "threshold-fixes-alerts",
                when=lambda given: is_plan(given) and most_sent(given) > ALERTS_PER_DAY,
            ),
            *(
                Mistake(
                    plan,
                    "This plan sends nothing at all on the test days.",
                    when=lambda given: is_plan(given) and most_sent(given) == 0,
                )
                for plan in silent[:1]
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("08-1", "which families vanish first", _vanished),
    Exercise("08-2", "half the budget", _half_the_budget),
    Exercise("08-3", "a budget kept every day", _kept_daily),
    Exercise("08-4", "the top of a coarse scale", _levels),
    Exercise("08-5", "the detector for exfiltration", _more_exfiltration),
    Exercise("08-6", "a plan with a margin", _margin, points=2),
)
