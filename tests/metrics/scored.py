"""Scored records for the tests of this folder: how to draw them, and slow ways to judge them."""

import csv
import json
from fractions import Fraction
from pathlib import Path

from hypothesis import strategies as st

EXPECTED = Path(__file__).parents[1] / "expected"
CASES = json.loads((EXPECTED / "cases.json").read_text(encoding="utf-8"))
_TABLE = (EXPECTED / "worked_examples.csv").read_text(encoding="utf-8").splitlines()
WORKED = {row["name"]: float(Fraction(row["value"])) for row in csv.DictReader(_TABLE)}

# Six published thresholds over 10 attacks and 990 normal records.
THOUSAND = {
    "thresholds": [0.95, 0.75, 0.55, 0.35, 0.10],
    "tp": [4, 8, 9, 10, 10],
    "fp": [1, 20, 90, 290, 990],
    "positives": 10,
    "negatives": 990,
}

# Many ties, neighbouring floats, signed zeros, the ends of the range and beyond.
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 0.3, 0.6, 0.6000000000000001, 1.0]),
    st.sampled_from([5e-324, 1e-300, 1e300, float("inf"), float("-inf")]),
    st.floats(allow_nan=False),
)


@st.composite
def scored(draw, scores=SCORES, max_size=12, both_classes=False):
    """Draw labels and scores of equal length."""
    first = [True, False] if both_classes else []
    labels = draw(
        st.permutations(first + draw(st.lists(st.booleans(), min_size=1, max_size=max_size)))
    )
    return labels, [draw(scores) for _ in labels]


def counts_at(threshold, labels, scores, weights=None):
    """Count tp and fp of score >= threshold, record by record."""
    weights = weights or [1] * len(labels)
    records = list(zip(labels, scores, weights, strict=True))
    tp = sum(weight for label, score, weight in records if label and score >= threshold)
    fp = sum(weight for label, score, weight in records if not label and score >= threshold)
    return tp, fp


def auc_over_pairs(labels, scores, weights=None):
    """Share of (attack, normal) pairs in order, ties one half, each pair weighted."""
    weights = weights or [1] * len(labels)
    records = list(zip(labels, scores, weights, strict=True))
    won = total = 0
    for attack, high, w in records:
        for normal, low, v in records:
            if attack and not normal:
                total += w * v
                won += w * v * ((high > low) + 0.5 * (high == low))
    return won / total
