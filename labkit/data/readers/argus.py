"""Argus's bidirectional flows, the `.binetflow` files of CTU-13: with commas or tabs.

Labels are phrases. Background is most of the traffic and neither class. Nor are flows *to* an
infected or normal host: who opened them is not known, and the data set's authors ask not to call
them malicious. Times are on the clock of the site (Prague for CTU-13); a replayed capture begins
in 1970. Ports may be hexadecimal, and are types and codes on ICMP. Bytes count headers.
"""

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from labkit.data.readers.clocks import year_first
from labkit.data.readers.columns import finite, protocols, stripped, text_ports, verdicts
from labkit.data.readers.formats import (
    LOCAL_CLOCK,
    NO_LABEL,
    NORMAL,
    UNKNOWN,
    Format,
    Piece,
    Reader,
    Verdict,
    attack,
    neither,
    reader_of,
)
from labkit.data.readers.head import Head, check_fit, plain, require
from labkit.data.readers.rows import Layout
from labkit.data.readers.source import Source
from labkit.data.readers.times import clock_times

if TYPE_CHECKING:
    import pandas as pd

NAME = "argus"

_NUMBERS = {
    "dur": "duration_s",
    "totpkts": "packets",
    "totbytes": "bytes",
    "srcbytes": "bytes_out",
    "srcpkts": "packets_out",
    "stos": "src_tos",
    "dtos": "dst_tos",
}
_TEXTS = ("starttime", "proto", "srcaddr", "sport", "dstaddr", "dport", "state", "label")
_NEEDED = ("starttime", "dur", "proto", "srcaddr", "dstaddr", "totpkts", "totbytes", "srcbytes")
_KNOWN_BY = {"starttime", "dur", "proto", "srcaddr", "dstaddr"}
_ATTACKS = ("botnet", "malware", "malicious")


def _named(header: list[str]) -> list[str]:
    """Return our name of every column; "" where there is none or it came before."""
    names = [plain(name) for name in header]
    wanted = {*_NUMBERS, *_TEXTS}
    return [n if n in wanted and n not in names[:at] else "" for at, n in enumerate(names)]


def _matches(head: Head) -> bool:
    return set(_named(head.header)) >= _KNOWN_BY


def _open(source: Source, head: Head, zone: ZoneInfo | None) -> Reader:
    names = _named(head.header)
    require(head, names, [*_NEEDED, "label"], "labelled Argus file")
    check_fit(head, len(names), head.delimiter, header=1)
    layout = Layout(
        columns=tuple(_NUMBERS.get(name, name) for name in names),
        texts=frozenset(_TEXTS),
        delimiter=head.delimiter,
        skip=head.blank + 1,
        header=head.lines[0],
    )

    def convert(table: "pd.DataFrame") -> Piece:
        return _convert(table, zone)

    return reader_of(source, layout, convert, () if zone else (LOCAL_CLOCK,))


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


def _convert(table: "pd.DataFrame", zone: ZoneInfo | None) -> Piece:
    numbers = [name for name in table if name not in _TEXTS]
    values, infinite = finite(table, numbers)
    times = clock_times(table["starttime"], year_first, zone)
    proto = protocols(table["proto"])
    features: dict = {"proto": proto, "src": stripped(table["srcaddr"])}
    of_ports, hexadecimal = text_ports(table.get("dport"), table.get("sport"), proto)
    features |= of_ports
    features["dst"] = stripped(table["dstaddr"])
    if "state" in table:
        features["state"] = stripped(table["state"])
    features["bytes_in"] = values.pop("bytes") - values["bytes_out"]
    return Piece(
        features=features | values,
        verdicts=verdicts(table["label"], _judge),
        seconds=times.seconds,
        repaired=times.repaired | infinite | hexadecimal,
    )


FORMAT = Format(NAME, _matches, _open)
