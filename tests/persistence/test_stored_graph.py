"""Graphs of every kind as arrays of a folder and back; arrays that no graph has; what a fit's key depends on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pulink import Graph, split
from pulink.persistence.checkpoints import _content, fit_key
from pulink.persistence.stored_graph import graph_arrays, graph_of_arrays, kind_of

DRUGS = ["drug", "protein", "drug", "disease", "protein", "drug"]
TYPED_ROWS = [[0, 1], [2, 0], [1, 4], [3, 0], [5, 3], [4, 3], [0, 1]]


def typed(**given: Any) -> Graph:
    between = [("drug", "protein"), ("disease", "drug"), ("protein", "protein")]
    return Graph.from_edges(TYPED_ROWS, **{"kind": "typed", "node_types": DRUGS, "between": between} | given)


GRAPHS = {
    "undirected": Graph.from_edges([[1, 0], [2, 1], [1, 3]], n_nodes=5, times=[3, 1, 2]),
    "directed": Graph.from_edges([[1, 0], [0, 1], [1, 3]], 5, kind="directed", ends=("citing", "cited")),
    "bipartite": Graph.from_edges(
        [[0, 2], [1, 3], [0, 2]],
        kind="bipartite",
        names=["1", "2", "1", "2"],
        ends=("user", "item"),
        weights=[1, 2, 5],
        times=[4, 5, 6],
    ).with_absent(np.array([[0, 3]])),
    "typed": typed(),
    "typed with all": typed(weights=[1, 2, 3, 4, 5, 6, 7], times=[7, 6, 5, 4, 3, 2, 1], features=np.eye(6)),
}


def stored(graph: Graph) -> dict[str, Any]:
    names = graph.names.series() if graph.names.given else None
    return {
        "arrays": graph_arrays(graph),
        "n_nodes": graph.n_nodes,
        "n_features": graph.n_features,
        "names": names,
        "called": None,
        "n_rows": 10,
        "kind": json.loads(json.dumps(kind_of(graph))) or None,
    }


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype and np.array_equal(one[name], other[name]) for name in one
    )


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_comes_back_as_it_was(name: str) -> None:
    graph = GRAPHS[name]
    again = graph_of_arrays(**stored(graph))
    assert same(graph_arrays(again), graph_arrays(graph))
    assert kind_of(again) == kind_of(graph)
    assert (again.kind, again.ends, again.n_pairs) == (graph.kind, graph.ends, graph.n_pairs)
    assert (again.space is None) == (graph.space is None)
    assert again.names[:] == graph.names[:]
    assert np.array_equal(again.adjacency.indices, graph.adjacency.indices)


def test_names_that_collide_stay_apart_in_a_folder() -> None:
    again = graph_of_arrays(**stored(GRAPHS["bipartite"]))
    assert again.names.index_of(["user:1", "item:1"]).tolist() == [0, 2]


def with_array(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[dict[str, Any]], None]:
    def apply(given: dict[str, Any]) -> None:
        given["arrays"][name] = change(given["arrays"][name])

    return apply


def with_kind(**values: object) -> Callable[[dict[str, Any]], None]:
    return lambda given: given.update(kind=given["kind"] | values)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (with_array("edges", lambda own: own[:, ::-1]), "edges are no pairs of its nodes"),
        (with_array("edges", lambda own: own[::-1]), "edges are not in order"),
        (with_array("edges", lambda own: own - 9), "edges are no pairs of its nodes"),
        (with_array("types", lambda own: own[1:]), "types do not fit"),
        (with_array("types", lambda own: own.astype(np.int64)), "types do not fit"),
        (with_array("types", lambda own: own - 1), "types do not fit"),
        (with_array("types", lambda own: own + 1), "types do not fit"),
        (with_array("context", lambda own: own + 99), "links of other types are no pairs"),
        (with_array("context", lambda own: own.astype(np.float32)), "links of other types are no pairs"),
        (with_array("context", lambda _: np.array([[0, 1], [0, 2]], np.int32)), "those that are asked about"),
        (with_array("context_weights", lambda own: own[1:]), "weights do not fit"),
        (with_array("context_weights", lambda own: -own), "weights are not positive"),
        (with_array("seen.edges", lambda own: own[:0]), "times do not fit"),
        (with_array("seen.edges", lambda own: own + 1), "times do not fit"),
        (with_array("seen.edges", lambda own: own * 0), "times do not fit"),
        (with_array("seen.times", lambda own: own * np.nan), "times do not fit"),
        (with_array("seen.times", lambda own: own[:, None]), "times do not fit"),
        (with_array("seen.weights", lambda own: own[1:]), "weights do not fit"),
        (with_array("context_seen.edges", lambda own: own + 2**40), "times do not fit"),
        (with_kind(kind="hyper"), "no kind of graph that this pulink knows"),
        (with_kind(kind=["typed"]), "no kind of graph that this pulink knows"),
        (with_kind(kind="undirected"), "edges are no pairs of its nodes"),
        (with_kind(kind="bipartite"), "does not have two sides"),
        (with_kind(types=["a", "a", "b"]), "types do not fit"),
        (with_kind(types=["a", "b"]), "types do not fit"),
        (with_kind(types=[str(i) for i in range(2_000)]), "types do not fit"),
        (with_kind(types="abc"), "does not say what kind"),
        (with_kind(types=[1, 2, 3]), "does not say what kind"),
        (with_kind(between=[[0, 7]]), "types do not fit"),
        (with_kind(between=[[0, -1]]), "types do not fit"),
        (with_kind(between=[[0, 1.5]]), "types do not fit"),
        (with_kind(between=[[0, True]]), "types do not fit"),
        (with_kind(between=[[0, 1, 2]]), "too many values"),
        (with_kind(between=3), "not iterable"),
        (with_kind(ends=["a", "b", "c"]), "too many values"),
        (with_kind(ends="ab"), "does not say what kind"),
        (with_kind(ends=[{}, []]), "does not say what kind"),
        (lambda given: given.update(kind=["typed"]), "does not say what kind"),
        (lambda given: given["arrays"].pop("types"), "types"),
        (lambda given: given["arrays"].pop("seen.times"), "seen.times"),
    ],
)
def test_what_no_graph_has_is_refused(damage: Callable[[dict[str, Any]], None], message: str) -> None:
    given = stored(GRAPHS["typed with all"])
    damage(given)
    with pytest.raises((KeyError, TypeError, ValueError), match=message):
        graph_of_arrays(**given)


def test_times_of_no_edges_are_refused() -> None:
    given = stored(Graph.from_edges([[0, 1]], times=[1.0]))
    given["arrays"]["edges"] = given["arrays"]["edges"][:0]
    with pytest.raises(ValueError, match="times do not fit its edges"):
        graph_of_arrays(**given)
    given = stored(Graph.from_edges([[0, 1]], times=[1.0]))
    given["arrays"] |= {"seen.edges": np.empty(0, np.int64), "seen.times": np.empty(0)}
    with pytest.raises(ValueError, match="times do not fit its edges"):
        graph_of_arrays(**given)


def test_bipartite_graphs_have_two_sides() -> None:
    for change in ({"types": ["a", "b", "c"]}, {"between": [[0, 0]]}, {"between": [[0, 1], [1, 0]]}):
        given = stored(GRAPHS["bipartite"])
        given["kind"] |= change
        with pytest.raises(ValueError, match="does not have two sides"):
            graph_of_arrays(**given)


def test_fits_of_other_kinds_have_other_keys() -> None:
    rows, sides = [[0, 2], [1, 3], [0, 3]], ["a", "a", "b", "b"]
    two = {"kind": "typed", "node_types": sides, "between": [("a", "b")]}
    graphs = [
        Graph.from_edges(rows),
        Graph.from_edges(rows, kind="directed"),
        Graph.from_edges(rows, kind="bipartite", node_types=sides),
        Graph.from_edges(rows, **two),  # type: ignore[arg-type]
        Graph.from_edges(rows, **two | {"between": [("a", "b"), ("b", "b")]}),  # type: ignore[arg-type]
        Graph.from_edges(rows, **two | {"node_types": ["a", "a", "b", "b"][::-1]}),  # type: ignore[arg-type]
        Graph.from_edges([*rows, [0, 1]], **two),  # type: ignore[arg-type]
        Graph.from_edges([*rows, [2, 3]], **two),  # type: ignore[arg-type]
        Graph.from_edges([*rows, [0, 1]], weights=[1, 1, 1, 2], **two),  # type: ignore[arg-type]
        Graph.from_edges([*rows, [0, 1]], weights=[1, 1, 1, 3], **two),  # type: ignore[arg-type]
        Graph.from_edges(rows, times=[1, 2, 3]),
        Graph.from_edges(rows, times=[1, 2, 4]),
        Graph.from_edges([*rows, [0, 2]], times=[1, 2, 3, 4]),
    ]
    keys = [fit_key("L3", {}, graph) for graph in graphs]
    assert len(set(keys)) == len(keys)


def test_a_split_by_time_has_another_key_than_one_that_hides_the_same_edges() -> None:
    later = split(Graph.from_edges([[0, i] for i in range(1, 9)], times=[*range(8)]), val=0.25, test=0, by="time")
    assert fit_key("L3", {}, later) != fit_key("L3", {}, replace(later, cut=None))


def test_what_ends_and_types_are_called_changes_no_fit() -> None:
    one = Graph.from_edges([[0, 1]], kind="directed", ends=("citing", "cited"))
    assert fit_key("L3", {}, one) == fit_key("L3", {}, replace(one, ends=("a", "b")))


def test_the_key_of_an_undirected_graph_is_made_of_what_it_was_made_of() -> None:
    graph = Graph.from_edges([[1, 0], [2, 1]], weights=[1, 2], features=np.eye(3)).with_absent(np.array([[0, 2]]))
    parts = [*_content(graph)]
    wanted = [np.array([3, 3]), graph.edges, graph.weights, graph.absent, graph.features]
    assert len(parts) == len(wanted)
    assert all(np.array_equal(part, other) for part, other in zip(parts, wanted, strict=True))  # type: ignore[arg-type]
    assert len([*_content(split(Graph.from_edges([[i, i + 1] for i in range(20)])))]) == 6
