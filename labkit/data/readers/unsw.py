"""UNSW-NB15: the raw files without a header, and the training and testing sets with one.

The raw files have 49 columns, a byte order mark, epoch seconds, ports as numbers, in hexadecimal or
`-`, and a blank attack_cat where there is no attack. The sets have no times, hosts or ports. What
the two call by different names has here the name of the sets. Some categories are written in
several ways (" Fuzzers ", "Backdoors"): they are made one.
"""

from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from labkit.data.readers.columns import by_text, features_of, spread
from labkit.data.readers.labels import NORMAL, UNKNOWN, Verdict, attack, verdicts
from labkit.data.readers.layout import Head, Layout, layout_of, plain, require
from labkit.data.readers.pieces import NO_TIMES, Piece, Reader
from labkit.data.readers.rows import read_rows
from labkit.data.readers.times import epochs
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "unsw"

_RAW = (
    *("srcip", "sport", "dstip", "dsport", "proto", "state", "dur", "sbytes", "dbytes", "sttl"),
    *("dttl", "sloss", "dloss", "service", "sload", "dload", "spkts", "dpkts", "swin", "dwin"),
    *("stcpb", "dtcpb", "smean", "dmean", "trans_depth", "response_body_len", "sjit", "djit"),
    *("stime", "ltime", "sinpkt", "dinpkt", "tcprtt", "synack", "ackdat", "is_sm_ips_ports"),
    *("ct_state_ttl", "ct_flw_http_mthd", "is_ftp_login", "ct_ftp_cmd", "ct_srv_src"),
    *("ct_srv_dst", "ct_dst_ltm", "ct_src_ltm", "ct_src_dport_ltm", "ct_dst_sport_ltm"),
    *("ct_dst_src_ltm", "attack_cat", "label"),
)
_OTHER_NAMES = {
    **{"smeansz": "smean", "dmeansz": "dmean", "res_bdy_len": "response_body_len"},
    **{"sintpkt": "sinpkt", "dintpkt": "dinpkt"},
}
_NEEDED = ("proto", "dur", "sbytes", "dbytes", "spkts", "dpkts")
_KNOWN_BY = {*_NEEDED, "sttl", "dttl", "sload", "dload", "ct_srv_src"}
_RENAMED = {
    **{"srcip": "src", "sport": "src_port", "dstip": "dst", "dsport": "dst_port"},
    **{"dur": "duration_s", "sbytes": "bytes_out", "dbytes": "bytes_in"},
    **{"spkts": "packets_out", "dpkts": "packets_in"},
}
# The end of a flow is its start and duration.
_NAMES = {name: _RENAMED.get(name, name) for name in (*_RAW, "rate") if name != "ltime"}
_TEXTS = frozenset(
    ("src", "src_port", "dst", "dst_port", "proto", "state", "service", "attack_cat", "label")
)
_TIDIED = "attack_cat spelt otherwise: made one"
_CONTRADICTION = Verdict(None, "label contradicts attack_cat", damage=True)


def matches(head: Head) -> bool:
    """Return whether a file looks like a raw file or a set of UNSW-NB15."""
    return set(_header(head)) >= _KNOWN_BY or _is_raw(head)


def _header(head: Head) -> list[str]:
    """Return the names in the first line, as the sets write them."""
    names = [plain(name) for name in head.header]
    return [_OTHER_NAMES.get(name, name) for name in names]


def _is_raw(head: Head) -> bool:
    """Return whether the first rows look like those of a raw file, which has no header."""
    like = [
        len(row) == len(_RAW)
        and row[_RAW.index("label")] in ("0", "1")
        and row[_RAW.index("stime")].isdecimal()
        and row[_RAW.index("ltime")].isdecimal()
        for row in head.rows
    ]
    return 2 * sum(like) > len(like)


def reader(head: Head, zone: ZoneInfo | None) -> Reader:
    """Return how a file of UNSW-NB15 is read; its times are UTC whatever the zone."""
    header = _header(head)
    if set(header) >= _KNOWN_BY:
        require(head, header, [*_NEEDED, "label"], "UNSW-NB15 file")
        layout = layout_of(head, [_NAMES.get(name, "") for name in header], _TEXTS)
    elif len(header) == len(_RAW):
        columns = tuple(_NAMES.get(name, "") for name in _RAW)
        layout = Layout(columns, _TEXTS, head.delimiter, skip=head.blank)
    else:
        raise InputError(
            f"{head.name}: its first line is no header of UNSW-NB15, and has "
            f"{len(header)} columns where the raw files have {len(_RAW)}: "
            "it is no such file, or a broken copy"
        )
    rows = partial(read_rows, head.source, layout)
    notes = () if "stime" in layout.columns else (NO_TIMES,)
    return Reader(NAME, head.source, rows, _piece, notes)


def _judge(label: str, category: str = "") -> Verdict:
    label, family = label.removesuffix(".0"), _family(category)
    if label not in ("0", "1"):
        return UNKNOWN
    if label == "0":
        return NORMAL if family.lower() in ("", "normal") else _CONTRADICTION
    return _CONTRADICTION if family.lower() == "normal" else attack(family or "attack")


def _family(category: str) -> str:
    category = category.strip()
    return "Backdoor" if category.lower() in ("backdoor", "backdoors") else _dash_unset(category)


def _dash_unset(text: str) -> str:
    return "" if text == "-" else text


def _piece(table: "pd.DataFrame") -> Piece:
    has = {"stime", "attack_cat", "label"} & set(table)
    others = table.drop(columns=list(has))
    # The sets have the state behind the service, the raw files before it.
    features, repaired = features_of(others[sorted(others, key="state".__eq__)])
    features["packets"] = features["packets_out"] + features["packets_in"]
    if "service" in features:
        features["service"] = by_text(features["service"], _dash_unset)
    labels = [table["label"]]
    if "attack_cat" in has:
        category = table["attack_cat"]
        tidied = [text != _family(text) for text in category.cat.categories]
        repaired[_TIDIED] = spread(category, tidied, False)
        labels.append(category)
    seconds = epochs(table["stime"].to_numpy()) if "stime" in has else None
    return Piece(features, verdicts(_judge, *labels), seconds, repaired)
