"""Graphs as .npz files of plain arrays.

Keys: num_nodes; edge_index (2 x E); features as CSR (x_data, x_indices, x_indptr, x_shape) or dense (x), or none.
Nothing is ever unpickled.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.data.sources import existing_file
from pulink.errors import InputError
from pulink.files import write_atomically
from pulink.graph.graph import Features, Graph


def load_arrays(path: str | Path, wanted: tuple[str, ...] = ("",)) -> dict[str, np.ndarray]:
    """The arrays of an .npz file whose names start with one of `wanted`; arrays of objects are refused."""
    found = existing_file(path)
    if not zipfile.is_zipfile(found):
        raise InputError(f"{found}: is not a whole .npz file")
    try:
        with np.load(found, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files if name.startswith(wanted)}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError, AttributeError) as error:
        reason = "it holds Python objects" if "pickle" in str(error).lower() else str(error).splitlines()[0]
        raise InputError(f"{found}: cannot be read as .npz arrays ({reason})") from error


def read_npz(path: str | Path, *, upper: bool = False) -> Graph:
    """A graph in pulink's layout; `upper`: only from rows whose first node number is not above the second."""
    arrays = load_arrays(path)
    n_nodes, edges = _rows(arrays, path)
    kept = edges[:, edges[0] <= edges[1]] if upper else edges
    return _graph(path, kept.T, n_nodes, _features(arrays, path))


def read_stored_loops(path: str | Path) -> npt.NDArray[np.int64]:
    """The nodes of rows that join a node with itself, ascending, each once."""
    _, edges = _rows(load_arrays(path, ("num_nodes", "edge_index")), path)
    return np.unique(edges[0, edges[0] == edges[1]]).astype(np.int64)


def _rows(arrays: dict[str, np.ndarray], path: str | Path) -> tuple[int, np.ndarray]:
    """The number of nodes and the rows (2 x E) of a file in pulink's layout."""
    for key in ("num_nodes", "edge_index"):
        if key not in arrays:
            raise InputError(f"{path}: has no array {key!r}; it holds {', '.join(sorted(arrays)) or 'nothing'}")
    n_nodes, edges = arrays["num_nodes"], arrays["edge_index"]
    if n_nodes.size != 1 or n_nodes.dtype.kind not in "iu":
        raise InputError(
            f"{path}: num_nodes must be one whole number, got {n_nodes.dtype} of shape {n_nodes.shape}"
        )
    if edges.ndim != 2 or edges.shape[0] != 2:
        raise InputError(f"{path}: edge_index must be 2 x E, got {edges.shape}")
    return n_nodes.item(), edges


def write_npz(graph: Graph, path: str | Path) -> None:
    """Write nodes, edges and features; names and weights have no place in this layout."""
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
    arrays = load_arrays(path, ("adj_", "attr_"))
    adjacency = csr_parts(arrays, "adj_", path).tocoo()
    features = csr_parts(arrays, "attr_", path)
    features.data = (features.data > 0).astype(np.float32)
    features.eliminate_zeros()
    edges = np.stack([adjacency.row, adjacency.col], axis=1)
    return _graph(path, edges, int(adjacency.shape[0]), features)


def csr_parts(arrays: dict[str, np.ndarray], prefix: str, path: str | Path) -> sp.csr_array:
    """A matrix stored as data, indices, indptr and shape under a common prefix."""
    keys = [f"{prefix}{part}" for part in ("data", "indices", "indptr", "shape")]
    for key in keys:
        if key not in arrays:
            raise InputError(f"{path}: has no array {key!r}; it holds {', '.join(sorted(arrays)) or 'nothing'}")
    data, indices, indptr, shape = (arrays[key] for key in keys)
    try:
        matrix = sp.csr_array(
            (data.astype(np.float32), indices.astype(np.int32), indptr.astype(np.int64)),
            shape=(int(shape[0]), int(shape[1])),
        )
        matrix.check_format(full_check=True)
    except (ValueError, IndexError, TypeError) as error:
        raise InputError(f"{path}: {prefix}* is not a sparse matrix ({error})") from error
    return matrix


def _features(arrays: dict[str, np.ndarray], path: str | Path) -> Features | None:
    if "x_data" in arrays:
        return csr_parts(arrays, "x_", path)
    if "x" not in arrays:
        return None
    if arrays["x"].dtype.kind not in "fiub":
        raise InputError(f"{path}: x must hold numbers, got {arrays['x'].dtype}")
    return arrays["x"].astype(np.float32)


def _graph(path: str | Path, edges: np.ndarray, n_nodes: int, features: Features | None) -> Graph:
    try:
        return Graph.from_edges(edges, n_nodes, features=features)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
