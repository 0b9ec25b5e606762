import csv
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labkit.decisions import prior_shift
from labkit.errors import InputError

_TABLE = Path(__file__).parents[1] / "expected" / "worked_examples.csv"
WORKED = {
    row["name"]: float(Fraction(row["value"]))
    for row in csv.DictReader(_TABLE.read_text(encoding="utf-8").splitlines())
}

probabilities = st.floats(0, 1)
rates = st.floats(1e-6, 1 - 1e-6)


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_worked_examples_of_a_balanced_model(p):
    assert prior_shift(p, 0.5, 0.04) == pytest.approx(WORKED[f"shifted_{p}"])


@given(st.floats(1e-9, 1 - 1e-9), rates, rates)
def test_agrees_with_elkan_s_formula(p, b, new):
    shifted = prior_shift(p, b, new)
    # Its denominator cancels when the rates lie far apart, so it is worked out in fractions.
    p, b, new = Fraction(p), Fraction(b), Fraction(new)
    elkan = new * (p - p * b) / (b - p * b + new * p - b * new)
    assert shifted == pytest.approx(float(elkan), rel=1e-9)


@given(probabilities, rates)
def test_the_same_base_rate_changes_nothing(p, b):
    assert prior_shift(p, b, b) == pytest.approx(p, abs=1e-12)


@given(st.floats(1e-6, 1 - 1e-6), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_the_way_back(p, b, new):
    assert prior_shift(prior_shift(p, b, new), new, b) == pytest.approx(p, rel=1e-6)


@given(probabilities, rates, rates)
def test_neighbouring_probabilities_are_never_turned_around(p, b, new):
    above = math.nextafter(p, 1)
    assert 0 <= prior_shift(p, b, new) <= prior_shift(above, b, new) <= 1


def test_no_neighbours_of_many_are_turned_around():
    p = np.random.default_rng(0).random(20_000)
    for b, new in [(0.5, 0.04), (0.04, 0.5), (0.3, 0.31), (0.5, 0.001)]:
        assert (prior_shift(np.nextafter(p, 1), b, new) >= prior_shift(p, b, new)).all()


@given(st.floats(0.001, 0.999), rates, rates)
def test_rarer_attacks_lower_every_probability(p, one, other):
    rare, common = sorted((one, other))
    assume(rare < 0.9 * common)
    assert prior_shift(p, common, rare) < p < prior_shift(p, rare, common)


@pytest.mark.parametrize("certain", [0, 1])
def test_certainty_stays_certain(certain):
    assert prior_shift(certain, 0.5, 0.001) == certain


def test_the_base_rate_itself_becomes_the_new_one():
    assert prior_shift(0.3, 0.3, 0.07) == pytest.approx(0.07)


@pytest.mark.parametrize(
    "given_",
    [
        [0, 0.5, 1],
        (0, 0.5, 1),
        np.array([0, 0.5, 1], dtype=np.float32),
        pd.Series([0, 0.5, 1], index=[2, 1, 0]),
    ],
    ids=lambda given_: type(given_).__name__,
)
def test_many_at_once(given_):
    assert prior_shift(given_, 0.5, 0.04).tolist() == pytest.approx([0, 0.04, 1])


def test_one_gives_a_plain_float():
    assert type(prior_shift(np.float32(0.5), 0.5, 0.04)) is float


def test_the_input_stays_as_it_was():
    p = np.array([0.0, 0.5, 1.0])
    prior_shift(p, 0.5, 0.04)
    assert p.tolist() == [0, 0.5, 1]


@pytest.mark.parametrize(
    ("p", "fault"),
    [
        (1.5, "p lies outside"),
        ([0.5, -0.1], r"p lies outside \[0, 1\] in 1 of 2 .*row 1\); they range from -0.1 to 0.5"),
        ([0.5, math.nan], "p is NaN in 1 of 2"),
        ("half", "p holds values that are not real numbers"),
    ],
)
def test_what_is_no_probability(p, fault):
    with pytest.raises(InputError, match=fault):
        prior_shift(p, 0.5, 0.04)


@pytest.mark.parametrize("rate", [0, 1, -0.5, 4, math.nan])
def test_what_is_no_base_rate(rate):
    with pytest.raises(InputError, match=r"^base_rate is"):
        prior_shift(0.5, rate, 0.04)
    with pytest.raises(InputError, match=r"^new_base_rate is"):
        prior_shift(0.5, 0.5, rate)
