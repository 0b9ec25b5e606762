"""CIC-IDS2017 and other CSV files of CICFlowMeter, with or without times.

Its columns have been named in three ways, with spaces around, and in 2017 one came twice; here they
have the names of 2017 in small letters. Header lines recur inside the data, and one file ends in
288,602 rows of commas. Rates of flows that took no time are Infinity or NaN. Where packets came out
of order or a counter overflowed, times and sizes are negative.

Times are day first and on the clock of the site. Most have no AM or PM though the clock counts to
12: the site was at work from 8 to 5, so 1 to 7 o'clock is the afternoon. A file in which such an
hour stands beside one from 13 on, or 0, counts to 24, or cannot be told: it is refused.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.clocks import Clock, day_first, year_first
from labkit.data.readers.columns import (
    finite,
    port_numbers,
    ports,
    protocols,
    stripped,
    unset_negative,
    verdicts,
)
from labkit.data.readers.formats import (
    LOCAL_CLOCK,
    NO_LABEL,
    NO_TIMES,
    NORMAL,
    PAYLOAD,
    UNKNOWN,
    Format,
    Piece,
    Reader,
    Verdict,
    attack,
    neither,
    reader_of,
)
from labkit.data.readers.head import Head, check_fit, plain
from labkit.data.readers.rows import HEADER, Layout
from labkit.data.readers.source import Source
from labkit.data.readers.times import clock_times
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "cic"

_DASH = "dash in the label: made a plain one"

_WORDS = {
    **{"tot": "total", "len": "length", "cnt": "count", "seg": "segment", "blk": "bulk"},
    **{"pkt": "packet", "pkts": "packet", "packets": "packet", "avg": "average", "b": "bulk"},
    **{"byts": "byte", "bytes": "byte", "var": "variance", "cwr": "cwe", "flags": "flag"},
    **{"destination": "dst", "source": "src", "forward": "fwd", "backward": "bwd"},
}
_SIDES = ("fwd", "bwd")
_FEATURES = (
    *("flow_duration", "total_fwd_packets", "total_bwd_packets"),
    *(f"total_length_of_{side}_packets" for side in _SIDES),
    *(f"{s}_packet_length_{k}" for s in _SIDES for k in ("max", "min", "mean", "std")),
    *("flow_bytes_s", "flow_packets_s"),
    *(f"flow_iat_{kind}" for kind in ("mean", "std", "max", "min")),
    *(f"{s}_iat_{k}" for s in _SIDES for k in ("total", "mean", "std", "max", "min")),
    *("fwd_psh_flags", "bwd_psh_flags", "fwd_urg_flags", "bwd_urg_flags"),
    *("fwd_rst_flags", "bwd_rst_flags", "fwd_header_length", "bwd_header_length"),
    *("fwd_packets_s", "bwd_packets_s"),
    *(f"packet_length_{kind}" for kind in ("min", "max", "mean", "std", "variance")),
    *(f"{flag}_flag_count" for flag in ("fin", "syn", "rst", "psh", "ack", "urg", "cwe", "ece")),
    *("down_up_ratio", "average_packet_size", "avg_fwd_segment_size", "avg_bwd_segment_size"),
    *(f"{s}_avg_{k}" for s in _SIDES for k in ("bytes_bulk", "packets_bulk", "bulk_rate")),
    *(f"subflow_{side}_{kind}" for side in _SIDES for kind in ("packets", "bytes")),
    *("init_win_bytes_forward", "init_win_bytes_backward", "act_data_pkt_fwd"),
    *("min_seg_size_forward",),
    *(f"{state}_{k}" for state in ("active", "idle") for k in ("mean", "std", "max", "min")),
    *("icmp_code", "icmp_type", "fwd_tcp_retrans_count", "bwd_tcp_retrans_count"),
    *("total_tcp_retrans_count", "total_connection_flow_time"),
)
_PORTS = ("dst_port", "src_port")
_TEXTS = ("protocol", "timestamp", "label", "src_ip", "dst_ip")
# -1 where no window was seen, and in an improved version where there is no ICMP.
_MINUS_ONE = ("init_win_bytes_forward", "init_win_bytes_backward", "icmp_code", "icmp_type")
_RENAMED = {
    "flow_duration": "duration_s",
    "total_length_of_fwd_packets": "bytes_out",
    "total_length_of_bwd_packets": "bytes_in",
    "total_fwd_packets": "packets_out",
    "total_bwd_packets": "packets_in",
    "flow_bytes_s": "flow_bytes_per_s",
    "flow_packets_s": "flow_packets_per_s",
    "fwd_packets_s": "fwd_packets_per_s",
    "bwd_packets_s": "bwd_packets_per_s",
}
_ENOUGH = 8
_MICROSECONDS = 1e6
_HALF_DAY = 12 * 3600 * 10**6
# Hyphens, dashes, a sign for a lost one, and the control character that Latin-1 makes of it.
_DASHES = re.compile("[\u2010-\u2015\u2212\ufffd\u0096]+")


def key(name: str) -> tuple[str, ...]:
    """Return what the ways to name a column have in common: its words, in whatever order.

    Examples
    --------
    >>> key(" Min Packet Length") == key("Pkt Len Min") == key("Packet Length Min")
    True
    """
    words = plain(name).replace("totlen", "total_length").split("_")
    return tuple(sorted(_WORDS.get(word, word) for word in words if word != "of"))


_BY_KEY = {key(name): name for name in (*_FEATURES, *_PORTS, *_TEXTS)} | {
    key("Attack Type"): "label"
}


def _named(header: list[str]) -> list[str]:
    """Return our name of every column; "" where there is none or it came before."""
    names = [_BY_KEY.get(key(name), "") for name in header]
    return [name if name not in names[:at] else "" for at, name in enumerate(names)]


def _matches(head: Head) -> bool:
    names = _named(head.header)
    return "flow_duration" in names and len(set(names) & set(_FEATURES)) >= _ENOUGH


def _open(source: Source, head: Head, zone: ZoneInfo | None) -> Reader:
    header = head.header
    names = _named(header)
    if not _matches(head):
        raise InputError(
            f"{head.name}: its header names too few columns of CICFlowMeter: "
            "it is no such file, or a broken copy"
        )
    if "label" not in names:
        raise InputError(f"{head.name}: its header has no column Label: no class could be told")
    check_fit(head, len(header), head.delimiter, header=1)
    layout = Layout(
        columns=tuple(names),
        texts=frozenset(_TEXTS),
        delimiter=head.delimiter,
        skip=head.blank + 1,
        header=head.lines[0],
    )
    notes: tuple[str, ...] = (PAYLOAD,)
    if "timestamp" not in names:
        notes += (NO_TIMES,)
    elif zone is None:
        notes += (LOCAL_CLOCK,)
    return reader_of(source, layout, _converter(head.name, zone), notes)


def _judge(text: str) -> Verdict:
    label = _family(text)
    plainly = label.lower()
    if plainly in ("benign", "normal", "normal traffic"):
        return NORMAL
    if plainly in ("label", "attack type"):
        return Verdict(None, HEADER)
    if plainly in ("needmanuallabel", "no label", "nan"):
        return NO_LABEL
    # The improved version's word for an attack that had no effect.
    if "attempted" in plainly:
        return neither("attempted")
    # Where columns have shifted, a number stands here.
    return attack(label) if re.search("[a-z]{2}", plainly) else UNKNOWN


def _family(text: str) -> str:
    dashed = _DASHES.sub("-", text.replace("\u00c2\u0096", "-").replace("\u00ef\u00bf\u00bd", "-"))
    return " ".join(dashed.split())


def _converter(name: str, zone: ZoneInfo | None) -> Callable[["pd.DataFrame"], Piece]:
    """Return what converts the rows of one file, whose clock is one throughout."""
    told: dict[str, str] = {}

    def convert(table: "pd.DataFrame") -> Piece:
        numbers = [column for column in table if column in _FEATURES]
        values, repaired = finite(table, numbers)
        for column in set(_MINUS_ONE) & set(values):
            values[column] = np.where(values[column] == -1, np.nan, values[column])
        values, negative = unset_negative(values, numbers)
        repaired |= negative
        texts = [_family(text) != " ".join(text.split()) for text in table["label"].cat.categories]
        repaired[_DASH] = np.array([*texts, False])[table["label"].cat.codes.to_numpy()]
        seconds = None
        if "timestamp" in table:
            times = clock_times(table["timestamp"], _clock(name, told), zone)
            seconds = times.seconds
            repaired |= times.repaired
        return Piece(
            features=_features(table, values),
            verdicts=verdicts(table["label"], _judge),
            seconds=seconds,
            repaired=repaired,
        )

    return convert


def _clock(name: str, told: dict[str, str]) -> Callable[[str], Clock | None]:
    """Return the parser of a file's times, which remembers how its clock counts in `told`."""

    def parse(text: str) -> Clock | None:
        clock = day_first(text)
        if clock is None:
            return year_first(text)
        if clock.half:
            return clock
        if 1 <= clock.hour <= 7:
            told.setdefault("12", text)
        elif clock.hour == 0 or clock.hour > 12:
            told.setdefault("24", text)
        if len(told) == 2:
            raise InputError(
                f"{name}: {told['12']!r} and {told['24']!r} are no times of one 12-hour clock: "
                "import it as a 24-hour clock with a mapping file"
            )
        if not 1 <= clock.hour <= 7:
            return clock
        return replace(clock, microseconds=clock.microseconds + _HALF_DAY, is_moved=True)

    return parse


def _features(
    table: "pd.DataFrame", values: dict[str, np.ndarray]
) -> dict[str, "np.ndarray | pd.Series"]:
    proto = protocols(table["protocol"]) if "protocol" in table else None
    features: dict = {} if proto is None else {"proto": proto}
    if "src_ip" in table:
        features["src"] = stripped(table["src_ip"])
    if "dst_port" in table:
        features |= ports(table["dst_port"].to_numpy(), proto)
    if "src_port" in table:
        features["src_port"] = port_numbers(table["src_port"].to_numpy(), proto)
    if "dst_ip" in table:
        features["dst"] = stripped(table["dst_ip"])
    for name, column in values.items():
        features[_RENAMED.get(name, name)] = column
    features["duration_s"] = features["duration_s"] / _MICROSECONDS
    if "packets_out" in features and "packets_in" in features:
        features["packets"] = features["packets_out"] + features["packets_in"]
    return features


FORMAT = Format(NAME, _matches, _open)
