"""Sparse products through PyTorch's CSR (MKL), differentiable in the dense operand."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

from pulink.engine.adjacency import Adjacency, index_dtype


class SparseOperator:
    """A constant sparse matrix with its transpose prepared: `operator @ dense`, gradients included."""

    def __init__(self, matrix: Tensor, transposed: Tensor) -> None:
        self.matrix = matrix
        self.transposed = transposed

    @classmethod
    def from_scipy(cls, matrix: sp.csr_array) -> SparseOperator:
        return cls(_csr_tensor(matrix), _csr_tensor(sp.csr_array(matrix.T)))

    @classmethod
    def symmetric(cls, matrix: sp.csr_array) -> SparseOperator:
        """A matrix that equals its transpose is kept once."""
        tensor = _csr_tensor(matrix)
        return cls(tensor, tensor)

    @property
    def n_columns(self) -> int:
        return self.matrix.shape[1]

    @property
    def n_entries(self) -> int:
        return self.matrix.values().numel()

    def __matmul__(self, dense: Tensor) -> Tensor:
        product: Tensor = _Product.apply(dense, self)  # type: ignore[no-untyped-call]
        return product


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, operator: SparseOperator) -> Tensor:
        ctx.operator = operator
        return sparse_product(operator.matrix, dense)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return sparse_product(ctx.operator.transposed, gradients[0]), None


def sparse_product(matrix: Tensor, dense: Tensor) -> Tensor:
    """matrix (r x c, CSR) times dense (c x d)."""
    return matrix @ dense


def propagation_operator(adjacency: Adjacency) -> SparseOperator:
    """S = D^-1/2 (A + I) D^-1/2 with D the weighted degree including the loop (r = c = n)."""
    n = adjacency.n_nodes
    values = adjacency.values
    if values is None:
        values = np.ones(adjacency.indices.size, dtype=np.float32)
    matrix = sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=(n, n))
    looped = sp.csr_array(matrix + sp.eye_array(n, dtype=np.float32, format="csr"))
    looped.sort_indices()
    scale = 1.0 / np.sqrt(np.asarray(looped.sum(axis=1), dtype=np.float64)).ravel()
    rows = np.repeat(scale, np.diff(looped.indptr))
    looped.data = (looped.data * rows * scale[looped.indices]).astype(np.float32)
    return SparseOperator.symmetric(looped)


def _tensor(array: npt.NDArray[Any], dtype: type[np.generic]) -> Tensor:
    """A tensor over the same memory where it may be written to (PyTorch insists), else over a copy."""
    array = array.astype(dtype, copy=False)
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def _csr_tensor(matrix: sp.csr_array) -> Tensor:
    dtype = index_dtype(max(matrix.nnz, *matrix.shape))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            _tensor(matrix.indptr, dtype),
            _tensor(matrix.indices, dtype),
            _tensor(matrix.data, np.float32),
            size=matrix.shape,
            check_invariants=False,
        )
