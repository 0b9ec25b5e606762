"""UNSW-NB15: the raw files without a header, and the training and testing sets with one.

The raw files have 49 columns, a byte order mark, epoch seconds, ports as numbers, in hexadecimal or
`-`, and a blank attack_cat where there is no attack. The sets have no times, hosts or ports. What
the two call by different names has here the name of the sets. Some categories are written in
several ways (" Fuzzers ", "Backdoors"): they are made one.
"""

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.columns import (
    by_text,
    finite,
    joined,
    parted,
    protocols,
    stripped,
    text_ports,
    verdicts,
)
from labkit.data.readers.formats import (
    NO_LABEL,
    NO_TIMES,
    NORMAL,
    UNKNOWN,
    Format,
    Piece,
    Reader,
    Verdict,
    attack,
    reader_of,
)
from labkit.data.readers.head import Head, check_fit, plain, require
from labkit.data.readers.rows import Layout
from labkit.data.readers.source import Source
from labkit.data.readers.times import epochs
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "unsw"

RAW = (
    *("srcip", "sport", "dstip", "dsport", "proto", "state", "dur", "sbytes", "dbytes", "sttl"),
    *("dttl", "sloss", "dloss", "service", "sload", "dload", "spkts", "dpkts", "swin", "dwin"),
    *("stcpb", "dtcpb", "smean", "dmean", "trans_depth", "response_body_len", "sjit", "djit"),
    *("stime", "ltime", "sinpkt", "dinpkt", "tcprtt", "synack", "ackdat", "is_sm_ips_ports"),
    *("ct_state_ttl", "ct_flw_http_mthd", "is_ftp_login", "ct_ftp_cmd", "ct_srv_src"),
    *("ct_srv_dst", "ct_dst_ltm", "ct_src_ltm", "ct_src_dport_ltm", "ct_dst_sport_ltm"),
    *("ct_dst_src_ltm", "attack_cat", "label"),
)
_TEXTS = frozenset(
    (
        *("srcip", "sport", "dstip", "dsport", "proto", "state", "service"),
        *("attack_cat", "label"),
    )
)
_OTHER_NAMES = {
    **{"smeansz": "smean", "dmeansz": "dmean", "res_bdy_len": "response_body_len"},
    **{"sintpkt": "sinpkt", "dintpkt": "dinpkt"},
}
_NEEDED = ("proto", "dur", "sbytes", "dbytes", "spkts", "dpkts")
_KNOWN_BY = {*_NEEDED, "sttl", "dttl", "sload", "dload", "ct_srv_src"}
# The end of a flow is its start and duration.
_KNOWN = {*RAW, "rate"} - {"ltime"}
_RENAMED = {
    **{"dur": "duration_s", "sbytes": "bytes_out", "dbytes": "bytes_in"},
    **{"spkts": "packets_out", "dpkts": "packets_in"},
}
_DASH = "-"
_TIDIED = "attack_cat spelt otherwise: made one"
_SPELLINGS = {"backdoors": "Backdoor", "backdoor": "Backdoor"}
_CONTRADICTION = Verdict(None, "label contradicts attack_cat", damage=True)


def _matches(head: Head) -> bool:
    return set(_named(head.header)) >= _KNOWN_BY or _is_raw(head)


def _named(header: list[str]) -> list[str]:
    """Return our name of every column; "" where there is none or it came before."""
    names = [_OTHER_NAMES.get(plain(name), plain(name)) for name in header]
    return [n if n in _KNOWN and n not in names[:at] else "" for at, n in enumerate(names)]


def _is_raw(head: Head) -> bool:
    """Return whether the first rows look like those of a raw file, which has no header."""
    like = [
        len(row) == len(RAW)
        and row[RAW.index("label")] in ("0", "1")
        and row[RAW.index("stime")].isdecimal()
        and row[RAW.index("ltime")].isdecimal()
        for row in head.rows
    ]
    return 2 * sum(like) > len(like)


def _open(source: Source, head: Head, zone: ZoneInfo | None) -> Reader:
    names = _named(head.header)
    has_header = set(names) >= _KNOWN_BY
    if not has_header and len(head.header) != len(RAW):
        raise InputError(
            f"{head.name}: its first line is no header of UNSW-NB15, and has "
            f"{len(head.header)} columns where the raw files have {len(RAW)}: "
            "it is no such file, or a broken copy"
        )
    if has_header:
        require(head, names, [*_NEEDED, "label"], "UNSW-NB15 file")
        check_fit(head, len(names), head.delimiter, header=1)
    else:
        names = [name if name in _KNOWN else "" for name in RAW]
    layout = Layout(
        columns=tuple(names),
        texts=_TEXTS,
        delimiter=head.delimiter,
        skip=head.blank + has_header,
        header=head.lines[0] if has_header else "",
    )
    return reader_of(source, layout, _convert, () if "stime" in names else (NO_TIMES,))


def _judge(text: str) -> Verdict:
    """Judge a label and attack_cat."""
    label, category = parted(text)
    family = _family(category)
    label = label.removesuffix(".0")
    if label not in ("0", "1"):
        return UNKNOWN if label else NO_LABEL
    if label == "0":
        return NORMAL if family.lower() in ("", "normal", _DASH) else _CONTRADICTION
    return _CONTRADICTION if family.lower() == "normal" else attack(family or "attack")


def _family(category: str) -> str:
    category = category.strip()
    return _SPELLINGS.get(category.lower(), "" if category == _DASH else category)


def _is_tidied(column: "pd.Series") -> np.ndarray:
    changed = [text != _family(text) for text in column.cat.categories]
    return np.array([*changed, False])[column.cat.codes.to_numpy()]


def _service(table: "pd.DataFrame") -> "pd.Series":
    return by_text(table["service"], lambda text: "" if text.strip() == _DASH else text.strip())


def _convert(table: "pd.DataFrame") -> Piece:
    numbers = [name for name in table if name not in _TEXTS]
    values, repaired = finite(table, numbers)
    seconds = epochs(values.pop("stime")).seconds if "stime" in values else None
    proto = protocols(table["proto"])
    features: dict = {"proto": proto}
    if "srcip" in table:
        features["src"] = stripped(table["srcip"])
    of_ports, hexadecimal = text_ports(table.get("dsport"), table.get("sport"), proto)
    features |= of_ports
    if "dstip" in table:
        features["dst"] = stripped(table["dstip"])
    if "service" in table:
        features["service"] = _service(table)
    if "state" in table:
        features["state"] = stripped(table["state"])
    features |= {_RENAMED.get(name, name): column for name, column in values.items()}
    features["packets"] = values["spkts"] + values["dpkts"]
    labels = table["label"]
    if "attack_cat" in table:
        repaired[_TIDIED] = _is_tidied(table["attack_cat"])
        labels = joined(labels, table["attack_cat"])
    return Piece(
        features=features,
        verdicts=verdicts(labels, _judge),
        seconds=seconds,
        repaired=repaired | hexadecimal,
    )


FORMAT = Format(NAME, _matches, _open)
