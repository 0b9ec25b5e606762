"""Many records at once: the grid counts what sorting counts, whatever the scores look like."""

import functools

import numpy as np
import pytest
from judged import same_bins

from labkit.scale.bins import bins_of, limited
from labkit.scale.keys import keys_of, splits_of
from labkit.scale.sketch import ScoreSketch
from labkit.scale.tally import Tally

N, LIMIT = 200_000, 2**12
RNG = np.random.default_rng(0)
LABELS = RNG.random(N) < 0.1
SHAPES = {
    "within 0 and 1": RNG.random(N),
    "on both sides of 0": RNG.normal(size=N),
    "over many scales": np.exp(20 * RNG.normal(size=N)),
    "far from 0": 1e6 + RNG.normal(size=N),
    "close to a few": RNG.integers(1, 11, N) + 1e-7 * RNG.random(N),
    "rising with time": np.linspace(1, 1e6, N) * (1 + RNG.random(N)),
    "one shared by half": np.where(RNG.random(N) < 0.5, 0.25, RNG.random(N)),
    "few": RNG.integers(0, 300, N) / 300,
    "single precision": RNG.random(N, dtype=np.float32),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("cuts", [(), (0.25, np.nextafter(0.25, 1), 0.3, 5.0, -1.0)])
def test_a_stream_is_counted_as_if_it_were_sorted(monkeypatch, shape, cuts):
    for name, size in {"_PLACED": 1000, "_FEWEST": 500, "_MOST_IN_GRID": 50_000}.items():
        monkeypatch.setattr(f"labkit.scale.tally.{name}", size)
    scores = SHAPES[shape]
    tally = Tally(LIMIT, np.array(cuts))
    for at in range(0, N, 7777):
        tally.add(LABELS[at : at + 7777], scores[at : at + 7777])
    in_grid = tally._grid is not None
    ours = ScoreSketch(tally.bins(), LIMIT)
    theirs = bins_of(keys_of(scores), LABELS, None, splits_of(cuts))
    assert same_bins(ours, ScoreSketch(limited(theirs, LIMIT), LIMIT))
    # Places would be too many for scores close to a few, and are not needed for few.
    assert in_grid == (shape not in {"close to a few", "few"})


def test_weights_are_summed_in_the_grid_too():
    scores, weights = SHAPES["within 0 and 1"], RNG.integers(0, 4, N) / 4
    whole = ScoreSketch.from_scores(LABELS, scores, sample_weight=weights, bins=LIMIT)
    parts = [
        ScoreSketch.from_scores(LABELS[rows], scores[rows], sample_weight=weights[rows], bins=LIMIT)
        for rows in np.array_split(np.arange(N), 7)
    ]
    # Quarters add up without rounding.
    assert same_bins(whole, functools.reduce(lambda a, b: a + b, parts))
    assert whole.positives == weights[LABELS].sum()
