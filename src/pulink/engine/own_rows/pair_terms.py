"""Cross-entropy of inner products over the pairs of a worker's nodes, and its gradient in their rows.

A pair of two workers is looked at by both, and each adds to its own row, so that nothing is sent: every row's
gradient is summed in the order of its own pairs. Pairs with a hub are the exception. There may be so many that
the hub's owner would do the work of all others: the other end's owner computes both halves, and those of hubs
travel as one sum for each shard. Of two hubs, the one with the smaller number counts as the hub.

The loss of a pair is added to the shard of its first end, or of the end that is no hub.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import is_neighbour
from pulink.engine.autograd.pair_loss import exp_of_minus, log_one_plus
from pulink.engine.compile import elementwise, inlined, kernel
from pulink.engine.non_edges import NEXT_ATTEMPT, filter_bit
from pulink.engine.own_rows.aligned import aligned_zeros
from pulink.engine.random import GOLDEN, mix64
from pulink.engine.vector_rows import AHEAD, row_add, row_dot, row_prefetch

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]

_BATCH = 256
_ZERO, _ONE = np.float32(0), np.float32(1)
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_BIT, _SIX, _SEVEN, _NINE, _SIX_BITS = (np.uint64(number) for number in (1, 6, 7, 9, 63))
_BITS_PER_ENTRY = 12
_MARKS, _MARK = 0xFFFF, 1 << 10
_NOTHING, _OF_ROWS, _OF_HUB, _REJECTED = 0, 1, 2, 3


class Rows(NamedTuple):
    """A worker's rows of a graph, for kernels.

    lines     a bit set of hashed entries: a clear bit proves that a pair is free
    shard_of  the shard of each row, counted from the worker's first one
    first     the number of the first row in the whole graph
    end       and of the one after the last
    """

    indptr: Longs
    indices: Ints
    lines: Words
    shard_of: npt.NDArray[np.uint8]
    first: int
    end: int


class Hubs(NamedTuple):
    """Nodes of large degree, and the pairs that were added between them and a worker's rows.

    nodes   ascending
    marks   a bit set of their last bits: most nodes are no hubs, and this tells so at once
    indptr  one more than there are rows
    added   places among `nodes`, ascending in each row
    """

    nodes: Ints
    marks: Words
    indptr: Longs
    added: Ints


class Sums(NamedTuple):
    """What pairs add to.

    gradient  of the worker's rows
    of_hubs   for each of its shards the gradient of every hub
    losses    of each of its shards
    """

    gradient: F32
    of_hubs: F32
    losses: F64


def rows_of(indptr: Longs, indices: Ints, bounds: Longs, first: int, n_nodes: int) -> Rows:
    """bounds: of the worker's shards, in numbers of the whole graph."""
    n_bits = max(512, _BITS_PER_ENTRY * indices.size)
    lines = aligned_zeros((1 << ((n_bits - 1).bit_length() - 9), 8), np.uint64)
    _fill_lines(indptr, indices, first, n_nodes, lines)
    shard_of = np.repeat(np.arange(bounds.size - 1, dtype=np.uint8), np.diff(bounds))
    return Rows(indptr, indices, lines, shard_of, first, first + indptr.size - 1)


def hubs_of(nodes: Ints, indptr: Longs, added: Ints) -> Hubs:
    """Hubs by their numbers, ascending."""
    marks = np.zeros(_MARK, dtype=np.uint64)
    for node in nodes.tolist():
        marks[(node & _MARKS) >> 6] |= np.uint64(1) << np.uint64(node & 63)
    return Hubs(nodes, marks, indptr, added)


@kernel
def _fill_lines(indptr: Longs, indices: Ints, first: int, n_nodes: int, lines: Words) -> None:
    n = np.uint64(n_nodes)
    for r in range(indptr.size - 1):
        for e in range(indptr[r], indptr[r + 1]):
            bit = filter_bit(np.uint64(first + r), np.uint64(indices[e]), n, lines)
            lines[bit >> _NINE, (bit >> _SIX) & _SEVEN] |= _BIT << (bit & _SIX_BITS)


@inlined
def hub_place(node: int | np.integer, nodes: Ints, marks: Words) -> np.int64:
    """Where a node stands among the hubs; -1 if it is none."""
    place = np.int64(-1)
    if (marks[(node & _MARKS) >> 6] >> np.uint64(node & 63)) & _BIT:
        found = np.searchsorted(nodes, node)
        if found < nodes.size and nodes[found] == node:
            place = np.int64(found)
    return place


