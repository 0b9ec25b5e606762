"""A stream of labelled scores, counted block by block in memory that does not grow.

Sorting alone would do, several times slower. Most of a long stream falls where scores have fallen
before: once some have been counted, the stretches of keys that hold any are known. Each such page
gets its run of places in an array, one a bin, and a record costs two shifts and two look-ups. Those
that fall elsewhere, the strays, are sorted; pages are laid out anew when they are no longer few.
"""

import numpy as np
from numpy.typing import ArrayLike

from labkit.metrics.inputs import as_labels
from labkit.scale.bins import Bins, added, bins_of, limited, summed
from labkit.scale.keys import BITS, keys_of, scores_of, splits_of

# Records that go through the grid at once, so that what is worked out for them stays in the cache.
_PLACED = 2**15
# For each bin that may hold records, so many to be sorted at once as long as there is no grid, and
# so many strays after which its pages no longer suit the scores; within these limits.
_SORTED, _STRAYS, _FEWEST, _MOST_SORTED = 1 / 2, 1 / 8, 2**15, 2**19
# Places in a grid for each such bin, since those between bins count too; and again never fewer.
_ROOM, _LEAST_ROOM = 4, 2**16
# A place counts in 32 bits.
_MOST_IN_GRID = 2**31 - 2**20
# For so many places at most, pages that can be told apart: a table that fits the processor's cache.
# It covers twice the reach of the keys seen so far, since the tails of a stream grow.
_PLACES_A_PAGE = 16
# Where there is no page; no place added to it comes to zero or more.
_NOWHERE = np.int64(-(2**62))
# Marks in place of the first key seen, which no score's key is.
_NONE, _SEVERAL = np.uint64(0), np.uint64(1)
# Why a place must be looked at: it may hold one score only, or it may be split.
_ONE_SCORE, _SPLIT = np.uint8(1), np.uint8(2)


