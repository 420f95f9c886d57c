"""Sums over the walks of two and three steps between the ends of pairs.

    two steps      Σ_u   A_iu w_u A_uj
    three steps    Σ_uv  A_iu w_u A_uv w_v A_vj

A is the adjacency without its edge weights, w (n) a weight of at least 0 for each node passed on the way.
A sum over two steps runs over common neighbours by ascending number, which is the same order from either end.
A sum over three steps starts from the end with the lower number. So every sum depends on the unordered pair
alone, to the last bit, and rows hold the same bits as pairs.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.compile import in_order
from pulink.engine.neighbour_rows import DOUBLE_LANES, gather_neighbours
from pulink.engine.structure.pair_groups import by_degree, by_number, group_pairs
from pulink.engine.threads import run_shares

F64 = npt.NDArray[np.float64]

_CHUNK = 1 << 18


def two_step_sums(adjacency: Adjacency, weights: F64, pairs: Ints) -> F64:
    """For each pair (k x 2) the sum of its common neighbours' weights (k)."""
    # The hub's neighbours are marked once, and each of its pairs then costs no more than its smaller end.
    rank = by_degree(adjacency.indptr)
    out = np.empty(len(pairs), dtype=np.float64)
    # Marking is cheap, so that a long list is cut: sums are then written where the cache still is.
    size = max(_CHUNK, adjacency.n_nodes)

    def run(starts: list[int]) -> None:
        for start in starts:
            part = slice(start, start + size)
            groups = group_pairs(pairs[part], rank)
            _two_step_sums(
                adjacency.indptr,
                adjacency.indices,
                weights,
                groups.starts,
                groups.targets,
                groups.places,
                out[part],
            )

    run_shares(run, range(0, len(pairs), size))
    return out


def three_step_sums(adjacency: Adjacency, weights: F64, pairs: Ints) -> F64:
    """For each pair (k x 2) the sum over its walks of three steps of the two weights' product (k)."""
    groups = group_pairs(pairs, by_number(adjacency.n_nodes))
    out = np.empty(len(pairs), dtype=np.float64)

    def run(shares: list[tuple[int, int]]) -> None:
        for share in shares:
            _three_step_sums(
                adjacency.indptr,
                adjacency.indices,
                weights,
                share,
                groups.starts,
                groups.targets,
                groups.places,
                out,
            )

    run_shares(run, groups.shares())
    return out


def two_step_rows(adjacency: Adjacency, weights: F64, nodes: Ints, first: int = 0) -> F64:
    """Sums over two steps from `nodes` (b) to the nodes from `first` on (b x (n - first))."""
    out = np.zeros((len(nodes), adjacency.n_nodes - first), dtype=np.float64)
    _two_step_rows(adjacency.indptr, adjacency.indices, weights, np.asarray(nodes, np.int64), first, out)
    return out


def three_step_rows(adjacency: Adjacency, weights: F64, nodes: Ints, first: int = 0) -> F64:
    """Sums over three steps from `nodes` (b) to the nodes from `first` on (b x (n - first)), begun at `nodes`."""
    n_columns = adjacency.n_nodes - first
    out = np.empty((len(nodes), n_columns), dtype=np.float64)
    table = np.empty((adjacency.n_nodes, DOUBLE_LANES), dtype=np.float64)
    sums = np.empty((n_columns, DOUBLE_LANES), dtype=np.float64)
    for start in range(0, len(nodes), DOUBLE_LANES):
        block = np.asarray(nodes[start : start + DOUBLE_LANES], np.int64)
        table.fill(0.0)
        sums.fill(0.0)
        _three_step_rows(adjacency.indptr, adjacency.indices, weights, block, first, table, sums)
        out[start : start + len(block)] = sums[:, : len(block)].T
    return out


@in_order
def _two_step_sums(
    indptr: Ints, indices: Ints, weights: F64, starts: Ints, targets: Ints, places: Ints, out: F64
) -> None:
    row = np.zeros(weights.size)
    for i in range(weights.size):
        if starts[i] == starts[i + 1]:
            continue
        for e in range(indptr[i], indptr[i + 1]):
            row[indices[e]] = weights[indices[e]]
        for p in range(starts[i], starts[i + 1]):
            out[places[p]] = _row_sum(indptr, indices, row, targets[p])
        for e in range(indptr[i], indptr[i + 1]):
            row[indices[e]] = 0.0


@in_order
def _three_step_sums(
    indptr: Ints,
    indices: Ints,
    weights: F64,
    share: tuple[int, int],
    starts: Ints,
    targets: Ints,
    places: Ints,
    out: F64,
) -> None:
    row = np.zeros(weights.size)
    reached = np.empty(weights.size, dtype=np.int32)
    for i in range(share[0], share[1]):
        if starts[i] == starts[i + 1]:
            continue
        n_reached = _reach(indptr, indices, weights, i, row, reached)
        for k in range(n_reached):
            row[reached[k]] *= weights[reached[k]]
        for p in range(starts[i], starts[i + 1]):
            out[places[p]] = _row_sum(indptr, indices, row, targets[p])
        for k in range(n_reached):
            row[reached[k]] = 0.0


@in_order
def _row_sum(indptr: Ints, indices: Ints, row: F64, j: int) -> float:
    total = 0.0
    for e in range(indptr[j], indptr[j + 1]):
        total += row[indices[e]]
    return total


@in_order
def _reach(indptr: Ints, indices: Ints, weights: F64, i: int, row: F64, reached: Ints) -> int:
    """Add the weights of the neighbours of i to their neighbours' cells; list the cells that were touched."""
    n_reached = 0
    for e in range(indptr[i], indptr[i + 1]):
        weight = weights[indices[e]]
        if weight == 0.0:
            continue
        for f in range(indptr[indices[e]], indptr[indices[e] + 1]):
            j = indices[f]
            if row[j] == 0.0:
                reached[n_reached] = j
                n_reached += 1
            row[j] += weight
    return n_reached


@in_order
def _two_step_rows(indptr: Ints, indices: Ints, weights: F64, nodes: Ints, first: int, out: F64) -> None:
    for r in range(nodes.size):
        i = nodes[r]
        for e in range(indptr[i], indptr[i + 1]):
            u = indices[e]
            for f in range(indptr[u], indptr[u + 1]):
                if indices[f] >= first:
                    out[r, indices[f] - first] += weights[u]


@in_order
def _three_step_rows(
    indptr: Ints, indices: Ints, weights: F64, nodes: Ints, first: int, table: F64, sums: F64
) -> None:
    for r in range(nodes.size):
        i = nodes[r]
        for e in range(indptr[i], indptr[i + 1]):
            u = indices[e]
            for f in range(indptr[u], indptr[u + 1]):
                table[indices[f], r] += weights[u]
    for v in range(table.shape[0]):
        for r in range(nodes.size):
            table[v, r] *= weights[v]
    for j in range(first, indptr.size - 1):
        start, end = np.int64(indptr[j]), np.int64(indptr[j + 1])
        gather_neighbours(sums, j - first, 1.0, table, indices, start, end)
