"""Rivals and measures on directed and two-sided graphs, against what is worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.kinds.ease import ease_scores
from benchmarks.kinds.graphs import Table
from benchmarks.kinds.item_knn import knn_scores
from benchmarks.kinds.measures import best_cells, best_places, order_right, precision_at_k, recall_and_ndcg
from benchmarks.kinds.orientation import Orientation
from benchmarks.kinds.ours import Ours
from benchmarks.kinds.run import figures
from benchmarks.kinds.scorers import DenseScorer
from benchmarks.kinds.summary import markdown, means
from benchmarks.kinds.svd import leading
from benchmarks.kinds.walks import reverses

import pulink

# Users a, b, c and items x, y, z: a has x and y, b has x and y, c has x.
HAVES = sp.csr_matrix(np.array([[1.0, 1, 0], [1, 1, 0], [1, 0, 0]]))


def test_nearest_neighbours_by_hand() -> None:
    # x and y have two users in common, of 3 and 2: cosine 2 / √6. Nobody has z.
    cosine = 2 / np.sqrt(6)
    expected = [[cosine, cosine, 0], [cosine, cosine, 0], [0, cosine, 0]]
    np.testing.assert_allclose(knn_scores(HAVES, k=2, shrinkage=0.0), expected)
    shrunk = 2 / (np.sqrt(6) + 1)
    np.testing.assert_allclose(knn_scores(HAVES, k=2, shrinkage=1.0)[2, 1], shrunk)


def test_only_the_nearest_neighbours_count() -> None:
    # y shares two users with x and one with w; w's user d has no x.
    haves = sp.csr_matrix(np.array([[1.0, 1, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]]))
    assert knn_scores(haves, k=1, shrinkage=0.0)[3, 1] == 0.0
    np.testing.assert_allclose(knn_scores(haves, k=2, shrinkage=0.0)[3, 1], 1 / np.sqrt(3 * 2))


def test_ease_by_hand() -> None:
    # XᵀX + I of x and y is [[4, 2], [2, 3]], its inverse [[3, -2], [-2, 4]] / 8: B_xy = 2/4, B_yx = 2/3.
    expected = [[2 / 3, 1 / 2, 0], [2 / 3, 1 / 2, 0], [0, 1 / 2, 0]]
    np.testing.assert_allclose(ease_scores(HAVES, penalty=1.0), expected)


def test_ease_of_a_column_is_ridge_regression_on_the_others() -> None:
    haves = sp.random(30, 6, density=0.4, random_state=1, data_rvs=np.ones, format="csr")
    dense = haves.toarray()
    others = dense[:, 1:]
    weights = np.linalg.solve(others.T @ others + 5 * np.eye(5), others.T @ dense[:, 0])
    np.testing.assert_allclose(ease_scores(haves, penalty=5.0)[:, 0], others @ weights)


def test_recall_and_ndcg_by_hand() -> None:
    scores = np.array([[9.0, 5, 4, 3, 2], [1, 2, 3, 4, 5], [0, 0, 0, 0, 0]])
    closed = sp.csr_matrix(np.array([[1.0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]))
    hidden = sp.csr_matrix(np.array([[0.0, 0, 1, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]))
    recall, ndcg = recall_and_ndcg(lambda a, b: scores[a:b], closed, hidden, k=2)
    # Row 0, without its known first: 1, then 2 (hidden) at place 2; 4 is not among two. Row 1: hidden first.
    assert recall == pytest.approx((1 / 2 + 1) / 2)
    first, second = 1.0, 1 / np.log2(3)
    assert ndcg == pytest.approx((second / (first + second) + 1) / 2)


def test_precision_of_as_many_pairs_as_are_hidden() -> None:
    scores = np.array([[9.0, 5, 4], [3, 9, 8], [2, 1, 9]])
    closed = sp.csr_matrix(np.eye(3))
    hidden = sp.csr_matrix(np.array([[0.0, 0, 0], [0, 0, 1], [1, 0, 0]]))
    rows, columns = best_cells(lambda a, b: scores[a:b], closed, 2)
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == [(1, 2), (0, 1)]
    assert precision_at_k((rows, columns), hidden) == 0.5
    assert precision_at_k((rows[:1], columns[:1]), hidden) == 0.5


def test_the_best_cells_do_not_depend_on_blocks_and_ties_are_fair() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 50, (1100, 7)).astype(np.float64)
    rows, columns = best_cells(lambda a, b: scores[a:b], sp.csr_matrix(scores.shape), 300)
    np.testing.assert_array_equal(scores[rows, columns], np.sort(scores.ravel())[::-1][:300])
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == 300
    level, _ = best_cells(lambda a, b: np.zeros((b - a, 7)), sp.csr_matrix(scores.shape), 700)
    assert 0.35 < np.mean(level < 550) < 0.65
    assert best_places(np.array([1.0, 2, 1]), np.array([0.1, 0, 0.2]), 2).tolist() == [1, 2]


def test_order_right_counts_ties_as_halves() -> None:
    assert order_right(np.array([2.0, 1, 1, 0]), np.array([1.0, 1, 2, 0])) == 0.5
    assert order_right(np.array([2.0, 1]), np.array([1.0, 1])) == 0.75


def a_directed_split() -> pulink.Split:
    edges = [[i, j] for i in range(12) for j in range(i + 1, 12) if (i * j + i) % 3]
    return pulink.split(pulink.Graph.from_edges(edges, 12, kind="directed"), val=0.1, test=0.2, seed=0)


def test_measures_of_a_perfect_and_of_a_backward_scorer() -> None:
    split = a_directed_split()
    table = Table.of(split.train)
    right = table.matrix(split.test_edges).toarray()
    perfect = figures(DenseScorer(table, right), split)
    assert {perfect[name] for name in ("auroc", "precision", "order_right", "auroc_reverses")} == {1.0}
    assert perfect["n_one_way"] == len(split.test_edges)
    backward = figures(DenseScorer(table, right.T), split)
    assert (backward["order_right"], backward["auroc_reverses"], backward["precision"]) == (0.0, 0.0, 0.0)


def test_validation_edges_are_in_no_list() -> None:
    split = a_directed_split()
    table = Table.of(split.train)
    scores = table.matrix(split.test_edges).toarray() + 2 * table.matrix(split.val_edges).toarray()
    assert figures(DenseScorer(table, scores), split)["precision"] == 1.0


def test_reverses_come_first() -> None:
    split = a_directed_split()
    rows, columns = reverses(split).best(split.train.n_edges, split.train.edges)
    assert split.train.has_edges(np.stack([columns, rows], axis=1)).all()


def test_orientation_by_degree_learns_that_links_run_to_hubs() -> None:
    rng = np.random.default_rng(0)
    edges = np.unique(np.stack([rng.integers(5, 100, 900), rng.integers(0, 5, 900)], axis=1), axis=0)
    some = rng.permutation(len(edges))
    known, held = edges[some[60:]], edges[some[:60]]
    orientation = Orientation(known, held, 100, seed=0)
    assert (orientation.of_free(held) > 0.9).all()
    assert (orientation.of_free(held[:, ::-1]) < 0.1).all()
    assert (orientation.of_half(known[:, ::-1]) < 0.01).all(), "no link runs both ways"


def test_singular_vectors_where_values_repeat() -> None:
    left, values, right = leading(sp.identity(40, format="csr"), 5, seed=0)
    np.testing.assert_allclose(values, np.ones(5))
    np.testing.assert_allclose(left.T @ left, np.eye(5), atol=1e-8)
    assert right.shape == (5, 40)


def test_what_ours_lists_is_free_and_within_the_table() -> None:
    rows = [[i, 20 + j] for i in range(20) for j in range(15) if (i + j) % 4 == 0 or (i * j) % 7 == 1]
    graph = pulink.Graph.from_edges(rows, 35, kind="bipartite", node_types=["a"] * 20 + ["b"] * 15)
    split = pulink.split(graph, val=0.1, test=0.1, seed=0)
    known = np.concatenate([split.train.edges, split.val_edges])
    first, second = Ours("l3n", split).best(9, known)
    assert (first < 20).all()
    assert len(first) == 9
    assert not graph.pair_space.isin(np.stack([first, second + 20], axis=1), known).any()


def test_the_table_says_in_how_many_splits_ours_is_ahead() -> None:
    def run(method: str, seed: int, precision: float) -> dict[str, object]:
        about = {"dataset": "email_eu_core", "method": method, "seed": seed, "fit_processor_seconds": 1.0}
        return about | {"auroc": 0.9, "precision": precision}

    runs = [run("pull-plus", 0, 0.4), run("pull-plus", 1, 0.4), run("svd", 0, 0.3), run("svd", 1, 0.5)]
    ours, svd = means(runs)
    assert (svd["precision"], svd["precision_ours_ahead"], svd["auroc_ours_ahead"]) == (0.4, "1/2", "0/2")
    assert "precision_ours_ahead" not in ours
    assert "| svd | 2 | 0.9000 ± 0.0000 (0/2) | 0.4000 ± 0.1414 (1/2) | 1.0 |" in markdown(runs)
