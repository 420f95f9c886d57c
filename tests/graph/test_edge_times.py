"""When edges were seen, and a graph as it was known before a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulink import Graph
from pulink.errors import InputError
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.spaces.typed_pairs import TypedPairs

SEEN = EdgeTimes.of(np.array([1, 0, 1, 2]), np.array([5.0, 2.0, 3.0, 4.0]), np.array([9, 1, 2, 3], np.float32))
ROWS = [[0, 1], [1, 0], [1, 2], [2, 3], [0, 1]]
TIMES = [4.0, 1.0, 2.0, 6.0, 8.0]


def test_sightings_are_sorted_by_edge_and_time() -> None:
    assert SEEN.edges.tolist() == [0, 1, 1, 2]
    assert SEEN.times.tolist() == [2.0, 3.0, 5.0, 4.0]
    assert SEEN.first.tolist() == [2.0, 3.0, 4.0]
    assert SEEN.last.tolist() == [2.0, 5.0, 4.0]
    assert SEEN.largest_weights is not None
    assert SEEN.largest_weights.tolist() == [1.0, 9.0, 3.0]


def test_edges_that_stay_are_numbered_anew() -> None:
    left = SEEN.of_edges(np.array([False, True, True]))
    assert left.edges.tolist() == [0, 0, 1]
    assert left.times.tolist() == [3.0, 5.0, 4.0]
    assert left.weights is not None
    assert left.weights.tolist() == [2.0, 9.0, 3.0]


def test_before_a_time_is_before_it() -> None:
    past = SEEN.before(4.0)
    assert past.edges.tolist() == [0, 1]
    assert past.times.tolist() == [2.0, 3.0]


def test_nothing_was_seen() -> None:
    nothing = EdgeTimes.of(np.empty(0, np.int64), np.empty(0))
    assert len(nothing.first) == len(nothing.last) == len(nothing.before(1.0).times) == 0
    assert nothing.largest_weights is None


def test_a_graph_merges_rows_and_keeps_every_time() -> None:
    graph = Graph.from_edges(ROWS, times=TIMES)
    assert graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert graph.times is not None
    assert graph.times.edges.tolist() == [0, 0, 0, 1, 2]
    assert graph.times.times.tolist() == [1.0, 4.0, 8.0, 2.0, 6.0]
    assert repr(graph) == "Graph(4 nodes, 3 edges, timed)"


def test_directions_have_times_of_their_own() -> None:
    graph = Graph.from_edges(ROWS, times=TIMES, kind="directed")
    assert graph.times is not None
    assert graph.edges.tolist() == [[0, 1], [1, 0], [1, 2], [2, 3]]
    assert graph.times.first.tolist() == [4.0, 1.0, 2.0, 6.0]


def test_a_graph_before_a_time_by_hand() -> None:
    graph = Graph.from_edges(ROWS, n_nodes=5, times=TIMES, weights=[7.0, 2.0, 3.0, 1.0, 9.0])
    past = graph.before(6.0)
    assert past.n_nodes == 5
    assert past.edges.tolist() == [[0, 1], [1, 2]]
    assert past.times is not None
    assert past.times.times.tolist() == [1.0, 4.0, 2.0]
    # The weight of 9 came later.
    assert past.weights is not None
    assert past.weights.tolist() == [7.0, 3.0]
    assert graph.before(1.0).n_edges == 0
    assert graph.before(1.0).before(0.5).n_edges == 0


def test_weights_that_are_given_anew_belong_to_no_sighting() -> None:
    graph = Graph.from_edges(ROWS, times=TIMES, weights=[7.0, 2.0, 3.0, 1.0, 9.0]).with_weights([5.0, 6.0, 7.0])
    past = graph.before(6.0)
    assert past.weights is not None
    assert past.weights.tolist() == [5.0, 6.0]


def test_links_of_other_types_are_known_no_earlier_than_they_were_seen() -> None:
    graph = Graph.from_edges(
        [[0, 1], [0, 2], [2, 3], [0, 2]],
        kind="typed",
        node_types=["drug", "protein", "drug", "drug"],
        between=[("drug", "protein")],
        times=[1.0, 2.0, 5.0, 7.0],
        weights=[1.0, 2.0, 3.0, 4.0],
    )
    space = graph.before(5.0).pair_space
    assert isinstance(space, TypedPairs)
    assert space.context is not None
    assert space.context.tolist() == [[0, 2]]
    assert space.context_weights is not None
    assert space.context_weights.tolist() == [2.0]
    assert graph.before(5.0).degrees.tolist() == [2, 1, 1, 0]


def test_a_graph_without_times_has_no_past() -> None:
    with pytest.raises(InputError, match="the edges have no times: read them with a time column"):
        Graph.from_edges(ROWS).before(3.0)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 9)), min_size=1, max_size=30),
    st.integers(0, 10),
    st.sampled_from(["undirected", "directed"]),
)
def test_the_past_is_what_the_rows_of_the_past_say(rows: list[tuple[int, int, int]], time: int, kind: str) -> None:
    def graph(of: list[tuple[int, int, int]]) -> Graph:
        ends = np.array([row[:2] for row in of], dtype=np.int64).reshape(-1, 2)
        seen = [float(row[2]) for row in of]
        return Graph.from_edges(ends, 6, kind=kind, times=seen, weights=[when % 3 + 1.0 for when in seen])

    past, wanted = graph(rows).before(time), graph([row for row in rows if row[2] < time])
    assert np.array_equal(past.edges, wanted.edges)
    assert past.times is not None
    assert wanted.times is not None
    assert np.array_equal(past.times.edges, wanted.times.edges)
    assert np.array_equal(past.times.times, wanted.times.times)
    assert np.array_equal(past.weights, wanted.weights)  # type: ignore[arg-type]
