"""Slow and exact ways to judge records, for the tests of this folder."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

# Ties, neighbouring floats, signed zeros, the ends of the range and beyond.
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 0.3, 0.5, 0.6, 0.6000000000000001, 1.0]),
    st.sampled_from([5e-324, -5e-324, 1e-300, 1e300, float("inf"), float("-inf")]),
    st.floats(allow_nan=False),
    st.floats(0.5, 1),
)
RECORDS = st.lists(st.tuples(st.booleans(), SCORES), min_size=1, max_size=30)


def columns(records):
    """Labels and scores of pairs of the two."""
    labels, scores = zip(*records, strict=True)
    return np.array(labels), np.array(scores)


def exact_auc(labels, scores):
    """The share of pairs in order, ties one half, as a fraction; None with one class."""
    attacks = [score for label, score in zip(labels, scores, strict=True) if label]
    normals = [score for label, score in zip(labels, scores, strict=True) if not label]
    if not (attacks and normals):
        return None
    won = sum(2 * (a > b) + (a == b) for a, b in itertools.product(attacks, normals))
    return Fraction(int(won), 2 * len(attacks) * len(normals))


def exact_ap(labels, scores, normal_weight=1):
    """Average precision by steps, as a fraction; None without attacks."""
    positives = sum(map(bool, labels))
    if not positives:
        return None
    total = tp = fp = Fraction(0)
    for score in sorted(set(scores), reverse=True):
        at = [bool(label) for label, s in zip(labels, scores, strict=True) if s == score]
        tp += sum(at)
        fp += (len(at) - sum(at)) * Fraction(normal_weight)
        total += sum(at) * tp / (tp + fp)
    return total / positives


def same_bins(a, b):
    """Whether two sketches hold the same counts in the same bins."""
    a, b = a._counts, b._counts
    return a.depth == b.depth and all(
        np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name == "only")
        for name in ("lowest", "attacks", "normals", "only")
    )
