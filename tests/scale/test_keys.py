"""Keys keep the order of scores, and bins of leading bits nest."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import SCORES

from labkit.scale.keys import (
    HIGHEST,
    LOWEST,
    ceilings,
    floors,
    keys_of,
    mask,
    scores_of,
    splits_of,
)

NONE = splits_of([])
DEPTHS = st.integers(0, 64)


def key(score):
    return keys_of(np.array([score]))


@given(SCORES, SCORES)
def test_keys_are_in_the_order_of_scores(a, b):
    assert (key(a) < key(b)).all() == (a < b)
    assert (key(a) == key(b)).all() == (a == b)


@given(SCORES)
def test_a_key_gives_its_score_back(score):
    back = scores_of(key(score)).item()
    assert back == score
    assert math.copysign(1, back) == 1 or score < 0
    assert LOWEST <= key(score).item() <= HIGHEST


@given(st.floats(width=32, allow_nan=False))
def test_single_precision_has_the_keys_of_the_same_numbers(score):
    assert keys_of(np.array([score], dtype=np.float32)) == key(score)


@pytest.mark.parametrize("nan", [np.nan, -np.nan])
def test_nan_lies_beyond_every_score(nan):
    assert not LOWEST <= key(nan).item() <= HIGHEST


@given(SCORES, DEPTHS, DEPTHS, st.lists(SCORES, max_size=4))
def test_bins_nest_and_hold_what_lies_between_their_ends(score, a, b, cuts):
    fine, coarse = max(a, b), min(a, b)
    splits = splits_of(cuts)
    low = floors(key(score), fine, splits)
    assert floors(low, fine, splits) == low
    assert floors(low, coarse, splits) == floors(key(score), coarse, splits)
    high = ceilings(low, fine, splits)
    assert low <= key(score) <= high
    assert floors(high, fine, splits) == low
    if high.item() < 2**64 - 1:
        assert floors(high + np.uint64(1), fine, splits) == high + np.uint64(1)
    for cut in cuts:
        assert (low < key(cut)) == (key(score) < key(cut))


@pytest.mark.parametrize(("depth", "ones"), [(0, 0), (1, 1 << 63), (64, (1 << 64) - 1)])
def test_a_mask_has_so_many_leading_ones(depth, ones):
    assert mask(depth) == ones


def test_all_bits_make_each_score_a_bin():
    scores = np.array([0.1, np.nextafter(0.1, 1)])
    assert floors(keys_of(scores), 64, NONE).tolist() == keys_of(scores).tolist()
    assert floors(keys_of(scores), 0, NONE).tolist() == [0, 0]
