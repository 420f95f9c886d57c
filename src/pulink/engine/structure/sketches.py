"""Sizes of neighbourhoods and of their overlaps, from sketches of fixed size (as in BUDDY).

N_k(i) is the set of nodes within k steps of i, i included. Two sketches of it are kept for k = 1 .. K:

    MinHash       128 slots: the least hash of any member, by 128 hash functions. Of two sets, the share of equal
                  slots estimates J = |A ∩ B| / |A ∪ B| with standard error sqrt(J (1 - J) / 128).
    HyperLogLog   256 registers: the most leading zeros, plus one, of any member's hash among those that fall into
                  the register. It estimates |A| with a relative standard error of 1.04 / sqrt(256) = 6.5%; small
                  sets are counted by their empty registers.

A union's sketch is made of both sketches slot by slot, so |A ∪ B| is estimated as well, and |A ∩ B| = J |A ∪ B|.
Registers are stored as 24 minus their value: both sketches are then minima, and N_k(i) = {i} ∪ N_{k-1}(u) over the
neighbours u of i is a minimum over neighbours.

**An edge is never counted for its own pair.** Overlaps of connected nodes are those of the graph without their
edge. Otherwise the pairs that a model learns from would differ from those that it is asked about: with the edge,
every neighbour of i lies within two steps of j. For this each slot keeps its least value, the neighbour that gave
it (its witness), and the least value without that neighbour. Without the edge (i, j) the balls N_{k-1}(u) of the
other neighbours u stay as they are for k ≤ 2, so that the result is exact. For k = 3 they would keep j itself,
which tells edges of sparse graphs from other pairs: there are at most two hops.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints, contains
from pulink.engine.compile import inlined, kernel
from pulink.engine.random import GOLDEN, mix64, stream_key
from pulink.engine.threads import run_shares, threads_in_use

N_SLOTS = 128
N_REGISTERS = 256
MAX_HOPS = 2

_DEEPEST = 24
_EMPTY = np.uint32(_DEEPEST)
_ALPHA = 0.7213 / (1 + 1.079 / N_REGISTERS)
_HALF, _TOP_BYTE, _EIGHT, _BIT = (np.uint64(number) for number in (32, 56, 8, 1))
_ONE = np.uint32(1)
_TOP_BIT = np.uint64(1 << 63)

Words = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]
Rows = npt.NDArray[Any]
F32 = npt.NDArray[np.float32]


class Sketches(NamedTuple):
    """The sketches of all nodes. In axis 0: least values, then the least values without the witness.

    hashes             n x 128, of the nodes themselves
    minima             2 x n x K x 128
    registers          2 x n x K x 256
    minimum_witnesses  n x K x 128: a neighbour, or -1 for the node itself
    register_witnesses n x K x 256
    """

    hashes: Words
    minima: Words
    registers: Bytes
    minimum_witnesses: npt.NDArray[np.int32]
    register_witnesses: npt.NDArray[np.int32]

    @property
    def n_hops(self) -> int:
        return int(self.minima.shape[2])


def sketch_bytes(n_nodes: int, n_hops: int) -> int:
    """Memory that the sketches of a graph take."""
    per_hop = N_SLOTS * (2 * 4 + 4) + N_REGISTERS * (2 + 4)
    return n_nodes * (4 * N_SLOTS + N_REGISTERS + n_hops * per_hop)


def build_sketches(adjacency: Adjacency, n_hops: int, key: np.uint64) -> Sketches:
    """Sketches of every node's 1 .. n_hops steps; the key fixes the hash functions."""
    assert 1 <= n_hops <= MAX_HOPS
    n = adjacency.n_nodes
    hashes = np.empty((n, N_SLOTS), dtype=np.uint32)
    single = np.full((n, N_REGISTERS), _EMPTY, dtype=np.uint8)
    _hash_nodes(stream_key(int(key), "minhash"), stream_key(int(key), "registers"), hashes, single)
    minima, minimum_witnesses = _all_hops(adjacency, hashes, n_hops)
    registers, register_witnesses = _all_hops(adjacency, single, n_hops)
    return Sketches(hashes, minima, registers, minimum_witnesses, register_witnesses)


def ball_sizes(sketches: Sketches) -> npt.NDArray[np.float64]:
    """Estimates of |N_k(i)| (n x K)."""
    n, n_hops = sketches.minima.shape[1:3]
    sizes = np.empty((n, n_hops), dtype=np.float64)
    _sizes(sketches.registers[0], sizes)
    return sizes


