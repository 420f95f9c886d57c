"""The nth smallest word of all workers, by counting sixteen bits after another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.group import Group

Longs = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

N_BINS = 1 << 16
_SIXTEEN, _LOW = np.uint64(16), np.uint64(0xFFFF)
_TOP = np.uint64(48)

# Fills in how often each value of sixteen bits occurs, among words whose bits above them are given.
Count = Callable[[np.uint64, np.uint64, Longs], None]


def nth_word(group: Group, nth: int, count: Count) -> np.uint64:
    """The workers' words are counted by `count`; nth from 1 on, at most as many as there are."""
    prefix, left = np.uint64(0), nth
    for shift in (48, 32, 16, 0):
        counts = np.zeros(N_BINS, dtype=np.int64)
        count(prefix, np.uint64(shift), counts)
        ends = np.cumsum(group.counted(counts))
        place = int(np.searchsorted(ends, left))
        left -= int(ends[place - 1]) if place else 0
        prefix = (prefix << _SIXTEEN) + np.uint64(place)
    return prefix


def count_of(words: Words) -> Count:
    """Counts words that are there."""

    def count(prefix: np.uint64, shift: np.uint64, counts: Longs) -> None:
        among = words if shift == _TOP else words[(words >> (shift + _SIXTEEN)) == prefix]
        counts += np.bincount(((among >> shift) & _LOW).astype(np.int64), minlength=N_BINS)

    return count
