"""Personalised PageRank against NetworkX, the dense inverse and answers worked out by hand."""

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.structure.pagerank import PageRank, series
from pulink.engine.threads import use_threads
from tests.support.adjacencies import dense, pair_sets, random_adjacency, random_pairs

F64 = npt.NDArray[np.float64]


def slow(adjacency: Adjacency, restart: float) -> F64:
    """Row i is p_i, by the inverse of a matrix."""
    matrix = dense(adjacency)
    degrees = matrix.sum(axis=1)
    walk = matrix / np.maximum(degrees, 1)[:, None]
    walk[degrees == 0, degrees == 0] = 1.0
    return restart * np.linalg.inv(np.eye(len(matrix)) - (1 - restart) * walk)


def test_two_nodes_by_hand() -> None:
    # p = α e_0 + (1 − α) (p_1, p_0): p_0 = 1 / (2 − α), p_1 = (1 − α) / (2 − α); node 2 stands alone.
    pair = symmetric_adjacency(np.array([[0, 1]], dtype=np.int32), 3)
    rank = PageRank(pair, restart=0.2)
    expected = np.array([[1 / 1.8, 0.8 / 1.8, 0], [0.8 / 1.8, 1 / 1.8, 0], [0, 0, 1]])
    np.testing.assert_allclose(rank.vectors(np.arange(3)), expected, atol=1e-6)
    np.testing.assert_allclose(rank.pair_scores(np.array([[0, 1], [0, 2]])), [1.6 / 1.8, 0], atol=1e-6)


@settings(derandomize=True, max_examples=20)
@given(pair_sets())
def test_networkx_on_any_small_graph(case: tuple[npt.NDArray[np.int32], int]) -> None:
    pairs, n_nodes = case
    graph = nx.Graph()
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from(pairs.tolist())
    vectors = PageRank(symmetric_adjacency(pairs, n_nodes)).vectors(np.arange(n_nodes))
    for i in range(n_nodes):
        theirs = nx.pagerank(graph, alpha=0.85, personalization={i: 1}, tol=1e-10, max_iter=1000)
        np.testing.assert_allclose(vectors[i], [theirs[j] for j in range(n_nodes)], atol=2e-6)


@pytest.mark.parametrize("restart", [0.05, 0.15, 0.6, 0.95])
def test_pairs_and_rows_are_both_ways_summed(restart: float) -> None:
    adjacency = random_adjacency(90, 0.06, seed=1)
    both = slow(adjacency, restart)
    both = both + both.T
    rank = PageRank(adjacency, restart, 1e-7)
    pairs = np.argwhere(~np.eye(90, dtype=np.bool_))
    scores = rank.pair_scores(pairs)
    np.testing.assert_allclose(scores, both[pairs[:, 0], pairs[:, 1]], atol=3e-6)
    rows = rank.rows(np.arange(90), 0)
    np.testing.assert_allclose(rows[pairs[:, 0], pairs[:, 1]], both[pairs[:, 0], pairs[:, 1]], atol=3e-6)
    assert np.array_equal(rank.rows(np.array([7, 80]), 30), rows[[7, 80], 30:])


def test_the_series_keeps_its_bound() -> None:
    x = np.linspace(-1, 1, 1_001)
    for restart in (0.02, 0.15, 0.5, 0.9):
        for tolerance in (1e-2, 1e-4, 1e-6):
            coefficients = series(restart, tolerance).astype(np.float64)
            summed = np.polynomial.chebyshev.chebval(x, coefficients)
            assert np.abs(summed - restart / (1 - (1 - restart) * x)).max() < tolerance + 3e-7
    assert len(series(0.15, 1e-6)) == 25


def test_same_bits_from_both_ends_in_any_batch_and_on_the_source_lines() -> None:
    adjacency = symmetric_adjacency(random_pairs(70, 0.1, seed=2), 75)
    rank = PageRank(adjacency)
    pairs = np.argwhere(np.ones((75, 75), dtype=np.bool_))
    square = rank.pair_scores(pairs).reshape(75, 75)
    assert np.array_equal(square, square.T)
    assert (square >= 0).all()
    order = np.random.default_rng(3).permutation(len(pairs))[:300]
    assert np.array_equal(rank.pair_scores(pairs[order]), square.ravel()[order])
    assert rank.pair_scores(pairs[order[:1]])[0] == square.ravel()[order[0]]
    rows = rank.rows(rank.order)
    for line, i in enumerate(rank.order):
        later = rank.order[line:]
        assert np.array_equal(rows[line, later], square[i, later])
    with use_threads(3):
        assert np.array_equal(rank.pair_scores(pairs), square.ravel())


@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-4])
def test_cells_of_single_pairs_are_those_of_whole_columns(tolerance: float) -> None:
    """Steps along the edges that matter against products with all of them; a hub has too many."""
    star = [(0, j) for j in range(1, 400)]
    chain = [(j, j + 1) for j in range(400, 999)]
    adjacency = symmetric_adjacency(np.array(sorted([*star, *chain, (1, 400), (2, 17)])), 1_001)
    rank = PageRank(adjacency, 0.15, tolerance)
    pairs = np.array([(0, 1), (1, 2), (2, 17), (401, 400), (700, 703), (5, 5), (3, 1_000), (0, 401)])
    both = rank.rows(np.arange(1_001))
    sources = [i if (rank.order == i).argmax() < (rank.order == j).argmax() else j for i, j in pairs]
    expected = [both[s, i + j - s] for s, (i, j) in zip(sources, pairs, strict=True)]
    assert np.array_equal(rank.pair_scores(pairs), expected)


def test_a_coarse_tolerance_takes_fewer_products() -> None:
    adjacency = random_adjacency(50, 0.1, seed=4)
    coarse, fine = PageRank(adjacency, 0.15, 1e-2), PageRank(adjacency, 0.15, 1e-7)
    assert coarse.n_products < fine.n_products / 2
    difference = coarse.vectors(np.arange(50)) - fine.vectors(np.arange(50))
    assert 1e-7 < np.abs(difference).max() < 5e-2
