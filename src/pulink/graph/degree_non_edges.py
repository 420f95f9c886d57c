"""Non-edges whose ends have the degrees of edges' ends: against them, degree alone scores one half.

Ends of edges have large degrees and ends of uniform non-edges small ones, so that the product of degrees alone
scores far above one half. Here every edge (i, j) gets a non-edge (i', j'), i' and j' drawn near i and j in the
order of degrees. Both ends then come in proportion to degree, and as far apart in degree as the edges' ends are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, contains
from pulink.engine.random import random_words, stream_key, uniforms
from pulink.graph.graph import Edges
from pulink.graph.split import Split

_ATTEMPTS = 200
_WINDOW = 0.002


def degree_non_edges(split: Split, seed: int) -> Edges:
    """For each test edge a non-edge of the whole graph with ends of about the same degrees (k x 2).

    Where an edge's surroundings hold no non-edge (hubs that are all joined), the search goes further out; an edge
    without any is left out.
    """
    whole = _whole(split)
    n = whole.n_nodes
    # By degree in the training graph, which is the degree that a method sees; ties in random order.
    order = np.lexsort((random_words(stream_key(seed, "degree order"), n), split.train.degrees))
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n)
    found = np.full((len(split.test_edges), 2), -1, dtype=np.int32)
    open_ = np.arange(len(found))
    for attempt in range(_ATTEMPTS):
        if not len(open_):
            break
        reach = min(n, 2 + n * _WINDOW * (1 + attempt / 10))
        shift = (2 * uniforms(stream_key(seed, "degree shift", attempt), 2 * len(open_)) - 1) * reach
        near = _reflected(rank[split.test_edges[open_]] + np.rint(shift).astype(np.int64).reshape(-1, 2), n)
        pairs = order[near]
        free = split.train.pair_space.allowed(pairs) & ~contains(whole, pairs)
        found[open_[free]] = pairs[free]
        open_ = open_[~free]
    return found[found[:, 0] >= 0]


def _whole(split: Split) -> Adjacency:
    space = split.train.pair_space
    return space.adjacency(space.unique(np.concatenate([split.train.edges, split.hidden_edges])))


def _reflected(places: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """Places beyond either end of 0 .. n-1 come back by as much."""
    places = np.abs(places)
    return np.clip(np.where(places > n - 1, 2 * (n - 1) - places, places), 0, n - 1)
