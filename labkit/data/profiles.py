"""What each kind of traffic looks like: the tables from which :mod:`labkit.data.traffic` draws.

Everything here is data. A :class:`Profile` describes one kind of flow (its size, its rhythm and
what a collector has seen of its source); an :class:`Attack` adds how many there are on each day
and how well they hide; a :class:`Scenario` puts both into two weeks.
"""

from __future__ import annotations

from dataclasses import dataclass

NUMERIC = (
    "duration_s",
    "bytes_out",
    "in_out_ratio",
    "packet_bytes",
    "failed_10min",
    "peers_10min",
    "connections_10min",
    "iat_cv_10min",
)
"""The quantities that a profile gives as (median, log standard deviation), in this order."""

OFFICE = (1, 1, 1, 1, 1, 2, 5, 12, 26, 34, 36, 34, 28, 32, 36, 35, 32, 26, 16, 10, 8, 6, 4, 2)
STEADY = (1,) * 24
NIGHT = (20, 24, 24, 22, 16, 8, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4, 6, 10, 14, 18)
EVENING = (6, 4, 2, 1, 1, 1, 1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 6, 8, 11, 14, 15, 14, 12, 9)


@dataclass(frozen=True)
class Profile:
    """One kind of flow.

    Attributes
    ----------
    name : str
        The kind, as the column ``activity`` gives it.
    numeric : tuple of (float, float)
        Median and log standard deviation of each quantity of :data:`NUMERIC`.
    services : tuple of (str, str, float)
        Destination port class, protocol and share; the shares add up to 1.
    internal : float
        Share of flows whose source stands inside the network.
    hosts : tuple of (str, int)
        Name stem and number of the inside hosts that send such flows.
    hours : tuple of float
        Relative volume in each hour of the day.
    volume : float
        Flows on an ordinary working day (relative; benign kinds only).
    weekend : float
        Volume of a week-end day relative to a working day.
    """

    name: str
    numeric: tuple[tuple[float, float], ...]
    services: tuple[tuple[str, str, float], ...]
    internal: float
    hosts: tuple[str, int]
    hours: tuple[float, ...] = STEADY
    volume: float = 0.0
    weekend: float = 1.0


@dataclass(frozen=True)
class Campaign:
    """Attacks of one family and one way of working over the two weeks.

    Attributes
    ----------
    profile : Profile
        The family at its loudest.
    hides_in : str
        The benign kind that a perfectly stealthy record cannot be told from.
    daily : tuple of float
        Expected records on each day.
    stealth : tuple of (float, float, float, float)
        Lowest and highest stealth on the first day, then on the last; between them both drift
        linearly. 0 is the loud profile, 1 the benign kind.
    jitter : float
        Log standard deviation of the volume from day to day.
    """

    profile: Profile
    hides_in: str
    daily: tuple[float, ...]
    stealth: tuple[float, float, float, float]
    jitter: float = 0.0


@dataclass(frozen=True)
class Scenario:
    """Two weeks of traffic.

    Attributes
    ----------
    benign : tuple of Profile
    campaigns : tuple of Campaign
    spans : tuple of (int, int)
        First and last day of each span whose volumes are fixed: chance decides only how a
        kind's records spread over the days of a span.
    volume_jitter : float
        Log standard deviation of a benign kind's volume from day to day.
    drift : float
        Standard deviation of a day's step in the random walk of every benign log-median.
    """

    benign: tuple[Profile, ...]
    campaigns: tuple[Campaign, ...]
    spans: tuple[tuple[int, int], ...] = ((0, 7), (8, 9), (10, 13))
    volume_jitter: float = 0.05
    drift: float = 0.012


_ADMIN = (("admin", "tcp", 1.0),)

