"""Edges dealt out into folds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulink.methods.pull_plus.training_set import deal, group_size, n_used, without
from tests.support.small_views import random_graph


@given(n_edges=st.integers(0, 200), n_folds=st.integers(1, 12), seed=st.integers(0, 50))
def test_folds_differ_by_one_edge_at_most(n_edges: int, n_folds: int, seed: int) -> None:
    folds = deal(n_edges, n_folds, seed)
    sizes = np.bincount(folds, minlength=n_folds)
    assert len(sizes) == n_folds
    assert sizes.sum() == n_edges
    assert sizes.max() - sizes.min() <= 1
    assert np.array_equal(deal(n_edges, n_folds, seed), folds)


def test_neither_number_nor_order_of_an_edge_decides_its_fold() -> None:
    one, other = deal(400, 4, 0), deal(400, 4, 1)
    assert 60 < (one == other).sum() < 140  # by chance 100
    assert all(
        60 < (one[part] == fold).sum() * 4 < 140 for part in (slice(100), slice(300, None)) for fold in range(4)
    )


@pytest.mark.parametrize(
    ("n_edges", "n_folds", "used"),
    [(100, 8, 8), (12_000, 8, 8), (24_000, 8, 4), (250_000, 8, 2), (10**7, 8, 1), (3, 3, 3), (1, 1, 1)],
)
def test_many_edges_need_few_folds(n_edges: int, n_folds: int, used: int) -> None:
    assert n_used(n_edges, n_folds) == used


def test_folds_take_the_graph_apart() -> None:
    graph = random_graph(20, 60, 0, weights=np.arange(1, 61))
    folds = deal(graph.n_edges, 4, 0)
    seen = []
    for fold in range(4):
        left, hidden = without(graph, folds, fold)
        assert not left.has_edges(hidden).any()
        assert left.n_edges + len(hidden) == graph.n_edges
        assert left.weights is not None
        assert graph.weights is not None
        assert np.array_equal(left.weights, graph.weights[folds != fold])
        seen += hidden.tolist()
    assert sorted(seen) == graph.edges.tolist()


@pytest.mark.parametrize(
    ("n_folds", "n_taught", "most_unseen", "size"),
    [(8, 8, 0.25, 2), (8, 8, 0.125, 1), (8, 1, 0.25, 1), (3, 3, 0.25, 1)],
)
def test_folds_share_what_is_trained_without_them(
    n_folds: int, n_taught: int, most_unseen: float, size: int
) -> None:
    assert group_size(n_folds, n_taught, most_unseen) == size
