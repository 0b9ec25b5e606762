"""NSL-KDD: connections of KDD'99, 43 columns without a header.

The last column counts which of 21 classifiers got the record right. It was made from the label, so
no model may see it, and it is left out. There are no times, hosts or ports; the service says what
the port would. Bytes are those of the payload. Attacks go by their own names, of which the test
file has 18 that the training file lacks.
"""

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from labkit.data.readers.columns import by_text, finite, protocols, stripped, verdicts
from labkit.data.readers.formats import (
    NO_TIMES,
    NORMAL,
    PAYLOAD,
    UNKNOWN,
    Format,
    Piece,
    Reader,
    Verdict,
    attack,
    reader_of,
)
from labkit.data.readers.head import Head
from labkit.data.readers.rows import Layout
from labkit.data.readers.source import Source
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "nsl-kdd"

COLUMNS = (
    *("duration", "protocol_type", "service", "flag", "src_bytes", "dst_bytes", "land"),
    *("wrong_fragment", "urgent", "hot", "num_failed_logins", "logged_in", "num_compromised"),
    *("root_shell", "su_attempted", "num_root", "num_file_creations", "num_shells"),
    *("num_access_files", "num_outbound_cmds", "is_host_login", "is_guest_login", "count"),
    *("srv_count", "serror_rate", "srv_serror_rate", "rerror_rate", "srv_rerror_rate"),
    *("same_srv_rate", "diff_srv_rate", "srv_diff_host_rate", "dst_host_count"),
    *("dst_host_srv_count", "dst_host_same_srv_rate", "dst_host_diff_srv_rate"),
    *("dst_host_same_src_port_rate", "dst_host_srv_diff_host_rate", "dst_host_serror_rate"),
    *("dst_host_srv_serror_rate", "dst_host_rerror_rate", "dst_host_srv_rerror_rate"),
    *("label", "difficulty"),
)
_TEXTS = frozenset({"protocol_type", "service", "flag", "label"})
_RENAMED = {"duration": "duration_s", "src_bytes": "bytes_out", "dst_bytes": "bytes_in"}
ATTACKS = frozenset(
    (
        *("back", "buffer_overflow", "ftp_write", "guess_passwd", "imap", "ipsweep", "land"),
        *("loadmodule", "multihop", "neptune", "nmap", "perl", "phf", "pod", "portsweep"),
        *("rootkit", "satan", "smurf", "spy", "teardrop", "warezclient", "warezmaster"),
        # In the test file alone.
        *("apache2", "httptunnel", "mailbomb", "mscan", "named", "processtable", "ps", "saint"),
        *("sendmail", "snmpgetattack", "snmpguess", "sqlattack", "udpstorm", "worm", "xlock"),
        *("xsnoop", "xterm"),
    )
)
_PROTOCOLS = {"tcp", "udp", "icmp"}
_PORT_CLASS = {
    **dict.fromkeys(("http", "http_443", "http_2784", "http_8001"), "web"),
    **dict.fromkeys(("domain", "domain_u"), "dns"),
    **dict.fromkeys(("smtp", "pop_2", "pop_3", "imap4"), "mail"),
    **dict.fromkeys(("ssh", "telnet", "login", "shell", "klogin", "kshell", "exec"), "admin"),
}


def _matches(head: Head) -> bool:
    like = [
        len(row) == len(COLUMNS)
        and row[COLUMNS.index("protocol_type")] in _PROTOCOLS
        and _judge(row[COLUMNS.index("label")]) is not UNKNOWN
        for row in head.rows
    ]
    return 2 * sum(like) > len(like)


def _open(source: Source, head: Head, zone: ZoneInfo | None) -> Reader:
    counts = {len(row) for row in head.rows}
    if len(COLUMNS) not in counts:
        raise InputError(
            f"{head.name}: its rows have {min(counts, default=0)} columns where NSL-KDD has "
            f"{len(COLUMNS)}: it is no such file, or a broken copy"
        )
    layout = Layout(
        columns=tuple("" if name == "difficulty" else name for name in COLUMNS),
        texts=_TEXTS,
        delimiter=head.delimiter,
    )
    return reader_of(source, layout, _convert, (NO_TIMES, PAYLOAD))


def _judge(label: str) -> Verdict:
    # KDD'99 itself ends them with a full stop.
    word = label.lower().removesuffix(".")
    if word == "normal":
        return NORMAL
    return attack(word) if word in ATTACKS else UNKNOWN


def _convert(table: "pd.DataFrame") -> Piece:
    numbers = [name for name in table if name not in _TEXTS]
    values, infinite = finite(table, numbers)
    service = stripped(table["service"])
    features = {
        "proto": protocols(table["protocol_type"]),
        "port_class": by_text(service, lambda word: _PORT_CLASS.get(word, "other")),
        "service": service,
        "state": stripped(table["flag"]),
    }
    features |= {_RENAMED.get(name, name): column for name, column in values.items()}
    return Piece(features, verdicts(table["label"], _judge), repaired=infinite)


FORMAT = Format(NAME, _matches, _open)
