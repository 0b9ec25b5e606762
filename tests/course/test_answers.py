"""The judging of answers, on keys made up for one rule each."""

import math

import numpy as np
import pandas as pd
import pytest

from labkit.course.answers import Key, Mistake, NotReadableError, called, judge, plain

NUMBER = Key(0.9, (Mistake(0.1, "the share missed", "recall-is-precision"),), hint="no")
NAMES = Key(frozenset({"scan", "denial of service"}), hint="no")
LIST = Key([1.0, 2.5], hint="no")
PARTS = Key({"low": 0.1, "high": 0.3}, hint="no")


class Hostile:
    """An object that fails however it is looked at."""

    def __getattr__(self, name):
        raise RuntimeError("do not look")

    def __eq__(self, other):
        raise RuntimeError("do not compare")

    __hash__ = None


@pytest.mark.parametrize(
    "answer",
    [0.9, 9 / 10, np.float32(0.9), np.float64(0.9004), np.array(0.9), 0.9005, 0.8995],
)
def test_a_number_is_right_within_the_tolerance_whatever_holds_it(answer):
    assert judge(NUMBER, answer).state == "right"


@pytest.mark.parametrize("answer", [0.9006, 0.8994, np.nan, np.inf, -0.9, True])
def test_a_number_outside_the_tolerance_is_wrong(answer):
    assert judge(NUMBER, answer).state == "wrong"


def test_nan_answers_nan_and_nothing_else():
    undefined = Key(math.nan, (Mistake(0.0, "not zero", "zero-over-zero-is-zero"),))
    assert judge(undefined, np.float64("nan")).state == "right"
    assert judge(undefined, 0).hint == "not zero"
    assert judge(NUMBER, math.nan).state == "wrong"


def test_infinity_answers_infinity():
    assert judge(Key(math.inf), math.inf).state == "right"
    assert judge(Key(math.inf), -math.inf).state == "wrong"


def test_a_recognised_mistake_gives_its_hint_and_its_misconception():
    verdict = judge(NUMBER, 0.1)
    assert (verdict.hint, verdict.misconception) == ("the share missed", "recall-is-precision")


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (90, "A share between 0 and 1 is asked for; this looks like a percentage."),
        (89.9, "A share between 0 and 1 is asked for; this looks like a percentage."),
        (0.89, "Close, but rounded too early, or off by a little: give all the digits."),
        (0.5, "no"),
        (9.0, "no"),
    ],
)
def test_slips_of_form_are_told(answer, hint):
    assert judge(NUMBER, answer).hint == hint


@pytest.mark.parametrize(
    ("key", "answer", "hint"),
    [
        (PARTS, {"low": 0.1, "high": 30}, "high: A share between 0 and 1 is asked for; this"),
        (PARTS, {"low": 0.1, "high": 0.304}, "high: Close, but rounded too early"),
        (LIST, [1.0, 2.51], "number 2: Close, but rounded too early"),
        (PARTS, {"low": 0.1, "high": 0.9}, "no"),
        (PARTS, {"low": 0.1, "high": "0.3"}, "high: The answer is a number; this is a text."),
        (Key(80), 81, "Close, but not it: count again."),
    ],
)
def test_slips_of_a_part_are_told_with_its_name(key, answer, hint):
    assert judge(key, answer).hint.startswith(hint)


@pytest.mark.parametrize(
    "answer", [None, ..., [None, None], (..., ...), {"low": ..., "high": ...}, [...]]
)
def test_a_blank_is_no_wrong_answer(answer):
    assert judge(NUMBER, answer).state == "unanswered"


@pytest.mark.parametrize(
    "answer",
    [
        {"denial of service", "scan"},
        ["scan", "denial-of-service"],
        ("Scan", "denial_of_service"),
        np.array(["scan", "denial of service"]),
        pd.Index(["denial of service", "scan"]),
        {"scan": 1, "denial of service": 2}.keys(),
    ],
)
def test_a_set_of_names_has_no_order(answer):
    assert judge(NAMES, answer).state == "right"


@pytest.mark.parametrize("answer", [{"scan"}, [], ["scan", "scan"], ["scan", "dos"], "scan"])
def test_other_names_are_wrong(answer):
    assert judge(NAMES, answer).state == "wrong"


def test_a_list_has_an_order():
    assert judge(LIST, (1, 2.5)).state == "right"
    assert judge(LIST, pd.Series([1, 2.5], index=[7, 3])).state == "right"
    assert judge(LIST, [2.5, 1]).state == "wrong"


