"""Two weeks of simulated network flows.

One record is one flow together with what a collector knows of its source in the ten minutes
before. `simulate` draws the fourteen days of `labkit.data.profiles.TWO_WEEKS`, one
kind and day (a *cell*) at a time:

1. every quantity of a cell is a stratified draw: its n uniforms fall one into each of n equal
   strata, in random order, so that a table varies less from seed to seed than independent draws
   would let it;
2. a small table turns a uniform into a normal score, and the score becomes a value around the
   kind's median. Durations and bytes are rounded to 0.1 in their logarithm here, so that a
   detector that bins its inputs sees the same values whatever its version;
3. an attack's medians lie between those of its loud profile and those of the benign kind that it
   hides in; its stealth says where.

Nothing is ever drawn but `random` of a seeded PCG64, which gives the same table under every
NumPy.

What is simpler here than in a real network: volumes are fixed over days 0-7, 8-9 and 10-13, and
chance only spreads them over the days of each; the loudest attacks come in nearly the same number
every day, a little fewer on days 8 and 9; attackers grow quieter because quiet records join, not
because anybody learns; what the collector saw of a source is drawn for each record by itself, so
two records of one host need not agree; rare benign kinds keep to narrow ranges.
"""

from math import gcd
from statistics import NormalDist

import numpy as np
import pandas as pd

from labkit.data.profiles import CAMPAIGNS, TWO_WEEKS, Campaign, Profile, Scenario
from labkit.data.schema import DAY_SECONDS

DEFAULT_SEED = 231
FAMILIES = tuple(dict.fromkeys(campaign.profile.name for campaign in CAMPAIGNS))
DAYS = 14
FAILED_MAX = 250
"""The collector stops counting failed connections here."""

_WIDTH = 17
"""Uniforms of a record: time, service, inside, source, stealth, hiding; 8 scores; 3 roundings."""
# The first four quantities describe the flow itself, the rest its source; only flows drift.
_FLOW_SHAPE = 4
_CELLS = 4096
_SHUFFLED_UP_TO = 4096
_Z_MAX = 2.2
# Rounded, so that a last-digit difference between platforms cannot reach the records.
_NORMAL = np.array(
    [round(NormalDist().inv_cdf((i + 0.5) / _CELLS), 6) for i in range(_CELLS)]
).clip(-_Z_MAX, _Z_MAX)
# Day 0 is a Thursday.
_WEEKEND = (2, 3)
# Blocks that RFC 5737 reserves for documentation: no such address belongs to anybody.
_OUTSIDE = np.array(
    [f"{net}.{i}" for net in ("192.0.2", "198.51.100", "203.0.113") for i in range(1, 255)]
)


def strata(rng: np.random.Generator, n: int, width: int) -> np.ndarray:
    """Draw `width` stratified samples of `n` uniforms, independent of each other.

    Parameters
    ----------
    rng
    n
        Number of strata, and of values in each row.
    width
        Number of rows.

    Returns
    -------
    numpy.ndarray
        Shape (width, n), in [0, 1). Each row has exactly one value in every [i/n, (i+1)/n).
    """
    if n <= _SHUFFLED_UP_TO:
        order = rng.random((width, n)).argsort(axis=1)
        return (order + rng.random((width, n))) / n
    # A shuffle of millions is slow. Multiples of a number coprime to n visit every stratum once
    # too, and with n this large two rows practically never share a pattern.
    order = np.stack([np.arange(n) * _coprime(rng, n) % n for _ in range(width)])
    return (order + rng.random((width, 1))) / n


def _coprime(rng: np.random.Generator, n: int) -> int:
    step = int(rng.random() * n) + 1
    while gcd(step, n) > 1:
        step += 1
    return step


