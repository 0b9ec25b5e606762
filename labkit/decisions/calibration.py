"""Probabilities for another population than the one a model was fitted to."""

from typing import TypeVar

import numpy as np

from labkit.errors import InputError
from labkit.metrics.inputs import as_probabilities

Probability = TypeVar("Probability", float, np.ndarray)


def prior_shift(p: Probability, base_rate: float, new_base_rate: float) -> Probability:
    """Return the probability of attack at a new base rate.

    Theorem 2 of Elkan (2001): p' = b' (p - p b) / (b - p b + b' p - b b'), for class-conditional
    distributions that stay the same. Never decreasing in p, so no ranking is turned around.

    Parameters
    ----------
    p
        Probability, or an array of them, correct where the share of attacks is `base_rate`.
    base_rate, new_base_rate
        Shares of attacks b and b', within (0, 1).

    References
    ----------
    Elkan (2001), The foundations of cost-sensitive learning, IJCAI, 973-978.

    Examples
    --------
    >>> round(prior_shift(0.9, 0.5, 0.04), 4)
    0.2727
    """
    for name, rate in (("base_rate", base_rate), ("new_base_rate", new_base_rate)):
        if not 0 < rate < 1:
            raise InputError(f"{name} is {rate}; it must lie within (0, 1)")
    before = as_probabilities(np.ravel(p), "p").reshape(np.shape(p))
    # The theorem in odds: the odds against attack change by one factor. Every step is monotone
    # after rounding too, which attack / (attack + normal) is not.
    factor = base_rate / (1 - base_rate) * ((1 - new_base_rate) / new_base_rate)
    with np.errstate(divide="ignore", over="ignore"):
        after = 1 / (1 + (1 - before) / before * factor)
    return after if np.ndim(p) else after.item()
