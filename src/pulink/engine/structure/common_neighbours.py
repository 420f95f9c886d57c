"""Common neighbours of pairs of nodes: who they are, and sums over them.

    C[p, u] = 1 if u is a neighbour of both nodes of pair p, else 0        (p x n, CSR)

C times a matrix with a row per node sums that matrix over each pair's common neighbours, with gradients.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.adjacency import Adjacency, Ints, index_dtype
from pulink.engine.autograd.sparse import SparseOperator
from pulink.engine.compile import kernel
from pulink.engine.threads import run_shares, threads_in_use

Indices = npt.NDArray[np.int32]


def common_neighbours(adjacency: Adjacency, pairs: Ints) -> tuple[Ints, Indices]:
    """Row starts (p + 1) and ascending common neighbours of pairs (p x 2)."""
    pairs = np.ascontiguousarray(pairs, dtype=np.int64)
    counts = np.empty(len(pairs), dtype=np.int64)

    def run(share: list[tuple[int, int]]) -> list[Indices]:
        return [_of_range(adjacency, pairs[first:end], counts[first:end]) for first, end in share]

    threads = threads_in_use()
    ranges = list(pairwise(len(pairs) * k // threads for k in range(threads + 1)))
    found = np.concatenate([part for parts in run_shares(run, ranges) for part in parts])
    indptr = np.zeros(len(pairs) + 1, dtype=index_dtype(len(found)))
    np.cumsum(counts, out=indptr[1:])
    return indptr, found


def common_neighbour_sums(adjacency: Adjacency, pairs: Ints) -> SparseOperator:
    """C as an operator: C @ h sums the rows of h (n x d) over the common neighbours of each pair (p x d)."""
    indptr, indices = common_neighbours(adjacency, pairs)
    ones = np.ones(len(indices), dtype=np.float32)
    shape = (len(pairs), adjacency.n_nodes)
    return SparseOperator.from_scipy(sp.csr_array((ones, indices, indptr), shape=shape))


def most_common_neighbours(adjacency: Adjacency, pairs: Ints) -> int:
    """A bound on how many entries C can have: the smaller degree of each pair, summed."""
    degrees = np.diff(adjacency.indptr)
    return int(np.minimum(degrees[pairs[:, 0]], degrees[pairs[:, 1]]).sum())


def _of_range(adjacency: Adjacency, pairs: Ints, counts: npt.NDArray[np.int64]) -> Indices:
    found = np.empty(most_common_neighbours(adjacency, pairs), dtype=np.int32)
    n_found = _intersect(adjacency.indptr, adjacency.indices, pairs, counts, found)
    return found[:n_found].copy()


@kernel
def _intersect(indptr: Ints, indices: Ints, pairs: Ints, counts: npt.NDArray[np.int64], found: Indices) -> int:
    """Every node of the shorter row is bisected in what is left of the longer."""
    place = 0
    for p in range(pairs.shape[0]):
        i, j = pairs[p]
        if indptr[i + 1] - indptr[i] > indptr[j + 1] - indptr[j]:
            i, j = j, i
        before = place
        low, end = indptr[j], indptr[j + 1]
        for e in range(indptr[i], indptr[i + 1]):
            u = indices[e]
            high = end
            while low < high:
                middle = (low + high) >> 1
                if indices[middle] < u:
                    low = middle + 1
                else:
                    high = middle
            if low == end:
                break
            if indices[low] == u:
                found[place] = u
                place += 1
                low += 1
        counts[p] = place - before
    return place
