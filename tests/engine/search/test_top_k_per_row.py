"""The largest entries of a product's rows against the whole product."""

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

from pulink.engine.search.top_k_per_row import top_of_dense_rows, top_of_sparse_rows
from pulink.engine.threads import use_threads

Matrix = npt.NDArray[np.float32]


def random_matrix(n_rows: int, n_columns: int, density: float, seed: int, negative: bool = False) -> Matrix:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rows, n_columns)) if negative else rng.random((n_rows, n_columns))
    return np.where(rng.random((n_rows, n_columns)) < density, values, 0).astype(np.float32)


def assert_largest(found: npt.NDArray[np.int32], scores: npt.NDArray[np.floating], count: int) -> None:
    """Every row lists its largest positive scores outside the diagonal, best first."""
    for i, row in enumerate(found):
        others = np.delete(scores[i], i)
        expected = np.sort(others[others > 1e-6])[::-1][:count]
        listed = row[row >= 0]
        assert i not in listed
        assert len(set(listed.tolist())) == len(listed)
        assert (row[len(listed) :] == -1).all()
        np.testing.assert_allclose(scores[i, listed], expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("count", [1, 4, 50])
@pytest.mark.parametrize("density", [0.02, 0.3])
@pytest.mark.parametrize("negative", [False, True])
def test_sparse_rows(count: int, density: float, negative: bool) -> None:
    left = random_matrix(40, 25, density, seed=1, negative=negative)
    right = random_matrix(25, 40, density, seed=2, negative=negative)
    found = top_of_sparse_rows(sp.csr_array(left), sp.csr_array(right), count)
    assert_largest(found, left.astype(np.float64) @ right, count)


@pytest.mark.parametrize("count", [1, 4, 50])
def test_dense_rows(count: int) -> None:
    rows = random_matrix(40, 8, 1.0, seed=3, negative=True)
    assert_largest(top_of_dense_rows(rows, count), rows.astype(np.float64) @ rows.T, count)


def test_more_than_one_block_and_thread() -> None:
    rows = random_matrix(600, 50, 0.1, seed=4)
    sparse = sp.csr_array(rows)
    with use_threads(2):
        found = top_of_sparse_rows(sparse, sp.csr_array(rows.T), 3)
        dense = top_of_dense_rows(rows, 3)
    assert_largest(found, rows.astype(np.float64) @ rows.T, 3)
    assert_largest(dense, rows.astype(np.float64) @ rows.T, 3)
    np.testing.assert_array_equal(found, top_of_sparse_rows(sparse, sp.csr_array(rows.T), 3))


def test_ties_are_spread_over_the_nodes() -> None:
    # All scores are equal: by number, everybody would choose nodes 0 to 4.
    ones = np.ones((300, 1), dtype=np.float32)
    for found in (
        top_of_sparse_rows(sp.csr_array(ones), sp.csr_array(ones.T), 5),
        top_of_dense_rows(ones, 5),
    ):
        assert (found >= 0).all()
        assert np.bincount(found.ravel(), minlength=300).max() < 25


def test_a_product_that_takes_too_long_goes_without_its_costliest_rows() -> None:
    # Column 0 is everybody's and takes 100 · 100 steps; the others are shared by two nodes each.
    rows = np.zeros((100, 51), dtype=np.float32)
    rows[:, 0] = 10
    rows[np.arange(100), 1 + np.arange(100) // 2] = 1
    sparse, transpose = sp.csr_array(rows), sp.csr_array(rows.T)
    partner = np.arange(100) ^ 1
    whole = top_of_sparse_rows(sparse, transpose, 3)
    np.testing.assert_array_equal(whole[:, 0], partner)
    assert (whole >= 0).all()
    cheap = top_of_sparse_rows(sparse, transpose, 3, most_steps=1_000)
    np.testing.assert_array_equal(cheap[:, 0], partner)
    assert (cheap[:, 1:] == -1).all()
