import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scored import CASES

from labkit.errors import InputError
from labkit.metrics import clopper_pearson, wilson


@pytest.mark.parametrize("row", CASES["wilson"], ids=lambda row: f"{row['k']}-of-{row['n']}")
def test_wilson_at_the_ends_and_near_them(row):
    assert wilson(row["k"], row["n"]) == pytest.approx((row["low"], row["high"]), rel=1e-12)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_against_published_intervals(k, n, low, high):
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10**9), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_holds_the_share_and_stays_within_0_and_1(n, data, level):
    k = data.draw(st.integers(0, n))
    low, high = wilson(k, n, level)
    assert 0 <= low <= k / n <= high <= 1
    assert (low == 0) == (k == 0)
    assert (high == 1) == (k == n)
    assert wilson(n - k, n, level) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@given(st.integers(1, 500), st.data())
def test_wilson_ends_solve_the_score_equation(n, data):
    k = data.draw(st.integers(0, n))
    z = 1.959963984540054
    for end in wilson(k, n):
        assert (k / n - end) ** 2 == pytest.approx(z**2 * end * (1 - end) / n, abs=1e-12)


def test_wilson_widens_with_the_level():
    assert wilson(3, 10, 0.5)[0] > wilson(3, 10, 0.95)[0] > wilson(3, 10, 0.999)[0]


def test_wilson_of_no_trials_is_nan():
    assert all(math.isnan(end) for end in wilson(0, 0))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((-1, 5), "k"), ((6, 5), "k"), ((math.nan, 5), "k"), ((0, -1), "k")]
    + [((1, 5, level), "level") for level in (0, 1, -1, math.nan, 95)],
)
def test_wilson_refuses(arguments, named):
    with pytest.raises(InputError, match=f"^{named} is "):
        wilson(*arguments)


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    # Newcombe (1998), Statistics in Medicine 17, table I, method 5.
    [
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_clopper_pearson_against_published_intervals(k, n, low, high):
    assert clopper_pearson(k, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 60), st.data())
def test_clopper_pearson_ends_leave_half_the_rest_in_each_tail(n, data):
    k = data.draw(st.integers(0, n))
    low, high = clopper_pearson(k, n)

    def tail(counts, share):
        return sum(math.comb(n, i) * share**i * (1 - share) ** (n - i) for i in counts)

    assert 0 <= low <= k / n <= high <= 1
    if k == 0:
        assert low == 0
    else:
        assert tail(range(k, n + 1), low) == pytest.approx(0.025, rel=1e-6)
    if k == n:
        assert high == 1
    else:
        assert tail(range(k + 1), high) == pytest.approx(0.025, rel=1e-6)


def test_clopper_pearson_of_no_trials_is_nan():
    assert all(math.isnan(end) for end in clopper_pearson(0, 0))


@pytest.mark.parametrize("arguments", [(-1, 5), (6, 5), (1, 5, 95)])
def test_clopper_pearson_refuses_what_is_no_share(arguments):
    with pytest.raises(InputError):
        clopper_pearson(*arguments)


def test_counts_of_eight_bits_do_not_overflow():
    assert wilson(np.uint8(10), np.uint8(20)) == wilson(10, 20)
    assert clopper_pearson(np.uint8(200), np.uint8(250)) == clopper_pearson(200, 250)


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_all_of_many_reach_exactly_1_and_an_endless_number_is_refused(interval):
    assert interval(int("12345"), int("12345"))[1] == 1
    with pytest.raises(InputError, match="k is 1 of n = inf"):
        interval(1, math.inf)
