import math

import numpy as np
import pandas as pd
import pytest

from labkit.errors import InputError
from labkit.lab2.split import TemporalSplit


@pytest.fixture
def flows():
    return pd.DataFrame({"day": [3, 0, 1, 2, 1, 9], "row": range(6)}, index=[5, 5, 4, 3, 2, 1])


def test_days_are_kept_in_order():
    split = TemporalSplit(train=[2, 0, 1], calibrate=np.array([4, 3]), test=range(5, 7))
    assert (split.train, split.calibrate, split.test) == ((0, 1, 2), (3, 4), (5, 6))


@pytest.mark.parametrize(
    ("part", "rows"), [("train", [1, 2, 4]), ("calibrate", [3]), ("test", [0])]
)
def test_parts_keep_the_order_of_the_records(flows, part, rows):
    split = TemporalSplit(train=[0, 1], calibrate=[2], test=[3, 4])
    assert split.of(flows, part)["row"].tolist() == rows


def test_no_record_is_in_two_parts(flows):
    split = TemporalSplit(train=[0, 1], calibrate=[2], test=[3, 9])
    parts = pd.concat([split.of(flows, part) for part in ("train", "calibrate", "test")])
    assert sorted(parts["row"]) == list(range(6))


def test_days_need_not_follow_on_each_other():
    assert TemporalSplit(train=[0, 4], test=[9]).test == (9,)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"train": [0, 1], "test": [1, 2]}, "test begins on day 1, but train ends on day 1"),
        ({"train": [5, 6], "test": [0, 1]}, "test begins on day 0, but train ends on day 6"),
        ({"train": [0, 2], "test": [1, 3]}, "test begins on day 1, but train ends on day 2"),
        (
            {"train": [0, 1], "calibrate": [1], "test": [2]},
            "calibrate begins on day 1, but train ends on day 1",
        ),
        (
            {"train": [0], "calibrate": [3], "test": [2]},
            "test begins on day 2, but calibrate ends on day 3",
        ),
        ({"train": [], "test": [1]}, "train and test need at least one day each"),
        ({"train": [1], "test": []}, "train and test need at least one day each"),
        ({"train": 3, "test": [4]}, "train is 3; pass whole numbers of days"),
        ({"train": [0], "test": [1.5]}, r"test is \[1.5\]; pass whole numbers of days"),
        ({"train": [0], "test": [math.nan]}, r"test is \[nan\]"),
        ({"train": "01", "test": [2]}, "train is '01'"),
    ],
)
def test_splits_that_would_leak_or_be_empty(parts, told):
    with pytest.raises(InputError, match=told):
        TemporalSplit(**parts)


def test_a_part_must_exist_and_have_records(flows):
    split = TemporalSplit(train=[0], test=[5])
    with pytest.raises(InputError, match="part is 'validate'"):
        split.of(flows, "validate")
    with pytest.raises(InputError, match=r"no record lies on the test days \(5,\)"):
        split.of(flows, "test")
    with pytest.raises(InputError, match="no record lies on the calibrate days"):
        split.of(flows, "calibrate")
