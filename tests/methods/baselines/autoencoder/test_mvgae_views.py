"""Views of a graph against every pair of it looked at one by one."""

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.methods.baselines.autoencoder.mvgae_views import cosine_view, two_step_view
from tests.support.adjacencies import dense, random_adjacency


def resource_allocation(adjacency: Adjacency) -> npt.NDArray[np.float64]:
    """The index of every pair by its definition (n x n, 0 on the diagonal)."""
    matrix = dense(adjacency) > 0
    n = len(matrix)
    scores = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                common = [u for u in range(n) if matrix[i, u] and matrix[u, j]]
                scores[i, j] = sum(1 / matrix[u].sum() for u in common)
    return scores


def cosines(features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    n = len(features)
    scores = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            lengths = np.linalg.norm(features[i]) * np.linalg.norm(features[j])
            if i != j and lengths > 0:
                scores[i, j] = float(features[i] @ features[j]) / lengths
    return scores


def assert_top(view: Adjacency, scores: npt.NDArray[np.float64], count: int) -> None:
    """A pair is there if it is among the `count` best of either end, which ties leave open."""
    linked = dense(view) > 0
    assert np.array_equal(linked, linked.T)
    assert not linked.diagonal().any()
    ranked = -np.sort(-scores, axis=1)
    bars = ranked[:, min(count, len(scores)) - 1]
    surely = (scores > bars[:, None] + 1e-6) & (scores > 1e-6)
    perhaps = (scores >= bars[:, None] - 1e-6) & (scores > 1e-6)
    assert (linked | ~(surely | surely.T)).all()
    assert ((perhaps | perhaps.T) | ~linked).all()
    # Everybody brings in as many as there are, up to `count`.
    assert (linked.sum(axis=1) >= np.minimum((scores > 1e-6).sum(axis=1), count)).all()


@pytest.mark.parametrize(("n_nodes", "density", "count"), [(25, 0.1, 3), (40, 0.3, 10), (12, 0.5, 30)])
def test_two_steps_by_resource_allocation(n_nodes: int, density: float, count: int) -> None:
    adjacency = random_adjacency(n_nodes, density, seed=n_nodes)
    assert_top(two_step_view(adjacency, count), resource_allocation(adjacency), count)


def test_two_steps_by_hand() -> None:
    # 0 and 1 meet at 2 (degree 2) and at 3 (degree 3): 5/6; 0 and 4, 1 and 4 at 3 alone: 1/3; 2 and 3 at 0 and 1.
    adjacency = symmetric_adjacency(np.array([[0, 2], [0, 3], [1, 2], [1, 3], [3, 4]]), 6)
    view = dense(two_step_view(adjacency, 1)) > 0
    pairs = {(int(i), int(j)) for i, j in zip(*np.nonzero(np.triu(view)), strict=True)}
    assert pairs in ({(0, 1), (2, 3), (0, 4)}, {(0, 1), (2, 3), (1, 4)})


def test_weights_and_direct_links_do_not_matter() -> None:
    square = np.array([[0, 1], [0, 3], [1, 2], [2, 3]])
    plain = two_step_view(symmetric_adjacency(square, 4), 1)
    weighted = two_step_view(symmetric_adjacency(square, 4, np.array([9, 1, 1, 1], dtype=np.float32)), 1)
    assert np.array_equal(dense(plain), dense(weighted))
    # A triangle's ends are two steps apart as well as one.
    triangle = symmetric_adjacency(np.array([[0, 1], [0, 2], [1, 2]]), 3)
    assert np.array_equal(dense(two_step_view(triangle, 2)), dense(triangle))


@pytest.mark.parametrize("count", [1, 5])
def test_nearest_by_cosine(count: int) -> None:
    rng = np.random.default_rng(0)
    words = (rng.random((30, 20)) < 0.15).astype(np.float32)
    words[3] = 0
    numbers = rng.normal(size=(30, 5)).astype(np.float32)
    assert_top(cosine_view(sp.csr_array(words), count), cosines(words), count)
    assert_top(cosine_view(words, count), cosines(words), count)
    assert_top(cosine_view(numbers, count), cosines(numbers), count)
    assert_top(cosine_view(sp.csr_array(numbers), count), cosines(numbers), count)


def test_a_longer_row_is_no_nearer() -> None:
    features = np.array([[1, 0], [100, 90], [0.01, 0.0001], [0, 1]], dtype=np.float32)
    linked = dense(cosine_view(features, 1)) > 0
    assert linked[0, 2]
    assert not linked[0, 1]