@elementwise
def edge_terms(
    z: F32, first: int, indptr: Longs, indices: Ints, bounds: Longs, weight: np.float32, gradient: F32, losses: F64
) -> None:
    """Add edges, labelled 1 and of one weight.

    bounds  of the worker's shards, in numbers of its rows
    """
    slopes, rows = np.empty(_BATCH, dtype=np.float32), np.empty(_BATCH, dtype=np.int64)
    last = indices.size - 1
    for s in range(bounds.size - 1):
        loss = 0.0
        r, e, end = bounds[s], indptr[bounds[s]], indptr[bounds[s + 1]]
        while e < end:
            size = min(_BATCH, end - e)
            for b in range(size):
                while indptr[r + 1] <= e + b:
                    r += 1
                rows[b] = r
                row_prefetch(z, np.uint32(indices[min(e + b + AHEAD, last)]))
                slopes[b] = row_dot(z, np.uint32(first + r), np.uint32(indices[e + b]))
            for b in range(size):
                logit = slopes[b]
                decay = exp_of_minus(abs(logit))
                # An edge is in two rows, and its loss is counted in the first.
                if indices[e + b] > first + rows[b]:
                    loss += weight * (max(-logit, _ZERO) + log_one_plus(decay))
                upper = _ONE / (_ONE + decay)
                prob = upper if logit >= _ZERO else decay * upper
                slopes[b] = weight * (prob - _ONE)
            for b in range(size):
                row_add(gradient, np.uint32(rows[b]), slopes[b], z, np.uint32(indices[e + b]))
            e += size
        losses[s] += loss


@elementwise
def added_terms(z: F32, targets: F32, weights: F32, rows: Rows, hubs: Hubs, sums: Sums) -> None:
    """Add the pairs of hubs and rows that were added, with a label and a weight each."""
    shard_of, first = rows.shard_of, rows.first
    nodes, indptr, added = hubs.nodes, hubs.indptr, hubs.added
    gradient, of_hubs, losses = sums
    for r in range(indptr.size - 1):
        for e in range(indptr[r], indptr[r + 1]):
            hub = np.uint32(nodes[added[e]])
            logit = row_dot(z, np.uint32(first + r), hub)
            decay = exp_of_minus(abs(logit))
            upper = _ONE / (_ONE + decay)
            prob = upper if logit >= _ZERO else decay * upper
            slope = weights[e] * (prob - targets[e])
            losses[shard_of[r]] += weights[e] * (max(logit, _ZERO) - targets[e] * logit + log_one_plus(decay))
            row_add(gradient, np.uint32(r), slope, z, hub)
            for c in range(z.shape[1]):
                of_hubs[shard_of[r], added[e], c] += slope * z[first + r, c]


@kernel
def own_draws(key: np.uint64, start: int, n_nodes: int, first: int, end: int, pairs: Ints, counters: Words) -> int:
    """Draws of a stream, from `start` on, with an end from `first` up to `end`; return how many there are."""
    n = np.uint64(n_nodes)
    kept = 0
    for s in range(counters.size):
        counter = np.uint64(start + s)
        word = mix64(key + counter * GOLDEN)
        i, j = ((word >> _HALF) * n) >> _HALF, ((word & _LOW) * n) >> _HALF
        while i == j:
            counter += NEXT_ATTEMPT
            word = mix64(key + counter * GOLDEN)
            i, j = ((word >> _HALF) * n) >> _HALF, ((word & _LOW) * n) >> _HALF
        a, b = np.int64(i), np.int64(j)
        pairs[kept, 0], pairs[kept, 1] = a, b
        counters[kept] = counter
        kept += int((first <= a < end) | (first <= b < end))
    return kept


@kernel
def own_redraws(
    key: np.uint64, rejected: Words, n_nodes: int, first: int, end: int, pairs: Ints, counters: Words
) -> int:
    """The same for the next attempts of draws that hit a connected pair."""
    n = np.uint64(n_nodes)
    kept = 0
    for s in range(rejected.size):
        counter = rejected[s] + NEXT_ATTEMPT
        word = mix64(key + counter * GOLDEN)
        i, j = ((word >> _HALF) * n) >> _HALF, ((word & _LOW) * n) >> _HALF
        while i == j:
            counter += NEXT_ATTEMPT
            word = mix64(key + counter * GOLDEN)
            i, j = ((word >> _HALF) * n) >> _HALF, ((word & _LOW) * n) >> _HALF
        a, b = np.int64(i), np.int64(j)
        pairs[kept, 0], pairs[kept, 1] = a, b
        counters[kept] = counter
        kept += int((first <= a < end) | (first <= b < end))
    return kept


@inlined
def _end_beside_hub(i: Any, j: Any, nodes: Ints, marks: Words) -> tuple[Any, Any, np.int64]:
    """Of a pair with a hub: the end that stands for both (of two hubs the larger), the hub, and its place."""
    place_i, place_j = hub_place(i, nodes, marks), hub_place(j, nodes, marks)
    node, other, place = i, j, place_j
    if place_j < 0 or (place_i >= 0 and j > i):
        node, other, place = j, i, place_i
    return node, other, place


