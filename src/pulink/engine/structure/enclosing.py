"""Enclosing subgraphs: what lies around a pair (x, y), without the edge between them.

The nodes within h steps of x or y, the edges among them, and for each node v its double-radius label (Zhang and
Chen 2018): with dx its distance to x when y is taken away, dy its distance to y when x is, and d = dx + dy,

    label(v) = 1 + min(dx, dy) + (d div 2) · (d div 2 + d mod 2 − 1),     0 if either is out of reach,

and 1 for x and y themselves. Distances are those inside the subgraph.

A step keeps at most `max_nodes` of the nodes that it reaches, drawn without replacement with weights Σ 1/degree(p)
over the nodes p that it comes from (−log u / weight, the smallest win): at the first step both ends have equal
shares, so that a hub does not crowd out the few neighbours of the other end. The draw u is a function of the key,
the unordered pair and the node, and the edge (x, y) counts nowhere: a pair has one subgraph, in any batch, in both
orientations, and whether or not it is connected.

k pairs give one block-diagonal batch of N rows: starts (k + 1), nodes and labels (N), adjacency (N x N).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints, index_dtype, is_neighbour
from pulink.engine.compile import kernel
from pulink.engine.random import GOLDEN, mix64
from pulink.engine.threads import run_shares

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float64]
Grown = TypeVar("Grown", bound=npt.NDArray[Any])
Block = tuple[npt.NDArray[np.int64], Numbers, Numbers, npt.NDArray[np.int64], Numbers]

_UNSEEN, _SEEN = np.int32(-1), np.int32(-2)
_ELEVEN = np.uint64(11)
_UNREACHED = np.int32(-1)
# A row this many times longer than the subgraph is bisected for its nodes, not walked.
_LONG_ROW = 16


@dataclass(frozen=True)
class EnclosingSubgraphs:
    """The subgraphs of k pairs, one block of rows after another.

    starts     k + 1: rows starts[g] .. starts[g + 1] belong to pair g: its ends, the lower number first, then the
               other nodes, ascending
    nodes      N: the node that a row stands for
    labels     N: its double-radius label
    adjacency  N rows: the edges within each subgraph, but never that of the pair
    """

    starts: npt.NDArray[np.int64]
    nodes: Numbers
    labels: Numbers
    adjacency: Adjacency

    @property
    def ends(self) -> npt.NDArray[np.int64]:
        """The rows of the pairs' two ends (k x 2)."""
        return np.stack([self.starts[:-1], self.starts[:-1] + 1], axis=1)


def enclosing_subgraphs(
    adjacency: Adjacency, pairs: Ints, n_hops: int, max_nodes: int | None, key: np.uint64
) -> EnclosingSubgraphs:
    """The subgraphs of pairs (k x 2). Edge weights do not matter. `max_nodes` None: every node within reach."""
    cap = adjacency.n_nodes if max_nodes is None else max_nodes
    pairs = np.ascontiguousarray(pairs, dtype=np.int64)

    def run(share: list[int]) -> Block:
        chosen = pairs[share[0] : share[-1] + 1] if share else pairs[:0]
        return _extract(adjacency.indptr, adjacency.indices, chosen, n_hops, cap, key)

    return _joined(run_shares(run, range(len(pairs))))


def _joined(blocks: list[Block]) -> EnclosingSubgraphs:
    """Blocks of pairs as one batch: rows and entries are counted on from block to block."""
    starts, nodes, labels, indptr, indices = blocks[0]
    for more_starts, more_nodes, more_labels, more_indptr, more_indices in blocks[1:]:
        starts = np.append(starts, more_starts[1:] + nodes.size)
        indptr = np.append(indptr, more_indptr[1:] + indices.size)
        indices = np.append(indices, more_indices + np.int32(nodes.size))
        nodes, labels = np.append(nodes, more_nodes), np.append(labels, more_labels)
    indptr = indptr.astype(index_dtype(indices.size), copy=False)
    return EnclosingSubgraphs(starts, nodes, labels, Adjacency(indptr, indices))


