"""Tables of counts against the records that they count."""

import math

import numpy as np
import pytest
from hypothesis import given
from judged import RECORDS, columns

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep
from labkit.scale.counting import sweep_of_counts, sweeps_by_group


def assert_same(ours, theirs):
    for name in ("thresholds", "tp", "fp"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert ours.counts_records == theirs.counts_records


@given(RECORDS)
def test_a_table_of_records_is_their_sweep(records):
    labels, scores = columns(records)
    # One row a record, in their own order: -0.0 and 0.0 are rows of one score.
    assert_same(
        sweep_of_counts(scores, labels.astype(int), (~labels).astype(int)),
        ThresholdSweep.from_scores(labels, scores),
    )


@given(RECORDS)
def test_each_group_has_the_sweep_of_its_records(records):
    labels, scores = columns(records)
    groups = np.where(np.arange(len(labels)) % 3 == 0, "tue", "mon")
    by_group = sweeps_by_group(groups, scores, labels.astype(int), (~labels).astype(int))
    assert list(by_group) == sorted(set(groups.tolist()))
    for group, sweep in by_group.items():
        here = groups == group
        assert_same(sweep, ThresholdSweep.from_scores(labels[here], scores[here]))


def test_weights_are_sums():
    sweep = sweep_of_counts([0.5, 0.5, 0.1], [0.25, 0, 0], [0, 1.5, 2.25])
    assert (sweep.tp.tolist(), sweep.fp.tolist()) == ([0.25, 0.25], [1.5, 3.75])
    assert not sweep.counts_records


def test_the_parts_of_a_table_add_up():
    a, b = sweep_of_counts([0.5, 0.1], [1, 2], [3, 4]), sweep_of_counts([0.5, 0.3], [5, 0], [0, 6])
    assert_same(a + b, sweep_of_counts([0.5, 0.3, 0.1], [6, 0, 2], [3, 6, 4]))


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (([math.nan], [1], [1]), "scores is NaN in 1 of 1"),
        (([0.5], [-1], [1]), "attacks holds -1"),
        (([0.5], [1], [-2]), "normals holds -2"),
        (([0.5], [0], [0]), "no number of records"),
        (([0.5, 0.4], [1], [1, 1]), "scores has 2, attacks has 1"),
        (([], [], []), "scores is empty"),
    ],
)
def test_faults_are_named(table, told):
    with pytest.raises(InputError, match=told):
        sweep_of_counts(*table)


def test_a_group_is_not_missing():
    with pytest.raises(InputError, match="groups is missing in 1 of 2"):
        sweeps_by_group(["mon", None], [0.5, 0.4], [1, 1], [1, 1])
    with pytest.raises(InputError, match="groups has 1"):
        sweeps_by_group(["mon"], [0.5, 0.4], [1, 1], [1, 1])
