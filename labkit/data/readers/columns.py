"""Columns of the flow table from those of a file: labels, texts, protocols, ports."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from labkit.data.readers.formats import NO_LABEL, Verdict

if TYPE_CHECKING:
    import pandas as pd

INFINITE = "infinite value: unset"
NEGATIVE = "negative value: unset"
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

SEPARATOR = "\ue000"
"""Stands between two texts joined to one: a code point that Unicode leaves to private use."""


def by_text(column: "pd.Series", tidy: Callable[[str], str | None]) -> "pd.Series":
    """Return a text column with each distinct text tidied once; None unsets it.

    Examples
    --------
    >>> import pandas as pd
    >>> by_text(pd.Series(["a ", "b", None], dtype="category"), str.strip).tolist()
    ['a', 'b', nan]
    """
    import pandas as pd

    tidied = [tidy(text) for text in column.cat.categories]
    words = list(dict.fromkeys(word for word in tidied if word))
    code_of = {word: code for code, word in enumerate(words)}
    # The last one stands for a row without a text, whose code is -1.
    codes = np.array([code_of.get(word, -1) for word in tidied] + [-1])
    picked = codes[column.cat.codes.to_numpy()]
    return pd.Series(pd.Categorical.from_codes(picked, categories=words), index=column.index)


def stripped(column: "pd.Series") -> "pd.Series":
    """Return a text column without the spaces around its texts."""
    return by_text(column, str.strip)


def verdicts(
    column: "pd.Series", judge: Callable[[str], Verdict]
) -> tuple[list[Verdict], np.ndarray]:
    """Return the verdict on each distinct label, and which of them each row has."""
    found = [judge(text.strip()) if text.strip() else NO_LABEL for text in column.cat.categories]
    # A row without a label has the code -1, which is the last.
    codes = column.cat.codes.to_numpy().astype(int)
    return [*found, NO_LABEL], np.where(codes < 0, len(found), codes)


def joined(first: "pd.Series", second: "pd.Series") -> "pd.Series":
    """Return two text columns as one, to be taken apart by `parted`.

    Examples
    --------
    >>> import pandas as pd
    >>> a, b = (pd.Series(texts, dtype="category") for texts in (["x", None], [None, "y"]))
    >>> [parted(text) for text in joined(a, b)]
    [('x', ''), ('', 'y')]
    """
    import pandas as pd

    # Their pairs are few: each is written once.
    sides = [["", *side.cat.categories] for side in (first, second)]
    codes = [side.cat.codes.to_numpy().astype("int64") + 1 for side in (first, second)]
    found, places = np.unique(codes[0] * len(sides[1]) + codes[1], return_inverse=True)
    pairs = [divmod(int(pair), len(sides[1])) for pair in found]
    texts = np.array([f"{sides[0][a]}{SEPARATOR}{sides[1][b]}" for a, b in pairs], dtype=object)
    return pd.Series(texts[places], index=first.index, dtype="category")


def parted(text: str) -> tuple[str, str]:
    """Return the two texts that `joined` made one, without the spaces around them."""
    first, _, second = text.partition(SEPARATOR)
    return first.strip(), second.strip()


def protocols(column: "pd.Series") -> "pd.Series":
    """Return protocols by name in small letters; a number without a name here stays a number.

    Examples
    --------
    >>> import pandas as pd
    >>> protocols(pd.Series(["6", "UDP ", "253"], dtype="category")).tolist()
    ['tcp', 'udp', '253']
    """

    def tidy(text: str) -> str:
        word = text.strip().lower().removesuffix(".0")
        return _PROTOCOLS.get(word, word)

    return by_text(column, tidy)


def ports(
    numbers: np.ndarray, proto: "pd.Series | None" = None
) -> dict[str, "np.ndarray | pd.Series"]:
    """Return destination ports and their classes, unset for protocols without ports.

    Examples
    --------
    >>> found = ports(np.array([443, 70000, 53.0, 9200]))
    >>> found["port_class"].tolist(), found["dst_port"].tolist()
    (['web', nan, 'dns', 'other'], [443.0, nan, 53.0, 9200.0])
    """
    import pandas as pd

    numbers = port_numbers(numbers, proto)
    names = [*_PORT_CLASSES, "other"]
    table = np.full(_LARGEST_PORT + 2, len(names) - 1)
    for code, (_, members) in enumerate(_PORT_CLASSES.items()):
        table[list(members)] = code
    table[-1] = -1
    codes = table[np.where(np.isnan(numbers), _LARGEST_PORT + 1, numbers).astype(int)]
    classes = pd.Series(pd.Categorical.from_codes(codes, categories=names))
    return {"dst_port": numbers, "port_class": classes}


def port_numbers(numbers: np.ndarray, proto: "pd.Series | None" = None) -> np.ndarray:
    """Return ports, NaN for what cannot be one and for protocols without ports."""
    numbers = np.asarray(numbers, dtype=float)
    known = (numbers >= 0) & (numbers <= _LARGEST_PORT) & (np.floor(numbers) == numbers)
    if proto is not None:
        known &= ~proto.isin(_PORTLESS).to_numpy()
    return np.where(known, numbers, np.nan)


def read_ports(column: "pd.Series") -> tuple[np.ndarray, np.ndarray]:
    """Return the ports of a text column, and which of them were written in hexadecimal.

    Examples
    --------
    >>> import pandas as pd
    >>> numbers, hexadecimal = read_ports(pd.Series(["80", "0x0303", "-"], dtype="category"))
    >>> numbers.tolist(), hexadecimal.tolist()
    ([80.0, 771.0, nan], [False, True, False])
    """
    texts = [text.strip().lower() for text in column.cat.categories]
    values = np.array([_port(text) for text in texts] + [np.nan])
    written = np.array([text.startswith("0x") for text in texts] + [False])
    codes = column.cat.codes.to_numpy()
    return values[codes], (written & ~np.isnan(values))[codes]


def text_ports(
    destination: "pd.Series | None", source: "pd.Series | None", proto: "pd.Series | None"
) -> tuple[dict[str, "np.ndarray | pd.Series"], dict[str, np.ndarray]]:
    """Return the features of ports written as texts, and which rows had a hexadecimal one."""
    features: dict = {}
    hexadecimal: dict[str, np.ndarray] = {}
    if destination is not None:
        found, hexadecimal[HEXADECIMAL] = read_ports(destination)
        features |= ports(found, proto)
    if source is not None:
        found, written = read_ports(source)
        features["src_port"] = port_numbers(found, proto)
        hexadecimal[HEXADECIMAL] = written | hexadecimal.get(HEXADECIMAL, False)
    return features, hexadecimal


def _port(text: str) -> float:
    digits, base = (text[2:], 16) if text.startswith("0x") else (text.removesuffix(".0"), 10)
    # Python alone reads 1_000 and digits of other scripts as numbers.
    if not (digits.isascii() and digits.isalnum() and len(digits) < 10):
        return np.nan
    try:
        return float(int(digits, base))
    except ValueError:
        return np.nan


def finite(
    table: "pd.DataFrame", names: Iterable[str]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return number columns with infinities unset, and which rows had one."""
    values = {name: table[name].to_numpy() for name in names}
    infinite = np.zeros(len(table), dtype=bool)
    for name, column in values.items():
        here = np.isinf(column)
        if here.any():
            infinite |= here
            values[name] = np.where(here, np.nan, column)
    return values, {INFINITE: infinite}


def unset_negative(
    values: dict[str, np.ndarray], names: Iterable[str]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return columns with the negative values of some of them unset, and which rows had one."""
    names = list(names)
    negative = np.zeros(len(next(iter(values.values()), ())), dtype=bool)
    mended = dict(values)
    for name in names:
        here = values[name] < 0
        if here.any():
            negative |= here
            mended[name] = np.where(here, np.nan, values[name])
    return mended, {NEGATIVE: negative}
