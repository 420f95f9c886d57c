"""Random adjacencies for the engine's tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency


def random_pairs(n_nodes: int, density: float, seed: int) -> npt.NDArray[np.int32]:
    """Each unordered pair with chance `density`, i < j, sorted."""
    low, high = np.triu_indices(n_nodes, k=1)
    kept = np.random.default_rng(seed).random(len(low)) < density
    return np.stack([low[kept], high[kept]], axis=1).astype(np.int32)


def random_adjacency(n_nodes: int, density: float, seed: int) -> Adjacency:
    return symmetric_adjacency(random_pairs(n_nodes, density, seed), n_nodes)


def dense(adjacency: Adjacency) -> npt.NDArray[np.float64]:
    """The same adjacency as an n x n matrix, filled entry by entry."""
    matrix = np.zeros((adjacency.n_nodes, adjacency.n_nodes))
    for i in range(adjacency.n_nodes):
        for e in range(adjacency.indptr[i], adjacency.indptr[i + 1]):
            matrix[i, adjacency.indices[e]] = 1.0 if adjacency.values is None else adjacency.values[e]
    return matrix


@st.composite
def pair_sets(draw: st.DrawFn) -> tuple[npt.NDArray[np.int32], int]:
    """Any set of pairs over up to nine nodes, and the number of nodes."""
    n_nodes = draw(st.integers(1, 9))
    low, high = np.triu_indices(n_nodes, k=1)
    kept = np.array(draw(st.lists(st.booleans(), min_size=len(low), max_size=len(low))), dtype=np.bool_)
    return np.stack([low[kept], high[kept]], axis=1).astype(np.int32).reshape(-1, 2), n_nodes
