"""Closed walks against powers of the dense adjacency matrix."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.structure.closed_walks import LENGTHS, closed_walks
from tests.support.adjacencies import dense, pair_sets, random_adjacency, random_pairs


def by_powers(adjacency: Adjacency) -> npt.NDArray[np.int64]:
    matrix = (dense(adjacency) > 0).astype(np.int64)
    return np.stack([np.diag(np.linalg.matrix_power(matrix, k)) for k in LENGTHS], axis=1)


@pytest.mark.parametrize(("n_nodes", "density"), [(1, 0.0), (7, 1.0), (30, 0.1), (60, 0.5), (120, 0.05)])
def test_equal_to_powers(n_nodes: int, density: float) -> None:
    adjacency = random_adjacency(n_nodes, density, seed=n_nodes)
    np.testing.assert_array_equal(closed_walks(adjacency), by_powers(adjacency))


@given(pair_sets())
def test_equal_to_powers_on_any_graph(drawn: tuple[npt.NDArray[np.int32], int]) -> None:
    adjacency = symmetric_adjacency(*drawn)
    np.testing.assert_array_equal(closed_walks(adjacency), by_powers(adjacency))


def test_a_triangle_with_a_tail() -> None:
    # 0, 1, 2 are a triangle; 3 hangs on 2; 4 is alone.
    adjacency = symmetric_adjacency(np.array([[0, 1], [0, 2], [1, 2], [2, 3]]), 5)
    # Node 0 in four steps: to 1 or 2 and back, twice (4); to a neighbour of 1 or of 2 and back: 1-2, 2-1, 2-3.
    assert closed_walks(adjacency).tolist() == [[2, 2, 7], [2, 2, 7], [3, 2, 11], [1, 0, 3], [0, 0, 0]]


def test_a_square_has_cycles_and_no_triangle() -> None:
    adjacency = symmetric_adjacency(np.array([[0, 1], [0, 3], [1, 2], [2, 3]]), 4)
    # Four walks over own edges, two over the neighbours' other edges, two around.
    assert closed_walks(adjacency).tolist() == [[2, 0, 8]] * 4


def test_weights_do_not_count() -> None:
    pairs = random_pairs(20, 0.3, seed=3)
    weighted = symmetric_adjacency(pairs, 20, np.full(len(pairs), 2.5, dtype=np.float32))
    np.testing.assert_array_equal(closed_walks(weighted), closed_walks(symmetric_adjacency(pairs, 20)))


def test_a_hub_costs_no_more_than_its_edges() -> None:
    # By rows of A² a star of this size takes 4e10 steps.
    n = 200_000
    star = symmetric_adjacency(np.stack([np.zeros(n - 1), np.arange(1, n)], axis=1), n)
    counts = closed_walks(star)
    assert counts[0].tolist() == [n - 1, 0, (n - 1) ** 2]
    assert (counts[1:] == [1, 0, n - 1]).all()
