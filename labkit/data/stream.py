"""The two weeks as a stream of blocks, for any number of records.

`blocks` simulates what `labkit.data.traffic.simulate` does, with the same volumes, drift and
attacking hosts for the same seed, at any scale and in memory that does not grow with it. What
differs:

1. draws are independent instead of stratified, which makes no difference at this size, and have
   16 random bits, or the 12 that a normal score needs;
2. the days' volumes are scaled to the number of records asked for, and each count is rounded;
3. records come in order of time. Within a window of at most an hour every kind is spread
   evenly, so one sort of random times is all the sorting there is. The few records of a block
   that share a time to 16 bits stand in the order of their kinds;
4. benign records look their values up in tables of the day (`labkit.data.lookup`). Attacks are
   worked out one by one, since each has a stealth of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index

import numpy as np

from labkit.data import counts, lookup, week
from labkit.data.draws import LANE_BITS, NORMAL, cell, generator, lanes, uniform
from labkit.data.profiles import TWO_WEEKS, Profile, Scenario
from labkit.data.schema import COLUMNS, DAY_SECONDS
from labkit.data.traffic import DEFAULT_SEED
from labkit.data.values import quantities
from labkit.errors import InputError

Block = dict[str, np.ndarray]

MAX_RECORDS = 10**12
# Small enough for a core's own cache, large enough to hide what a call of NumPy costs.
_BLOCK = 1 << 15
_HOUR = 3600
_SCORES, _ROUNDINGS = 8, 3


def blocks(
    records: int, seed: int = DEFAULT_SEED, scenario: Scenario = TWO_WEEKS
) -> Iterator[Block]:
    """Simulate a number of flow records, block by block.

    Parameters
    ----------
    records
        Records in all blocks together, 1 to 10**12.
    seed
        Seed of everything random.
    scenario
        Kinds, volumes and campaigns; the volumes are scaled to the number of records.

    Returns
    -------
    iterator of dict of str to numpy.ndarray
        Some ten thousand records at a time, ordered by time within and between blocks; the columns
        of `labkit.data.schema.COLUMNS` in that order, texts as codes into `vocabularies`.

    Raises
    ------
    InputError
        When that many records cannot be simulated.

    Examples
    --------
    >>> sum(len(block["time"]) for block in blocks(1000))
    1000
    >>> first = next(blocks(1000))
    >>> vocabularies()["proto"][first["proto"][0]] in ("tcp", "udp")
    True
    """
    try:
        whole = index(records)
    except TypeError:
        raise InputError(f"records must be a whole number, not {records!r}") from None
    if not 1 <= whole <= MAX_RECORDS:
        raise InputError(f"records must be 1 to {MAX_RECORDS:_}, not {whole}")
    return _blocks(whole, seed, scenario)


def vocabularies(scenario: Scenario = TWO_WEEKS) -> dict[str, tuple[str, ...]]:
    """Return the texts of each text column in the order of their codes.

    Examples
    --------
    >>> vocabularies()["family"]
    ('benign', 'scan', 'bruteforce', 'dos', 'exfil', 'beacon')
    """
    profiles = _profiles(scenario)
    return {
        "src": lookup.sources(profiles),
        **{column.name: column.allowed for column in COLUMNS if column.allowed},
        "family": ("benign", *dict.fromkeys(c.profile.name for c in scenario.campaigns)),
        "activity": tuple(dict.fromkeys(profile.name for profile in profiles)),
    }


def _profiles(scenario: Scenario) -> list[Profile]:
    """Return the profile of every kind: the benign ones, then the loud one of each campaign."""
    return [*scenario.benign, *(campaign.profile for campaign in scenario.campaigns)]


@dataclass(frozen=True)
class _Kinds:
    """What holds on every day: one value a kind, benign kinds first, then campaigns.

    A campaign's `cover` is the kind it hides in, a benign kind's is itself; `log_medians` and
    `spreads` have shape (8, kinds).
    """

    benign: int
    cover: np.ndarray
    family: np.ndarray
    activity: np.ndarray
    log_medians: np.ndarray
    spreads: np.ndarray
    places: lookup.Places


@dataclass(frozen=True)
class _Day:
    """What holds on one day: the benign tables, and each campaign's stealth and sources.

    `sources` are codes of shape (campaigns, sources, 2): a source outside, and one inside.
    """

    tables: lookup.Quantities
    least_stealth: np.ndarray
    more_stealth: np.ndarray
    sources: np.ndarray


def _blocks(records: int, seed: int, scenario: Scenario) -> Iterator[Block]:
    *kind_seeds, record_seed = week.seeds(seed, scenario)
    weeks = _weeks(*kind_seeds, scenario)
    kinds = _kinds(scenario)
    count_seed, *day_seeds = record_seed.spawn(1 + week.DAYS)
    by_hour = counts.by_hour(
        records,
        np.array([one.volumes for one in weeks]),
        np.array([profile.hours for profile in _profiles(scenario)], dtype=float),
        generator(count_seed),
    )
    for day in range(week.DAYS):
        today = _day(day, weeks, kinds, scenario)
        rng = generator(day_seeds[day])
        for hour in range(24):
            start = day * DAY_SECONDS + hour * _HOUR
            for window, number, of_kind in counts.windows(by_hour[:, day, hour], _BLOCK, rng):
                yield _block(start, window, number, of_kind, today, kinds, rng.bit_generator)


def _weeks(benign_seeds: week.Seeds, attack_seeds: week.Seeds, scenario: Scenario) -> list:
    benign = zip(benign_seeds, scenario.benign, strict=True)
    attacks = zip(attack_seeds, scenario.campaigns, strict=True)
    return [
        *(week.benign_week(seed, kind, scenario, whole=False) for seed, kind in benign),
        *(week.attack_week(seed, one, scenario, whole=False) for seed, one in attacks),
    ]


def _kinds(scenario: Scenario) -> _Kinds:
    profiles, texts = _profiles(scenario), vocabularies(scenario)
    names = [kind.name for kind in scenario.benign]
    covers = names + [campaign.hides_in for campaign in scenario.campaigns]
    families = ["benign"] * len(names) + [c.profile.name for c in scenario.campaigns]
    return _Kinds(
        benign=len(names),
        cover=np.array([names.index(name) for name in covers]),
        family=np.array([texts["family"].index(name) for name in families], dtype=np.int8),
        activity=np.array([texts["activity"].index(p.name) for p in profiles], dtype=np.int8),
        log_medians=np.array([week.log_medians(profile) for profile in profiles]).T,
        spreads=np.array([week.spreads(profile) for profile in profiles]).T,
        places=lookup.places(profiles),
    )


def _day(day: int, weeks: list[week.Week], kinds: _Kinds, scenario: Scenario) -> _Day:
    benign, attacks = weeks[: kinds.benign], weeks[kinds.benign :]
    medians = np.array([one.log_medians[day] for one in benign]).T
    ranges = [week.stealth_range(campaign, day) for campaign in scenario.campaigns]
    low, high = np.array(ranges).reshape(-1, 2).T
    few = [week.sources_of_day(generator(one.day_seeds[day])) for one in attacks]
    first, size = (
        table.reshape(-1, 1, 2)[kinds.benign :] for table in (kinds.places.first, kinds.places.size)
    )
    return _Day(
        tables=lookup.quantities_of_day(medians, kinds.spreads[:, : kinds.benign]),
        least_stealth=low,
        more_stealth=high - low,
        sources=first + (np.array(few).reshape(-1, week.SOURCES_A_DAY, 1) * size).astype(np.int32),
    )


def _block(
    start: int,
    window: int,
    number: int,
    of_kind: np.ndarray,
    today: _Day,
    kinds: _Kinds,
    bits: np.random.BitGenerator,
) -> Block:
    """Draw the records of one window of the hour that begins at `start`."""
    n = int(of_kind.sum())
    when, where, whence, *rest = lanes(bits, 3 + _SCORES + _ROUNDINGS, n)
    order = when.argsort(kind="stable")
    kind = np.repeat(np.arange(len(of_kind)), of_kind)[order]
    fraction = when[order] + np.int64(window << LANE_BITS)
    time = start + (fraction * _HOUR >> LANE_BITS) // number
    values = lookup.look_up(today.tables, kinds.cover.take(kind), rest[:_SCORES], rest[_SCORES:])
    placed = kind.copy()
    rows = np.flatnonzero(kind >= kinds.benign)
    drawn = np.array([lane[rows] for lane in rest])
    placed[rows], of_attacks = _attacks(kind[rows], drawn, today, kinds, bits)
    for name, column in of_attacks.items():
        values[name][rows] = column
    places = lookup.look_up_places(kinds.places, placed, kind, where, whence)
    # Which of a campaign's few sources of the day.
    few = whence[rows] * np.intp(week.SOURCES_A_DAY) >> LANE_BITS
    sides = places["internal"][rows]
    places["src"][rows] = today.sources[kind[rows] - kinds.benign, few, sides]
    return {
        "time": time.astype(np.int32),
        "day": np.full(n, start // DAY_SECONDS, dtype=np.int32),
        **places,
        **values,
        "label": (kind >= kinds.benign).view(np.int8),
        "family": kinds.family.take(kind),
        "activity": kinds.activity.take(kind),
    }


def _attacks(
    kind: np.ndarray, drawn: np.ndarray, today: _Day, kinds: _Kinds, bits: np.random.BitGenerator
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Work out whose services attacks have, and their quantities."""
    campaign, cover = kind - kinds.benign, kinds.cover[kind]
    how_stealthy, how_hidden = uniform(lanes(bits, 2, len(kind)))
    stealth = today.least_stealth[campaign] + today.more_stealth[campaign] * how_stealthy
    medians, spreads = (
        week.between(of_kinds[:, kind], of_kinds[:, cover], stealth)
        for of_kinds in (kinds.log_medians, kinds.spreads)
    )
    logs = medians + spreads * NORMAL[cell(drawn[:_SCORES])]
    placed = np.where(week.hides(stealth, how_hidden), cover, kind)
    return placed, quantities(logs, uniform(drawn[_SCORES:]))
