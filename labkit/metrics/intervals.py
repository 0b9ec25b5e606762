"""Intervals for what was measured on a finite number of records."""

import math

from labkit.errors import InputError


def wilson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the Wilson score interval of a share k / n.

    Exactly 0 at k = 0 and exactly 1 at k = n on that side; (nan, nan) at n = 0.

    Parameters
    ----------
    k, n
        Successes and trials, 0 <= k <= n.
    level
        Confidence level, within (0, 1).

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> low, high = wilson(80, 432)
    >>> round(low, 3), round(high, 3)
    (0.151, 0.225)
    """
    from scipy.special import ndtri

    if not 0 <= k <= n:
        raise InputError(f"k is {k} of n = {n}; it must lie within 0 and n")
    if not 0 < level < 1:
        raise InputError(f"level is {level}; it must lie within (0, 1)")
    if n == 0:
        return math.nan, math.nan
    z = float(ndtri(0.5 + level / 2))
    share = k / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return (0.0 if k == 0 else centre - half), (1.0 if k == n else centre + half)