class Labels:
    """Labels that come block by block, understood as the one column that they are.

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


class Tally:
    """Bins in the making.

    Parameters
    ----------
    limit
        How many bins may hold records.
    cuts
        Scores at which a bin begins besides.
    weighted
        Whether records have weights.
    """

    def __init__(self, limit: int, cuts: np.ndarray, *, weighted: bool = False) -> None:
        self.limit = limit
        none = np.zeros(0)
        weights = none if weighted else None
        self._bins = bins_of(keys_of(none), none.astype(bool), weights, splits_of(cuts))
        self._grid: _Grid | None = None
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
            keys, of_rows, weighed = keys_of(scores[rows]), labels[rows], None
            if weights is not None:
                kept = np.flatnonzero(weights[rows])
                keys, of_rows, weighed = keys[kept], of_rows[kept], weights[rows][kept]
            if len(keys):
                self._count(keys, of_rows, weighed)

    def bins(self) -> Bins:
        """Return the bins of everything added so far, and hold no more than these."""
        grid, self._grid = self._grid, None
        if grid is not None and self._in_grid:
            counted = grid.bins()
            # Its arrays make room for what merging takes.
            del grid
            self._merge(counted)
        if self._strays:
            keys, labels, *weights = map(np.concatenate, zip(*self._strays, strict=True))
            self._merge(bins_of(keys, labels, *(weights or [None]), self._bins.splits))
        self._in_grid, self._n_strays, self._strays = 0, 0, []
        return self._bins

    def _count(self, keys: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> None:
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
        too_many = min(max(a_bin * self.limit, _FEWEST), _MOST_SORTED)
        if self._n_strays >= too_many or self._in_grid >= _MOST_IN_GRID:
            bins = self.bins()
            # As long as each score is a bin, sorting keeps them apart; places would be too many.
            if bins.depth < BITS:
                self._grid = _grid_for(bins, max(_ROOM * self.limit, _LEAST_ROOM))

    def _merge(self, bins: Bins) -> None:
        self._bins = limited(added(self._bins, bins), self.limit)


def _grid_for(bins: Bins, most: int) -> "_Grid | None":
    """Return a grid for the pages of some bins, at least one; None where places are too many."""
    prefixes = bins.lowest >> np.uint64(BITS - bins.depth)
    reach = int(prefixes[-1] - prefixes[0])
    table = 1 << ((most // _PLACES_A_PAGE).bit_length() - 1)
    page_bits = max(0, reach.bit_length() - (table // 2).bit_length() + 1)
    pages = prefixes >> np.uint64(page_bits)
    pages = pages[np.append(True, pages[1:] != pages[:-1])]
    return _Grid(bins, pages, page_bits, table) if len(pages) << page_bits <= most else None


class _Grid:
    """Counts of records at places, for the pages of some bins.

    Parameters
    ----------
    bins
        The bins; their own counts are not taken over.
    pages
        The leading bits of the keys in each page.
    page_bits
        How many bits fewer these are than those of a bin.
    table
        How many pages can be told apart.
    """

    def __init__(self, bins: Bins, pages: np.ndarray, page_bits: int, table: int) -> None:
        self._depth, self._splits, self._pages = bins.depth, bins.splits, pages
        self._shift, self._page_bits = np.uint64(BITS - bins.depth), np.uint64(page_bits)
        self._within = np.uint64((1 << page_bits) - 1)
        self._places = len(pages) << page_bits
        # What lies before or behind the table is read off its ends, where there is no page.
        self._first = np.uint64(max(0, int(pages[0]) - table // 4))
        self._runs = np.full(table + 2, _NOWHERE)
        self._runs[(pages - self._first + np.uint64(1)).astype(np.intp)] = (
            np.arange(len(pages)) << page_bits
        )
        # Behind the places of the pages come those of what lies above each split.
        everywhere = self._places + len(self._splits)
        weighted = bins.attacks.dtype.kind == "f"
        self._counts = np.zeros(2 * everywhere, np.float64 if weighted else np.int32)
        self._one = self._counts.dtype.type(1)
        self._first_key = np.full(everywhere, _NONE)
        self._look = np.full(everywhere, _ONE_SCORE)
        known = np.isnan(bins.only) & ~np.isin(bins.lowest, self._splits)
        self._look[self._place(bins.lowest[known])] = 0
        # A split inside a page that holds no bin yet is a stray's matter.
        places = self._place(self._splits)
        self._look[places[places >= 0]] |= _SPLIT

    def count(
        self, keys: np.ndarray, labels: np.ndarray, weights: np.ndarray | None
    ) -> np.ndarray | None:
        """Count records; return where there was no page for them, None if there always was."""
        places, strays = self._place(keys), None
        if places.min() < 0:
            here = places >= 0
            strays = np.flatnonzero(~here)
            keys, labels, places = keys[here], labels[here], places[here]
            weights = None if weights is None else weights[here]
        # Compared first: of truth values, finding the true ones takes half the time.
        look = np.flatnonzero(self._look.take(places) != 0)
        if len(look):
            places[look] = self._looked_at(keys[look], places[look])
        places <<= 1
        places |= labels
        np.add.at(self._counts, places, self._one if weights is None else weights)
        return strays

    def bins(self) -> Bins:
        """Return what was counted as bins."""
        normals, attacks = self._counts[0::2], self._counts[1::2]
        held = np.flatnonzero((normals > 0) | (attacks > 0))
        total = np.float64 if self._counts.dtype.kind == "f" else np.int64
        paged = held[: np.searchsorted(held, self._places)].view(np.uint64)
        prefixes = self._pages[paged >> self._page_bits] << self._page_bits
        prefixes |= paged & self._within
        prefixes <<= self._shift
        split_off = self._splits[held[len(paged) :] - self._places]
        first = self._first_key[held]
        return summed(
            Bins(
                np.concatenate([prefixes, split_off]),
                attacks[held].astype(total),
                normals[held].astype(total),
                np.where(first > _SEVERAL, scores_of(first), np.nan),
                self._splits,
                self._depth,
            )
        )

    def _place(self, keys: np.ndarray) -> np.ndarray:
        """Return the place of each key, splits not heeded; negative where there is no page."""
        prefixes = keys >> self._shift
        pages = prefixes >> self._page_bits
        pages -= self._first
        pages += np.uint64(1)
        prefixes &= self._within
        places = prefixes.view(np.int64)
        places += self._runs.take(pages.view(np.int64), mode="clip")
        return places

    def _looked_at(self, keys: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return the places with splits heeded, and note which hold several scores."""
        if len(self._splits):
            above = np.searchsorted(self._splits, keys, side="right")
            split_off = (above > 0) & (self._splits[above - 1] > keys >> self._shift << self._shift)
            places = np.where(split_off, self._places + above - 1, places)
        empty = self._first_key[places] == _NONE
        self._first_key[places[empty]] = keys[empty]
        several = places[self._first_key[places] != keys]
        self._first_key[several] = _SEVERAL
        self._look[several] &= _SPLIT
        return places
