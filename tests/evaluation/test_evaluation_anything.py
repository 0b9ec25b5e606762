"""Whatever records are passed, an evaluation answers, and answers in numbers that JSON knows."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit.errors import InputError
from labkit.evaluation import evaluate
from labkit.evaluation.report.wording import measures_of

SCORES = st.sampled_from([-math.inf, -3.0, 0.0, 0.25, 0.5, 0.5000000000000001, 1.0, 7.0, math.inf])
RECORDS = st.lists(
    st.tuples(st.integers(0, 1), SCORES, SCORES, st.integers(1, 3), st.sampled_from([0, 0.5, 2])),
    min_size=1,
    max_size=12,
)


@given(RECORDS, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 4))
def test_anything(records, by_day, grouped, weighted, budget):
    y_true, a, b, day, weights = map(np.array, zip(*records, strict=True))
    if weighted and not weights.any():
        weights = weights + 1
    result = evaluate(
        y_true,
        {"a": a, "b": b},
        day=day if by_day else None,
        groups=day[::-1] if grouped else None,
        sample_weight=weights if weighted else None,
        budgets=[budget],
        cost_fp=1,
        cost_fn=3,
        n_replicates=5,
    )
    json.dumps(result.to_dict(), allow_nan=False)
    assert result.summary()
    for detector in result.detectors.values():
        for measure in measures_of(detector):
            has_interval = not math.isnan(measure.low)
            assert has_interval == (measure.interval is not None)
            # A number without an interval says why.
            assert has_interval != bool(measure.reason)
            if has_interval:
                assert measure.low <= measure.high
            if math.isnan(measure.estimate):
                assert not has_interval
        for one in detector.budgets:
            assert one.tp_low - 1e-9 <= one.tp <= one.tp_high + 1e-9
            assert one.at_threshold.alerts <= budget


@given(st.permutations(range(9)))
def test_the_order_of_records_decides_nothing_but_the_draws(order):
    y_true = np.array([1, 0, 1, 0, 0, 1, 0, 0, 0])[order]
    y_score = np.array([3, 3, 2, 2, 2, 1, 1, 0, 0])[order]
    day = np.array([1, 1, 1, 1, 1, 2, 2, 2, 2])[order]
    one = evaluate(y_true, y_score, day=day, budgets=[2], n_replicates=0).detectors["score"]
    # The attack at 3 outscores five normal records and ties with one, that at 2 outscores three
    # and ties with two, that at 1 outscores two and ties with one.
    assert one.auc.estimate == pytest.approx((5.5 + 4 + 2.5) / 18)
    assert one.average_precision.estimate == pytest.approx((1 / 2 + 2 / 5 + 3 / 7) / 3)
    budget = one.budgets[0]
    assert (budget.tp, budget.at_threshold.threshold) == (1, 3)
    # Each day's two highest scores are of an attack and a normal record.
    assert one.daily_budgets[0].ranking.tp == 2


JUNK = (None, "x", [], [[1], [2]], math.nan, -1, object(), {"a": 1}, [None, 1])


@pytest.mark.parametrize(
    "name", ["day", "groups", "sample_weight", "budgets", "base_rates", "level", "seed"]
)
def test_junk_is_an_answer_or_one_line(name):
    told = []
    for junk in JUNK:
        try:
            evaluate([1, 0], [1, 0], n_replicates=2, **{name: junk})
        except InputError as error:
            told.append(str(error))
    assert len(told) > 3
    assert not any("\n" in message for message in told)
