"""The best pairs by rows against sorting every pair, ties included."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.search import top_by_rows as module
from pulink.engine.search.top_by_common_neighbours import top_by_common_neighbours, unreached_pairs
from pulink.engine.search.top_by_rows import RowFunction, top_by_rows
from pulink.engine.structure.walks import two_step_rows, two_step_sums
from pulink.engine.threads import use_threads
from tests.support.adjacencies import dense, pair_sets, random_adjacency
from tests.support.ties import ranked

F64 = npt.NDArray[np.float64]


def rows_of(scores: F64) -> RowFunction:
    return lambda nodes, first: np.ascontiguousarray(scores[nodes][:, first:])


def sorted_pairs(scores: F64, excluded: Adjacency, count: int) -> list[list[int]]:
    """All unconnected pairs by score, then by their hash."""
    free = np.argwhere(np.triu(dense(excluded) == 0, k=1))
    return [list(pair) for _, _, pair in ranked(scores[free[:, 0], free[:, 1]], free)[:count]]


def symmetric_scores(n_nodes: int, seed: int, levels: int | None = None) -> F64:
    drawn = np.random.default_rng(seed).normal(size=(n_nodes, n_nodes))
    if levels is not None:
        drawn = np.round(drawn * levels) / levels
    return np.triu(drawn) + np.triu(drawn, 1).T


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 30, 900, 10_000])
@pytest.mark.parametrize("levels", [None, 1])
def test_all_pairs(threads: int, count: int, levels: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELLS", 16 * 90)
    excluded = random_adjacency(90, 0.2, seed=1)
    scores = symmetric_scores(90, 2, levels)
    with use_threads(threads):
        assert top_by_rows(rows_of(scores), excluded, count).tolist() == sorted_pairs(scores, excluded, count)


def test_lines_in_an_order_of_their_own_are_the_sources_of_their_pairs() -> None:
    # Scores that are not symmetric: the pair's score stands on the line that is visited first.
    excluded = random_adjacency(40, 0.2, seed=3)
    scores = np.random.default_rng(4).normal(size=(40, 40))
    lines = np.random.default_rng(5).permutation(40)
    place = np.argsort(lines)
    pairs = np.argwhere((dense(excluded) == 0) & (place[:, None] < place[None, :]))
    best = pairs[np.argsort(-scores[pairs[:, 0], pairs[:, 1]])][:100]
    assert top_by_rows(rows_of(scores), excluded, 100, lines=lines).tolist() == best.tolist()


def test_some_lines_give_pairs_with_an_end_among_them() -> None:
    excluded = random_adjacency(50, 0.3, seed=6)
    scores = symmetric_scores(50, 7)
    lines = np.array([9, 30, 2])
    is_line = np.isin(np.arange(50), lines)
    free = np.argwhere(np.triu(dense(excluded) == 0, k=1) & (is_line[:, None] | is_line[None, :]))
    best = free[np.argsort(-scores[free[:, 0], free[:, 1]])].tolist()
    found = np.sort(top_by_rows(rows_of(scores), excluded, 10_000, lines=lines), axis=1)
    assert found.tolist() == best


@settings(derandomize=True, max_examples=60)
@given(pair_sets(), st.integers(0, 50), st.integers(1, 3))
def test_common_neighbours_of_any_small_graph(
    case: tuple[npt.NDArray[np.int32], int], count: int, threads: int
) -> None:
    # Small counts: nearly all scores tie, most of them at zero.
    pairs, n_nodes = case
    adjacency = symmetric_adjacency(pairs, n_nodes)
    ones = np.ones(n_nodes)
    scores = dense(adjacency) @ dense(adjacency)
    expected = sorted_pairs(scores, adjacency, count)
    with use_threads(threads):
        rows = top_by_rows(lambda nodes, first: two_step_rows(adjacency, ones, nodes, first), adjacency, count)
        assert rows.tolist() == expected
        reached = top_by_common_neighbours(adjacency, ones, count)
    assert reached.tolist() == [[i, j] for i, j in expected if scores[i, j] > 0]
    rest = unreached_pairs(adjacency, reached, count - len(reached))
    assert len(rest) == len(expected) - len(reached)
    assert len(np.unique(rest, axis=0)) == len(rest)
    assert (rest[:, 0] < rest[:, 1]).all()
    assert not (dense(adjacency) + scores)[tuple(rest.T)].any()


def test_pairs_without_a_common_neighbour_are_drawn_from_all_of_them() -> None:
    # A star of 40 leaves beside 160 nodes without neighbours: all pairs with one of those are unreached.
    star = symmetric_adjacency(np.array([[0, j] for j in range(1, 41)], dtype=np.int32), 200)
    reached = top_by_common_neighbours(star, np.ones(200), 1_000)
    assert len(reached) == 40 * 39 // 2
    n_unreached = 199 * 100 - 40 - len(reached)
    for count in (2_000, n_unreached, n_unreached + 1):
        rest = unreached_pairs(star, reached, count)
        assert len(rest) == min(count, n_unreached)
        drawn = np.bincount(rest.ravel(), minlength=200)[41:]
        # Each of the 160 nodes has 199 such pairs.
        assert np.abs(drawn - 199 * len(rest) / n_unreached).max() < 6 * np.sqrt(199 * len(rest) / n_unreached)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 50, 2_000, 100_000])
def test_reached_pairs_with_weights_and_a_score_of_their_own(
    threads: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pulink.engine.search.top_by_common_neighbours._BUFFER", 200)
    adjacency = random_adjacency(120, 0.05, seed=8)
    weights = np.random.default_rng(9).random(120)
    everything = np.argwhere(np.ones((120, 120), dtype=np.bool_))
    sums = two_step_sums(adjacency, weights, everything).reshape(120, 120)
    share = sums / (1 + np.add.outer(np.arange(120), np.arange(120)))
    n_reached = int((np.triu((dense(adjacency) == 0) & (sums > 0), k=1)).sum())
    with use_threads(threads):
        plain = top_by_common_neighbours(adjacency, weights, count)
        scored = top_by_common_neighbours(
            adjacency, weights, count, lambda cells, pairs: cells / (1 + pairs[:, 0] + pairs[:, 1].astype(float))
        )
    assert plain.tolist() == sorted_pairs(sums, adjacency, min(count, n_reached))
    assert scored.tolist() == sorted_pairs(share, adjacency, min(count, n_reached))


def test_nothing_to_find() -> None:
    complete = random_adjacency(6, 1.1, seed=0)
    assert top_by_rows(rows_of(np.ones((6, 6))), complete, 5).shape == (0, 2)
    assert top_by_rows(rows_of(np.ones((6, 6))), random_adjacency(6, 0.5, seed=0), 0).shape == (0, 2)
    assert top_by_common_neighbours(complete, np.ones(6), 5).shape == (0, 2)
    assert top_by_common_neighbours(complete, np.ones(6), 0).shape == (0, 2)
    empty = symmetric_adjacency(np.empty((0, 2), dtype=np.int32), 0)
    assert top_by_rows(rows_of(np.ones((0, 0))), empty, 3).shape == (0, 2)
    assert top_by_common_neighbours(empty, np.empty(0), 3).shape == (0, 2)
