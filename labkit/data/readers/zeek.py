"""Zeek's conn.log with labels: tab-separated, its columns named in lines that begin with #.

`-` and `(empty)` mean unset. The label columns stand at the end; in IoT-23 they share one column
with tunnel_parents, three spaces between them. Bytes are those of the IP packets where the log has
them, headers included; the payload's stand beside them. Times are not sorted.
"""

import re
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.columns import by_text, features_of, spread
from labkit.data.readers.labels import NORMAL, UNKNOWN, Verdict, attack, neither, verdicts
from labkit.data.readers.layout import Head, Layout, check_fit, once, plain, require
from labkit.data.readers.pieces import RESERVED, Piece, Reader
from labkit.data.readers.rows import read_rows
from labkit.data.readers.times import epochs
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "zeek"

_FIELDS, _TYPES = "#fields\t", "#types\t"
_UNSET = ("-", "(empty)")
# What the columns are called here; other columns of numbers keep their names.
_NUMBERS = {
    **{"ts": "ts", "id.orig_p": "src_port", "id.resp_p": "dst_port", "duration": "duration_s"},
    **{"orig_bytes": "payload_out", "resp_bytes": "payload_in"},
    **{"orig_pkts": "packets_out", "resp_pkts": "packets_in"},
    **{"orig_ip_bytes": "bytes_out", "resp_ip_bytes": "bytes_in"},
}
_TEXTS = {
    **{"id.orig_h": "src", "id.resp_h": "dst", "proto": "proto", "service": "service"},
    **{"conn_state": "state", "local_orig": "internal", "local_resp": "dst_internal"},
    **{"label": "label", "detailedlabel": "detail", "detailed-label": "detail"},
}
_NAMES = _NUMBERS | _TEXTS
_NUMBER_TYPES = {"count", "int", "double", "interval"}
# Columns of the same names are not those that these are read from.
_TAKEN = {*_NAMES.values(), *RESERVED, "joined", "packets", "port_class"}
_NEEDED = ("ts", "id.orig_h", "id.resp_h", "proto", "duration")
# IoT-23's last column: three names, and in the rows three values.
_JOINED = re.compile(r"tunnel_parents\s+label\s+detailed-?label")
_APART = re.compile(r"\s{2,}")


def matches(head: Head) -> bool:
    """Return whether a file begins like a log of Zeek."""
    is_log = head.lines[0].startswith("#separator")
    return is_log or any(line.startswith(_FIELDS) for line in head.lines)


def reader(head: Head, zone: ZoneInfo | None) -> Reader:
    """Return how a conn.log is read; its times are UTC whatever the zone."""
    names = [name.strip() for name in _named(head, _FIELDS)]
    if not any(names):
        raise InputError(f"{head.name}: no line begins with #fields and a tab: it is no Zeek log")
    is_joined = bool(_JOINED.fullmatch(names[-1]))
    require(head, names, _NEEDED, "Zeek conn.log")
    if not is_joined:
        require(head, names, ["label"], "labelled Zeek conn.log")
    check_fit(head, len(names), "\t", header=0)
    types = dict(enumerate(_named(head, _TYPES)))
    columns = [_column(name, types.get(at, "")) for at, name in enumerate(names)]
    if is_joined:
        columns[-1] = "joined"
    layout = Layout(
        columns=once(columns),
        texts=frozenset(_TEXTS.values()) | {"joined"},
        delimiter="\t",
        header=next(line for line in head.lines if line.startswith(_FIELDS)),
        comment="#",
        unset=_UNSET,
        quoted=False,
    )
    return Reader(NAME, head.source, partial(read_rows, head.source, layout), _piece)


def _named(head: Head, mark: str) -> list[str]:
    """Return what stands behind the mark in the line that begins with it."""
    line = next((line for line in head.lines if line.startswith(mark)), mark)
    return line.removeprefix(mark).split("\t")


def _column(name: str, kind: str) -> str:
    """Return our name of a column; "" for one that is not wanted."""
    further = plain(name) if kind in _NUMBER_TYPES else ""
    return _NAMES.get(name) or ("" if further in _TAKEN else further)


def _judge(label: str, detail: str = "") -> Verdict:
    match label.lower():
        case "malicious":
            return attack(detail or "malicious")
        case "benign" | "normal":
            return NORMAL
        case "background" | "unknown":
            return neither(label.lower())
        case _:
            return UNKNOWN


def _label_columns(table: "pd.DataFrame") -> list["pd.Series"]:
    """Return the label and, where the log has it, the detailed label."""
    if "joined" not in table:
        return [table[name] for name in ("label", "detail") if name in table]

    def part(text: str, place: int) -> str:
        found = ["", "", *_APART.split(text.strip())][place]
        return "" if found in _UNSET else found

    return [by_text(table["joined"], partial(part, place=place)) for place in (-2, -1)]


def _flag(column: "pd.Series") -> np.ndarray:
    """Return Zeek's T and F as 1 and 0."""
    values = [{"T": 1.0, "F": 0.0}.get(text.strip(), np.nan) for text in column.cat.categories]
    return spread(column, values, np.nan)


def _piece(table: "pd.DataFrame") -> Piece:
    flags = {n: _flag(table[n]) for n in ("internal", "dst_internal") if n in table}
    others = table.drop(columns=["ts", "label", "detail", "joined", *flags], errors="ignore")
    features, repaired = features_of(others)
    features = flags | features
    if {"packets_out", "packets_in"} <= set(features):
        features["packets"] = features["packets_out"] + features["packets_in"]
    labels = verdicts(_judge, *_label_columns(table))
    return Piece(features, labels, epochs(table["ts"].to_numpy()), repaired)
