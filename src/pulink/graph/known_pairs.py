"""What is known of pairs of a graph's nodes: recorded as edges, accepted or rejected by people, or open."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, contains
from pulink.errors import InputError
from pulink.graph.building import frozen
from pulink.graph.edge_rows import merged_edges
from pulink.graph.edge_times import EdgeTimes

if TYPE_CHECKING:
    from pulink.graph.graph import Graph
    from pulink.graph.pair_space import PairSpace

Edges = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


class KnownPairs:
    """The part of `Graph` that answers for single pairs."""

    if TYPE_CHECKING:
        edges: Edges
        absent: Edges | None
        accepted: Edges | None

        @property
        def pair_space(self) -> PairSpace: ...

        @property
        def adjacency(self) -> Adjacency: ...

    @property
    def _graph(self) -> Graph:
        return cast("Graph", self)

    @property
    def n_absent(self) -> int:
        """How many pairs are known to be no links."""
        return 0 if self.absent is None else len(self.absent)

    @property
    def n_accepted(self) -> int:
        """How many edges people accepted that nobody had recorded."""
        return 0 if self.accepted is None else len(self.accepted)

    @property
    def n_recorded(self) -> int:
        """How many edges were recorded: all but those that people accepted."""
        return len(self.edges) - self.n_accepted

    @cached_property
    def recorded(self) -> Longs:
        """The places of the recorded edges among all edges; these may be hidden, accepted ones never."""
        if self.accepted is None:
            return np.arange(len(self.edges))
        return np.flatnonzero(~self.pair_space.isin(self.edges, self.accepted))

    @cached_property
    def known_pairs(self) -> Adjacency:
        """Edges and known non-links: pairs of which nobody need ask."""
        if self.absent is None:
            return self.adjacency
        merged = self.pair_space.merge(np.concatenate([self.edges, self.absent]))
        return self.pair_space.adjacency(merged.edges)

    def has_edges(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Say for each pair whether it is an edge.

        Parameters
        ----------
        pairs : array of node numbers, k x 2
            Written either way; of a directed graph the source first.

        Returns
        -------
        array of bool, k
        """
        return contains(self.adjacency, pairs)

    def open_pairs(self, node: int) -> npt.NDArray[np.int64]:
        """Give the pairs of a node of which nobody knows whether they are links.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        array of int64, k x 2
        """
        pairs = self.pair_space.pairs_with(node)
        return pairs[~contains(self.known_pairs, pairs)]

    def is_absent(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Say for each pair whether it is known to be no link.

        Parameters
        ----------
        pairs : array of node numbers, k x 2
            Written either way.

        Returns
        -------
        array of bool, k
        """
        if self.absent is None:
            return np.zeros(len(pairs), dtype=np.bool_)
        return self.pair_space.isin(pairs, self.absent)

    def with_absent(self, pairs: object) -> Graph:
        """Give the same graph, in which these pairs are known to be no links.

        Parameters
        ----------
        pairs : list of pairs of names, array of node numbers (k x 2), or frame of two columns
            They take the place of the pairs that were known before. None of them may be an edge.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If one of the pairs is an edge.

        Examples
        --------
        >>> import pulink
        >>> graph = pulink.Graph.from_edges([[0, 1], [1, 2]], names=["Ada", "Bob", "Cleo"])
        >>> graph.with_absent([("Cleo", "Ada")]).absent.tolist()
        [[0, 2]]
        """
        from pulink.graph.pairs import resolve_absent

        unique = self.pair_space.unique(resolve_absent(self._graph, pairs))
        return replace(self._graph, absent=frozen(unique) if len(unique) else None)

    def with_accepted(self, pairs: object) -> Graph:
        """Give the graph with more edges: pairs that people looked at and took for links.

        They are no random part of the links, so a fit learns from them but never hides them. Where edges have
        weights or times, theirs are the median.

        Parameters
        ----------
        pairs : list of pairs of names, array of node numbers (k x 2), or frame of two columns
            Pairs that are edges already count as accepted from now on.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If one of the pairs cannot be a link, or is known to be none.

        Examples
        --------
        >>> import pulink
        >>> graph = pulink.Graph.from_edges([[0, 1], [1, 2]], names=["Ada", "Bob", "Cleo"])
        >>> more = graph.with_accepted([("Cleo", "Ada")])
        >>> more.n_edges, more.n_accepted, more.edges[more.recorded].tolist()
        (3, 1, [[0, 1], [1, 2]])
        """
        from pulink.graph.pairs import pair_text, resolve_pairs

        graph, space = self._graph, self.pair_space
        given = resolve_pairs(graph, pairs)
        for wrong, why in (
            (~space.allowed(given), "cannot be linked"),
            (self.is_absent(given), "is known to be no link"),
        ):
            if wrong.any():
                first = pair_text(graph, given[np.flatnonzero(wrong)[0]])
                raise InputError(f"{first} {why}, and stands among the accepted links")
        if not len(given):
            return graph
        new = space.unique(given[~self.has_edges(given)])
        before = np.empty((0, 2), dtype=np.int32) if self.accepted is None else self.accepted
        every = space.unique(np.concatenate([before, space.ordered(given)]))
        return replace(_with_edges(graph, new), accepted=frozen(every.astype(np.int32)))


def _with_edges(graph: Graph, new: npt.NDArray[np.integer]) -> Graph:
    """The graph with more edges (k x 2, none of them known), each like the median one."""
    if not len(new):
        return graph
    every, weights = np.concatenate([graph.edges, new]), None
    if graph.weights is not None:
        weights = np.concatenate([graph.weights, np.full(len(new), np.median(graph.weights), np.float32)])
    merged = merged_edges(graph.pair_space, every, weights)
    return replace(
        graph,
        edges=frozen(merged.edges),
        weights=None if merged.weights is None else frozen(merged.weights),
        times=None if graph.times is None else _times(graph, graph.times, merged.edges, new),
    )


def _times(graph: Graph, seen: EdgeTimes, edges: Edges, new: npt.NDArray[np.integer]) -> EdgeTimes:
    """When edges were seen; nobody knows it of new ones: once, at the median of first sightings."""
    codes = graph.pair_space.codes
    rows = np.concatenate([graph.edges[seen.edges], new])
    times = np.concatenate([seen.times, np.full(len(new), np.median(seen.first) if len(seen.first) else 0.0)])
    weights = None
    if seen.weights is not None:
        weights = np.concatenate([seen.weights, np.full(len(new), np.median(seen.weights), np.float32)])
    return EdgeTimes.of(np.searchsorted(codes(edges), codes(rows)), times, weights)


def still_accepted(graph: Graph, keep: npt.NDArray[np.bool_]) -> Edges | None:
    """Which accepted edges are among those that stay (m); None where none are."""
    if graph.accepted is None:
        return None
    stay = graph.accepted[graph.pair_space.isin(graph.accepted, graph.edges[keep])]
    return frozen(stay) if len(stay) else None