class _Scratch(NamedTuple):
    """Room for one subgraph at a time; `place` and `weight` have a cell per node of the graph."""

    chosen: Numbers  # nodes in the subgraph, the ends first
    seen: Numbers  # nodes met, kept or not
    place: Numbers  # a chosen node's row within the subgraph; others: _UNSEEN or _SEEN
    weight: Weights


@kernel
def _extract(indptr: Ints, indices: Ints, pairs: Ints, n_hops: int, max_nodes: int, key: np.uint64) -> Block:
    n = indptr.size - 1
    place, weight = np.full(n, _UNSEEN, dtype=np.int32), np.zeros(n, dtype=np.float64)
    scratch = _Scratch(np.empty(n + 1, dtype=np.int32), np.empty(n + 1, dtype=np.int32), place, weight)
    starts = np.zeros(pairs.shape[0] + 1, dtype=np.int64)
    nodes = np.empty(64, dtype=np.int32)
    labels, entries, ends = nodes.copy(), nodes.copy(), np.zeros(64, dtype=np.int64)
    for p in range(pairs.shape[0]):
        scratch.chosen[0], scratch.chosen[1] = min(pairs[p, 0], pairs[p, 1]), max(pairs[p, 0], pairs[p, 1])
        count = _choose(indptr, indices, n_hops, max_nodes, key, scratch)
        first = starts[p]
        starts[p + 1] = first + count
        nodes, labels = _grown(nodes, first + count), _grown(labels, first + count)
        ends = _grown(ends, first + count + 1)
        entries = _grown(entries, ends[first] + _most_entries(indptr, scratch.chosen[:count]))
        for slot in range(count):
            nodes[first + slot] = scratch.chosen[slot]
        block_ends = ends[first : first + count + 1]
        _induce(indptr, indices, scratch, count, block_ends, entries, first)
        _label(block_ends, entries, first, labels[first : first + count], scratch)
        place[scratch.chosen[:count]] = _UNSEEN
    total = starts[-1]
    return starts, nodes[:total], labels[:total], ends[: total + 1], entries[: ends[total]]


@kernel
def _grown(array: Grown, size: int) -> Grown:
    """The array, with room for `size` numbers."""
    if array.size >= size:
        return array
    larger = np.empty(max(size, 2 * array.size), dtype=array.dtype)
    for k in range(array.size):
        larger[k] = array[k]
    return larger  # type: ignore[return-value]


@kernel
def _choose(indptr: Ints, indices: Ints, n_hops: int, max_nodes: int, key: np.uint64, scratch: _Scratch) -> int:
    """Fill `chosen` and number its nodes in `place`; return how many they are."""
    chosen, seen, place = scratch.chosen, scratch.seen, scratch.place
    low, high = chosen[0], chosen[1]
    word = mix64(mix64(key + np.uint64(low) * GOLDEN) + np.uint64(high) * GOLDEN)
    place[low] = place[high] = _SEEN
    first, count, n_seen = 0, 2, 0
    for _ in range(n_hops):
        n_before = n_seen
        n_seen = _meet(indptr, indices, chosen[first:count], n_seen, scratch)
        kept = _draw(seen[n_before:n_seen], max_nodes, word, scratch.weight, chosen[count:])
        scratch.weight[seen[n_before:n_seen]] = 0.0
        first, count = count, count + kept
    place[seen[:n_seen]] = _UNSEEN
    chosen[2:count].sort()
    for slot in range(count - 1, -1, -1):
        place[chosen[slot]] = slot
    return count


@kernel
def _meet(indptr: Ints, indices: Ints, frontier: Numbers, n_seen: int, scratch: _Scratch) -> int:
    """Add to `seen` what the frontier's nodes lead to, with its weights; return how many are seen now."""
    low, high = scratch.chosen[0], scratch.chosen[1]
    for u in frontier:
        degree = indptr[u + 1] - indptr[u]
        if (u == low and is_neighbour(indptr, indices, u, high)) or (
            u == high and is_neighbour(indptr, indices, u, low)
        ):
            degree -= 1
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if scratch.place[v] == _UNSEEN:
                scratch.place[v] = _SEEN
                scratch.seen[n_seen] = v
                n_seen += 1
                scratch.weight[v] = 1.0 / degree
            elif scratch.weight[v] > 0.0:
                scratch.weight[v] += 1.0 / degree
    return n_seen