def ball_overlaps(sketches: Sketches, adjacency: Adjacency, pairs: Ints) -> F32:
    """Estimates of |N_a(i) ∩ N_b(j)| for pairs (p x 2) of different nodes: p x (K + 2) x (K + 2).

    Index 0 is the node alone, K + 1 stands for all nodes: the last column and row hold |N_a(i)| and |N_b(j)|. An
    edge between i and j is taken out of the graph.
    """
    pairs = np.ascontiguousarray(pairs, dtype=np.int64)
    connected = contains(adjacency, pairs)
    size = sketches.n_hops + 2
    out = np.empty((len(pairs), size, size), dtype=np.float32)

    def run(share: list[tuple[int, int]]) -> None:
        for first, end in share:
            _overlaps(sketches, pairs[first:end], connected[first:end], out[first:end])

    run_shares(run, _ranges(len(pairs)))
    return out


def distance_counts(overlaps: F32) -> F32:
    """Estimates of how many nodes are exactly a steps from i and b from j: p x (K + 1) x (K + 1), none below 0.

    a, b = 1 .. K, and K + 1 for any larger distance. The last cell, far from both, is 0: it is not counted.
    Inclusion and exclusion: B[a, b] = I[a, b] - I[a-1, b] - I[a, b-1] + I[a-1, b-1].
    """
    counts = np.maximum(np.diff(np.diff(overlaps, axis=1), axis=2), np.float32(0))
    counts[:, -1, -1] = 0
    return counts


