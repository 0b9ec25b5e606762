"""The fast way to count: every bin has a place in an array, found by arithmetic from its key.

Most of a long stream of scores falls where scores have fallen before. Once some have been counted,
the stretches of keys that hold any are known; each such page gets its run of places, one a bin, and
a record costs two shifts and two look-ups. Those that fall elsewhere, the strays, are few and left
to the caller, who lays out pages anew when they are no longer few.
"""

import numpy as np

from labkit.scale.bins import Bins, summed
from labkit.scale.keys import BITS, scores_of

# For so many places at most, pages that can be told apart: a table that fits the processor's cache.
# It covers twice the reach of the keys seen so far, since the tails of a stream grow.
_PLACES_A_PAGE = 16
# Where there is no page; no place added to it comes to zero or more.
_NOWHERE = np.int64(-(2**62))
# Marks in place of the first key seen, which no score's key is.
_NONE, _SEVERAL = np.uint64(0), np.uint64(1)
# Why a place must be looked at: it may hold one score only, or it may be split.
_ONE_SCORE, _SPLIT = np.uint8(1), np.uint8(2)


class Grid:
    """Counts of records at places, for the pages of some bins.

    Parameters
    ----------
    bins
        Bins whose pages are counted in; at least one. Their own counts are not taken over.
    splits
        Keys at which bins are split besides, as in `labkit.scale.keys.splits_of`.
    dtype
        Of the counts; a float type sums weights.
    most
        Places beyond which arrays of them would take more memory than they are worth.

    Attributes
    ----------
    fits
        Whether there are no more; where there are, nothing can be counted.
    """

    def __init__(self, bins: Bins, splits: np.ndarray, dtype: type, most: int) -> None:
        prefixes = bins.lowest >> np.uint64(BITS - bins.depth)
        reach = int(prefixes[-1] - prefixes[0])
        table = 1 << ((most // _PLACES_A_PAGE).bit_length() - 1)
        page_bits = max(0, reach.bit_length() - (table // 2).bit_length() + 1)
        self._depth, self._splits = bins.depth, splits
        self._shift, self._page_bits = np.uint64(BITS - bins.depth), np.uint64(page_bits)
        self._within = np.uint64((1 << page_bits) - 1)
        pages = prefixes >> self._page_bits
        self._pages = pages[np.append(True, pages[1:] != pages[:-1])]
        self._places = len(self._pages) << page_bits
        self.fits = self._places <= most
        if not self.fits:
            return
        # What lies before or behind the table is read off its ends, where there is no page.
        self._first = np.uint64(max(0, int(self._pages[0]) - table // 4))
        self._runs = np.full(table + 2, _NOWHERE)
        self._runs[(self._pages - self._first + np.uint64(1)).astype(np.intp)] = (
            np.arange(len(self._pages)) << page_bits
        )
        # Behind the places of the pages come those of what lies above each split.
        everywhere = self._places + len(splits)
        self._counts = np.zeros(2 * everywhere, dtype)
        self._one = self._counts.dtype.type(1)
        self._first_key = np.full(everywhere, _NONE)
        self._look = np.full(everywhere, _ONE_SCORE)
        known = np.isnan(bins.only) & ~np.isin(bins.lowest, splits)
        self._look[self._place(bins.lowest[known])] = 0
        if len(splits):
            # A split inside a page that holds no bin yet is a stray's matter.
            places = self._place(splits)
            self._look[places[places >= 0]] |= _SPLIT

    def count(
        self, keys: np.ndarray, labels: np.ndarray, weights: np.ndarray | None
    ) -> np.ndarray | None:
        """Count records; return where there was no page for them, None if there always was.

        Parameters
        ----------
        keys
            Keys of scores that are no NaN, shape (n,).
        labels
            True where a record is an attack, shape (n,).
        weights
            Weights above zero, shape (n,), or None.
        """
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
            np.concatenate([prefixes, split_off]),
            attacks[held].astype(total),
            normals[held].astype(total),
            np.where(first > _SEVERAL, scores_of(first), np.nan),
            self._depth,
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
