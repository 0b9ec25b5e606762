"""What an exercise takes for right, the mistakes it knows, and the judging of an answer."""

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass
from typing import Literal

import numpy as np

Plain = float | str | list["Plain"] | dict[str, "Plain"]
"""An answer without its dress: arrays, series and sets are lists, NumPy's numbers floats."""

_LONGEST = 100_000
_NO_ANSWER = "A value of type {} cannot be the answer here."


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that a check recognises.

    Parameters
    ----------
    answer
        The wrong answer; where `when` is given, an example of it.
    hint
        What the student is told: fitted to the mistake, and not the answer.
    misconception
        The belief behind it, a key of `labkit.course.misconceptions.MISCONCEPTIONS`; "" for a slip.
    when
        Whether a plain answer makes this mistake; by default, whether it equals `answer`.
    """

    answer: object
    hint: str
    misconception: str = ""
    when: Callable[[Plain], bool] | None = None


@dataclass(frozen=True)
class Key:
    """What one exercise takes for right.

    Parameters
    ----------
    right
        The answer; where `is_open`, one of the right answers. A number, a text, a list of numbers
        or texts, a set (whose order does not matter) or a dict of these.
    mistakes
        Looked through in order; the first that fits an answer gives the hint.
    hint
        For a wrong answer that no mistake fits.
    within
        How far each number of an answer may lie from the right one.
    is_open
        Whether every answer of the right form that makes no mistake is right.
    """

    right: object
    mistakes: tuple[Mistake, ...] = ()
    hint: str = "This is not it. Read the text above once more."
    within: float = 0.0005
    is_open: bool = False


@dataclass(frozen=True)
class Verdict:
    """What a check says of an answer.

    Parameters
    ----------
    state
        "right", "wrong", or "unanswered": the blank still stands there.
    hint
        What to try next; empty when right.
    misconception
        As in `Mistake`.
    """

    state: Literal["right", "wrong", "unanswered"]
    hint: str = ""
    misconception: str = ""


class NotReadableError(ValueError):
    """An answer that is no number, text, list, set or dict of such, in words for a student."""


def judge(key: Key, answer: object) -> Verdict:
    """Judge an answer: right, wrong with a hint, or not given yet.

    Parameters
    ----------
    key
        What the exercise takes for right.
    answer
        Anything at all; whatever it is, a verdict is returned and nothing is raised.

    Returns
    -------
    Verdict
        NaN answers NaN only. Numbers are compared within `key.within`, texts without regard to
        case, blanks and hyphens. A share given in percent, and a right number given too coarsely,
        are told so.

    Examples
    --------
    >>> recall = Key(0.9, (Mistake(0.1, "This is the share missed."),))
    >>> judge(recall, 9 / 10).state, judge(recall, 0.1).hint, judge(recall, ...).state
    ('right', 'This is the share missed.', 'unanswered')
    >>> judge(recall, 90).hint
    'A share between 0 and 1 is asked for; this looks like a percentage.'
    """
    if is_blank(answer):
        return Verdict("unanswered", "No answer yet: put yours in place of the `...`.")
    try:
        given, right = plain(answer), plain(key.right)
        if isinstance(key.right, Set) and _is_flat(given):
            given = plain(frozenset(given))
        if fault := _other_form(given, right, is_open=key.is_open):
            return Verdict("wrong", fault)
        if not key.is_open and same(given, right, key.within):
            return Verdict("right")
        for mistake in key.mistakes:
            if _makes(mistake, given, key.within):
                return Verdict("wrong", mistake.hint, mistake.misconception)
    except NotReadableError as error:
        return Verdict("wrong", str(error))
    # An answer is a student's object: whatever it does when it is looked at, there is a verdict.
    except Exception as error:
        return Verdict("wrong", f"This answer could not be read ({type(error).__name__}).")
    if key.is_open:
        return Verdict("right")
    return Verdict("wrong", _slip(given, right, key.within) or key.hint)


def plain(answer: object) -> Plain:
    """Return an answer as numbers, texts, lists and dicts; sets become sorted lists.

    Raises
    ------
    NotReadableError
        When it is, or holds, anything else.

    Examples
    --------
    >>> plain({"days": np.array([8, 9]), "families": {"scan", "dos"}})
    {'days': [8.0, 9.0], 'families': ['dos', 'scan']}
    """
    if isinstance(answer, str):
        return str(answer)
    if isinstance(answer, bool | int | float | np.generic):
        return _number(answer)
    if isinstance(answer, Mapping):
        _not_too_many(answer)
        return {str(name): plain(value) for name, value in answer.items()}
    if hasattr(answer, "tolist"):  # arrays, series and indexes
        answer = answer.tolist()
        if not isinstance(answer, list):
            return plain(answer)
    if isinstance(answer, Set):
        return sorted((plain(one) for one in answer), key=lambda one: _letters(str(one)))
    if isinstance(answer, list | tuple | range):
        _not_too_many(answer)
        return [plain(one) for one in answer]
    if callable(answer):
        raise NotReadableError("This is a function, not its result: call it.")
    raise NotReadableError(_NO_ANSWER.format(type(answer).__name__))


def called(answer: object, calls: Sequence[tuple]) -> object:
    """Return what a function gives on each call; without calls, or if it is blank, the answer.

    Raises
    ------
    NotReadableError
        When the answer is no function, or a call fails.
    """
    if not calls or answer is None or answer is ...:
        return answer
    if not callable(answer):
        raise NotReadableError("A function is asked for: give its name without brackets.")
    results = []
    for call in calls:
        try:
            results.append(answer(*call))
        # The function is a student's, and so is whatever it raises.
        except (Exception, SystemExit) as error:
            given = f"({', '.join(map(repr, call))})"
            said = _said(error)
            raise NotReadableError(f"Called with {given} the function ends in {said}.") from None
    return results


def _said(error: BaseException) -> str:
    try:
        return " ".join(f"{type(error).__name__}: {error}".split())[:200]
    except Exception:
        return type(error).__name__


def same(given: Plain, right: Plain, within: float) -> bool:
    """Whether two plain answers agree: numbers within a distance, texts but for case and blanks."""
    if isinstance(right, float):
        if not isinstance(given, float):
            return False
        if math.isnan(right) or math.isnan(given):
            return math.isnan(right) and math.isnan(given)
        # A hair more than the tolerance: the distance of two floats is rounded too.
        return given == right or abs(given - right) <= within * (1 + 1e-9)
    if isinstance(right, str):
        return isinstance(given, str) and _letters(given) == _letters(right)
    if isinstance(right, list):
        return (
            isinstance(given, list)
            and len(given) == len(right)
            and all(same(a, b, within) for a, b in zip(given, right, strict=True))
        )
    return (
        isinstance(given, dict)
        and given.keys() == right.keys()
        and all(same(given[name], right[name], within) for name in right)
    )


def is_blank(answer: object) -> bool:
    """Whether an answer is the blank of a stub: `...`, None, or nothing but these."""
    if answer is None or answer is ...:
        return True
    if type(answer) in (list, tuple) and answer:
        return all(one is None or one is ... for one in answer)
    return type(answer) is dict and bool(answer) and is_blank(list(answer.values()))


def _is_flat(given: Plain) -> bool:
    return isinstance(given, list) and all(isinstance(one, float | str) for one in given)


def _not_too_many(parts: Sized) -> None:
    if len(parts) > _LONGEST:
        raise NotReadableError(f"This answer has {len(parts):,} parts, too many to be it.")


def _number(value: object) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise NotReadableError(_NO_ANSWER.format(type(value).__name__)) from None


def _makes(mistake: Mistake, given: Plain, within: float) -> bool:
    if mistake.when is not None:
        return bool(mistake.when(given))
    return same(given, plain(mistake.answer), within)


def _other_form(given: Plain, right: Plain, *, is_open: bool) -> str:
    """Return what is wrong with the form of an answer, empty when it has that of the right one."""
    if type(given) is not type(right):
        return f"The answer is {_form(right)}; this is {_form(given)}."
    if isinstance(right, dict) and given.keys() != right.keys():
        names = textwrap.shorten(", ".join(given)[:1000], 100, placeholder=" …") or "none"
        return f"The answer has the parts {', '.join(right)}; here are {names}."
    if isinstance(right, dict):
        for name in right:
            if fault := _other_form(given[name], right[name], is_open=is_open):
                return f"{name}: {fault}"
    if isinstance(right, list) and right:
        kinds = {type(one) for one in right}
        if stray := [one for one in given if type(one) not in kinds]:
            return f"The answer is {_form(right)}; among its parts is {_form(stray[0])}."
    return ""


def _form(value: Plain) -> str:
    if isinstance(value, float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, dict):
        return "a dict"
    kinds = {"texts" if isinstance(one, str) else "numbers" for one in value}
    return f"a list of {kinds.pop()}" if len(kinds) == 1 else "a list"


def _slip(given: Plain, right: Plain, within: float) -> str:
    """Return a hint for a right number in a wrong dress, or for the first part that is one."""
    if isinstance(right, dict):
        parts = [(name, given[name], right[name]) for name in right]
    elif isinstance(right, list) and len(given) == len(right):
        parts = [(f"number {n}", *pair) for n, pair in enumerate(zip(given, right, strict=True), 1)]
    else:
        return _numeric_slip(given, right)
    for name, mine, its in parts:
        if not same(mine, its, within):
            hint = _slip(mine, its, within)
            return f"{name}: {hint}" if hint else ""
    return ""


def _numeric_slip(given: Plain, right: Plain) -> str:
    if not (isinstance(right, float) and isinstance(given, float)):
        return ""
    if not (math.isfinite(right) and math.isfinite(given)) or right == 0:
        return ""
    if 0 < right <= 1 and given > 1 and abs(given / 100 - right) <= 0.005:
        return "A share between 0 and 1 is asked for; this looks like a percentage."
    if 0 < abs(given - right) <= 0.02 * abs(right):
        if right.is_integer() and given.is_integer():
            return "Close, but not it: count again."
        return "Close, but rounded too early, or off by a little: give all the digits."
    return ""


def _letters(text: str) -> str:
    return "".join(text.lower().replace("-", "").replace("_", "").split())
