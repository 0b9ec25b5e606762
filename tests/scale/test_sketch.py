"""The sketch against brute force: any order of parts, and bounds that hold and are reached."""

import functools
import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import RECORDS, SCORES, columns, exact_ap, exact_auc, same_bins

from labkit.errors import InputError
from labkit.metrics import ThresholdSweep
from labkit.scale import tally
from labkit.scale.keys import keys_of
from labkit.scale.sketch import ScoreSketch

LIMITS = st.integers(1, 12)
APART = st.lists(st.sampled_from([0.0, 0.3, 0.6, 1.0, math.inf]), max_size=2)
CUTS = st.one_of(
    st.lists(SCORES, max_size=4),
    APART.map(lambda scores: [*scores, *np.nextafter(scores, math.inf).tolist()]),
)


@pytest.fixture(autouse=True, params=["few at once", "many at once"])
def sizes(request, monkeypatch):
    """Let a few records go the whole way: sorted, counted in the grid, laid out anew."""
    if request.param == "few at once":
        for name, size in {"_PLACED": 3, "_FEWEST": 2, "_MOST_IN_GRID": 9}.items():
            monkeypatch.setattr(tally, name, size)


def sketch_of(records, bins, cuts=()):
    return ScoreSketch.from_scores(*columns(records), bins=bins, cuts=cuts)


@given(RECORDS, LIMITS, CUTS, st.data())
def test_parts_in_any_order_give_the_sketch_of_the_whole(records, bins, cuts, data):
    whole = sketch_of(records, bins, cuts)
    order = data.draw(st.permutations(records))
    ends = data.draw(st.sets(st.integers(1, len(records) - 1))) if records[1:] else ()
    parts = [
        sketch_of(order[a:b], bins, cuts)
        for a, b in itertools.pairwise([0, *sorted(ends), len(order)])
    ]
    merged = functools.reduce(lambda a, b: a + b, parts)
    backwards = functools.reduce(lambda a, b: b + a, parts)
    blocks = ScoreSketch.from_blocks(
        (columns(order[i : i + 5]) for i in range(0, len(order), 5)), bins=bins, cuts=cuts
    )
    assert same_bins(whole, merged)
    assert same_bins(whole, backwards)
    assert same_bins(whole, blocks)
    assert same_bins(whole, pickle.loads(pickle.dumps(whole)))


@given(RECORDS, LIMITS, CUTS)
def test_bins_are_as_many_as_allowed_and_begin_at_every_cut(records, bins, cuts):
    counts = sketch_of(records, bins, cuts)._counts
    assert len(counts) <= bins + len(cuts)
    assert (counts.lowest[1:] > counts.lowest[:-1]).all()
    _, scores = columns(records)
    if len(set(scores.tolist())) <= bins:
        assert counts.depth == 64
    for cut in cuts:
        # No bin holds records from both sides.
        below, above = ((counts.lowest < keys_of(np.array([cut]))).sum(), (scores < cut).sum())
        assert (counts.attacks + counts.normals)[:below].sum() == above


@given(RECORDS, LIMITS, APART)
def test_a_score_cut_off_on_both_sides_has_a_bin_of_its_own(records, bins, apart):
    cuts = [*apart, *np.nextafter(apart, math.inf)]
    counts = sketch_of(records, bins, cuts)._counts
    _, scores = columns(records)
    for score in apart:
        held = counts.only == score
        assert held.sum() == (score in scores)
        assert (counts.attacks + counts.normals)[held].sum() == (scores == score).sum()


@given(RECORDS, LIMITS, CUTS)
def test_areas_lie_within_their_bounds(records, bins, cuts):
    labels, scores = columns(records)
    sketch = sketch_of(records, bins, cuts)
    auc, ap = exact_auc(labels, scores), exact_ap(labels, scores)
    for bounds, truth in ((sketch.roc_auc, auc), (sketch.average_precision, ap)):
        if truth is None:
            assert math.isnan(bounds.low)
            assert math.isnan(bounds.high)
        elif sketch.exact:
            assert bounds.low == bounds.high == pytest.approx(float(truth), rel=1e-14)
        else:
            assert bounds.low <= float(truth) <= bounds.high
    if auc is not None:
        rate = 0.01
        weight = float(labels.sum() / (~labels).sum() * (1 - rate) / rate)
        bounds = sketch.average_precision_at(rate)
        truth = float(exact_ap(labels, scores, weight))
        assert bounds.low * (1 - 1e-14) <= truth <= bounds.high * (1 + 1e-14)


