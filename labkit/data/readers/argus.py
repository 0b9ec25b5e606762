"""Argus's bidirectional flows, the `.binetflow` files of CTU-13: with commas or tabs.

Labels are phrases. Background is most of the traffic and neither class. Nor are flows *to* an
infected or normal host: who opened them is not known, and the data set's authors ask not to call
them malicious. Times are on the clock of the site (Prague for CTU-13); a replayed capture begins
in 1970. Ports may be hexadecimal, and are types and codes on ICMP. Bytes count headers.
"""

from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from labkit.data.readers.columns import features_of
from labkit.data.readers.labels import NO_LABEL, NORMAL, UNKNOWN, Verdict, attack, neither, verdicts
from labkit.data.readers.layout import Head, layout_of, plain, require
from labkit.data.readers.pieces import LOCAL_CLOCK, Piece, Reader
from labkit.data.readers.rows import read_rows
from labkit.data.readers.times import clock_times, year_first

if TYPE_CHECKING:
    import pandas as pd

NAME = "argus"

_TEXTS = {
    **{"starttime": "starttime", "label": "label", "proto": "proto", "state": "state"},
    **{"srcaddr": "src", "sport": "src_port", "dstaddr": "dst", "dport": "dst_port"},
}
_NUMBERS = {
    **{"dur": "duration_s", "totpkts": "packets", "totbytes": "bytes", "srcbytes": "bytes_out"},
    **{"srcpkts": "packets_out", "stos": "src_tos", "dtos": "dst_tos"},
}
_NAMES = _TEXTS | _NUMBERS
_KNOWN_BY = {"starttime", "dur", "proto", "srcaddr", "dstaddr"}
_NEEDED = (*sorted(_KNOWN_BY), "totpkts", "totbytes", "srcbytes", "label")
_ATTACKS = ("botnet", "malware", "malicious")


def matches(head: Head) -> bool:
    """Return whether a file looks like Argus's flows."""
    return {plain(name) for name in head.header} >= _KNOWN_BY


def reader(head: Head, zone: ZoneInfo | None) -> Reader:
    """Return how a file of Argus's flows is read; its times are on the clock of the zone."""
    names = [plain(name) for name in head.header]
    require(head, names, _NEEDED, "labelled Argus file")
    layout = layout_of(head, [_NAMES.get(name, "") for name in names], _TEXTS.values())
    rows = partial(read_rows, head.source, layout)
    notes = () if zone else (LOCAL_CLOCK,)
    return Reader(NAME, head.source, rows, partial(_piece, zone=zone), notes)


def _judge(text: str) -> Verdict:
    label = text.removeprefix("flow=").strip()
    plainly = label.lower()
    if not label:
        return NO_LABEL
    if "background" in plainly:
        return neither("background")
    if plainly.startswith("to-"):
        return neither("to a labelled host")
    if any(word in plainly for word in _ATTACKS):
        return attack(label)
    return NORMAL if "normal" in plainly or "benign" in plainly else UNKNOWN


def _piece(table: "pd.DataFrame", zone: ZoneInfo | None) -> Piece:
    times = clock_times(table["starttime"], year_first, zone)
    features, repaired = features_of(table.drop(columns=["starttime", "label"]))
    features["bytes_in"] = features.pop("bytes") - features["bytes_out"]
    labels = verdicts(_judge, table["label"])
    return Piece(features, labels, times.seconds, times.repaired | repaired)
