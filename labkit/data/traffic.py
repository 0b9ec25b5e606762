"""Two weeks of simulated network flows.

One record is one flow together with what a collector knows of its source in the ten minutes
before. `simulate` draws the fourteen days of `labkit.data.profiles.TWO_WEEKS`, one
kind and day (a *cell*) at a time:

1. every quantity of a cell is a stratified draw: its n uniforms fall one into each of n equal
   strata, in random order, so that a table varies less from seed to seed than independent draws
   would let it;
2. a small table turns a uniform into a normal score, and the score becomes a value around the
   kind's median (`labkit.data.values`);
3. an attack's medians lie between those of its loud profile and those of the benign kind that it
   hides in; its stealth says where.

What is simpler here than in a real network: volumes are fixed over days 0-7, 8-9 and 10-13, and
chance only spreads them over the days of each; the loudest attacks come in nearly the same number
every day, a little fewer on days 8 and 9; attackers grow quieter because quiet records join, not
because anybody learns; what the collector saw of a source is drawn for each record by itself, so
two records of one host need not agree; rare benign kinds keep to narrow ranges.
"""

import numpy as np
import pandas as pd

from labkit.data import week
from labkit.data.draws import generator, normal, strata
from labkit.data.profiles import CAMPAIGNS, TWO_WEEKS, Campaign, Profile, Scenario
from labkit.data.schema import DAY_SECONDS
from labkit.data.values import quantities

DEFAULT_SEED = 231
FAMILIES = tuple(dict.fromkeys(campaign.profile.name for campaign in CAMPAIGNS))

_WIDTH = 17
"""Uniforms of a record: time, service, inside, source, stealth, hiding; 8 scores; 3 roundings."""
_OUTSIDE = np.array(week.OUTSIDE)


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
    benign_seeds, campaign_seeds, _ = week.seeds(seed, scenario)
    parts = []
    for profile, sequence in zip(scenario.benign, benign_seeds, strict=True):
        parts += _benign_cells(sequence, profile, scenario)
    for campaign, sequence in zip(scenario.campaigns, campaign_seeds, strict=True):
        parts += _attack_cells(sequence, campaign, covers[campaign.hides_in], scenario)
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(columns["time"], kind="stable")
    return pd.DataFrame({name: values[order] for name, values in columns.items()})


def _benign_cells(
    sequence: np.random.SeedSequence, kind: Profile, scenario: Scenario
) -> list[dict]:
    plan = week.benign_week(sequence, kind, scenario, whole=True)
    spreads = week.spreads(kind)[:, None]
    parts = []
    for day in np.flatnonzero(plan.volumes).tolist():
        uniforms = strata(generator(plan.day_seeds[day]), int(plan.volumes[day]), _WIDTH)
        logs = plan.log_medians[day][:, None] + spreads * normal(uniforms[6:14])
        service, internal = _place(kind, uniforms)
        source = _sources(kind, internal, uniforms[3])
        parts.append(_records(day, kind, uniforms, logs, service, internal, source))
    return parts


def _attack_cells(
    sequence: np.random.SeedSequence, campaign: Campaign, cover: Profile, scenario: Scenario
) -> list[dict]:
    loud = campaign.profile
    plan = week.attack_week(sequence, campaign, scenario, whole=True)
    cover_medians = week.log_medians(cover)[:, None]
    spreads = [week.spreads(profile)[:, None] for profile in (loud, cover)]
    parts = []
    for day in np.flatnonzero(plan.volumes).tolist():
        rng = generator(plan.day_seeds[day])
        bots = week.sources_of_day(rng)
        uniforms = strata(rng, int(plan.volumes[day]), _WIDTH)
        low, high = week.stealth_range(campaign, day)
        stealth = low + (high - low) * uniforms[4]
        logs = week.between(plan.log_medians[day][:, None], cover_medians, stealth)
        logs += week.between(*spreads, stealth) * normal(uniforms[6:14])
        hidden = week.hides(stealth, uniforms[5])
        own, covered = _place(loud, uniforms), _place(cover, uniforms)
        service = np.where(hidden, covered[0], own[0])
        internal = np.where(hidden, covered[1], own[1])
        source = _sources(loud, internal, bots[(uniforms[3] * len(bots)).astype(np.intp)])
        parts.append(_records(day, loud, uniforms, logs, service, internal, source, attack=True))
    return parts


def _place(profile: Profile, uniforms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Draw the service ("port proto") and the inside flag of each flow."""
    shares = np.cumsum([share for *_, share in profile.services])[:-1]
    names = np.array([f"{port} {proto}" for port, proto, _ in profile.services], dtype="U16")
    service = names[np.searchsorted(shares, uniforms[1], side="right")]
    return service, (uniforms[2] < profile.internal).astype(np.int64)


def _sources(profile: Profile, internal: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    inside = np.array(week.inside_hosts(profile), dtype="U16")
    inner = inside[(uniform * len(inside)).astype(np.intp)]
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
    logs: np.ndarray,
    service: np.ndarray,
    internal: np.ndarray,
    source: np.ndarray,
    *,
    attack: bool = False,
) -> dict[str, np.ndarray]:
    """Put together the columns of one cell's records."""
    n = len(internal)
    port, proto = np.array([name.split() for name in service.tolist()], dtype="U8").T
    family = profile.name if attack else "benign"
    return {
        "time": day * DAY_SECONDS + _second_of_day(profile, uniforms[0]),
        "day": np.full(n, day, dtype=np.int64),
        "src": source.astype(object),
        "internal": internal,
        "proto": proto.astype(object),
        "port_class": port.astype(object),
        **quantities(logs, uniforms[14:17]),
        "label": np.full(n, int(attack), dtype=np.int64),
        "family": np.full(n, family, dtype=object),
        "activity": np.full(n, profile.name, dtype=object),
    }
