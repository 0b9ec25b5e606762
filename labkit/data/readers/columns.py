"""Features of the flow table from the columns of a file: texts, numbers, protocols, ports."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

INFINITE = "infinite value: unset"
HEXADECIMAL = "port in hexadecimal"

# By the IANA's numbers; others keep theirs.
_PROTOCOLS = {
    **{"1": "icmp", "2": "igmp", "4": "ipip", "6": "tcp", "17": "udp", "41": "ipv6"},
    **{"47": "gre", "50": "esp", "51": "ah", "58": "ipv6-icmp", "89": "ospf", "132": "sctp"},
}
# Where their flows have ports, another thing stands: the type and code of ICMP, or nothing.
_PORTLESS = {"icmp", "icmp6", "ipv6-icmp", "igmp", "arp", "rarp", "ospf"}

# Services of the schema's port classes by their registered ports. Backups have none of their own
# but rsync and NDMP.
_PORT_CLASSES = {
    "web": (80, 443, 591, 8000, 8008, 8080, 8443),
    "dns": (53, 853),
    "mail": (25, 110, 143, 465, 587, 993, 995),
    "admin": (22, 23, 161, 992, 3389, 5900, 5985, 5986),
    "backup": (873, 10000),
}
_LARGEST_PORT = 65_535
# The sum of two numbers up to here is none that overflows; nothing that is counted is larger.
_LARGEST = 1e300

Features = dict[str, "pd.Series | np.ndarray"]
Repaired = dict[str, np.ndarray]
"""What was repaired -> the rows."""


def features_of(table: "pd.DataFrame") -> tuple[Features, Repaired]:
    """Return the features in columns that have our names, and what was repaired.

    Texts lose the spaces around them, and numbers their infinities. `proto` goes by names, and a
    port that cannot be one, or whose protocol has none, is unset; `dst_port` gives `port_class`.

    Parameters
    ----------
    table
        Texts as categories, ports among them or not; numbers as floats.

    Examples
    --------
    >>> import pandas as pd
    >>> texts = {"proto": ["6", "ICMP ", "253"], "dst_port": ["0x1bb", "8", "70000"]}
    >>> features, repaired = features_of(pd.DataFrame(texts, dtype="category"))
    >>> for name, values in features.items():
    ...     print(name, values.tolist())
    dst_port [443.0, nan, nan]
    port_class ['web', nan, nan]
    proto ['tcp', 'icmp', '253']
    >>> repaired["port in hexadecimal"].tolist()
    [True, False, False]
    """
    texts = [name for name in table if table[name].dtype == "category"]
    numbers, infinite = _finite(table.drop(columns=texts))
    repaired = {INFINITE: infinite}
    proto = _protocols(table["proto"]) if "proto" in texts else None
    features: Features = {}
    for name in ("dst_port", "src_port"):
        if name in texts:
            ports, hexadecimal = _read_ports(table[name])
            repaired[HEXADECIMAL] = hexadecimal | repaired.get(HEXADECIMAL, False)
        elif name in numbers:
            ports = numbers[name]
        else:
            continue
        features[name] = _known_ports(ports, proto)
        # A mapping may name a column of classes itself.
        if name == "dst_port" and "port_class" not in table:
            features["port_class"] = _port_classes(features[name])
    if proto is not None:
        features["proto"] = proto
    features |= {name: by_text(table[name], str.strip) for name in texts if name not in features}
    return features | {n: numbers[n] for n in numbers if n not in features}, repaired


def spread(column: "pd.Series", values: Iterable, missing: object) -> np.ndarray:
    """Return a value for every row of a text column, from those of its distinct texts.

    Examples
    --------
    >>> import pandas as pd
    >>> column = pd.Series(["b", "a", None, "b"], dtype="category")
    >>> spread(column, [ord(text) for text in column.cat.categories], 0).tolist()
    [98, 97, 0, 98]
    """
    # A row without a text has the code -1, which is the last.
    return np.array([*values, missing])[column.cat.codes.to_numpy()]


def by_text(column: "pd.Series", tidy: Callable[[str], str]) -> "pd.Series":
    """Return a text column with each distinct text tidied once; "" unsets it.

    Examples
    --------
    >>> import pandas as pd
    >>> by_text(pd.Series(["a ", "b", None], dtype="category"), str.strip).tolist()
    ['a', 'b', nan]
    """
    import pandas as pd

    tidied = [tidy(text) for text in column.cat.categories]
    code_of = {word: code for code, word in enumerate(dict.fromkeys(filter(None, tidied)))}
    codes = spread(column, [code_of.get(word, -1) for word in tidied], -1)
    return pd.Series(pd.Categorical.from_codes(codes, list(code_of)), index=column.index)


def _protocols(column: "pd.Series") -> "pd.Series":
    """Return protocols by name in small letters; a number without a name here stays a number."""

    def tidy(text: str) -> str:
        word = text.strip().lower().removesuffix(".0")
        return _PROTOCOLS.get(word, word)

    return by_text(column, tidy)


def _port_classes(ports: np.ndarray) -> "pd.Series":
    """Return the classes of ports, unset where they are."""
    import pandas as pd

    names = [*_PORT_CLASSES, "other"]
    codes = np.full(len(ports), names.index("other"))
    for name, members in _PORT_CLASSES.items():
        codes[np.isin(ports, members)] = names.index(name)
    codes[np.isnan(ports)] = -1
    return pd.Series(pd.Categorical.from_codes(codes, names))


def _read_ports(column: "pd.Series") -> tuple[np.ndarray, np.ndarray]:
    """Return the ports of a text column, and which of them were written in hexadecimal."""
    texts = [text.strip().lower() for text in column.cat.categories]
    numbers = spread(column, map(_port, texts), np.nan)
    written = spread(column, [text.startswith("0x") for text in texts], False)
    return numbers, written & ~np.isnan(numbers)


def _port(text: str) -> float:
    digits, base = (text[2:], 16) if text.startswith("0x") else (text.removesuffix(".0"), 10)
    # Python alone reads 1_000 and digits of other scripts as numbers.
    if not (digits.isascii() and digits.isalnum() and len(digits) < 10):
        return np.nan
    try:
        return float(int(digits, base))
    except ValueError:
        return np.nan


def _known_ports(numbers: np.ndarray, proto: "pd.Series | None") -> np.ndarray:
    """Return ports, NaN for what cannot be one and for protocols without ports."""
    known = (numbers >= 0) & (numbers <= _LARGEST_PORT) & (np.floor(numbers) == numbers)
    if proto is not None:
        known &= ~proto.isin(_PORTLESS).to_numpy()
    return np.where(known, numbers, np.nan)


def _finite(table: "pd.DataFrame") -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return columns of numbers with infinities unset, and which rows had one."""
    numbers, infinite = {}, np.zeros(len(table), dtype=bool)
    for name in table:
        values = table[name].to_numpy()
        here = np.abs(values) > _LARGEST
        infinite |= here
        numbers[name] = np.where(here, np.nan, values) if here.any() else values
    return numbers, infinite
