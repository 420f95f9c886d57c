"""The leading eigenpairs of a symmetric matrix, and what they say about pairs.

    M ≈ U Λ Uᵀ,   Λ largest in size, either sign                           (U n x r)
    entry of a pair    Σ_k λ_k U_ik U_jk, the best approximation of M_ij by rank r
    cosine of a pair   of the rows of U Λ, which are those of the approximation, turned

By subspace iteration from a random start (Halko, Martinsson and Tropp 2011). Solvers that wait for each eigenpair
never come back from a graph of many parts, whose largest eigenvalue repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.compile import kernel
from pulink.engine.pace import paced, portion, tell
from pulink.engine.random import normals
from pulink.engine.threads import run_shares

F32 = npt.NDArray[np.float32]

_SPARE = 16
_ROUNDS = 6
_CHUNK = 1 << 16
_ROWS = 1 << 13


@dataclass(frozen=True)
class Eigenpairs:
    """values Λ (r), vectors U (n x r), by descending size of Λ."""

    values: F32
    vectors: F32

    def pair_signals(self, pairs: npt.NDArray[np.int64], ranks: tuple[int, ...]) -> F32:
        """For each pair (k x 2) and rank its entry, then its cosine (k x 2·ranks); a rank beyond r counts as r."""
        cuts = np.array([min(rank, len(self.values)) for rank in ranks], dtype=np.int64)
        scaled = self.vectors * self.values
        lengths = np.stack([np.linalg.norm(scaled[:, :cut], axis=1) for cut in cuts], axis=1)
        lengths = np.where(lengths > 0, lengths, 1.0).astype(np.float32)
        out = np.empty((len(pairs), 2 * len(cuts)), dtype=np.float32)

        def run(starts: list[int]) -> None:
            for start in starts:
                part = slice(start, start + _CHUNK)
                _pair_signals(self.vectors, self.values, lengths, cuts, pairs[part], out[part])

        run_shares(run, range(0, len(pairs), _CHUNK))
        return out


def leading_eigenpairs(matrix: Any, count: int, key: np.uint64) -> Eigenpairs:
    """The `count` eigenpairs of largest size of a symmetric matrix (n x n, CSR or dense); at most n."""
    n = matrix.shape[0]
    width = min(count + _SPARE, n)
    n_parts = 2 * _ROUNDS + 4
    with portion(0.0, 1 / n_parts):
        basis = _product(matrix, normals(key, n * width).reshape(n, width))
    for k in range(_ROUNDS):
        basis = np.linalg.qr(basis)[0]
        tell((2 * k + 2) / n_parts)
        with portion((2 * k + 2) / n_parts, (2 * k + 3) / n_parts):
            basis = _product(matrix, basis)
    tell((2 * _ROUNDS + 1) / n_parts)
    basis = np.linalg.qr(basis)[0]
    with portion((2 * _ROUNDS + 2) / n_parts, (2 * _ROUNDS + 3) / n_parts):
        small = basis.T @ _product(matrix, basis)
    values, vectors = np.linalg.eigh((small + small.T) / 2)
    order = np.argsort(-np.abs(values), kind="stable")[: min(count, n)]
    found = basis @ vectors[:, order]
    return Eigenpairs(values[order].astype(np.float32), np.ascontiguousarray(found, dtype=np.float32))


def _product(matrix: Any, columns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """matrix @ columns; of a sparse matrix some rows at a time, which never mix."""
    if not sp.issparse(matrix):
        return np.asarray(matrix @ columns, dtype=np.float64)
    out = np.empty((matrix.shape[0], columns.shape[1]), dtype=np.float64)
    for start in paced(range(0, len(out), _ROWS)):
        out[start : start + _ROWS] = matrix[start : start + _ROWS] @ columns
    return out


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
