"""Power-law graphs of any size, generated from a seed."""

from __future__ import annotations

import numpy as np

import pulink
from pulink.engine.random import stream_key, uniforms

_CHUNK = 1 << 23


def power_law_graph(n_edges: int, n_nodes: int, seed: int = 0, n_features: int = 0) -> pulink.Graph:
    """Both ends of an edge are drawn with chances that fall as rank^-1/2: degrees have a power-law tail.

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
        for start in range(0, n_nodes, 65_536):
            rows = features[start : start + 65_536]
            rows[:] = uniforms(key, rows.size, start * n_features).reshape(rows.shape)
    return pulink.Graph.from_edges(ends, n_nodes, features=features)