@given(RECORDS, LIMITS, CUTS)
def test_the_bounds_are_reached_by_an_order_within_the_bins(records, bins, cuts):
    labels, scores = columns(records)
    sketch = sketch_of(records, bins, cuts)
    counts = sketch._counts
    edges = np.searchsorted(sketch.sweep.thresholds[::-1], scores, side="right")
    several = np.isnan(counts.only)[edges - 1]
    if exact_auc(labels, scores) is None:
        return
    for sign, end in ((1, "high"), (-1, "low")):
        # In bins of several scores, attacks a little above normal records or a little below.
        moved = edges + np.where(several & labels, sign * 0.25, 0.0)
        assert getattr(sketch.roc_auc, end) == float(exact_auc(labels, moved))
    moved = edges + np.where(several & labels, 0.25, 0.0)
    truth = float(exact_ap(labels, moved))
    assert sketch.average_precision.high == pytest.approx(truth, rel=1e-13)
    # Below the normal records, each attack at a score of its own.
    moved = edges - np.where(several & labels, 0.25 + np.arange(len(labels)) / 256, 0.0)
    truth = float(exact_ap(labels, moved))
    assert sketch.average_precision.low <= truth * (1 + 1e-14)
    if (counts.attacks <= 2).all():
        assert sketch.average_precision.low == pytest.approx(truth, rel=1e-13)


@given(RECORDS, LIMITS, CUTS, st.data())
def test_counts_at_a_threshold_lie_within_their_bounds(records, bins, cuts, data):
    labels, scores = columns(records)
    sketch = sketch_of(records, bins, cuts)
    threshold = data.draw(st.one_of(st.sampled_from(scores.tolist()), st.floats(allow_nan=False)))
    bounds = sketch.at_threshold(threshold)
    truth = ThresholdSweep.from_scores(labels, scores).at_threshold(threshold)
    assert bounds.threshold == (threshold, threshold)
    for name in ("tp", "fp", "recall", "precision"):
        low, high = getattr(bounds, name)
        value = getattr(truth, name)
        if sketch.exact:
            assert low == high == value or (math.isnan(low) and math.isnan(value))
        elif not math.isnan(value):
            assert low <= value <= high


@given(RECORDS, LIMITS, CUTS)
def test_the_edges_of_bins_are_exact(records, bins, cuts):
    labels, scores = columns(records)
    sketch = sketch_of(records, bins, cuts)
    for threshold, tp, fp in zip(
        sketch.sweep.thresholds, sketch.sweep.tp, sketch.sweep.fp, strict=True
    ):
        flagged = scores >= threshold
        assert (tp, fp) == ((flagged & labels).sum(), (flagged & ~labels).sum())
        bounds = sketch.at_threshold(threshold)
        assert (bounds.tp, bounds.fp) == ((tp, tp), (fp, fp))


@given(RECORDS, LIMITS, CUTS, st.integers(0, 35))
def test_what_a_budget_finds_lies_within_its_bounds(records, bins, cuts, k):
    labels, scores = columns(records)
    sketch = sketch_of(records, bins, cuts)
    bounds = sketch.at_budget(k)
    sweep = ThresholdSweep.from_scores(labels, scores)
    truth = sweep.at_budget(k, "expected")
    for name in ("tp", "fp", "recall", "precision"):
        low, high = getattr(bounds, name)
        value = getattr(truth, name)
        if math.isnan(value):
            assert math.isnan(low)
        else:
            assert low - 1e-12 <= value <= high + 1e-12
            if sketch.exact:
                assert low == high == pytest.approx(value, rel=1e-12)
    if 0 < k < len(labels):
        kth = np.sort(scores)[::-1][k - 1]
        low, high = bounds.threshold
        assert low <= kth
        # Between two bins the threshold is the edge, which flags as many as the k-th score.
        assert kth <= high or (low == high and (scores >= low).sum() == k)


COSTS = st.one_of(st.sampled_from([0, 1, 5]), st.floats(0, 1e6))


@given(RECORDS, LIMITS, CUTS, COSTS, COSTS)
def test_the_least_cost_lies_within_its_bounds(records, bins, cuts, fp, fn):
    labels, scores = columns(records)
    sketch = sketch_of(records, bins, cuts)
    # Every threshold that differs from another in what it flags, and one above all.
    flagged = [scores >= threshold for threshold in scores] + [np.zeros(len(scores), dtype=bool)]
    cost = min(
        fp * float((of & ~labels).sum()) + fn * float((~of & labels).sum()) for of in flagged
    )
    bounds = sketch.at_cost(fp=fp, fn=fn)
    assert bounds.low <= cost <= bounds.high
    if sketch.exact:
        assert bounds.low == bounds.high
    edge = sketch.sweep.at_cost(fp=fp, fn=fn)
    assert bounds.high == fp * edge.fp + fn * edge.fn


