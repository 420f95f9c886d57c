"""The K best unconnected pairs by degree-normalised walks of three steps, of pairs that such walks join.

    score_ij = Σ_uv A_iu A_uv A_vj / (d_u d_v sqrt(d_i d_j))

Walks from 16 nodes at a time are followed in float32, and only where they lead. Of what they reach, cells that may
be among the K best (float32 errs by less than a known share, since nothing is subtracted) are scored again in
float64: the list is exact. Where that takes too many steps, walks through the nodes of largest degree are not
followed: each of them adds at most 1 / d_u, and they cost the square of it. Then half as many pairs again as asked
for are scored again, by all of their walks, and the list is good but not exact: of the 500,000 best pairs of a
graph of 50,000 nodes and 250,000 edges, half of these within groups, 0.94 were found past nodes of degree 19 and
more, and 0.98 past those of 33 and more.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints, contains
from pulink.engine.compile import in_order
from pulink.engine.neighbour_rows import SINGLE_LANES
from pulink.engine.pace import paced
from pulink.engine.search.best_pairs import Pairs, best_first
from pulink.engine.structure.locality import community_order, renumbered
from pulink.engine.structure.walks import three_step_sums
from pulink.engine.threads import run_shares, threads_in_use
from pulink.engine.vector_rows import row_add

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

_SPARE = 1.5
_ROUNDING = 2.0**-24


def top_by_three_steps(adjacency: Adjacency, count: int, most_steps: float = math.inf) -> tuple[Pairs, bool]:
    """The `count` best pairs, best first, fewer if walks join fewer; and whether they are exactly the best.

    most_steps  how many steps may be taken from each node, over all nodes; beyond it hubs are not passed
    They are not exact either where more pairs tie than can be kept.
    """
    degrees = np.maximum(np.diff(adjacency.indptr), 1)
    if count <= 0 or not adjacency.indices.size:
        return np.empty((0, 2), dtype=np.int32), True
    weights = _followed(adjacency, degrees, most_steps)
    is_whole = bool((weights > 0).all())
    n_kept = count if is_whole else int(_SPARE * count)
    # Two sums and a few products and roots, each of which rounds once.
    error = (2 * int(degrees.max()) + 16) * 2 * _ROUNDING if is_whole else 0.0

    # Neighbours of neighbours are then those of many of the 16 nodes.
    order = community_order(adjacency)
    walked = renumbered(adjacency, order)

    def scan(shares: list[tuple[int, int]]) -> _Kept:
        kept = _Kept(adjacency, order.astype(np.int32), n_kept, error)
        walks = _Walks(walked, weights[order], kept)
        for begin, end in shares:
            for first in paced(range(begin, end, SINGLE_LANES)):
                walks.follow(first, min(first + SINGLE_LANES, end))
        walks.hand_over()
        return kept

    first, *others = run_shares(scan, _shares(adjacency.n_nodes))
    for other in others:
        first.add(other.scores, other.pairs)
    was_cut = first.cut()
    root = np.sqrt(degrees.astype(np.float64))
    pairs = first.pairs
    scores = three_step_sums(adjacency, 1.0 / degrees, pairs) / root[pairs[:, 0]] / root[pairs[:, 1]]
    return pairs[best_first(scores, pairs)[:count]], is_whole and not was_cut


def _followed(adjacency: Adjacency, degrees: Ints, most_steps: float) -> F32:
    """1 / d for nodes that walks may pass, 0 for others: so many hubs that all takes at most `most_steps`."""
    lines = np.repeat(np.arange(adjacency.n_nodes), np.diff(adjacency.indptr))
    largest = int(degrees.max(initial=1))
    while True:
        passed = degrees <= largest
        ends = np.where(passed, degrees, 0).astype(np.float64)
        behind = np.bincount(lines, ends[adjacency.indices], minlength=len(degrees))
        if float((ends * behind).sum()) <= most_steps or largest <= 2:
            return np.where(passed, 1.0 / degrees, 0.0).astype(np.float32)
        largest = largest * 3 // 4


def _shares(n_nodes: int) -> list[tuple[int, int]]:
    """One range of nodes per thread, whole blocks, of equal work: the first lines are the longest."""
    parts = np.arange(threads_in_use() + 1) / threads_in_use()
    n_blocks = -(-n_nodes // SINGLE_LANES)
    cuts = np.round(n_blocks * (1 - np.sqrt(1 - parts))).astype(int) * SINGLE_LANES
    return list(pairwise(np.minimum(cuts, n_nodes).tolist()))


class _Kept:
    """Pairs that may be among the best, with scores that err by a share of at most `error`.

    order  the nodes, by the numbers that walks know them by
    least  scores below it cannot be
    """

    def __init__(self, excluded: Adjacency, order: Pairs, count: int, error: float) -> None:
        self._excluded, self._order, self._count, self._error = excluded, order, count, error
        self.scores = np.empty(0, dtype=np.float32)
        self.pairs = np.empty((0, 2), dtype=np.int32)
        self.least = np.float32(np.finfo(np.float32).tiny)
        self.room = max(1 << 16, 2 * count)
        self._was_cut = False

    def offer(self, scores: F32, pairs: Pairs) -> None:
        """Pairs of walks' numbers enter, if they are unconnected and may be linked."""
        pairs = np.sort(self._order[pairs], axis=1)
        free = ~contains(self._excluded, pairs)
        if self._excluded.blocks is not None:
            free &= self._excluded.blocks.allowed(pairs)
        self.add(scores[free], pairs[free])

    def add(self, scores: F32, pairs: Pairs) -> None:
        scores, pairs = np.concatenate([self.scores, scores]), np.concatenate([self.pairs, pairs])
        if len(scores) > self._count:
            last = np.partition(scores, len(scores) - self._count)[len(scores) - self._count]
            self.least = np.float32(last * (1.0 - 2.0 * self._error))
            enough = scores >= self.least
            scores, pairs = scores[enough], pairs[enough]
        self.scores, self.pairs = scores, pairs
        if len(scores) > self._count + self.room:
            self._cut()

    def cut(self) -> bool:
        """Cut a list whose errors are unknown to its length; say if what may be best was ever left out."""
        if self._error == 0.0:
            self._cut()
        return self._was_cut

    def _cut(self) -> None:
        self._was_cut = True
        best = best_first(self.scores, self.pairs)[: self._count]
        self.scores, self.pairs = self.scores[best], self.pairs[best]


