"""Heuristics of the neighbours that two nodes share; N_i is the set of neighbours of i, d_i its size.

common neighbours      |N_i ∩ N_j|
Adamic-Adar            Σ_u 1 / log d_u        over u in N_i ∩ N_j
resource allocation    Σ_u 1 / d_u            over u in N_i ∩ N_j
Jaccard                |N_i ∩ N_j| / |N_i ∪ N_j|, 0 if both are empty

In a directed graph the neighbours of a source are whom it leads to, those of a target who leads to it: u is shared
if i -> u -> j. Two ends of a two-sided graph never share any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pulink.engine.search.top_by_common_neighbours import top_by_common_neighbours, unreached_pairs
from pulink.engine.search.top_by_rows import top_by_rows
from pulink.engine.structure.walks import two_step_sums
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import DIRECTED, TYPED, UNDIRECTED
from pulink.methods.heuristics.base import F64, Heuristic, Numbers, Pairs
from pulink.methods.heuristics.directed_walks import is_of_roles, walk_rows, walk_sums
from pulink.predictor.search_scope import AllPairs, SearchScope, SmallSharedNeighbours

# About a minute on one core.
_MOST_STEPS = 10**10


@dataclass(kw_only=True, eq=False, repr=False)
class SharedNeighbours(Heuristic):
    """A sum over common neighbours, or a share that rises with it; zero without any."""

    kinds: ClassVar[tuple[str, ...]] = (UNDIRECTED, DIRECTED, TYPED)

    def _weights(self, degrees: F64) -> F64:
        """What each node counts as a common neighbour."""
        return np.ones(len(degrees), dtype=np.float64)

    def _share(self, sums: F64, degrees: F64, pairs: Numbers) -> F64:  # noqa: ARG002
        """The scores of pairs (k x 2) from their sums (k)."""
        return sums

    def _scores(self, graph: Graph, pairs: Numbers) -> F64:
        degrees = graph.degrees.astype(np.float64)
        if is_of_roles(graph):
            sums = walk_sums(graph, pairs, self._weights(degrees[::2] + degrees[1::2]), 2)
        else:
            sums = two_step_sums(graph.adjacency, self._weights(degrees), pairs)
        return self._share(sums, degrees, pairs)

    def _best_directed(self, graph: Graph, count: int) -> Pairs:
        degrees = graph.degrees.astype(np.float64)
        weights = self._weights(degrees[::2] + degrees[1::2])
        columns = np.arange(graph.n_nodes)

        def rows(nodes: Numbers, first: int) -> F64:
            sums = walk_rows(graph, nodes, weights, 2)
            pairs = np.stack([np.repeat(nodes, len(columns)), np.tile(columns, len(nodes))], axis=1)
            return self._share(sums.ravel(), degrees, pairs).reshape(sums.shape)[:, first:]

        return top_by_rows(rows, graph.adjacency, count)

    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[Pairs, SearchScope]:
        graph = self._structure
        if is_of_roles(graph):
            return self._best_directed(graph, count), AllPairs()
        largest = self._largest_shared(exact_nodes)
        degrees = graph.degrees.astype(np.float64)
        weights = np.where(degrees <= largest, self._weights(degrees), 0.0)
        found = top_by_common_neighbours(
            graph.adjacency,
            weights,
            count,
            lambda sums, pairs: self._share(sums, degrees, pairs),
        )
        if largest < degrees.max():
            return self._best_of(found, count), SmallSharedNeighbours(int(largest))
        rest = unreached_pairs(graph.adjacency, found, count - len(found))
        return np.concatenate([found, rest]), AllPairs()

    def _largest_shared(self, exact_nodes: int) -> float:
        """The largest degree of common neighbours that are looked at: a hub costs the square of its degree."""
        ascending = np.sort(self._structure.degrees.astype(np.float64))
        steps = np.cumsum(ascending**2)
        if self._structure.n_nodes <= exact_nodes or steps[-1] <= _MOST_STEPS:
            return float(ascending[-1])
        return float(ascending[max(0, int(np.searchsorted(steps, _MOST_STEPS)) - 1)])


@dataclass(kw_only=True, eq=False, repr=False)
class CommonNeighbours(SharedNeighbours):
    """How many neighbours two nodes share.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.CommonNeighbours().fit(graph).missing_links(2).select("source", "target").rows()
    [('2', '33'), ('0', '33')]
    """


@dataclass(kw_only=True, eq=False, repr=False)
class AdamicAdar(SharedNeighbours):
    """Common neighbours, each divided by the logarithm of its degree (Adamic and Adar 2003).

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.AdamicAdar().fit(graph).missing_links(2).select("source", "target").rows()
    [('2', '33'), ('0', '33')]
    """

    def _weights(self, degrees: F64) -> F64:
        # A node of degree 1 stands between nobody.
        return np.where(degrees > 1, 1.0 / np.log(np.maximum(degrees, 2.0)), 0.0)


@dataclass(kw_only=True, eq=False, repr=False)
class ResourceAllocation(SharedNeighbours):
    """Common neighbours, each divided by its degree (Zhou, Lü and Zhang 2009).

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.ResourceAllocation().fit(graph).missing_links(2).select("source", "target").rows()
    [('2', '33'), ('0', '33')]
    """

    def _weights(self, degrees: F64) -> F64:
        return 1.0 / np.maximum(degrees, 1.0)


@dataclass(kw_only=True, eq=False, repr=False)
class Jaccard(SharedNeighbours):
    """The share of common neighbours among all neighbours of the two nodes.

    See Also
    --------
    pulink.predictor.predictor.LinkPredictor : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> pulink.Jaccard().fit(graph).missing_links(2).select("source", "target").rows()
    [('15', '18'), ('18', '22')]
    """

    def _share(self, sums: F64, degrees: F64, pairs: Numbers) -> F64:
        either = degrees[pairs[:, 0]] + degrees[pairs[:, 1]] - sums
        return np.asarray(sums / np.maximum(either, 1.0))
