"""What each kind of traffic looks like: the tables from which `labkit.data.traffic` draws.

Everything here is data. A `Profile` describes one kind of flow: its size, its rhythm and
what a collector has seen of its source. A `Campaign` adds how many attacks there are on
each day and how well they hide. A `Scenario` puts both into two weeks.
"""

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
"""The quantities of a flow for which a profile gives a median and a spread, in this order."""

OFFICE = (1, 1, 1, 1, 1, 2, 5, 12, 26, 34, 36, 34, 28, 32, 36, 35, 32, 26, 16, 10, 8, 6, 4, 2)
STEADY = (1,) * 24
NIGHT = (20, 24, 24, 22, 16, 8, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 4, 6, 10, 14, 18)
EVENING = (6, 4, 2, 1, 1, 1, 1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 6, 8, 11, 14, 15, 14, 12, 9)


@dataclass(frozen=True)
class Profile:
    """One kind of flow.

    Attributes
    ----------
    name
        The kind, as the column `activity` gives it.
    medians, spreads
        Median and log standard deviation of each quantity of `NUMERIC`.
    services
        Destination port class, protocol and share; the shares add up to 1.
    internal
        Share of flows whose source stands inside the network.
    hosts
        Name stem and number of the inside hosts that send such flows.
    hours
        Relative volume in each hour of the day.
    volume
        Flows on an ordinary working day (benign kinds only).
    weekend
        Volume of a week-end day relative to a working day.
    """

    name: str
    medians: tuple[float, ...]
    spreads: tuple[float, ...]
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
    profile
        The family at its loudest.
    hides_in
        The benign kind that a perfectly stealthy record cannot be told from.
    daily
        Expected records on each day.
    stealth
        Lowest and highest stealth on the first day, then on the last; between them both drift
        linearly. 0 is the loud profile, 1 the benign kind.
    jitter
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
    benign
    campaigns
    spans
        First and last day of each span whose volumes are fixed: chance decides only how a
        kind's records spread over the days of a span.
    volume_jitter
        Log standard deviation of a benign kind's volume from day to day.
    drift
        Standard deviation of a day's step in the random walk of every benign log-median.
    """

    benign: tuple[Profile, ...]
    campaigns: tuple[Campaign, ...]
    spans: tuple[tuple[int, int], ...] = ((0, 7), (8, 9), (10, 13))
    volume_jitter: float = 0.05
    drift: float = 0.005


# Each kind's medians, then its spreads, in the order of NUMERIC.
BENIGN = (
    Profile(
        "web",
        (1.5, 1800, 9, 650, 0.15, 6, 20, 1.3),
        (1, 0.9, 1, 0.3, 0.8, 0.5, 0.6, 0.25),
        (("web", "tcp", 0.93), ("web", "udp", 0.05), ("other", "tcp", 0.02)),
        internal=0.85,
        hosts=("ws", 180),
        hours=OFFICE,
        volume=1260,
        weekend=0.55,
    ),
    Profile(
        "dns",
        (0.04, 75, 2, 110, 0.08, 2, 28, 1.4),
        (0.7, 0.25, 0.4, 0.25, 0.8, 0.4, 0.6, 0.25),
        (("dns", "udp", 0.97), ("dns", "tcp", 0.03)),
        internal=0.97,
        hosts=("ws", 180),
        hours=OFFICE,
        volume=680,
        weekend=0.6,
    ),
    Profile(
        "telemetry",
        (3, 900, 1.2, 240, 0.05, 1.6, 6, 0.3),
        (0.5, 0.5, 0.5, 0.3, 0.8, 0.3, 0.4, 0.3),
        (("web", "tcp", 0.8), ("other", "tcp", 0.2)),
        internal=0.98,
        hosts=("iot", 40),
        hours=STEADY,
        volume=345,
        weekend=0.97,
    ),
    Profile(
        "mail",
        (4, 12000, 0.5, 600, 0.1, 3, 7, 1.1),
        (0.8, 1.2, 1, 0.4, 0.8, 0.5, 0.5, 0.25),
        (("mail", "tcp", 1),),
        internal=0.6,
        hosts=("ws", 180),
        hours=OFFICE,
        volume=165,
        weekend=0.5,
    ),
    Profile(
        "admin",
        (90, 9000, 2.5, 200, 0.4, 2.2, 5, 1),
        (1.1, 1, 0.8, 0.4, 0.7, 0.5, 0.4, 0.25),
        (("admin", "tcp", 1),),
        internal=0.9,
        hosts=("adm", 8),
        hours=OFFICE,
        volume=150,
        weekend=0.4,
    ),
    Profile(
        "backup",
        (80, 50e6, 0.03, 1150, 0.1, 1.5, 4, 0.8),
        (0.7, 0.8, 0.5, 0.1, 0.8, 0.4, 0.5, 0.25),
        (("backup", "tcp", 0.7), ("web", "tcp", 0.3)),
        internal=1,
        hosts=("srv", 24),
        hours=NIGHT,
        volume=115,
        weekend=0.9,
    ),
    Profile(
        "p2p",
        (8, 300, 1.5, 110, 105, 150, 250, 1.3),
        (1, 0.6, 1, 0.3, 0.4, 0.4, 0.4, 0.2),
        (("web", "tcp", 0.5), ("other", "tcp", 0.25), ("other", "udp", 0.25)),
        internal=0,
        hosts=("ws", 180),
        hours=EVENING,
        volume=35,
        weekend=1.2,
    ),
    Profile(
        "health",
        (0.1, 300, 1, 90, 3, 30, 180, 0.15),
        (0.4, 0.3, 0.3, 0.2, 0.5, 0.3, 0.3, 0.2),
        (("web", "tcp", 0.6), ("admin", "tcp", 0.2), ("other", "tcp", 0.2)),
        internal=1,
        hosts=("mon", 2),
        hours=STEADY,
        volume=17,
        weekend=1,
    ),
    Profile(
        "retry",
        (3, 2000, 1.3, 150, 4.5, 1.3, 8, 0.7),
        (0.5, 0.3, 0.3, 0.2, 0.3, 0.3, 0.25, 0.25),
        (("admin", "tcp", 0.7), ("mail", "tcp", 0.3)),
        internal=0.9,
        hosts=("ws", 180),
        hours=STEADY,
        volume=14,
        weekend=0.5,
    ),
    Profile(
        "inventory",
        (0.2, 250, 0.8, 80, 8, 40, 55, 0.5),
        (0.22, 0.16, 0.16, 0.11, 0.14, 0.14, 0.14, 0.11),
        (("web", "tcp", 0.45), ("admin", "tcp", 0.55)),
        internal=1,
        hosts=("mon", 2),
        hours=STEADY,
        volume=14,
        weekend=1,
    ),
)

_SCAN = Profile(
    "scan",
    (0.05, 90, 0.6, 58, 75, 160, 230, 0.35),
    (0.88, 0.44, 0.44, 0.143, 0.66, 0.715, 0.66, 0.275),
    (("web", "tcp", 0.45), ("admin", "tcp", 0.55)),
    internal=1,
    hosts=("ws", 180),
)
_BRUTEFORCE = Profile(
    "bruteforce",
    (2.5, 1800, 1.3, 150, 60, 1.3, 80, 0.3),
    (0.9, 0.6, 0.6, 0.4, 0.6, 0.6, 0.6, 0.3),
    (("admin", "tcp", 1),),
    internal=1,
    hosts=("ws", 180),
)
_DOS = Profile(
    "dos",
    (0.3, 300, 0.3, 75, 45, 1.1, 240, 0.15),
    (1.05, 0.75, 1.05, 0.3, 0.38, 0.45, 0.6, 0.6),
    (("web", "tcp", 1),),
    internal=0,
    hosts=("ws", 180),
)
_EXFIL = Profile(
    "exfil",
    (25, 8e6, 0.0068, 1300, 0.1, 1.1, 3, 0.5),
    (0.4, 0.1, 0.2, 0.05, 0.8, 0.2, 0.4, 0.25),
    (("web", "tcp", 1),),
    internal=1,
    hosts=("ws", 180),
)
_BEACON = Profile(
    "beacon",
    (2.5, 1500, 5, 640, 0.05, 1.5, 8, 0.46),
    (0.3, 0.4, 0.4, 0.2, 0.8, 0.3, 0.3, 0.25),
    (("web", "tcp", 1),),
    internal=1,
    hosts=("ws", 180),
)

# Lowest and highest stealth on day 0, then on day 13.
_LOUD = (0.0, 0.1, 0.0, 0.1)

CAMPAIGNS = (
    # Off-the-shelf tools: as loud on the last day as on the first.
    Campaign(
        _SCAN,
        "inventory",
        (13, 12, 9, 10, 13, 14, 12, 13, 9, 9, 12.5, 12.5, 12.5, 12.5),
        _LOUD,
        0.02,
    ),
    Campaign(
        _BRUTEFORCE,
        "admin",
        (10, 12, 11, 10, 12, 11, 12, 10, 9, 9, 11.75, 11.75, 11.75, 11.75),
        _LOUD,
        0.02,
    ),
    Campaign(_DOS, "web", (0, 0, 121, 0, 0, 114, 0, 0, 0, 0, 0, 42, 0, 0), _LOUD),
    # Careful operators, half hidden; days 8 and 9 see the most exfiltration.
    Campaign(
        _BRUTEFORCE,
        "admin",
        (10, 10, 10, 10, 9.5, 9.5, 9.5, 9.5, 9.5, 9.5, 9, 9, 9, 9),
        (0.6, 0.72, 0.6, 0.72),
        0.15,
    ),
    Campaign(
        _EXFIL,
        "backup",
        (17, 16.5, 16, 15.5, 14.5, 14, 14.5, 15.5, 19, 18, 14.5, 13, 12.5, 12),
        (0.17, 0.45, 0.17, 0.45),
        0.15,
    ),
    # Quiet ones, of which each day brings a few more.
    Campaign(
        _SCAN,
        "inventory",
        (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 4.5, 5, 5.5, 6),
        (0.9, 1, 0.9, 1),
        0.15,
    ),
    Campaign(
        _BRUTEFORCE,
        "admin",
        (0, 0.5, 1, 1.5, 2, 2, 2.5, 3, 3.5, 4, 4.5, 4.5, 5, 6),
        (0.88, 1, 0.88, 1),
        0.15,
    ),
    Campaign(
        _EXFIL,
        "backup",
        (0, 0.5, 1, 1.5, 2, 2, 2.5, 2.5, 3, 3, 3.5, 3.5, 4, 4),
        (0.88, 1, 0.88, 1),
        0.15,
    ),
    Campaign(_DOS, "web", (0, 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 5, 0, 0), (0.5, 1, 0.5, 1)),
    # New on day 10: they imitate browsing, and no training day knows them.
    Campaign(
        _BEACON, "web", (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 36, 36, 36, 36), (0.4, 0.8, 0.4, 0.8), 0.1
    ),
)

TWO_WEEKS = Scenario(BENIGN, CAMPAIGNS)
"""The lab's two weeks."""
