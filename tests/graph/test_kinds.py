"""Kinds of graphs: what a pair is in each, by hand, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pulink import Graph
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.graph.pairs import pair_text, resolve_pairs
from pulink.graph.spaces.directed_pairs import DirectedPairs
from pulink.graph.spaces.kinds import MOST_TYPES
from pulink.graph.spaces.typed_pairs import TypedPairs

WAYS = Graph.from_edges([[0, 1], [1, 0], [2, 1], [2, 1], [3, 3]], n_nodes=4, kind="directed")
# Users 0 and 2, items 1, 3 and 4.
RATINGS = Graph.from_edges(
    [[0, 1], [3, 2], [2, 3]],
    5,
    kind="bipartite",
    node_types=["user", "item", "user", "item", "item"],
    between=[("user", "item")],
)
# Drugs 0, 2 and 5, proteins 1 and 4, a disease 3; drugs with drugs and proteins with the disease are context.
TYPES = ["drug", "protein", "drug", "disease", "protein", "drug"]
MIXED = Graph.from_edges(
    [[0, 1], [2, 0], [0, 2], [1, 4], [3, 0], [5, 3], [4, 3]],
    kind="typed",
    node_types=TYPES,
    between=[("drug", "protein"), ("disease", "drug"), ("protein", "protein")],
)


def test_a_directed_graph_keeps_both_ways_by_hand() -> None:
    assert WAYS.kind == "directed"
    assert WAYS.edges.tolist() == [[0, 1], [1, 0], [2, 1]]
    assert (WAYS.cleaning.n_duplicates, WAYS.cleaning.n_reversed, WAYS.cleaning.n_loops) == (1, 0, 1)
    assert WAYS.n_pairs == 12
    assert WAYS.degrees.tolist() == [2, 3, 1, 0]
    assert WAYS.has_edges(np.array([[2, 1], [1, 2]])).tolist() == [True, False]
    assert WAYS.neighbours(1).tolist() == [0, 2]
    assert repr(WAYS) == "Graph(directed, 4 nodes, 3 edges)"
    space = WAYS.pair_space
    assert space.starting_at(np.array([[0, 2]]), np.array([2])).tolist() == [[0, 2]]
    assert space.pairs_with(1).tolist() == [[1, 0], [1, 2], [1, 3], [0, 1], [2, 1], [3, 1]]
    assert WAYS.open_pairs(1).tolist() == [[1, 2], [1, 3], [3, 1]]
    assert isinstance(space.with_nodes(7), DirectedPairs)
    assert space.with_nodes(7).n_pairs == 42


def test_a_bipartite_graph_links_its_two_sides_by_hand() -> None:
    assert RATINGS.kind == "bipartite"
    assert RATINGS.edges.tolist() == [[0, 1], [2, 3]]
    assert RATINGS.cleaning.n_reversed == 1
    assert RATINGS.n_pairs == 6
    assert RATINGS.degrees.tolist() == [1, 1, 1, 1, 0]
    assert RATINGS.has_edges(np.array([[3, 2], [2, 1]])).tolist() == [True, False]
    space = RATINGS.pair_space
    assert space.n_pairs_by_node.tolist() == [3, 2, 3, 2, 2]
    # The user comes first, whoever asks.
    assert space.ordered(np.array([[1, 0], [2, 1], [1, 2]])).tolist() == [[0, 1], [2, 1], [2, 1]]
    assert space.pairs_with(1).tolist() == [[0, 1], [2, 1]]
    assert space.pairs_with(2).tolist() == [[2, 1], [2, 3], [2, 4]]
    assert RATINGS.open_pairs(3).tolist() == [[0, 3]]
    grown = space.with_nodes(6, np.array([0], dtype=np.int16))
    assert (grown.kind, grown.n_pairs) == ("bipartite", 9)


def test_a_typed_graph_has_pairs_of_the_types_asked_about_by_hand() -> None:
    assert MIXED.kind == "typed"
    # Drug - protein, disease - drug, and protein - protein with the lower number first, sorted.
    assert MIXED.edges.tolist() == [[0, 1], [1, 4], [3, 0], [3, 5]]
    space = MIXED.pair_space
    assert isinstance(space, TypedPairs)
    assert space.context is not None
    assert space.context.tolist() == [[0, 2], [3, 4]]
    assert space.type_names == ("drug", "protein", "disease")
    assert MIXED.n_pairs == 3 * 2 + 1 * 3 + 1
    assert space.n_pairs_by_node.tolist() == [3, 4, 3, 3, 4, 3]
    assert MIXED.cleaning.n_rows == 7
    assert MIXED.cleaning.n_reversed == 1
    # Context is part of the structure, and of no pair that may be asked about.
    assert MIXED.degrees.tolist() == [3, 2, 1, 3, 2, 1]
    assert space.allowed(np.array([[0, 2], [3, 4], [4, 1], [0, 3]])).tolist() == [False, False, True, True]
    assert space.pairs_with(4).tolist() == [[0, 4], [4, 1], [2, 4], [5, 4]]
    assert space.starting_at(np.array([[1, 4], [0, 4]]), np.array([4, 4])).tolist() == [[4, 1], [0, 4]]


def test_weights_and_times_go_where_their_rows_go() -> None:
    graph = Graph.from_edges(
        [[0, 1], [2, 0], [1, 0], [0, 2]],
        kind="typed",
        node_types=["drug", "protein", "drug"],
        between=[("drug", "protein")],
        weights=[2.0, 5.0, 3.0, 1.0],
        times=[10.0, 4.0, 7.0, 6.0],
    )
    assert graph.weights is not None
    assert graph.weights.tolist() == [3.0]
    assert graph.times is not None
    assert graph.times.times.tolist() == [7.0, 10.0]
    space = graph.pair_space
    assert isinstance(space, TypedPairs)
    assert space.context_weights is not None
    assert space.context_weights.tolist() == [5.0]
    assert space.context_times is not None
    assert space.context_times.first.tolist() == [4.0]
    assert graph.adjacency.values is not None
    assert graph.adjacency.values.tolist() == [3.0, 5.0, 3.0, 5.0]


def test_types_that_nobody_names_are_written_as_most_rows_write_them() -> None:
    graph = Graph.from_edges([[1, 0], [2, 0], [0, 3]], kind="typed", node_types=["a", "b", "b", "b"])
    assert graph.edges.tolist() == [[1, 0], [2, 0], [3, 0]]
    sides = Graph.from_edges([[5, 0], [6, 1], [4, 2], [4, 3]], kind="bipartite", ends=("user", "item"))
    assert sides.edges.tolist() == [[4, 2], [4, 3], [5, 0], [6, 1]]
    assert isinstance(sides.pair_space, TypedPairs)
    assert sides.pair_space.type_names == ("user", "item")


def test_messages_write_a_pair_as_its_kind_does() -> None:
    pair = np.array([2, 1])
    assert pair_text(WAYS, pair) == "'2' -> '1'"
    assert pair_text(RATINGS, pair) == "'2' - '1'"
    with pytest.raises(InputError, match="the first is '2' -> '1'"):
        WAYS.with_absent(np.array([[1, 2], [2, 1]]))
    with pytest.raises(InputError, match="the first is '2' - '3'"):
        RATINGS.with_absent(np.array([[2, 3]]))


def test_known_non_links_have_the_direction_that_they_were_given() -> None:
    known = WAYS.with_absent(np.array([[1, 2]]))
    assert known.is_absent(np.array([[1, 2], [2, 1]])).tolist() == [True, False]
    assert known.open_pairs(1).tolist() == [[1, 3], [3, 1]]
    assert RATINGS.with_absent(np.array([[4, 0], [0, 2]])).absent.tolist() == [[0, 4]]  # type: ignore[union-attr]


def test_a_graph_without_directions_has_each_pair_once() -> None:
    ways = Graph.from_edges(
        [[0, 1], [1, 0], [2, 1]],
        kind="directed",
        weights=[1.0, 4.0, 2.0],
        times=[1.0, 2.0, 3.0],
        features=np.eye(3),
        names=["a", "b", "c"],
        ends=("citing", "cited"),
    )
    plain = ways.with_absent([("a", "c")]).without_direction
    assert (plain.kind, plain.edges.tolist()) == ("undirected", [[0, 1], [1, 2]])
    assert plain.weights is not None
    assert plain.weights.tolist() == [4.0, 2.0]
    assert (plain.names[2], plain.n_features, plain.ends) == ("c", 3, ("citing", "cited"))
    assert plain.absent is None
    assert plain.times is None
    assert RATINGS.without_direction is RATINGS


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"kind": "directd"}, UnknownNameError, "unknown kind of graph 'directd'. Did you mean 'directed'"),
        ({"node_types": ["a"] * 4}, ParameterError, "go with a bipartite or typed graph, and this is undirected"),
        ({"kind": "directed", "between": [("a", "b")]}, ParameterError, "and this is directed"),
        ({"kind": "typed"}, ParameterError, "a typed graph needs node_types"),
        ({"kind": "typed", "node_types": ["a", "b"]}, InputError, "2 node types were given for 4 nodes"),
        ({"kind": "typed", "node_types": ["a", None, "b", "a"]}, InputError, "is text; node 1 has None"),
        (
            {"kind": "typed", "node_types": ["a", "b", "b", "a"], "between": [("a", "c")]},
            UnknownNameError,
            "unknown type of nodes 'c'.* Known: a, b",
        ),
        (
            {"kind": "typed", "node_types": ["a", "b", "b", "a"], "between": ("a", "b")},
            ParameterError,
            "between takes a list of pairs of types, got 'a' as one of them",
        ),
        (
            {"kind": "typed", "node_types": ["a", "b", "b", "a"], "between": [("a", "b", "b")]},
            ParameterError,
            "between takes a list of pairs of types",
        ),
        ({"kind": "bipartite"}, InputError, r"node 1 stands in both columns \(2 nodes do\)"),
        (
            {"kind": "bipartite", "node_types": ["a", "b", "c", "a"]},
            InputError,
            "here 3 types would be linked by 3 pairs of types: read it as a typed graph",
        ),
        (
            {"kind": "bipartite", "node_types": ["a", "b", "b", "a"], "between": [("a", "b")]},
            InputError,
            "no edge between two nodes of one type, as 1 and 2 are",
        ),
        (
            {"kind": "bipartite", "node_types": ["a", "b", "a", "b"], "between": [("a", "a")]},
            InputError,
            "links nodes of two types; here 2 types would be linked by 1 pair of types",
        ),
        ({"times": [1.0]}, InputError, "3 edges need 3 times, got shape"),
        ({"times": [1.0, 2.0, float("nan")]}, InputError, "times must be finite, got nan in row 3"),
        ({"times": ["now", "then", "later"]}, InputError, "times must be numbers"),
    ],
)
def test_what_is_no_graph_of_its_kind_is_refused(
    settings: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as told:
        Graph.from_edges([[0, 1], [1, 2], [2, 3]], **settings)  # type: ignore[arg-type]
    assert len(str(told.value).splitlines()) == 1


def test_a_node_without_an_edge_is_on_neither_side() -> None:
    with pytest.raises(InputError, match="node 2 has no edge: say on which side it is with node_types"):
        Graph.from_edges([[0, 1]], 3, kind="bipartite")


def test_a_column_of_ids_is_no_column_of_types() -> None:
    n = MOST_TYPES + 1
    with pytest.raises(InputError, match="nodes have at most 1,000 types, and these have 1,001"):
        Graph.from_edges([[0, 1]], n, kind="typed", node_types=[str(i) for i in range(n)])


def test_a_typed_graph_without_nodes_has_no_pairs() -> None:
    space = TypedPairs(np.empty(0, dtype=np.int16), ("a", "b"), ((0, 1),))
    assert space.n_pairs == 0
    assert not space.allowed(np.array([[0, 1], [-1, 0]])).any()
    assert not space.are_codes(np.arange(-2, 3)).any()
    assert len(space.sampler().draw(3, np.uint64(1))) == 0


def test_names_of_a_pair_are_looked_for_on_their_own_side() -> None:
    graph = Graph.from_edges([[0, 2], [1, 3]], kind="bipartite", names=["1", "2", "1", "3"], ends=("user", "item"))
    assert resolve_pairs(graph, [("1", "1"), ("2", "3")]).tolist() == [[0, 2], [1, 3]]
    # Where the order does not say it, the type does; or the name, if only one node has it.
    assert resolve_pairs(graph, [("item:1", "user:1"), ("3", "2")]).tolist() == [[2, 0], [3, 1]]
    with pytest.raises(InputError, match="'1' names nodes of several types: write item:1 or user:1"):
        resolve_pairs(graph, [("3", "1")])
