"""What an evaluation is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral

import numpy as np

from labkit.errors import InputError
from labkit.metrics.scalars import as_budget, as_cost, as_share

BASE_RATES = (0.01, 0.001)
"""Where nothing else is asked for: one attack in a hundred records, and one in a thousand."""
# Beyond these, sums over records or days could leave float64.
_LARGEST, _LEAST_RATE = 1e100, 1e-100


@dataclass(frozen=True)
class Options:
    """Budgets, base rates and costs to look at, and how intervals are made.

    Attributes
    ----------
    budgets
        Alerts, in all and (where days are known) a day; ascending.
    base_rates
        Shares of attacks to project to, descending.
    cost_fp, cost_fn
        Cost of one false alert and of one missed attack; both or neither.
    level
        Confidence level of every interval.
    n_replicates, seed
        Number of resamples (0 for none), and the seed of their draws.
    """

    budgets: tuple[float, ...]
    base_rates: tuple[float, ...]
    cost_fp: float | None
    cost_fn: float | None
    level: float
    n_replicates: int
    seed: int


def as_options(
    *,
    whole: bool,
    names: Mapping[str, str] | None = None,
    budgets: object = (),
    base_rates: object = None,
    cost_fp: object = None,
    cost_fn: object = None,
    level: object = 0.95,
    n_replicates: object = 2000,
    seed: object = 0,
) -> Options:
    """Return checked options.

    Parameters
    ----------
    whole
        Whether alerts are records, and budgets whole numbers; otherwise they are weights.
    names
        What errors call an option, where not by its own name.
    budgets, base_rates, cost_fp, cost_fn, level, n_replicates, seed
        As in `labkit.evaluate`.

    Raises
    ------
    InputError
        When one cannot be, naming it.
    """
    called = {field.name: field.name for field in fields(Options)} | dict(names or {})
    asked = {
        as_budget(budget, called["budgets"], whole=whole)
        for budget in _several(budgets, called["budgets"])
    }
    if math.inf in asked:
        raise InputError(f"{called['budgets']} is inf; a budget is a finite number of alerts")
    _check_largest(asked, called["budgets"])
    rates = _several(BASE_RATES if base_rates is None else base_rates, called["base_rates"])
    shares = {float(as_share(rate, called["base_rates"])) for rate in rates}
    if shares and min(shares) < _LEAST_RATE:
        raise InputError(
            f"{called['base_rates']} is {min(shares):g}; the least that can be projected to is "
            f"{_LEAST_RATE:g}"
        )
    fp, fn = called["cost_fp"], called["cost_fn"]
    if (cost_fp is None) != (cost_fn is None):
        raise InputError(f"{fp} and {fn} go together: a threshold weighs one against the other")
    costs = (None, None)
    if cost_fp is not None:
        costs = as_cost(cost_fp, fp), as_cost(cost_fn, fn)
        _check_largest(costs[:1], fp)
        _check_largest(costs[1:], fn)
        if not any(costs):
            raise InputError(f"{fp} and {fn} are both 0; every threshold costs the same")
    return Options(
        tuple(sorted(asked)),
        tuple(sorted(shares, reverse=True)),
        *costs,
        as_share(level, called["level"]),
        _whole(n_replicates, called["n_replicates"]),
        _whole(seed, called["seed"]),
    )


def _check_largest(numbers: Iterable[float], name: str) -> None:
    if (largest := max(numbers, default=0)) > _LARGEST:
        raise InputError(f"{name} is {float(largest):g}; {_LARGEST:g} is the largest allowed")


def _several(values: object, name: str) -> list:
    """Return several numbers as a list; one number stands for itself."""
    if isinstance(values, str | bytes | Mapping):
        raise InputError(f"{name} is {values!r}; pass a list of numbers")
    if isinstance(values, np.ndarray):
        values = values.ravel().tolist()
    return list(values) if isinstance(values, Iterable) else [values]


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 0:
        raise InputError(f"{name} is {value!r}; it must be a whole number, 0 or more")
    return int(value)
