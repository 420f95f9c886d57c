"""The best pairs of rows that workers hold: those of all pairs, whoever holds the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.distributed.group.group import Group
from pulink.distributed.group.own_rows import own_rows
from pulink.distributed.group.shards import Shards
from pulink.engine.search.best_pairs import best_first
from pulink.engine.search.top_by_embedding import top_by_embedding
from pulink.predictor.sharded import best_pairs
from pulink.predictor.sharded.best_pairs import BestPairSearch
from tests.support.planted import planted_graph

GRAPH = planted_graph(25, 3, 0.5, 0.03, seed=0)


def search(graph: pulink.Graph, z: np.ndarray, exact_nodes: int = 200_000) -> BestPairSearch:
    rows = own_rows(graph, Shards.of_degrees(graph.degrees), range(256))
    return BestPairSearch(rows, Group(), z.astype(np.float32), graph.has_edges, exact_nodes)


def slow_best(graph: pulink.Graph, z: np.ndarray, count: int) -> np.ndarray:
    pairs = np.stack(np.triu_indices(graph.n_nodes, 1), axis=1)
    pairs = pairs[~graph.has_edges(pairs)]
    scores = np.array([np.float32(z[i].astype(np.float32) @ z[j].astype(np.float32)) for i, j in pairs])
    return pairs[best_first(scores, pairs)[:count]]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 100), count=st.integers(0, 3_000), scale=st.sampled_from([0.1, 1.0, 30.0]))
def test_the_best_of_all_pairs_are_found(seed: int, count: int, scale: float) -> None:
    # Whole numbers: inner products are exact, and many are equal.
    z = np.random.default_rng(seed).integers(-2, 3, (GRAPH.n_nodes, 8)) * scale
    found, searched = search(GRAPH, np.round(z * 8) / 8).best(count)
    assert searched.exact
    np.testing.assert_array_equal(found, slow_best(GRAPH, np.round(z * 8) / 8, count))


def test_equal_scores_come_in_the_order_of_one_machine() -> None:
    z = np.ones((GRAPH.n_nodes, 8), dtype=np.float32)
    found, _ = search(GRAPH, z).best(500)
    np.testing.assert_array_equal(found, np.sort(top_by_embedding(z, GRAPH.adjacency, 500), axis=1))


def test_a_sampled_threshold_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    z = np.random.default_rng(3).integers(-3, 4, (GRAPH.n_nodes, 8))
    expected = slow_best(GRAPH, z, 40)
    monkeypatch.setattr(best_pairs, "_SAMPLE", 1_000)
    np.testing.assert_array_equal(search(GRAPH, z).best(40)[0], expected)


def test_small_buffers_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    z = np.random.default_rng(4).integers(-3, 4, (GRAPH.n_nodes, 8))
    expected = slow_best(GRAPH, z, 100)
    monkeypatch.setattr(best_pairs, "_BUFFER", 10)
    np.testing.assert_array_equal(search(GRAPH, z).best(100)[0], expected)


def test_large_graphs_search_hubs_norms_and_two_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_pairs, "N_HUBS", 2)
    monkeypatch.setattr(best_pairs, "N_NORMS", 3)
    z = np.random.default_rng(5).normal(size=(GRAPH.n_nodes, 8)).astype(np.float32)
    found, searched = search(GRAPH, z, exact_nodes=10).best(200)
    assert not searched.exact
    large = np.argsort(-np.linalg.norm(z, axis=1))[:3]
    hubs = np.argsort(-GRAPH.degrees, kind="stable")[:2]
    pairs = np.stack(np.triu_indices(GRAPH.n_nodes, 1), axis=1)
    pairs = pairs[~GRAPH.has_edges(pairs)]
    dense = GRAPH.adjacency.to_scipy().toarray() if hasattr(GRAPH.adjacency, "to_scipy") else _dense(GRAPH)
    two_steps = (dense @ dense)[pairs[:, 0], pairs[:, 1]] > 0
    may = pairs[two_steps | np.isin(pairs, np.concatenate([large, hubs])).any(axis=1)]
    scores = np.einsum("ij,ij->i", z[may[:, 0]], z[may[:, 1]])
    wanted = {tuple(pair) for pair in may[np.argsort(-scores)[:200]].tolist()}
    assert {tuple(pair) for pair in found.tolist()} == wanted


def _dense(graph: pulink.Graph) -> np.ndarray:
    dense = np.zeros((graph.n_nodes, graph.n_nodes), dtype=np.int64)
    dense[graph.edges[:, 0], graph.edges[:, 1]] = dense[graph.edges[:, 1], graph.edges[:, 0]] = 1
    return dense
