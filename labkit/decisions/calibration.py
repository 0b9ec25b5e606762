"""Probabilities for another population than the one a model was fitted to."""

from typing import TypeVar

import numpy as np

from labkit.errors import InputError

Probability = TypeVar("Probability", float, np.ndarray)


def prior_shift(p: Probability, base_rate: float, new_base_rate: float) -> Probability:
    """Return the probability of attack at a new base rate.

    Theorem 2 of Elkan (2001): p' = b' (p - p b) / (b - p b + b' p - b b'), for class-conditional
    distributions that stay the same. Monotone in p, so no ranking changes.

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
    if not np.all((np.asarray(p) >= 0) & (np.asarray(p) <= 1)):
        raise InputError("p must lie within [0, 1]")
    # The theorem, divided through by b b': each class keeps its density and gets its new share.
    attack = p * (new_base_rate / base_rate)
    normal = (1 - p) * ((1 - new_base_rate) / (1 - base_rate))
    return attack / (attack + normal)
