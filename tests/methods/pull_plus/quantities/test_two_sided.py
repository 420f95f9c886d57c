"""What signals of two-sided pairs are computed from: against dense matrices."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.methods.pull_plus.pair_signals import PairSignals
from pulink.methods.pull_plus.quantities import two_sided
from pulink.methods.pull_plus.quantities.two_sided import PENALTIES, TwoSidedQuantities
from pulink.methods.pull_plus.signals import signal_names
from tests.engine.structure.regression.test_ease import by_columns
from tests.support.small_views import made

# Users and items whose numbers are mixed.
TYPES = ["user", "item", "item", "user", "user", "item", "user", "user", "item", "item", "item", "user"]
USERS, ITEMS = (np.flatnonzero(np.array(TYPES) == side) for side in ("user", "item"))
PAIRS = np.stack([np.repeat(USERS, len(ITEMS)), np.tile(ITEMS, len(USERS))], axis=1).astype(np.int64)
SEEDS = st.integers(0, 999)


def some_sides(seed: int, n_edges: int = 16) -> pulink.Graph:
    rows = np.random.default_rng(seed).permutation(PAIRS)[:n_edges]
    return pulink.Graph.from_edges(
        rows, len(TYPES), kind="bipartite", node_types=TYPES, between=[("user", "item")]
    )


def matrix(graph: pulink.Graph) -> npt.NDArray[np.float64]:
    """X, users x items."""
    a = np.zeros((len(TYPES), len(TYPES)))
    a[graph.edges[:, 0], graph.edges[:, 1]] = 1
    return a[np.ix_(USERS, ITEMS)]


@given(seed=SEEDS, n_edges=st.integers(1, 36))
@settings(max_examples=20)
def test_walks_count_the_nodes_of_one_side_over_their_degree(seed: int, n_edges: int) -> None:
    """u - v' - u' - v: over the degrees of users u', or of items v'; the walk's own ends count nothing."""
    graph = some_sides(seed, n_edges)
    x = matrix(graph)
    by_users = x @ (x / np.maximum(x.sum(axis=1, keepdims=True), 1)).T @ x
    by_items = (x / np.maximum(x.sum(axis=0), 1)) @ x.T @ x
    free = ~graph.has_edges(PAIRS)
    quantities = TwoSidedQuantities(graph)
    assert quantities.walks(PAIRS, True)[free] == pytest.approx(by_users.ravel()[free])
    assert quantities.walks(PAIRS, False)[free] == pytest.approx(by_items.ravel()[free])


@given(seed=SEEDS)
@settings(max_examples=20)
def test_ease_is_that_of_both_sides_for_both_penalties(seed: int) -> None:
    graph = some_sides(seed)
    x, quantities = matrix(graph), TwoSidedQuantities(graph)
    for place, penalty in enumerate(PENALTIES):
        by_second, by_first = by_columns(x, penalty), by_columns(x.T, penalty).T
        assert quantities.ease(PAIRS, 2 * place) == pytest.approx(by_second.ravel(), abs=1e-5)
        assert quantities.ease(PAIRS, 2 * place + 1) == pytest.approx(by_first.ravel(), abs=1e-5)


def test_ease_of_a_directed_graph_is_that_of_its_adjacency() -> None:
    rows = np.random.default_rng(0).integers(0, 8, (25, 2))
    graph = pulink.Graph.from_edges(rows, 8, kind="directed")
    a = np.zeros((8, 8))
    a[graph.edges[:, 0], graph.edges[:, 1]] = 1
    pairs = np.stack(np.divmod(np.arange(64), 8), axis=1)
    assert TwoSidedQuantities(graph).ease(pairs, 0) == pytest.approx(by_columns(a, PENALTIES[0]).ravel(), abs=1e-5)


@given(seed=SEEDS, n_edges=st.integers(1, 36), count=st.integers(1, 40))
@settings(max_examples=25)
def test_the_best_by_ease_are_the_best_free_pairs(seed: int, n_edges: int, count: int) -> None:
    graph = some_sides(seed, n_edges)
    x = matrix(graph)
    both = [by_columns(x, PENALTIES[-1]), by_columns(x.T, PENALTIES[-1]).T]
    total = sum(own / max(float(own.std()), 1e-12) for own in both)
    free = ~graph.has_edges(PAIRS)
    scores = total.ravel()
    found = TwoSidedQuantities(graph).best_by_ease(count)
    assert len(found) == min(count, int(free.sum()))
    assert not graph.has_edges(found).any()
    assert graph.pair_space.are_ordered(found).all()
    assert len(graph.pair_space.unique(found)) == len(found)
    if len(found):
        own = scores[graph.pair_space.isin(PAIRS, found)]
        worst = np.sort(scores[free])[::-1][len(found) - 1]
        assert own.min() >= worst - 1e-3


def test_the_best_by_ease_of_a_directed_graph_are_no_loops_and_no_links() -> None:
    rows = np.random.default_rng(0).integers(0, 8, (25, 2))
    graph = pulink.Graph.from_edges(rows, 8, kind="directed")
    found = TwoSidedQuantities(graph).best_by_ease(1000)
    assert np.array_equal(graph.pair_space.unique(found), graph.pair_space.unconnected(graph.adjacency))


def test_where_sides_are_large_ease_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = some_sides(0)
    monkeypatch.setattr(two_sided, "_MOST_SOLVED", 5)
    assert not TwoSidedQuantities(graph).ease(PAIRS, 0).any()
    assert PairSignals(graph, {}, {}, None).best_by_ease(3) is None
    monkeypatch.setattr(two_sided, "_MOST_SOLVED", 6)
    monkeypatch.setattr(two_sided, "_MOST_CELLS", 35)
    assert not TwoSidedQuantities(graph).has_ease


def test_signals_know_first_from_second_however_a_pair_is_written() -> None:
    graph = some_sides(1)
    view = made(graph)
    assert view.names == signal_names(("spectrum", "encoders"), "bipartite")
    assert "common" not in view.names
    found = view.signals(PAIRS)
    assert np.isfinite(found).all()
    assert np.array_equal(view.signals(PAIRS[:, ::-1]), found)
    own = graph.has_edges(PAIRS)
    for name, end in (("degree_first", 0), ("degree_second", 1)):
        assert np.array_equal(found[:, view.names.index(name)], graph.degrees[PAIRS[:, end]] - own)


def test_a_hidden_edge_leaves_no_trace() -> None:
    graph = some_sides(4, 25)
    keep = np.arange(25) % 5 > 0
    fresh = pulink.Graph.from_edges(
        graph.edges[keep][:, ::-1], len(TYPES), kind="bipartite", node_types=TYPES, between=[("user", "item")]
    )
    assert np.array_equal(made(graph.keep_edges(keep)).signals(PAIRS), made(fresh).signals(PAIRS))


def test_types_of_a_typed_pair_are_signals() -> None:
    graph = pulink.Graph.from_edges(
        [[0, 1], [2, 3], [0, 4]], 5, kind="typed", node_types=[*"abaca"], between=[("a", "b"), ("a", "c")]
    )
    view = PairSignals(graph, {}, {}, None)
    found = dict(zip(view.names, view.signals(np.array([[0, 1], [3, 0], [4, 3]])).T, strict=True))
    assert found["type_first"].tolist() == [0, 0, 0]
    assert found["type_second"].tolist() == [1, 2, 2]
