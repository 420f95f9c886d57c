"""Non-edges whose ends have the degrees of edges' ends: against them, degree alone scores one half.

Ends of edges have large degrees and ends of uniform non-edges small ones, so that the product of degrees alone
scores far above one half. Here every edge (i, j) gets a non-edge (i', j'), i' and j' drawn near i and j in the
order of degrees. Both ends then come in proportion to degree, and as far apart in degree as the edges' ends are.

Where links have a direction, sources are drawn by how many links they send and targets by how many they receive;
where nodes have types, i' is of the type of i, and j' of that of j.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, contains
from pulink.engine.random import random_words, stream_key, uniforms
from pulink.graph.graph import Edges, Graph
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.graph.split import Split

Longs = npt.NDArray[np.int64]

_ATTEMPTS = 200
_WINDOW = 0.002


def degree_non_edges(split: Split, seed: int) -> Edges:
    """For each test edge a non-edge of the whole graph with ends of about the same degrees (k x 2).

    Where an edge's surroundings hold no non-edge (hubs that are all joined), the search goes further out; an edge
    without any is left out.
    """
    whole = _whole(split)
    n = whole.n_nodes
    types = _types(split.train)
    # By degree in the training graph, which is the degree that a method sees; ties in random order.
    ties = random_words(stream_key(seed, "degree order"), n)
    orders = [np.lexsort((ties, degrees, types)) for degrees in _degrees(split.train)]
    ranks = [_inverse(order) for order in orders]
    starts, sizes = _groups(types)
    found = np.full((len(split.test_edges), 2), -1, dtype=np.int32)
    open_ = np.arange(len(found))
    for attempt in range(_ATTEMPTS):
        if not len(open_):
            break
        ends = split.test_edges[open_]
        reach = np.minimum(sizes, 2 + sizes * _WINDOW * (1 + attempt / 10))[types[ends]]
        drawn = 2 * uniforms(stream_key(seed, "degree shift", attempt), 2 * len(open_)) - 1
        shift = np.rint(drawn.reshape(-1, 2) * reach).astype(np.int64)
        pairs = np.empty((len(open_), 2), dtype=np.int64)
        for end, (order, rank) in enumerate(zip(orders, ranks, strict=True)):
            group = types[ends[:, end]]
            place = rank[ends[:, end]] - starts[group] + shift[:, end]
            pairs[:, end] = order[starts[group] + _reflected(place, sizes[group])]
        free = split.train.pair_space.allowed(pairs) & ~contains(whole, pairs)
        found[open_[free]] = pairs[free]
        open_ = open_[~free]
    return found[found[:, 0] >= 0]


def _whole(split: Split) -> Adjacency:
    space = split.train.pair_space
    return space.adjacency(space.unique(np.concatenate([split.train.edges, split.hidden_edges])))


def _types(train: Graph) -> Longs:
    """The type of each node; one for all where they have none."""
    if isinstance(train.pair_space, TypedPairs):
        return train.pair_space.types.astype(np.int64)
    return np.zeros(train.n_nodes, dtype=np.int64)


def _degrees(train: Graph) -> list[Longs]:
    """By which first and second ends of pairs are ordered."""
    if not train.is_directed:
        return [train.degrees, train.degrees]
    return [np.bincount(train.edges[:, end], minlength=train.n_nodes).astype(np.int64) for end in (0, 1)]


def _groups(types: Longs) -> tuple[Longs, Longs]:
    """Where the nodes of each type begin when all are sorted by type, and how many there are."""
    sizes = np.bincount(types).astype(np.int64)
    return np.cumsum(sizes) - sizes, sizes


def _inverse(order: Longs) -> Longs:
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def _reflected(places: Longs, sizes: Longs) -> Longs:
    """Places beyond either end of 0 .. size-1 come back by as much."""
    places = np.abs(places)
    return np.clip(np.where(places > sizes - 1, 2 * (sizes - 1) - places, places), 0, sizes - 1)
