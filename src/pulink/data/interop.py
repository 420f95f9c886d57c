"""Graphs from and to the objects of other libraries. Each library is imported only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pulink.data.read import node_rows
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.tables.frames import frame_graph


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
    """From a polars or pandas frame of edges, and a frame or a file of nodes if there is one.

    Lists of links found in it are frames of the same library as that of the edges.
    """
    options = ReadOptions(node_id=node_id, kinds=kinds)
    rows = node_rows(nodes, options)
    if rows is None and options.given():
        raise ParameterError("node_id and kinds go with a frame of nodes, and there is none")
    more_names = None if rows is None else rows.ids
    graph = frame_graph(edges, source=source, target=target, weight=weight, more_names=more_names)
    return graph if rows is None else rows.attach(graph, kinds)


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
    if getattr(data, "edge_index", None) is None:
        raise InputError(f"a PyG Data object with an edge_index is needed, got {type(data).__name__} without one")
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
    shape = (graph.n_nodes, graph.n_nodes)
    return sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=shape, copy=True)


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
