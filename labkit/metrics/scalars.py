"""Single numbers that a caller gives: a threshold, a share, a budget."""

import math
from numbers import Integral, Real

import numpy as np

from labkit.errors import InputError


def as_number(value: object, name: str, meant: str = "it must be a number") -> float:
    """Return a real number as Python's int or float, which eight bits cannot overflow.

    NaN is an error.

    Examples
    --------
    >>> as_number(np.int8(100), "cost") * 2
    200
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise InputError(f"{name} is {value!r}; {meant}")
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{name} is a whole number that float64 cannot hold; {meant}") from None
    if math.isnan(number):
        raise InputError(f"{name} is {number}; {meant}")
    return int(value) if isinstance(value, Integral) else number


def as_share(value: object, name: str, *, zero: bool = False, one: bool = False) -> float:
    """Return a number between 0 and 1; `zero` and `one` say which ends are allowed."""
    within = f"{'[' if zero else '('}0, 1{']' if one else ')'}"
    share = as_number(value, name)
    if not (0 < share < 1 or (zero and share == 0) or (one and share == 1)):
        raise InputError(f"{name} is {share}; it must lie within {within}")
    return share


def as_budget(k: object, name: str = "k", *, whole: bool = True) -> float:
    """Return a number of alerts, a whole one unless alerts are weights; infinity allows all."""
    meant = f"a budget is a {'whole ' if whole else ''}number of alerts, 0 or more"
    alerts = as_number(k, name, meant)
    if alerts < 0 or (whole and alerts != math.inf and alerts != int(alerts)):
        raise InputError(f"{name} is {alerts}; {meant}")
    return int(alerts) if whole and alerts != math.inf else alerts


def as_cost(value: object, name: str) -> float:
    """Return a cost as float: whole costs times whole counts could leave int64."""
    meant = "a cost is a finite number, 0 or more"
    cost = float(as_number(value, name, meant))
    if not 0 <= cost < math.inf:
        raise InputError(f"{name} is {cost}; {meant}")
    return cost


def check_choice(value: object, name: str, choices: tuple[str, ...]) -> None:
    """Raise InputError unless the value is one of the words to choose from."""
    if not isinstance(value, str) or value not in choices:
        *most, last = (f'"{choice}"' for choice in choices)
        raise InputError(f"{name} is {value!r}; choose {', '.join(most)} or {last}")
