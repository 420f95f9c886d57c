"""PageRank of pairs by pushes from both ends, against whole columns."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.stats import spearmanr

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.structure.pagerank import PageRank
from pulink.engine.structure.pushed_pagerank import PushedPageRank
from pulink.engine.threads import use_threads


def random_adjacency(n_nodes: int, n_edges: int, seed: int) -> Adjacency:
    """The last node has no edge."""
    rng = np.random.default_rng(seed)
    ends = np.sort((rng.random((n_edges, 2)) ** 2 * (n_nodes - 1)).astype(np.int64), axis=1)
    return symmetric_adjacency(np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0), n_nodes)


def all_pairs(n_nodes: int) -> np.ndarray:
    return np.argwhere(np.triu(np.ones((n_nodes, n_nodes), dtype=np.bool_), 1))


def test_a_small_threshold_gives_the_columns() -> None:
    adjacency, pairs = random_adjacency(60, 140, 0), all_pairs(60)
    exact = PageRank(adjacency, 0.15, 1e-7).pair_scores(pairs)
    assert PushedPageRank(adjacency, threshold=1e-9).pair_scores(pairs) == pytest.approx(exact, abs=2e-6)


def test_two_nodes_by_hand() -> None:
    """p_0[0] = 1 / (2 - α), so that the other holds (1 - α) / (2 - α)."""
    scores = PushedPageRank(symmetric_adjacency(np.array([[0, 1]]), 3), threshold=1e-8).pair_scores(
        np.array([[0, 1], [1, 0], [0, 2]])
    )
    assert scores == pytest.approx([2 * 0.85 / 1.85, 2 * 0.85 / 1.85, 0.0], abs=1e-6)


def test_ranks_are_nearly_those_of_columns() -> None:
    adjacency = random_adjacency(2_000, 5_000, 1)
    pairs = np.random.default_rng(2).integers(0, 2_000, (20_000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    exact = PageRank(adjacency, 0.15, 1e-7).pair_scores(pairs)
    assert spearmanr(PushedPageRank(adjacency).pair_scores(pairs), exact).statistic > 0.98


def test_scores_know_neither_order_nor_company_nor_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    adjacency, pairs = random_adjacency(80, 200, 3), all_pairs(80)
    rank = PushedPageRank(adjacency)
    scores = rank.pair_scores(pairs)
    assert np.array_equal(rank.pair_scores(pairs[::-7, ::-1]), scores[::-7])
    assert rank.pair_scores(pairs[5:6])[0] == scores[5]
    with use_threads(3):
        assert np.array_equal(rank.pair_scores(pairs), scores)
    assert rank.pair_scores(pairs[:0]).shape == (0,)


@pytest.mark.parametrize("most_kept", [0, 200, 1 << 25])
def test_pushes_that_are_kept_change_nothing(most_kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.engine.structure.pushed_pagerank._MOST_KEPT", most_kept)
    adjacency, pairs = random_adjacency(80, 200, 3), all_pairs(80)
    whole, rank = PushedPageRank(adjacency).pair_scores(pairs), PushedPageRank(adjacency)
    parts = [rank.pair_scores(pairs[start : start + 100]) for start in range(0, len(pairs), 100)]
    assert np.array_equal(np.concatenate(parts), whole)
    copied = copy.copy(rank)
    assert not copied._kept.known.any()
    assert np.array_equal(copied.pair_scores(pairs), whole)
    assert sorted(rank.order.tolist()) == list(range(80))
