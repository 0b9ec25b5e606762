"""A made-up sample in the format of LUFlow, for a notebook that reads the real one.

No row is real. What is copied is how LUFlow's files look, and which of ten days have attacks: a
first day of one hour, long before the others; five days whose attacks all come in the first four
hours, since the machines that are attacked were recorded only then; quiet days between. Epochs lost
the zeros at their end, rows of ICMP have blank ports, short durations are written as 2.01E-4, some
rows are outliers, and files begin with a few flows of the day before. Networks have numbers
reserved for documentation (RFC 5398), and the dates lie in 2040.

How hard the attacks are to find was decided here, and says nothing of real ones.
"""

import gzip
import io
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np

from labkit.atomic import atomic_write
from labkit.data.draws import generator, normal
from labkit.data.files import DATA

FOLDER = DATA / "sample-luflow"
SEED = 12
HEADER = (
    "avg_ipt,bytes_in,bytes_out,dest_ip,dest_port,entropy,num_pkts_out,num_pkts_in,proto,src_ip,"
    "src_port,time_end,time_start,total_entropy,label,duration"
)

_TCP, _UDP, _ICMP = 6, 17, 1
_HOUSE, _NAMES = 64_496, 64_497
_ELSEWHERE = (*range(64_498, 64_512), *range(65_536, 65_546))
_DAY = 86_400
# Ports that programs open for themselves.
_HIGH = (32_768, 61_000)
# Attacks, and what else came to the machines that are attacked, were recorded until here.
_RECORDED_UNTIL = 13_600


@dataclass(frozen=True)
class _Kind:
    """One kind of flow: medians, and how far values spread around them (sd of the logarithm).

    No ports mean any, and None any network elsewhere. Bytes and packets are (out, in).
    """

    ports: tuple[int, ...]
    duration: float
    bytes: tuple[int, int]
    packets: tuple[int, int]
    entropy: float
    spread: float
    proto: int = _TCP
    source: int | None = None
    target: int | None = _HOUSE


_NORMAL = {
    "search": _Kind((9200,), 5.0, (5_000, 420), (6, 4), 2.2, 0.8, source=_HOUSE),
    "nodes": _Kind((9300,), 22.0, (14_000, 1_300), (50, 28), 2.3, 0.6, source=_HOUSE),
    "queue": _Kind((9092,), 0.02, (16_000, 380), (13, 10), 1.0, 0.7, source=_HOUSE),
    "names": _Kind((53,), 0.9, (64, 130), (2, 2), 3.8, 0.5, _UDP, _HOUSE, _NAMES),
    "admin": _Kind((22,), 9.0, (2_600, 2_300), (18, 16), 6.4, 0.7, source=_HOUSE),
    "checks": _Kind((22, 443, 445, 9200), 0.05, (0, 0), (2, 1), 0.0, 0.9, source=_HOUSE),
}
_ATTACKS = {
    "shares": _Kind((445,), 0.8, (191, 270), (6, 6), 4.6, 0.3),
    "knocks": _Kind((), 0.15, (0, 0), (2, 1), 0.0, 0.8),
    "passwords": _Kind((22, 23), 0.4, (1_312, 1_447), (14, 14), 6.6, 0.3),
    "calls": _Kind((5060,), 0.02, (557, 383), (1, 1), 5.7, 0.2, _UDP),
    "pings": _Kind((), 0.0001, (56, 56), (1, 1), 1.0, 0.3, _ICMP),
    # What an attacked machine says back, which the labels count as malicious too.
    "answers": _Kind((), 0.01, (0, 0), (1, 0), 0.0, 0.8, source=_HOUSE, target=None),
    # Like the house's own searches; these come late.
    "queries": _Kind((9200,), 2.0, (2_200, 600), (5, 5), 3.0, 0.6),
}
_USUAL = {"search": 280, "nodes": 140, "queue": 45, "names": 105, "admin": 12, "checks": 18}
_FIRST_HOUR = {"search": 12, "nodes": 10, "names": 8}


@dataclass(frozen=True)
class _Day:
    """What a day's file holds: rows by kind."""

    date: str
    normal: dict[str, int]
    attacks: dict[str, int]
    outliers: dict[str, int]
    hours: int = 24


def _quiet(date: str, **more: int) -> _Day:
    return _Day(date, _USUAL | more, {}, {})


_DAYS = (
    _Day(
        "2040.01.09",
        _FIRST_HOUR,
        {"shares": 105, "knocks": 28, "passwords": 16, "pings": 6, "answers": 5},
        {"shares": 25, "passwords": 20},
        hours=1,
    ),
    _Day(
        "2040.04.16",
        _USUAL,
        {"shares": 110, "knocks": 50, "passwords": 95, "calls": 8, "pings": 22, "answers": 15},
        {"shares": 90, "passwords": 50, "calls": 30},
    ),
    _quiet("2040.04.17"),
    _quiet("2040.04.18", checks=21),
    _Day(
        "2040.04.21",
        _USUAL,
        {"shares": 10, "knocks": 57, "passwords": 26, "calls": 24, "pings": 5, "answers": 8},
        {"knocks": 12},
    ),
    _quiet("2040.04.22", checks=16),
    _Day(
        "2040.04.28",
        _USUAL,
        {"shares": 4, "knocks": 16, "passwords": 5, "calls": 3, "pings": 1, "answers": 3}
        | {"queries": 8},
        {"pings": 20, "knocks": 14},
    ),
    _quiet("2040.04.29", checks=19),
    _Day(
        "2040.05.06",
        _USUAL,
        {"shares": 115, "knocks": 33, "passwords": 75, "calls": 3, "pings": 17, "answers": 12}
        | {"queries": 35},
        {"shares": 130, "passwords": 30},
    ),
    # A check that was not there before begins on this day.
    _quiet("2040.05.07", checks=44),
)


