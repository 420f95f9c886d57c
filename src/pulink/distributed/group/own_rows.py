"""What one worker holds of a graph: the rows of its own nodes, whole, and nothing of any others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.shards import Shards, node_cost, shard_goals
from pulink.errors import InputError
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.persistence.sharded_graph import ShardedGraph


@dataclass(frozen=True, eq=False)
class OwnRows:
    """Rows of an undirected graph; an edge with ends of two workers is in the rows of both.

    shards    of the whole graph
    own       which of them are here
    indptr    one more than there are rows
    indices   neighbours, by their numbers in the whole graph; ascending in each row, never the node itself
    weights   of the entries; None: all are 1
    features  of these rows; None if the graph has none
    n_edges   of the whole graph
    """

    shards: Shards
    own: range
    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32] | None
    features: Features | None
    n_edges: int

    @property
    def first(self) -> int:
        """The number of the first row in the whole graph."""
        return int(self.shards.bounds[self.own.start])

    @property
    def n_rows(self) -> int:
        return self.indptr.size - 1

    @property
    def local_bounds(self) -> npt.NDArray[np.int64]:
        """Of the own shards, in numbers of rows."""
        bounds = self.shards.bounds[self.own.start : self.own.stop + 1]
        return np.asarray(bounds - bounds[0])

    @property
    def degrees(self) -> npt.NDArray[np.int64]:
        """Neighbours of each row."""
        return np.diff(self.indptr)


def own_rows(graph: Graph, shards: Shards, own: range) -> OwnRows:
    """The rows of some shards of a graph that is here as a whole."""
    first, end = int(shards.bounds[own.start]), int(shards.bounds[own.stop])
    adjacency = graph.adjacency
    low, high = int(adjacency.indptr[first]), int(adjacency.indptr[end])
    return OwnRows(
        shards=shards,
        own=own,
        indptr=adjacency.indptr[first : end + 1].astype(np.int64) - low,
        indices=np.array(adjacency.indices[low:high]),
        weights=None if adjacency.values is None else np.array(adjacency.values[low:high]),
        features=None if graph.features is None else graph.features[first:end],
        n_edges=graph.n_edges,
    )


def own_rows_of(sharded: ShardedGraph, shards: Shards, own: range) -> OwnRows:
    """The same of a graph folder, of which no other rows are read."""
    first, end = int(shards.bounds[own.start]), int(shards.bounds[own.stop])
    indptr, indices, weights = sharded.rows(first, end)
    return OwnRows(shards, own, indptr, indices, weights, sharded.features(first, end), sharded.n_edges)


def shards_of(sharded: ShardedGraph) -> Shards:
    """`Shards.of_degrees` of a graph folder, range by range."""
    n_nodes = sharded.n_nodes
    goals, each = shard_goals(2 * sharded.n_edges, n_nodes), node_cost(2 * sharded.n_edges, n_nodes)
    bounds = np.zeros(len(goals), dtype=np.int64)
    n_before, placed = 0, 0
    for first, end in pairwise(sharded.ranges):
        costs = np.concatenate([[n_before], n_before + np.cumsum(sharded.degrees(first, end) + each)])
        reached = int(np.searchsorted(goals, costs[-1], side="right"))
        bounds[placed:reached] = first + np.searchsorted(costs, goals[placed:reached])
        n_before, placed = int(costs[-1]), reached
    if placed < len(goals):
        raise InputError(f"{sharded.folder}: is damaged (its rows hold other edges than graph.json says)")
    bounds[-1] = n_nodes
    return Shards(bounds)