class _Walks:
    """Walks from some nodes to those of higher numbers, in tables (n x 16) that are empty between calls."""

    def __init__(self, adjacency: Adjacency, weights: F32, kept: _Kept) -> None:
        self._kept = kept
        n = adjacency.n_nodes
        self._graph, self._weights = (adjacency.indptr, adjacency.indices), weights
        degrees = np.maximum(np.diff(adjacency.indptr), 1)
        self._scale = (1.0 / np.sqrt(degrees)).astype(np.float32)
        self._table, self._sums = (np.zeros((n, SINGLE_LANES), dtype=np.float32) for _ in range(2))
        self._lists = np.empty((2, n), dtype=np.int32)
        self._marks = np.zeros((2, n), dtype=np.bool_)
        self._scores = np.empty(kept.room, dtype=np.float32)
        self._pairs = np.empty((kept.room, 2), dtype=np.int32)
        self._filled = 0

    def follow(self, first: int, end: int) -> None:
        """Collect what three steps from the nodes `first` .. `end` - 1 reach."""
        lines = first, end
        n_reached = _follow(self._graph, self._weights, lines, self._table, self._sums, self._lists, self._marks)
        cells = self._sums, self._lists[1], self._marks[1]
        place = 0
        while place < n_reached:
            span = place, n_reached, self._filled
            place, self._filled = _take(
                self._scale, self._kept.least, lines, span, cells, self._scores, self._pairs
            )
            if place < n_reached:
                self.hand_over()

    def hand_over(self) -> None:
        """Offer what was collected."""
        self._kept.offer(self._scores[: self._filled], self._pairs[: self._filled])
        self._filled = 0


@in_order
def _follow(
    graph: tuple[Ints, Ints], weights: F32, lines: tuple[int, int], table: F32, sums: F32,
    lists: npt.NDArray[np.int32], marks: npt.NDArray[np.bool_],
) -> int:  # fmt: skip
    """Add up walks from the lines to the cells above the first of them; list the rows reached, say how many."""
    indptr, indices = graph
    n_passed = 0
    for i in range(lines[0], lines[1]):
        for e in range(indptr[i], indptr[i + 1]):
            u = indices[e]
            if weights[u] == 0:
                continue
            for f in range(indptr[u], indptr[u + 1]):
                v = indices[f]
                if weights[v] == 0:
                    continue
                if not marks[0, v]:
                    marks[0, v] = True
                    lists[0, n_passed] = v
                    n_passed += 1
                table[v, i - lines[0]] += weights[u]
    n_reached = 0
    for k in range(n_passed):
        v = lists[0, k]
        for f in range(indptr[v + 1] - 1, indptr[v] - 1, -1):
            j = indices[f]
            if j <= lines[0]:
                break
            if not marks[1, j]:
                marks[1, j] = True
                lists[1, n_reached] = j
                n_reached += 1
            row_add(sums, np.uint32(j), weights[v], table, np.uint32(v))
        marks[0, v] = False
        table[v] = 0
    return n_reached


@in_order
def _take(
    scale: F32, least: np.float32, lines: tuple[int, int], span: tuple[int, int, int],
    cells: tuple[F32, npt.NDArray[np.int32], npt.NDArray[np.bool_]], scores: F32, pairs: Pairs,
) -> tuple[int, int]:  # fmt: skip
    """Fill up the buffers with cells that reach `least`, and empty their rows; return the next row, and how full.

    span  the next row, the last one and how full the buffers are
    """
    sums, reached, marks = cells
    filled = span[2]
    for k in range(span[0], span[1]):
        if filled + sums.shape[1] > scores.size:
            return k, filled
        j = reached[k]
        for r in range(lines[1] - lines[0]):
            i = lines[0] + r
            score = sums[j, r] * scale[j] * scale[i]
            if score >= least and j > i:
                scores[filled] = score
                pairs[filled, 0] = i
                pairs[filled, 1] = j
                filled += 1
        marks[j] = False
        sums[j] = 0
    return span[1], filled
