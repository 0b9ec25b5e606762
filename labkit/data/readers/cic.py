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
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.columns import Features, features_of, spread
from labkit.data.readers.labels import NO_LABEL, NORMAL, UNKNOWN, Verdict, attack, neither, verdicts
from labkit.data.readers.layout import Head, layout_of, plain
from labkit.data.readers.pieces import LOCAL_CLOCK, NO_TIMES, PAYLOAD, Piece, Reader
from labkit.data.readers.rows import HEADER_AGAIN, read_rows
from labkit.data.readers.times import Times, clock_times, day_first, year_first
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "cic"

_NEGATIVE = "negative value: unset"
_AFTERNOON = "hour 1 to 7 without PM: taken as afternoon"
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
# -1 where no window was seen, and in an improved version where there is no ICMP.
_MINUS_ONE = ("init_win_bytes_forward", "init_win_bytes_backward", "icmp_code", "icmp_type")
_RENAMED = {
    **{"flow_duration": "duration_s", "protocol": "proto", "src_ip": "src", "dst_ip": "dst"},
    **{"total_length_of_fwd_packets": "bytes_out", "total_length_of_bwd_packets": "bytes_in"},
    **{"total_fwd_packets": "packets_out", "total_bwd_packets": "packets_in"},
    **{"flow_bytes_s": "flow_bytes_per_s", "flow_packets_s": "flow_packets_per_s"},
    **{"fwd_packets_s": "fwd_packets_per_s", "bwd_packets_s": "bwd_packets_per_s"},
}
_TEXTS = ("proto", "timestamp", "label", "src", "dst")
_ENOUGH = 8
_MICROSECONDS = 1e6
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


_OTHERS = ("dst_port", "src_port", "protocol", "timestamp", "label", "src_ip", "dst_ip")
_BY_KEY = {key(name): _RENAMED.get(name, name) for name in (*_FEATURES, *_OTHERS)}
_BY_KEY[key("Attack Type")] = "label"


def _names(head: Head) -> list[str]:
    return [_BY_KEY.get(key(name), "") for name in head.header]


def matches(head: Head) -> bool:
    """Return whether a header has enough of CICFlowMeter's columns."""
    found = {name for name in _names(head) if name not in (*_TEXTS, "dst_port", "src_port", "")}
    return "duration_s" in found and len(found) >= _ENOUGH


def reader(head: Head, zone: ZoneInfo | None) -> Reader:
    """Return how a file of CICFlowMeter is read; its times are on the clock of the zone."""
    names = _names(head)
    if not matches(head):
        raise InputError(
            f"{head.name}: its header names too few columns of CICFlowMeter: "
            "it is no such file, or a broken copy"
        )
    if "label" not in names:
        raise InputError(f"{head.name}: its header has no column Label: no class could be told")
    layout = layout_of(head, names, _TEXTS)
    notes: tuple[str, ...] = (PAYLOAD,)
    if "timestamp" not in names:
        notes += (NO_TIMES,)
    elif zone is None:
        notes += (LOCAL_CLOCK,)
    # How the clock counts may be told only by a row far down: all pieces share what was seen.
    piece = partial(_piece, name=head.name, zone=zone, seen={})
    return Reader(NAME, head.source, partial(read_rows, head.source, layout), piece, notes)


def _judge(text: str) -> Verdict:
    label = _family(text)
    plainly = label.lower()
    if plainly in ("benign", "normal", "normal traffic"):
        return NORMAL
    if plainly in ("label", "attack type"):
        return Verdict(None, HEADER_AGAIN)
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


def _piece(table: "pd.DataFrame", name: str, zone: ZoneInfo | None, seen: dict[str, str]) -> Piece:
    features, repaired = features_of(table.drop(columns=["label", "timestamp"], errors="ignore"))
    features, repaired[_NEGATIVE] = _without_negatives(features)
    features["duration_s"] = features["duration_s"] / _MICROSECONDS
    if {"packets_out", "packets_in"} <= set(features):
        features["packets"] = features["packets_out"] + features["packets_in"]
    label, seconds = table["label"], None
    dashed = [_family(text) != " ".join(text.split()) for text in label.cat.categories]
    repaired[_DASH] = spread(label, dashed, False)
    if "timestamp" in table:
        times = _times(table["timestamp"], name, zone, seen)
        seconds, repaired = times.seconds, repaired | times.repaired
    return Piece(features, verdicts(_judge, label), seconds, repaired)


def _without_negatives(features: Features) -> tuple[Features, np.ndarray]:
    """Return features with negative numbers unset, and which rows had one that means nothing."""
    mended, negative = dict(features), np.zeros(len(features["duration_s"]), dtype=bool)
    for name, values in features.items():
        if isinstance(values, np.ndarray) and (values < 0).any():
            mended[name] = np.where(values < 0, np.nan, values)
            negative |= (values < 0) & ((values != -1) | (name not in _MINUS_ONE))
    return mended, negative


def _times(column: "pd.Series", name: str, zone: ZoneInfo | None, seen: dict[str, str]) -> Times:
    """Return the times of some rows; refuse a clock that does not count to 12 throughout."""
    moved: set[str] = set()

    def parse(text: str) -> datetime | None:
        time = day_first(text)
        if time is None:
            return year_first(text)
        if text.rstrip().endswith(("M", "m")) or 8 <= time.hour <= 12:
            return time
        is_afternoon = 1 <= time.hour <= 7
        seen.setdefault("12" if is_afternoon else "24", text)
        if len(seen) == 2:
            raise InputError(
                f"{name}: {seen['12']!r} and {seen['24']!r} are no times of one 12-hour clock: "
                "import it as a 24-hour clock with a mapping file"
            )
        if is_afternoon:
            moved.add(text)
        return time + timedelta(hours=12 * is_afternoon)

    times = clock_times(column, parse, zone)
    afternoon = {_AFTERNOON: column.isin(moved).to_numpy()}
    return Times(times.seconds, times.repaired | afternoon)