@kernel
def _draw(met: Numbers, max_nodes: int, word: np.uint64, weight: Weights, out: Numbers) -> int:
    """Put at most `max_nodes` of the nodes met into `out`; return how many."""
    if met.size <= max_nodes:
        for k in range(met.size):
            out[k] = met[k]
        return met.size
    ranks = np.empty(met.size, dtype=np.float64)
    for k in range(met.size):
        bits = mix64(word + np.uint64(met[k]) * GOLDEN) >> _ELEVEN
        ranks[k] = -np.log((np.float64(bits) + 0.5) * 2.0**-53) / weight[met[k]]
    last = _nth_smallest(ranks.copy(), max(max_nodes, 1) - 1)
    kept = 0
    for k in range(met.size):
        if ranks[k] <= last and kept < max_nodes:
            out[kept] = met[k]
            kept += 1
    return kept


@kernel
def _nth_smallest(numbers: Weights, nth: int) -> float:
    """By Hoare's selection, which moves the numbers about. NumPy's partition takes seven seconds to compile."""
    low, high = 0, numbers.size - 1
    while low < high:
        pivot = numbers[(low + high) >> 1]
        left, right = low, high
        while left <= right:
            while numbers[left] < pivot:
                left += 1
            while numbers[right] > pivot:
                right -= 1
            if left <= right:
                numbers[left], numbers[right] = numbers[right], numbers[left]
                left += 1
                right -= 1
        if nth <= right:
            high = right
        elif nth >= left:
            low = left
        else:
            break
    return float(numbers[nth])


@kernel
def _most_entries(indptr: Ints, chosen: Numbers) -> int:
    total = 0
    for u in chosen:
        total += min(indptr[u + 1] - indptr[u], chosen.size)
    return total


@kernel
def _induce(
    indptr: Ints, indices: Ints, scratch: _Scratch, count: int, ends: Ints, entries: Numbers, first: int
) -> None:
    """Write the rows of one subgraph from entry ends[0] on; each row's columns ascend."""
    chosen, place = scratch.chosen, scratch.place
    filled = ends[0]
    for row in range(count):
        u = chosen[row]
        # The second of two equal ends has no edges of its own.
        walked = indptr[u + 1] - indptr[u] if place[u] == row else 0
        if row >= 2:
            for end in range(2):
                if place[chosen[end]] == end and is_neighbour(indptr, indices, u, chosen[end]):
                    entries[filled] = first + end
                    filled += 1
        if walked > _LONG_ROW * count:
            for slot in range(2, count):
                if is_neighbour(indptr, indices, u, chosen[slot]):
                    entries[filled] = first + slot
                    filled += 1
            walked = 0
        for e in range(indptr[u], indptr[u] + walked):
            if place[indices[e]] >= 2:
                entries[filled] = first + place[indices[e]]
                filled += 1
        ends[row + 1] = filled


@kernel
def _label(ends: Ints, entries: Numbers, first: int, labels: Numbers, scratch: _Scratch) -> None:
    # The nodes met are no longer needed: their room serves as the queue.
    to_low, to_high = np.empty(labels.size, dtype=np.int32), np.empty(labels.size, dtype=np.int32)
    _distances(ends, entries, first, 0, to_low, scratch.seen)
    _distances(ends, entries, first, 1, to_high, scratch.seen)
    labels[:2] = 1
    for v in range(2, labels.size):
        labels[v] = 0
        if to_low[v] != _UNREACHED and to_high[v] != _UNREACHED:
            half, odd = divmod(to_low[v] + to_high[v], 2)
            labels[v] = 1 + min(to_low[v], to_high[v]) + half * (half + odd - 1)


@kernel
def _distances(ends: Ints, entries: Numbers, first: int, root: int, distance: Numbers, queue: Numbers) -> None:
    """Steps from one end of a subgraph (root 0 or 1), never through the other."""
    distance[:] = _UNREACHED
    distance[root] = distance[1 - root] = 0
    queue[0] = root
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        for e in range(ends[u], ends[u + 1]):
            v = entries[e] - first
            if distance[v] == _UNREACHED:
                distance[v] = distance[u] + 1
                queue[tail] = v
                tail += 1
