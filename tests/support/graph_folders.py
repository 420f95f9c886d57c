"""Graph folders made of graphs that are in memory."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from pulink.graph.graph import Graph
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.persistence.sharded_names import COUNTED, TEXT
from pulink.persistence.sharded_writing import Files, Rows, seal, write_range


def graph_folder(graph: Graph, folder: Path, ranges: list[int]) -> ShardedGraph:
    """All of an undirected graph with dense features; its names must be in the order of their bytes."""
    files: Files = {}
    adjacency = graph.adjacency
    for k, (first, end) in enumerate(pairwise(ranges)):
        low, high = int(adjacency.indptr[first]), int(adjacency.indptr[end])
        rows = Rows(
            np.asarray(adjacency.indptr[first : end + 1]) - low,
            adjacency.indices[low:high],
            None if adjacency.values is None else adjacency.values[low:high],
        )
        names = graph.names[first:end] if graph.names.given else None
        features = None if graph.features is None else np.asarray(graph.features[first:end])
        files |= write_range(folder, k, rows, names, features)
    return seal(
        folder,
        files,
        ranges=ranges,
        n_edges=graph.n_edges,
        mean_weight=None if graph.weights is None else float(graph.weights.mean(dtype=np.float64)),
        feature_names=None
        if graph.features is None
        else graph.feature_names or [f"x{k}" for k in range(graph.n_features)],
        ends=graph.ends,
        called=TEXT if graph.names.given else COUNTED,
        cleaning=graph.cleaning,
    )
