"""Choosing the operating point that meets every requirement, or saying why none does."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import THOUSAND, counts_at, scored

from labkit.errors import InputError
from labkit.metrics import NoFeasibleThreshold, ThresholdSweep

sweep_of = ThresholdSweep.from_scores
thousand = ThresholdSweep.from_counts(**THOUSAND)
optional_share = st.one_of(st.none(), st.floats(0, 1), st.sampled_from([1 / 2, 1 / 3, 1.0]))


def test_the_published_budget_of_30_alerts():
    point = thousand.choose(max_alerts=30, min_recall=0.75)
    assert (point.threshold, point.alerts, point.tp) == (0.75, 28, 8)


def test_the_published_budget_that_nothing_meets():
    told = (
        "no threshold gives at most 25 alerts and recall of at least 0.8: "
        "5 alerts reach recall 0.4; recall 0.8 takes 28 alerts"
    )
    with pytest.raises(NoFeasibleThreshold, match=f"^{re.escape(told)}$"):
        thousand.choose(max_alerts=25, min_recall=0.80)


@given(
    scored(scores=st.sampled_from([0.1, 0.2, 0.3, 0.4]), both_classes=True),
    st.one_of(st.none(), st.integers(0, 14)),
    optional_share,
    optional_share,
    st.sampled_from(["recall", "precision"]),
)
def test_agrees_with_trying_every_threshold(records, max_alerts, min_recall, min_precision, prefer):
    labels, scores = records
    feasible = []
    for threshold in set(scores):
        tp, fp = counts_at(threshold, *records)
        rates = {"recall": tp / sum(labels), "precision": tp / (tp + fp)}
        if (
            (max_alerts is None or tp + fp <= max_alerts)
            and (min_recall is None or rates["recall"] >= min_recall)
            and (min_precision is None or rates["precision"] >= min_precision)
        ):
            feasible.append((rates[prefer], -(tp + fp), threshold))
    asked = {
        "max_alerts": max_alerts,
        "min_recall": min_recall,
        "min_precision": min_precision,
        "prefer": prefer,
    }
    if feasible:
        assert sweep_of(*records).choose(**asked).threshold == max(feasible)[2]
    else:
        with pytest.raises(NoFeasibleThreshold):
            sweep_of(*records).choose(**asked)


@pytest.mark.parametrize(
    ("asked", "threshold"),
    [
        ({}, 0.35),
        ({"prefer": "precision"}, 0.95),
        ({"min_recall": 0.8, "prefer": "precision"}, 0.75),
        ({"min_precision": 0.09}, 0.55),
        ({"max_alerts": 28}, 0.75),
        ({"max_alerts": 99, "min_recall": 0.8, "min_precision": 0.09}, 0.55),
        ({"min_recall": 0}, 0.35),
    ],
)
def test_most_of_what_is_preferred_then_fewest_alerts(asked, threshold):
    assert thousand.choose(**asked).threshold == threshold


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            {"min_recall": 0.9, "min_precision": 0.25},
            "no threshold gives recall of at least 0.9 and precision of at least 0.25: "
            "recall 0.9 takes 99 alerts at precision 0.0909; "
            "precision 0.25 holds at 5 to 28 alerts",
        ),
        (
            {"min_precision": 0.85},
            "no threshold gives precision of at least 0.85: the highest precision is 0.8",
        ),
        (
            {"max_alerts": 4},
            "no threshold gives at most 4 alerts: the highest score alone gives 5 alerts",
        ),
        (
            {"max_alerts": 5, "min_recall": 0.5, "min_precision": 0.1},
            "no threshold gives at most 5 alerts and recall of at least 0.5 and precision of at "
            "least 0.1: 5 alerts reach recall 0.4; recall 0.5 takes 28 alerts at precision 0.286; "
            "precision 0.1 holds at 5 to 28 alerts",
        ),
    ],
)
def test_a_refusal_says_what_would_have_to_give(asked, told):
    with pytest.raises(NoFeasibleThreshold, match=f"^{re.escape(told)}$"):
        thousand.choose(**asked)


def test_a_refusal_tells_large_counts_in_full():
    table = ThresholdSweep.from_counts(
        [0.9, 0.5], [0, 1], [1, 12345678], positives=1, negatives=12345678
    )
    with pytest.raises(NoFeasibleThreshold, match="takes 12345679 alerts"):
        table.choose(max_alerts=5, min_recall=0.9)


def test_a_refusal_is_an_input_error():
    assert issubclass(NoFeasibleThreshold, InputError)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"max_alerts": -1}, "max_alerts is -1"),
        ({"max_alerts": math.nan}, "max_alerts is nan"),
        ({"min_recall": 80}, "min_recall is 80"),
        ({"min_recall": -0.1}, "min_recall is -0.1"),
        ({"min_precision": 1.5}, "min_precision is 1.5"),
        ({"min_precision": math.nan}, "min_precision is nan"),
        ({"prefer": "f1"}, "prefer is 'f1'"),
    ],
)
def test_requirements_that_cannot_be_meant(asked, named):
    with pytest.raises(InputError, match=f"^{named}; ") as error:
        thousand.choose(**asked)
    assert not isinstance(error.value, NoFeasibleThreshold)


def test_recall_cannot_be_asked_of_records_without_attacks():
    quiet = sweep_of([0, 0], [2, 1])
    with pytest.raises(InputError, match="no attacks"):
        quiet.choose(min_recall=0.5)
    assert quiet.choose(max_alerts=1).alerts == 1


def test_a_base_rate_moves_the_choice():
    rare = thousand.at_base_rate(0.001)
    assert thousand.choose(min_precision=0.2).threshold == 0.75
    assert rare.choose(min_precision=0.2).threshold == 0.95