@cache
def sample_files() -> dict[str, bytes]:
    """Make the sample: name of a file -> the CSV that it holds, the same bytes each time."""
    seeds = np.random.SeedSequence(SEED).spawn(len(_DAYS))
    return {
        f"{day.date}.csv": "\n".join((HEADER, *_rows(day, seed), "")).encode()
        for day, seed in zip(_DAYS, seeds, strict=True)
    }


def write_sample(folder: Path = FOLDER) -> list[Path]:
    """Write the sample as one gzip file a day, and return their paths in order."""
    paths = []
    for name, content in sample_files().items():
        buffer = io.BytesIO()
        # No file name and no time in the header: the same rows give the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as packed:
            packed.write(content)
        paths.append(Path(folder) / f"{name}.gz")
        with atomic_write(paths[-1]) as file:
            file.write(buffer.getvalue())
    return paths


def sample_paths(folder: Path = FOLDER) -> list[Path]:
    """Return the files of the sample in the order of their days.

    Where the folder is not there, as in a sandbox, they are made in one that is left to the system
    to clear away.
    """
    if paths := sorted(Path(folder).glob("*.csv.gz")):
        return paths
    return write_sample(Path(tempfile.mkdtemp(prefix="sample-luflow-")))


def _rows(day: _Day, seed: np.random.SeedSequence) -> list[str]:
    rng = generator(seed)
    midnight = int(datetime.strptime(day.date, "%Y.%m.%d").replace(tzinfo=UTC).timestamp())
    whole, recorded = day.hours * 3600, min(day.hours * 3600, _RECORDED_UNTIL)
    rows: list[tuple[int, str]] = []
    for label, kinds, counts, until in (
        ("benign", _NORMAL, day.normal, whole),
        ("malicious", _ATTACKS, day.attacks, recorded),
        ("outlier", _ATTACKS, day.outliers, recorded),
    ):
        for name, number in counts.items():
            starts = midnight + rng.random(number) * until
            if label == "malicious" and name == "knocks":
                # The file begins with these.
                starts[:3] = midnight - 1 - 20 * rng.random(3)
            rows += _of_kind(kinds[name], label, starts, rng)
    # In the order in which flows ended, as a recorder writes them.
    return [row for _, row in sorted(rows)]


def _of_kind(
    kind: _Kind, label: str, starts: np.ndarray, rng: np.random.Generator
) -> list[tuple[int, str]]:
    number = len(starts)
    scores = normal(rng.random((6, number)))
    size, spread = 0.8 * scores[0], kind.spread
    durations = (kind.duration * np.exp(1.5 * spread * scores[1]) * 1e6).round().astype("int64")
    out, back = (
        (amount * np.exp(spread * (size + 0.6 * score))).round().astype("int64")
        for amount, score in zip(kind.bytes, scores[2:4], strict=True)
    )
    packets_out, packets_in = (
        np.maximum((amount * np.exp(0.7 * spread * size)).round().astype("int64"), least)
        for amount, least in zip(kind.packets, (1, 0), strict=True)
    )
    entropy = (kind.entropy * np.exp(0.15 * spread * scores[4])).round(6)
    gaps = np.where(packets_out > 1, durations / 1000 / (packets_out + packets_in), 0).round(4)
    low, high = _HIGH
    own_ports = (low + rng.random(number) * (high - low)).astype("int64")
    ports = kind.ports or range(1, 65_536)
    picked = (rng.random(number) * len(ports)).astype("int64")
    elsewhere = (rng.random(number) ** 2 * len(_ELSEWHERE)).astype("int64")
    begun = (starts * 1e6).round().astype("int64")
    rows = []
    for i in range(number):
        start, end = int(begun[i]), int(begun[i] + durations[i])
        has_ports = kind.proto != _ICMP
        total = (entropy[i] * (out[i] + back[i])).round(3)
        row = [
            f"{gaps[i]:g}",
            f"{back[i]}",
            f"{out[i]}",
            f"{kind.target or _ELSEWHERE[elsewhere[i]]}",
            f"{ports[picked[i]]}" if has_ports else '""',
            f"{entropy[i]}",
            f"{packets_out[i]}",
            f"{packets_in[i]}",
            f"{kind.proto}",
            f"{kind.source or _ELSEWHERE[elsewhere[i]]}",
            f"{own_ports[i]}" if has_ports else '""',
            _without_zeros(end),
            _without_zeros(start),
            f"{total}",
            label,
            _java(int(durations[i])),
        ]
        rows.append((end, ",".join(row)))
    return rows


def _without_zeros(microseconds: int) -> str:
    """Write an epoch as LUFlow does: its fraction without the zeros at the end.

    Examples
    --------
    >>> _without_zeros(2212444800_120300)
    '22124448001203'
    """
    seconds, fraction = divmod(microseconds, 10**6)
    return f"{seconds}{f'{fraction:06}'.rstrip('0') or '0'}"


def _java(microseconds: int) -> str:
    """Write microseconds in seconds as the tool behind LUFlow does.

    Examples
    --------
    >>> _java(201), _java(1_287_756), _java(0), _java(10)
    ('2.01E-4', '1.287756', '0.0', '1.0E-5')
    """
    seconds = microseconds / 1e6
    if 0 < seconds < 1e-3:
        mantissa, _, exponent = f"{seconds:.10e}".partition("e")
        digits = mantissa.rstrip("0")
        return f"{digits}0E{int(exponent)}" if digits.endswith(".") else f"{digits}E{int(exponent)}"
    return f"{seconds}"
