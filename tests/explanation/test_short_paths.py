"""Paths of three steps: by hand, against all paths that NetworkX lists, and bounded."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.explanation.short_paths import Path, strongest_paths
from tests.support.adjacencies import pair_sets, random_pairs

Pairs = npt.NDArray[np.int64]


def adjacency_of(edges: list[tuple[int, int]], n_nodes: int) -> Adjacency:
    return symmetric_adjacency(np.array(sorted(edges), dtype=np.int32), n_nodes)


def nowhere(pairs: Pairs) -> npt.NDArray[np.int64]:
    return np.full((len(pairs), 1), -1, dtype=np.int64)


def slow_paths(edges: npt.NDArray[np.int32], pair: tuple[int, int], avoided: list[int]) -> list[Path]:
    """All paths, sorted by the rule of `strongest_paths`, as seen from the pair's first node."""
    graph = nx.Graph(edges.tolist())
    graph.add_nodes_from(pair)
    reach = {end: sum(graph.degree[u] for u in graph[end]) for end in pair}
    s, t = sorted(pair, key=lambda end: (reach[end], end))
    ways = [tuple(way[1:3]) for way in nx.all_simple_paths(graph, s, t, cutoff=3) if len(way) == 4]
    ways.sort(key=lambda way: (bool({*way} & {*avoided}), graph.degree[way[0]] * graph.degree[way[1]], way))
    return [(u, v) if s == pair[0] else (v, u) for u, v in ways]


# From 0 to 9: 0 - 1 - 2 - 9 and 0 - 1 - 3 - 9; 0 - 4 - 5 - 9, where 4 has two leaves more.
LADDER = [(0, 1), (1, 2), (1, 3), (2, 9), (3, 9), (0, 4), (4, 5), (5, 9), (4, 6), (4, 7)]


def test_a_ladder_by_hand() -> None:
    adjacency = adjacency_of(LADDER, 10)
    pairs = np.array([(0, 9), (9, 0), (1, 5), (0, 8), (0, 1)])
    found = strongest_paths(adjacency, pairs, nowhere(pairs), 3)
    # d_1 = 3, d_2 = d_3 = 2, d_4 = 4, d_5 = 2: products 6, 6 and 8.
    assert found[0] == ((1, 2), (1, 3), (4, 5))
    assert found[1] == ((2, 1), (3, 1), (5, 4))
    # d_0 = 2 and d_9 = 3: products 6, 6 and 8 again.
    assert found[2] == ((2, 9), (3, 9), (0, 4))
    assert found[3] == ()
    assert found[4] == ()
    assert strongest_paths(adjacency, pairs[:1], nowhere(pairs[:1]), 1) == [((1, 2),)]


def test_avoided_nodes_come_last_but_come() -> None:
    pairs = np.array([(0, 9)])
    adjacency = adjacency_of(LADDER, 10)
    assert strongest_paths(adjacency, pairs, np.array([[2, -1]]), 3) == [((1, 3), (4, 5), (1, 2))]
    assert strongest_paths(adjacency, pairs, np.array([[1, -1]]), 2) == [((4, 5), (1, 2))]


def test_the_pairs_own_edge_is_no_part_of_a_path() -> None:
    # A square with a diagonal: along 0 - 2 itself, 0 - 2 - 1 - 2 would be a walk.
    square = adjacency_of([(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)], 4)
    pairs = np.array([(0, 2), (0, 1)])
    assert strongest_paths(square, pairs, nowhere(pairs), 3) == [(), ((3, 2),)]


@settings(derandomize=True, max_examples=80)
@given(pair_sets(), st.integers(1, 4), st.lists(st.integers(0, 8), max_size=3))
def test_any_small_graph(case: tuple[npt.NDArray[np.int32], int], n_paths: int, avoided: list[int]) -> None:
    edges, n_nodes = case
    pairs = np.array([(i, j) for i in range(n_nodes) for j in range(n_nodes) if i != j], dtype=np.int64).reshape(
        -1, 2
    )
    padded = np.tile(np.array([*avoided, -1], dtype=np.int64), (len(pairs), 1))
    found = strongest_paths(symmetric_adjacency(edges, n_nodes), pairs, padded, n_paths)
    assert [list(own) for own in found] == [
        slow_paths(edges, (i, j), avoided)[:n_paths] for i, j in pairs.tolist()
    ]


@pytest.mark.parametrize("density", [0.05, 0.3])
def test_a_larger_graph(density: float) -> None:
    edges = random_pairs(60, density, seed=3)
    pairs = np.random.default_rng(0).integers(0, 60, (40, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    found = strongest_paths(symmetric_adjacency(edges, 60), pairs, nowhere(pairs), 3)
    assert [list(own) for own in found] == [slow_paths(edges, (i, j), [])[:3] for i, j in pairs.tolist()]


def test_work_is_bounded_and_low_degrees_are_read_first() -> None:
    adjacency = adjacency_of(LADDER, 10)
    pairs = np.array([(0, 9)])
    # From 0, whose neighbours have 3 + 4 entries, against 6 from 9: begins there, with 2 for each of 2, 3, 5.
    for most, expected in ((1, ()), (2, ((1, 2),)), (4, ((1, 2), (1, 3))), (6, ((1, 2), (1, 3), (4, 5)))):
        assert strongest_paths(adjacency, pairs, nowhere(pairs), 3, most) == [expected]


def test_two_hubs() -> None:
    # 0 and 1 have 3,000 neighbours each, of which number k beside 0 knows number k beside 1.
    n = 3_000
    edges = [(0, 2 + k) for k in range(n)] + [(1, 2 + n + k) for k in range(n)]
    edges += [(2 + k, 2 + n + k) for k in range(n)]
    pairs = np.tile(np.array([(0, 1)]), (200, 1))
    found = strongest_paths(adjacency_of(edges, 2 * n + 2), pairs, nowhere(pairs), 3)
    assert set(found) == {((2, 2 + n), (3, 3 + n), (4, 4 + n))}


def test_no_pairs() -> None:
    pairs = np.empty((0, 2), dtype=np.int64)
    assert strongest_paths(adjacency_of(LADDER, 10), pairs, nowhere(pairs), 3) == []
