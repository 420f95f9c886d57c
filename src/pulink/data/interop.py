"""Graphs from and to the objects of other libraries. Each library is imported only when it is used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from pulink.data.edge_list import edge_columns, graph_from_columns, id_text
from pulink.data.features import node_features
from pulink.errors import InputError
from pulink.graph.graph import Graph


def from_frame(
    edges: Any,
    nodes: Any = None,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    node_id: str | None = None,
    kinds: dict[str, str] | None = None,
) -> Graph:
    """From a polars or pandas frame of edges, and one of nodes if there is one."""
    table = _polars(edges, "edges")
    first, second = edge_columns(table.columns, source, target, "the frame")
    ends = [id_text(table[name], "the frame") for name in (first, second)]
    if any(column.null_count() for column in ends):
        raise InputError("the frame: an edge lacks an id; every edge needs two")
    weights = None if weight is None else table[weight].cast(pl.Float64).to_numpy()
    if nodes is None:
        return graph_from_columns(ends[0], ends[1], weights=weights)
    attributes = _polars(nodes, "nodes")
    key = node_id or attributes.columns[0]
    ids = id_text(attributes[key], "the node frame")
    if ids.null_count() or ids.n_unique() != ids.len():
        raise InputError(f"the node frame: column {key!r} must hold every node once")
    graph = graph_from_columns(ends[0], ends[1], weights=weights, more_names=ids)
    known = graph.names.series().to_frame("id")
    table = attributes.drop(key).with_columns(ids.alias("id"))
    rows = known.join(table, on="id", how="left", maintain_order="left").drop("id")
    if not rows.width:
        return graph
    encoded = node_features(rows, kinds)
    cleaning = replace(graph.cleaning, notes=encoded.notes)
    return replace(graph.with_features(encoded.matrix, encoded.names), cleaning=cleaning)


def from_scipy(
    adjacency: Any, *, features: Any = None, names: list[str] | None = None, weighted: bool = False
) -> Graph:
    """From a square sparse matrix; any stored non-zero is an edge, and its value the weight if `weighted`."""
    matrix = sp.coo_array(adjacency)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix must be square, got {matrix.shape}")
    stored = matrix.data != 0
    edges = np.stack([matrix.row[stored], matrix.col[stored]], axis=1)
    weights = matrix.data[stored] if weighted else None
    return Graph.from_edges(edges, int(matrix.shape[0]), weights=weights, features=features, names=names)


def from_networkx(graph: Any, *, weight: str | None = None, features: Any = None) -> Graph:
    """From a NetworkX graph, directed ones and multigraphs too; nodes are called by str(node)."""
    nodes = list(graph.nodes)
    names = [str(node) for node in nodes]
    if len(set(names)) < len(names):
        raise InputError("two nodes of the NetworkX graph have the same str(); rename one")
    index = {node: k for k, node in enumerate(nodes)}
    edges = [(index[a], index[b]) for a, b in graph.edges()]
    weights = None
    if weight is not None:
        weights = np.array([values.get(weight, 1.0) for _, _, values in graph.edges(data=True)])
    return Graph.from_edges(edges, len(nodes), weights=weights, features=features, names=names)


def from_pyg(data: Any) -> Graph:
    """From a PyG Data object: edge_index, x, num_nodes, and one-dimensional edge_weight."""
    edges = data.edge_index.cpu().numpy().T
    features = None
    if data.x is not None:
        dense = data.x.to_dense() if data.x.layout is not _strided() else data.x
        array = dense.cpu().numpy()
        # Words are mostly zeros: stored sparsely they cost a fraction.
        features = sp.csr_array(array) if np.count_nonzero(array) < 0.25 * array.size else array
    weights = getattr(data, "edge_weight", None)
    return Graph.from_edges(
        edges,
        int(data.num_nodes),
        weights=None if weights is None else weights.cpu().numpy(),
        features=features,
    )


def to_scipy(graph: Graph) -> sp.csr_array:
    """The symmetric adjacency matrix, with weights if there are any."""
    adjacency = graph.adjacency
    values = adjacency.values
    if values is None:
        values = np.ones(adjacency.indices.size, dtype=np.float32)
    return sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=(graph.n_nodes, graph.n_nodes))


def to_networkx(graph: Graph) -> Any:
    """A NetworkX Graph whose nodes are the names."""
    import networkx as nx

    names = graph.names.series().to_list()
    result = nx.Graph()
    result.add_nodes_from(names)
    pairs = [(names[i], names[j]) for i, j in graph.edges.tolist()]
    if graph.weights is None:
        result.add_edges_from(pairs)
    else:
        weights = graph.weights.tolist()
        result.add_weighted_edges_from((*pair, w) for pair, w in zip(pairs, weights, strict=True))
    return result


def to_pyg(graph: Graph) -> Any:
    """A PyG Data object with both orientations of every edge and dense features."""
    import torch
    from torch_geometric.data import Data

    both = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T.astype(np.int64)
    data = Data(edge_index=torch.from_numpy(np.ascontiguousarray(both)), num_nodes=graph.n_nodes)
    if graph.features is not None:
        dense = graph.features if isinstance(graph.features, np.ndarray) else graph.features.toarray()
        data.x = torch.from_numpy(np.array(dense))
    if graph.weights is not None:
        data.edge_weight = torch.from_numpy(np.concatenate([graph.weights, graph.weights]))
    return data


def _strided() -> Any:
    import torch

    return torch.strided


def _polars(frame: Any, what: str) -> pl.DataFrame:
    if isinstance(frame, pl.DataFrame):
        return frame
    if type(frame).__module__.partition(".")[0] == "pandas":
        return pl.DataFrame({str(c): _column(frame[c]) for c in frame.columns})
    raise InputError(f"{what} must be a polars or pandas frame, got {type(frame).__name__}")


def _column(series: Any) -> pl.Series:
    """A pandas column, by way of plain values: needs no Arrow, and NaN becomes missing."""
    values = [None if missing else value for value, missing in zip(series.tolist(), series.isna(), strict=True)]
    return pl.Series(values, strict=False)
