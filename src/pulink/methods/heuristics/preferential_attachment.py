"""Preferential attachment: score_ij = d_i d_j, the product of the degrees (Barabási and Albert 1999)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pulink.engine.search.best_pairs import BestPairs
from pulink.engine.search.top_by_rows import top_by_rows
from pulink.graph.graph import Graph
from pulink.methods.heuristics.base import F64, Heuristic, Numbers, Pairs
from pulink.predictor.search_scope import AllPairs

_CELLS = 1 << 20


@dataclass(kw_only=True, eq=False, repr=False)
class PreferentialAttachment(Heuristic):
    """The product of the degrees.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.PreferentialAttachment().fit(graph).missing_links(2).select("source", "target").rows()
    [('0', '33'), ('0', '32')]
    """

    def _scores(self, graph: Graph, pairs: Numbers) -> F64:
        degrees = graph.degrees.astype(np.float64)
        return degrees[pairs[:, 0]] * degrees[pairs[:, 1]]

    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[Pairs, AllPairs]:  # noqa: ARG002 (always exact)
        if self._structure.adjacency.blocks is None:
            return _top_products(self._structure, count), AllPairs()
        degrees = self._structure.degrees.astype(np.float64)
        found = top_by_rows(
            lambda nodes, first: np.outer(degrees[nodes], degrees[first:]), self._structure.adjacency, count
        )
        return found, AllPairs()


def _top_products(graph: Graph, count: int) -> Pairs:
    """Nodes by descending degree, until the largest product that is left cannot reach the list.

    In float64, and not by `top_by_embedding`: products of degrees are whole numbers that float32 would round.
    """
    if count == 0:
        return np.empty((0, 2), dtype=np.int32)
    nodes = np.argsort(-graph.degrees, kind="stable").astype(np.int32)
    degrees = graph.degrees[nodes].astype(np.float64)
    position = np.empty(len(nodes), dtype=np.int32)
    position[nodes] = np.arange(len(nodes), dtype=np.int32)
    best = BestPairs(count, graph.adjacency, np.float64)
    line = 0
    while line + 1 < len(nodes) and degrees[line] * degrees[line + 1] >= best.threshold:
        n_columns = int(np.searchsorted(-degrees[line] * degrees, -best.threshold, side="right")) - line
        end = min(len(nodes), line + max(1, _CELLS // n_columns))
        columns = slice(line, line + n_columns)
        best.collect(np.outer(degrees[line:end], degrees[columns]), nodes[line:end], nodes[columns], position)
        line = end
    return best.pairs()
