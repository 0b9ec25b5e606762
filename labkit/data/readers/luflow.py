"""LUFlow: flows of Lancaster University, one zip file or CSV a day.

Epoch microseconds lost the zeros at their end in a tenth of the rows. Hosts are anonymised to the
number of their autonomous system. Bytes are those of the payload: a flow of bare SYNs has none.

By the data set's own description `_in` is from source to destination. The records say the
opposite: thousands a day have no packet "in", next to none have no packet "out", and the first
packet of a flow is its source's. So out is from the source here, as in the tool that recorded them.
"""

from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import numpy as np

from labkit.data.readers.columns import features_of
from labkit.data.readers.labels import NORMAL, UNKNOWN, Verdict, attack, neither, verdicts
from labkit.data.readers.layout import Head, layout_of, require
from labkit.data.readers.pieces import PAYLOAD, Piece, Reader
from labkit.data.readers.rows import read_rows
from labkit.data.readers.times import Times, epochs

if TYPE_CHECKING:
    import pandas as pd

NAME = "luflow"
PADDED = "epoch without its last zeros: padded"

_FEATURES = {
    **{"duration": "duration_s", "bytes_out": "bytes_out", "bytes_in": "bytes_in"},
    **{"proto": "proto", "dest_port": "dst_port", "src_port": "src_port"},
    **{"src_ip": "src_as", "dest_ip": "dst_as"},
    **{"num_pkts_out": "packets_out", "num_pkts_in": "packets_in"},
    **{"avg_ipt": "avg_ipt", "entropy": "entropy", "total_entropy": "total_entropy"},
}
_NAMES = _FEATURES | {"label": "label", "time_start": "time_start"}
_TEXTS = ("label", "proto", "src_as", "dst_as")
_KNOWN_BY = {"avg_ipt", "num_pkts_out", "num_pkts_in", "time_start", "total_entropy"}
# Epoch microseconds have 16 digits from 2001 to 2286, epoch seconds ten.
_DIGITS, _FEWEST_DIGITS = 16, 10
_VERDICTS = {"benign": NORMAL, "malicious": attack("malicious"), "outlier": neither("outlier")}


def matches(head: Head) -> bool:
    """Return whether a file looks like LUFlow."""
    return set(head.header) >= _KNOWN_BY


def reader(head: Head, zone: ZoneInfo | None) -> Reader:
    """Return how a LUFlow file is read; its times are UTC whatever the zone."""
    require(head, head.header, sorted(_NAMES), "LUFlow file")
    layout = layout_of(head, [_NAMES.get(name, "") for name in head.header], _TEXTS)
    return Reader(NAME, head.source, partial(read_rows, head.source, layout), _piece, (PAYLOAD,))


def _judge(label: str) -> Verdict:
    return _VERDICTS.get(label.lower(), UNKNOWN)


def _piece(table: "pd.DataFrame") -> Piece:
    features, repaired = features_of(table[[*_FEATURES.values()]])
    features["packets"] = features["packets_out"] + features["packets_in"]
    times = padded_epochs(table["time_start"].to_numpy())
    labels = verdicts(_judge, table["label"])
    return Piece(features, labels, times.seconds, times.repaired | repaired)


def padded_epochs(values: np.ndarray) -> Times:
    """Return times given as epoch microseconds, of which some lost the zeros at their end.

    Digits are put back on the right up to 16. At least ten must be there, or seconds are lost too.

    Examples
    --------
    >>> times = padded_epochs(np.array([1608079837780185, 160807983778018, 16.0]))
    >>> times.seconds.tolist()
    [1608079837.780185, 1608079837.78018, nan]
    >>> times.repaired[PADDED].tolist()
    [False, True, False]
    """
    values = np.asarray(values, dtype=float)
    known = (
        (values >= 10 ** (_FEWEST_DIGITS - 1))
        & (values < 10**_DIGITS)
        & (np.floor(values) == values)
    )
    whole = np.where(known, values, 10.0 ** (_DIGITS - 1)).astype("int64")
    missing = np.zeros(len(whole), dtype="int64")
    for digits in range(_FEWEST_DIGITS, _DIGITS):
        missing += whole < 10**digits
    seconds = epochs(np.where(known, whole * 10**missing, np.nan), 10**6)
    return Times(seconds, {PADDED: (missing > 0) & ~np.isnan(seconds)})
