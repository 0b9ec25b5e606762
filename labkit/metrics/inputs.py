"""Labels, scores and weights as plain arrays, or one line on what is wrong with them.

Everything is taken by position: a pandas index is ignored, so shuffled or repeated indexes can
neither reorder nor multiply records.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError


def one_dimensional(values: ArrayLike, name: str) -> np.ndarray:
    """Return values as an array of shape (n,), n at least 1."""
    if np.ma.is_masked(values):
        raise InputError(
            f"{name} is masked in {np.ma.count_masked(values)} records; drop them first"
        )
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{name} holds rows of unequal length; pass one number a record") from None
    if array.ndim != 1:
        hint = " (pass one column, e.g. predict_proba(X)[:, 1])" if array.ndim == 2 else ""
        raise InputError(f"{name} has shape {array.shape}; it must have one dimension{hint}")
    if array.size == 0:
        raise InputError(f"{name} is empty; pass at least one record")
    return array


def _is_missing(value: object) -> bool:
    # NaN and NaT differ from themselves; pandas' NA answers NA, which has no truth value.
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _refuse(name: str, fault: str, at_fault: ArrayLike, remedy: str = "") -> None:
    """Raise InputError that counts the records at fault and names the first, if there are any."""
    rows = np.flatnonzero(at_fault)
    if len(rows):
        raise InputError(
            f"{name} {fault} in {len(rows)} of {np.size(at_fault)} records "
            f"(the first at row {rows[0]}){remedy}"
        )


def _numbers(values: ArrayLike, name: str) -> np.ndarray:
    array = one_dimensional(values, name)
    if array.dtype == object:
        array = np.array([math.nan if _is_missing(v) else v for v in array.tolist()])
    # Text and dates could be converted too, but nobody means them as numbers.
    if array.dtype.kind not in "biufO":
        raise InputError(f"{name} holds values that are not real numbers ({array.dtype})")
    try:
        numbers = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} holds values that are not real numbers") from None
    if array.dtype.kind in "iu" and np.abs(numbers).max() >= 2**53:
        raise InputError(f"{name} holds whole numbers of 2**53 or more, which float64 would merge")
    _refuse(name, "is NaN", np.isnan(numbers), "; drop or mend them first")
    return numbers


def as_labels(y_true: ArrayLike, pos_label: object = None) -> np.ndarray:
    """Return a boolean array, True where a record is an attack.

    Parameters
    ----------
    y_true
        Labels of shape (n,), of any type.
    pos_label
        The label that means attack. May be left out when the labels are booleans, 0 and 1, or
        -1 and 1; any others must say.

    Raises
    ------
    InputError
        When labels are missing, or do not say which is positive.

    Examples
    --------
    >>> as_labels([-1, 1, 1])
    array([False,  True,  True])
    >>> as_labels(["No", "Yes"], pos_label="Yes")
    array([False,  True])
    """
    labels = one_dimensional(y_true, "y_true")
    if labels.dtype == object:
        labels = _without_objects(labels)
    elif labels.dtype.kind == "f":
        labels = _numbers(labels, "y_true")
    if pos_label is not None:
        if np.ndim(pos_label) or _is_missing(pos_label):
            raise InputError(f"pos_label is {pos_label!r}; it must be one label")
        # A text never equals a number: such a pos_label would make every record normal.
        for kind, type_ in (("U", str), ("S", bytes)):
            if (labels.dtype.kind == kind) != isinstance(pos_label, type_):
                raise InputError(f"pos_label is {pos_label!r}, but y_true holds {_shown(labels)}")
        return np.asarray(labels == pos_label)
    if labels.dtype == bool:
        return labels
    if labels.dtype.kind in "iuf":
        ones = labels == 1
        if any(np.all(ones | (labels == other)) for other in (0, -1)):
            return ones
    raise InputError(f"y_true holds {_shown(labels)}: say which label means attack with pos_label=")


def _shown(labels: np.ndarray) -> str:
    return ", ".join(repr(value) for value in list(dict.fromkeys(labels.tolist()))[:4])


def _without_objects(labels: np.ndarray) -> np.ndarray:
    """Return the labels as numbers, booleans or strings; a missing one is an error."""
    values = labels.tolist()
    _refuse("y_true", "is missing", [_is_missing(value) for value in values])
    return np.array(values)


def as_scores(y_score: ArrayLike, name: str = "y_score") -> np.ndarray:
    """Return scores as float64 of shape (n,); infinities are scores, NaN is an error."""
    return _numbers(y_score, name)


def as_weights(sample_weight: ArrayLike) -> np.ndarray:
    """Return weights as float64 of shape (n,): none negative, with a finite sum above zero."""
    weights = _numbers(sample_weight, "sample_weight")
    _refuse("sample_weight", "is negative", weights < 0)
    _refuse("sample_weight", "is infinite", np.isinf(weights))
    if not weights.any():
        raise InputError("sample_weight is zero in every record")
    with np.errstate(over="ignore"):
        if np.isinf(weights.sum()):
            raise InputError("sample_weight sums to infinity; divide it by its greatest value")
    return weights


def as_probabilities(y_prob: ArrayLike, name: str = "y_prob") -> np.ndarray:
    """Return probabilities as float64 of shape (n,), all within [0, 1]."""
    probabilities = _numbers(y_prob, name)
    # The extremes first: they need no array of the records' size.
    if probabilities.min() < 0 or probabilities.max() > 1:
        outside = (probabilities < 0) | (probabilities > 1)
        reach = f", from {probabilities.min():g} to {probabilities.max():g}"
        calibrate = "; a score is no probability until it is calibrated"
        _refuse(name, "lies outside [0, 1]", outside, reach + calibrate)
    return probabilities


def as_codes(groups: ArrayLike, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of each record as a number from 0, and the groups in order.

    Raises
    ------
    InputError
        When a record has no group.
    """
    import pandas as pd

    codes, distinct = pd.factorize(one_dimensional(groups, name), sort=True)
    _refuse(name, "is missing", codes < 0)
    return codes, distinct


def check_lengths(**arrays: np.ndarray) -> None:
    """Raise InputError unless all arrays, given by name, are equally long."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"{told}: every record needs one of each")


def check_budget(k: float, *, whole: bool = True) -> None:
    """Raise InputError unless k is a number of alerts, a whole one unless alerts are weights."""
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, (int, float, np.number)):
        raise InputError(f"k is {k!r}; a budget is a number of alerts")
    if not k >= 0 or (whole and k != math.inf and k != int(k)):
        raise InputError(f"k is {k}; a budget is a whole number of alerts, 0 or more")
