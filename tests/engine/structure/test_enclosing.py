"""Enclosing subgraphs: labels worked out by hand, and a slow twin in NetworkX."""

from itertools import pairwise

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.random import stream_key
from pulink.engine.structure.enclosing import EnclosingSubgraphs, enclosing_subgraphs
from pulink.engine.threads import use_threads
from tests.support.adjacencies import pair_sets, random_adjacency

KEY = stream_key(0, "enclosing")
Found = tuple[list[int], dict[int, int], set[tuple[int, int]]]


def of(edges: list[tuple[int, int]], n_nodes: int) -> Adjacency:
    return symmetric_adjacency(np.array(sorted(edges), dtype=np.int32).reshape(-1, 2), n_nodes)


def single(adjacency: Adjacency, pair: tuple[int, int], hops: int, cap: int | None = None) -> Found:
    """One pair's nodes in order, their labels, and the edges among them."""
    return found(enclosing_subgraphs(adjacency, np.array([pair]), hops, cap, KEY), 0)


def found(batch: EnclosingSubgraphs, g: int) -> Found:
    rows = range(batch.starts[g], batch.starts[g + 1])
    indptr, indices = batch.adjacency.indptr, batch.adjacency.indices
    node = batch.nodes.tolist()
    entries = [(row, column) for row in rows for column in indices[indptr[row] : indptr[row + 1]].tolist()]
    assert all(column in rows for _, column in entries)
    assert entries == sorted(set(entries))
    assert {(column, row) for row, column in entries} == set(entries)
    edges = {(min(node[a], node[b]), max(node[a], node[b])) for a, b in entries}
    return [node[row] for row in rows], {node[row]: int(batch.labels[row]) for row in rows}, edges


def twin_labels(graph: nx.Graph, x: int, y: int) -> dict[int, int]:
    """By the definition, with shortest paths in the subgraph without one of the ends."""

    def distances(root: int, barred: int) -> dict[int, int]:
        rest = graph.subgraph(set(graph) - {barred})
        return dict(nx.single_source_shortest_path_length(rest, root))

    to_x, to_y = distances(x, y), distances(y, x)
    labels = {x: 1, y: 1}
    for v in set(graph) - {x, y}:
        if v in to_x and v in to_y:
            d = to_x[v] + to_y[v]
            labels[v] = 1 + min(to_x[v], to_y[v]) + (d // 2) * (d // 2 + d % 2 - 1)
        else:
            labels[v] = 0
    return labels


def check_given_nodes(whole: nx.Graph, result: Found, pair: tuple[int, int]) -> None:
    """Edges and labels follow from the nodes."""
    nodes, labels, edges = result
    inner = nx.Graph(whole.subgraph(nodes))
    inner.remove_edges_from([pair])
    assert edges == {(min(e), max(e)) for e in inner.edges}
    assert labels == twin_labels(inner, *pair)
    assert nodes[:2] == sorted(pair)
    assert nodes[2:] == sorted(set(nodes) - set(pair))


def as_networkx(adjacency: Adjacency) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(adjacency.n_nodes))
    rows = np.repeat(np.arange(adjacency.n_nodes), np.diff(adjacency.indptr))
    graph.add_edges_from(zip(rows.tolist(), adjacency.indices.tolist(), strict=True))
    return graph


def check_twin(adjacency: Adjacency, pairs: list[tuple[int, int]], hops: int) -> None:
    """An extraction without a cap, node sets included."""
    batch = enclosing_subgraphs(adjacency, np.array(pairs), hops, None, KEY)
    whole = as_networkx(adjacency)
    for g, (i, j) in enumerate(pairs):
        result = found(batch, g)
        near = [set(nx.single_source_shortest_path_length(whole, end, cutoff=hops)) for end in (i, j)]
        assert set(result[0]) == near[0] | near[1]
        check_given_nodes(whole, result, (i, j))


def test_the_third_node_of_a_triangle() -> None:
    # 2 is one step from both ends: 1 + 1 + 1 · (1 + 0 − 1) = 2. The edge 0 – 1 is left out.
    nodes, labels, edges = single(of([(0, 1), (0, 2), (1, 2)], 3), (0, 1), 1)
    assert nodes == [0, 1, 2]
    assert labels == {0: 1, 1: 1, 2: 2}
    assert edges == {(0, 2), (1, 2)}


