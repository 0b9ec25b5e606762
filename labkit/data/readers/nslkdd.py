"""NSL-KDD: connections of KDD'99, 43 columns without a header.

The last column counts which of 21 classifiers got the record right. It was made from the label, so
no model may see it, and it is left out. There are no times, hosts or ports; the service says what
the port would. Bytes are those of the payload. Attacks go by their own names, of which the test
file has 18 that the training file lacks.
"""

from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from labkit.data.readers.columns import by_text, features_of
from labkit.data.readers.labels import NORMAL, UNKNOWN, Verdict, attack, verdicts
from labkit.data.readers.layout import Head, Layout
from labkit.data.readers.pieces import NO_TIMES, PAYLOAD, Piece, Reader
from labkit.data.readers.rows import read_rows
from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

NAME = "nsl-kdd"

_RAW = (
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
_NAMES = {
    **{"duration": "duration_s", "src_bytes": "bytes_out", "dst_bytes": "bytes_in"},
    **{"protocol_type": "proto", "flag": "state", "difficulty": ""},
}
_TEXTS = frozenset({"proto", "service", "state", "label"})
_ATTACKS = frozenset(
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


def matches(head: Head) -> bool:
    """Return whether most of the first rows look like NSL-KDD's."""
    like = [
        len(row) == len(_RAW)
        and row[_RAW.index("protocol_type")] in _PROTOCOLS
        and _judge(row[_RAW.index("label")]) is not UNKNOWN
        for row in head.rows
    ]
    return 2 * sum(like) > len(like)


def reader(head: Head, zone: ZoneInfo | None) -> Reader:
    """Return how a file of NSL-KDD is read; it has no times, so no zone counts."""
    counts = {len(row) for row in head.rows}
    if len(_RAW) not in counts:
        raise InputError(
            f"{head.name}: its rows have {min(counts, default=0)} columns where NSL-KDD has "
            f"{len(_RAW)}: it is no such file, or a broken copy"
        )
    layout = Layout(tuple(_NAMES.get(name, name) for name in _RAW), _TEXTS, head.delimiter)
    rows = partial(read_rows, head.source, layout)
    return Reader(NAME, head.source, rows, _piece, (NO_TIMES, PAYLOAD))


def _judge(label: str) -> Verdict:
    # KDD'99 itself ends them with a full stop.
    word = label.lower().removesuffix(".")
    if word == "normal":
        return NORMAL
    return attack(word) if word in _ATTACKS else UNKNOWN


def _piece(table: "pd.DataFrame") -> Piece:
    features, repaired = features_of(table.drop(columns="label"))
    features["port_class"] = by_text(
        features["service"], lambda service: _PORT_CLASS.get(service, "other")
    )
    return Piece(features, verdicts(_judge, table["label"]), None, repaired)
