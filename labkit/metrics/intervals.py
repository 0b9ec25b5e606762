"""Intervals for a share k / n, such as a recall or a precision at a fixed threshold."""

import math

from labkit.errors import InputError
from labkit.metrics.scalars import as_number, as_share


def wilson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the Wilson score interval of a share k / n.

    Its coverage is close to the level on average over shares. Exactly 0 at k = 0 and exactly 1 at
    k = n on that side; (nan, nan) at n = 0.

    Parameters
    ----------
    k, n
        Successes and trials, 0 <= k <= n.
    level
        Confidence level, within (0, 1).

    Raises
    ------
    InputError
        When k lies outside 0 to n, or the level outside (0, 1).

    References
    ----------
    Wilson (1927), Journal of the American Statistical Association 22, 209-212.

    Examples
    --------
    >>> low, high = wilson(80, 432)
    >>> round(low, 3), round(high, 3)
    (0.151, 0.225)
    """
    z = normal_quantile(level)
    k, n = _share_counts(k, n)
    if n == 0:
        return math.nan, math.nan
    share = k / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return (0.0 if k == 0 else centre - half), (1.0 if k == n else centre + half)


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share k / n.

    Called exact: its coverage is at least the level whatever the true share, so it is wider than
    Wilson's. Exactly 0 at k = 0 and exactly 1 at k = n; (nan, nan) at n = 0.

    Parameters
    ----------
    k, n
        Successes and trials, 0 <= k <= n.
    level
        Confidence level, within (0, 1).

    Raises
    ------
    InputError
        When k lies outside 0 to n, or the level outside (0, 1).

    References
    ----------
    Clopper and Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 10)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    level = as_share(level, "level")
    k, n = _share_counts(k, n)
    if n == 0:
        return math.nan, math.nan
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return low, high


def normal_quantile(level: float) -> float:
    """Return how many standard deviations a two-sided normal interval of a level spans.

    Examples
    --------
    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from scipy.special import ndtri

    level = as_share(level, "level")
    # From the tail, which keeps its digits where the level is next to 1.
    return -float(ndtri((1 - level) / 2))


def _share_counts(k: float, n: float) -> tuple[float, float]:
    k, n = as_number(k, "k"), as_number(n, "n")
    if not 0 <= k <= n < math.inf:
        raise InputError(f"k is {k} of n = {n}; it must lie within 0 and n")
    return k, n
