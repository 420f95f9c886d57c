"""Drawing node pairs that are not connected, uniformly, from a counter-based stream."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints, is_neighbour
from pulink.engine.compile import inlined, kernel
from pulink.engine.random import GOLDEN, mix64, random_words, stream_key
from pulink.engine.vector_rows import row_prefetch

Pairs = npt.NDArray[np.int32]
Filter = npt.NDArray[np.uint64]

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_BIT, _SIX, _SEVEN, _NINE, _SIX_BITS = (np.uint64(number) for number in (1, 6, 7, 9, 63))
_BATCH = 256
_BITS_PER_EDGE = 12
NEXT_ATTEMPT = np.uint64(1 << 40)
# Above this density most draws would be rejected, and listing all free pairs costs no more than the edges do.
_DENSE = 0.9


class PairSampler(Protocol):
    """Draws pairs from a counter-based stream; `n_free` pairs may come."""

    n_free: int

    def draw(self, count: int, key: np.uint64, start: int = 0) -> Pairs:
        """Draws start .. start+count of a stream (count x 2); none if no pair is free."""

    def draw_distinct(self, count: int, key: np.uint64) -> Pairs:
        """`count` different pairs; fewer only if fewer are free."""


class FreePairSampler(ABC):
    """Uniform free pairs; a sampler says how one is drawn, and which there are. Draws are independent.

    n_free   how many pairs may come; a sampler with none draws none
    n_pairs  how many there are, connected or not: where nearly all are connected, free ones are listed
    """

    def __init__(self, n_free: int, n_pairs: int) -> None:
        self.n_free = n_free
        self._free = self._every() if n_free < (1 - _DENSE) * n_pairs else None

    @abstractmethod
    def _every(self) -> Pairs:
        """All free pairs."""

    @abstractmethod
    def _fill(self, key: np.uint64, start: np.uint64, out: Pairs) -> None:
        """Write draws of a stream, from `start` on."""

    @abstractmethod
    def _codes(self, pairs: Pairs) -> npt.NDArray[np.int64]:
        """One number for each pair, by which equal ones are recognised."""

    def _written(self, pairs: Pairs) -> Pairs:
        """Drawn pairs as distinct ones are given."""
        return pairs

    def draw(self, count: int, key: np.uint64, start: int = 0) -> Pairs:
        """Draws start .. start+count of a stream (count x 2); none if no pair is free. A pair may come twice."""
        if self.n_free <= 0:
            return np.empty((0, 2), dtype=np.int32)
        if self._free is not None:
            words = random_words(key, count, start) % np.uint64(len(self._free))
            return self._free[words.astype(np.int64)]
        out = np.empty((count, 2), dtype=np.int32)
        self._fill(key, np.uint64(start), out)
        return out

    def draw_distinct(self, count: int, key: np.uint64) -> Pairs:
        """`count` different pairs; fewer only if fewer are free."""
        count = min(count, self.n_free)
        if count <= 0:
            return np.empty((0, 2), dtype=np.int32)
        if count > self.n_free // 2:
            free = self._every() if self._free is None else self._free
            return free[np.argsort(random_words(key, len(free)), kind="stable")[:count]]
        kept, attempt = np.empty((0, 2), dtype=np.int32), 0
        while len(kept) < count:
            drawn = self.draw(count - len(kept) + 16, stream_key(int(key), attempt))
            kept = np.concatenate([kept, self._written(drawn)])
            _, first = np.unique(self._codes(kept), return_index=True)
            kept = kept[np.sort(first)]
            attempt += 1
        return kept[:count]


class NonEdgeSampler(FreePairSampler):
    """Uniform pairs i != j outside an adjacency; distinct ones come as i < j."""

    def __init__(self, adjacency: Adjacency) -> None:
        self._adjacency = adjacency
        n = adjacency.n_nodes
        n_pairs = n * (n - 1) // 2
        super().__init__(n_pairs - adjacency.indices.size // 2, n_pairs)
        self._filter = edge_filter(adjacency)

    def _every(self) -> Pairs:
        return free_pairs(self._adjacency)

    def _fill(self, key: np.uint64, start: np.uint64, out: Pairs) -> None:
        _draw(self._adjacency.indptr, self._adjacency.indices, self._filter, key, start, out)

    def _codes(self, pairs: Pairs) -> npt.NDArray[np.int64]:
        return np.asarray(pairs[:, 0].astype(np.int64) * self._adjacency.n_nodes + pairs[:, 1])

    def _written(self, pairs: Pairs) -> Pairs:
        return np.sort(pairs, axis=1)


def edge_filter(adjacency: Adjacency) -> Filter:
    """A bit set of hashed edges, a cache line per row: a clear bit proves that a pair is free.

    Four times as fast as bisecting the neighbours.
    """
    n_bits = max(512, _BITS_PER_EDGE * adjacency.indices.size // 2)
    lines = np.zeros((1 << ((n_bits - 1).bit_length() - 9), 8), dtype=np.uint64)
    fill_filter(adjacency.indptr, adjacency.indices, lines)
    return lines


@inlined
def filter_bit(i: np.uint64, j: np.uint64, n: np.uint64, lines: Filter) -> np.uint64:
    """Where a pair's bit stands. The number of bits is a power of two."""
    mixed = (min(i, j) * n + max(i, j)) * GOLDEN
    return (mixed ^ (mixed >> _HALF)) & np.uint64(lines.size * 64 - 1)


