"""Labels, scores and weights as plain arrays, or one line on what is wrong with them.

Everything is taken by position: a pandas index is ignored, so shuffled or repeated indexes can
neither reorder nor multiply records.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from labkit.errors import InputError

_UNDERSTOOD = ((0, 1), (-1, 1))


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
    missing = np.isnan(numbers)
    if missing.any():
        raise InputError(
            f"{name} is NaN in {np.count_nonzero(missing)} of {len(numbers)} records "
            f"(the first at row {int(np.argmax(missing))}); drop or mend them first"
        )
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
    if labels.dtype.kind in "iuf" and any(np.isin(labels, pair).all() for pair in _UNDERSTOOD):
        return labels == 1
    raise InputError(f"y_true holds {_shown(labels)}: say which label means attack with pos_label=")


def _shown(labels: np.ndarray) -> str:
    return ", ".join(repr(value) for value in list(dict.fromkeys(labels.tolist()))[:4])


def _without_objects(labels: np.ndarray) -> np.ndarray:
    """Return the labels as numbers, booleans or strings; a missing one is an error."""
    values = labels.tolist()
    missing = [_is_missing(value) for value in values]
    if any(missing):
        raise InputError(
            f"y_true is missing in {sum(missing)} of {len(values)} records "
            f"(the first at row {missing.index(True)})"
        )
    return np.array(values)


def as_scores(y_score: ArrayLike, name: str = "y_score") -> np.ndarray:
    """Return scores as float64 of shape (n,); infinities are scores, NaN is an error."""
    return _numbers(y_score, name)


def as_weights(sample_weight: ArrayLike) -> np.ndarray:
    """Return weights as float64 of shape (n,): none negative, with a finite sum above zero."""
    weights = _numbers(sample_weight, "sample_weight")
    for fault, is_fault in (("negative", weights < 0), ("infinite", np.isinf(weights))):
        if is_fault.any():
            raise InputError(
                f"sample_weight is {fault} in {np.count_nonzero(is_fault)} records "
                f"(the first at row {int(np.argmax(is_fault))})"
            )
    if not weights.any():
        raise InputError("sample_weight is zero in every record")
    with np.errstate(over="ignore"):
        if np.isinf(weights.sum()):
            raise InputError("sample_weight sums to infinity; divide it by its greatest value")
    return weights


def as_probabilities(y_prob: ArrayLike, name: str = "y_prob") -> np.ndarray:
    """Return probabilities as float64 of shape (n,), all within [0, 1]."""
    probabilities = _numbers(y_prob, name)
    outside = (probabilities < 0) | (probabilities > 1)
    if outside.any():
        raise InputError(
            f"{name} lies outside [0, 1] in {np.count_nonzero(outside)} records (the first at row "
            f"{int(np.argmax(outside))}: {probabilities[np.argmax(outside)]:g}); a score is no "
            "probability until it is calibrated"
        )
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
    missing = codes < 0
    if missing.any():
        raise InputError(
            f"{name} is missing in {np.count_nonzero(missing)} of {len(codes)} records "
            f"(the first at row {int(np.argmax(missing))})"
        )
    return codes, distinct


def check_lengths(**arrays: np.ndarray) -> None:
    """Raise InputError unless all arrays, given by name, are equally long."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise InputError(f"{told}: every record needs one of each")
