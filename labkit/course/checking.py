"""The check that stands below every exercise and answers at once."""

from labkit.course.answers import NotReadableError, Verdict, called, judge
from labkit.course.exercises import exercise
from labkit.course.exercises.exercise import Exercise, Traffic, key_of
from labkit.errors import InputError

_COURSE = Traffic()


def check(name: str, answer: object) -> None:
    """Print whether an answer is right, or a hint fitted to the mistake.

    Parameters
    ----------
    name
        The exercise, such as "03-2".
    answer
        What the exercise asks for. Nothing that it can be ends in an error.

    Examples
    --------
    >>> check("03-1", ...)
    03-1 not answered. No answer yet: put yours in place of the `...`.
    """
    try:
        verdict = verdict_on(exercise(name), answer, _COURSE)
    except InputError as error:
        print(f"This check cannot answer: {error}.")
        return
    said = {"right": "right.", "wrong": "not yet.", "unanswered": "not answered."}[verdict.state]
    print(" ".join(filter(None, (name, said, verdict.hint))))


def verdict_on(asked: Exercise, answer: object, traffic: Traffic) -> Verdict:
    """Return the verdict on an answer, a function being called first where one is asked for."""
    try:
        verdict = judge(key_of(asked, traffic), called(answer, asked.calls))
    except NotReadableError as error:
        return Verdict("wrong", str(error))
    if verdict.state == "unanswered" and callable(answer):
        return Verdict("unanswered", "The function returns nothing yet: it needs a `return`.")
    return verdict
