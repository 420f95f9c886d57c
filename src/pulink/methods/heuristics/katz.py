"""Katz (1953), cut after three steps.

score_ij = β A_ij + β² (A²)_ij + β³ (A³)_ij        in a directed graph, walks along the direction
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pulink.engine.structure.walks import three_step_rows, three_step_sums, two_step_rows, two_step_sums
from pulink.graph.graph import Graph
from pulink.methods.heuristics.base import F64, Numbers
from pulink.methods.heuristics.directed_walks import is_of_roles, walk_rows, walk_sums
from pulink.methods.heuristics.row_search import RowHeuristic
from pulink.predictor.parameters import check_positive


@dataclass(kw_only=True, eq=False, repr=False)
class Katz(RowHeuristic):
    """Walks of up to three steps, each step damped.

    Parameters
    ----------
    beta : float
        What a walk is multiplied by for each of its steps.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.Katz().fit(graph).missing_links(2).select("source", "target").rows()
    [('2', '33'), ('0', '33')]
    """

    formula_settings: ClassVar[tuple[str, ...]] = ("beta",)

    beta: float = 0.005

    def _check_params(self) -> None:
        super()._check_params()
        check_positive("beta", self.beta)

    def _scores(self, graph: Graph, pairs: Numbers) -> F64:
        ones = np.ones(graph.n_nodes)
        one = graph.has_edges(pairs).astype(np.float64)
        if is_of_roles(graph):
            return self._damped(one, *(walk_sums(graph, pairs, ones[::2], n_steps) for n_steps in (2, 3)))
        return self._damped(
            one, two_step_sums(graph.adjacency, ones, pairs), three_step_sums(graph.adjacency, ones, pairs)
        )

    def _rows(self, graph: Graph, nodes: Numbers, first: int) -> F64:
        ones = np.ones(graph.n_nodes)
        if is_of_roles(graph):
            walks = (walk_rows(graph, nodes, ones[::2], n_steps)[:, first:] for n_steps in (2, 3))
            return self._damped(0.0, *walks)
        two = two_step_rows(graph.adjacency, ones, nodes, first)
        return self._damped(0.0, two, three_step_rows(graph.adjacency, ones, nodes, first))

    def _damped(self, one: F64 | float, two: F64, three: F64) -> F64:
        beta = self._setting("beta")
        return np.asarray(beta * one + beta**2 * two + beta**3 * three)
