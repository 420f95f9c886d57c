"""Groups of nodes that are linked among themselves more than chance would have it, by modularity.

    Q = Σ_c  w_c / 2m  −  (k_c / 2m)²

w_c is twice the number of links inside group c, k_c the sum of its nodes' links, m the number of all. Nodes move
to the neighbouring group that raises Q most, then groups move as nodes did, until nothing moves (Blondel et al.
2008). Nothing is random: nodes are asked in their order. It is written here because no library that pulink needs
has it: NetworkX does, and is optional.

Shapes: ends (m, 2) of node numbers; the result (n,) of group numbers, 0 the largest group.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

Ints = npt.NDArray[np.int64]

_MOST_PASSES = 20
_LEAST_GAIN = 1e-9


def groups_of(n_nodes: int, ends: Ints) -> Ints:
    """A group for each node; nodes without a link are alone."""
    labels = np.arange(n_nodes)
    if not len(ends):
        return labels
    both = np.concatenate([ends, ends[:, ::-1]])
    graph = coo_array((np.ones(len(both)), (both[:, 0], both[:, 1])), (n_nodes, n_nodes)).tocsr()
    while True:
        moved = _moved(graph)
        n_groups = int(moved.max()) + 1
        labels = moved[labels]
        if n_groups == graph.shape[0]:
            return _by_size(labels)
        member = coo_array((np.ones(len(moved)), (moved, np.arange(len(moved)))), (n_groups, len(moved)))
        graph = (member @ graph @ member.T).tocsr()


def _moved(graph: csr_array) -> Ints:
    """Groups after single nodes have moved, numbered from 0."""
    starts, others, weights = graph.indptr.tolist(), graph.indices.tolist(), graph.data.tolist()
    strengths = graph.sum(axis=1).tolist()
    total = sum(strengths)
    labels, sums = list(range(len(strengths))), list(strengths)
    for _ in range(_MOST_PASSES):
        n_moved = 0
        for node, strength in enumerate(strengths):
            near: dict[int, float] = {labels[node]: 0.0}
            for place in range(starts[node], starts[node + 1]):
                if others[place] != node:
                    group = labels[others[place]]
                    near[group] = near.get(group, 0.0) + weights[place]
            now = labels[node]
            sums[now] -= strength
            gains = {group: weight - strength * sums[group] / total for group, weight in near.items()}
            best = max(gains, key=lambda group: (gains[group], -group))
            if gains[best] <= gains[now] + _LEAST_GAIN:
                best = now
            sums[best] += strength
            labels[node] = best
            n_moved += best != now
        if not n_moved:
            break
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _by_size(labels: Ints) -> Ints:
    """Numbered from the largest group; of equal ones the first node's comes first."""
    sizes = np.bincount(labels)
    first = np.full(len(sizes), len(labels))
    np.minimum.at(first, labels, np.arange(len(labels)))
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return rank[labels]
