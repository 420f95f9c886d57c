"""Facts about pairs: by hand, true for every pair of any graph, and equal to a slow twin."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.errors import InputError
from pulink.explanation import facts as room
from pulink.explanation.facts import PairFacts, find_facts, with_signals
from pulink.graph.graph import Graph
from tests.support.adjacencies import pair_sets
from tests.support.small_views import all_pairs, numbers, random_graph, words

NAMES = ["a", "b", "c", "d", "e", "f", "g", "alone"]
# a and c share b and f; a - d - e - c is a path beside; g hangs on f.
EDGES = [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2), (0, 5), (5, 2), (5, 6)]
FEATURE_NAMES = ("section=python", "section=a: b", "text: numpy", "year", "text: x = y")
FEATURES = sp.csr_array(
    np.array(
        [
            [1, 0, 0.4, -1, 0],
            [1, 0, 0.0, 1, 0],
            [1, 0, 0.7, 2, 0],
            [0, 1, 0.0, -2, 0],
            [0, 1, 0.0, 1, 1],
            [1, 0, 0.0, 1, 0],
            [1, 0, 0.0, 1, 0],
            [0, 0, 0.0, 1, 1],
        ]
    )
)
GRAPH = Graph.from_edges(EDGES, names=NAMES, features=FEATURES, feature_names=FEATURE_NAMES)
NOTHING = PairFacts((0, 7), 0, (), (), (), 0)


def test_a_small_graph_by_hand() -> None:
    found = find_facts(GRAPH, [("a", "c"), ("c", "a"), ("a", "g"), ("e", "alone"), ("a", "alone")])
    # 5 nodes have column 0, 2 have column 2; column 3 has both signs: numbers.
    assert found[0] == PairFacts((0, 2), 2, (1, 5), ((3, 4),), (2, 0), 2)
    assert found[1] == PairFacts((2, 0), 2, (1, 5), ((4, 3),), (2, 0), 2)
    # a - b - c - f - g is too long.
    assert found[2] == PairFacts((0, 6), 1, (5,), (), (0,), 1)
    assert found[3] == PairFacts((4, 7), 0, (), (), (4,), 1)
    assert found[4] == NOTHING


def test_features_of_its_own() -> None:
    """As a model from a folder has them, whose graph has none."""
    bare = GRAPH.with_features(None)
    pairs = np.array([(0, 2)])
    assert find_facts(bare, pairs)[0].shared == ()
    assert find_facts(bare, pairs, FEATURES) == find_facts(GRAPH, pairs)
    with pytest.raises(InputError, match="features have 3 rows, the graph has 8 nodes"):
        find_facts(bare, pairs, FEATURES[:3])


def test_dense_features_are_shared_only_if_they_say_yes_or_no() -> None:
    pairs = np.array([(0, 2), (0, 3)])
    binary = (FEATURES.toarray() > 0).astype(np.float32)
    assert [own.shared for own in find_facts(GRAPH, pairs, binary)] == [(2, 0), ()]
    assert [own.n_shared for own in find_facts(GRAPH, pairs, numbers(8, 5, 0))] == [0, 0]


def test_stored_zeros_and_unsorted_entries_of_a_sparse_matrix() -> None:
    """Row 0 holds 2 twice, which add up to nothing, and a stored zero in column 1."""
    data, columns = [1, -1, 0, 1, 1, 1, 1], [2, 2, 1, 0, 2, 1, 0]
    own = sp.csr_array((np.array(data, np.float32), np.array(columns), np.array([0, 4, 7])), shape=(2, 3))
    before = own.data.copy()
    assert find_facts(Graph.from_edges([(0, 1)]), np.array([(0, 1)]), own)[0].shared == (0,)
    assert np.array_equal(own.data, before)


def test_no_pairs() -> None:
    assert find_facts(GRAPH, np.empty((0, 2), dtype=np.int64)) == []


def slow_common(graph: nx.Graph, i: int, j: int) -> list[int]:
    return sorted({*graph[i]} & {*graph[j]}, key=lambda u: (graph.degree[u], u))


def slow_shared(matrix: npt.NDArray[np.float64], i: int, j: int) -> list[int]:
    counts = (matrix != 0).sum(axis=0)
    both = np.flatnonzero((matrix[i] != 0) & (matrix[j] != 0)).tolist()
    return sorted(both, key=lambda column: (counts[column], column))


@settings(derandomize=True, max_examples=50)
@given(pair_sets(), st.integers(0, 9))
def test_everything_said_of_any_pair_is_true(case: tuple[npt.NDArray[np.int32], int], seed: int) -> None:
    edges, n_nodes = case
    own = words(n_nodes, 12, seed)
    graph = Graph.from_edges(edges, n_nodes, features=own)
    twin, matrix = nx.Graph(edges.tolist()), own.toarray()
    twin.add_nodes_from(range(n_nodes))
    pairs = all_pairs(n_nodes)
    found = find_facts(graph, pairs)
    assert [facts.pair for facts in found] == [(i, j) for i, j in pairs.tolist()]
    for facts in found:
        i, j = facts.pair
        common, shared = slow_common(twin, i, j), slow_shared(matrix, i, j)
        assert (facts.n_common, list(facts.common)) == (len(common), common[:5])
        assert (facts.n_shared, list(facts.shared)) == (len(shared), shared[:5])
        for u, v in facts.paths:
            assert twin.has_edge(i, u) and twin.has_edge(u, v) and twin.has_edge(v, j)
            assert len({i, u, v, j}) == 4
        n_ways = sum(len(way) == 4 for way in nx.all_simple_paths(twin, i, j, cutoff=3))
        assert len(facts.paths) == len({*facts.paths}) == min(n_ways, 3)


def test_a_path_past_nobody_named_is_told_before_others() -> None:
    # 0 and 1 share 2 and 3, which know each other; 0 - 4 - 5 - 1 goes past hubs.
    edges = [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (0, 4), (4, 5), (5, 1)]
    edges += [(hub, 6 + leaf) for hub in (4, 5) for leaf in range(9)]
    facts = find_facts(Graph.from_edges(edges), np.array([(0, 1)]))[0]
    assert (facts.common, facts.paths) == ((2, 3), ((4, 5), (2, 3), (3, 2)))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(30, 120, seed=0, features=words(30, 12, 0))
    whole = find_facts(graph, all_pairs(30))
    monkeypatch.setattr(room, "_BLOCK", 7)
    assert find_facts(graph, all_pairs(30)) == whole


def test_weights_of_edges_are_not_asked() -> None:
    weighted = Graph.from_edges(EDGES, weights=np.linspace(0.1, 5, len(EDGES)))
    assert find_facts(weighted, np.array([(0, 2)])) == find_facts(Graph.from_edges(EDGES), np.array([(0, 2)]))


def test_contributions_become_signals_by_family() -> None:
    columns = ("degree_low", "degree_high", "pagerank", "gcn_dot")
    contributions = np.array([[0.5, -0.25, 1.0, -3.0], [1.0, 1.0, 0.0, 0.5]])
    told = with_signals([NOTHING, NOTHING], columns, contributions)
    assert told[0].signals == (("GCN", -3.0), ("PageRank", 1.0), ("degrees", 0.25))
    assert told[1].signals == (("degrees", 2.0), ("GCN", 0.5), ("PageRank", 0.0))
    assert with_signals([], columns, contributions[:0]) == []