def simulate(seed: int = DEFAULT_SEED, scenario: Scenario = TWO_WEEKS) -> pd.DataFrame:
    """Simulate the flow records of days 0 to 13.

    Parameters
    ----------
    seed
        Seed of everything random.
    scenario
        Kinds, volumes and campaigns.

    Returns
    -------
    pandas.DataFrame
        One record a row, sorted by time; see `labkit.data.schema` for the columns.
    """
    covers = {profile.name: profile for profile in scenario.benign}
    seeds = np.random.SeedSequence(seed).spawn(len(scenario.benign) + len(scenario.campaigns))
    parts = []
    for profile, sequence in zip(scenario.benign, seeds[: len(covers)], strict=True):
        parts += _benign_cells(sequence, profile, scenario)
    for campaign, sequence in zip(scenario.campaigns, seeds[len(covers) :], strict=True):
        parts += _attack_cells(sequence, campaign, covers[campaign.hides_in], scenario)
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(columns["time"], kind="stable")
    return pd.DataFrame({name: values[order] for name, values in columns.items()})


def _rng(sequence: np.random.SeedSequence) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(sequence))


def _normal(uniform: np.ndarray) -> np.ndarray:
    """Return the normal scores of uniforms, clipped at 2.2."""
    return _NORMAL[(uniform * _CELLS).astype(np.intp)]


def _log_medians(profile: Profile) -> np.ndarray:
    return np.log(profile.medians).round(6)


def _spreads(profile: Profile) -> np.ndarray:
    return np.array(profile.spreads)


def _volumes(
    rng: np.random.Generator, expected: np.ndarray, jitter: float, scenario: Scenario
) -> np.ndarray:
    """Count the records of each day: as expected over each span, by chance within it."""
    weights = expected * np.exp(jitter * _normal(rng.random(DAYS)))
    counts = np.zeros(DAYS, dtype=np.int64)
    for first, last in scenario.spans:
        days = slice(first, last + 1)
        total = np.rint(expected[days].sum())
        if total:
            share = np.cumsum(weights[days]) / weights[days].sum()
            counts[days] = np.diff(np.rint(total * share), prepend=0)
    return counts


def _benign_cells(
    sequence: np.random.SeedSequence, kind: Profile, scenario: Scenario
) -> list[dict]:
    week_seed, *day_seeds = sequence.spawn(1 + DAYS)
    rng = _rng(week_seed)
    expected = kind.volume * np.where(
        np.isin(np.arange(DAYS) % 7, _WEEKEND), kind.weekend, np.ones(DAYS)
    )
    counts = _volumes(rng, expected, scenario.volume_jitter, scenario)
    steps = _normal(rng.random((DAYS, len(kind.medians))))
    steps[:, _FLOW_SHAPE:] = 0.0
    medians = _log_medians(kind) + scenario.drift * steps.cumsum(axis=0)
    parts = []
    for day in np.flatnonzero(counts).tolist():
        uniforms = strata(_rng(day_seeds[day]), int(counts[day]), _WIDTH)
        service, internal = _place(kind, uniforms)
        source = _sources(kind, internal, uniforms[3])
        parts.append(
            _records(
                day,
                kind,
                uniforms,
                medians[day][:, None],
                _spreads(kind),
                service,
                internal,
                source,
            )
        )
    return parts


def _attack_cells(
    sequence: np.random.SeedSequence, campaign: Campaign, cover: Profile, scenario: Scenario
) -> list[dict]:
    loud = campaign.profile
    week_seed, *day_seeds = sequence.spawn(1 + DAYS)
    expected = np.array(campaign.daily, dtype=float)
    counts = _volumes(_rng(week_seed), expected, campaign.jitter, scenario)
    low0, high0, low1, high1 = campaign.stealth
    parts = []
    for day in np.flatnonzero(counts).tolist():
        rng = _rng(day_seeds[day])
        bots = rng.random(4)  # where this day's few sources stand among the possible ones
        uniforms = strata(rng, int(counts[day]), _WIDTH)
        later = day / (DAYS - 1)
        low, high = low0 + (low1 - low0) * later, high0 + (high1 - high0) * later
        stealth = low + (high - low) * uniforms[4]
        log_values = _log_medians(loud)[:, None] * (1.0 - stealth)
        log_values += _log_medians(cover)[:, None] * stealth
        spreads = _spreads(loud)[:, None] * (1.0 - stealth) + _spreads(cover)[:, None] * stealth
        # Where a flow comes from and goes to is hidden last, hence the square.
        hidden = uniforms[5] < stealth * stealth
        own, covered = _place(loud, uniforms), _place(cover, uniforms)
        service = np.where(hidden, covered[0], own[0])
        internal = np.where(hidden, covered[1], own[1])
        source = _sources(loud, internal, bots[(uniforms[3] * len(bots)).astype(np.intp)])
        parts.append(
            _records(
                day, loud, uniforms, log_values, spreads, service, internal, source, attack=True
            )
        )
    return parts


