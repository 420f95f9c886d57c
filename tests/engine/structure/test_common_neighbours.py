"""Common neighbours against sets, and their sums against dense products."""

import numpy as np
import numpy.typing as npt
import torch
from hypothesis import given, settings

from pulink.engine.adjacency import symmetric_adjacency
from pulink.engine.structure.common_neighbours import (
    common_neighbour_sums,
    common_neighbours,
    most_common_neighbours,
)
from pulink.engine.threads import use_threads
from tests.support.adjacencies import dense, pair_sets, random_adjacency


def rows(indptr: npt.NDArray[np.integer], indices: npt.NDArray[np.int32]) -> list[list[int]]:
    return [indices[indptr[p] : indptr[p + 1]].tolist() for p in range(len(indptr) - 1)]


def all_ordered(n_nodes: int) -> npt.NDArray[np.int64]:
    return np.stack(np.divmod(np.arange(n_nodes * n_nodes), n_nodes), axis=1)


def test_a_small_graph_by_hand() -> None:
    # A square 0 - 1 - 2 - 3 with the diagonal 0 - 2, and 4 beside.
    square = symmetric_adjacency(np.array([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)], dtype=np.int32), 5)
    pairs = np.array([(0, 2), (1, 3), (3, 1), (0, 1), (0, 4), (4, 4)])
    assert rows(*common_neighbours(square, pairs)) == [[1, 3], [0, 2], [0, 2], [2], [], []]
    assert most_common_neighbours(square, pairs) == 3 + 2 + 2 + 2


@settings(derandomize=True, max_examples=60)
@given(pair_sets())
def test_any_small_graph(case: tuple[npt.NDArray[np.int32], int]) -> None:
    pairs, n_nodes = case
    adjacency = symmetric_adjacency(pairs, n_nodes)
    linked = dense(adjacency) > 0
    every = all_ordered(n_nodes)
    found = rows(*common_neighbours(adjacency, every))
    assert found == [np.flatnonzero(linked[i] & linked[j]).tolist() for i, j in every.tolist()]


def test_hubs_and_leaves() -> None:
    # Two hubs that share every third of 300 leaves.
    spokes = [(0, 2 + leaf) for leaf in range(300)] + [(1, 2 + leaf) for leaf in range(0, 300, 3)]
    adjacency = symmetric_adjacency(np.array(sorted(spokes), dtype=np.int32), 302)
    indptr, indices = common_neighbours(adjacency, np.array([(0, 1), (2, 5), (3, 2)]))
    assert indptr.tolist() == [0, 100, 102, 103]
    assert indices.tolist() == [*range(2, 302, 3), 0, 1, 0]


def test_no_pairs() -> None:
    indptr, indices = common_neighbours(random_adjacency(5, 0.5, seed=0), np.empty((0, 2), dtype=np.int64))
    assert (indptr.tolist(), indices.tolist()) == ([0], [])


def test_threads_change_nothing() -> None:
    adjacency = random_adjacency(70, 0.2, seed=1)
    alone = common_neighbours(adjacency, all_ordered(70))
    with use_threads(3):
        shared = common_neighbours(adjacency, all_ordered(70))
    assert all(np.array_equal(one, other) for one, other in zip(alone, shared, strict=True))


def test_sums_and_their_gradient_are_those_of_the_dense_product() -> None:
    adjacency = random_adjacency(40, 0.3, seed=2)
    linked = torch.from_numpy(dense(adjacency))
    pairs = np.random.default_rng(3).integers(0, 40, (90, 2))
    h = torch.from_numpy(np.random.default_rng(4).normal(size=(40, 6)).astype(np.float32)).requires_grad_()
    twin = h.detach().double().requires_grad_()
    weights = torch.from_numpy(np.random.default_rng(5).normal(size=(90, 6)))
    sums = common_neighbour_sums(adjacency, pairs) @ h
    slow = (linked[pairs[:, 0]] * linked[pairs[:, 1]]) @ twin
    (sums * weights.float()).sum().backward()
    (slow * weights).sum().backward()
    torch.testing.assert_close(sums.double(), slow, rtol=1e-5, atol=1e-5)
    assert h.grad is not None and twin.grad is not None
    torch.testing.assert_close(h.grad.double(), twin.grad, rtol=1e-5, atol=1e-5)
