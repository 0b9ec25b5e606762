"""Labels, scores and weights as plain arrays, or one line on what is wrong with them.

Everything is taken by position: a pandas index is ignored, so shuffled or repeated indexes can
neither reorder nor multiply records.
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError

_LABEL_THEM = "label them or drop them first"
# Values in which others hide.
_CONTAINERS = (list, tuple, set, dict, np.ndarray)


def one_dimensional(values: ArrayLike, name: str) -> np.ndarray:
    """Return values as an array of shape (n,), n at least 1."""
    if isinstance(values, np.ma.MaskedArray):
        _refuse(name, "is masked", np.ma.getmaskarray(values), "drop them first")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{name} holds rows of unequal length; pass one value a record") from None
    if array.ndim != 1:
        hint = " (pass one column, e.g. predict_proba(X)[:, 1])" if array.ndim == 2 else ""
        raise InputError(f"{name} has shape {array.shape}; it must have one dimension{hint}")
    if array.size == 0:
        raise InputError(f"{name} is empty; pass at least one record")
    if array.dtype.kind == "T" or (not hasattr(values, "dtype") and _may_have_lost(array)):
        array = np.fromiter(values, dtype=object, count=len(array))
    if array.dtype == object and any(isinstance(value, _CONTAINERS) for value in array):
        raise InputError(f"{name} holds lists or tables; pass one value a record")
    return array


def _may_have_lost(array: np.ndarray) -> bool:
    """Return whether NumPy may have made one type of several: texts, or floats of whole numbers."""
    if array.dtype == np.float64:
        return bool(np.abs(array).max() >= 2**53)
    return array.dtype.kind in "US"


def _is_missing(value: object) -> bool:
    # NaN and NaT differ from themselves; pandas' NA answers NA, which has no truth value.
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _refuse(name: str, fault: str, at_fault: ArrayLike, remedy: str) -> None:
    """Raise InputError that counts the records at fault and names the first, if there are any."""
    rows = np.flatnonzero(at_fault)
    if len(rows):
        raise InputError(
            f"{name} {fault} in {len(rows)} of {np.size(at_fault)} records "
            f"(the first at row {rows[0]}); {remedy}"
        )


def _plain(array: np.ndarray, name: str) -> np.ndarray:
    """Return labels or groups as numbers, texts or dates; a missing one is an error."""
    if array.dtype.kind in "mM":
        _refuse(name, "is missing", np.isnat(array), _LABEL_THEM)
    if array.dtype != object:
        return array
    values = array.tolist()
    _refuse(name, "is missing", [_is_missing(value) for value in values], _LABEL_THEM)
    for text in (str, bytes):
        if 0 < sum(isinstance(value, text) for value in values) < len(values):
            raise InputError(f"{name} mixes texts with other values; make all of one type")
    return np.array(values)


def _numbers(values: ArrayLike, name: str) -> np.ndarray:
    given = array = one_dimensional(values, name)
    if given.dtype == object:
        array = np.array([math.nan if _is_missing(v) else v for v in given.tolist()])
    # Text and dates could be converted too, but nobody means them as numbers.
    if array.dtype.kind not in "biufO":
        raise InputError(f"{name} holds values that are not real numbers ({array.dtype})")
    try:
        with np.errstate(over="ignore"):
            numbers = array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} holds values that are not real numbers") from None
    _refuse(name, "is NaN", np.isnan(numbers), "drop or mend them first")
    if _merges(given, numbers):
        raise InputError(f"{name} holds different numbers that float64 would merge; rescale them")
    return numbers


def _merges(array: np.ndarray, numbers: np.ndarray) -> bool:
    """Return whether numbers that differ were made equal in float64."""
    if array.dtype == object:
        return len(set(array.tolist())) > len(np.unique(numbers))
    fits = array.dtype.itemsize <= 8 and array.dtype.kind in "bf"
    if fits or (array.dtype.kind in "iu" and max(numbers.max(), -numbers.min()) < 2**53):
        return False
    return len(np.unique(array)) > len(np.unique(numbers))


def as_labels(y_true: ArrayLike, pos_label: object = None, name: str = "y_true") -> np.ndarray:
    """Return a boolean array, True where a record is an attack.

    Parameters
    ----------
    y_true
        Labels of shape (n,), of any type.
    pos_label
        The label that means attack. May be left out when the labels are booleans, 0 and 1, or
        -1 and 1; any others must say.
    name
        What errors call them.

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
    labels = _plain(one_dimensional(y_true, name), name)
    if labels.dtype.kind == "f":
        labels = _numbers(labels, name)
    if pos_label is not None:
        if isinstance(pos_label, _CONTAINERS) or np.ndim(pos_label) or _is_missing(pos_label):
            raise InputError(f"pos_label is {pos_label!r}; it must be one label")
        if not _is_of_kind(pos_label, labels):
            raise InputError(
                f"pos_label is {pos_label!r}, but {name} holds {_shown(labels)}; "
                "pass one of these, of the same type"
            )
        return np.asarray(labels == pos_label)
    if labels.dtype == bool:
        return labels
    if labels.dtype.kind in "iuf":
        ones = labels == 1
        if any(np.all(ones | (labels == other)) for other in (0, -1)):
            return ones
    raise InputError(f"{name} holds {_shown(labels)}: say which label means attack with pos_label=")


def _is_of_kind(pos_label: object, labels: np.ndarray) -> bool:
    """Return whether the label may equal one of the labels, as a text never equals a number."""
    for kinds, types in (("U", str), ("S", bytes), ("biuf", (Real, np.bool_))):
        if labels.dtype.kind in kinds or isinstance(pos_label, types):
            return labels.dtype.kind in kinds and isinstance(pos_label, types)
    return True


def _shown(labels: np.ndarray) -> str:
    return ", ".join(repr(value) for value in list(dict.fromkeys(labels.tolist()))[:4])


def as_scores(y_score: ArrayLike, name: str = "y_score") -> np.ndarray:
    """Return scores as float64 of shape (n,); infinities are scores, NaN is an error."""
    return _numbers(y_score, name)


def as_weights(sample_weight: ArrayLike) -> np.ndarray:
    """Return weights as float64 of shape (n,): none negative, with a finite sum above zero."""
    weights = _numbers(sample_weight, "sample_weight")
    _refuse("sample_weight", "is negative", weights < 0, "weights are 0 or more")
    _refuse("sample_weight", "is infinite", np.isinf(weights), "weights are finite")
    if not weights.any():
        raise InputError("sample_weight is zero in every record; some record must count")
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
        reach = f"they range from {probabilities.min():g} to {probabilities.max():g}"
        calibrate = "a score is no probability until it is calibrated"
        _refuse(name, "lies outside [0, 1]", outside, f"{reach}; {calibrate}")
    return probabilities


def as_codes(groups: ArrayLike, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the group of each record as a number from 0, and the groups in order.

    Raises
    ------
    InputError
        When a record has no group.
    """
    import pandas as pd

    plain = _plain(one_dimensional(groups, name), name)
    # pandas knows neither the other byte order nor half precision.
    native = plain.dtype.newbyteorder("=")
    native = np.dtype(np.float64) if native == np.float16 else native
    try:
        codes, distinct = pd.factorize(plain.astype(native, copy=False), sort=True)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} holds values that cannot be sorted; make all of one type"
        ) from None
    _refuse(name, "is missing", codes < 0, _LABEL_THEM)
    return codes, distinct


def check_lengths(**arrays: np.ndarray) -> None:
    """Raise InputError unless all arrays, given by name, are equally long."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"{told}: every record needs one of each")
