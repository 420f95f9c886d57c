"""Sparse products, differentiable in the dense operand: PyTorch's CSR (MKL) in cache, kernels of our own beyond.

The transpose of a feature matrix is never built: its product adds scaled rows to a result that stays in cache.
"""

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

from pulink.engine.adjacency import F32, Adjacency, Ints, index_dtype
from pulink.engine.compile import kernel
from pulink.engine.threads import run_shares, threads_in_use
from pulink.engine.vector_rows import AHEAD, row_add, row_prefetch

# Up to this size MKL's product is the faster one; beyond it rows come from memory, and prefetching wins threefold.
_CACHED = 16 << 20


class SparseOperator:
    """A constant sparse matrix: `operator @ dense`, gradients included."""

    def __init__(self, matrix: sp.csr_array, symmetric: bool) -> None:
        self.matrix = _csr_tensor(matrix)
        self._symmetric = symmetric
        self._blocks = _RowBlocks(self.matrix)

    @classmethod
    def from_scipy(cls, matrix: sp.csr_array) -> SparseOperator:
        return cls(matrix, symmetric=False)

    @classmethod
    def symmetric(cls, matrix: sp.csr_array) -> SparseOperator:
        """A matrix that equals its transpose."""
        return cls(matrix, symmetric=True)

    @property
    def n_columns(self) -> int:
        return self.matrix.shape[1]

    @property
    def n_entries(self) -> int:
        return self.matrix.values().numel()

    def times(self, dense: Tensor) -> Tensor:
        """The bare product, without gradient."""
        return self._blocks.times(dense)

    def transposed_times(self, dense: Tensor) -> Tensor:
        return self._blocks.times(dense) if self._symmetric else self._blocks.transposed_times(dense)

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
        self._cut: dict[int, list[tuple[int, Tensor]]] = {1: [(0, matrix)]}

    def times(self, dense: Tensor) -> Tensor:
        blocks = self._blocks()
        if len(blocks) == 1:
            return sparse_product(self._matrix, dense)
        out = dense.new_empty((self._matrix.shape[0], dense.shape[1]))

        def run(share: list[tuple[int, Tensor]]) -> None:
            for first, block in share:
                out[first : first + block.shape[0]] = sparse_product(block, dense)

        run_shares(run, blocks)
        return out

    def transposed_times(self, dense: Tensor) -> Tensor:
        def run(share: list[tuple[int, Tensor]]) -> Tensor:
            out = dense.new_zeros((self._matrix.shape[1], dense.shape[1]))
            for first, block in share:
                transposed_product(block, dense[first : first + block.shape[0]], out)
            return out

        first, *others = run_shares(run, self._blocks())
        for other in others:
            first += other
        return first

    def _blocks(self) -> list[tuple[int, Tensor]]:
        count = threads_in_use()
        if count not in self._cut:
            self._cut[count] = list(_row_blocks(self._matrix, count))
        return self._cut[count]


def sparse_product(matrix: Tensor, dense: Tensor) -> Tensor:
    """matrix (r x c, CSR) times dense (c x d)."""
    if dense.nbytes <= _CACHED:
        return matrix @ dense
    # PyTorch's memory begins at a cache line, NumPy's does not: a row of 16 then lies in one line instead of two.
    out = torch.zeros((matrix.shape[0], dense.shape[1]))
    add_row_products(*_parts(matrix), dense.contiguous().numpy(), out.numpy())
    return out


def transposed_product(matrix: Tensor, dense: Tensor, out: Tensor) -> None:
    """Add the transpose of matrix (r x c, CSR) times dense (r x d) to out (c x d)."""
    _scatter_rows(*_parts(matrix), dense.contiguous().numpy(), out.numpy())


def _parts(matrix: Tensor) -> tuple[Ints, Ints, F32]:
    return matrix.crow_indices().numpy(), matrix.col_indices().numpy(), matrix.values().numpy()


@kernel
def add_row_products(indptr: Ints, indices: Ints, values: F32, dense: F32, out: F32) -> None:
    """Add the rows of a CSR matrix (r x c) times dense (c x d) to out (r x d), both C-ordered."""
    last = indices.size - 1
    for r in range(indptr.size - 1):
        for e in range(indptr[r], indptr[r + 1]):
            row_prefetch(dense, np.uint32(indices[min(e + AHEAD, last)]))
            row_add(out, np.uint32(r), values[e], dense, np.uint32(indices[e]))


@kernel
def _scatter_rows(indptr: Ints, indices: Ints, values: F32, dense: F32, out: F32) -> None:
    for r in range(indptr.size - 1):
        for e in range(indptr[r], indptr[r + 1]):
            row_add(out, np.uint32(indices[e]), values[e], dense, np.uint32(r))


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
    indptr: Ints, indices: Ints, weights: F32, out_indptr: Ints, out_indices: Ints, out_values: F32
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
