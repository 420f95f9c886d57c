"""The leading left singular vectors of a matrix, scaled by their singular values.

    M ≈ U Σ Vᵀ,   result: U Σ   (n x r)

By subspace iteration from a random start (Halko, Martinsson and Tropp 2011): sparse matrices stay sparse, and the
key fixes the result. Inner products of the rows of U Σ are the best approximation of rank r to those of M's rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.engine.random import normals

_SPARE = 16
_ROUNDS = 6
# Where a factor has a smaller entry than this on its diagonal, rounding decides.
_CLOSEST = 1e-5


def leading_components(matrix: Any, count: int, key: np.uint64) -> npt.NDArray[np.float64]:
    """U Σ (n x min(count, n, d)) of a matrix (n x d), dense or CSR; each column's largest entry is positive."""
    n, d = matrix.shape
    count = min(count, n, d)
    width = min(count + _SPARE, n, d)
    basis = np.asarray(matrix @ normals(key, d * width).reshape(d, width), dtype=np.float64)
    for _ in range(_ROUNDS):
        # Orthonormal between the products, or all columns would turn towards the first component.
        basis = _orthonormal(basis)
        basis = np.asarray(matrix @ (matrix.T @ basis), dtype=np.float64)
    basis = np.linalg.qr(basis)[0]
    left, values, _ = np.linalg.svd(np.asarray(matrix.T @ basis, dtype=np.float64).T, full_matrices=False)
    found = (basis @ left[:, :count]) * values[:count]
    largest = found[np.abs(found).argmax(axis=0), np.arange(count)]
    return np.asarray(found * np.where(largest < 0, -1.0, 1.0), dtype=np.float64)


def _orthonormal(basis: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Columns of the same span; by Cholesky's factor of their inner products, faster where it is safe."""
    products = basis.T @ basis
    lengths = np.sqrt(np.diag(products))
    if len(lengths) and (lengths > 0).all():
        try:
            factor = np.linalg.cholesky(products / np.outer(lengths, lengths))
        except np.linalg.LinAlgError:
            factor = np.zeros((1, 1))
        if np.diag(factor).min() > _CLOSEST:
            return np.asarray(basis @ (np.linalg.inv(factor).T / lengths[:, None]))
    return np.asarray(np.linalg.qr(basis)[0])
