"""The best pairs two steps apart: for graphs too large to score every pair."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints, is_neighbour
from pulink.engine.compile import kernel
from pulink.engine.pace import tell

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]


def two_hop_by_embedding(z: F32, adjacency: Adjacency, count: int, max_degree: int = 100) -> Pairs:
    """The `count` unconnected pairs with the largest z_i · z_j that share a neighbour of at most `max_degree`.

    Neighbours above that are passed over: they would cost degree² each, and say little about their pairs.
    """
    scores = np.empty(0, dtype=np.float32)
    pairs = np.empty((0, 2), dtype=np.int32)
    if count <= 0:
        return pairs
    buffer_scores = np.empty(max(1 << 16, 4 * count) + max_degree * max_degree, dtype=np.float32)
    buffer_pairs = np.empty((buffer_scores.size, 2), dtype=np.int32)
    threshold = np.float32(-np.inf)
    centre = 0
    while centre < adjacency.n_nodes:
        centre, filled = _collect(
            z, adjacency.indptr, adjacency.indices, centre, max_degree, threshold, buffer_scores, buffer_pairs
        )
        found = buffer_pairs[:filled]
        may = np.ones(filled, np.bool_) if adjacency.blocks is None else adjacency.blocks.allowed(found)
        scores = np.concatenate([scores, buffer_scores[:filled][may]])
        pairs = np.concatenate([pairs, found[may]])
        scores, pairs = _cut(scores, pairs, count, len(z))
        if len(scores) == count:
            threshold = scores[-1]
        tell(centre / adjacency.n_nodes)
    return pairs


def _cut(scores: F32, pairs: Pairs, count: int, n_nodes: int) -> tuple[F32, Pairs]:
    codes = pairs[:, 0].astype(np.int64) * n_nodes + pairs[:, 1]
    _, first = np.unique(codes, return_index=True)
    scores, pairs = scores[first], pairs[first]
    order = np.argsort(-scores, kind="stable")[:count]
    return scores[order], pairs[order]


@kernel
def _collect(
    z: F32,
    indptr: Ints,
    indices: Ints,
    first: int,
    max_degree: int,
    threshold: np.float32,
    scores: F32,
    pairs: Pairs,
) -> tuple[int, int]:
    """Fill the buffers from centre `first` on; return the next centre and how much was filled."""
    filled = 0
    for u in range(first, indptr.size - 1):
        start, end = indptr[u], indptr[u + 1]
        degree = end - start
        if degree > max_degree:
            continue
        if filled + degree * degree > scores.size:
            return u, filled
        for a in range(start, end):
            for b in range(a + 1, end):
                i, j = indices[a], indices[b]
                total = np.float32(0.0)
                for c in range(z.shape[1]):
                    total += z[i, c] * z[j, c]
                if total > threshold and not is_neighbour(indptr, indices, i, j):
                    scores[filled] = total
                    pairs[filled, 0] = i
                    pairs[filled, 1] = j
                    filled += 1
    return indptr.size - 1, filled
