"""Walks of three steps (Kovács et al. 2019): partners of a node's like are its likely partners.

L3     (A³)_ij
L3n    ((D^-1/2 A D^-1/2)³)_ij = (d_i d_j)^-1/2 Σ_uv A_iu A_uv A_vj / (d_u d_v)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pulink.engine.search.top_by_three_steps import top_by_three_steps
from pulink.engine.structure.walks import three_step_rows, three_step_sums
from pulink.graph.graph import Graph
from pulink.methods.heuristics.base import F64, Numbers, Pairs
from pulink.methods.heuristics.row_search import RowHeuristic


@dataclass(kw_only=True, eq=False, repr=False)
class L3(RowHeuristic):
    """The number of walks of three steps.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.L3().fit(graph).missing_links(2).select("source", "target").rows()
    [('2', '33'), ('13', '32')]
    """

    def _scores(self, graph: Graph, pairs: Numbers) -> F64:
        return three_step_sums(graph.adjacency, np.ones(graph.n_nodes), pairs)

    def _rows(self, graph: Graph, nodes: Numbers, first: int) -> F64:
        return three_step_rows(graph.adjacency, np.ones(graph.n_nodes), nodes, first)


@dataclass(kw_only=True, eq=False, repr=False)
class L3N(RowHeuristic):
    """Walks of three steps, each divided by the degrees on its way and by the roots of those at its ends.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.L3N().fit(graph).missing_links(2).select("source", "target").rows()
    [('4', '16'), ('10', '16')]
    """

    def _scores(self, graph: Graph, pairs: Numbers) -> F64:
        inverse, root = _inverse_degrees(graph)
        walks = three_step_sums(graph.adjacency, inverse, pairs)
        return np.asarray(walks * (root[pairs[:, 0]] * root[pairs[:, 1]]))

    def _top_rows(self, count: int, lines: Numbers | None) -> Pairs:
        """Where walks join enough pairs, only these are visited, with the same list."""
        adjacency = self._structure.adjacency
        if lines is None and adjacency.blocks is None:
            pairs, are_best = top_by_three_steps(adjacency, count)
            if are_best and len(pairs) == count:
                return self._best_of(pairs, count)
        return super()._top_rows(count, lines)

    def _rows(self, graph: Graph, nodes: Numbers, first: int) -> F64:
        inverse, root = _inverse_degrees(graph)
        walks = three_step_rows(graph.adjacency, inverse, nodes, first)
        return np.asarray(walks * (root[nodes][:, None] * root[first:]))


def _inverse_degrees(graph: Graph) -> tuple[F64, F64]:
    """1 / d and its root; a node without neighbours has no walks to weigh."""
    inverse = 1.0 / np.maximum(graph.degrees.astype(np.float64), 1.0)
    return inverse, np.sqrt(inverse)