@kernel
def fill_filter(indptr: Ints, indices: Ints, lines: Filter) -> None:
    n = np.uint64(indptr.size - 1)
    for i in range(indptr.size - 1):
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] > i:
                bit = filter_bit(np.uint64(i), np.uint64(indices[e]), n, lines)
                lines[bit >> _NINE, (bit >> _SIX) & _SEVEN] |= _BIT << (bit & _SIX_BITS)


@kernel
def _draw(indptr: Ints, indices: Ints, lines: Filter, key: np.uint64, start: np.uint64, out: Pairs) -> None:
    n = np.uint64(indptr.size - 1)
    bits = np.empty(_BATCH, dtype=np.uint64)
    for first in range(0, out.shape[0], _BATCH):
        size = min(_BATCH, out.shape[0] - first)
        for b in range(size):
            word = mix64(key + (start + np.uint64(first + b)) * GOLDEN)
            i, j = ((word >> _HALF) * n) >> _HALF, ((word & _LOW) * n) >> _HALF
            bits[b] = filter_bit(i, j, n, lines)
            row_prefetch(lines, np.uint32(bits[b] >> _NINE))
            out[first + b, 0] = i
            out[first + b, 1] = j
        for b in range(size):
            # Attempt a of draw s reads word s + a * 2^40: no draw depends on another.
            counter = start + np.uint64(first + b)
            i, j, bit = np.uint64(out[first + b, 0]), np.uint64(out[first + b, 1]), bits[b]
            while i == j or (
                (lines[bit >> _NINE, (bit >> _SIX) & _SEVEN] >> (bit & _SIX_BITS)) & _BIT
                and is_neighbour(indptr, indices, np.int64(i), np.int64(j))
            ):
                counter += NEXT_ATTEMPT
                word = mix64(key + counter * GOLDEN)
                i, j = ((word >> _HALF) * n) >> _HALF, ((word & _LOW) * n) >> _HALF
                bit = filter_bit(i, j, n, lines)
            out[first + b, 0] = i
            out[first + b, 1] = j


def free_pairs(adjacency: Adjacency) -> Pairs:
    """All pairs i < j outside a symmetric adjacency, sorted."""
    n = adjacency.n_nodes
    rows = []
    for i in range(n):
        free = np.ones(n - i - 1, dtype=np.bool_)
        neighbours = adjacency.indices[adjacency.indptr[i] : adjacency.indptr[i + 1]]
        free[neighbours[neighbours > i] - i - 1] = False
        columns = np.flatnonzero(free).astype(np.int32) + np.int32(i + 1)
        rows.append(np.stack([np.full(columns.size, i, dtype=np.int32), columns], axis=1))
    return np.concatenate(rows) if rows else np.empty((0, 2), dtype=np.int32)


def unlabelled_pairs(n_nodes: int) -> NonEdgeSampler:
    """Uniform pairs of different nodes, edges included: the non-edges of a graph without edges."""
    return NonEdgeSampler(Adjacency(np.zeros(n_nodes + 1, dtype=np.int32), np.empty(0, dtype=np.int32)))
