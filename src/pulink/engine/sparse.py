"""Sparse products through PyTorch's CSR (MKL), differentiable in the dense operand."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

from pulink.engine.adjacency import Adjacency, Floats, Ints, index_dtype
from pulink.engine.compile import kernel
from pulink.engine.threads import run_shares, threads_in_use


class SparseOperator:
    """A constant sparse matrix with its transpose prepared: `operator @ dense`, gradients included."""

    def __init__(self, matrix: Tensor, transposed: Tensor) -> None:
        self.matrix = matrix
        self._forward = _RowBlocks(matrix)
        self._backward = self._forward if transposed is matrix else _RowBlocks(transposed)

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

    def times(self, dense: Tensor) -> Tensor:
        """The bare product, without gradient."""
        return self._forward.times(dense)

    def transposed_times(self, dense: Tensor) -> Tensor:
        return self._backward.times(dense)

    def __matmul__(self, dense: Tensor) -> Tensor:
        product: Tensor = _Product.apply(dense, self)  # type: ignore[no-untyped-call]
        return product


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, operator: SparseOperator) -> Tensor:
        ctx.operator = operator
        return operator.times(dense)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return ctx.operator.transposed_times(gradients[0]), None


class _RowBlocks:
    """A CSR matrix cut into blocks of rows with equal numbers of entries, one per thread."""

    def __init__(self, matrix: Tensor) -> None:
        self._matrix = matrix
        self._blocks: dict[int, list[tuple[int, Tensor]]] = {}

    def times(self, dense: Tensor) -> Tensor:
        count = threads_in_use()
        if count == 1:
            return sparse_product(self._matrix, dense)
        if count not in self._blocks:
            self._blocks[count] = list(_row_blocks(self._matrix, count))
        out = dense.new_empty((self._matrix.shape[0], dense.shape[1]))

        def run(share: list[tuple[int, Tensor]]) -> None:
            for first, block in share:
                out[first : first + block.shape[0]] = sparse_product(block, dense)

        run_shares(run, self._blocks[count])
        return out


def sparse_product(matrix: Tensor, dense: Tensor) -> Tensor:
    """matrix (r x c, CSR) times dense (c x d)."""
    return matrix @ dense


def _row_blocks(matrix: Tensor, count: int) -> Iterator[tuple[int, Tensor]]:
    starts, columns, values = matrix.crow_indices(), matrix.col_indices(), matrix.values()
    goals = torch.arange(1, count) * (len(values) / count)
    cuts = [0, *torch.searchsorted(starts, goals.to(starts.dtype)).tolist(), matrix.shape[0]]
    for first, end in pairwise(cuts):
        if end > first:
            low, high = int(starts[first]), int(starts[end])
            parts = (starts[first : end + 1] - low, columns[low:high], values[low:high])
            yield first, _sparse_csr(*parts, (end - first, matrix.shape[1]))


def propagation_operator(adjacency: Adjacency) -> SparseOperator:
    """S = D^-1/2 (A + I) D^-1/2 with D the weighted degree including the loop (r = c = n)."""
    n = adjacency.n_nodes
    n_entries = adjacency.indices.size + n
    indptr = np.empty(n + 1, dtype=index_dtype(n_entries))
    indices = np.empty(n_entries, dtype=index_dtype(n_entries))
    values = np.empty(n_entries, dtype=np.float32)
    weights = np.empty(0, dtype=np.float32) if adjacency.values is None else adjacency.values
    _normalise(adjacency.indptr, adjacency.indices, weights, indptr, indices, values)
    return SparseOperator.symmetric(sp.csr_array((values, indices, indptr), shape=(n, n)))


@kernel
def _normalise(
    indptr: Ints, indices: Ints, weights: Floats, out_indptr: Ints, out_indices: Ints, out_values: Floats
) -> None:
    n = indptr.size - 1
    scale = np.empty(n, dtype=np.float64)
    for i in range(n):
        degree = 1.0
        for e in range(indptr[i], indptr[i + 1]):
            degree += weights[e] if weights.size else 1.0
        scale[i] = 1.0 / np.sqrt(degree)
    place = 0
    for i in range(n):
        out_indptr[i] = place
        before_loop = True
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if before_loop and j > i:
                out_indices[place] = i
                out_values[place] = scale[i] * scale[i]
                place += 1
                before_loop = False
            weight = weights[e] if weights.size else 1.0
            out_indices[place] = j
            out_values[place] = weight * scale[i] * scale[j]
            place += 1
        if before_loop:
            out_indices[place] = i
            out_values[place] = scale[i] * scale[i]
            place += 1
    out_indptr[n] = place


def _tensor(array: npt.NDArray[Any], dtype: type[np.generic]) -> Tensor:
    """A tensor over the same memory where it may be written to (PyTorch insists), else over a copy."""
    array = array.astype(dtype, copy=False)
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def _csr_tensor(matrix: sp.csr_array) -> Tensor:
    dtype = index_dtype(max(matrix.nnz, *matrix.shape))
    parts = _tensor(matrix.indptr, dtype), _tensor(matrix.indices, dtype), _tensor(matrix.data, np.float32)
    return _sparse_csr(*parts, matrix.shape)


def _sparse_csr(starts: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(starts, columns, values, size=shape, check_invariants=False)
