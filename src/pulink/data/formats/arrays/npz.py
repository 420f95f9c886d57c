"""Graphs as .npz files of plain arrays.

Keys: num_nodes; edge_index (2 x E); features as CSR (x_data, x_indices, x_indptr, x_shape) or dense (x), or none.
Nothing is ever unpickled.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.data.formats.arrays.npz_matrices import refuse_not_finite, single, sparse_rows, whole
from pulink.data.formats.arrays.npz_members import Arrays, opened_arrays
from pulink.data.formats.limits import check_announced
from pulink.errors import InputError
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.graph.tables.kind_detection import Detected, kind_by_rows
from pulink.system.files import write_atomically


def read_npz(path: str | Path, *, upper: bool = False, kind: str | None = UNDIRECTED) -> Graph:
    """A graph in pulink's layout.

    upper  only from rows whose first node number is not above the second
    kind   of the graph; None: directed or undirected, as its rows tell
    """
    with opened_arrays(path) as arrays:
        arrays.refuse_objects()
        n_nodes, edges = npz_rows(arrays, path)
        features = npz_features(arrays, path)
    kept = edges[:, edges[0] <= edges[1]] if upper else edges
    if kind is not None:
        return _graph(path, kept.T, n_nodes, features, kind)
    inside = kept.size == 0 or (kept.min() >= 0 and kept.max() < n_nodes)
    found = kind_by_rows(kept.T, n_nodes, sided=False) if inside else Detected(UNDIRECTED, "")
    graph = _graph(path, kept.T, n_nodes, features, found.kind)
    return replace(graph, cleaning=replace(graph.cleaning, kind_seen=found.evidence))


def read_stored_loops(path: str | Path) -> npt.NDArray[np.int64]:
    """The nodes of rows that join a node with itself, ascending, each once."""
    with opened_arrays(path) as arrays:
        _, edges = npz_rows(arrays, path)
    return np.unique(edges[0, edges[0] == edges[1]]).astype(np.int64)


def npz_rows(arrays: Arrays, path: str | Path) -> tuple[int, np.ndarray]:
    """The number of nodes and the rows (2 x E) of a file in pulink's layout."""
    n_nodes, edges = arrays.read("num_nodes"), arrays.read("edge_index")
    if n_nodes.size != 1 or n_nodes.dtype.kind not in "iu":
        raise InputError(
            f"{path}: num_nodes must be one whole number, got {n_nodes.dtype} of shape {n_nodes.shape}"
        )
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise InputError(f"{path}: edge_index must be 2 x E, got {edges.shape}")
    if edges.dtype.kind not in "iu":
        raise InputError(f"{path}: edge_index must hold whole node numbers, got {edges.dtype}")
    check_announced(n_nodes.item(), edges.shape[1], "num_nodes", str(path))
    return n_nodes.item(), edges if edges.dtype == np.int32 else whole(edges, f"{path}: edge_index")


def write_npz(graph: Graph, path: str | Path) -> None:
    """Write a graph as a file of plain arrays that `pulink.read` takes.

    Parameters
    ----------
    graph : Graph
        Nodes, edges and features are written; names and weights have no place in this layout.
    path : path
        Ends in .npz; a file that is there is replaced.

    Examples
    --------
    >>> import pulink, tempfile
    >>> path = tempfile.mkdtemp() + "/graph.npz"
    >>> pulink.write_npz(pulink.Graph.from_edges([[0, 1], [1, 2]]), path)
    >>> pulink.read(path)
    Graph(3 nodes, 2 edges)
    """
    arrays: dict[str, np.ndarray] = {
        "num_nodes": np.array(graph.n_nodes),
        "edge_index": np.ascontiguousarray(graph.edges.T),
    }
    if isinstance(graph.features, np.ndarray):
        arrays["x"] = graph.features
    elif graph.features is not None:
        matrix = graph.features
        arrays |= {"x_data": matrix.data, "x_indices": matrix.indices, "x_indptr": matrix.indptr}
        arrays["x_shape"] = np.array(matrix.shape)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    write_atomically(Path(path), buffer.getvalue())


def read_citation_npz(path: str | Path) -> Graph:
    """The layout in which Cora-full is published: adj_* and attr_* as CSR parts (Bojchevski and Günnemann).

    Features are binarised, as PyG's CitationFull does. The published file also holds pickled names: left unread.
    """
    with opened_arrays(path) as arrays:
        adjacency = _csr_parts(arrays, "adj_", path).tocoo()
        features = _csr_parts(arrays, "attr_", path)
    features.data = (features.data > 0).astype(np.float32)
    features.eliminate_zeros()
    edges = np.stack([adjacency.row, adjacency.col], axis=1)
    return _graph(path, edges, int(adjacency.shape[0]), features)


def _csr_parts(arrays: Arrays, prefix: str, path: str | Path) -> sp.csr_array:
    """A matrix stored as data, indices, indptr and shape under a common prefix."""
    data, indices, indptr, shape = (
        arrays.read(f"{prefix}{part}") for part in ("data", "indices", "indptr", "shape")
    )
    return sparse_rows(data, indices, indptr, shape, f"{path}: {prefix}*")


def npz_features(arrays: Arrays, path: str | Path) -> Features | None:
    matrix: Features | None = None
    if "x_data" in arrays.names:
        matrix = _csr_parts(arrays, "x_", path)
    elif "x" in arrays.names:
        matrix = single(arrays.read("x"), f"{path}: x")
        if matrix.ndim != 2:
            raise InputError(f"{path}: x must have a row per node and a column per feature, got {matrix.shape}")
    if matrix is not None:
        refuse_not_finite(matrix, f"{path}: x")
    return matrix


def _graph(
    path: str | Path, edges: np.ndarray, n_nodes: int, features: Features | None, kind: str = UNDIRECTED
) -> Graph:
    try:
        return Graph.from_edges(edges, n_nodes, features=features, kind=kind)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