@given(RECORDS, LIMITS, CUTS, COSTS, COSTS)
def test_the_least_cost_is_reached_by_an_order_within_the_bins(records, bins, cuts, fp, fn):
    labels, scores = columns(records)
    sketch = sketch_of(records, bins, cuts)
    edges = np.searchsorted(sketch.sweep.thresholds[::-1], scores, side="right")
    several = np.isnan(sketch._counts.only)[edges - 1]
    truth = ThresholdSweep.from_scores(labels, edges + np.where(several & labels, 0.25, 0.0))
    best = truth.at_cost(fp=fp, fn=fn)
    assert sketch.at_cost(fp=fp, fn=fn).low == fp * best.fp + fn * best.fn


def test_a_weighted_cost_is_of_weights():
    sketch = ScoreSketch.from_scores(
        [1, 0, 1, 0], [0.9, 0.8, 0.6, 0.2], sample_weight=[2, 0.5, 4, 1], bins=2
    )
    assert sketch.at_cost(fp=3, fn=1) == (0, 1.5)


@given(RECORDS, LIMITS, CUTS)
def test_every_record_lies_in_the_interval_that_counts_it(records, bins, cuts):
    labels, scores = columns(records)
    sketch = sketch_of(records, bins, cuts)
    found = sketch.intervals
    assert found.low.tolist() == sketch.sweep.thresholds.tolist()
    assert (found.low <= found.high).all()
    assert (found.low[:-1] > found.high[1:]).all()
    for low, high, attacks, normals in zip(*found, strict=True):
        inside = (low <= scores) & (scores <= high)
        assert (attacks, normals) == ((inside & labels).sum(), (inside & ~labels).sum())
    assert found.attacks.sum() + found.normals.sum() == len(scores)
    assert sketch.exact == (found.low == found.high).all() or bins < len(set(scores.tolist()))
    for cut in cuts:
        assert not ((found.low < cut) & (cut <= found.high)).any()


PROBABILITIES = st.lists(st.tuples(st.booleans(), st.floats(0.001, 0.999)), min_size=1, max_size=30)


@pytest.mark.parametrize("loss", [np.square, lambda wrong: -np.log1p(-wrong)])
@given(PROBABILITIES, LIMITS, CUTS)
def test_a_mean_over_records_is_bounded_by_the_intervals(loss, records, bins, cuts):
    """The Brier score and log loss, of probabilities that are off by so much."""
    labels, scores = columns(records)
    low, high, attacks, normals = sketch_of(records, bins, cuts).intervals
    low, high = np.clip(low, 0.001, 0.999), np.clip(high, 0.001, 0.999)
    best = (attacks * loss(1 - high) + normals * loss(low)).sum() / len(scores)
    worst = (attacks * loss(1 - low) + normals * loss(high)).sum() / len(scores)
    truth = loss(np.abs(scores - labels)).mean()
    assert best * (1 - 1e-14) <= truth <= worst * (1 + 1e-14)


