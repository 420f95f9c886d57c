"""The leading eigenpairs of a symmetric matrix, and what they say about pairs.

    M ≈ U Λ Uᵀ,   Λ largest in size, either sign                           (U n x r)
    entry of a pair    Σ_k λ_k U_ik U_jk, the best approximation of M_ij by rank r
    cosine of a pair   of the rows of U Λ, which are those of the approximation, turned

By subspace iteration from a random start (Halko, Martinsson and Tropp 2011), in float32. Solvers that wait for
each eigenpair never come back from a graph of many parts, whose largest eigenvalue repeats. Columns are made
orthonormal before every second product: meanwhile the first outgrow the last by the squared ratio of eigenvalues.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch

from pulink.engine.adjacency import index_dtype
from pulink.engine.autograd.sparse import add_row_products
from pulink.engine.compile import kernel
from pulink.engine.pace import portion
from pulink.engine.random import GOLDEN, mix64
from pulink.engine.threads import run_shares

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

_SPARE = 16
# Each of two products. Neither number is enough for all eigenpairs to settle; the larger one is for matrices of so
# few entries that products cost next to nothing, and raised AUROC on Power by 0.4 (three splits).
_ROUNDS, _MORE_ROUNDS, _FEW_ENTRIES = 3, 6, 20_000
_CHUNK = 1 << 16
_ROWS = 1 << 13
# Of unit columns, the least distance of one from the span of those before it: its square is far from rounding.
_CLOSEST = 3e-3
_BITS_40, _STEP = np.uint64(40), np.float32(2.0**-23)


@dataclass(frozen=True)
class Eigenpairs:
    """values Λ (r), vectors U (n x r), by descending size of Λ."""

    values: F32
    vectors: F32

    def positive_part(self) -> F32:
        """U √Λ over positive Λ (n x at most r): inner products of its rows are entries of that part of M."""
        positive = self.values > 0
        return np.ascontiguousarray(self.vectors[:, positive] * np.sqrt(self.values[positive]), dtype=np.float32)

    def pair_signals(self, pairs: npt.NDArray[np.int64], ranks: tuple[int, ...]) -> F32:
        """For each pair (k x 2) and rank its entry, then its cosine (k x 2·ranks); a rank beyond r counts as r."""
        cuts = np.array([min(rank, len(self.values)) for rank in ranks], dtype=np.int64)
        lengths = self._lengths.get(ranks)
        if lengths is None:
            lengths = self._lengths[ranks] = self._row_lengths(cuts)
        out = np.empty((len(pairs), 2 * len(cuts)), dtype=np.float32)

        def run(starts: list[int]) -> None:
            for start in starts:
                part = slice(start, start + _CHUNK)
                _pair_signals(self.vectors, self.values, lengths, cuts, pairs[part], out[part])

        run_shares(run, range(0, len(pairs), _CHUNK))
        return out

    @cached_property
    def _lengths(self) -> dict[tuple[int, ...], F32]:
        """By ranks: computed once for all batches of pairs."""
        return {}

    def _row_lengths(self, cuts: npt.NDArray[np.int64]) -> F32:
        """Of the rows of U Λ, up to each cut (n x cuts); 1 for rows of zeros."""
        found = np.empty((len(self.vectors), len(cuts)), dtype=np.float32)
        for start in range(0, len(found), _ROWS):
            scaled = self.vectors[start : start + _ROWS] * self.values
            for place, cut in enumerate(cuts):
                found[start : start + _ROWS, place] = np.linalg.norm(scaled[:, :cut], axis=1)
        return np.where(found > 0, found, np.float32(1))


def leading_eigenpairs(matrix: Any, count: int, key: np.uint64) -> Eigenpairs:
    """The `count` eigenpairs of largest size of a symmetric matrix (n x n, CSR or dense); at most n."""
    n = matrix.shape[0]
    width = min(count + _SPARE, n)
    times = _Multiplier(matrix)
    n_rounds = _ROUNDS if (matrix.nnz if sp.issparse(matrix) else matrix.size) > _FEW_ENTRIES else _MORE_ROUNDS
    n_parts = 2 * n_rounds + 3
    columns = np.empty((n, width), dtype=np.float32)
    _fill_at_random(key, columns)
    with portion(0.0, 1 / n_parts):
        columns = times(columns)
    for k in range(n_rounds):
        columns = _orthonormal(columns)
        for part in (2 * k + 1, 2 * k + 2):
            with portion(part / n_parts, (part + 1) / n_parts):
                columns = times(columns)
    columns = _orthonormal(_orthonormal(columns))
    with portion((n_parts - 2) / n_parts, (n_parts - 1) / n_parts):
        small = _inner_products(columns, times(columns))
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    order = np.argsort(-np.abs(values), kind="stable")[: min(count, n)]
    return Eigenpairs(values[order].astype(np.float32), _turned(columns, vectors[:, order]))


class _Multiplier:
    """The product of a matrix with columns (n x w), some rows at a time, which never mix."""

    def __init__(self, matrix: Any) -> None:
        if sp.issparse(matrix):
            rows = sp.csr_array(matrix)
            dtype = index_dtype(max(rows.nnz, rows.shape[0]))
            self._starts, self._columns = rows.indptr.astype(dtype), rows.indices.astype(dtype)
            self._values = rows.data.astype(np.float32)
        else:
            self._values = np.asarray(matrix, dtype=np.float32)

    def __call__(self, columns: F32) -> F32:
        if self._values.ndim == 2:
            return np.asarray(self._values @ columns)
        out = np.zeros_like(columns)

        def run(starts: list[int]) -> None:
            for start in starts:
                rows = self._starts[start : start + _ROWS + 1]
                add_row_products(rows, self._columns, self._values, columns, out[start : start + _ROWS])

        run_shares(run, range(0, len(out), _ROWS))
        return out


def _orthonormal(columns: F32) -> F32:
    """Columns of the same span, by Cholesky's factor of their inner products; may overwrite them.

    Where columns are so close to each other that rounding decides, by reflections instead (Householder).
    """
    products = _inner_products(columns, columns)
    lengths = np.sqrt(np.diag(products))
    if (lengths > 0).all():
        try:
            factor = np.linalg.cholesky(products / np.outer(lengths, lengths))
        except np.linalg.LinAlgError:
            factor = np.zeros((1, 1))
        if np.diag(factor).min() > _CLOSEST:
            return _turned(columns, np.linalg.inv(factor).T / lengths[:, None], columns)
    return np.ascontiguousarray(torch.linalg.qr(torch.from_numpy(columns))[0].numpy())


def _inner_products(left: F32, right: F32) -> F64:
    """leftᵀ right, summed over blocks of rows in one order for any number of threads."""

    def run(starts: list[int]) -> list[F32]:
        return [left[start : start + _ROWS].T @ right[start : start + _ROWS] for start in starts]

    blocks = [block for share in run_shares(run, range(0, len(left), _ROWS)) for block in share]
    return np.asarray(np.sum(blocks, axis=0, dtype=np.float64))


def _turned(columns: F32, by: F64, out: F32 | None = None) -> F32:
    """columns (n x w) times a small matrix (w x r); `out` may be the columns."""
    found = np.empty((len(columns), by.shape[1]), dtype=np.float32) if out is None else out
    turn = by.astype(np.float32)

    def run(starts: list[int]) -> None:
        for start in starts:
            found[start : start + _ROWS] = columns[start : start + _ROWS] @ turn

    run_shares(run, range(0, len(columns), _ROWS))
    return found


@kernel
def _fill_at_random(key: np.uint64, out: F32) -> None:
    """Numbers between -1 and 1: any start that leans to no direction will do."""
    n_columns = out.shape[1]
    for i in range(out.shape[0]):
        for k in range(n_columns):
            word = mix64(key + np.uint64(i * n_columns + k) * GOLDEN)
            out[i, k] = np.float32(np.int32(word >> _BITS_40) * _STEP) - np.float32(1)


@kernel
def _pair_signals(
    vectors: F32, values: F32, lengths: F32, cuts: npt.NDArray[np.int64],
    pairs: npt.NDArray[np.int64], out: F32,
) -> None:  # fmt: skip
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        entry, inner = np.float32(0), np.float32(0)
        done = 0
        for c in range(cuts.size):
            for k in range(done, cuts[c]):
                product = values[k] * vectors[i, k] * vectors[j, k]
                entry += product
                inner += values[k] * product
            done = max(done, cuts[c])
            out[p, 2 * c] = entry
            out[p, 2 * c + 1] = inner / (lengths[i, c] * lengths[j, c])
