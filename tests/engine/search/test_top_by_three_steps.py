"""The best pairs by three steps, against whole rows of a dense product."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.search.best_pairs import best_first
from pulink.engine.search.top_by_three_steps import top_by_three_steps
from pulink.engine.threads import use_threads


def random_graph(n_nodes: int, n_edges: int, seed: int, hubs: int = 0) -> Adjacency:
    rng = np.random.default_rng(seed)
    ends = [rng.integers(0, n_nodes, (n_edges, 2)), np.argwhere(rng.random((hubs, n_nodes)) < 0.5)]
    pairs = np.sort(np.concatenate(ends), axis=1)
    return symmetric_adjacency(np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0), n_nodes)


def slow(adjacency: Adjacency, count: int) -> npt.NDArray[np.int32]:
    """Pairs that walks join, by dense products."""
    n = adjacency.n_nodes
    a = np.zeros((n, n))
    a[np.repeat(np.arange(n), np.diff(adjacency.indptr)), adjacency.indices] = 1.0
    d = np.maximum(a.sum(axis=1), 1)
    scores = (a / d) @ a @ (a / d).T / np.sqrt(np.outer(d, d))
    pairs = np.argwhere(np.triu((a == 0) & (scores > 0), 1)).astype(np.int32)
    # Rounded, so that what ties by walks of equal weights ties here too.
    found = np.round(scores[pairs[:, 0], pairs[:, 1]], 12)
    return np.asarray(pairs[best_first(found, pairs)[:count]])


@pytest.mark.parametrize(("n_nodes", "n_edges", "hubs"), [(60, 90, 0), (300, 900, 2), (517, 700, 1)])
@pytest.mark.parametrize("count", [1, 37, 2_000, 10**6])
def test_the_list_is_that_of_dense_products(n_nodes: int, n_edges: int, hubs: int, count: int) -> None:
    adjacency = random_graph(n_nodes, n_edges, seed=n_nodes, hubs=hubs)
    found, are_best = top_by_three_steps(adjacency, count)
    assert are_best
    expected = slow(adjacency, 10**6)
    assert len(found) == min(count, len(expected))
    assert (found[:, 0] < found[:, 1]).all()
    # Ties of sums that round differently may stand in another order.
    best = {tuple(pair): place for place, pair in enumerate(expected.tolist())}
    places = np.array([best[tuple(pair)] for pair in found.tolist()])
    assert len(set(places.tolist())) == len(found)
    assert np.mean(places < count) > 0.98


def test_threads_change_nothing() -> None:
    adjacency = random_graph(400, 1_500, seed=5, hubs=3)
    for most_steps in (np.inf, 50_000.0):
        alone, are_best = top_by_three_steps(adjacency, 500, most_steps)
        assert are_best == (most_steps == np.inf)
        with use_threads(3):
            assert np.array_equal(top_by_three_steps(adjacency, 500, most_steps)[0], alone)


def test_past_the_hubs_most_of_the_best_are_found() -> None:
    adjacency = random_graph(600, 2_400, seed=6, hubs=4)
    best, _ = top_by_three_steps(adjacency, 1_000)
    found, are_best = top_by_three_steps(adjacency, 1_000, most_steps=2e6)
    assert not are_best
    assert len({*map(tuple, best.tolist())} & {*map(tuple, found.tolist())}) > 850


def test_more_ties_than_there_is_room_for_are_told() -> None:
    """A hundred thousand paths of four nodes: the two ends of each are joined by three steps, and all tie."""
    first = 4 * np.arange(100_000)[:, None, None]
    paths = (first + np.array([[0, 1], [1, 2], [2, 3]])).reshape(-1, 2)
    for n_paths, are_best in ((1_000, True), (100_000, False)):
        found, told = top_by_three_steps(symmetric_adjacency(paths[: 3 * n_paths], 4 * n_paths), 10)
        assert told == are_best
        assert len(found) == 10 and (found[:, 1] - found[:, 0] == 3).all()


def test_without_edges_or_wishes_there_is_nothing() -> None:
    empty = symmetric_adjacency(np.empty((0, 2), dtype=np.int64), 5)
    assert len(top_by_three_steps(empty, 3)[0]) == len(top_by_three_steps(random_graph(9, 9, 0), 0)[0]) == 0
