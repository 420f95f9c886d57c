"""Other graphs over the same nodes: who is two steps away, and whose features are alike.

    two steps    RA_ij = Σ_{u ∈ N(i) ∩ N(j)} 1 / d_u, resource allocation; the k largest in each row
    features     cos_ij = x_i · x_j / (|x_i| |x_j|); the k largest in each row, if above 0

A pair is in a view if it is in the list of either end. RA_ij does not ask whether i and j are connected, and nor
does the view: a missing link and a known one look alike in it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.edge_merge import merge_edges
from pulink.engine.search.top_k_per_row import top_of_dense_rows, top_of_sparse_rows
from pulink.graph.features import Features


def two_step_view(adjacency: Adjacency, count: int) -> Adjacency:
    """Each node and the `count` others with which it shares most, by resource allocation."""
    n = adjacency.n_nodes
    degrees = np.diff(adjacency.indptr)
    ones = np.ones(adjacency.indices.size)
    neighbours = sp.csr_array((ones, adjacency.indices, adjacency.indptr), shape=(n, n))
    shares = sp.csr_array((ones / np.repeat(degrees, degrees), adjacency.indices, adjacency.indptr), shape=(n, n))
    return _either_way(top_of_sparse_rows(neighbours, shares, count))


def cosine_view(features: Features, count: int) -> Adjacency:
    """Each node and the `count` others whose features (n x d) point most nearly the same way."""
    if isinstance(features, np.ndarray):
        return _either_way(top_of_dense_rows(_unit_rows(features), count))
    lengths = np.sqrt(np.asarray(features.multiply(features).sum(axis=1)).ravel())
    scale = np.repeat(_reciprocals(lengths), np.diff(features.indptr))
    rows = sp.csr_array((features.data * scale, features.indices, features.indptr), shape=features.shape)
    return _either_way(top_of_sparse_rows(rows, sp.csr_array(rows.T), count))


def _unit_rows(features: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return features * _reciprocals(np.linalg.norm(features, axis=1))[:, None]


def _reciprocals(lengths: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """1 / length, and 0 for rows of zeros, which have no direction."""
    return np.where(lengths > 0, np.float32(1) / np.where(lengths > 0, lengths, np.float32(1)), np.float32(0))


def _either_way(neighbours: npt.NDArray[np.int32]) -> Adjacency:
    """A graph from each node's list (n x k, −1 where it ends)."""
    n_nodes = len(neighbours)
    rows, places = np.nonzero(neighbours >= 0)
    pairs = np.stack([rows, neighbours[rows, places]], axis=1)
    return symmetric_adjacency(merge_edges(pairs, n_nodes).edges, n_nodes)
