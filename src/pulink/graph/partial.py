"""A graph of which something is left out: directions, some edges, or all that came after a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pulink.errors import InputError
from pulink.graph.building import frozen
from pulink.graph.edge_rows import Cleaning, merged_edges
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.known_pairs import still_accepted
from pulink.graph.pair_space import UndirectedPairs
from pulink.graph.spaces.typed_pairs import TypedPairs

if TYPE_CHECKING:
    from pulink.graph.graph import Graph


def undirected_twin(graph: Graph) -> Graph:
    """The same nodes, and each pair once, whichever way its links run; the larger of two weights."""
    edges, weights, _, _ = merged_edges(UndirectedPairs(graph.n_nodes), graph.edges, graph.weights)
    return replace(
        graph,
        edges=frozen(edges),
        weights=None if weights is None else frozen(weights),
        space=None,
        absent=None,
        times=None,
        accepted=None,
        cleaning=Cleaning(),
    )


def with_some_edges(graph: Graph, keep: npt.NDArray[np.bool_]) -> Graph:
    """The same nodes and some of the edges (m)."""
    return replace(
        graph,
        edges=frozen(graph.edges[keep]),
        weights=None if graph.weights is None else frozen(graph.weights[keep]),
        cleaning=Cleaning(n_rows=int(keep.sum())),
        times=None if graph.times is None else graph.times.of_edges(keep),
        accepted=still_accepted(graph, keep),
    )


def seen_times(graph: Graph) -> EdgeTimes:
    """When edges were seen; refused where nobody knows."""
    if graph.times is None:
        raise InputError("the edges have no times: read them with a time column")
    return graph.times


def known_before(graph: Graph, time: float) -> Graph:
    """What was seen before a time; the weight of an edge is the largest that it had until then."""
    past = seen_times(graph).before(time)
    keep = np.bincount(past.edges, minlength=graph.n_edges) > 0
    times = past.of_edges(keep)
    found = replace(with_some_edges(graph, keep), times=times)
    if times.largest_weights is not None:
        found = replace(found, weights=frozen(times.largest_weights))
    if isinstance(graph.space, TypedPairs):
        found = replace(found, space=graph.space.before(time))
    return found
