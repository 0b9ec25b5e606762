"""LUFlow: flows of Lancaster University, one zip file or CSV a day.

Epoch microseconds lost the zeros at their end in a tenth of the rows. Hosts are anonymised to the
number of their autonomous system. Bytes are those of the payload: a flow of bare SYNs has none.

By the data set's own description `_in` is from source to destination. The records say the
opposite: thousands a day have no packet "in", next to none have no packet "out", and the first
packet of a flow is its source's. So out is from the source here, as in the tool that recorded them.
"""

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from labkit.data.readers.columns import finite, port_numbers, ports, protocols, stripped, verdicts
from labkit.data.readers.formats import (
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
from labkit.data.readers.head import Head, check_fit, require
from labkit.data.readers.rows import Layout
from labkit.data.readers.source import Source
from labkit.data.readers.times import padded_epochs

if TYPE_CHECKING:
    import pandas as pd

NAME = "luflow"

_TEXTS = frozenset({"label", "proto", "src_ip", "dest_ip"})
_NUMBERS = (
    *("avg_ipt", "bytes_in", "bytes_out", "dest_port", "entropy", "num_pkts_out", "num_pkts_in"),
    *("src_port", "time_start", "total_entropy", "duration"),
)
_KNOWN_BY = {"avg_ipt", "num_pkts_out", "num_pkts_in", "time_start", "total_entropy"}
_VERDICTS = {
    "benign": NORMAL,
    "malicious": attack("malicious"),
    "outlier": neither("outlier"),
}


def _matches(head: Head) -> bool:
    return set(head.header) >= _KNOWN_BY


def _open(source: Source, head: Head, zone: ZoneInfo | None) -> Reader:
    header = head.header
    require(head, header, sorted(_TEXTS | set(_NUMBERS)), "LUFlow file")
    check_fit(head, len(header), head.delimiter, header=1)
    layout = Layout(
        columns=tuple(wanted_once(header, _TEXTS | set(_NUMBERS))),
        texts=_TEXTS,
        delimiter=head.delimiter,
        skip=head.blank + 1,
        header=head.lines[0],
    )
    return reader_of(source, layout, _convert, (PAYLOAD,))


def wanted_once(header: list[str], wanted: set[str] | frozenset[str]) -> list[str]:
    """Return the columns of a header, "" for one that is not wanted or came before.

    Examples
    --------
    >>> wanted_once(["a", "b", "a"], {"a"})
    ['a', '', '']
    """
    return [
        name if name in wanted and name not in header[:at] else "" for at, name in enumerate(header)
    ]


def _judge(label: str) -> Verdict:
    return _VERDICTS.get(label.lower(), UNKNOWN)


def _convert(table: "pd.DataFrame") -> Piece:
    values, infinite = finite(table, _NUMBERS)
    proto = protocols(table["proto"])
    times = padded_epochs(values["time_start"])
    return Piece(
        features={
            "duration_s": values["duration"],
            "bytes_out": values["bytes_out"],
            "bytes_in": values["bytes_in"],
            "packets": values["num_pkts_out"] + values["num_pkts_in"],
            "proto": proto,
            **ports(values["dest_port"], proto),
            "src_port": port_numbers(values["src_port"], proto),
            "src_as": stripped(table["src_ip"]),
            "dst_as": stripped(table["dest_ip"]),
            "packets_out": values["num_pkts_out"],
            "packets_in": values["num_pkts_in"],
            "avg_ipt": values["avg_ipt"],
            "entropy": values["entropy"],
            "total_entropy": values["total_entropy"],
        },
        verdicts=verdicts(table["label"], _judge),
        seconds=times.seconds,
        repaired=times.repaired | infinite,
    )


FORMAT = Format(NAME, _matches, _open)