def _place(profile: Profile, uniforms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw the service ("port proto") and the inside flag of each flow."""
    shares = np.cumsum([share for *_, share in profile.services])[:-1]
    names = np.array([f"{port} {proto}" for port, proto, _ in profile.services], dtype="U16")
    service = names[np.searchsorted(shares, uniforms[1], side="right")]
    return service, (uniforms[2] < profile.internal).astype(np.int64)


def _sources(profile: Profile, internal: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    stem, size = profile.hosts
    inside = np.array([f"{stem}-{i:03d}" for i in range(1, size + 1)], dtype="U16")
    inner = inside[(uniform * size).astype(np.intp)]
    outer = _OUTSIDE[(uniform * len(_OUTSIDE)).astype(np.intp)]
    return np.where(internal == 1, inner, outer)


def _second_of_day(profile: Profile, uniform: np.ndarray) -> np.ndarray:
    share = np.cumsum(np.array(profile.hours, dtype=float))
    edges = np.concatenate([[0.0], share / share[-1]])
    return (np.interp(uniform, edges, np.arange(25) * 3600)).astype(np.int64) % DAY_SECONDS


def _records(
    day: int,
    profile: Profile,
    uniforms: np.ndarray,
    log_values: np.ndarray,
    spreads: np.ndarray,
    service: np.ndarray,
    internal: np.ndarray,
    source: np.ndarray,
    *,
    attack: bool = False,
) -> dict[str, np.ndarray]:
    """Turn the uniforms of one cell into the columns of its records."""
    spreads = spreads.reshape(len(spreads), -1)
    logs = log_values + spreads * _normal(uniforms[6:14])
    duration = np.exp(_tenths(logs[0]))
    out = np.exp(_tenths(logs[1]))
    total_in = np.exp(_tenths(logs[1] + logs[2]))
    bytes_out = np.rint(out).clip(40).astype(np.int64)
    bytes_in = np.rint(total_in).clip(40).astype(np.int64)
    total = bytes_out + bytes_in
    # A packet carries 40 to 1500 bytes, headers included.
    size = np.exp(logs[3]).clip(40, 1500)
    packets = np.rint(total / size).astype(np.int64).clip(-(-total // 1500), total // 40)
    failed, peers, connections = (
        np.floor(np.exp(logs[4:7]) + uniforms[14:17]).clip(0, 50_000).astype(np.int64)
    )
    failed = failed.clip(0, FAILED_MAX)
    peers = peers.clip(1)
    connections = np.maximum(connections, np.maximum(peers, failed))
    n = len(failed)
    port, proto = np.array([name.split() for name in service.tolist()], dtype="U8").T
    family = profile.name if attack else "benign"
    return {
        "time": day * DAY_SECONDS + _second_of_day(profile, uniforms[0]),
        "day": np.full(n, day, dtype=np.int64),
        "src": source.astype(object),
        "internal": internal,
        "proto": proto.astype(object),
        "port_class": port.astype(object),
        "duration_s": duration.round(4),
        "bytes_out": bytes_out,
        "bytes_in": bytes_in,
        "packets": packets,
        "failed_10min": failed,
        "peers_10min": peers,
        "connections_10min": connections,
        "iat_cv_10min": np.exp(logs[7]).clip(0.01, 2.5).round(2),
        "label": np.full(n, int(attack), dtype=np.int64),
        "family": np.full(n, family, dtype=object),
        "activity": np.full(n, profile.name, dtype=object),
    }


def _tenths(logs: np.ndarray) -> np.ndarray:
    return np.rint(logs * 10.0) / 10.0