BENIGN = (
    Profile(
        "web",
        (
            (1.5, 1.0),
            (1800, 0.9),
            (9, 1.0),
            (650, 0.3),
            (0.15, 0.8),
            (6, 0.5),
            (20, 0.6),
            (1.3, 0.25),
        ),
        (("web", "tcp", 0.93), ("web", "udp", 0.05), ("other", "tcp", 0.02)),
        0.85,
        ("ws", 180),
        OFFICE,
        1250,
        0.55,
    ),
    Profile(
        "dns",
        (
            (0.04, 0.7),
            (75, 0.25),
            (2.0, 0.4),
            (110, 0.25),
            (0.08, 0.8),
            (2, 0.4),
            (28, 0.6),
            (1.4, 0.25),
        ),
        (("dns", "udp", 0.97), ("dns", "tcp", 0.03)),
        0.97,
        ("ws", 180),
        OFFICE,
        680,
        0.6,
    ),
    Profile(
        "telemetry",
        (
            (3.0, 0.5),
            (900, 0.5),
            (1.2, 0.5),
            (240, 0.3),
            (0.05, 0.8),
            (1.6, 0.3),
            (6, 0.4),
            (0.3, 0.3),
        ),
        (("web", "tcp", 0.8), ("other", "tcp", 0.2)),
        0.98,
        ("iot", 40),
        STEADY,
        345,
        0.97,
    ),
    Profile(
        "mail",
        (
            (4.0, 0.8),
            (12e3, 1.2),
            (0.5, 1.0),
            (600, 0.4),
            (0.1, 0.8),
            (3, 0.5),
            (7, 0.5),
            (1.1, 0.25),
        ),
        (("mail", "tcp", 1.0),),
        0.6,
        ("ws", 180),
        OFFICE,
        165,
        0.5,
    ),
    Profile(
        "admin",
        (
            (90, 1.1),
            (9e3, 1.0),
            (2.5, 0.8),
            (200, 0.4),
            (0.5, 0.9),
            (2.2, 0.5),
            (5, 0.5),
            (1.0, 0.25),
        ),
        _ADMIN,
        0.9,
        ("adm", 8),
        OFFICE,
        150,
        0.4,
    ),
    Profile(
        "backup",
        (
            (80, 0.7),
            (40e6, 0.9),
            (0.03, 0.5),
            (1150, 0.1),
            (0.1, 0.8),
            (1.5, 0.4),
            (4, 0.5),
            (0.8, 0.25),
        ),
        (("backup", "tcp", 0.7), ("web", "tcp", 0.3)),
        1.0,
        ("srv", 24),
        NIGHT,
        115,
        0.9,
    ),
    Profile(
        "p2p",
        (
            (8, 1.0),
            (6e3, 1.2),
            (1.5, 1.0),
            (500, 0.5),
            (25, 0.4),
            (60, 0.4),
            (90, 0.4),
            (1.2, 0.25),
        ),
        (("other", "udp", 0.5), ("other", "tcp", 0.5)),
        0.0,
        ("ws", 180),
        EVENING,
        25,
        1.2,
    ),
    Profile(
        "health",
        (
            (0.1, 0.4),
            (300, 0.3),
            (1.0, 0.3),
            (120, 0.2),
            (1.0, 0.5),
            (30, 0.3),
            (60, 0.3),
            (0.25, 0.2),
        ),
        (("web", "tcp", 0.6), ("admin", "tcp", 0.2), ("other", "tcp", 0.2)),
        1.0,
        ("mon", 2),
        STEADY,
        9,
        1.0,
    ),
    Profile(
        "retry",
        (
            (3, 0.5),
            (2.0e3, 0.3),
            (1.3, 0.3),
            (150, 0.2),
            (7, 0.35),
            (1.3, 0.3),
            (9, 0.3),
            (0.7, 0.25),
        ),
        (("admin", "tcp", 0.7), ("mail", "tcp", 0.3)),
        0.9,
        ("ws", 180),
        OFFICE,
        6,
        0.5,
    ),
    Profile(
        "inventory",
        (
            (0.2, 0.4),
            (250, 0.3),
            (0.8, 0.3),
            (80, 0.2),
            (14, 0.25),
            (50, 0.25),
            (70, 0.25),
            (0.5, 0.2),
        ),
        (("web", "tcp", 0.3), ("admin", "tcp", 0.4), ("other", "tcp", 0.3)),
        1.0,
        ("mon", 2),
        NIGHT,
        5,
        1.0,
    ),
)

