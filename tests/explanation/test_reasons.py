"""Reasons for links: by hand, true for every pair of any graph, equal to a slow twin, and in words."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.errors import InputError
from pulink.explanation import reasons as room
from pulink.explanation.reasons import Reasons, find_reasons, in_words, with_signals
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
NO_REASON = Reasons((0, 7), 0, (), (), (), 0)


def test_a_small_graph_by_hand() -> None:
    found = find_reasons(GRAPH, [("a", "c"), ("c", "a"), ("a", "g"), ("e", "alone"), ("a", "alone")])
    # 5 nodes have column 0, 2 have column 2; column 3 has both signs: numbers.
    assert found[0] == Reasons((0, 2), 2, (1, 5), ((3, 4),), (2, 0), 2)
    assert found[1] == Reasons((2, 0), 2, (1, 5), ((4, 3),), (2, 0), 2)
    # a - b - c - f - g is too long.
    assert found[2] == Reasons((0, 6), 1, (5,), (), (0,), 1)
    assert found[3] == Reasons((4, 7), 0, (), (), (4,), 1)
    assert found[4] == NO_REASON


def test_features_of_its_own() -> None:
    """As a model from a folder has them, whose graph has none."""
    bare = GRAPH.with_features(None)
    pairs = np.array([(0, 2)])
    assert find_reasons(bare, pairs)[0].shared == ()
    assert find_reasons(bare, pairs, FEATURES) == find_reasons(GRAPH, pairs)
    with pytest.raises(InputError, match="features have 3 rows, the graph has 8 nodes"):
        find_reasons(bare, pairs, FEATURES[:3])


def test_dense_features_are_shared_only_if_they_say_yes_or_no() -> None:
    pairs = np.array([(0, 2), (0, 3)])
    binary = (FEATURES.toarray() > 0).astype(np.float32)
    assert [own.shared for own in find_reasons(GRAPH, pairs, binary)] == [(2, 0), ()]
    assert [own.n_shared for own in find_reasons(GRAPH, pairs, numbers(8, 5, 0))] == [0, 0]


def test_stored_zeros_and_unsorted_entries_of_a_sparse_matrix() -> None:
    """Row 0 holds 2 twice, which add up to nothing, and a stored zero in column 1."""
    data, columns = [1, -1, 0, 1, 1, 1, 1], [2, 2, 1, 0, 2, 1, 0]
    own = sp.csr_array((np.array(data, np.float32), np.array(columns), np.array([0, 4, 7])), shape=(2, 3))
    before = own.data.copy()
    assert find_reasons(Graph.from_edges([(0, 1)]), np.array([(0, 1)]), own)[0].shared == (0,)
    assert np.array_equal(own.data, before)


def test_no_pairs() -> None:
    assert find_reasons(GRAPH, np.empty((0, 2), dtype=np.int64)) == []


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
    found = find_reasons(graph, pairs)
    assert [reasons.pair for reasons in found] == [(i, j) for i, j in pairs.tolist()]
    for reasons in found:
        i, j = reasons.pair
        common, shared = slow_common(twin, i, j), slow_shared(matrix, i, j)
        assert (reasons.n_common, list(reasons.common)) == (len(common), common[:5])
        assert (reasons.n_shared, list(reasons.shared)) == (len(shared), shared[:5])
        for u, v in reasons.paths:
            assert twin.has_edge(i, u) and twin.has_edge(u, v) and twin.has_edge(v, j)
            assert len({i, u, v, j}) == 4
        n_ways = sum(len(way) == 4 for way in nx.all_simple_paths(twin, i, j, cutoff=3))
        assert len(reasons.paths) == len({*reasons.paths}) == min(n_ways, 3)


def test_a_path_past_nobody_named_is_told_before_others() -> None:
    # 0 and 1 share 2 and 3, which know each other; 0 - 4 - 5 - 1 goes past hubs.
    edges = [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (0, 4), (4, 5), (5, 1)]
    edges += [(hub, 6 + leaf) for hub in (4, 5) for leaf in range(9)]
    reasons = find_reasons(Graph.from_edges(edges), np.array([(0, 1)]))[0]
    assert (reasons.common, reasons.paths) == ((2, 3), ((4, 5), (2, 3), (3, 2)))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(30, 120, seed=0, features=words(30, 12, 0))
    whole = find_reasons(graph, all_pairs(30))
    monkeypatch.setattr(room, "_BLOCK", 7)
    assert find_reasons(graph, all_pairs(30)) == whole


def test_weights_of_edges_are_not_asked() -> None:
    weighted = Graph.from_edges(EDGES, weights=np.linspace(0.1, 5, len(EDGES)))
    assert find_reasons(weighted, np.array([(0, 2)])) == find_reasons(Graph.from_edges(EDGES), np.array([(0, 2)]))


def test_reasons_in_words() -> None:
    found = find_reasons(GRAPH, [("a", "c"), ("a", "g"), ("d", "e"), ("e", "alone")])
    assert in_words(found[0], GRAPH, FEATURE_NAMES) == [
        '2 common neighbours: "b" (2 links), "f" (3 links)',
        'a path through "d" and "e"',
        "2 shared attributes: word numpy in text, section = python",
    ]
    assert in_words(found[1], GRAPH, None) == ['1 common neighbour: "f" (3 links)', "1 shared attribute: number 0"]
    assert in_words(found[2], GRAPH, FEATURE_NAMES)[-1] == "1 shared attribute: section = a: b"
    assert in_words(found[3], GRAPH, FEATURE_NAMES) == ["1 shared attribute: word x = y in text"]


def test_long_lists_are_cut() -> None:
    star = Graph.from_edges([(end, 2 + k) for end in (0, 1) for k in range(1_234)])
    own = sp.csr_array(np.ones((star.n_nodes, 7)))
    reasons = find_reasons(star, np.array([(0, 1)]), own)[0]
    assert reasons.common == (2, 3, 4, 5, 6)
    common, shared = in_words(reasons, star, ("plain",))
    assert common.startswith('1,234 common neighbours: "2" (2 links), ')
    assert common.endswith('"6" (2 links) and 1,229 more')
    assert shared == "7 shared attributes: plain, number 1, number 2, number 3, number 4 and 2 more"


def test_several_paths_in_words() -> None:
    told = in_words(Reasons((0, 2), 0, (), ((3, 4), (1, 5)), (), 0), GRAPH, None)
    assert told == ['a path through "d" and "e", one through "b" and "f"']


def test_no_reason_in_words() -> None:
    assert in_words(NO_REASON, GRAPH, None) == [
        "no short path and no shared attribute: only the method's own score speaks for it"
    ]


@pytest.mark.parametrize(
    ("signals", "told"),
    [
        (
            (("degrees", 2.06), ("GCN", -0.34), ("PageRank", 0.08)),
            "for it: degrees (+2.1), PageRank (+0.1); against it: GCN (-0.3)",
        ),
        ((("degrees", 2.0), ("GCN", 0.04)), "for it: degrees (+2.0)"),
        ((("GCN", -1.0),), "against it: GCN (-1.0)"),
        (tuple((name, 1.0) for name in "abcd"), "for it: a (+1.0), b (+1.0), c (+1.0)"),
    ],
)
def test_signals_in_words(signals: tuple[tuple[str, float], ...], told: str) -> None:
    own = Reasons((0, 7), 0, (), (), (), 0, signals)
    assert in_words(own, GRAPH, None) == ["no short path and no shared attribute", f"what speaks {told}"]


def test_signals_too_small_to_be_written_are_not() -> None:
    own = Reasons((0, 6), 1, (5,), (), (), 0, (("degrees", 0.01),))
    assert in_words(own, GRAPH, None) == ['1 common neighbour: "f" (3 links)']


def test_contributions_become_signals_by_family() -> None:
    columns = ("degree_low", "degree_high", "pagerank", "gcn_dot")
    contributions = np.array([[0.5, -0.25, 1.0, -3.0], [1.0, 1.0, 0.0, 0.5]])
    told = with_signals([NO_REASON, NO_REASON], columns, contributions)
    assert told[0].signals == (("GCN", -3.0), ("PageRank", 1.0), ("degrees", 0.25))
    assert told[1].signals == (("degrees", 2.0), ("GCN", 0.5), ("PageRank", 0.0))
    assert with_signals([], columns, contributions[:0]) == []


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines\t", "two\\nlines\\t"),
        ("\u202eback", "\\u202eback"),
        ("a\u2028b", "a\\u2028b"),
        ("\x9b1m", "\\x9b1m"),
        ("zoë <b>&amp; 'x' \U0001f600", "zoë <b>&amp; 'x' \U0001f600"),
    ],
)
def test_names_are_strangers_text(name: str, shown: str) -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)], names=["x", name, "y", "z", f"{name}'"])
    own = sp.csr_array(np.ones((5, 1)))
    told = in_words(find_reasons(graph, np.array([(0, 2)]), own)[0], graph, (f"{name}={name}",))
    assert told == [
        f'1 common neighbour: "{shown}" (2 links)',
        f'a path through "z" and "{shown}\'"',
        f"1 shared attribute: {shown} = {shown}",
    ]


def test_a_gap_that_both_have_is_no_attribute() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], 3, features=np.array([[1, 1], [0, 1], [1, 1]]))
    (found,) = find_reasons(graph, np.array([[0, 2]]))
    assert found.n_shared == 2
    words = in_words(found, graph, ("tags is missing", "section=python"))
    assert "1 shared attribute: section = python" in words
    assert not any("missing" in own for own in words)
