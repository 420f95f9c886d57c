"""Personalised PageRank: where a walk from one node is, if at each step it starts anew with probability α.

    p_i = α e_i + (1 − α) A D^-1 p_i                        isolated i: p_i = e_i
    X   = α (I − c P)^-1,  P = D^-1 A,  c = 1 − α           X_ji = p_j[i]
    d_j X_ji = d_i X_ij,   so  p_i[j] + p_j[i] = X_ji (d_i + d_j) / d_i

The last line gives a pair's score from the column of one of its ends: that of the larger degree, among equals of
the lower number. A column is a Chebyshev series in P, whose eigenvalues lie in [−1, 1]:

    X ≈ Σ_k a_k T_k(P),  a_0 = α / r,  a_k = 2 a_0 ρ^k,  r = sqrt(1 − c²),  ρ = (1 − r) / c

Its error is at most 2 a_0 ρ^(K+1) / (1 − ρ) after K products: for α = 0.15 it falls by 0.56 with each, where the
iteration of the first line gains 0.85. Clenshaw's recurrence sums it for 16 columns at a time, in float32. Columns
never mix, so that a score does not depend on which others are asked for. The first two products start from one
node and the last one is needed for some pairs alone: they visit only edges that matter, and give the same bits.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.compile import in_order, inlined
from pulink.engine.neighbour_rows import SINGLE_LANES, gather_neighbours
from pulink.engine.structure.locality import community_order, renumbered
from pulink.engine.structure.pair_groups import by_degree, group_pairs
from pulink.engine.threads import run_shares

F64 = npt.NDArray[np.float64]
Table = npt.NDArray[np.float32]


class PageRank:
    """Personalised PageRank on one graph; edge weights are ignored.

    restart    α
    tolerance  bound on the error of X_ji sqrt(d_j / d_i); float32 does not go below about 1e-7
    """

    def __init__(self, adjacency: Adjacency, restart: float = 0.15, tolerance: float = 1e-6) -> None:
        order = community_order(adjacency)
        self._place = np.empty(len(order), dtype=np.int64)
        self._place[order] = np.arange(len(order))
        self._adjacency = renumbered(adjacency, order)
        self._degrees = np.diff(adjacency.indptr).astype(np.float64)
        self._rank = by_degree(adjacency.indptr)
        self._steps = np.float32(1.0) / np.maximum(self._degrees[order], 1).astype(np.float32)
        self._coefficients = series(restart, tolerance)
        indptr, indices = self._adjacency.indptr, self._adjacency.indices
        sums = np.concatenate([[0], np.cumsum(np.diff(indptr)[indices])])
        self._two_step_edges = sums[indptr[1:]] - sums[indptr[:-1]]

    @property
    def n_products(self) -> int:
        """Sparse products for 16 sources."""
        return len(self._coefficients) - 1

    @property
    def order(self) -> npt.NDArray[np.int64]:
        """Nodes in the order in which one is preferred as a pair's source."""
        return np.argsort(self._rank)

    def pair_scores(self, pairs: Ints) -> F64:
        """p_i[j] + p_j[i] for each pair (k x 2)."""
        groups = group_pairs(pairs, self._rank)
        sources = groups.sources()
        out = np.empty(len(pairs), dtype=np.float64)

        def run(starts: list[int]) -> None:
            work = self._work()
            for start in starts:
                block = sources[start : start + SINGLE_LANES]
                part = slice(groups.starts[block[0]], groups.starts[block[-1] + 1])
                targets = groups.targets[part]
                lanes = np.repeat(np.arange(len(block)), groups.starts[block + 1] - groups.starts[block])
                columns = self._cells(block, work, self._place[targets], lanes).astype(np.float64)
                out[groups.places[part]] = self._both_ways(columns, block[lanes], targets)

        run_shares(run, range(0, len(sources), SINGLE_LANES))
        return out

    def rows(self, nodes: Ints, first: int = 0) -> F64:
        """p_i[j] + p_j[i] of `nodes` (b) with the nodes from `first` on (b x (n - first)), from i's columns."""
        out = np.empty((len(nodes), len(self._place) - first), dtype=np.float64)
        work = self._work()
        for start in range(0, len(nodes), SINGLE_LANES):
            block = nodes[start : start + SINGLE_LANES]
            columns = self._columns(block, work)[self._place[first:]]
            _rows_both_ways(
                columns,
                self._degrees[first:],
                np.maximum(self._degrees[block], 1),
                out[start : start + len(block)],
            )
        return out

    def vectors(self, nodes: Ints) -> F64:
        """p_i for each of `nodes` (b x n)."""
        out = np.empty((len(nodes), len(self._place)), dtype=np.float64)
        work = self._work()
        for start in range(0, len(nodes), SINGLE_LANES):
            block = nodes[start : start + SINGLE_LANES]
            columns = self._columns(block, work)[self._place, : len(block)].T.astype(np.float64)
            out[start : start + len(block)] = columns * self._degrees / np.maximum(self._degrees[block, None], 1)
        isolated = np.flatnonzero(self._degrees[nodes] == 0)
        out[isolated, nodes[isolated]] = 1.0
        return out

    def _both_ways(self, columns: F64, sources: Ints, targets: Ints) -> F64:
        from_source = np.maximum(self._degrees[sources], 1)
        # What is left of the series may fall below zero.
        return np.asarray(np.maximum(columns, 0.0) * (from_source + self._degrees[targets]) / from_source)

    def _work(self) -> Table:
        return np.empty((2, len(self._place), SINGLE_LANES), dtype=np.float32)

    def _columns(self, nodes: Ints, work: Table) -> Table:
        """X_ji for up to 16 nodes i (n x 16), within `work`; rows stand in the order of communities."""
        last, other = self._before_last(nodes, work)
        _step(self._adjacency.indptr, self._adjacency.indices, self._steps, np.float32(1), last, other)
        other[self._place[nodes], np.arange(len(nodes))] += self._coefficients[0]
        return other

    def _cells(self, nodes: Ints, work: Table, rows: Ints, lanes: Ints) -> Table:
        """Some cells of `_columns` (k), to the bit."""
        indptr, indices = self._adjacency.indptr, self._adjacency.indices
        if int((indptr[rows + 1] - indptr[rows]).sum()) > indices.size:
            return np.asarray(self._columns(nodes, work)[rows, lanes])
        last, other = self._before_last(nodes, work)
        out = np.empty(len(rows), dtype=np.float32)
        _step_in_cells((indptr, indices), self._steps, last, other, rows, lanes, out)
        out[rows == self._place[nodes][lanes]] += self._coefficients[0]
        return out

    def _before_last(self, nodes: Ints, work: Table) -> tuple[Table, Table]:
        """b_1 and b_2, all that the last product needs."""
        indptr, indices = self._adjacency.indptr, self._adjacency.indices
        places = self._place[nodes]
        cells = places, np.arange(len(nodes))
        two_steps_are_few = 2 * int(self._two_step_edges[places].sum()) < indices.size
        work.fill(0.0)
        last: Table = work[0]
        other: Table = work[1]
        last[cells] = self._coefficients[-1]
        for k in range(self.n_products - 1, 0, -1):
            # b_k = a_k e + 2 P b_(k+1) − b_(k+2), and at the end a_0 e + P b_1 − b_2
            if k == self.n_products - 1:
                _first_step(indptr, indices, self._steps, places, last, other)
            elif k == self.n_products - 2 and two_steps_are_few:
                _second_step(indptr, indices, self._steps, places, last, other)
            else:
                _step(indptr, indices, self._steps, np.float32(2), last, other)
            other[cells] += self._coefficients[k]
            last, other = other, last
        return last, other


