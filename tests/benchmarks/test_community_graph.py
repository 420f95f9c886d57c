"""Graphs of communities: as many edges as asked for, most of them inside, and degrees with a heavy tail."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.community_graph import INSIDE, communities, community_ends, community_graph
from benchmarks.plus_growth import exponents

from pulink.engine.random import permutation, stream_key

N_NODES, N_EDGES = 4_000, 20_000


@pytest.mark.parametrize(("n_edges", "n_nodes"), [(20_000, 4_000), (500, 100), (40_000, 1_000)])
def test_exactly_so_many_edges_and_the_same_each_time(n_edges: int, n_nodes: int) -> None:
    graph = community_graph(n_edges, n_nodes)
    assert (graph.n_nodes, graph.n_edges) == (n_nodes, n_edges)
    assert np.array_equal(graph.edges, community_graph(n_edges, n_nodes).edges)
    assert not np.array_equal(graph.edges, community_graph(n_edges, n_nodes, seed=1).edges)


def test_communities_hold_all_nodes_and_most_edges() -> None:
    of_node = communities(N_NODES, 10)
    sizes = np.bincount(of_node)
    assert len(of_node) == N_NODES
    assert sizes[:-1].min() >= 50
    assert sizes.max() <= 200
    ends = community_ends(N_NODES, 10, 0)
    assert np.array_equal(ends[:, 1] - ends[:, 0], sizes)
    # Nodes were renamed.
    found = np.empty(N_NODES, dtype=np.int64)
    found[permutation(stream_key(0, "names"), N_NODES)] = of_node
    edges = community_graph(N_EDGES, N_NODES).edges
    inside = found[edges[:, 0]] == found[edges[:, 1]]
    assert inside.mean() == pytest.approx(INSIDE, abs=0.06)  # repeats within communities were dropped


def test_degrees_have_a_tail() -> None:
    degrees = np.sort(community_graph(N_EDGES, N_NODES).degrees)
    assert degrees.mean() == 10
    assert degrees[-1] > 10 * np.median(degrees)


def test_an_exponent_by_hand() -> None:
    rows = [
        {"n_edges": 10**k, "n_nodes": 10**k // 5, "total": 4.0 * 10**k, "peak_mb": 100.0, "parts": {"a": 100**k}}
        for k in (1, 2, 3)
    ]
    found = exponents(
        [*rows, {"n_edges": 10**6, "n_nodes": 10, "total": 1.0, "peak_mb": 1.0, "parts": {"a": 1.0}}]
    )
    assert found == pytest.approx({"total": 1.0, "peak_mb": 0.0, "a": 2.0}, abs=1e-9)
