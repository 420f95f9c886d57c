"""Splits of graphs of every kind, and splits by time."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulink import Graph, Split, audit, split
from pulink.errors import InputError, LeakError, UnknownNameError
from pulink.graph.degree_non_edges import degree_non_edges
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.graph.split import split_part
from tests.support.kinds import graphs

# Edges in the order in which they were first seen: 0 - 1, 1 - 2, 2 - 3, 3 - 4 and 0 - 2 at one time, 4 - 5.
ROWS = [[0, 1], [1, 2], [2, 3], [3, 4], [0, 2], [4, 5], [1, 0], [2, 1]]
TIMES = [1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0, 2.5]
TIMED = Graph.from_edges(ROWS, n_nodes=8, times=TIMES)


def rows(pairs: np.ndarray) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in pairs]


def random_graph(kind: str, n_nodes: int = 60, n_rows: int = 500, seed: int = 0) -> Graph:
    """Hubs among others, of any kind."""
    rng = np.random.default_rng(seed)
    ends = np.minimum(rng.geometric(0.06, (n_rows, 2)) - 1, n_nodes - 1)
    if kind in ("undirected", "directed"):
        return Graph.from_edges(ends, n_nodes, kind=kind)
    names = ["user", "item"] if kind == "bipartite" else ["drug", "protein", "disease"]
    types = [names[i % len(names)] for i in range(n_nodes)]
    if kind == "bipartite":
        ends = ends[(ends[:, 0] - ends[:, 1]) % 2 == 1]
        return Graph.from_edges(ends, n_nodes, kind=kind, node_types=types, between=[("user", "item")])
    between = [("protein", "drug"), ("disease", "disease")]
    return Graph.from_edges(ends, n_nodes, kind=kind, node_types=types, between=between)


@given(graphs(), st.integers(0, 2**32), st.sampled_from([0.0, 0.2, 0.4]))
def test_parts_of_any_kind_make_up_the_graph(graph: Graph, seed: int, share: float) -> None:
    space = graph.pair_space
    n_hidden = 2 * int(share * graph.n_edges + 1e-9)
    if n_hidden > graph.n_pairs - graph.n_edges:
        return
    data = split(graph, val=share, test=share, seed=seed)
    edges = rows(data.train.edges) + rows(data.hidden_edges)
    assert sorted(edges) == rows(graph.edges)
    non_edges = np.concatenate([data.val_non_edges, data.test_non_edges])
    assert len(space.unique(non_edges)) == len(non_edges) == n_hidden
    assert space.are_ordered(non_edges).all()
    assert not graph.has_edges(non_edges).any()
    assert data.train.space is graph.space


@pytest.mark.parametrize("kind", ["undirected", "directed", "bipartite", "typed"])
def test_parts_that_follow_each_other_hide_every_edge_once(kind: str) -> None:
    graph = random_graph(kind)
    parts = [split_part(graph, 0.25, part, seed=2) for part in range(4)]
    assert np.array_equal(parts[0].val_edges, split(graph, 0.25, 0, seed=2).val_edges)
    hidden = np.concatenate([part.val_edges for part in parts])
    assert len(graph.pair_space.unique(hidden)) == len(hidden) == 4 * (graph.n_edges // 4)


def test_the_audit_knows_the_direction_of_a_pair() -> None:
    ways = Graph.from_edges([[0, 1], [2, 1]], n_nodes=4, kind="directed")
    nothing = ways.edges[:0]
    reverse = np.array([[1, 0]], dtype=np.int32)
    audit(Split(ways, nothing, nothing, reverse, np.array([[1, 2]], dtype=np.int32)))
    with pytest.raises(
        LeakError, match="1 of the test edges stands in the training graph, the first is '0' -> '1'"
    ):
        audit(Split(ways, nothing, nothing, reverse[:, ::-1], nothing))
    with pytest.raises(LeakError, match="'1' -> '0' is held out 2 times"):
        audit(Split(ways, nothing, nothing, reverse, reverse))


@pytest.mark.parametrize("kind", ["directed", "bipartite", "typed"])
def test_degree_tells_nothing_of_non_edges_with_equal_degrees(kind: str) -> None:
    graph = random_graph(kind, 300, 3_000, seed=1)
    data = split(graph, val=0.0, test=0.3, seed=1)
    found = degree_non_edges(data, seed=1)
    assert len(found) > 0.9 * len(data.test_edges)
    assert graph.pair_space.allowed(found).all()
    assert not graph.has_edges(found).any()
    for end in (0, 1):
        edges = data.train.edges[:, end] if kind == "directed" else data.train.edges.ravel()
        degrees = np.bincount(edges, minlength=graph.n_nodes)
        ours, theirs = degrees[found[:, end]].mean(), degrees[data.test_edges[:, end]].mean()
        assert abs(ours / theirs - 1) < 0.15
    if isinstance(graph.space, TypedPairs):
        types = graph.space.types
        kinds = np.unique(types[data.test_edges], axis=0).tolist()
        assert np.unique(types[found], axis=0).tolist() == kinds


def test_a_split_by_time_by_hand() -> None:
    data = split(TIMED, val=0.2, test=0.2, by="time")
    # A fifth of six edges is one: the last new edge, and the two that came at once before it.
    assert data.test_edges.tolist() == [[4, 5]]
    assert sorted(data.val_edges.tolist()) == [[0, 2], [3, 4]]
    assert data.cut == 4.0
    assert data.train.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert data.train.times is not None
    # Of 0 - 1, the sighting at 6 is not known yet.
    assert data.train.times.times.tolist() == [1.0, 2.0, 2.5, 3.0]
    assert (len(data.val_non_edges), len(data.test_non_edges)) == (2, 1)
    assert not TIMED.has_edges(np.concatenate([data.val_non_edges, data.test_non_edges])).any()
    assert data.have_past(data.test_edges).tolist() == [False]
    assert dict(zip(rows(data.val_edges), data.have_past(data.val_edges), strict=True)) == {
        (0, 2): True,
        (3, 4): False,
    }
    assert repr(data) == "Split(train 3 edges, val 2, test 1, seed 0, by time)"


@pytest.mark.parametrize(("val", "test", "n_hidden", "cut"), [(0, 0.2, 1, 5.0), (0.2, 0, 1, 5.0), (0, 0, 0, None)])
def test_a_share_of_none_hides_none(val: float, test: float, n_hidden: int, cut: float | None) -> None:
    data = split(TIMED, val=val, test=test, by="time")
    assert len(data.hidden_edges) == n_hidden
    assert data.cut == cut
    assert data.train.n_edges == 6 - n_hidden


def test_a_seed_changes_only_the_non_edges_of_a_split_by_time() -> None:
    one, other = (split(TIMED, 0.2, 0.2, seed, by="time") for seed in (0, 5))
    assert np.array_equal(one.hidden_edges, other.hidden_edges)
    assert rows(one.val_non_edges) != rows(other.val_non_edges)


def test_edges_of_one_time_cannot_be_told_apart() -> None:
    with pytest.raises(
        InputError, match="all of the 3 edges would be hidden, because edges that were first seen at"
    ):
        split(Graph.from_edges([[0, 1], [1, 2], [2, 3]], 9, times=[1, 1, 1]), val=0, test=0.4, by="time")


def test_a_graph_without_times_is_refused() -> None:
    with pytest.raises(InputError, match=r"^the edges have no times: read them with a time column$"):
        split(Graph.from_edges(ROWS), by="time")


def test_an_unknown_way_to_split_is_refused() -> None:
    with pytest.raises(
        UnknownNameError, match=r"unknown way to split 'tme'. Did you mean 'time'.* Known: random, time"
    ):
        split(TIMED, by="tme")


def test_the_audit_refuses_a_future_that_training_knows() -> None:
    data = split(TIMED, val=0.2, test=0.2, by="time")
    known = TIMED.keep_edges(TIMED.has_edges(TIMED.edges) & data.train.has_edges(TIMED.edges))
    with pytest.raises(
        LeakError, match=r"was seen at 4.0, and training knows of 1 sighting from then on, .* at 6.0"
    ):
        audit(replace(data, train=known))


def test_the_audit_refuses_links_of_other_types_that_came_later() -> None:
    graph = Graph.from_edges(
        [[0, 1], [2, 1], [0, 3], [2, 3], [0, 2]],
        kind="typed",
        node_types=["a", "b", "a", "b"],
        between=[("a", "b")],
        times=[1.0, 2.0, 3.0, 4.0, 5.0],
    )
    # All pairs are linked: there is no non-edge, and this split is made by hand.
    nothing = graph.edges[:0]
    data = Split(graph.before(4.0), nothing, nothing, np.array([[2, 3]], np.int32), nothing, cut=4.0)
    audit(data)
    with pytest.raises(LeakError, match="training knows of later links of other types"):
        audit(replace(data, train=replace(data.train, space=graph.space)))


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 12)), min_size=1, max_size=25),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.sampled_from([0.1, 0.3]),
    st.sampled_from(["undirected", "directed"]),
)
def test_training_lies_before_validation_and_validation_before_test(
    seen: list[tuple[int, int, int]], val: float, test: float, kind: str
) -> None:
    ends = np.array([row[:2] for row in seen])
    graph = Graph.from_edges(ends, 20, kind=kind, times=[float(row[2]) for row in seen])
    try:
        data = split(graph, val=val, test=test, by="time")
    except InputError as error:
        assert "would be hidden" in str(error)
        return
    assert graph.times is not None
    first = dict(zip(rows(graph.edges), graph.times.first, strict=True))
    parts = [[first[pair] for pair in rows(part)] for part in (data.train.edges, data.val_edges, data.test_edges)]
    assert sum(map(len, parts)) == graph.n_edges
    for share, part in ((val, parts[1]), (test, parts[2])):
        assert len(part) >= int(share * graph.n_edges + 1e-9)
    known = [part for part in parts if part]
    assert all(max(one) < min(other) for one, other in pairwise(known))
    if data.cut is not None:
        assert data.cut == min(parts[1] + parts[2])
        assert data.train.times is not None
        assert (data.train.times.times < data.cut).all()
