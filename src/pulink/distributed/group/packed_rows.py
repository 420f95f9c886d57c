"""A graph as a file that workers map into their memory, each to cut its own rows out of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pulink.distributed.group.own_rows import OwnRows
from pulink.distributed.group.shards import Shards
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.persistence.checkpoints import Arrays, Checkpoint

_SPARSE = ("indptr", "indices", "data")


def packed_rows(graph: Graph) -> Checkpoint:
    """Rows of its adjacency and of its features, and how they are cut into shards; no names."""
    adjacency = graph.adjacency
    arrays: Arrays = {
        "bounds": Shards.of_degrees(graph.degrees).bounds,
        "indptr": adjacency.indptr.astype(np.int64),
        "indices": adjacency.indices,
    }
    if adjacency.values is not None:
        arrays["weights"] = adjacency.values
    features = graph.features
    if isinstance(features, np.ndarray):
        arrays["features"] = features
    elif features is not None:
        whole = sp.csr_array(features)
        arrays |= {f"features.{name}": getattr(whole, name) for name in _SPARSE}
    return Checkpoint({"n_edges": graph.n_edges, "n_columns": graph.n_features}, arrays)


def cut_rows(packed: Checkpoint, rank: int, n_workers: int) -> OwnRows:
    """The rows of one worker, copied; nothing else is read."""
    arrays = packed.arrays
    shards = Shards(np.array(arrays["bounds"]))
    own = shards.of_worker(rank, n_workers)
    first, end = shards.rows_of_worker(rank, n_workers)
    indptr = arrays["indptr"][first : end + 1]
    low, high = int(indptr[0]), int(indptr[-1])
    weights = arrays.get("weights")
    return OwnRows(
        shards=shards,
        own=own,
        indptr=indptr - low,
        indices=np.array(arrays["indices"][low:high]),
        weights=None if weights is None else np.array(weights[low:high]),
        features=_features(arrays, packed.plain["n_columns"], first, end),
        n_edges=packed.plain["n_edges"],
    )


def _features(arrays: Arrays, n_columns: int, first: int, end: int) -> Features | None:
    if "features" in arrays:
        return np.array(arrays["features"][first:end])
    if "features.indptr" not in arrays:
        return None
    indptr, indices, data = (arrays[f"features.{name}"] for name in _SPARSE)
    low, high = int(indptr[first]), int(indptr[end])
    parts: tuple[Any, ...] = (
        np.array(data[low:high]), np.array(indices[low:high]), indptr[first : end + 1] - low,
    )  # fmt: skip
    return sp.csr_array(parts, shape=(end - first, n_columns))
