"""Sums over walks against products of dense matrices; the same bits from both ends, in any batch, in rows."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.structure.walks import three_step_rows, three_step_sums, two_step_rows, two_step_sums
from pulink.engine.threads import use_threads
from tests.support.adjacencies import dense, pair_sets, random_adjacency

F64 = npt.NDArray[np.float64]

SUMS = {2: two_step_sums, 3: three_step_sums}
ROWS = {2: two_step_rows, 3: three_step_rows}


def slow(adjacency: Adjacency, weights: F64, n_steps: int) -> F64:
    """A (W A)^(n_steps - 1), dense."""
    matrix = dense(adjacency)
    product = matrix
    for _ in range(n_steps - 1):
        product = product @ np.diag(weights) @ matrix
    return product


def ordered_pairs(n_nodes: int) -> npt.NDArray[np.int64]:
    """Every ordered pair, a node with itself included."""
    return np.argwhere(np.ones((n_nodes, n_nodes), dtype=np.bool_))


def test_by_hand() -> None:
    # A square 0-1-2-3 with a tail 3-4: 0 and 2 share 1 and 3; from 0 to 4 lead 0-3-4 and, in three steps, nothing.
    square = symmetric_adjacency(np.array([[0, 1], [0, 3], [1, 2], [2, 3], [3, 4]], dtype=np.int32), 5)
    weights = np.array([1.0, 10.0, 100.0, 1000.0, 10000.0])
    pairs = np.array([[0, 2], [2, 0], [0, 4], [1, 3], [0, 1]])
    assert two_step_sums(square, weights, pairs).tolist() == [1010, 1010, 1000, 101, 0]
    # 1 to 4: 1-0-3-4 and 1-2-3-4. 0 to 1: 0-1-0-1, 0-1-2-1, 0-3-0-1 and 0-3-2-1.
    three = three_step_sums(square, weights, np.array([[1, 4], [4, 1], [0, 4], [0, 1]]))
    assert three.tolist() == [1_000 + 100_000, 101_000, 0, 10 + 1_000 + 1_000 + 100_000]


@pytest.mark.parametrize("n_steps", [2, 3])
@settings(derandomize=True, max_examples=60)
@given(case=pair_sets(), data=st.data())
def test_any_small_graph(n_steps: int, case: tuple[npt.NDArray[np.int32], int], data: st.DataObject) -> None:
    pairs, n_nodes = case
    adjacency = symmetric_adjacency(pairs, n_nodes)
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n_nodes, max_size=n_nodes)), dtype=float)
    expected = slow(adjacency, weights, n_steps)
    asked = ordered_pairs(n_nodes)
    assert np.array_equal(SUMS[n_steps](adjacency, weights, asked).reshape(n_nodes, n_nodes), expected)
    nodes = np.array(data.draw(st.lists(st.integers(0, n_nodes - 1), max_size=20)), dtype=np.int64)
    first = data.draw(st.integers(0, n_nodes))
    assert np.array_equal(ROWS[n_steps](adjacency, weights, nodes, first), expected[nodes, first:])


@pytest.mark.parametrize("n_steps", [2, 3])
def test_same_bits_from_both_ends_in_any_batch_and_in_rows(n_steps: int) -> None:
    adjacency = random_adjacency(60, 0.3, seed=1)
    weights = np.random.default_rng(2).random(60) ** 5
    pairs = ordered_pairs(60)
    square = SUMS[n_steps](adjacency, weights, pairs).reshape(60, 60)
    np.testing.assert_allclose(square, slow(adjacency, weights, n_steps), rtol=1e-12)
    assert np.array_equal(square, square.T)
    order = np.random.default_rng(3).permutation(len(pairs))[:500]
    assert np.array_equal(SUMS[n_steps](adjacency, weights, pairs[order]), square.ravel()[order])
    for pair in pairs[order[:20]]:
        assert SUMS[n_steps](adjacency, weights, pair[None, :])[0] == square[pair[0], pair[1]]
    upper = np.triu_indices(60)
    assert np.array_equal(ROWS[n_steps](adjacency, weights, np.arange(60))[upper], square[upper])


@pytest.mark.parametrize("n_steps", [2, 3])
def test_threads_and_long_lists_do_not_change_a_bit(n_steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    adjacency = random_adjacency(80, 0.2, seed=4)
    weights = np.random.default_rng(5).random(80)
    pairs = ordered_pairs(80)
    alone = SUMS[n_steps](adjacency, weights, pairs)
    monkeypatch.setattr("pulink.engine.structure.walks._CHUNK", 100)
    with use_threads(3):
        assert np.array_equal(SUMS[n_steps](adjacency, weights, pairs), alone)


@pytest.mark.parametrize("n_steps", [2, 3])
def test_no_pairs_and_no_edges(n_steps: int) -> None:
    nothing = symmetric_adjacency(np.empty((0, 2), dtype=np.int32), 4)
    assert SUMS[n_steps](nothing, np.ones(4), np.empty((0, 2), dtype=np.int64)).shape == (0,)
    assert SUMS[n_steps](nothing, np.ones(4), ordered_pairs(4)).tolist() == [0.0] * 16
    with use_threads(2):
        assert SUMS[n_steps](nothing, np.ones(4), np.array([[0, 1]])).tolist() == [0.0]