def _ranges(count: int) -> list[tuple[int, int]]:
    parts = threads_in_use()
    return list(pairwise(count * k // parts for k in range(parts + 1)))


@kernel
def _hash_nodes(slot_key: np.uint64, register_key: np.uint64, hashes: Words, single: Bytes) -> None:
    for i in range(hashes.shape[0]):
        for s in range(N_SLOTS):
            hashes[i, s] = mix64(slot_key + np.uint64(i * N_SLOTS + s) * GOLDEN) >> _HALF
        word = mix64(register_key + np.uint64(i) * GOLDEN)
        register, rest = word >> _TOP_BYTE, word << _EIGHT
        value = 1
        while value < _DEEPEST and not rest & _TOP_BIT:
            value += 1
            rest <<= _BIT
        single[i, register] = _DEEPEST - value


def _all_hops(adjacency: Adjacency, singles: Rows, n_hops: int) -> tuple[Rows, npt.NDArray[np.int32]]:
    """Least values with and without their witnesses (2 x n x K x width), and the witnesses (n x K x width)."""
    n, width = singles.shape
    least = np.empty((2, n, n_hops, width), dtype=singles.dtype)
    witnesses = np.empty((n, n_hops, width), dtype=np.int32)
    previous = singles
    for k in range(n_hops):
        # Kernels are fast on contiguous rows only, hence the copies.
        hop, by = np.empty((2, n, width), dtype=singles.dtype), np.empty((n, width), dtype=np.int32)
        _widen(adjacency, singles, previous, hop, by)
        least[:, :, k], witnesses[:, k], previous = hop, by, hop[0]
    return least, witnesses


def _widen(adjacency: Adjacency, singles: Rows, previous: Rows, least: Rows, by: npt.NDArray[np.int32]) -> None:
    """One hop more: minima over the node's own row in `singles` and over its neighbours' rows in `previous`."""

    def run(share: list[tuple[int, int]]) -> None:
        for first, end in share:
            indptr, rows = adjacency.indptr[first : end + 1], slice(first, end)
            _neighbour_minima(
                indptr, adjacency.indices, singles[rows], previous, least[0, rows], least[1, rows], by[rows]
            )

    run_shares(run, _ranges(adjacency.n_nodes))


@kernel
def _neighbour_minima(
    indptr: Ints,
    indices: Ints,
    singles: Rows,
    previous: Rows,
    best: Rows,
    others: Rows,
    witnesses: npt.NDArray[np.int32],
) -> None:
    for i in range(indptr.size - 1):
        row, rest, witness = best[i], others[i], witnesses[i]
        for s in range(row.size):
            row[s] = singles[i, s]
            rest[s] = singles[i, s]
            witness[s] = -1
        for e in range(indptr[i], indptr[i + 1]):
            u = indices[e]
            values = previous[u]
            for s in range(row.size):
                better = values[s] < row[s]
                rest[s] = row[s] if better else min(rest[s], values[s])
                witness[s] = u if better else witness[s]
                row[s] = min(row[s], values[s])


@inlined
def _estimate(inverse_sum: np.uint32, n_empty: np.uint32) -> float:
    """HyperLogLog's estimate from the sum of 2^(24 - value), with linear counting of small sets."""
    raw = _ALPHA * N_REGISTERS * N_REGISTERS * 2.0**_DEEPEST / inverse_sum
    if raw <= 2.5 * N_REGISTERS and n_empty > 0:
        return float(N_REGISTERS * np.log(N_REGISTERS / n_empty))
    return float(raw)


@inlined
def _union_size(a: Bytes, b: Bytes) -> float:
    # No ball is empty, so that the sum stays below 2^32.
    total = np.uint32(0)
    n_empty = np.uint32(0)
    for s in range(N_REGISTERS):
        value = np.uint32(min(a[s], b[s]))
        total += _ONE << value
        n_empty += np.uint32(value == _EMPTY)
    return _estimate(total, n_empty)


@inlined
def _n_equal(a: Words, b: Words) -> np.uint32:
    count = np.uint32(0)
    for s in range(N_SLOTS):
        count += np.uint32(a[s] == b[s])
    return count


@inlined
def _may_hold(ball: Words, node: Words) -> bool:
    """Whether no hash of the node undercuts the ball's least: surely so for members, and for others with
    probability exp(-128 / size), which is little where one node more or less matters.
    """
    count = np.uint32(0)
    for s in range(N_SLOTS):
        count += np.uint32(ball[s] <= node[s])
    return bool(count == N_SLOTS)


@kernel
def _sizes(registers: Bytes, sizes: npt.NDArray[np.float64]) -> None:
    for i in range(sizes.shape[0]):
        for k in range(sizes.shape[1]):
            sizes[i, k] = _union_size(registers[i, k], registers[i, k])


@kernel
def _rows_without(sketches: Sketches, i: int, j: int, minima: Words, registers: Bytes) -> None:
    """The sketches of node i, without what its neighbour j alone gave."""
    for k in range(minima.shape[0]):
        for s in range(N_SLOTS):
            lost = sketches.minimum_witnesses[i, k, s] == j
            minima[k, s] = sketches.minima[1, i, k, s] if lost else sketches.minima[0, i, k, s]
        for s in range(N_REGISTERS):
            lost = sketches.register_witnesses[i, k, s] == j
            registers[k, s] = sketches.registers[1, i, k, s] if lost else sketches.registers[0, i, k, s]


@kernel
def _overlaps(sketches: Sketches, pairs: Ints, connected: npt.NDArray[np.bool_], out: F32) -> None:
    n_hops = sketches.minima.shape[2]
    minima = np.empty((2, n_hops, N_SLOTS), dtype=np.uint32)
    registers = np.empty((2, n_hops, N_REGISTERS), dtype=np.uint8)
    for p in range(pairs.shape[0]):
        i, j = pairs[p]
        left, right = sketches.minima[0, i], sketches.minima[0, j]
        left_registers, right_registers = sketches.registers[0, i], sketches.registers[0, j]
        if connected[p]:
            _rows_without(sketches, i, j, minima[0], registers[0])
            _rows_without(sketches, j, i, minima[1], registers[1])
            left, right = minima[0], minima[1]
            left_registers, right_registers = registers[0], registers[1]
        _fill_sizes(left_registers, right_registers, out[p])
        _fill_shares(left, right, sketches.hashes[i], sketches.hashes[j], out[p])


@kernel
def _fill_sizes(left: Bytes, right: Bytes, overlaps: F32) -> None:
    """Sizes of balls in the last row and column, of their unions elsewhere."""
    last = overlaps.shape[0] - 1
    overlaps[0, 0] = overlaps[last, last] = 0.0
    overlaps[0, last] = overlaps[last, 0] = 1.0
    for a in range(1, last):
        overlaps[a, last] = _union_size(left[a - 1], left[a - 1])
        overlaps[last, a] = _union_size(right[a - 1], right[a - 1])
        for b in range(1, last):
            overlaps[a, b] = _union_size(left[a - 1], right[b - 1])


@kernel
def _fill_shares(left: Words, right: Words, left_node: Words, right_node: Words, overlaps: F32) -> None:
    """Times Jaccard's share where both are balls; whether a ball holds the other node where that stands alone."""
    for a in range(1, overlaps.shape[0] - 1):
        overlaps[a, 0] = np.float32(_may_hold(left[a - 1], right_node))
        overlaps[0, a] = np.float32(_may_hold(right[a - 1], left_node))
        for b in range(1, overlaps.shape[0] - 1):
            overlaps[a, b] *= np.float32(_n_equal(left[a - 1], right[b - 1])) / np.float32(N_SLOTS)
