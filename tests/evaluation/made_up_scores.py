"""Made-up scores: two detectors, one of probabilities, over seven days of which one is quiet."""

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
