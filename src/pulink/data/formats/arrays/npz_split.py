"""The split that a publisher made, in a file of plain arrays.

Beside num_nodes, edge_index (2 x E) and features: n_train, how many of the first rows are training edges;
valid_edge, valid_edge_neg, test_edge and test_edge_neg (2 x k each).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pulink.data.formats.arrays.npz import npz_features, npz_rows
from pulink.data.formats.arrays.npz_matrices import whole
from pulink.data.formats.arrays.npz_members import Arrays, opened_arrays
from pulink.errors import InputError
from pulink.graph.graph import Edges, Graph, frozen
from pulink.graph.split import Split, audit

# In the order of a Split.
_HIDDEN = ("valid_edge", "valid_edge_neg", "test_edge", "test_edge_neg")


def read_stored_split(path: str | Path) -> Split:
    """Training graph and hidden pairs; LeakError where a hidden pair can be seen or is hidden twice."""
    with opened_arrays(path) as arrays:
        arrays.refuse_objects()
        n_nodes, rows = npz_rows(arrays, path)
        features = npz_features(arrays, path)
        n_train = arrays.read("n_train")
        if n_train.size != 1 or n_train.dtype.kind not in "iu" or not 0 <= n_train.item() <= rows.shape[1]:
            raise InputError(f"{path}: n_train must be one whole number from 0 to {rows.shape[1]:,}")
        hidden = [_pairs(arrays, part, n_nodes, path) for part in _HIDDEN]
    try:
        train = Graph.from_edges(rows[:, : n_train.item()].T, n_nodes, features=features, kind="undirected")
        val, val_non_edges, test, test_non_edges = (
            frozen(train.pair_space.ordered(own).astype(np.int32)) for own in hidden
        )
        result = Split(train, val, val_non_edges, test, test_non_edges)
        audit(result)
    except InputError as error:
        raise type(error)(f"{path}: {error}") from error
    return result


def _pairs(arrays: Arrays, name: str, n_nodes: int, path: str | Path) -> Edges:
    rows = arrays.read(name)
    if rows.ndim != 2 or rows.shape[0] != 2:
        raise InputError(f"{path}: {name} must be 2 x k, got {rows.shape}")
    pairs = whole(rows, f"{path}: {name}").T
    if pairs.size and (pairs.min() < 0 or pairs.max() >= n_nodes):
        raise InputError(f"{path}: {name} names a node outside 0 .. {n_nodes - 1}")
    return np.ascontiguousarray(pairs, dtype=np.int32)
