"""Leading components against LAPACK's singular value decomposition."""

import numpy as np
import pytest
import scipy.sparse as sp

from pulink.engine.random import stream_key
from pulink.engine.structure.leading_components import leading_components

KEY = stream_key(0, "test")


def low_rank(n: int, d: int, seed: int) -> np.ndarray:
    """Singular values that halve."""
    rng = np.random.default_rng(seed)
    left, right = (np.linalg.qr(rng.normal(size=(size, 12)))[0] for size in (n, d))
    return np.asarray((left * 2.0 ** -np.arange(12)) @ right.T)


@pytest.mark.parametrize(("n", "d"), [(80, 50), (50, 80), (30, 13)])
def test_scaled_vectors_are_those_of_the_decomposition(n: int, d: int) -> None:
    matrix = low_rank(n, d, seed=n)
    left, values, _ = np.linalg.svd(matrix, full_matrices=False)
    found = leading_components(matrix, 6, KEY)
    np.testing.assert_allclose(np.abs(found), np.abs(left[:, :6] * values[:6]), atol=1e-8)
    assert (found[np.abs(found).argmax(axis=0), np.arange(6)] > 0).all()


def test_a_flat_spectrum_loses_little() -> None:
    matrix = np.random.default_rng(1).normal(size=(200, 150))
    best = np.linalg.svd(matrix, compute_uv=False)[:20]
    found = leading_components(matrix, 20, KEY)
    assert (found**2).sum() > 0.98 * (best**2).sum()


def test_sparse_is_dense_and_a_key_fixes_all() -> None:
    matrix = np.random.default_rng(2).random((60, 90)) * (np.random.default_rng(3).random((60, 90)) < 0.1)
    dense, sparse = (leading_components(form, 5, KEY) for form in (matrix, sp.csr_array(matrix)))
    np.testing.assert_allclose(dense, sparse, atol=1e-9)
    assert np.array_equal(dense, leading_components(matrix, 5, KEY))


def test_no_more_components_than_there_are() -> None:
    matrix = np.random.default_rng(4).normal(size=(7, 4))
    found = leading_components(matrix, 100, KEY)
    assert found.shape == (7, 4)
    np.testing.assert_allclose(found @ found.T, matrix @ matrix.T, atol=1e-9)
