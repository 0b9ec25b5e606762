"""Labels that come block by block, understood as the one column that they are."""

import numpy as np
from numpy.typing import ArrayLike

from labkit.metrics.inputs import as_labels


class Labels:
    """What the labels of all blocks so far were.

    A block alone does not say whether 0 or -1 means a normal record; 0 in one and -1 in another is
    the error that it would be in one array.

    Parameters
    ----------
    pos_label
        The label that means attack; None where labels are booleans, 0/1 or -1/1.
    name
        What errors call them.

    Examples
    --------
    >>> labels = Labels()
    >>> labels.of([1, 1]), labels.of([0, 1])
    (array([ True,  True]), array([False,  True]))
    >>> labels.of([-1, 1])
    Traceback (most recent call last):
    ...
    labkit.errors.InputError: y_true holds -1, 0, 1: say which label means attack with pos_label=
    """

    def __init__(self, pos_label: object = None, name: str = "y_true") -> None:
        self._pos_label, self._name = pos_label, name
        self.normal: set[int] = set()

    def of(self, values: ArrayLike) -> np.ndarray:
        """Return a boolean array, True where a record of this block is an attack."""
        labels = as_labels(values, self._pos_label, self._name)
        if self._pos_label is None and not labels.all():
            self.note({int(np.asarray(values)[np.argmin(labels)])})
        return labels

    def note(self, normal: set[int]) -> None:
        """Take note of what meant a normal record elsewhere."""
        self.normal |= normal
        if len(self.normal) > 1:
            as_labels(np.array([*sorted(self.normal), 1]), None, self._name)