@pytest.mark.parametrize(
    ("n_between", "labels"),
    # Node k of a path with L nodes between the ends has dx = k, dy = L + 1 − k.
    [(1, [2]), (2, [3, 3]), (3, [4, 5, 4]), (4, [6, 7, 7, 6]), (5, [8, 9, 10, 9, 8])],
)
def test_nodes_along_a_path(n_between: int, labels: list[int]) -> None:
    path = [0, *range(2, 2 + n_between), 1]
    edges = [(min(a, b), max(a, b)) for a, b in pairwise(path)]
    result = single(of(edges, n_between + 2), (0, 1), n_between)
    assert [result[1][v] for v in path[1:-1]] == labels


def test_a_small_graph_by_hand() -> None:
    # 0 and 1 are the ends, connected; 2 next to both; 3 next to 0 and 2; 4 hangs on 0 alone; 5 hangs on 3.
    graph = of([(0, 1), (0, 2), (1, 2), (0, 3), (2, 3), (0, 4), (3, 5)], 7)
    nodes, labels, edges = single(graph, (1, 0), 1)
    assert nodes == [0, 1, 2, 3, 4]
    # 3: one step from 0, two from 1 by way of 2. 4: cut off from 1 once 0 is taken away.
    assert labels == {0: 1, 1: 1, 2: 2, 3: 3, 4: 0}
    assert edges == {(0, 2), (1, 2), (0, 3), (2, 3), (0, 4)}
    # Two hops bring in 5: two steps from 0, three from 1: 1 + 2 + 2 · (2 + 1 − 1) = 7.
    assert single(graph, (1, 0), 2)[1] == labels | {5: 7}


def test_an_end_is_never_passed_through() -> None:
    # 2 – 0 – 3 – 1: by way of 0, node 2 would be three steps from 1.
    assert single(of([(0, 2), (0, 3), (1, 3)], 4), (0, 1), 2)[1] == {0: 1, 1: 1, 2: 0, 3: 2}


def test_isolated_and_equal_ends() -> None:
    graph = of([(0, 2), (2, 3)], 4)
    assert single(graph, (1, 0), 1) == ([0, 1, 2], {0: 1, 1: 1, 2: 0}, {(0, 2)})
    batch = enclosing_subgraphs(graph, np.array([[2, 2]]), 1, None, KEY)
    assert batch.nodes.tolist() == [2, 2, 0, 3]
    assert batch.labels.tolist() == [1, 1, 0, 0]
    assert batch.adjacency.indptr.tolist() == [0, 2, 2, 3, 4]


def test_no_pairs() -> None:
    batch = enclosing_subgraphs(of([(0, 1)], 2), np.empty((0, 2), dtype=np.int64), 1, 10, KEY)
    assert batch.starts.tolist() == [0]
    assert batch.adjacency.n_nodes == 0


@pytest.mark.parametrize("hops", [1, 2, 3])
@pytest.mark.parametrize("density", [0.03, 0.1])
def test_random_graphs_equal_the_twin(hops: int, density: float) -> None:
    pairs = np.random.default_rng(hops).permuted(np.tile(np.arange(60), (40, 1)), axis=1)[:, :2]
    check_twin(random_adjacency(60, density, seed=hops), [(int(i), int(j)) for i, j in pairs], hops)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(pair_sets(), st.integers(0, 3))
def test_every_pair_of_any_small_graph_equals_the_twin(case: tuple[npt.NDArray[np.int32], int], hops: int) -> None:
    pairs, n_nodes = case
    every = [(int(i), int(j)) for i in range(n_nodes) for j in range(n_nodes) if i != j]
    if every:
        check_twin(symmetric_adjacency(pairs, n_nodes), every, hops)


def hub_graph() -> Adjacency:
    """Two hubs of 400 and 90 neighbours, a node of three, and random edges among all."""
    rng = np.random.default_rng(0)
    edges = (
        {(0, 10 + k) for k in range(400)}
        | {(1, 10 + k) for k in range(350, 440)}
        | {(2, 500 + k) for k in range(3)}
    )
    low, high = np.sort(rng.integers(10, 520, size=(2, 3_000)), axis=0)
    edges |= {(int(a), int(b)) for a, b in zip(low, high, strict=True) if a < b}
    return of(sorted(edges | {(0, 2)}), 520)