@given(RECORDS)
def test_a_sketch_of_few_scores_is_the_sweep_of_the_records(records):
    labels, scores = columns(records)
    ours, theirs = sketch_of(records, 64).sweep, ThresholdSweep.from_scores(labels, scores)
    for name in ("thresholds", "tp", "fp"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()


@given(RECORDS, LIMITS)
def test_the_areas_of_the_edges_lie_within_the_bounds(records, bins):
    labels, _ = columns(records)
    sketch = sketch_of(records, bins)
    if 0 < labels.sum() < len(labels):
        low, high = sketch.roc_auc
        assert low - 1e-14 <= sketch.sweep.roc_auc <= high + 1e-14
        low, high = sketch.average_precision
        assert low - 1e-14 <= sketch.sweep.average_precision <= high + 1e-14


@given(st.lists(st.tuples(st.booleans(), st.floats(width=32, allow_nan=False)), min_size=1), LIMITS)
def test_single_precision_is_widened_as_it_is(records, bins):
    labels, scores = columns(records)
    single = ScoreSketch.from_scores(labels, scores.astype(np.float32), bins=bins)
    assert same_bins(single, ScoreSketch.from_scores(labels, scores, bins=bins))


@given(RECORDS, LIMITS, st.lists(st.integers(0, 3), min_size=30, max_size=30))
def test_whole_weights_count_as_so_many_records(records, bins, weights):
    labels, scores = columns(records)
    weights = np.array(weights[: len(labels)])
    if not weights.any():
        return
    weighted = ScoreSketch.from_scores(labels, scores, sample_weight=weights, bins=bins)
    repeated = ScoreSketch.from_scores(labels.repeat(weights), scores.repeat(weights), bins=bins)
    assert same_bins(weighted, repeated)
    assert weighted.roc_auc == pytest.approx(repeated.roc_auc, rel=1e-11, nan_ok=True)
    # Of a weight it is not known into how many records it falls.
    assert not weighted.average_precision.low > repeated.average_precision.low * (1 + 1e-11)
    for k in (0, 1, 2.5, 100):
        assert weighted.at_budget(k).tp.low <= weighted.at_budget(k).tp.high


def test_infinities_have_bins_of_their_own():
    scores = [math.inf, math.inf, 1e308, 0.5, -1e308, -math.inf]
    sketch = ScoreSketch.from_scores([1, 0, 1, 0, 1, 0], scores, bins=5)
    assert sketch.sweep.thresholds[[0, -1]].tolist() == [math.inf, -math.inf]
    assert math.isnan(sketch.at_budget(0).threshold.low)
    assert sketch.at_budget(1).tp == (0.5, 0.5)


def test_counts_beyond_32_bits_are_whole():
    one = ScoreSketch.from_scores([1, 0, 0, 1], [0.9, 0.8, 0.3, 0.2])
    many = functools.reduce(lambda a, _: a + a, range(40), one)
    assert many.positives == many.negatives == 2**41
    assert many.roc_auc == (0.5, 0.5)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: ScoreSketch.from_scores([1, 0], [math.nan, 1]), "NaN in 1 of 2"),
        (lambda: ScoreSketch.from_scores([1, 0], [2]), "y_score has 1"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1], bins=0), "bins is 0"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1], bins=2.5), "bins is 2.5"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1], bins=True), "bins is True"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1], cuts=[math.nan]), "cuts is NaN"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1], sample_weight=[1, -1]), "negative"),
        (lambda: ScoreSketch.from_scores(["a", "b"], [2, 1]), "pos_label"),
        (lambda: ScoreSketch.from_blocks([]), "blocks is empty"),
        (lambda: ScoreSketch.from_blocks([([1, 0], [2, 1]), ([-1], [3])]), "pos_label"),
        (lambda: ScoreSketch.from_blocks([([1, 0], [2, math.nan])]), "NaN in 1 of 2"),
        (lambda: ScoreSketch.from_scores([1, 1], [2, 1]).average_precision_at(0.1), "one class"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1]).average_precision_at(1), "base_rate"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1]).at_budget(0.5), "k is 0.5"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1]).at_budget(-1), "k is -1"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1]).at_threshold(math.nan), "threshold"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1]).at_cost(fp=-1, fn=1), "fp is -1"),
        (lambda: ScoreSketch.from_scores([1, 0], [2, 1]).at_cost(fp=1, fn=math.inf), "fn is inf"),
    ],
)
def test_faults_are_named(make, named):
    with pytest.raises(InputError, match=named):
        make()


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"bins": 9}, "bins"),
        ({"cuts": [0.5]}, "cuts"),
        ({"sample_weight": [1, 1]}, "weighted"),
    ],
)
def test_only_like_sketches_are_added(other, named):
    with pytest.raises(InputError, match=named):
        ScoreSketch.from_scores([1, 0], [2, 1]) + ScoreSketch.from_scores([1, 0], [2, 1], **other)


def test_scores_beyond_all_others_are_added_as_they_are():
    low = ScoreSketch.from_scores([1], [-10.0])
    both = low + ScoreSketch.from_scores([1, 0], [-5.0, 5.0])
    assert both.sweep.thresholds.tolist() == [5.0, -5.0, -10.0]
    assert both.sweep.tp.tolist() == [0, 1, 2]


def test_a_sketch_is_added_to_nothing_else():
    with pytest.raises(TypeError):
        ScoreSketch.from_scores([1, 0], [2, 1]) + 1


def test_the_base_rate_is_the_share_of_attacks():
    assert ScoreSketch.from_scores([1, 0, 0, 0], [4, 3, 2, 1], bins=1).base_rate == 0.25


def test_the_order_of_cuts_is_all_one():
    a = ScoreSketch.from_scores([1, 0], [2, 1], cuts=[1, 0.5, -0.0])
    b = ScoreSketch.from_scores([1, 0], [2, 1], cuts=[0.0, 0.5, 1, 0.5])
    assert a.cuts.tolist() == b.cuts.tolist() == [0.0, 0.5, 1.0]
    assert (a + b).positives == 2
