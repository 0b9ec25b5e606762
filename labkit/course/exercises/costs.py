"""Exercises of notebook 09: thresholds from costs."""

import math

from labkit.course.answers import Key, Mistake, Plain
from labkit.course.exercises.exercise import Exercise, Traffic
from labkit.decisions import cost_threshold, prior_shift, total_cost
from labkit.decisions.cost_curves import probability_cost
from labkit.lab2.detectors import logistic_regression
from labkit.lab2.experiment import OPERATE
from labkit.metrics import OperatingPoint, ThresholdSweep

_MISSED = 50
"""What a missed attack costs in the notebook, in false alerts."""
_RULE_CALLS = ((1, 50), (1, 1), (3, 1), (10, 40))
_RARE = 0.001


def _plain_model(traffic: Traffic, part: str, threshold: float) -> OperatingPoint:
    """Return what the plain logistic regression, trained on days 0-7, does at a threshold."""
    past, records = OPERATE.of(traffic.flows, "train"), OPERATE.of(traffic.flows, part)
    model = logistic_regression().fit(past, past["label"])
    probabilities = model.predict_proba(records)[:, 1]
    return ThresholdSweep.from_scores(records["label"], probabilities).at_threshold(threshold)


def _rule(_: Traffic) -> Key:
    return Key(
        [cost_threshold(*costs) for costs in _RULE_CALLS],
        (
            Mistake(
                [fn / (fp + fn) for fp, fn in _RULE_CALLS],
                "With this rule a dearer missed attack raises the threshold, so that more is "
                "missed. Set the two expected costs equal once more: which cost is multiplied "
                "by p, and which by 1 - p?",
                "cost-ratio-inverted",
            ),
            Mistake(
                [0.5 for _ in _RULE_CALLS],
                "This ignores the costs. It is right only where both errors cost the same.",
                "threshold-is-half",
            ),
            Mistake(
                [fp / fn for fp, fn in _RULE_CALLS],
                "These are the odds at which both decisions cost the same. A probability of "
                "attack is asked for. Try costs of 3 and 1: can the result be one?",
            ),
        ),
        hint="Solve (1 - p) cost_fp = p cost_fn for p.",
        within=1e-6,
    )


def _cost_at_half(traffic: Traffic) -> Key:
    point = _plain_model(traffic, "calibrate", 0.5)
    return Key(
        total_cost(point, 1, _MISSED),
        (
            Mistake(
                point.fp + point.fn,
                "This counts the errors, all at one price. At one price for both, 0.5 would be "
                "the right threshold; here it is not.",
                "threshold-is-half",
            ),
            Mistake(
                total_cost(point, _MISSED, 1),
                "The prices are the wrong way round: it is the missed attack that is dear.",
                "cost-ratio-inverted",
            ),
            Mistake(
                _MISSED * point.fn,
                "The missed attacks are here. The false alerts cost something too.",
            ),
            Mistake(
                total_cost(_plain_model(traffic, "test", 0.5), 1, _MISSED),
                "This is the cost on days 10 to 13. The question is about days 8 and 9.",
            ),
        ),
        hint="Count the false alerts and the missed attacks at 0.5, then put prices on them.",
    )


def _balanced_threshold(traffic: Traffic) -> Key:
    base_rate = float(OPERATE.of(traffic.flows, "train")["label"].mean())
    rule = cost_threshold(1, _MISSED)
    return Key(
        prior_shift(rule, base_rate, 0.5),
        (
            Mistake(
                rule,
                "The rule is about probabilities. What the balanced model puts out is one in a "
                "world where half of all records are attacks; ours is another.",
                "scores-are-probabilities",
            ),
            Mistake(
                0.5,
                "0.5 is an even chance in the balanced world. Both the costs and the base rate "
                "move the threshold away from it.",
                "threshold-is-half",
            ),
            Mistake(
                prior_shift(rule, 0.5, base_rate),
                "This goes from the balanced world to ours. The cost threshold holds in ours: "
                "take it the other way.",
            ),
            Mistake(
                1 - rule,
                "So high a threshold misses nearly every attack, and those are what is dear.",
                "cost-ratio-inverted",
            ),
        ),
        hint="Which score does `prior_shift` turn into the cost threshold? It works in both "
        "directions.",
    )


