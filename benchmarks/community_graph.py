"""Graphs of any size with communities and power-law degrees, generated from a seed: for time and for accuracy.

    P(first end = i) ∝ w_i,   w_i = min(u_i^(-1 / (γ - 1)), √n)            u_i uniform: a tail of exponent γ
    P(second end = j) ∝ w_j   within i's community, with probability `INSIDE`; among all nodes otherwise

Communities have 5 to 20 times as many nodes as the mean degree. Graphs of one mean degree differ in the number of
their communities alone: what hides an edge of a small one hides it in a large one, too. Numbers of nodes say
nothing about communities.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.random import permutation, stream_key, uniforms
from pulink.graph.graph import Graph

EXPONENT = 2.8
INSIDE = 0.7
SMALLEST, LARGEST = 5, 20

Codes = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]


def community_graph(n_edges: int, n_nodes: int, seed: int = 0) -> Graph:
    """Exactly so many edges; some nodes may have none."""
    ends = community_ends(n_nodes, 2 * n_edges / n_nodes, seed)[communities(n_nodes, 2 * n_edges / n_nodes, seed)]
    weights = uniforms(stream_key(seed, "weights"), n_nodes) ** (-1 / (EXPONENT - 1))
    sums = np.concatenate([[0.0], np.cumsum(np.minimum(weights, np.sqrt(n_nodes)))])
    codes = np.empty(0, dtype=np.int64)
    drawing = 0
    while len(codes) < n_edges:
        count = round(1.05 * (n_edges - len(codes))) + 100
        codes = np.unique(np.concatenate([codes, _drawn(sums, ends, count, stream_key(seed, "edges", drawing))]))
        drawing += 1
    kept = codes[permutation(stream_key(seed, "kept"), len(codes))[:n_edges]]
    names = permutation(stream_key(seed, "names"), n_nodes)
    return Graph.from_edges(names[np.stack([kept // n_nodes, kept % n_nodes], axis=1)], n_nodes)


def communities(n_nodes: int, mean_degree: float, seed: int = 0) -> Codes:
    """The community of each node (n), before nodes are renamed; the last may be smaller than others."""
    sizes = _sizes(n_nodes, mean_degree, seed)
    return np.repeat(np.arange(len(sizes)), sizes)[:n_nodes]


def community_ends(n_nodes: int, mean_degree: float, seed: int) -> Codes:
    """The first node of each community, and the first after it (c x 2)."""
    last = np.minimum(np.cumsum(_sizes(n_nodes, mean_degree, seed)), n_nodes)
    return np.stack([np.concatenate([[0], last[:-1]]), last], axis=1)


def _sizes(n_nodes: int, mean_degree: float, seed: int) -> Codes:
    """Of communities that hold all nodes together."""
    low, high = max(2, SMALLEST * mean_degree), max(3, LARGEST * mean_degree)
    drawn = uniforms(stream_key(seed, "sizes"), int(n_nodes / low) + 1)
    sizes = np.ceil(low + (high - low) * drawn).astype(np.int64)
    return sizes[: 1 + int(np.searchsorted(np.cumsum(sizes), n_nodes))]


def _drawn(sums: F64, ends: Codes, count: int, key: np.uint64) -> Codes:
    """Pairs as codes i n + j with i < j, loops left out; `ends` are those of each node's community (n x 2)."""
    n_nodes = len(sums) - 1
    whole, second, inside = (uniforms(key, count, k * count) for k in range(3))
    first = _at(sums, whole * sums[-1])
    low, high = np.where((inside < INSIDE)[:, None], sums[ends[first]], (0.0, sums[-1])).T
    other = _at(sums, low + second * (high - low))
    pairs = np.sort(np.stack([first, other], axis=1)[first != other], axis=1)
    return np.asarray(pairs[:, 0] * n_nodes + pairs[:, 1])


def _at(sums: F64, places: F64) -> Codes:
    return np.minimum(np.searchsorted(sums, places, side="right") - 1, len(sums) - 2).astype(np.int64)
