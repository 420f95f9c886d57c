"""Graph: merging by hand, merging against a slow twin, and nothing that can be changed."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pulink import Graph
from pulink.errors import InputError

rows_of_edges = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30)


def test_duplicates_reversals_and_loops_are_merged_and_counted() -> None:
    graph = Graph.from_edges([[2, 1], [1, 2], [2, 1], [0, 1], [3, 3]])
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.n_nodes == 4
    counts = graph.cleaning
    assert (counts.n_rows, counts.n_duplicates, counts.n_reversed, counts.n_loops) == (5, 1, 1, 1)
    assert str(counts) == "1 duplicate merged, 1 reversed duplicate merged, 1 self-loop dropped"


def test_a_clean_source_has_nothing_to_tell() -> None:
    assert str(Graph.from_edges([[0, 1], [1, 2]]).cleaning) == ""


def test_the_largest_weight_of_a_merged_edge_is_kept() -> None:
    graph = Graph.from_edges([[1, 0], [0, 1], [1, 1], [1, 2]], weights=[2.0, 5.0, 9.0, 0.5])
    assert graph.weights is not None
    assert graph.weights.tolist() == [5.0, 0.5]


@given(rows_of_edges)
def test_merging_equals_a_twin_made_of_sets(rows: list[tuple[int, int]]) -> None:
    graph = Graph.from_edges(np.array(rows, dtype=np.int64).reshape(-1, 2), n_nodes=6)
    edges: set[tuple[int, int]] = set()
    oriented: set[tuple[int, int]] = set()
    n_duplicates = n_reversed = n_loops = 0
    for a, b in rows:
        if a == b:
            n_loops += 1
        elif (a, b) in oriented:
            n_duplicates += 1
        elif (b, a) in oriented:
            n_reversed += 1
        oriented.add((a, b))
        edges |= {(min(a, b), max(a, b))} if a != b else set()
    assert [tuple(edge) for edge in graph.edges.tolist()] == sorted(edges)
    found = graph.cleaning
    assert (found.n_duplicates, found.n_reversed, found.n_loops) == (n_duplicates, n_reversed, n_loops)


@given(rows_of_edges)
def test_edges_are_found_in_either_orientation(rows: list[tuple[int, int]]) -> None:
    graph = Graph.from_edges(np.array(rows, dtype=np.int64).reshape(-1, 2), n_nodes=6)
    pairs = np.array([(i, j) for i in range(6) for j in range(6)])
    edges = {frozenset(edge) for edge in graph.edges.tolist()}
    assert graph.has_edges(pairs).tolist() == [frozenset(pair) in edges for pair in pairs.tolist()]
    assert graph.degrees.tolist() == [sum(i in edge for edge in edges) for i in range(6)]


def test_isolated_nodes_are_nodes() -> None:
    graph = Graph.from_edges([[0, 1]], n_nodes=4)
    assert graph.degrees.tolist() == [1, 1, 0, 0]
    assert graph.n_pairs == 6


def test_a_graph_may_have_no_edges() -> None:
    graph = Graph.from_edges([], n_nodes=2)
    assert graph.edges.shape == (0, 2)
    assert repr(graph) == "Graph(2 nodes, 0 edges)"


def test_nothing_in_a_graph_can_be_changed() -> None:
    graph = Graph.from_edges([[0, 1]], weights=[2.0], features=np.eye(2, dtype=np.float32))
    assert graph.weights is not None
    for array in (graph.edges, graph.weights, graph.features):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(FrozenInstanceError):
        graph.n_nodes = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    "features", [np.eye(2, dtype=np.float32), sp.eye_array(2, format="csr", dtype=np.float32)]
)
def test_what_was_handed_over_stays_its_owners(features: npt.NDArray[np.float32] | sp.csr_array) -> None:
    graph = Graph.from_edges([[0, 1]], features=features)
    values = features if isinstance(features, np.ndarray) else features.data
    values[...] = 7.0
    assert graph.features is not None
    assert graph.features.max() == 1.0


def test_some_of_the_edges_keep_their_weights() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3]], weights=[1.0, 2.0, 3.0])
    kept = graph.keep_edges(np.array([True, False, True]))
    assert kept.edges.tolist() == [[0, 1], [2, 3]]
    assert kept.weights is not None
    assert kept.weights.tolist() == [1.0, 3.0]
    assert kept.n_nodes == 4


def test_ends_of_edges_are_what_nodes_are_called() -> None:
    graph = Graph.from_edges([(1, 2), (2, 3)])
    assert graph.names.series().to_list() == ["1", "2", "3"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert Graph.from_edges(np.array([[30, 7], [7, 7]])).names.series().to_list() == ["7", "30"]
    named = Graph.from_edges([("Cleo", "Ada"), ("Ada", "Bob")], kind="directed", weights=[2, 3])
    assert named.names.series().to_list() == ["Ada", "Bob", "Cleo"]
    assert named.edges.tolist() == [[0, 1], [2, 0]]
    assert named.weights is not None
    assert named.weights.tolist() == [3, 2]


def test_numbers_without_gaps_need_no_names() -> None:
    graph = Graph.from_edges([[2, 1], [0, 1]])
    assert not graph.names.given
    assert graph.n_nodes == 3


@pytest.mark.parametrize(
    ("settings", "n_nodes"),
    [
        ({"n_nodes": 6}, 6),
        ({"names": list("abcd")}, 4),
        ({"features": np.eye(4)}, 4),
        ({"kind": "typed", "node_types": list("xxyy")}, 4),
    ],
)
def test_numbers_are_places_where_nodes_are_counted_otherwise(settings: dict[str, Any], n_nodes: int) -> None:
    graph = Graph.from_edges([(1, 2), (2, 3)], **settings)
    assert graph.n_nodes == n_nodes
    assert graph.edges.tolist() == [[1, 2], [2, 3]]


@pytest.mark.parametrize(
    ("edges", "settings", "message"),
    [
        ([[0, 1, 2]], {}, r"m x 2 .* shape \(1, 3\); pass what is beside the two ends as weights or times"),
        ({(0, 1)}, {}, r"got set; list\(\.\.\.\) makes one"),
        (iter([(0, 1)]), {}, r"got list_iterator; list\(\.\.\.\) makes one"),
        ([[0, 1], [2]], {}, "different lengths"),
        ([[0.0, 1.0]], {}, r"whole node numbers, got float64; use array\.astype\(int\)"),
        ([["a", "b"]], {"n_nodes": 2}, "from_frame"),
        ([["a", 1]], {}, "got names and 1"),
        ([[0, 5]], {"n_nodes": 3}, r"\(0, 5\).*0 \.\. 2"),
        ([[0, -1]], {}, r"\(0, -1\) holds a negative number; nodes are numbered from 0"),
        ([], {"n_nodes": -1}, "n_nodes"),
        ([[0, 1]], {"weights": [0.0]}, "positive"),
        ([[0, 1]], {"weights": [np.inf]}, "positive and finite"),
        ([[0, 1]], {"weights": [1.0, 2.0]}, "1 weight"),
        ([[0, 1]], {"features": np.ones((3, 1))}, "3 rows"),
        ([[0, 1]], {"features": np.ones(2)}, "matrix"),
        ([[0, 1]], {"features": [[np.nan], [0.0]]}, "NaN"),
        ([[0, 1]], {"names": ["a", "a"]}, "more than once"),
        ([[0, 1]], {"names": ["a"]}, "1 name was given for 2 nodes"),
    ],
)
def test_what_cannot_be_a_graph_is_refused(
    edges: list[list[int]], settings: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Graph.from_edges(edges, **settings)  # type: ignore[arg-type]
