"""Power-law graphs of any size, generated from a seed: for time and memory, never for accuracy."""

from __future__ import annotations

import numpy as np

from pulink.engine.random import permutation, stream_key, uniforms
from pulink.graph.graph import Graph

_CHUNK = 1 << 23
_FEATURE_ROWS = 1 << 16


def power_law_graph(n_edges: int, n_nodes: int, seed: int = 0, n_features: int = 0) -> Graph:
    """Both ends of an edge are drawn with probabilities that fall as rank^-1/2: degrees have a power-law tail.

    Repeats and loops are dropped, so there are somewhat fewer edges than asked for.
    """
    ends = np.empty((n_edges, 2), dtype=np.int32)
    for side in (0, 1):
        key = stream_key(seed, "ends", side)
        for start in range(0, n_edges, _CHUNK):
            count = min(_CHUNK, n_edges - start)
            # The square of a uniform number has a density that falls as x^-1/2.
            ends[start : start + count, side] = (n_nodes * uniforms(key, count, start) ** 2).astype(np.int32)
    features = None
    if n_features:
        key = stream_key(seed, "features")
        features = np.empty((n_nodes, n_features), dtype=np.float32)
        for start in range(0, n_nodes, _FEATURE_ROWS):
            rows = features[start : start + _FEATURE_ROWS]
            rows[:] = uniforms(key, rows.size, start * n_features).reshape(rows.shape)
    return Graph.from_edges(ends, n_nodes, features=features)


def sized_graph(n_edges: int, n_nodes: int, n_features: int, seed: int = 0) -> Graph:
    """A power-law graph with exactly so many edges; for graphs so sparse that few draws repeat."""
    graph = power_law_graph(round(1.1 * n_edges), n_nodes, seed, n_features)
    keep = np.zeros(graph.n_edges, dtype=np.bool_)
    keep[permutation(stream_key(seed, "keep"), graph.n_edges)[:n_edges]] = True
    return graph.keep_edges(keep)
