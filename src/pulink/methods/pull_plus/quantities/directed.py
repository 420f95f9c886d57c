"""What signals of a directed graph's pairs i -> j are computed from.

Two steps between the ends, of four kinds:   i -> u -> j,   i <- u <- j,   i -> u <- j,   i <- u -> j
Three steps along the direction:             i -> u <- v -> j, by the roles of nodes (`graph/spaces/roles.py`)
Singular vectors of the adjacency:           eigenvectors of the graph of roles, whose eigenvalues are ± them
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import expit

from pulink.engine.adjacency import Adjacency, index_dtype
from pulink.engine.structure.walks import two_step_sums
from pulink.engine.structure.weighted_walks import local_walks
from pulink.graph.graph import Graph
from pulink.graph.spaces.roles import role_graph, roles

F64 = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]

_RESTART, _STEPS = 0.15, 12
_NEWTON = 20
# Rows of PageRank along the direction take a product each: beyond so many nodes it is left out.
_MOST_RANKED = 10_000
_ROWS = 512


class TwoSteps(NamedTuple):
    """For each pair (k): nodes on the way, and the same over their degrees."""

    n_nodes: F64
    resource: F64


class DirectedQuantities:
    """Of one directed graph, once for all pairs."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        sources, targets = graph.edges.T
        self.out_degrees = np.bincount(sources, minlength=graph.n_nodes).astype(np.float64)
        self.in_degrees = np.bincount(targets, minlength=graph.n_nodes).astype(np.float64)

    @cached_property
    def roles(self) -> Graph:
        """The graph of roles, whose eigenvectors are the singular vectors of the adjacency."""
        return role_graph(self._graph, linked=False)

    @cached_property
    def matrix(self) -> sp.csr_array:
        """A (n x n), a row for each source."""
        n = self._graph.n_nodes
        ones = np.ones(self._graph.n_edges, dtype=np.float64)
        return sp.csr_array((ones, (self._graph.edges[:, 0], self._graph.edges[:, 1])), shape=(n, n))

    @cached_property
    def _rows(self) -> Adjacency:
        """Row 2i: whom i leads to; row 2i + 1: who leads to i; both as nodes."""
        matrix = self.matrix
        both = sp.csr_array(sp.vstack([matrix, matrix.T], format="csr"))
        n = self._graph.n_nodes
        mixed = sp.csr_array(both[np.arange(2 * n).reshape(2, n).T.ravel()])
        mixed.sort_indices()
        dtype = index_dtype(mixed.indices.size)
        return Adjacency(mixed.indptr.astype(dtype), mixed.indices.astype(np.int32))

    def two_steps(self, pairs: Pairs, first_in: bool, second_in: bool) -> TwoSteps:
        """Nodes in the rows of both ends: of those that lead to the end where `_in`, else of those it leads to."""
        ends = 2 * pairs + np.array([int(first_in), int(second_in)])
        degrees = np.maximum(self.out_degrees + self.in_degrees, 1.0)
        padded = np.concatenate([1.0 / degrees, np.zeros(len(degrees))])
        count = two_step_sums(self._rows, np.ones(2 * len(degrees)), ends)
        return TwoSteps(count, two_step_sums(self._rows, padded, ends))

    def three_steps(self, pairs: Pairs) -> tuple[F64, F64]:
        """Walks i -> u <- v -> j, and the same over the degrees of u and v in their roles."""
        walks = local_walks(self.roles.adjacency, roles(pairs))
        return walks[:, 3], walks[:, 4]

    def reverse(self, pairs: Pairs) -> F64:
        """1 where j -> i is known."""
        return self._graph.has_edges(np.ascontiguousarray(pairs[:, ::-1])).astype(np.float64)

    def degrees(self, pairs: Pairs) -> tuple[F64, F64, F64, F64]:
        """Links from i, to i, from j and to j, without their own."""
        own = self._graph.has_edges(pairs).astype(np.float64)
        i, j = pairs.T
        return self.out_degrees[i] - own, self.in_degrees[i], self.out_degrees[j], self.in_degrees[j] - own

    @cached_property
    def _turns(self) -> F64:
        """By how much logarithms of out- and in-degrees tell which way one-way links run: two weights."""
        edges = self._graph.edges
        one_way = edges[~self._graph.has_edges(np.ascontiguousarray(edges[:, ::-1]))]
        x = self._degree_steps(*self.degrees(one_way.astype(np.int64)))
        weights = np.zeros(2)
        # Newton's steps of a logistic regression without an offset: the turned link has the negative of x.
        for _ in range(_NEWTON):
            p = expit(x @ weights)
            curvature = (x * (p * (1 - p))[:, None]).T @ x + np.eye(2)
            weights = weights + np.linalg.solve(curvature, x.T @ (1 - p) - weights)
        return weights

    def orientation(self, pairs: Pairs) -> F64:
        """Log-odds, by the degrees of both ends, that a one-way link between i and j runs from i to j."""
        return np.asarray(self._degree_steps(*self.degrees(pairs)) @ self._turns)

    @staticmethod
    def _degree_steps(out_i: F64, in_i: F64, out_j: F64, in_j: F64) -> F64:
        return np.stack([np.log1p(out_i) - np.log1p(out_j), np.log1p(in_i) - np.log1p(in_j)], axis=1)

    def pagerank(self, pairs: Pairs) -> F64:
        """Where walks along the direction that restart at i are, at j; 0 on graphs that are too large for it."""
        found = np.zeros(len(pairs))
        if self._graph.n_nodes > _MOST_RANKED or not len(pairs):
            return found
        steps = sp.csr_array(self.matrix.multiply(1.0 / np.maximum(self.out_degrees, 1.0)[:, None])).T.tocsr()
        order = np.argsort(pairs[:, 0], kind="stable")
        sources, starts = np.unique(pairs[order, 0], return_index=True)
        ends_at = np.append(starts[1:], len(pairs))
        for begin in range(0, len(sources), _ROWS):
            some = sources[begin : begin + _ROWS]
            start = np.zeros((self._graph.n_nodes, len(some)), dtype=np.float32)
            start[some, np.arange(len(some))] = 1.0
            at = start
            for _ in range(_STEPS):
                at = _RESTART * start + (1 - _RESTART) * (steps @ at)
            for column in range(len(some)):
                rows = order[starts[begin + column] : ends_at[begin + column]]
                found[rows] = at[pairs[rows, 1], column]
        return found
