"""Entry-wise products of propagated features, for pairs that must not see their own edge.

    X_k = S^k X,   S = D^-1/2 (A + I) D^-1/2,   k = 0 .. K ≤ 2          (n x (K+1) x d)
    product of a pair (i, j) = X_k[i] * X_k[j] for each k                (p x (K+1) d)

For connected nodes S is that of the graph without their edge, as held-out pairs see it. That is exact, and found
from the same X_k: with d' = d - 1 the degrees of i and j without the edge (loops counted in d),

    √d'_i X'_1[i] = √d_i X_1[i] - x_j / √d_j + c_i x_i,                                     c = 1/√d' - 1/√d
    √d'_i X'_2[i] = √d_i X_2[i] - X_1[j] / √d_j - X_1[i] / √d_i + X'_1[i] / √d'_i
                    + c_i x_i (Σ_{u ∈ N(i)} 1/d_u - 1/d_j) + c_j x_j Σ_{u ∈ N(i) ∩ N(j)} 1/d_u

because the first hop of another neighbour u of i changes only by i's (and perhaps j's) new degree.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch

from pulink.engine.adjacency import Adjacency, Ints, contains
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.compile import inlined, kernel
from pulink.engine.structure.common_neighbours import common_neighbours
from pulink.engine.threads import run_shares, threads_in_use

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

MAX_HOPS = 2


def propagated(adjacency: Adjacency, features: F32, n_hops: int) -> F32:
    """X_0 .. X_K (n x (K+1) x d) over the bare graph: weights are not used."""
    operator = propagation_operator(Adjacency(adjacency.indptr, adjacency.indices))
    hops = [torch.from_numpy(np.ascontiguousarray(features))]
    for _ in range(n_hops):
        hops.append(operator.times(hops[-1]))
    return np.stack([hop.numpy() for hop in hops], axis=1)


class HopProducts:
    """Products of pairs over one graph, and what all of them need."""

    def __init__(self, adjacency: Adjacency, hops: F32) -> None:
        assert hops.shape[1] - 1 <= MAX_HOPS
        self._adjacency, self._hops = adjacency, hops
        self._degrees = np.diff(adjacency.indptr) + 1.0
        rows = np.repeat(np.arange(adjacency.n_nodes), np.diff(adjacency.indptr))
        inverse = 1.0 / self._degrees[adjacency.indices]
        self._around = np.asarray(np.bincount(rows, inverse, adjacency.n_nodes), dtype=np.float64)

    def of(self, pairs: Ints) -> F32:
        """Products (p x (K+1) d) of pairs (p x 2) of different nodes."""
        pairs = np.ascontiguousarray(pairs, dtype=np.int64)
        shared = self._shared(pairs)
        out = np.empty((len(pairs), self._hops.shape[1] * self._hops.shape[2]), dtype=np.float32)

        def run(share: list[tuple[int, int]]) -> None:
            for first, end in share:
                part = slice(first, end)
                _products(self._hops, self._degrees, self._around, pairs[part], shared[part], out[part])

        threads = threads_in_use()
        run_shares(run, list(pairwise(len(pairs) * k // threads for k in range(threads + 1))))
        return out

    def _shared(self, pairs: Ints) -> F64:
        """Σ 1/d over common neighbours of connected pairs, -1 for the others."""
        shared = np.full(len(pairs), -1.0)
        connected = contains(self._adjacency, pairs)
        indptr, indices = common_neighbours(self._adjacency, pairs[connected])
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        inverse = 1.0 / self._degrees[indices]
        shared[connected] = np.bincount(rows, weights=inverse, minlength=len(indptr) - 1)
        return shared


@kernel
def _products(hops: F32, degrees: F64, around: F64, pairs: Ints, shared: F64, out: F32) -> None:
    bare = np.empty((2, hops.shape[1], hops.shape[2]), dtype=np.float32)
    for p in range(pairs.shape[0]):
        i, j = pairs[p]
        left, right = hops[i], hops[j]
        if shared[p] >= 0:
            _without_edge(left, right, degrees[i], degrees[j], around[i], shared[p], bare[0])
            _without_edge(right, left, degrees[j], degrees[i], around[j], shared[p], bare[1])
            left, right = bare[0], bare[1]
        for k in range(hops.shape[1]):
            for c in range(hops.shape[2]):
                out[p, k * hops.shape[2] + c] = left[k, c] * right[k, c]


@inlined
def _without_edge(
    node: F32, other: F32, degree: float, other_degree: float, around: float, shared: float, out: F32
) -> None:
    """The rows X'_k of a node without its edge to the other."""
    # Inlined: as a kernel of its own it rounded otherwise when freshly compiled than when taken from the cache.
    root, bare = np.float32(np.sqrt(degree)), np.float32(np.sqrt(degree - 1))
    other_root = np.float32(np.sqrt(other_degree))
    change, other_change = 1 / bare - 1 / root, 1 / np.float32(np.sqrt(other_degree - 1)) - 1 / other_root
    of_node, of_other = change * np.float32(around - 1 / other_degree), other_change * np.float32(shared)
    for c in range(node.shape[1]):
        out[0, c] = node[0, c]
    if node.shape[0] > 1:
        for c in range(node.shape[1]):
            out[1, c] = (root * node[1, c] - other[0, c] / other_root + change * node[0, c]) / bare
    if node.shape[0] > 2:
        for c in range(node.shape[1]):
            total = root * node[2, c] - other[1, c] / other_root - node[1, c] / root + out[1, c] / bare
            out[2, c] = (total + of_node * node[0, c] + of_other * other[0, c]) / bare
