"""Inner products of rows of matrices, for pairs of rows: dense, or sparse with sorted columns."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.adjacency import Ints
from pulink.engine.compile import kernel
from pulink.engine.threads import run_shares

F32 = npt.NDArray[np.float32]
Matrix: TypeAlias = sp.csr_array | npt.NDArray[np.float32]

_CHUNK = 1 << 16


def row_dots(left: Matrix, right: Matrix, pairs: Ints) -> F32:
    """left[i] · right[j] for each pair (k x 2); both sparse (CSR, columns sorted) or both dense, float32."""
    out = np.empty(len(pairs), dtype=np.float32)

    def run(starts: list[int]) -> None:
        for start in starts:
            part = slice(start, start + _CHUNK)
            if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
                _dense_dots(left, right, pairs[part], out[part])
            else:
                order = np.argsort(pairs[part, 0], kind="stable")
                dense = np.zeros(left.shape[1], dtype=np.float32)
                _sparse_dots(_parts(left), _parts(right), pairs[part], order, dense, out[part])

    run_shares(run, range(0, len(pairs), _CHUNK))
    return out


def _parts(matrix: sp.csr_array) -> tuple[Ints, Ints, F32]:
    return matrix.indptr, matrix.indices, matrix.data


def unit_rows(matrix: Matrix) -> Matrix:
    """Every row divided by its length; rows of zeros stay. Squares are summed in float64, where none overflows."""
    if isinstance(matrix, np.ndarray):
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))[:, None]
        return np.asarray(matrix / np.where(lengths > 0, lengths, 1), dtype=np.float32)
    squares = sp.csr_array((np.square(matrix.data, dtype=np.float64), matrix.indices, matrix.indptr), matrix.shape)
    lengths = np.sqrt(squares.sum(axis=1))
    scales = np.repeat(1.0 / np.where(lengths > 0, lengths, 1), np.diff(matrix.indptr))
    data = (matrix.data * scales).astype(np.float32)
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


@kernel
def _dense_dots(left: F32, right: F32, pairs: Ints, out: F32) -> None:
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        total = np.float32(0)
        for k in range(left.shape[1]):
            total += left[i, k] * right[j, k]
        out[p] = total


@kernel
def _sparse_dots(
    left: tuple[Ints, Ints, F32], right: tuple[Ints, Ints, F32], pairs: Ints, order: Ints, dense: F32, out: F32
) -> None:
    """Pairs in an order in which those of one left row stand together; `dense` (all zeros, d) holds it."""
    starts, columns, values = left
    other_starts, other_columns, other_values = right
    held = -1
    for p in order:
        i, j = pairs[p, 0], pairs[p, 1]
        if i != held:
            if held >= 0:
                for a in range(starts[held], starts[held + 1]):
                    dense[columns[a]] = np.float32(0)
            for a in range(starts[i], starts[i + 1]):
                dense[columns[a]] = values[a]
            held = i
        total = np.float32(0)
        for b in range(other_starts[j], other_starts[j + 1]):
            total += dense[other_columns[b]] * other_values[b]
        out[p] = total
