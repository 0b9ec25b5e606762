"""A stream of labelled scores, counted block by block in memory that does not grow."""

import numpy as np

from labkit.scale.bins import Bins, added, bins_of, limited, no_bins
from labkit.scale.grid import Grid
from labkit.scale.keys import keys_of

# Records that go through the grid at once, so that what is worked out for them stays in the cache.
_PLACED = 2**15
# For each bin that may hold records, so many to be sorted at once as long as there is no grid, and
# so many strays after which its pages no longer suit the scores; within these limits.
_SORTED, _STRAYS, _FEWEST, _MOST_SORTED = 1 / 2, 1 / 8, 2**15, 2**19
# Places in a grid for each such bin, since those between bins count too; and again never fewer.
_ROOM, _LEAST_ROOM = 4, 2**16
# A place counts in 32 bits.
_MOST_IN_GRID = 2**31 - 2**20


class Tally:
    """Bins in the making.

    Parameters
    ----------
    limit
        How many bins may hold records.
    splits
        Keys at which bins are split besides.
    weighted
        Whether records have weights.
    """

    def __init__(self, limit: int, splits: np.ndarray, *, weighted: bool = False) -> None:
        self._limit, self._splits, self._weighted = limit, splits, weighted
        self._bins = no_bins(np.float64 if weighted else np.int64)
        self._grid: Grid | None = None
        self._in_grid = 0
        self._strays: list[tuple[np.ndarray, ...]] = []
        self._n_strays = 0

    def add(
        self, labels: np.ndarray, scores: np.ndarray, weights: np.ndarray | None = None
    ) -> None:
        """Count records, those of weight 0 nowhere.

        Parameters
        ----------
        labels
            True where a record is an attack, shape (n,).
        scores
            float64 or float32, none NaN, shape (n,).
        weights
            float64, finite and not negative, shape (n,); None where records have none.
        """
        for at in range(0, len(scores), _PLACED):
            rows = slice(at, at + _PLACED)
            self._count(labels[rows], scores[rows], None if weights is None else weights[rows])

    def bins(self) -> Bins:
        """Return the bins of everything added so far, and hold no more than these."""
        self._settle()
        return self._bins

    def _count(self, labels: np.ndarray, scores: np.ndarray, weights: np.ndarray | None) -> None:
        if weights is not None and not weights.all():
            kept = weights > 0
            labels, scores, weights = labels[kept], scores[kept], weights[kept]
            if not len(scores):
                return
        keys = keys_of(scores)
        strays: slice | np.ndarray | None = slice(None)
        if self._grid is not None:
            strays = self._grid.count(keys, labels, weights)
            self._in_grid += len(keys)
        if strays is not None:
            columns = (keys, labels) if weights is None else (keys, labels, weights)
            # Copies, since what these are slices of need not be kept.
            self._strays.append(tuple(column[strays].copy() for column in columns))
            self._n_strays += len(self._strays[-1][0])
        a_bin = _SORTED if self._grid is None else _STRAYS
        too_many = min(max(a_bin * self._limit, _FEWEST), _MOST_SORTED)
        if self._n_strays >= too_many or self._in_grid >= _MOST_IN_GRID:
            self._settle()
            self._lay_out()

    def _merge(self, bins: Bins) -> None:
        self._bins = limited(added(self._bins, bins, self._splits), self._limit, self._splits)

    def _settle(self) -> None:
        """Bring what lies in the grid and beside it into the bins."""
        grid, self._grid = self._grid, None
        if grid is not None and self._in_grid:
            counted = grid.bins()
            # Its arrays make room for what merging takes.
            del grid
            self._merge(counted)
        if self._strays:
            columns = zip(*self._strays, strict=True)
            self._merge(bins_of(*(np.concatenate(column) for column in columns)))
        self._in_grid, self._n_strays, self._strays = 0, 0, []

    def _lay_out(self) -> None:
        # As long as each score is a bin, sorting keeps them apart; places would be too many.
        if len(self._bins) and self._bins.depth < 64:
            dtype = np.float64 if self._weighted else np.int32
            grid = Grid(self._bins, self._splits, dtype, max(_ROOM * self._limit, _LEAST_ROOM))
            self._grid = grid if grid.fits else None
