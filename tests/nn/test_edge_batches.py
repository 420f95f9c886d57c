"""Every edge once an epoch, each with a fresh non-edge."""

import numpy as np
import pytest

import pulink
from pulink.nn.edge_batches import EdgeBatches
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.05, seed=0)


def epoch(number: int, size: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    batches = list(EdgeBatches(GRAPH, size, seed).epoch(number))
    halves = [(batch.pairs[: len(batch.chosen)], batch.pairs[len(batch.chosen) :]) for batch in batches]
    edges, others = (np.concatenate(part) for part in zip(*halves, strict=True))
    return np.concatenate([batch.chosen for batch in batches]), edges, others


def test_all_edges_are_there_once_and_non_edges_are_none() -> None:
    chosen, edges, others = epoch(0)
    assert np.array_equal(np.sort(chosen), np.arange(GRAPH.n_edges))
    assert np.array_equal(edges, GRAPH.edges[chosen])
    assert len(others) == GRAPH.n_edges
    assert not GRAPH.has_edges(others).any()
    assert (others[:, 0] < others[:, 1]).all()


def test_epochs_differ_and_can_be_had_in_any_order() -> None:
    first, third = epoch(0), epoch(2)
    assert not np.array_equal(first[0], third[0])
    assert GRAPH.pair_space.isin(first[2], third[2]).sum() < 0.5 * GRAPH.n_edges
    assert all(np.array_equal(one, other) for one, other in zip(third, epoch(2), strict=True))
    assert not np.array_equal(first[0], epoch(0, seed=1)[0])


@pytest.mark.parametrize(("size", "n_batches"), [(10**6, 5), (40, -(-GRAPH.n_edges // 40)), (1, GRAPH.n_edges)])
def test_batches_are_small_enough_and_at_least_five(size: int, n_batches: int) -> None:
    batches = list(EdgeBatches(GRAPH, size, 0).epoch(0))
    assert len(batches) == n_batches
    for batch in batches:
        assert 1 <= len(batch.chosen) <= max(size, 1)
        n_edges = len(batch.chosen)
        assert batch.labels.tolist() == [1.0] * n_edges + [0.0] * (len(batch.pairs) - n_edges)


def test_tiny_and_complete_graphs() -> None:
    pair = pulink.Graph.from_edges([[0, 1]], 2)
    (batch,) = EdgeBatches(pair, 8, 0).epoch(0)
    assert (batch.pairs.tolist(), batch.labels.tolist()) == ([[0, 1]], [1.0])
    triangle = pulink.Graph.from_edges([[0, 1], [0, 2], [1, 2]], 3)
    assert [len(batch.pairs) for batch in EdgeBatches(triangle, 8, 0).epoch(0)] == [1, 1, 1]
