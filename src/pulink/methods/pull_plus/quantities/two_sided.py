"""What signals of pairs with a first and a second side are computed from: users and items, sources and targets.

ease     the closed form of EASE by rows and by columns, for two penalties; a solve on the smaller side
exponent walks of three steps in which only the nodes of one side count less by their degree
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.search.best_pairs import best_first
from pulink.engine.structure.regression.ease import ease
from pulink.engine.structure.walks import three_step_sums
from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]

PENALTIES = (20.0, 100.0)
# The smaller side's inverse grows with the cube, and all scores are held: beyond these sizes EASE is left out.
_MOST_SOLVED, _MOST_CELLS = 3_000, 30_000_000


class TwoSidedQuantities:
    """Of one graph, once for all pairs: a bipartite one, or a directed one with sources and targets."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        n = graph.n_nodes
        space = graph.pair_space
        if isinstance(space, TypedPairs):
            a, b = space.between[0]
            self._first, self._second = (np.flatnonzero(space.types == side) for side in (a, b))
        else:
            self._first = self._second = np.arange(n)
        self._place = np.zeros((2, n), dtype=np.int64)
        self._place[0, self._first] = np.arange(len(self._first))
        self._place[1, self._second] = np.arange(len(self._second))

    @property
    def has_ease(self) -> bool:
        """Whether EASE is affordable."""
        a, b = len(self._first), len(self._second)
        return 0 < min(a, b) <= _MOST_SOLVED and a * b <= _MOST_CELLS

    @cached_property
    def _ease(self) -> list[F32]:
        rows, columns = self._place[0, self._graph.edges[:, 0]], self._place[1, self._graph.edges[:, 1]]
        shape = len(self._first), len(self._second)
        links = sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        return [scores for penalty in PENALTIES for scores in ease(links, penalty)]

    def ease(self, pairs: Pairs, number: int) -> F64:
        """By columns and by rows for each penalty in turn; 0 where it is not affordable."""
        if not self.has_ease:
            return np.zeros(len(pairs))
        rows, columns = self._place[0, pairs[:, 0]], self._place[1, pairs[:, 1]]
        return np.asarray(self._ease[number][rows, columns], dtype=np.float64)

    def best_by_ease(self, count: int) -> npt.NDArray[np.int32]:
        """The best pairs by the sum of both sides' scores, each divided by its deviation."""
        both = [scores / max(float(scores.std()), 1e-12) for scores in self._ease[-2:]]
        total = both[0] + both[1]
        rows, columns = self._place[0, self._graph.edges[:, 0]], self._place[1, self._graph.edges[:, 1]]
        total[rows, columns] = -np.inf
        if self._graph.is_directed:
            np.fill_diagonal(total, -np.inf)
        count = min(count, int(np.isfinite(total).sum()))
        if count <= 0:
            return np.empty((0, 2), dtype=np.int32)
        cells = np.argpartition(total.ravel(), total.size - count)[total.size - count :]
        line, column = np.divmod(cells, total.shape[1])
        pairs = np.stack([self._first[line], self._second[column]], axis=1).astype(np.int32)
        return pairs[best_first(total.ravel()[cells], pairs)]

    def walks(self, pairs: Pairs, by_first: bool) -> F64:
        """Walks of three steps in which nodes of one side count over their degree, those of the other whole."""
        degrees = np.maximum(self._graph.degrees.astype(np.float64), 1.0)
        side = self._first if by_first else self._second
        weights = np.ones(self._graph.n_nodes)
        weights[side] = 1.0 / degrees[side]
        return three_step_sums(self._graph.adjacency, weights, pairs)
