"""Inner products of rows, against the whole product."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pulink.engine.row_dots import row_dots, unit_rows
from pulink.engine.threads import use_threads


@pytest.mark.parametrize("threads", [1, 2])
def test_sparse_and_dense_rows_give_the_product(threads: int) -> None:
    rng = np.random.default_rng(0)
    left = np.where(rng.random((20, 7)) < 0.4, rng.normal(size=(20, 7)), 0.0).astype(np.float32)
    right = np.where(rng.random((20, 7)) < 0.4, rng.normal(size=(20, 7)), 0.0).astype(np.float32)
    pairs = rng.integers(0, 20, (200_000, 2))
    expected = (left @ right.T)[pairs[:, 0], pairs[:, 1]]
    with use_threads(threads):
        dense = row_dots(left, right, pairs)
        sparse = row_dots(sp.csr_array(left), sp.csr_array(right), pairs)
    np.testing.assert_allclose(dense, expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(sparse, expected, rtol=0, atol=1e-6)


def test_unit_rows_have_length_one_and_empty_rows_stay_empty() -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)
    assert unit_rows(rows).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]
    assert unit_rows(sp.csr_array(rows)).toarray().tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]
