"""Personalised PageRank, both ways: score_ij = p_i[j] + p_j[i], where p_i is where walks that restart at i are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from pulink.engine.structure.pagerank import PageRank
from pulink.errors import ParameterError
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import BIPARTITE, TYPED, UNDIRECTED
from pulink.methods.heuristics.base import F64, Numbers
from pulink.methods.heuristics.row_search import RowHeuristic
from pulink.predictor.search_scope import TooManyNodes, TooSlow

# Multiplications: a search of a few minutes on one core, and half a minute for a fit to judge itself.
_MOST_SEARCHED = 2 * 10**12
_MOST_JUDGED = 3 * 10**11
_LEAST_JUDGED = 500


@dataclass(kw_only=True, eq=False, repr=False)
class PersonalisedPageRank(RowHeuristic):
    """Personalised PageRank from each end of a pair to the other, added up.

    A source costs a product with the adjacency for each digit or so of accuracy. On large graphs `fit` therefore
    measures itself by a sample of the validation pairs, and not all pairs are searched.

    Parameters
    ----------
    alpha : float
        The probability with which a walk starts anew at each step.
    tolerance : float
        A bound of the error of p_i[j] for ends of equal degrees.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.PersonalisedPageRank().fit(graph).missing_links(2).select("source", "target").rows()
    [('0', '16'), ('2', '33')]
    """

    # Walks that go both ways do not tell which way a link runs.
    kinds: ClassVar[tuple[str, ...]] = (UNDIRECTED, BIPARTITE, TYPED)
    formula_settings: ClassVar[tuple[str, ...]] = ("alpha", "tolerance")

    alpha: float = 0.15
    tolerance: float = 1e-6

    _prepared: tuple[Graph, float, float, PageRank] | None = field(init=False, default=None)

    def _check_params(self) -> None:
        super()._check_params()
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, int | float) or not 0 < self.alpha < 1:
            raise ParameterError(f"alpha must lie between 0 and 1, got {self.alpha!r}")
        if not isinstance(self.tolerance, int | float) or not 1e-7 <= self.tolerance <= 0.1:
            raise ParameterError(f"tolerance must lie in [1e-7, 0.1], got {self.tolerance!r}")

    def _rank(self, graph: Graph) -> PageRank:
        alpha, tolerance = self._setting("alpha"), self._setting("tolerance")
        if self._prepared is None or self._prepared[0] is not graph or self._prepared[1:3] != (alpha, tolerance):
            self._prepared = graph, alpha, tolerance, PageRank(graph.adjacency, alpha, tolerance)
        return self._prepared[3]

    def _scores(self, graph: Graph, pairs: Numbers) -> F64:
        return self._rank(graph).pair_scores(pairs)

    def _rows(self, graph: Graph, nodes: Numbers, first: int) -> F64:
        return self._rank(graph).rows(nodes, first)

    def _lines(self, graph: Graph) -> Numbers | None:
        return self._rank(graph).order

    def _too_many(self, graph: Graph, exact_nodes: int) -> TooManyNodes | TooSlow | None:
        if graph.n_nodes * self._source_work(graph) > _MOST_SEARCHED:
            return TooSlow(graph.n_nodes)
        return super()._too_many(graph, exact_nodes)

    def _most_judged(self, graph: Graph) -> int | None:
        return max(_LEAST_JUDGED, _MOST_JUDGED // (2 * self._source_work(graph)))

    def _source_work(self, graph: Graph) -> int:
        return 2 * graph.n_edges * self._rank(graph).n_products
