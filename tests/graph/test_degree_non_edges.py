"""Non-edges of equal degrees: non-edges indeed, one for each edge, and degree alone cannot tell them apart."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink import metrics
from pulink.graph.degree_non_edges import degree_non_edges


def skewed_graph(seed: int) -> pulink.Graph:
    """Every pair joined in proportion to the product of random weights: hubs and many small nodes."""
    rng = np.random.default_rng(seed)
    weight = rng.pareto(1.5, 600) + 0.3
    low, high = np.triu_indices(600, k=1)
    probability = np.minimum(weight[low] * weight[high] * 0.012, 1)
    linked = rng.random(len(low)) < probability
    return pulink.Graph.from_edges(np.stack([low[linked], high[linked]], axis=1), 600)


@pytest.fixture(scope="module")
def split() -> pulink.Split:
    return pulink.split(skewed_graph(0), val=0.1, test=0.3, seed=0)


def degree_products(split: pulink.Split, pairs: np.ndarray) -> np.ndarray:
    return split.train.degrees[pairs].prod(axis=1).astype(np.float64)


def test_they_are_no_edges_of_the_whole_graph(split: pulink.Split) -> None:
    pairs = degree_non_edges(split, seed=0)
    assert len(pairs) > 0.97 * len(split.test_edges)
    assert not skewed_graph(0).has_edges(pairs).any()
    assert (pairs[:, 0] != pairs[:, 1]).all()


def test_degree_alone_scores_one_half_against_them_and_far_more_against_uniform_ones(split: pulink.Split) -> None:
    edges = degree_products(split, split.test_edges)
    uniform = metrics.auroc(edges, degree_products(split, split.test_non_edges))
    equal = metrics.auroc(edges, degree_products(split, degree_non_edges(split, seed=0)))
    error = 1 / np.sqrt(6 * len(edges))
    assert uniform > 0.75
    assert abs(equal - 0.5) < 4 * error + 0.02


def test_a_seed_fixes_them(split: pulink.Split) -> None:
    assert np.array_equal(degree_non_edges(split, seed=3), degree_non_edges(split, seed=3))
    assert not np.array_equal(degree_non_edges(split, seed=3), degree_non_edges(split, seed=4))


def test_a_complete_graph_has_none() -> None:
    low, high = np.triu_indices(6, k=1)
    train = pulink.Graph.from_edges(np.stack([low[1:], high[1:]], axis=1), 6)
    nothing = np.empty((0, 2), dtype=np.int32)
    split = pulink.Split(train, nothing, nothing, np.array([[0, 1]], dtype=np.int32), nothing)
    assert len(degree_non_edges(split, seed=0)) == 0
