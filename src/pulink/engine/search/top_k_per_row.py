"""The largest entries of each row of a product of matrices, without building the product.

    scores = L R        (n x n; L is n x m, R is m x n)
    out[i] = the `count` columns j != i with the largest scores_ij > 0, best first; −1 where there are fewer

Ties are broken by a hash of the pair (i, j), the same in both orientations: by number, all ties would go to the
same few nodes and make hubs of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch

from pulink.engine.compile import inlined, kernel
from pulink.engine.random import mix64
from pulink.engine.threads import run_shares

Columns = npt.NDArray[np.int32]
F32 = npt.NDArray[np.float32]

_BLOCK = 256
_HALF = np.uint64(32)
_ZERO = np.float32(0)
# About a quarter of a minute on one core.
_MOST_STEPS = 10**10


class Rows(NamedTuple):
    """A sparse matrix by rows, in the types that the kernel was compiled for."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.uint32]
    values: F32


def top_of_sparse_rows(
    left: sp.csr_array, right: sp.csr_array, count: int, most_steps: int = _MOST_STEPS
) -> Columns:
    """The largest entries in each row of left · right (n x count).

    If the product takes more than `most_steps` multiplications, the rows of `right` that take most are left out:
    a hub's neighbours, or a feature that nearly all nodes have, cost the square of their number and tell least.
    """
    n_rows, n_columns = left.shape[0], right.shape[1]
    out = np.full((n_rows, count), -1, dtype=np.int32)
    lefts, rights = _rows(left), _rows(_affordable(left, right, most_steps))

    def run(starts: list[int]) -> None:
        for first in starts:
            _top_of_product(lefts, rights, first, n_columns, out[first : first + _BLOCK])

    run_shares(run, range(0, n_rows, _BLOCK))
    return out


def top_of_dense_rows(rows: F32, count: int) -> Columns:
    """The largest entries in each row of rows · rowsᵀ (n x count), formed a block at a time."""
    out = np.full((len(rows), count), -1, dtype=np.int32)
    whole = torch.from_numpy(rows)

    def run(starts: list[int]) -> None:
        for first in starts:
            scores = whole[first : first + _BLOCK] @ whole.T
            _top_of_block(scores.numpy(), first, out[first : first + _BLOCK])

    run_shares(run, range(0, len(rows), _BLOCK))
    return out


def _rows(matrix: sp.csr_array) -> Rows:
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.uint32), matrix.data.astype(np.float32))


def _affordable(left: sp.csr_array, right: sp.csr_array, most_steps: int) -> sp.csr_array:
    """`right`, without the rows that cost most once the product would take too many steps."""
    uses = np.bincount(left.indices, minlength=right.shape[0])
    steps = uses.astype(np.int64) * np.diff(right.indptr)
    cheapest_first = np.argsort(steps, kind="stable")
    too_many = np.cumsum(steps[cheapest_first]) > most_steps
    if not too_many.any():
        return right
    kept = np.ones(right.shape[0], dtype=np.bool_)
    kept[cheapest_first[too_many]] = False
    entries = np.repeat(kept, np.diff(right.indptr))
    indptr = np.concatenate([[0], np.cumsum(np.where(kept, np.diff(right.indptr), 0))])
    return sp.csr_array((right.data[entries], right.indices[entries], indptr), shape=right.shape)


@inlined
def _insert(
    best: Columns, scores: F32, ties: npt.NDArray[np.uint64], i: int, j: int | np.integer, score: np.float32
) -> None:
    """Keep the best columns (count) in order; empty places have a score of 0."""
    tie = mix64((np.uint64(min(i, j)) << _HALF) + np.uint64(max(i, j)))
    place = best.size
    while place > 0 and (score > scores[place - 1] or (score == scores[place - 1] and tie < ties[place - 1])):
        place -= 1
        if place < best.size - 1:
            best[place + 1], scores[place + 1], ties[place + 1] = best[place], scores[place], ties[place]
        best[place], scores[place], ties[place] = j, score, tie


@kernel
def _top_of_product(left: Rows, right: Rows, first: int, n_columns: int, out: Columns) -> None:
    scores = np.empty(out.shape[1], dtype=np.float32)
    ties = np.empty(out.shape[1], dtype=np.uint64)
    sums = np.zeros(n_columns, dtype=np.float32)
    last = out.shape[1] - 1
    for r in range(out.shape[0]):
        i = first + r
        best = out[r]
        scores[:] = _ZERO
        n_steps = 0
        for a in range(left.indptr[i], left.indptr[i + 1]):
            u, value = left.indices[a], left.values[a]
            n_steps += right.indptr[u + 1] - right.indptr[u]
            for b in range(right.indptr[u], right.indptr[u + 1]):
                sums[right.indices[b]] += value * right.values[b]
        sums[i] = _ZERO
        if n_steps > n_columns:
            for j in range(n_columns):
                if sums[j] > _ZERO and sums[j] >= scores[last]:
                    _insert(best, scores, ties, i, j, sums[j])
            sums[:] = _ZERO
            continue
        for a in range(left.indptr[i], left.indptr[i + 1]):
            u = left.indices[a]
            for b in range(right.indptr[u], right.indptr[u + 1]):
                j = right.indices[b]
                # Cleared when it is first met, so that no column is met twice.
                score = sums[j]
                sums[j] = _ZERO
                if score > _ZERO and score >= scores[last]:
                    _insert(best, scores, ties, i, np.int64(j), score)


@kernel
def _top_of_block(block: F32, first: int, out: Columns) -> None:
    scores = np.empty(out.shape[1], dtype=np.float32)
    ties = np.empty(out.shape[1], dtype=np.uint64)
    last = out.shape[1] - 1
    for r in range(out.shape[0]):
        best = out[r]
        scores[:] = _ZERO
        for j in range(block.shape[1]):
            if j != first + r and block[r, j] > _ZERO and block[r, j] >= scores[last]:
                _insert(best, scores, ties, first + r, j, block[r, j])
