"""What signals of directed pairs are computed from: against products of dense matrices."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.graph.spaces.directed_pairs import DirectedPairs
from pulink.methods.pull_plus.pair_signals import PairSignals
from pulink.methods.pull_plus.quantities import directed
from pulink.methods.pull_plus.quantities.directed import DirectedQuantities
from pulink.methods.pull_plus.quantities.pairs import TWO_STEPS
from pulink.methods.pull_plus.signals import signal_names, subject_of
from tests.support.small_views import made, words

N = 11
SPACE = DirectedPairs(N)
PAIRS = SPACE.unconnected(SPACE.adjacency(np.empty((0, 2), np.int32))).astype(np.int64)
SEEDS = st.integers(0, 999)


def some_ways(seed: int, n_edges: int = 35, **more: object) -> pulink.Graph:
    rows = np.random.default_rng(seed).permutation(PAIRS)[:n_edges]
    return pulink.Graph.from_edges(rows, N, kind="directed", **more)  # type: ignore[arg-type]


def dense(graph: pulink.Graph) -> npt.NDArray[np.float64]:
    a = np.zeros((N, N))
    a[graph.edges[:, 0], graph.edges[:, 1]] = 1
    return a


def cells(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(table[PAIRS[:, 0], PAIRS[:, 1]])


@given(seed=SEEDS, n_edges=st.integers(1, 110))
@settings(max_examples=25)
def test_the_four_kinds_of_two_steps_are_products(seed: int, n_edges: int) -> None:
    graph = some_ways(seed, n_edges)
    a = dense(graph)
    over = np.diag(1 / np.maximum(a.sum(axis=0) + a.sum(axis=1), 1))
    quantities = DirectedQuantities(graph)
    twins = {
        "through": (a, a),
        "back": (a.T, a.T),
        "common_targets": (a, a.T),
        "common_sources": (a.T, a),
    }
    assert twins.keys() == TWO_STEPS.keys()
    for name, (one, other) in twins.items():
        found = quantities.two_steps(PAIRS, *TWO_STEPS[name])
        assert found.n_nodes == pytest.approx(cells(one @ other)), name
        assert found.resource == pytest.approx(cells(one @ over @ other)), name


@given(seed=SEEDS)
@settings(max_examples=15)
def test_three_steps_of_a_free_pair_are_products_and_an_edge_does_not_see_itself(seed: int) -> None:
    graph = some_ways(seed)
    whole, over_degrees = DirectedQuantities(graph).three_steps(PAIRS)
    for k in range(0, len(PAIRS), 7):
        i, j = PAIRS[k]
        a = dense(graph)
        a[i, j] = 0
        out, into = np.maximum(a.sum(axis=1), 1), np.maximum(a.sum(axis=0), 1)
        assert whole[k] == pytest.approx((a @ a.T @ a)[i, j])
        assert over_degrees[k] == pytest.approx(((a / into) @ (a.T / out) @ a)[i, j])


@given(seed=SEEDS)
@settings(max_examples=15)
def test_degrees_and_the_reverse_by_sums(seed: int) -> None:
    graph = some_ways(seed)
    a, quantities = dense(graph), DirectedQuantities(graph)
    i, j = PAIRS.T
    own = cells(a)
    expected = a.sum(axis=1)[i] - own, a.sum(axis=0)[i], a.sum(axis=1)[j], a.sum(axis=0)[j] - own
    for one, other in zip(quantities.degrees(PAIRS), expected, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(quantities.reverse(PAIRS), cells(a.T))


def test_pagerank_along_the_direction_is_a_power_of_its_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = some_ways(3)
    a = dense(graph)
    steps = a / np.maximum(a.sum(axis=1, keepdims=True), 1)
    at = np.eye(N)
    for _ in range(12):
        at = 0.15 * np.eye(N) + 0.85 * at @ steps
    found = DirectedQuantities(graph).pagerank(PAIRS)
    assert found == pytest.approx(cells(at), abs=1e-6)
    monkeypatch.setattr(directed, "_ROWS", 3)
    assert np.array_equal(DirectedQuantities(graph).pagerank(PAIRS), found)
    order = np.random.default_rng(0).permutation(len(PAIRS))
    assert np.array_equal(DirectedQuantities(graph).pagerank(PAIRS[order]), found[order])
    monkeypatch.setattr(directed, "_MOST_RANKED", N - 1)
    assert not DirectedQuantities(graph).pagerank(PAIRS).any()


def test_pagerank_along_the_direction_is_near_networkx() -> None:
    cycle = [[k, (k + 1) % N] for k in range(N)]
    graph = pulink.Graph.from_edges(np.concatenate([some_ways(3).edges, cycle]), N, kind="directed")
    twin = nx.DiGraph(graph.edges.tolist())
    from_node = [nx.pagerank(twin, alpha=0.85, personalization={i: 1}, tol=1e-10) for i in range(N)]
    expected = [from_node[i][j] for i, j in PAIRS.tolist()]
    # Twelve steps leave less than 0.85^12 of the way.
    assert DirectedQuantities(graph).pagerank(PAIRS) == pytest.approx(expected, abs=0.05)


def test_degrees_tell_which_way_links_run() -> None:
    """From nodes with many links out to those with many in; the other way round, the log-odds are the negative."""
    graph = pulink.Graph.from_edges([[i, j] for i in range(6) for j in range(6, N)], N, kind="directed")
    quantities = DirectedQuantities(graph)
    found = quantities.orientation(PAIRS)
    i, j = PAIRS.T
    assert (found[(i < 6) & (j >= 6)] > 1).all()
    assert found[(i < 6) & (j < 6)] == pytest.approx(0)
    free = PAIRS[~graph.has_edges(PAIRS) & ~graph.has_edges(np.ascontiguousarray(PAIRS[:, ::-1]))]
    assert quantities.orientation(free[:, ::-1]) == pytest.approx(-quantities.orientation(free))
    both = pulink.Graph.from_edges(np.concatenate([graph.edges, graph.edges[:, ::-1]]), N, kind="directed")
    assert not DirectedQuantities(both).orientation(PAIRS).any()


def test_singular_entries_of_a_small_graph_are_the_adjacency_itself() -> None:
    graph = some_ways(5)
    view = made(graph)
    found = dict(zip(view.names, view.signals(PAIRS).T, strict=True))
    assert found["singular_entry_128"] == pytest.approx(cells(dense(graph)), abs=1e-4)
    turned = found["singular_entry_32"] - cells_of_reverse(found["singular_entry_32"])
    assert found["singular_turn"] == pytest.approx(turned, abs=1e-5)


def cells_of_reverse(column: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    table = np.zeros((N, N))
    table[PAIRS[:, 0], PAIRS[:, 1]] = column
    return cells(table.T)


def test_turns_are_a_difference_of_both_ways() -> None:
    graph = some_ways(5)
    view = PairSignals(graph, {}, {}, None)
    free = ~graph.has_edges(PAIRS) & ~graph.has_edges(np.ascontiguousarray(PAIRS[:, ::-1]))
    found = dict(zip(view.names, view.signals(PAIRS).T, strict=True))
    for name, own in (("l3_turn", found["l3n_roles"]), ("ease_turn", found["ease_by_second_100"])):
        other = own if name == "l3_turn" else own + found["ease_by_first_100"]
        expected = other - cells_of_reverse(other)
        assert found[name][free] == pytest.approx(expected[free], abs=1e-5), name


@pytest.mark.parametrize("features", [None, words(N, 5, 0)], ids=["none", "words"])
def test_signals_of_directed_pairs_are_finite_and_know_the_way(features: object) -> None:
    view = made(some_ways(2, features=features))
    assert view.names == signal_names(
        ("spectrum", "encoders", *(["attributes"] * (features is not None))), "directed"
    )
    forth, back = view.signals(PAIRS), view.signals(PAIRS[:, ::-1])
    assert np.isfinite(forth).all()
    order = np.random.default_rng(0).permutation(len(PAIRS))
    assert np.array_equal(view.signals(PAIRS[order]), forth[order])
    columns = zip(view.names, forth.T, back.T, strict=True)
    same = {name for name, one, other in columns if np.allclose(one, other, rtol=1e-5, atol=1e-6)}
    # What has no direction, and nodes that both ends lead to, or that lead to both.
    without = {name for name in signal_names(kind="undirected") if name in view.names}
    shared = {f"common_{ends}{over}" for ends in ("sources", "targets") for over in ("", "_resource")}
    # Rows of a source and of a target between roles have no column in common: their cosine is rounding alone.
    nothing = {"singular_cosine_32", "singular_cosine_128"}
    assert same == without | shared | nothing


def test_a_hidden_edge_leaves_no_trace() -> None:
    graph = some_ways(4)
    keep = np.arange(graph.n_edges) % 5 > 0
    fresh = pulink.Graph.from_edges(graph.edges[keep][::-1], N, kind="directed")
    assert np.array_equal(made(graph.keep_edges(keep)).signals(PAIRS), made(fresh).signals(PAIRS))


@given(seed=SEEDS)
@settings(max_examples=10)
def test_degrees_and_three_steps_of_an_edge_are_those_without_it(seed: int) -> None:
    """What a lesson asks for must not be there to be read, as it is not where an unknown link is asked for."""
    graph = some_ways(seed)
    names = signal_names((), "directed")
    blind = [
        (subject_of(name) in ("degrees", "directed walks", "common neighbours", "walks of three steps"))
        and name not in ("orientation",)
        for name in names
    ]
    for k in range(0, graph.n_edges, 9):
        edge = graph.edges[k : k + 1].astype(np.int64)
        if graph.has_edges(np.ascontiguousarray(edge[:, ::-1])).any():
            continue
        rest = graph.keep_edges(np.arange(graph.n_edges) != k)
        seen, unseen = (PairSignals(own, {}, {}, None).signals(edge)[0, blind] for own in (graph, rest))
        assert seen == pytest.approx(unseen, rel=1e-5, abs=1e-6)
