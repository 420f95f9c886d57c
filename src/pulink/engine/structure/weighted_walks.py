"""Sums over the walks of two and three steps between the ends of pairs, on a weighted graph, five at once.

    d_u   = Σ_v A_uv
    two steps    Σ_u A_iu A_uj · (1,  1 / log max(d_u, 2),  1 / d_u)    light edges may sum to a d_u next to 1
    three steps  Σ_uv A_iu A_uv A_vj · (1,  1 / (d_u d_v))          u ≠ j and v ≠ i: not along the pair's own edge

Where a pair is itself an edge of A, its sums are those of the graph without that edge: the nodes on the way are no
ends of the pair, and their degrees stay. All five in one pass, because they read the same rows. Sums start from
the end of larger degree (two steps) or of the lower number (three), and so depend on the unordered pair alone, to
the last bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.compile import in_order
from pulink.engine.structure.pair_groups import by_degree, by_number, group_pairs
from pulink.engine.threads import run_shares

F64 = npt.NDArray[np.float64]

TWO_STEP_SUMS = 3
THREE_STEP_SUMS = 2


def weighted_degrees(adjacency: Adjacency) -> F64:
    """Σ_v A_uv (n)."""
    if adjacency.values is None:
        return np.diff(adjacency.indptr).astype(np.float64)
    sums = np.concatenate([[0.0], np.cumsum(adjacency.values, dtype=np.float64)])
    return np.asarray(np.maximum(sums[adjacency.indptr[1:]] - sums[adjacency.indptr[:-1]], 0.0))


def local_walks(adjacency: Adjacency, pairs: Ints) -> F64:
    """The five sums of each pair (k x 5), in the order above."""
    degrees = weighted_degrees(adjacency)
    entries = _entries(adjacency)
    out = np.zeros((len(pairs), TWO_STEP_SUMS + THREE_STEP_SUMS), dtype=np.float64)
    inverse = 1.0 / np.where(degrees > 0, degrees, 1.0)
    logs = 1.0 / np.log(np.maximum(degrees, 2.0))
    near = group_pairs(pairs, by_degree(adjacency.indptr))
    far = group_pairs(pairs, by_number(adjacency.n_nodes))

    def two_steps(shares: list[tuple[int, int]]) -> None:
        for share in shares:
            _two_steps(adjacency.indptr, adjacency.indices, entries, (logs, inverse), share, near.starts,
                       (near.targets, near.places), out)  # fmt: skip

    def three_steps(shares: list[tuple[int, int]]) -> None:
        for share in shares:
            _three_steps(adjacency.indptr, adjacency.indices, entries, inverse, share, far.starts,
                         (far.targets, far.places), out)  # fmt: skip

    run_shares(two_steps, near.shares())
    run_shares(three_steps, far.shares())
    return out


def _entries(adjacency: Adjacency) -> F64:
    if adjacency.values is None:
        return np.ones(adjacency.indices.size, dtype=np.float64)
    return adjacency.values.astype(np.float64)


@in_order
def _two_steps(
    indptr: Ints, indices: Ints, entries: F64, weights: tuple[F64, F64], share: tuple[int, int],
    starts: Ints, pairs: tuple[Ints, Ints], out: F64,
) -> None:  # fmt: skip
    logs, inverse = weights
    targets, places = pairs
    row = np.zeros(inverse.size)
    for i in range(share[0], share[1]):
        if starts[i] == starts[i + 1]:
            continue
        for e in range(indptr[i], indptr[i + 1]):
            row[indices[e]] = entries[e]
        for p in range(starts[i], starts[i + 1]):
            bare, by_log, by_degree_ = 0.0, 0.0, 0.0
            for e in range(indptr[targets[p]], indptr[targets[p] + 1]):
                u = indices[e]
                if row[u] > 0.0:
                    walk = row[u] * entries[e]
                    bare += walk
                    by_log += walk * logs[u]
                    by_degree_ += walk * inverse[u]
            out[places[p], 0], out[places[p], 1], out[places[p], 2] = bare, by_log, by_degree_
        for e in range(indptr[i], indptr[i + 1]):
            row[indices[e]] = 0.0


@in_order
def _three_steps(
    indptr: Ints, indices: Ints, entries: F64, inverse: F64, share: tuple[int, int],
    starts: Ints, pairs: tuple[Ints, Ints], out: F64,
) -> None:  # fmt: skip
    targets, places = pairs
    n = inverse.size
    # What arrives at a node after two steps: bare, and over the degree of the node between.
    bare, weighed, direct = np.zeros(n), np.zeros(n), np.zeros(n)
    reached = np.empty(n, dtype=np.int32)
    for i in range(share[0], share[1]):
        if starts[i] == starts[i + 1]:
            continue
        n_reached = 0
        for e in range(indptr[i], indptr[i + 1]):
            u = indices[e]
            direct[u] = entries[e]
            for f in range(indptr[u], indptr[u + 1]):
                v = indices[f]
                if bare[v] == 0.0:
                    reached[n_reached] = v
                    n_reached += 1
                walk = entries[e] * entries[f]
                bare[v] += walk
                weighed[v] += walk * inverse[u]
        for p in range(starts[i], starts[i + 1]):
            j = targets[p]
            total, over = 0.0, 0.0
            for e in range(indptr[j], indptr[j + 1]):
                v = indices[e]
                if v != i and bare[v] > 0.0:
                    # Without the walk i - j - v - j, which begins with the pair's own edge.
                    through_edge = direct[j] * entries[e]
                    total += (bare[v] - through_edge) * entries[e]
                    over += (weighed[v] - through_edge * inverse[j]) * entries[e] * inverse[v]
            out[places[p], 3], out[places[p], 4] = max(total, 0.0), max(over, 0.0)
        for k in range(n_reached):
            bare[reached[k]], weighed[reached[k]] = 0.0, 0.0
        for e in range(indptr[i], indptr[i + 1]):
            direct[indices[e]] = 0.0
