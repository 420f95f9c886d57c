"""The K best unconnected pairs by a score of common neighbours, exactly: only pairs that have some are visited.

    score_ij = f(Σ_u A_iu w_u A_uj, i, j),  f(0, i, j) = 0,  f > 0 elsewhere

A node's row is as long as its neighbours' rows together, where a row over all nodes would be mostly zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints, symmetric_adjacency
from pulink.engine.block_sampler import sampler_in_blocks
from pulink.engine.compile import in_order
from pulink.engine.non_edges import NonEdgeSampler, PairSampler
from pulink.engine.pace import tell
from pulink.engine.random import stream_key
from pulink.engine.search.best_pairs import BestPairs, Pairs
from pulink.engine.threads import run_shares, threads_in_use

F64 = npt.NDArray[np.float64]
# Scores of pairs (k x 2) from their sums (k).
ScoreFunction = Callable[[F64, Pairs], F64]

_BUFFER = 1 << 19


def top_by_common_neighbours(
    adjacency: Adjacency, weights: F64, count: int, score: ScoreFunction | None = None
) -> Pairs:
    """The `count` best unconnected pairs two steps apart, best first; fewer if fewer exist.

    weights  w, at least 0
    score    f; None: the sum itself
    """
    if count <= 0:
        return np.empty((0, 2), dtype=np.int32)

    def scan(shares: list[tuple[int, int]]) -> BestPairs:
        best = BestPairs(count, adjacency, np.float64)
        sums = np.empty(_BUFFER + adjacency.n_nodes, dtype=np.float64)
        pairs = np.empty((len(sums), 2), dtype=np.int32)
        for begin, end in shares:
            line = begin
            while line < end:
                # Sums that equal the threshold may still enter.
                least = np.nextafter(best.threshold, -np.inf) if score is None else 0.0
                line, filled = _reached_cells(
                    adjacency.indptr, adjacency.indices, weights, (line, end), max(least, 0.0), sums, pairs
                )
                found_sums, found_pairs = sums[:filled], pairs[:filled]
                best.offer(found_sums if score is None else score(found_sums, found_pairs), found_pairs)
                tell((line - begin) / (end - begin))
        return best

    best, *others = run_shares(scan, _shares(adjacency))
    for other in others:
        best.join(other)
    return best.pairs()


def unreached_pairs(adjacency: Adjacency, reached: Pairs, count: int) -> Pairs:
    """`count` unconnected pairs that are not among `reached` (k x 2, i < j), drawn at random: they tie."""
    if count <= 0:
        return np.empty((0, 2), dtype=np.int32)
    lines = np.repeat(np.arange(adjacency.n_nodes, dtype=np.int32), np.diff(adjacency.indptr))
    edges = np.stack([lines, adjacency.indices], axis=1)[lines < adjacency.indices]
    known = np.concatenate([edges, reached])
    known = known[np.lexsort((known[:, 1], known[:, 0]))]
    taken = replace(symmetric_adjacency(known, adjacency.n_nodes), blocks=adjacency.blocks)
    sampler: PairSampler = NonEdgeSampler(taken) if taken.blocks is None else sampler_in_blocks(taken)
    return sampler.draw_distinct(count, stream_key(0, "unreached"))


def _shares(adjacency: Adjacency) -> list[tuple[int, int]]:
    """One range of nodes per thread, of about equal work."""
    degrees = np.diff(adjacency.indptr).astype(np.float64)
    work = np.concatenate([[0.0], np.cumsum(degrees[adjacency.indices])])[adjacency.indptr]
    goals = np.arange(1, threads_in_use()) * (work[-1] / threads_in_use())
    return list(pairwise([0, *np.searchsorted(work[:-1], goals).tolist(), adjacency.n_nodes]))


@in_order
def _reached_cells(
    indptr: Ints, indices: Ints, weights: F64, lines: tuple[int, int], least: float, sums: F64, pairs: Pairs
) -> tuple[int, int]:
    """Fill the buffers, line by line, with cells j > i above `least`; return the next line and how many."""
    row = np.zeros(weights.size)
    reached = np.empty(weights.size, dtype=np.int32)
    filled = 0
    for i in range(lines[0], lines[1]):
        if filled + weights.size > sums.size:
            return i, filled
        n_reached = _reach_above(indptr, indices, weights, i, row, reached)
        for k in range(n_reached):
            j = reached[k]
            if row[j] > least:
                sums[filled] = row[j]
                pairs[filled, 0] = i
                pairs[filled, 1] = j
                filled += 1
            row[j] = 0.0
    return lines[1], filled


@in_order
def _reach_above(indptr: Ints, indices: Ints, weights: F64, i: int, row: F64, reached: Ints) -> int:
    """Add the weights of the neighbours of i to the cells j > i of their neighbours; list the cells touched."""
    n_reached = 0
    for e in range(indptr[i], indptr[i + 1]):
        u = indices[e]
        if weights[u] == 0.0:
            continue
        for f in range(indptr[u + 1] - 1, indptr[u] - 1, -1):
            j = indices[f]
            if j <= i:
                break
            if row[j] == 0.0:
                reached[n_reached] = j
                n_reached += 1
            row[j] += weights[u]
    return n_reached