@elementwise
def free_terms(
    z: F32, pairs: Ints, counters: Words, weight: np.float32, rows: Rows, hubs: Hubs, sums: Sums, rejected: Words
) -> int:
    """Add drawn pairs, labelled 0 and of one weight; fill in draws that hit a connected pair, return how many.

    A draw that two workers look at is told of by the owner of its first end alone.
    """
    # Arrays by names of their own: an attribute that is read in a loop is counted as a reference each time.
    indptr, indices, lines, shard_of, first, end = rows
    nodes, marks, added_indptr, added = hubs
    gradient, of_hubs, losses = sums
    n_rejected = 0
    n = np.uint64(z.shape[0])
    slopes, values = np.empty(_BATCH, dtype=np.float32), np.empty(_BATCH, dtype=np.float32)
    bits, roles = np.empty(_BATCH, dtype=np.uint64), np.empty(_BATCH, dtype=np.uint8)
    for start in range(0, counters.size, _BATCH):
        size = min(_BATCH, counters.size - start)
        for b in range(size):
            i, j = pairs[start + b, 0], pairs[start + b, 1]
            bits[b] = filter_bit(np.uint64(i), np.uint64(j), n, lines)
            row_prefetch(lines, np.uint32(bits[b] >> _NINE))
            row_prefetch(z, np.uint32(i))
            row_prefetch(z, np.uint32(j))
            if first <= i < end:
                row_prefetch(gradient, np.uint32(i - first))
            if first <= j < end:
                row_prefetch(gradient, np.uint32(j - first))
        for b in range(size):
            i, j = np.int64(pairs[start + b, 0]), np.int64(pairs[start + b, 1])
            slopes[b] = row_dot(z, np.uint32(i), np.uint32(j))
            doubt = lines[bits[b] >> _NINE, (bits[b] >> _SIX) & _SEVEN] >> (bits[b] & _SIX_BITS)
            doubt |= marks[(i & _MARKS) >> 6] >> np.uint64(i & 63)
            doubt |= marks[(j & _MARKS) >> 6] >> np.uint64(j & 63)
            roles[b] = _OF_ROWS
            if doubt & _BIT:
                roles[b] = _role(i, j, first, end, indptr, indices, nodes, marks, added_indptr, added)
            if roles[b] == _REJECTED:
                rejected[n_rejected] = counters[start + b]
                n_rejected += 1
        for b in range(size):
            logit = slopes[b]
            decay = exp_of_minus(abs(logit))
            values[b] = weight * (max(logit, _ZERO) + log_one_plus(decay))
            upper = _ONE / (_ONE + decay)
            slopes[b] = weight * (upper if logit >= _ZERO else decay * upper)
        # In their order, whatever their roles: which draws stand in a batch depends on how rows are dealt out.
        for b in range(size):
            i, j = np.int64(pairs[start + b, 0]), np.int64(pairs[start + b, 1])
            if roles[b] == _OF_ROWS:
                if first <= i < end:
                    losses[shard_of[i - first]] += values[b]
                    row_add(gradient, np.uint32(i - first), slopes[b], z, np.uint32(j))
                if first <= j < end:
                    row_add(gradient, np.uint32(j - first), slopes[b], z, np.uint32(i))
            elif roles[b] == _OF_HUB:
                node, other, place = _end_beside_hub(i, j, nodes, marks)
                shard = shard_of[node - first]
                losses[shard] += values[b]
                row_add(gradient, np.uint32(node - first), slopes[b], z, np.uint32(other))
                for c in range(z.shape[1]):
                    of_hubs[shard, place, c] += slopes[b] * z[node, c]
    return n_rejected


@inlined
def _role(
    i: Any, j: Any, first: int, end: int, indptr: Longs, indices: Ints, nodes: Ints, marks: Words,
    added_indptr: Longs, added: Ints,
) -> int:  # fmt: skip
    """Whether a draw is added to the rows of its ends, to a row and a hub, or not at all, and is to be told of."""
    is_hub_pair = hub_place(i, nodes, marks) >= 0 or hub_place(j, nodes, marks) >= 0
    node, other, place = i, j, np.int64(-1)
    tells = True
    if is_hub_pair:
        # Wholly its other end's.
        node, other, place = _end_beside_hub(i, j, nodes, marks)
    elif not first <= i < end:
        node, other, tells = j, i, False
    role = _OF_HUB if is_hub_pair else _OF_ROWS
    if is_hub_pair and not first <= node < end:
        role = _NOTHING
    elif is_neighbour(indptr, indices, node - first, other) or (
        is_hub_pair and is_neighbour(added_indptr, added, node - first, place)
    ):
        role = _REJECTED if tells else _NOTHING
    return role