HUBS = hub_graph()
SOME = np.array([(0, 1), (0, 2), (1, 2), (15, 0), (20, 30), (2, 500), (3, 0)])


@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize("cap", [0, 4, 30])
def test_a_cap_is_respected_and_the_rest_follows_from_the_nodes(hops: int, cap: int) -> None:
    batch = enclosing_subgraphs(HUBS, SOME, hops, cap, KEY)
    whole = as_networkx(HUBS)
    assert (np.diff(batch.starts) <= 2 + hops * cap).all()
    assert batch.starts[1] == 2 + hops * cap
    for g, (i, j) in enumerate(SOME.tolist()):
        result = found(batch, g)
        near = [set(nx.single_source_shortest_path_length(whole, end, cutoff=hops)) for end in (i, j)]
        assert set(result[0]) <= near[0] | near[1]
        check_given_nodes(whole, result, (i, j))


def assert_equal(one: EnclosingSubgraphs, other: EnclosingSubgraphs) -> None:
    for part in ("starts", "nodes", "labels"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    np.testing.assert_array_equal(one.adjacency.indptr, other.adjacency.indptr)
    np.testing.assert_array_equal(one.adjacency.indices, other.adjacency.indices)


@pytest.mark.parametrize("cap", [None, 12])
def test_both_orientations_are_one(cap: int | None) -> None:
    forth, back = (enclosing_subgraphs(HUBS, pairs, 2, cap, KEY) for pairs in (SOME, SOME[:, ::-1]))
    assert_equal(forth, back)


def test_a_batch_holds_what_each_pair_has_alone_on_any_number_of_threads() -> None:
    batch = enclosing_subgraphs(HUBS, SOME, 2, 12, KEY)
    for g, (i, j) in enumerate(SOME.tolist()):
        assert found(batch, g) == single(HUBS, (i, j), 2, 12)
    with use_threads(3):
        assert_equal(batch, enclosing_subgraphs(HUBS, SOME, 2, 12, KEY))


@pytest.mark.parametrize("cap", [None, 12])
def test_the_target_edge_changes_nothing(cap: int | None) -> None:
    edges = [(min(e), max(e)) for e in as_networkx(HUBS).edges]
    for pair in [(0, 2), (0, 15), (1, 400), (2, 500), *edges[::200]]:
        seen = single(HUBS, pair, 2, cap)
        assert pair not in seen[2]
        assert pair in edges
        assert single(of([e for e in edges if e != pair], 520), pair, 2, cap) == seen


def test_a_hub_leaves_room_for_the_neighbours_of_the_other_end() -> None:
    # Of 403 candidates for 30 places, the three of node 2 weigh 1/3 each and the hub's 1/400.
    own = {500, 501, 502}
    kept = [len(own & set(drawn_nodes(key, 30, (0, 2)))) for key in range(50)]
    assert np.mean(kept) > 2.9


def drawn_nodes(key: int, cap: int, pair: tuple[int, int]) -> list[int]:
    batch = enclosing_subgraphs(HUBS, np.array([pair]), 1, cap, stream_key(key))
    return batch.nodes[2:].tolist()


def test_equal_weights_are_drawn_evenly() -> None:
    # Node 3 is alone: the neighbours of 0 have equal chances.
    n_draws, cap, degree = 2_000, 40, 401
    counts = np.zeros(520)
    for key in range(n_draws):
        counts[drawn_nodes(key, cap, (0, 3))] += 1
    neighbours = HUBS.indices[HUBS.indptr[0] : HUBS.indptr[1]]
    assert counts.sum() == counts[neighbours].sum() == n_draws * cap
    probability = cap / degree
    # The sum of squared deviations is about chi-square with `degree` − 1 degrees of freedom.
    deviation = ((counts[neighbours] - n_draws * probability) ** 2).sum() / (
        n_draws * probability * (1 - probability)
    )
    assert abs(deviation - degree) < 5 * np.sqrt(2 * degree)


def test_the_key_matters_only_where_there_is_a_choice() -> None:
    other = stream_key(1)
    assert drawn_nodes(0, 30, (0, 1)) != drawn_nodes(1, 30, (0, 1))
    assert_equal(enclosing_subgraphs(HUBS, SOME, 1, None, KEY), enclosing_subgraphs(HUBS, SOME, 1, 600, other))
