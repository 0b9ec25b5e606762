"""The flow table: which columns it has, in which units, and what no record may hold."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from labkit.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

DAY_SECONDS = 86_400


@dataclass(frozen=True)
class Column:
    """A column of the flow table.

    Parameters
    ----------
    name
        Its name; a suffix says the unit or the window.
    kind
        "integer", "number" or "text".
    unit
        Unit of its values, "" where it has none.
    meaning
        What it holds, in one sentence.
    low, high
        Least and greatest value allowed.
    allowed
        The texts allowed; empty where any is.
    """

    name: str
    kind: str
    unit: str
    meaning: str
    low: float = 0
    high: float = float("inf")
    allowed: tuple[str, ...] = ()


COLUMNS = (
    Column("time", "integer", "s", "When the flow began, counted from midnight of day 0."),
    Column("day", "integer", "d", "Day of the capture, from 0.", 0),
    Column("src", "text", "", "Host that opened the flow; names a source, never a model input."),
    Column("internal", "integer", "", "1 when the source is inside the network, else 0.", 0, 1),
    Column("proto", "text", "", "Transport protocol.", allowed=("tcp", "udp")),
    Column(
        "port_class",
        "text",
        "",
        "Service that the destination port belongs to.",
        allowed=("web", "dns", "mail", "admin", "backup", "other"),
    ),
    Column("duration_s", "number", "s", "From the first to the last packet."),
    Column("bytes_out", "integer", "B", "Bytes from the source, headers included."),
    Column("bytes_in", "integer", "B", "Bytes to the source, headers included."),
    Column("packets", "integer", "packets", "Packets in both directions.", 1),
    Column(
        "failed_10min",
        "integer",
        "connections",
        "Failed connections of the source in the ten minutes before.",
    ),
    Column(
        "peers_10min",
        "integer",
        "hosts",
        "Distinct hosts that the source spoke to in the ten minutes before.",
    ),
    Column(
        "connections_10min",
        "integer",
        "connections",
        "Connections of the source in the ten minutes before.",
    ),
    Column(
        "iat_cv_10min",
        "number",
        "",
        "Coefficient of variation of the times between those connections; 0 is clockwork.",
    ),
    Column("label", "integer", "", "1 for an attack, 0 for a normal record.", 0, 1),
    Column("family", "text", "", "Attack family, or benign."),
    Column("activity", "text", "", "Kind of benign traffic, or the attack family again."),
)


def check_flows(flows: "pd.DataFrame") -> None:
    """Raise unless a table is a flow table.

    Every column of `COLUMNS` must be there, with values of its kind and within its limits; day
    must agree with time, and family with label; records are ordered by time. Columns beyond them
    are let be.

    Parameters
    ----------
    flows
        Any table.

    Raises
    ------
    InputError
        Naming the column and, counted from 0, the first row at fault.

    Examples
    --------
    >>> import pandas as pd
    >>> check_flows(pd.DataFrame({"time": [0]}))
    Traceback (most recent call last):
    ...
    labkit.errors.InputError: column 'day' is missing
    """
    if flows.empty:
        raise InputError("the flow table holds no record")
    for column in COLUMNS:
        found = int((flows.columns == column.name).sum())
        if found != 1:
            fault = "is missing" if found == 0 else f"occurs {found} times"
            raise InputError(f"column {column.name!r} {fault}")
        _check_column(flows[column.name], column)
    _refuse(flows["day"] != flows["time"] // DAY_SECONDS, flows, "day", "does not hold its time")
    _refuse(flows["time"].diff() < 0, flows, "time", "goes back")
    benign = flows["family"] == "benign"
    _refuse(benign == (flows["label"] == 1), flows, "family", "contradicts its label")


def _check_column(values: "pd.Series", column: Column) -> None:
    import pandas as pd

    frame = values.to_frame()
    _refuse(values.isna(), frame, column.name, "is missing")
    if column.kind == "text":
        texts = values.map(lambda value: isinstance(value, str) and value != "")
        _refuse(~texts.astype(bool), frame, column.name, "is not a text")
        if column.allowed:
            known = ", ".join(column.allowed)
            _refuse(~values.isin(column.allowed), frame, column.name, f"is none of {known}")
        return
    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        _refuse(pd.to_numeric(values, errors="coerce").isna(), frame, column.name, "is no number")
        raise InputError(f"column {column.name!r} does not hold numbers but {values.dtype}")
    if column.kind == "integer":
        _refuse(values % 1 != 0, frame, column.name, "is not a whole number")
    outside = ~values.between(column.low, column.high) | (values == float("inf"))
    limits = f"[{column.low:g}, {column.high:g}]"
    _refuse(outside, frame, column.name, f"lies outside {limits}")


def _refuse(fault: "pd.Series", flows: "pd.DataFrame", name: str, what: str) -> None:
    if fault.any():
        row = int(fault.to_numpy().argmax())
        value = flows[name].iloc[[row]].tolist()[0]
        raise InputError(f"column {name!r} {what} at row {row}: {value!r}")
