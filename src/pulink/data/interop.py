"""Graphs from and to the objects of other libraries. Each library is imported only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from pulink.data.read import node_rows
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.tables.edge_list import graph_from_columns
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
    """Build a graph from a frame of edges, and one of nodes if there is one.

    Parameters
    ----------
    edges : polars or pandas frame
        A row per edge. Lists of links are then frames of the same library.
    nodes : polars or pandas frame, optional
        A row per node: an id column and attributes.
    source, target, weight : str, optional
        Columns of `edges`, where they cannot be guessed.
    node_id : str, optional
        The column of `nodes` that holds the names of the nodes.
    kinds : dict of str to str, optional
        Columns of `nodes` whose kind is guessed wrongly: "number", "category", "text" or "ignore".

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If a frame lacks a column, or a cell is empty or is no name or number.
    ParameterError
        If `node_id` or `kinds` is given without `nodes`.

    Examples
    --------
    >>> import polars, pulink
    >>> pulink.from_frame(polars.DataFrame({"who": ["Ada", "Bob"], "whom": ["Bob", "Cleo"]}))
    Graph(3 nodes, 2 edges)
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
    """Build a graph from an adjacency matrix.

    Parameters
    ----------
    adjacency : sparse or dense matrix, n x n
        Any value but 0 is an edge; the two halves are merged.
    features : matrix, n x d, sparse or dense, optional
        Attributes of the nodes as numbers.
    names : list of str, optional
        What the nodes are called; None: by their numbers.
    weighted : bool
        Whether values are weights of edges.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If the matrix is not square, or features or names do not fit it.

    Examples
    --------
    >>> import pulink
    >>> pulink.from_scipy([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    Graph(3 nodes, 2 edges)
    """
    matrix = sp.coo_array(adjacency)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix must be square, got {matrix.shape}")
    stored = matrix.data != 0
    edges = np.stack([matrix.row[stored], matrix.col[stored]], axis=1)
    weights = matrix.data[stored] if weighted else None
    return Graph.from_edges(edges, int(matrix.shape[0]), weights=weights, features=features, names=names)


def from_networkx(graph: Any, *, weight: str | None = None, features: Any = None) -> Graph:
    """Build a graph from one of NetworkX, directed ones and multigraphs included.

    Parameters
    ----------
    graph : networkx.Graph
        Its nodes are called by str(node) here, and numbered in the order of their names, as those of a file are.
    weight : str, optional
        The attribute of edges that holds their weights; an edge without it weighs 1.
    features : matrix, n x d, sparse or dense, optional
        Attributes of the nodes as numbers, in the order of `graph.nodes`.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If two nodes have the same str(), or features do not fit.

    Examples
    --------
    >>> import networkx, pulink
    >>> pulink.from_networkx(networkx.karate_club_graph())
    Graph(34 nodes, 78 edges)
    """
    nodes = list(graph.nodes)
    names = [str(node) for node in nodes]
    if len(set(names)) < len(names):
        raise InputError("two nodes of the NetworkX graph have the same str(); rename one")
    called = dict(zip(nodes, names, strict=True))
    ends = [pl.Series([called[edge[side]] for edge in graph.edges()], dtype=pl.String) for side in (0, 1)]
    weights = None
    if weight is not None:
        weights = np.array([values.get(weight, 1.0) for _, _, values in graph.edges(data=True)])
    found = graph_from_columns(*ends, weights=weights, more_names=pl.Series(names, dtype=pl.String))
    return found if features is None else found.with_features(_in_order(features, names, found))


def _in_order(features: Any, names: list[str], graph: Graph) -> Any:
    """Rows that are in the order of these names, in the order of the graph's nodes."""
    rows = sp.csr_array(features) if sp.issparse(features) else np.asarray(features)
    if rows.ndim != 2 or rows.shape[0] != len(names):
        # The graph says what is wrong.
        return rows
    return rows[np.argsort(graph.names.index_of(names))]


def from_pyg(data: Any) -> Graph:
    """Build a graph from a PyG Data object.

    Parameters
    ----------
    data : torch_geometric.data.Data
        With edge_index; x, num_nodes and a one-dimensional edge_weight are taken where they are there.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If there is no edge_index.

    Examples
    --------
    >>> import pulink
    >>> graph = pulink.Graph.from_edges([[0, 1], [1, 2]])
    >>> pulink.from_pyg(pulink.to_pyg(graph))
    Graph(3 nodes, 2 edges)
    """
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
    """Give the symmetric adjacency matrix.

    Parameters
    ----------
    graph : Graph
        With or without weights.

    Returns
    -------
    scipy.sparse.csr_array, n x n
        Weights, or ones.

    Examples
    --------
    >>> import pulink
    >>> pulink.to_scipy(pulink.Graph.from_edges([[0, 1]])).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    adjacency = graph.adjacency
    values = adjacency.values
    if values is None:
        values = np.ones(adjacency.indices.size, dtype=np.float32)
    shape = (graph.n_nodes, graph.n_nodes)
    return sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=shape, copy=True)


def to_networkx(graph: Graph) -> Any:
    """Give the same graph as one of NetworkX.

    Parameters
    ----------
    graph : Graph
        With or without weights.

    Returns
    -------
    networkx.Graph
        Its nodes are the names; weights are the attribute "weight".

    Examples
    --------
    >>> import pulink
    >>> list(pulink.to_networkx(pulink.Graph.from_edges([[0, 1]], names=["Ada", "Bob"])).edges)
    [('Ada', 'Bob')]
    """
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
    """Give the same graph as a PyG Data object.

    Parameters
    ----------
    graph : Graph
        With or without weights and features.

    Returns
    -------
    torch_geometric.data.Data
        With both orientations of every edge, and dense features.

    Examples
    --------
    >>> import pulink
    >>> pulink.to_pyg(pulink.Graph.from_edges([[0, 1]])).edge_index.tolist()
    [[0, 1], [1, 0]]
    """
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
