"""Every exercise of the course: its check on the right answer, the listed wrong ones, and junk."""

import math

import numpy as np
import pytest

from labkit.course.answers import judge
from labkit.course.checking import check, verdict_on
from labkit.course.exercises import MODULES, all_exercises, exercise, exercises_of
from labkit.course.exercises.exercise import Exercise, Traffic, key_of
from labkit.course.misconceptions import MISCONCEPTIONS
from labkit.data.files import make_flows

EXERCISES = all_exercises()
COURSE = Traffic()
JUNK = {
    "None": None,
    "a string": "no such answer",
    "an array of the wrong shape": np.zeros((2, 3, 4)),
    "NaN": math.nan,
    "an empty list": [],
    "an object": object(),
    "a function": len,
    "a function that fails": lambda *_: 1 / 0,
    "a function that returns itself": lambda *_: len,
}
OTHER_SEED = 4321

each_exercise = pytest.mark.parametrize("asked", EXERCISES, ids=lambda asked: asked.name)


@pytest.fixture(scope="module", params=["the course's traffic", "other traffic"])
def traffic(request, tmp_path_factory):
    if request.param == "the course's traffic":
        return COURSE
    return Traffic(make_flows(tmp_path_factory.mktemp("flows"), OTHER_SEED))


@pytest.mark.parametrize("notebook", MODULES)
def test_every_notebook_has_three_to_six_exercises(notebook):
    assert 3 <= len(exercises_of(notebook)) <= 6


@pytest.mark.parametrize("notebook", MODULES)
def test_exercises_are_numbered_in_order(notebook):
    names = [asked.name for asked in exercises_of(notebook)]
    assert names == [f"{notebook}-{number}" for number in range(1, len(names) + 1)]


@each_exercise
def test_the_right_answer_is_right(asked, traffic):
    key = key_of(asked, traffic)
    assert judge(key, key.right).state == "right"


@each_exercise
def test_every_listed_wrong_answer_is_recognised(asked, traffic):
    key = key_of(asked, traffic)
    assert key.mistakes, "a check that recognises nothing only says no"
    for mistake in key.mistakes:
        verdict = judge(key, mistake.answer)
        assert (verdict.state, verdict.hint) == ("wrong", mistake.hint), mistake
        assert verdict.misconception == mistake.misconception


@each_exercise
@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK)
def test_junk_gets_a_hint_and_no_traceback(asked, junk, capsys):
    verdict = verdict_on(asked, junk, COURSE)
    right = key_of(asked, COURSE).right
    if not (isinstance(right, float) and math.isnan(right)):
        assert verdict.state != "right"
        assert verdict.hint
    check(asked.name, junk)
    printed = capsys.readouterr().out
    assert printed.startswith(asked.name)
    assert printed.count("\n") == 1


@each_exercise
def test_no_hint_gives_the_answer_away(asked):
    key = key_of(asked, COURSE)
    if isinstance(key.right, str) and not key.is_open:
        for mistake in key.mistakes:
            assert key.right.lower() not in mistake.hint.lower().split(), mistake


@each_exercise
def test_misconceptions_are_listed(asked):
    for mistake in key_of(asked, COURSE).mistakes:
        assert mistake.misconception in {"", *MISCONCEPTIONS}


def test_every_misconception_is_exposed_by_an_exercise():
    exposed = {
        mistake.misconception for asked in EXERCISES for mistake in key_of(asked, COURSE).mistakes
    }
    assert exposed - {""} == set(MISCONCEPTIONS)


@pytest.mark.parametrize("name", ["", "77-1", "03-99", "x", None, 3, "03"])
def test_a_check_of_no_exercise_says_so(name, capsys):
    check(name, 1)
    assert "there is no exercise" in capsys.readouterr().out


FUNCTION = Exercise("99-1", "half", lambda _: exercise("03-1").key(COURSE), calls=((1, 2), (3, 4)))


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (0.5, "A function is asked for: give its name without brackets."),
        (lambda a, b: a / 0, "Called with (1, 2) the function ends in ZeroDivisionError: division"),
        (lambda a: a, "Called with (1, 2) the function ends in TypeError:"),
        (..., "No answer yet"),
        (lambda a, b: None, "The function returns nothing yet"),
        (print, "The function returns nothing yet"),
    ],
)
def test_a_function_is_called_and_its_failure_told(answer, hint):
    assert verdict_on(FUNCTION, answer, COURSE).hint.startswith(hint)
