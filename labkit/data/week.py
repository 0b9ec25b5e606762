"""What is settled about the two weeks before any record is drawn.

That is how many records of each kind a day has, where the day's medians stand, how well attacks
hide on it and from which hosts they come. `labkit.data.traffic` and `labkit.data.stream` share it:
one seed means the same two weeks to both.
"""

from dataclasses import dataclass

import numpy as np

from labkit.data.draws import generator, normal
from labkit.data.profiles import Campaign, Profile, Scenario

DAYS = 14
# The first four quantities describe the flow itself, the rest its source; only flows drift.
_FLOW_SHAPE = 4
SOURCES_A_DAY = 4
"""Hosts from which a campaign works on one day."""
# Day 0 is a Thursday.
_WEEKEND = (2, 3)
# Blocks that RFC 5737 reserves for documentation: no such address belongs to anybody.
OUTSIDE = tuple(
    f"{net}.{i}" for net in ("192.0.2", "198.51.100", "203.0.113") for i in range(1, 255)
)
"""Every address outside the network."""


@dataclass(frozen=True)
class Week:
    """The two weeks of one kind of traffic.

    Attributes
    ----------
    volumes
        Records on each day, shape (14,).
    log_medians
        Log-medians of each day's quantities, shape (14, 8); an attack's are its loudest.
    day_seeds
        A seed for each day.
    """

    volumes: np.ndarray
    log_medians: np.ndarray
    day_seeds: list[np.random.SeedSequence]


Seeds = list[np.random.SeedSequence]


def seeds(seed: int, scenario: Scenario) -> tuple[Seeds, Seeds, np.random.SeedSequence]:
    """Return a seed for each benign kind, one for each campaign, and one for what is left."""
    benign = len(scenario.benign)
    *kinds, left = np.random.SeedSequence(seed).spawn(benign + len(scenario.campaigns) + 1)
    return kinds[:benign], kinds[benign:], left


def benign_week(
    sequence: np.random.SeedSequence, kind: Profile, scenario: Scenario, *, whole: bool
) -> Week:
    """Settle the volumes and the drift of a benign kind.

    Parameters
    ----------
    sequence
        Seed of the kind.
    kind
    scenario
    whole
        Whether the volumes are to be whole numbers.
    """
    week_seed, *day_seeds = sequence.spawn(1 + DAYS)
    rng = generator(week_seed)
    expected = kind.volume * np.where(
        np.isin(np.arange(DAYS) % 7, _WEEKEND), kind.weekend, np.ones(DAYS)
    )
    volumes = _volumes(rng, expected, scenario.volume_jitter, scenario, whole=whole)
    steps = normal(rng.random((DAYS, len(kind.medians))))
    steps[:, _FLOW_SHAPE:] = 0.0
    medians = log_medians(kind) + scenario.drift * steps.cumsum(axis=0)
    return Week(volumes, medians, day_seeds)


def attack_week(
    sequence: np.random.SeedSequence, campaign: Campaign, scenario: Scenario, *, whole: bool
) -> Week:
    """Settle the volumes of a campaign; its medians do not drift.

    Parameters
    ----------
    sequence
        Seed of the campaign.
    campaign
    scenario
    whole
        Whether the volumes are to be whole numbers.
    """
    week_seed, *day_seeds = sequence.spawn(1 + DAYS)
    expected = np.array(campaign.daily, dtype=float)
    volumes = _volumes(generator(week_seed), expected, campaign.jitter, scenario, whole=whole)
    return Week(volumes, np.tile(log_medians(campaign.profile), (DAYS, 1)), day_seeds)


def _volumes(
    rng: np.random.Generator,
    expected: np.ndarray,
    jitter: float,
    scenario: Scenario,
    *,
    whole: bool,
) -> np.ndarray:
    """Give each day its volume: as expected over each span, by chance within it."""
    weights = expected * np.exp(jitter * normal(rng.random(DAYS)))
    volumes = np.zeros(DAYS)
    for first, last in scenario.spans:
        days = slice(first, last + 1)
        total = expected[days].sum()
        total = np.rint(total) if whole else total
        if total:
            share = np.cumsum(weights[days]) / weights[days].sum()
            upto = np.rint(total * share) if whole else total * share
            volumes[days] = np.diff(upto, prepend=0)
    return volumes


def log_medians(profile: Profile) -> np.ndarray:
    """Return the log-medians of a profile's quantities, shape (8,)."""
    return np.log(profile.medians).round(6)


def spreads(profile: Profile) -> np.ndarray:
    """Return the log standard deviations of a profile's quantities, shape (8,)."""
    return np.array(profile.spreads)


def stealth_range(campaign: Campaign, day: int) -> tuple[float, float]:
    """Return the lowest and the highest stealth of a campaign's records on a day.

    Examples
    --------
    >>> from labkit.data.profiles import CAMPAIGNS
    >>> [round(limit, 2) for limit in stealth_range(CAMPAIGNS[3], 0)]
    [0.6, 0.72]
    """
    low0, high0, low1, high1 = campaign.stealth
    later = day / (DAYS - 1)
    return low0 + (low1 - low0) * later, high0 + (high1 - high0) * later


def between(loud: np.ndarray, cover: np.ndarray, stealth: np.ndarray) -> np.ndarray:
    """Return what lies a share `stealth` of the way from the loud profile to its cover."""
    return loud * (1.0 - stealth) + cover * stealth


def hides(stealth: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Say which attacks come from and go to where their cover does: that is hidden last."""
    # Hence the square.
    return uniform < stealth * stealth


def sources_of_day(rng: np.random.Generator) -> np.ndarray:
    """Draw where a campaign's few sources of one day stand among the possible ones, in [0, 1)."""
    return rng.random(SOURCES_A_DAY)


def inside_hosts(profile: Profile) -> tuple[str, ...]:
    """Return the names of the inside hosts that send such flows.

    Examples
    --------
    >>> from labkit.data.profiles import BENIGN
    >>> inside_hosts(BENIGN[0])[:2]
    ('ws-001', 'ws-002')
    """
    stem, size = profile.hosts
    return tuple(f"{stem}-{i:03d}" for i in range(1, size + 1))
