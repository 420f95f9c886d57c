"""EASE of both sides from one inverse: against the definition, an inverse for each side."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pulink.engine.structure.regression.ease import ease


def by_columns(x: npt.NDArray[np.float64], penalty: float) -> npt.NDArray[np.float64]:
    """X B, B = I − P diag(P)^-1, whose diagonal is 0, for P = (XᵀX + λ I)^-1."""
    p = np.linalg.inv(x.T @ x + penalty * np.eye(x.shape[1]))
    b = -p / np.diag(p)
    np.fill_diagonal(b, 0.0)
    return np.asarray(x @ b)


@given(
    shape=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    seed=st.integers(0, 99),
    density=st.sampled_from([0.0, 0.2, 0.6, 1.0]),
    penalty=st.sampled_from([0.5, 20.0]),
)
def test_both_sides_are_those_of_the_definition(
    shape: tuple[int, int], seed: int, density: float, penalty: float
) -> None:
    x = (np.random.default_rng(seed).random(shape) < density).astype(np.float64)
    columns, rows = ease(sp.csr_array(x), penalty)
    np.testing.assert_allclose(columns, by_columns(x, penalty), atol=1e-5)
    np.testing.assert_allclose(rows, by_columns(x.T, penalty).T, atol=1e-5)


def test_each_column_is_the_ridge_regression_on_all_others() -> None:
    x = (np.random.default_rng(0).random((12, 5)) < 0.5).astype(np.float64)
    columns, _ = ease(sp.csr_array(x), 3.0)
    for k in range(5):
        others = np.delete(x, k, axis=1)
        weights = np.linalg.solve(others.T @ others + 3.0 * np.eye(4), others.T @ x[:, k])
        np.testing.assert_allclose(columns[:, k], others @ weights, atol=1e-5)


def test_a_link_by_hand() -> None:
    """Two users share an item, one has another: XᵀX + λ I = [[3, 1], [1, 2]] for λ = 1."""
    columns, _ = ease(sp.csr_array(np.array([[1.0, 0.0], [1.0, 1.0]])), 1.0)
    # Column 1 on column 0: 1 / (2 + 1); column 0 on column 1: 1 / (1 + 1).
    assert columns == pytest.approx(np.array([[0.0, 1 / 3], [1 / 2, 1 / 3]]), abs=1e-6)