_SCAN = Profile(
    "scan",
    (
        (0.05, 0.4),
        (90, 0.3),
        (0.6, 0.3),
        (58, 0.1),
        (70, 0.35),
        (160, 0.35),
        (220, 0.35),
        (0.4, 0.25),
    ),
    (("web", "tcp", 0.3), ("admin", "tcp", 0.4), ("other", "tcp", 0.3)),
    1.0,
    ("ws", 180),
)
_BRUTEFORCE = Profile(
    "bruteforce",
    (
        (2.5, 0.4),
        (1.8e3, 0.3),
        (1.3, 0.3),
        (150, 0.2),
        (55, 0.35),
        (1.3, 0.3),
        (75, 0.35),
        (0.35, 0.25),
    ),
    _ADMIN,
    0.3,
    ("ws", 180),
)
_EXFIL = Profile(
    "exfil",
    (
        (240, 0.6),
        (150e6, 0.6),
        (0.0007, 0.5),
        (1350, 0.05),
        (0.1, 0.8),
        (1.1, 0.2),
        (3, 0.4),
        (0.5, 0.25),
    ),
    (("web", "tcp", 1.0),),
    1.0,
    ("ws", 180),
)
_DOS = Profile(
    "dos",
    (
        (0.3, 0.5),
        (300, 0.3),
        (0.3, 0.5),
        (75, 0.15),
        (25, 0.4),
        (1.1, 0.2),
        (240, 0.3),
        (0.15, 0.3),
    ),
    (("web", "tcp", 1.0),),
    0.0,
    ("ws", 180),
)
_BEACON = Profile(
    "beacon",
    ((14, 0.3), (1.8e3, 0.3), (8, 0.3), (300, 0.2), (0.05, 0.8), (1.3, 0.3), (5, 0.3), (0.6, 0.2)),
    (("web", "tcp", 1.0),),
    1.0,
    ("ws", 180),
)

# Off-the-shelf tooling stays as loud as it is; operators learn.
_SCRIPTED = (0.0, 0.1, 0.0, 0.1)

CAMPAIGNS = (
    Campaign(
        _SCAN, "inventory", (12, 13, 14, 13, 12, 10, 11, 13, 7, 8, 10, 10, 10, 10), _SCRIPTED, 0.05
    ),
    Campaign(
        _SCAN,
        "inventory",
        (8, 8, 9, 9, 10, 8, 8, 10, 13, 13, 12, 12, 12, 12),
        (0.4, 0.7, 0.55, 0.95),
        0.2,
    ),
    Campaign(
        _BRUTEFORCE, "admin", (10, 10, 11, 11, 10, 9, 9, 10, 6, 6, 8, 8, 8, 8), _SCRIPTED, 0.05
    ),
    Campaign(
        _BRUTEFORCE,
        "admin",
        (8, 8, 8, 9, 9, 8, 8, 9, 16, 16, 12, 12, 12, 12),
        (0.35, 0.6, 0.5, 0.95),
        0.2,
    ),
    Campaign(
        _EXFIL,
        "backup",
        (16, 16, 17, 17, 16, 15, 15, 16, 6, 7, 7.25, 7.25, 7.25, 7.25),
        _SCRIPTED,
        0.05,
    ),
    Campaign(
        _EXFIL,
        "backup",
        (6, 6, 6, 7, 8, 9, 10, 14, 24, 24, 10, 10, 10, 10),
        (0.3, 0.55, 0.45, 0.95),
        0.2,
    ),
    Campaign(_DOS, "web", (0, 0, 121, 0, 0, 114, 0, 0, 0, 0, 0, 45, 0, 0), _SCRIPTED),
    Campaign(_DOS, "web", (0, 0, 6, 0, 0, 6, 0, 0, 0, 0, 0, 5, 0, 0), (0.3, 0.9, 0.3, 0.9)),
    Campaign(
        _BEACON,
        "telemetry",
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 36, 36, 36, 36),
        (0.3, 0.45, 0.3, 0.45),
        0.1,
    ),
)

TWO_WEEKS = Scenario(BENIGN, CAMPAIGNS)
"""The lab's two weeks."""
