"""How a method looks at a graph: as it is, or at a directed one by the roles of its nodes (`spaces/roles.py`).

What a method learns, scores and searches is in its own view; what users ask and are told is in the graph's pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from pulink.errors import ParameterError
from pulink.graph.graph import Graph
from pulink.graph.spaces.roles import nodes_of, role_graph, roles
from pulink.predictor.fitting.fit_run import FitRun, Learned, Validation
from pulink.text import counted

if TYPE_CHECKING:
    from pulink.predictor.search_scope import SearchScope

Pairs = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float64]


def without_nan(scores: Scores, model: object) -> Scores:
    """Scores by which pairs can be put in order."""
    if n_without := int(np.isnan(scores).sum()):
        what = f"{n_without:,} of {counted(len(scores), 'pair')}"
        raise ParameterError(
            f"{type(model).__name__} gave {what} the score NaN, which is no number: a method must score every pair"
        )
    return scores


class StructureView(ABC):
    """A model whose `_learn`, `_pair_scores` and `_best_pairs` work on its view of a graph.

    by_roles  how it sees a directed graph: by the roles of its nodes, "apart" or "linked"; None: as it is
    """

    by_roles: ClassVar[str | None] = None

    graph_: Graph
    _viewed: tuple[Graph, Graph] | None = None

    @abstractmethod
    def _pair_scores(self, pairs: npt.NDArray[np.int64]) -> Scores:
        """Logits of pairs (k x 2) of the view."""

    @abstractmethod
    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[Pairs, SearchScope]:
        """The best unconnected pairs of the view, best first, and what they were searched among."""

    @abstractmethod
    def _learn(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        """Train on the view, and return all that was learned; the model itself stays as it is."""

    def _sees_roles(self, graph: Graph) -> bool:
        return graph.is_directed and self.by_roles is not None

    def _view(self, graph: Graph) -> Graph:
        """A graph as this method sees it."""
        if not self._sees_roles(graph):
            return graph
        if self._viewed is None or self._viewed[0] is not graph:
            self._viewed = graph, role_graph(graph, linked=self.by_roles == "linked")
        return self._viewed[1]

    @property
    def _structure(self) -> Graph:
        """The fitted graph as this method sees it."""
        return self._view(self.graph_)

    def _scores_of(self, pairs: npt.NDArray[np.integer]) -> Scores:
        """Logits of pairs of the graph (k x 2)."""
        seen = roles(pairs) if self._sees_roles(self.graph_) else pairs
        return without_nan(self._pair_scores(seen.astype(np.int64)), self)

    def _search(self, count: int, exact_nodes: int) -> tuple[Pairs, SearchScope]:
        """The best unconnected pairs of the graph, and what they were searched among."""
        found, scope = self._best_pairs(count, exact_nodes)
        if self._sees_roles(self.graph_):
            return nodes_of(found).astype(np.int32), scope
        if self.graph_.space is not None:
            found = self.graph_.space.ordered(found).astype(np.int32)
        return found, scope

    def _learn_from(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        """Learn from a graph and hidden pairs of it."""
        if self._sees_roles(train) and validation is not None:
            edges, non_edges = (roles(pairs) for pairs in (validation.edges, validation.non_edges))
            validation = Validation(edges.astype(np.int32), non_edges.astype(np.int32))
        return self._learn(self._view(train), validation, run)
