"""Made-up scores: two detectors, one of probabilities, over seven days of which one is quiet.

And a way to lay two evaluations of them beside each other.
"""

import numpy as np


def scores(n=1500, seed=4, days=7, quiet=6):
    """Labels, scores by detector, and day of each record; `coarse` has ties."""
    rng = np.random.default_rng(seed)
    day = rng.integers(1, days + 1, n)
    y_true = (rng.random(n) < 0.06) & (day != quiet)
    return (
        y_true,
        {
            "coarse": np.round(rng.normal(size=n) + 1.5 * y_true, 1),
            "sharp": 1 / (1 + np.exp(3 - rng.normal(size=n) - 2 * y_true)),
        },
        day,
    )


def numbers(told, path=""):
    """Every number and text of a dict by its path."""
    parts = ()
    if isinstance(told, dict):
        parts = told.items()
    elif isinstance(told, list):
        parts = enumerate(told)
    elif told is not None:
        yield path, told
    for key, value in parts:
        yield from numbers(value, f"{path}/{key}")
