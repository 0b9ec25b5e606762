"""One number for several classes: macro and micro averages."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError
from labkit.metrics.confusion import ConfusionMatrix
from labkit.metrics.inputs import as_codes, check_lengths
from labkit.metrics.scalars import check_choice

RATES = (
    "recall",
    "precision",
    "fpr",
    "specificity",
    "accuracy",
    "balanced_accuracy",
    "f1",
    "mcc",
)
"""The rates of a `ConfusionMatrix` that can be averaged."""


def one_against_rest(y_true: ArrayLike, y_pred: ArrayLike) -> dict[Hashable, ConfusionMatrix]:
    """Return the four counts of each class, that class being the positive one.

    Parameters
    ----------
    y_true, y_pred
        The class of each record and the one it was taken for, shape (n,); texts or numbers.

    Returns
    -------
    dict
        Class -> its counts, the classes in order. A class that occurs in either array is there:
        one that no record has (recall nan), and one that no record was taken for (precision nan).

    Raises
    ------
    InputError
        On missing classes, unequal lengths, and classes that cannot be put in order.

    Examples
    --------
    >>> classes = one_against_rest(["dos", "dos", "scan"], ["dos", "scan", "scan"])
    >>> classes["dos"]
    ConfusionMatrix(tp=1, fp=0, fn=1, tn=1)
    """
    true, true_names = as_codes(y_true, "y_true")
    taken, taken_names = as_codes(y_pred, "y_pred")
    check_lengths(y_true=true, y_pred=taken)
    try:
        names = sorted({*true_names.tolist(), *taken_names.tolist()})
    except TypeError:
        raise InputError(
            "y_true and y_pred name classes of two types; make both the same"
        ) from None
    place = {name: row for row, name in enumerate(names)}
    rows = np.array([place[name] for name in true_names.tolist()])[true]
    columns = np.array([place[name] for name in taken_names.tolist()])[taken]
    size = len(names)
    table = np.bincount(rows * size + columns, minlength=size * size).reshape(size, size)
    right, actual, flagged = table.diagonal(), table.sum(axis=1), table.sum(axis=0)
    return {
        name: ConfusionMatrix(
            tp=right[row],
            fp=flagged[row] - right[row],
            fn=actual[row] - right[row],
            tn=len(true) - actual[row] - flagged[row] + right[row],
        )
        for row, name in enumerate(names)
    }


def macro_average(classes: Mapping[Hashable, ConfusionMatrix], rate: str) -> float:
    """Return the mean of a rate over classes, each class counting the same.

    Parameters
    ----------
    classes
        Class -> its counts.
    rate
        One of `RATES`.

    Returns
    -------
    float
        nan as soon as the rate of one class is: to leave out a class that no record was taken
        for would reward a detector for never naming it.

    Examples
    --------
    >>> flood = ConfusionMatrix(tp=90, fp=4, fn=10, tn=6)
    >>> quiet = ConfusionMatrix(tp=1, fp=0, fn=9, tn=100)
    >>> macro_average({"flood": flood, "quiet": quiet}, "recall")
    0.5
    """
    _check(classes, rate)
    values = [getattr(counts, rate) for counts in classes.values()]
    return sum(values) / len(values)


def micro_average(classes: Mapping[Hashable, ConfusionMatrix], rate: str) -> float:
    """Return a rate of the classes' counts added up, each record counting the same.

    Where every record has one class and is taken for one, every wrong record is a false negative
    of one class and a false positive of another, and the micro averages of recall, precision and
    F1 are all the share of records that were taken for what they are.

    Parameters
    ----------
    classes
        Class -> its counts.
    rate
        One of `RATES`.

    Examples
    --------
    >>> flood = ConfusionMatrix(tp=90, fp=4, fn=10, tn=6)
    >>> quiet = ConfusionMatrix(tp=1, fp=0, fn=9, tn=100)
    >>> round(micro_average({"flood": flood, "quiet": quiet}, "recall"), 3)
    0.827
    """
    _check(classes, rate)
    sums = {
        name: sum(getattr(counts, name) for counts in classes.values())
        for name in ("tp", "fp", "fn", "tn")
    }
    return getattr(ConfusionMatrix(**sums), rate)


def _check(classes: Mapping[Hashable, ConfusionMatrix], rate: str) -> None:
    check_choice(rate, "rate", RATES)
    if not isinstance(classes, Mapping) or not all(
        isinstance(counts, ConfusionMatrix) for counts in classes.values()
    ):
        raise InputError("classes must be a dict: the name of each class -> its ConfusionMatrix")
    if not classes:
        raise InputError("classes is empty; there is no class to average over")