def test_a_dict_is_judged_part_by_part():
    assert judge(PARTS, {"high": 0.3, "low": 0.1}).state == "right"
    assert judge(PARTS, {"low": 0.1, "high": 0.4}).state == "wrong"
    assert judge(PARTS, {"low": 0.1}).hint == "The answer has the parts low, high; here are low."


@pytest.mark.parametrize(
    ("key", "answer", "hint"),
    [
        (NUMBER, "0.9", "The answer is a number; this is a text."),
        (NUMBER, [0.9], "The answer is a number; this is a list of numbers."),
        (LIST, 1.0, "The answer is a list of numbers; this is a number."),
        (LIST, [1, "x"], "The answer is a list of numbers; among its parts is a text."),
        (NUMBER, len, "This is a function, not its result: call it."),
        (NUMBER, object(), "A value of type object cannot be the answer here."),
        (NUMBER, 10**400, "A value of type int cannot be the answer here."),
        (NUMBER, 1j, "A value of type complex cannot be the answer here."),
        (LIST, range(10**6), "This answer has 1,000,000 parts, too many to be it."),
        (
            PARTS,
            dict.fromkeys(range(10**6), 1),
            "This answer has 1,000,000 parts, too many to be it.",
        ),
    ],
)
def test_another_form_is_named(key, answer, hint):
    assert judge(key, answer).hint == hint


@pytest.mark.parametrize("key", [NUMBER, NAMES, LIST, PARTS, Key("yes")])
@pytest.mark.parametrize(
    "junk",
    [
        b"0.9", np.zeros((3, 3)), np.array(["a"]), np.zeros(0),
        pd.DataFrame({"a": [1]}), float("nan"), {}, {1: 2}, set(), type, [[[]]], "",
        np.datetime64("2026-01-01"), np.ma.masked, pd.NA, pd.NaT,
    ],
)  # fmt: skip
def test_junk_is_wrong_and_never_an_error(key, junk):
    verdict = judge(key, junk)
    assert verdict.state == "wrong"
    assert verdict.hint


@pytest.mark.parametrize("key", [NUMBER, NAMES, LIST, PARTS])
def test_an_object_that_fails_when_looked_at_is_wrong(key):
    assert judge(key, Hostile()).state == judge(key, [Hostile()]).state == "wrong"


def test_a_list_that_holds_itself_is_wrong():
    endless = [1.0]
    endless.append(endless)
    assert judge(LIST, endless).state == "wrong"


def test_an_open_exercise_takes_whatever_makes_no_mistake():
    key = Key(
        [0.2, 0.9],
        (
            Mistake([0.5], "two numbers", when=lambda a: len(a) != 2),
            Mistake([0.9, 0.2], "other way round", "cost-ratio-inverted", lambda a: a[0] > a[1]),
        ),
        is_open=True,
    )
    assert judge(key, [0.1, 0.3]).state == "right"
    assert judge(key, [0.3]).hint == "two numbers"
    assert judge(key, [3, 1]).misconception == "cost-ratio-inverted"
    assert judge(key, ["a", "b"]).state == "wrong"


def test_what_trips_a_predicate_is_wrong():
    key = Key([1.0], (Mistake([2.0], "", when=lambda a: a[7] > 0),), is_open=True)
    assert judge(key, [1.0]).hint == "This answer could not be read (IndexError)."


def test_a_plain_answer_is_made_of_numbers_texts_lists_and_dicts():
    table = {"a": np.arange(2), "b": (np.str_("x"), True), 3: pd.Series([0.5])}
    assert plain(table) == {"a": [0.0, 1.0], "b": ["x", 1.0], "3": [0.5]}
    with pytest.raises(NotReadableError):
        plain({"a": object()})


def test_a_hint_is_short_whatever_the_parts_are_called():
    for names in (map(str, range(100_000)), ["x" * 10**6], [""]):
        assert len(judge(PARTS, dict.fromkeys(names, 1)).hint) < 200


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError("do not print")


@pytest.mark.parametrize("error", [SilentError, SystemExit, RecursionError])
def test_whatever_a_function_raises_is_told(error):
    def function(x):
        raise error

    with pytest.raises(
        NotReadableError, match=rf"Called with \(1\) the function ends in {error.__name__}"
    ):
        called(function, [(1,)])
