"""How many walks of two, three and four steps lead from a node back to it: the diagonals of A², A³ and A⁴.

    (A²)_ii = d_i
    (A³)_ii = 2 · triangles at i
    (A⁴)_ii = 2 · four-cycles at i + d_i² + Σ_{u ∈ N(i)} (d_u − 1)

Neither triangles nor four-cycles are looked for at hubs. Nodes are ranked by degree, and every triangle and
four-cycle is found once, from its node of highest rank over nodes of lower rank alone: that takes at most
2 m √(2m) steps, whereas forming the rows of A² takes Σ d² of them, which one hub makes too many.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.compile import kernel

Counts = npt.NDArray[np.int64]

LENGTHS = (2, 3, 4)


def closed_walks(adjacency: Adjacency) -> Counts:
    """Closed walks of lengths 2, 3 and 4 from each node (n x 3), whatever the edges' weights.

    There are none of length 1, since a graph has no loops.
    """
    degrees = np.diff(adjacency.indptr).astype(np.int64)
    ranks = np.empty(len(degrees), dtype=np.int64)
    ranks[np.argsort(degrees, kind="stable")] = np.arange(len(degrees))
    counts = np.zeros((len(degrees), 3), dtype=np.int64)
    counts[:, 0] = degrees
    _count_cycles(adjacency.indptr, adjacency.indices, ranks, counts)
    _count_returns(adjacency.indptr, adjacency.indices, degrees, counts)
    return counts


@kernel
def _count_cycles(indptr: Ints, indices: Ints, ranks: Counts, counts: Counts) -> None:
    """Add two walks, one each way, for every triangle (column 1) and every four-cycle (column 2) at a node."""
    paths = np.zeros(ranks.size, dtype=np.int64)
    for v in range(ranks.size):
        for a in range(indptr[v], indptr[v + 1]):
            u = indices[a]
            if ranks[u] < ranks[v]:
                for b in range(indptr[u], indptr[u + 1]):
                    if ranks[indices[b]] < ranks[v]:
                        paths[indices[b]] += 1
        for a in range(indptr[v], indptr[v + 1]):
            u = indices[a]
            if ranks[u] < ranks[v]:
                counts[v, 1] += paths[u]
                counts[u, 1] += 2 * paths[u]
                for b in range(indptr[u], indptr[u + 1]):
                    w = indices[b]
                    if ranks[w] < ranks[v]:
                        # v - u - w closes to a cycle over each of the other paths from v to w.
                        counts[v, 2] += paths[w] - 1
                        counts[w, 2] += paths[w] - 1
                        counts[u, 2] += 2 * (paths[w] - 1)
        for a in range(indptr[v], indptr[v + 1]):
            u = indices[a]
            if ranks[u] < ranks[v]:
                paths[indices[indptr[u] : indptr[u + 1]]] = 0


@kernel
def _count_returns(indptr: Ints, indices: Ints, degrees: Counts, counts: Counts) -> None:
    """Add the walks of four steps that return over an edge that they came by."""
    for i in range(degrees.size):
        counts[i, 2] += degrees[i] * degrees[i]
        for e in range(indptr[i], indptr[i + 1]):
            counts[i, 2] += degrees[indices[e]] - 1
