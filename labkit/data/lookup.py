"""Tables that turn random bits into values, for `labkit.data.stream`.

A benign record's values on one day are a function of its kind and of which of the 4096 normal
scores each quantity got. So they are worked out once a day, with the functions of
`labkit.data.values` that `simulate` uses too, and a record only looks them up. Where it comes from
and goes to is a function of its kind and 16 random bits.
"""

from dataclasses import dataclass

import numpy as np

from labkit.data import values, week
from labkit.data.counts import share_out
from labkit.data.draws import CELLS, LANE_BITS, NORMAL, cell
from labkit.data.profiles import Profile
from labkit.data.schema import COLUMNS

# Tenths of a log-value with this many binary places: bytes in come of a sum of two, unrounded.
_PLACES = 20
_PORTS = next(column.allowed for column in COLUMNS if column.name == "port_class")
_PROTOS = next(column.allowed for column in COLUMNS if column.name == "proto")


@dataclass(frozen=True)
class Quantities:
    """What every kind's normal scores mean on one day.

    Shape (kinds * 4096,), a kind's cells together; `seen` has a row for each of its three counts.
    `out` and `ratio` are what bytes out and the ratio add to the log of bytes in, counted in tenths
    with 20 binary places from the lowest sum on; `bytes_in` has one value a tenth. The collector's
    three counts are means with 16 binary places.
    """

    duration: np.ndarray
    bytes_out: np.ndarray
    out: np.ndarray
    ratio: np.ndarray
    bytes_in: np.ndarray
    packet_size: np.ndarray
    seen: np.ndarray
    iat_cv: np.ndarray


def quantities_of_day(log_medians: np.ndarray, spreads: np.ndarray) -> Quantities:
    """Work out a day's tables.

    Parameters
    ----------
    log_medians, spreads
        Of every kind, shape (8, kinds).
    """
    logs = log_medians[:, :, None] + spreads[:, :, None] * NORMAL
    logs = logs.reshape(len(logs), -1)
    lowest = np.floor(10.0 * (logs[1].min() + logs[2].min()))
    highest = np.ceil(10.0 * (logs[1].max() + logs[2].max()))
    return Quantities(
        duration=values.duration(logs[0]),
        bytes_out=values.byte_count(logs[1]),
        # The half makes the later cut to whole tenths a rounding.
        out=_fixed(10.0 * logs[1] - lowest + 0.5, _PLACES).astype(np.int32),
        ratio=_fixed(10.0 * logs[2], _PLACES).astype(np.int32),
        bytes_in=values.byte_count(np.arange(lowest, highest + 1) / 10.0),
        packet_size=values.packet_size(logs[3]),
        seen=_fixed(values.mean_seen(logs[4:7]), LANE_BITS).astype(np.uint32),
        iat_cv=values.iat_cv(logs[7]),
    )


def _fixed(numbers: np.ndarray, places: int) -> np.ndarray:
    return np.rint(numbers * (1 << places))


def look_up(
    tables: Quantities, kinds: np.ndarray, scores: np.ndarray, roundings: np.ndarray
) -> dict[str, np.ndarray]:
    """Turn random bits into the columns of n benign records.

    Parameters
    ----------
    tables
        Those of the day.
    kinds
        Each record's kind as an index into the tables, shape (n,), intp.
    scores, roundings
        Lanes of shape (8, n) and (3, n).

    Returns
    -------
    dict of str to numpy.ndarray
        The columns that `labkit.data.values.quantities` returns.
    """
    start = kinds * CELLS

    def pick(table: np.ndarray, score: int) -> np.ndarray:
        # An index array each time: one that is freed at once stays in the cache.
        return table.take(start + cell(scores[score]))

    failed, peers, connections = (
        (pick(means, 4 + i) + roundings[i] >> LANE_BITS).view(np.int32)
        for i, means in enumerate(tables.seen)
    )
    bytes_out = pick(tables.bytes_out, 1)
    bytes_in = tables.bytes_in.take(pick(tables.out, 1) + pick(tables.ratio, 2) >> _PLACES)
    return {
        "duration_s": pick(tables.duration, 0),
        "bytes_out": bytes_out,
        "bytes_in": bytes_in,
        "packets": values.packet_count(bytes_out + bytes_in, pick(tables.packet_size, 3)),
        "failed_10min": failed,
        "peers_10min": peers,
        "connections_10min": values.at_least_both(connections, peers, failed),
        "iat_cv_10min": pick(tables.iat_cv, 7),
    }


@dataclass(frozen=True)
class Places:
    """Where the records of every profile come from and go to.

    Attributes
    ----------
    codes
        Service and inside flag for each value of a lane, shape (profiles * 65536,), uint8: the
        port class in the low three bits, then a bit for the protocol, then the inside flag.
    first, size
        Index of the first possible source in `sources`, and their number, shape (profiles * 2,):
        a profile's outside sources stand before its inside ones.
    """

    codes: np.ndarray
    first: np.ndarray
    size: np.ndarray


def sources(profiles: list[Profile]) -> tuple[str, ...]:
    """Return every address and name that the profiles' flows may come from."""
    names = [*week.OUTSIDE, *(name for profile in profiles for name in week.inside_hosts(profile))]
    return tuple(dict.fromkeys(names))


def places(profiles: list[Profile]) -> Places:
    """Work out the tables of some profiles."""
    position = {name: i for i, name in enumerate(sources(profiles))}
    groups = [group for one in profiles for group in (week.OUTSIDE, week.inside_hosts(one))]
    return Places(
        codes=np.concatenate([_place_codes(profile) for profile in profiles]),
        first=np.array([position[group[0]] for group in groups], dtype=np.int32),
        size=np.array([len(group) for group in groups], dtype=np.int32),
    )


def _place_codes(profile: Profile) -> np.ndarray:
    """Share the values of a lane out among services and sides."""
    codes, shares = [], []
    for port, proto, share in profile.services:
        for inside, of_side in ((0, 1.0 - profile.internal), (1, profile.internal)):
            codes.append(_PORTS.index(port) | _PROTOS.index(proto) << 3 | inside << 4)
            shares.append(share * of_side)
    lengths = share_out(1 << LANE_BITS, np.array(shares), 0.5)
    return np.repeat(np.array(codes, dtype=np.uint8), lengths)


def look_up_places(
    tables: Places,
    placed: np.ndarray,
    sent: np.ndarray,
    where: np.ndarray,
    whence: np.ndarray,
) -> dict[str, np.ndarray]:
    """Turn random bits into the columns that say where n records come from and go to.

    Parameters
    ----------
    tables
    placed, sent
        Whose services and whose hosts a record has, as an index of profiles, shape (n,), intp.
    where, whence
        Lanes of shape (n,): the first decides on service and side, the second on the source.

    Returns
    -------
    dict of str to numpy.ndarray
        `src`, `internal`, `proto` and `port_class`; the texts as codes.
    """
    code = tables.codes.take((placed << LANE_BITS) + where)
    internal = code >> 4
    group = sent * 2 + internal
    src = tables.first.take(group) + (tables.size.take(group) * whence >> LANE_BITS)
    return {
        "src": src,
        "internal": internal.view(np.int8),
        "proto": (code >> 3 & 1).view(np.int8),
        "port_class": (code & 7).view(np.int8),
    }
