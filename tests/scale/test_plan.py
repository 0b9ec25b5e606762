"""What a look at some records finds: whether scores are few, and crowds that are cut."""

import numpy as np
import pandas as pd

from labkit.metrics import ThresholdSweep
from labkit.scale.bins import BINS
from labkit.scale.files import Columns, parts_of
from labkit.scale.plan import cuts_for, plan_for
from labkit.scale.sketch import ScoreSketch


def test_a_score_that_many_share_widens_the_bounds_unless_it_is_kept_apart():
    rng = np.random.default_rng(0)
    labels, scores = rng.random(20_000) < 0.3, rng.random(20_000)
    scores[rng.random(20_000) < 0.4] = 0.9
    together = ScoreSketch.from_scores(labels, scores, bins=2000)
    cuts = cuts_for(labels, scores, bins=2000)
    assert {0.9, np.nextafter(0.9, 1)} <= set(cuts.tolist())
    apart = ScoreSketch.from_scores(labels, scores, bins=2000, cuts=cuts)
    truth = ThresholdSweep.from_scores(labels, scores)
    assert together.roc_auc.width > 0.1
    assert apart.roc_auc.width < 0.001
    assert apart.roc_auc.low < truth.roc_auc < apart.roc_auc.high
    assert apart.average_precision.low < truth.average_precision < apart.average_precision.high


def test_a_crowd_below_1_is_cut_finer():
    rng = np.random.default_rng(0)
    labels = rng.random(200_000) < 0.05
    logits = 6 * rng.normal(size=200_000) - 8 + 16 * labels
    # In single precision half of the attacks crowd at a few scores next to 1.
    scores = (1 / (1 + np.exp(-logits))).astype(np.float32)
    cuts = cuts_for(labels[::10], scores[::10], bins=2**14)
    as_they_come, cut = (
        ScoreSketch.from_scores(labels, scores, bins=2**14, cuts=where) for where in ((), cuts)
    )
    truth = ThresholdSweep.from_scores(labels, scores)
    assert as_they_come.average_precision.width > 10 * cut.average_precision.width
    for sketch in (as_they_come, cut):
        assert (
            sketch.average_precision.low < truth.average_precision < sketch.average_precision.high
        )


def test_where_there_is_no_crowd_nothing_is_cut():
    scores = np.random.default_rng(0).random(100_000)
    assert len(cuts_for(scores < 0.3, scores, bins=2**20)) == 0


def test_cuts_need_no_second_class():
    assert cuts_for([0] * 8, [0.5] * 8, bins=4).tolist() == [0.5, np.nextafter(0.5, 1)]


def test_the_look_tells_few_scores_from_many(tmp_path):
    rng = np.random.default_rng(0)
    for name, scores in {
        "few": rng.integers(0, 100, 100_000) / 100,
        "many": rng.random(100_000),
        "shared": np.where(rng.random(100_000) < 0.01, 0.5, rng.random(100_000)),
    }.items():
        pd.DataFrame({"label": rng.random(100_000) < 0.1, "s": scores}).to_parquet(
            tmp_path / f"{name}.parquet", row_group_size=20_000
        )
    columns = Columns("s", "label")
    plans = {
        name: plan_for(
            columns, parts_of(tmp_path / f"{name}.parquet", columns), 2 * 10**6, BINS, ()
        )
        for name in ("few", "many", "shared")
    }
    assert {name: plan.method for name, plan in plans.items()} == {
        "few": "count", "many": "sketch", "shared": "sketch",
    }  # fmt: skip
    assert len(plans["many"].cuts["s"]) == 0
    assert plans["shared"].cuts["s"].tolist() == [0.5, np.nextafter(0.5, 1)]
    assert "100 distinct" in plans["few"].why
