"""Where bins are to be narrower than they come, judged by some of the records.

Bins are about evenly wide on a logarithmic scale. Most scores lie well in them; but half of the
records may share one score amid others, or crowd within a millionth below 1. There one bin would
hold so many that its bounds say little. Bins are cut where such a crowd begins, ends, and between.
"""

import numpy as np
from numpy.typing import ArrayLike

from labkit.metrics.inputs import as_labels, as_scores, check_lengths
from labkit.scale.bins import BINS, bins_of, limited
from labkit.scale.keys import floors, keys_of, scores_of, splits_of

# Stretches of even numbers of attacks, and of normal records, between which may be cut.
_STRETCHES = 4096
# A bin is a crowd where it holds one in so many of the attacks or of the normal records, and these
# are no accident ...
_CROWD, _FEWEST = 1024, 4
# ... among so many times fewer bins than there may be, since more records make bins coarser.
_COARSER = 8
_SIDES = ("left", "right")


def cuts_for(
    y_true: ArrayLike, y_score: ArrayLike, *, bins: int = BINS, pos_label: object = None
) -> np.ndarray:
    """Return scores at which bins should begin besides.

    Parameters
    ----------
    y_true, y_score
        Labels and scores of some of the records, from all over the data, shape (n,): a million are
        plenty. More attacks among them make finer cuts.
    bins
        How many bins the sketch may have.
    pos_label
        The label that means attack, where labels are not booleans, 0/1 or -1/1.

    Returns
    -------
    numpy.ndarray
        Scores, ascending: none where no bin would be crowded.

    Raises
    ------
    InputError
        On NaN scores, missing labels, unequal lengths.

    Examples
    --------
    A score that half of the records share is cut off from what lies below it and above:

    >>> rng = np.random.default_rng(0)
    >>> labels, scores = rng.random(10_000) < 0.5, rng.random(10_000)
    >>> scores[:5000] = 0.7
    >>> cuts_for(labels, scores, bins=2**16).tolist()
    [0.7, 0.7000000000000001]
    """
    labels, scores = as_labels(y_true, pos_label), as_scores(y_score)
    check_lengths(y_true=labels, y_score=scores)
    none = splits_of(np.zeros(0))
    of_class = [np.sort(keys_of(scores[of])) for of in (labels, ~labels) if of.any()]
    seen = bins_of(keys_of(scores), labels, None, none)
    depth = limited(seen, max(1, bins // _COARSER)).depth
    cuts = [none]
    for keys in of_class:
        # At even numbers of records; where many share a key, it comes up more than once.
        at = np.linspace(0, len(keys) - 1, min(_STRETCHES, len(keys))).astype(int)
        ends, times = np.unique(keys[at], return_counts=True)
        lowest = floors(keys, depth, none)
        first, last = (np.searchsorted(lowest, floors(ends, depth, none), s) for s in _SIDES)
        crowded = last - first >= max(_FEWEST, len(keys) / _CROWD)
        cuts += [ends[crowded], ends[crowded & (times > 1)] + np.uint64(1)]
    return scores_of(np.unique(np.concatenate(cuts)))
