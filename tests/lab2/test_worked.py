"""The hand-worked records give the values that their texts publish."""

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from labkit.lab2 import worked
from labkit.metrics import ThresholdSweep

TABLE = Path(__file__).parents[1] / "expected" / "worked_examples.csv"
WORKED = {
    row["name"]: float(Fraction(row["value"]))
    for row in csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines())
}
EIGHT = ThresholdSweep.from_scores(worked.EIGHT_LABELS, worked.EIGHT_SCORES)
TEN = ThresholdSweep.from_scores(worked.TEN_LABELS, worked.TEN_SCORES)
SEPARATED = ThresholdSweep.from_scores(worked.SEPARATED_LABELS, worked.SEPARATED_SCORES)
THOUSAND = ThresholdSweep.from_counts(**worked.THOUSAND)


def attack_ranks(labels, scores):
    ranked = sorted(zip(scores, labels, strict=True), reverse=True)
    return [rank for rank, (_, label) in enumerate(ranked, start=1) if label]


@pytest.mark.parametrize(
    ("labels", "scores", "ranks"),
    [
        (worked.EIGHT_LABELS, worked.EIGHT_SCORES, [1, 3, 6]),
        (worked.TEN_LABELS, worked.TEN_SCORES, [1, 2, 4, 5, 7]),
    ],
)
def test_attacks_stand_at_their_ranks_and_no_score_is_shared(labels, scores, ranks):
    assert attack_ranks(labels, scores) == ranks
    assert len(set(scores)) == len(scores)
    assert list(scores) == sorted(scores, reverse=True)


@pytest.mark.parametrize(("sweep", "name"), [(EIGHT, "eight"), (TEN, "ten")])
def test_areas_are_those_published(sweep, name):
    assert sweep.roc_auc == pytest.approx(WORKED[f"{name}_auc"], rel=1e-14)
    assert sweep.average_precision == pytest.approx(WORKED[f"{name}_ap"], rel=1e-14)


def test_straight_lines_over_the_eight_give_the_published_other_number():
    joined = np.trapezoid([1, *EIGHT.precision], [0, *EIGHT.recall])
    assert joined == pytest.approx(WORKED["eight_pr_trapezoid"])


@pytest.mark.parametrize("threshold", [0.5, 0.6])
def test_the_separated_records_at_the_published_thresholds(threshold):
    point = SEPARATED.at_threshold(threshold)
    assert point.recall == 1
    assert point.fpr == WORKED[f"separated_fpr_at_{threshold}"]
    assert point.precision == pytest.approx(WORKED[f"separated_precision_at_{threshold}"])
    # The text counts a record as positive above the threshold, the course from it on.
    assert threshold not in worked.SEPARATED_SCORES


def test_two_of_the_separated_records_move_together():
    assert SEPARATED.tp.tolist()[:2] == [2, 3]
    assert len(SEPARATED.thresholds) == 9


def test_the_thousand_by_their_counts():
    assert THOUSAND.thresholds.tolist() == [0.95, 0.75, 0.55, 0.35, 0.10]
    assert THOUSAND.roc_auc == pytest.approx(WORKED["thousand_auc"], rel=1e-14)
    assert THOUSAND.average_precision == pytest.approx(WORKED["thousand_ap"], abs=5e-7)
    for rate in (0.001, 0.01, 0.1):
        point = THOUSAND.at_base_rate(rate).at_threshold(0.75)
        assert point.precision == pytest.approx(WORKED[f"thousand_precision_at_{rate}"], abs=0.0005)