def series(restart: float, tolerance: float) -> Table:
    """a_0 .. a_K for the least K >= 1 whose error is within the tolerance."""
    c = 1.0 - restart
    root = math.sqrt(1.0 - c * c)
    ratio = (1.0 - root) / c
    bound = tolerance * (1.0 - ratio) * root / (2.0 * restart)
    last = max(1, math.ceil(math.log(min(bound, 1.0)) / math.log(ratio)) - 1)
    coefficients = 2.0 * restart / root * ratio ** np.arange(last + 1)
    coefficients[0] /= 2.0
    return coefficients.astype(np.float32)


@in_order
def _rows_both_ways(columns: Table, degrees: F64, source_degrees: F64, out: F64) -> None:
    """`PageRank._both_ways`, to the bit, without arrays in between."""
    for j in range(degrees.size):
        for r in range(source_degrees.size):
            positive = max(np.float64(columns[j, r]), 0.0)
            out[r, j] = positive * (source_degrees[r] + degrees[j]) / source_degrees[r]


@in_order
def _step(indptr: Ints, indices: Ints, steps: Table, factor: np.float32, last: Table, other: Table) -> None:
    """other = factor P last − other"""
    for i in range(indptr.size - 1):
        start, end = np.int64(indptr[i]), np.int64(indptr[i + 1])
        gather_neighbours(other, i, factor * steps[i], last, indices, start, end)


@in_order
def _first_step(indptr: Ints, indices: Ints, steps: Table, sources: Ints, last: Table, other: Table) -> None:
    """other = 2 P last, where a column of `last` has one cell, that of its source, and `other` has none."""
    for r in range(sources.size):
        for e in range(indptr[sources[r]], indptr[sources[r] + 1]):
            i = indices[e]
            other[i, r] = np.float32(2) * steps[i] * last[sources[r], r]


@in_order
def _second_step(indptr: Ints, indices: Ints, steps: Table, sources: Ints, last: Table, other: Table) -> None:
    """other = 2 P last − other, where `last` has the cells of sources and their neighbours, `other` the former.

    Cells are added up by ascending neighbours, as in `_step`.
    """
    before = np.empty(sources.size, dtype=np.float32)
    for r in range(sources.size):
        s = sources[r]
        before[r] = other[s, r]
        other[s, r] = np.float32(0)
        source_is_due = True
        for e in range(indptr[s], indptr[s + 1]):
            if source_is_due and indices[e] > s:
                _spread(indptr, indices, s, r, last, other)
                source_is_due = False
            _spread(indptr, indices, indices[e], r, last, other)
        if source_is_due:
            _spread(indptr, indices, s, r, last, other)
    for i in range(steps.size):
        scale = np.float32(2) * steps[i]
        for r in range(other.shape[1]):
            other[i, r] *= scale
    for r in range(sources.size):
        other[sources[r], r] -= before[r]


@inlined
def _spread(indptr: Ints, indices: Ints, v: int | np.integer, r: int, last: Table, other: Table) -> None:
    for f in range(indptr[v], indptr[v + 1]):
        other[indices[f], r] += last[v, r]


@in_order
def _step_in_cells(
    graph: tuple[Ints, Ints], steps: Table, last: Table, other: Table, rows: Ints, lanes: Ints, out: Table
) -> None:
    """Cells of P last − other."""
    indptr, indices = graph
    for p in range(rows.size):
        j, r = rows[p], lanes[p]
        total = np.float32(0)
        for e in range(indptr[j], indptr[j + 1]):
            total += last[indices[e], r]
        out[p] = steps[j] * total - other[j, r]
