"""Curves that move as files: every frame drawn, in a GIF that is small, repeats and is named."""

import io
import re
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from labkit.lab2.animations import ANIMATIONS, BUDGETS
from labkit.plots.pictures import gif

MOST_BYTES = 600_000
each_animation = pytest.mark.parametrize("animation", ANIMATIONS, ids=lambda one: one.name)


@pytest.fixture(scope="module")
def tables(experiment):
    """The tables behind each animation, by its name."""
    return {animation.name: animation.data(experiment) for animation in ANIMATIONS}


def frames_of(content):
    """What a GIF says of itself, and its frames as they are seen, one after the other."""
    picture = Image.open(io.BytesIO(content))
    seen = []
    for number in range(picture.n_frames):
        picture.seek(number)
        seen.append(np.asarray(picture.convert("RGB")))
    return picture.info, seen


def test_every_animation_has_its_own_name_and_says_what_it_shows():
    names = [animation.name for animation in ANIMATIONS]
    assert len(set(names)) == len(names) == 5
    for animation in ANIMATIONS:
        assert re.fullmatch(r"moving-[a-z-]+", animation.name)
        assert len(animation.title) > 60
        assert 700 <= animation.milliseconds <= 1000


@each_animation
def test_there_are_frames_enough_to_follow_and_few_enough_to_watch(animation, tables):
    assert 8 <= len(tables[animation.name]["frames"]) <= 30


@each_animation
def test_every_frame_differs_from_the_one_before_and_files_are_small(animation, tables):
    drawings = animation.drawings(tables[animation.name])
    content = gif(drawings, animation.title, animation.milliseconds)
    assert len(content) < MOST_BYTES
    info, seen = frames_of(content)
    assert info["comment"].decode() == animation.title
    assert len(seen) == len(tables[animation.name]["frames"])
    for before, after in pairwise(seen):
        assert (before != after).any()


def test_the_threshold_falls_from_no_alert_to_nearly_all(tables, experiment):
    table = tables["moving-threshold"]["frames"]
    assert table["threshold"].is_monotonic_decreasing
    alerts = table["tp"] + table["fp"]
    assert alerts.iloc[0] < 10
    assert alerts.iloc[-1] > 0.95 * len(experiment.test)


def test_the_base_rate_falls_through_that_of_the_test_days(tables, experiment):
    rates = tables["moving-base-rate"]["frames"]["base_rate"]
    assert rates.is_monotonic_decreasing
    assert experiment.test["label"].mean() in rates.tolist()


def test_the_budgets_are_those_announced(tables):
    assert tables["moving-budget"]["frames"]["budget"].tolist() == list(BUDGETS)
