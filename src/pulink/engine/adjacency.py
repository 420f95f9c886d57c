"""Adjacency as sorted CSR: building it, looking a pair up in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.engine.compile import inlined, kernel
from pulink.engine.pair_blocks import PairBlocks

Ints = npt.NDArray[np.integer]
F32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Adjacency:
    """Both orientations of every edge; each row's neighbours ascend. Rows: `indptr`, columns: `indices`.

    blocks  which pairs may be linked at all; None: every pair
    """

    indptr: Ints
    indices: npt.NDArray[np.int32]
    values: F32 | None = None
    blocks: PairBlocks | None = None

    @property
    def n_nodes(self) -> int:
        return self.indptr.size - 1


def index_dtype(largest: int) -> type[np.int32] | type[np.int64]:
    """int32 wherever it fits: half the memory traffic, and what MKL's fast path takes."""
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64


def symmetric_adjacency(pairs: Ints, n_nodes: int, values: F32 | None = None) -> Adjacency:
    """CSR of both orientations of `pairs` (k x 2, each pair once, i < j, sorted by i then j)."""
    pairs = np.ascontiguousarray(pairs, dtype=np.int32)
    degrees = np.bincount(pairs.ravel(), minlength=n_nodes)
    indptr = np.zeros(n_nodes + 1, dtype=index_dtype(2 * len(pairs)))
    np.cumsum(degrees, out=indptr[1:])
    indices = np.empty(2 * len(pairs), dtype=np.int32)
    if values is None:
        _fill(pairs, indptr[:-1].copy(), indices)
        return Adjacency(indptr, indices)
    entries = np.empty(2 * len(pairs), dtype=np.float32)
    _fill_weighted(pairs, values, indptr[:-1].copy(), indices, entries)
    return Adjacency(indptr, indices, entries)


def source_rows(pairs: Ints, n_nodes: int, values: F32 | None = None) -> Adjacency:
    """CSR with the second ends of `pairs` (k x 2, sorted, each once) in the rows of their first ends."""
    indptr = np.zeros(n_nodes + 1, dtype=index_dtype(len(pairs)))
    np.cumsum(np.bincount(pairs[:, 0], minlength=n_nodes), out=indptr[1:])
    return Adjacency(indptr, np.ascontiguousarray(pairs[:, 1], dtype=np.int32), values)


@kernel
def _fill(pairs: Ints, cursor: Ints, indices: Ints) -> None:
    # Lower neighbours first, then upper ones: with sorted pairs every row comes out sorted.
    for e in range(pairs.shape[0]):
        j = pairs[e, 1]
        indices[cursor[j]] = pairs[e, 0]
        cursor[j] += 1
    for e in range(pairs.shape[0]):
        i = pairs[e, 0]
        indices[cursor[i]] = pairs[e, 1]
        cursor[i] += 1


@kernel
def _fill_weighted(pairs: Ints, values: F32, cursor: Ints, indices: Ints, entries: F32) -> None:
    for e in range(pairs.shape[0]):
        j = pairs[e, 1]
        indices[cursor[j]] = pairs[e, 0]
        entries[cursor[j]] = values[e]
        cursor[j] += 1
    for e in range(pairs.shape[0]):
        i = pairs[e, 0]
        indices[cursor[i]] = pairs[e, 1]
        entries[cursor[i]] = values[e]
        cursor[i] += 1


@inlined
def is_neighbour(indptr: Ints, indices: Ints, i: int | np.integer, j: int | np.integer) -> bool:
    """Whether j stands in row i, by bisection."""
    low = indptr[i]
    high = indptr[i + 1]
    while low < high:
        middle = (low + high) >> 1
        if indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return bool(low < indptr[i + 1] and indices[low] == j)


@kernel
def _contains(indptr: Ints, indices: Ints, pairs: Ints, found: npt.NDArray[np.bool_]) -> None:
    for p in range(pairs.shape[0]):
        found[p] = is_neighbour(indptr, indices, pairs[p, 0], pairs[p, 1])


def contains(adjacency: Adjacency, pairs: Ints) -> npt.NDArray[np.bool_]:
    """For each pair (k x 2) whether it is connected."""
    found = np.zeros(len(pairs), dtype=np.bool_)
    _contains(adjacency.indptr, adjacency.indices, np.ascontiguousarray(pairs), found)
    return found
