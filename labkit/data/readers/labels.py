"""What the labels of a file say: attack, normal, or neither and so why a row is dropped."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

BENIGN = "benign"
"""The family of a normal row, as in the simulated traffic."""


@dataclass(frozen=True)
class Verdict:
    """What a label says of a row.

    Parameters
    ----------
    label
        1 for an attack, 0 for a normal row, None when it is neither.
    word
        The family of an attack or `BENIGN`; else the reason for which the row is dropped.
    damage
        Whether that reason speaks of a broken file.
    """

    label: int | None
    word: str
    damage: bool = False


NORMAL = Verdict(0, BENIGN)
NO_LABEL = Verdict(None, "no label")
UNKNOWN = Verdict(None, "unknown label", damage=True)


def attack(family: str) -> Verdict:
    """Return the verdict on an attack."""
    return Verdict(1, family)


def neither(word: str) -> Verdict:
    """Return the verdict on a label that is neither class.

    Examples
    --------
    >>> neither("outlier").word
    'neither class (outlier)'
    """
    return Verdict(None, f"neither class ({word})")


def verdicts(
    judge: Callable[..., Verdict], *columns: "pd.Series"
) -> tuple[list[Verdict], np.ndarray]:
    """Return the verdicts on labels, and which of them each row has.

    Parameters
    ----------
    judge
        Is asked once for each distinct label, whose text is not blank.
    columns
        The label, and another column such as the family that the judge sees too; "" where unset.

    Examples
    --------
    >>> import pandas as pd
    >>> column = pd.Series(["bad", " ", "bad"], dtype="category")
    >>> found, places = verdicts(attack, column)
    >>> [found[place].word for place in places]
    ['bad', 'no label', 'bad']
    """
    # Pairs of texts are told by one number each: they are few, and judged once. A row without a
    # text has the code -1, which is the last.
    words = [[*map(str.strip, column.cat.categories), ""] for column in columns]
    codes = [column.cat.codes.to_numpy().astype("int64") for column in columns]
    numbers = np.ravel_multi_index(codes, [len(one) for one in words], mode="wrap")
    _, first, places = np.unique(numbers, return_index=True, return_inverse=True)
    texts = [[word[code[at]] for word, code in zip(words, codes, strict=True)] for at in first]
    return [judge(*one) if one[0] else NO_LABEL for one in texts], places