def _beacons_share(traffic: Traffic) -> Key:
    past, test = OPERATE.of(traffic.flows, "train"), OPERATE.of(traffic.flows, "test")
    scores = logistic_regression().fit(past, past["label"]).predict_proba(test)[:, 1]
    silent = scores < cost_threshold(1, _MISSED)
    beacons = int((silent & (test["family"] == "beacon").to_numpy()).sum())
    missed = int((silent & (test["label"] == 1).to_numpy()).sum())
    false = int((~silent & (test["label"] == 0).to_numpy()).sum())
    bill = false + _MISSED * missed
    return Key(
        _MISSED * beacons / bill,
        (
            Mistake(
                beacons / missed,
                "This is their share of the missed attacks. The bill holds the false alerts too.",
            ),
            Mistake(
                beacons / (missed + false),
                "This counts errors at one price. Each missed beacon costs as much as any other "
                "missed attack.",
                "threshold-is-half",
            ),
            Mistake(
                beacons / bill,
                "The beacons are counted, not priced: what does one of them cost?",
            ),
        ),
        hint="What the missed beacons cost, over what everything on the bill costs.",
    )


def _rare_probability_cost(_: Traffic) -> Key:
    return Key(
        probability_cost(_RARE, 1, _MISSED),
        (
            Mistake(_RARE, "This is the base rate. It would do if both errors cost the same."),
            Mistake(
                _MISSED / (1 + _MISSED),
                "This looks at the costs alone, as if half of all records were attacks.",
            ),
            Mistake(
                probability_cost(_RARE, _MISSED, 1),
                "The costs are the wrong way round: a dear missed attack moves you to the right.",
                "cost-ratio-inverted",
            ),
            Mistake(
                _RARE * _MISSED,
                "This is the attacks' part, not yet divided by the whole. The whole is not 1: add "
                "what the normal records could cost.",
            ),
        ),
        hint="The attacks' part is base rate times cost of a missed attack. What is the rest?",
        within=0.0002,
    )


def _silence(traffic: Traffic) -> Key:
    point = _plain_model(traffic, "calibrate", cost_threshold(1, _MISSED))

    def not_costs(given: Plain) -> bool:
        return not all(0 < cost < math.inf for cost in given.values())

    def missed_is_cheaper(given: Plain) -> bool:
        return given["fn"] < given["fp"]

    def rule_is_worth_it(given: Plain) -> bool:
        return given["fp"] * point.fp <= given["fn"] * point.tp

    even = point.fp / point.tp
    return Key(
        {"fp": 1.0, "fn": (1 + even) / 2},
        (
            Mistake(
                {"fp": 1.0, "fn": 0.0},
                "If an error costs nothing, or is beyond price, there is little to choose. Give "
                "two finite costs above 0.",
                when=not_costs,
            ),
            Mistake(
                {"fp": 10.0, "fn": 1.0},
                "Silence is cheaper here indeed, but your missed attack costs less than a false "
                "alert. It must cost at least as much.",
                when=missed_is_cheaper,
            ),
            Mistake(
                {"fp": 1.0, "fn": 1000.0},
                "At these costs the alerts are worth it: what they find would cost more than "
                "the false ones do. The dearer a missed attack, the more alerts pay.",
                "cost-ratio-inverted",
                when=rule_is_worth_it,
            ),
        ),
        is_open=True,
    )


EXERCISES = (
    Exercise("09-1", "the rule as a function", _rule, calls=_RULE_CALLS),
    Exercise("09-2", "what a threshold of 0.5 costs", _cost_at_half),
    Exercise("09-3", "the rule in the balanced model's world", _balanced_threshold),
    Exercise("09-4", "what the beacons cost", _beacons_share),
    Exercise("09-5", "one record in a thousand", _rare_probability_cost),
    Exercise("09-6", "when silence is cheaper", _silence),
)
