"""The best pairs by a heuristic that gives every pair of a connected graph a score: whole rows are searched."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from pulink.engine.search.top_by_common_neighbours import top_by_common_neighbours
from pulink.engine.search.top_by_rows import top_by_rows
from pulink.graph.graph import Graph
from pulink.methods.heuristics.base import F64, Heuristic, Numbers, Pairs
from pulink.predictor.search_scope import AllPairs, HubsAndNear, SearchScope, TooManyNodes, TooSlow

_HUBS = 100
_FACTOR = 5
_MOST_SHARED = 100


@dataclass(kw_only=True, eq=False, repr=False)
class RowHeuristic(Heuristic):
    """All pairs are searched row by row, or, where that would take too long, rows of hubs and pairs near by."""

    @abstractmethod
    def _rows(self, graph: Graph, nodes: Numbers, first: int) -> F64:
        """Scores of `nodes` (b) with the nodes from `first` on (b x (n - first)), connected pairs aside."""

    def _lines(self, graph: Graph) -> Numbers | None:  # noqa: ARG002 (for those who need an order)
        """Nodes in the order in which one is preferred as the source of a pair's score; None: by number."""
        return None

    def _too_many(self, graph: Graph, exact_nodes: int) -> TooManyNodes | TooSlow | None:
        """Why not all pairs are searched; None if they are."""
        return None if graph.n_nodes <= exact_nodes else TooManyNodes(graph.n_nodes, exact_nodes)

    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[Pairs, SearchScope]:
        graph = self._structure
        reason = self._too_many(graph, exact_nodes)
        if reason is None:
            return self._top_rows(count, self._lines(graph)), AllPairs()
        hubs = np.argsort(-graph.degrees, kind="stable")[:_HUBS]
        n_near = max(_FACTOR * count, 1_000)
        degrees = graph.degrees.astype(np.float64)
        # A hub in the middle costs the square of its degree, and says little about its pairs.
        weights = np.where(degrees <= _MOST_SHARED, 1.0 / np.maximum(degrees, 1.0), 0.0)
        near = top_by_common_neighbours(graph.adjacency, weights, n_near)
        found = self._best_of(np.concatenate([self._top_rows(count, hubs), near]), count)
        return found, HubsAndNear(_HUBS, n_near, reason)

    def _top_rows(self, count: int, lines: Numbers | None) -> Pairs:
        graph = self._structure
        return top_by_rows(
            lambda nodes, first: self._rows(graph, nodes, first), graph.adjacency, count, lines=lines
        )
