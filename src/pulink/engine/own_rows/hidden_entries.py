"""Which edges are hidden, decided by a hash of each: workers that hold an edge's two ends agree without a word.

Words of edges are counted sixteen bits at a time, from above; counts of all workers add up, and tell which word
the last hidden edge has.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import is_neighbour
from pulink.engine.compile import inlined, kernel
from pulink.engine.random import GOLDEN, mix64

Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]

_SIXTEEN, _LOW = np.uint64(16), np.uint64(0xFFFF)
_TOP = np.uint64(48)


@inlined
def _word(key: np.uint64, i: int | np.integer, j: int | np.integer, n_nodes: int) -> np.uint64:
    """Of the pair i - j, in either order."""
    return mix64(key + (np.uint64(min(i, j)) * np.uint64(n_nodes) + np.uint64(max(i, j))) * GOLDEN)


@kernel
def count_words(
    key: np.uint64, n_nodes: int, first: int, indptr: Longs, indices: Ints, prefix: np.uint64, shift: np.uint64,
    counts: Longs,
) -> None:  # fmt: skip
    """Count the sixteen bits of `shift` over edges whose first end is here and whose bits above are `prefix`."""
    for r in range(indptr.size - 1):
        for e in range(indptr[r], indptr[r + 1]):
            if indices[e] > first + r:
                word = _word(key, first + r, indices[e], n_nodes)
                if shift == _TOP or (word >> (shift + _SIXTEEN)) == prefix:
                    counts[(word >> shift) & _LOW] += 1


@kernel
def mark_words(
    key: np.uint64, n_nodes: int, first: int, indptr: Longs, indices: Ints, last: np.uint64,
    is_hidden: npt.NDArray[np.bool_],
) -> None:  # fmt: skip
    """Mark the entries of edges whose word is at most `last`."""
    for r in range(indptr.size - 1):
        for e in range(indptr[r], indptr[r + 1]):
            is_hidden[e] = _word(key, first + r, indices[e], n_nodes) <= last


@kernel
def free_first(
    pairs: Ints, first: int, end: int, indptr: Longs, indices: Ints, is_free: npt.NDArray[np.bool_]
) -> None:
    """Mark pairs whose first end is here and that are not connected."""
    for k in range(pairs.shape[0]):
        i = np.int64(pairs[k, 0])
        is_free[k] = first <= i < end and not is_neighbour(indptr, indices, i - first, pairs[k, 1])
