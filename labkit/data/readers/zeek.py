"""Zeek's conn.log with labels: tab-separated, its columns named in lines that begin with #.

`-` and `(empty)` mean unset. The label columns stand at the end; in IoT-23 they share one column
with tunnel_parents, three spaces between them. Bytes are those of the IP packets where the log has
them, headers included; the payload's stand beside them. Times are not sorted.
"""

import re
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.columns import (
    SEPARATOR,
    by_text,
    finite,
    joined,
    parted,
    port_numbers,
    ports,
    protocols,
    stripped,
    verdicts,
)
from labkit.data.readers.formats import (
    NORMAL,
    RESERVED,
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
from labkit.data.readers.times import epochs
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "zeek"

_FIELDS, _TYPES = "#fields\t", "#types\t"
_UNSET = ("-", "(empty)")
# What the columns are called here; other columns of numbers keep their names.
_NUMBERS = {
    "ts": "ts",
    "id.orig_p": "src_port",
    "id.resp_p": "dst_port",
    "duration": "duration_s",
    "orig_bytes": "payload_out",
    "resp_bytes": "payload_in",
    "orig_pkts": "packets_out",
    "resp_pkts": "packets_in",
    "orig_ip_bytes": "bytes_out",
    "resp_ip_bytes": "bytes_in",
}
_TEXTS = {
    "id.orig_h": "src",
    "id.resp_h": "dst",
    "proto": "proto",
    "service": "service",
    "conn_state": "state",
    "local_orig": "internal",
    "local_resp": "dst_internal",
    "label": "label",
    "detailedlabel": "detail",
    "detailed-label": "detail",
}
_NUMBER_TYPES = {"count", "int", "double", "interval"}
# Columns of the same names are not those that these are read from.
_TAKEN = {*_NUMBERS.values(), *_TEXTS.values(), *RESERVED, "joined", "packets", "port_class"}
_NEEDED = ("ts", "id.orig_h", "id.resp_h", "proto", "duration")
# IoT-23's last column: three names, and in the rows three values.
_JOINED = re.compile(r"tunnel_parents\s+label\s+detailed-?label")
_APART = re.compile(r"\s{2,}")


def _matches(head: Head) -> bool:
    return head.lines[0].startswith("#separator") or any(
        line.startswith(_FIELDS) for line in head.lines
    )


def _named(head: Head, mark: str) -> list[str]:
    found = [line for line in head.lines if line.startswith(mark)]
    return found[0].removeprefix(mark).split("\t") if found else []


def _open(source: Source, head: Head, zone: ZoneInfo | None) -> Reader:
    names = [name.strip() for name in _named(head, _FIELDS)]
    if not names:
        raise InputError(f"{head.name}: no line begins with #fields and a tab: it is no Zeek log")
    is_joined = bool(_JOINED.fullmatch(names[-1]))
    require(head, names, _NEEDED, "Zeek conn.log")
    if not is_joined:
        require(head, names, ["label"], "labelled Zeek conn.log")
    check_fit(head, len(names), "\t", header=0)
    types = _named(head, _TYPES)
    types += [""] * (len(names) - len(types))
    columns = []
    for name, kind in zip(names, types, strict=False):
        out = _NUMBERS.get(name) or _TEXTS.get(name)
        if out is None and kind in _NUMBER_TYPES:
            out = plain(name)
            out = "" if out in _TAKEN else out
        columns.append(out if out and out not in columns else "")
    if is_joined:
        columns[-1] = "joined"
    layout = Layout(
        columns=tuple(columns),
        texts=frozenset(_TEXTS.values()) | {"joined"},
        delimiter="\t",
        header=next(line for line in head.lines if line.startswith(_FIELDS)),
        comment="#",
        unset=_UNSET,
        quoted=False,
    )
    return reader_of(source, layout, _convert)


def _judge(text: str) -> Verdict:
    """Judge a label and the detailed one."""
    label, detail = parted(text)
    match label.lower():
        case "malicious":
            return attack(detail or "malicious")
        case "benign" | "normal":
            return NORMAL
        case "background" | "unknown":
            return neither(label.lower())
        case _:
            return UNKNOWN


def _labels(table: "pd.DataFrame") -> "pd.Series":
    """Return label and detailed label as one text column."""
    if "joined" in table:

        def tidy(text: str) -> str:
            *_, label, detail = ["", "", *_APART.split(text.strip())]
            return f"{label}{SEPARATOR}{'' if detail in _UNSET else detail}"

        return by_text(table["joined"], tidy)
    if "detail" not in table:
        return table["label"]
    return joined(table["label"], table["detail"])


def _flag(column: "pd.Series") -> np.ndarray:
    """Return Zeek's T and F as 1 and 0."""
    values = [{"T": 1.0, "F": 0.0}.get(text.strip(), np.nan) for text in column.cat.categories]
    return np.array([*values, np.nan])[column.cat.codes.to_numpy()]


def _convert(table: "pd.DataFrame") -> Piece:
    numbers = [name for name in table if table[name].dtype == float]
    values, infinite = finite(table, numbers)
    proto = protocols(table["proto"])
    features: dict = {"src": stripped(table["src"])}
    features |= {n: _flag(table[n]) for n in ("internal", "dst_internal") if n in table}
    features["proto"] = proto
    if "dst_port" in values:
        features |= ports(values.pop("dst_port"), proto)
    if "src_port" in values:
        features["src_port"] = port_numbers(values.pop("src_port"), proto)
    features["dst"] = stripped(table["dst"])
    features |= {n: stripped(table[n]) for n in ("service", "state") if n in table}
    times = epochs(values.pop("ts"))
    if {"packets_out", "packets_in"} <= set(values):
        features["packets"] = values["packets_out"] + values["packets_in"]
    return Piece(
        features=features | values,
        verdicts=verdicts(_labels(table), _judge),
        seconds=times.seconds,
        repaired=infinite,
    )


FORMAT = Format(NAME, _matches, _open)
