"""What one worker holds of a graph: the rows of its own nodes, whole, and nothing of any others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.distributed.shards import Shards
from pulink.graph.features import Features
from pulink.graph.graph import Graph


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
