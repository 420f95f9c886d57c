"""Products of a worker's rows: each row of a result is summed in the order of its own entries, whatever else is.

By hand, because BLAS may round a row differently when other rows stand beside it, and results must not depend on
how rows are dealt out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.compile import kernel
from pulink.engine.vector_rows import AHEAD, row_add, row_prefetch

F32 = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]

_ONE = np.float32(1)


@kernel
def row_sums(indptr: Longs, weights: F32, out: npt.NDArray[np.float64]) -> None:
    """out[r] = Σ_e weights[e] over the entries of row r."""
    for r in range(out.size):
        total = 0.0
        for e in range(indptr[r], indptr[r + 1]):
            total += np.float64(weights[e])
        out[r] = total


@kernel
def propagate_rows(
    indptr: Longs, indices: Ints, weights: F32, scale: F32, dense: F32, first: int, bias: F32, out: F32
) -> None:
    """out[r] = bias + scale_r (dense[first + r] + Σ_e w_e dense[indices[e]]); without weights each w is 1."""
    last = indices.size - 1
    is_plain = weights.size == 0
    for r in range(indptr.size - 1):
        for c in range(out.shape[1]):
            out[r, c] = dense[first + r, c]
        for e in range(indptr[r], indptr[r + 1]):
            row_prefetch(dense, np.uint32(indices[min(e + AHEAD, last)]))
            row_add(out, np.uint32(r), _ONE if is_plain else weights[e], dense, np.uint32(indices[e]))
        for c in range(out.shape[1]):
            out[r, c] = out[r, c] * scale[r] + bias[c]


@kernel
def multiply_rows(rows: F32, weight: F32, scale: F32, out: F32) -> None:
    """out[r] = scale_r Σ_k rows[r, k] weight[k]."""
    for r in range(rows.shape[0]):
        for c in range(out.shape[1]):
            out[r, c] = 0
        for k in range(rows.shape[1]):
            row_add(out, np.uint32(r), rows[r, k], weight, np.uint32(k))
        for c in range(out.shape[1]):
            out[r, c] *= scale[r]


@kernel
def pass_back(rows: F32, weight: F32, entered: F32, scale: F32, out: F32) -> None:
    """out[r] = scale_r Σ_k rows[r, k] weight[k] where entered[r] > 0, else 0."""
    for r in range(rows.shape[0]):
        for c in range(out.shape[1]):
            out[r, c] = 0
        for k in range(rows.shape[1]):
            row_add(out, np.uint32(r), rows[r, k], weight, np.uint32(k))
        for c in range(out.shape[1]):
            out[r, c] = out[r, c] * scale[r] if entered[r, c] > 0 else 0


@kernel
def add_outer(rows: F32, others: F32, bounds: Longs, out: F32) -> None:
    """out[s] += rowsᵀ others over the rows of shard s (r x k, r x d, s x k x d)."""
    for s in range(bounds.size - 1):
        for r in range(bounds[s], bounds[s + 1]):
            for k in range(rows.shape[1]):
                row_add(out[s], np.uint32(k), rows[r, k], others, np.uint32(r))


@kernel
def add_rows(rows: F32, bounds: Longs, out: F32) -> None:
    """out[s] += the rows of shard s (r x d, s x d)."""
    for s in range(bounds.size - 1):
        for r in range(bounds[s], bounds[s + 1]):
            for c in range(rows.shape[1]):
                out[s, c] += rows[r, c]


@kernel
def add_sparse_outer(indptr: Longs, columns: Ints, values: F32, others: F32, out: F32) -> None:
    """The same for rows in CSR."""
    for r in range(indptr.size - 1):
        for e in range(indptr[r], indptr[r + 1]):
            row_add(out, np.uint32(columns[e]), values[e], others, np.uint32(r))


@kernel
def multiply_sparse_rows(indptr: Longs, columns: Ints, values: F32, weight: F32, out: F32) -> None:
    """out[r] = Σ_e values[e] weight[columns[e]]."""
    for r in range(indptr.size - 1):
        for c in range(out.shape[1]):
            out[r, c] = 0
        for e in range(indptr[r], indptr[r + 1]):
            row_add(out, np.uint32(r), values[e], weight, np.uint32(columns[e]))


@kernel
def add_hub_rows(indptr: Longs, hubs: Ints, weights: F32, scale: F32, hub_rows: F32, out: F32) -> None:
    """out[r] += scale_r Σ_e w_e hub_rows[hubs[e]]: what rows get from hubs over the pairs that were added."""
    for r in range(indptr.size - 1):
        for e in range(indptr[r], indptr[r + 1]):
            row_add(out, np.uint32(r), scale[r] * weights[e], hub_rows, np.uint32(hubs[e]))


@kernel
def add_to_hubs(indptr: Longs, hubs: Ints, weights: F32, rows: F32, bounds: Longs, out: F32) -> None:
    """out[s, hubs[e]] += w_e rows[r] for each row r of shard s: what hubs get from rows over the same pairs."""
    for s in range(bounds.size - 1):
        for r in range(bounds[s], bounds[s + 1]):
            for e in range(indptr[r], indptr[r + 1]):
                row_add(out[s], np.uint32(hubs[e]), weights[e], rows, np.uint32(r))
