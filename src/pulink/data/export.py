"""Graphs as objects of other libraries. Each library is imported only when it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import BIPARTITE
from pulink.graph.spaces.typed_pairs import TypedPairs


def to_scipy(graph: Graph) -> sp.csr_array:
    """Give the adjacency matrix.

    Parameters
    ----------
    graph : Graph
        With or without weights.

    Returns
    -------
    scipy.sparse.csr_array
        Weights, or ones: n x n and symmetric; of a directed graph, sources in rows; of a bipartite graph, nodes
        of the first side in rows and those of the second in columns.

    Examples
    --------
    >>> import pulink
    >>> pulink.to_scipy(pulink.Graph.from_edges([[0, 1]])).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if graph.kind == BIPARTITE:
        return _between_sides(graph)
    adjacency = graph.adjacency
    values = adjacency.values
    if values is None:
        values = np.ones(adjacency.indices.size, dtype=np.float32)
    shape = (graph.n_nodes, graph.n_nodes)
    return sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=shape, copy=True)


def _between_sides(graph: Graph) -> sp.csr_array:
    space = graph.pair_space
    assert isinstance(space, TypedPairs)
    first = space.types == space.between[0][0]
    place = np.where(first, np.cumsum(first), np.cumsum(~first)) - 1
    values = np.ones(graph.n_edges, dtype=np.float32) if graph.weights is None else graph.weights
    shape = int(first.sum()), int((~first).sum())
    return sp.csr_array((values, (place[graph.edges[:, 0]], place[graph.edges[:, 1]])), shape=shape)


def to_networkx(graph: Graph) -> Any:
    """Give the same graph as one of NetworkX.

    Parameters
    ----------
    graph : Graph
        With or without weights.

    Returns
    -------
    networkx.Graph or DiGraph
        Its nodes are the names; weights are the attribute "weight". Nodes of a bipartite graph have the attribute
        `bipartite`, 0 or 1, those of a typed one `type`; a name that nodes of several types have is `type:name`.

    Examples
    --------
    >>> import pulink
    >>> list(pulink.to_networkx(pulink.Graph.from_edges([[0, 1]], names=["Ada", "Bob"])).edges)
    [('Ada', 'Bob')]
    """
    import networkx as nx

    names = graph.names.series().to_list()
    result = nx.DiGraph() if graph.is_directed else nx.Graph()
    space, edges = graph.pair_space, graph.edges
    if isinstance(space, TypedPairs):
        names, types = _told_apart(graph, space)
        sides = (space.types != space.between[0][0]).astype(int).tolist()
        marks = (
            {"bipartite": side} if space.bipartite else {"type": t} for side, t in zip(sides, types, strict=True)
        )
        result.add_nodes_from(zip(names, marks, strict=True))
    result.add_nodes_from(names)
    pairs = [(names[i], names[j]) for i, j in edges.tolist()]
    if graph.weights is None:
        result.add_edges_from(pairs)
    else:
        weights = graph.weights.tolist()
        result.add_weighted_edges_from((*pair, w) for pair, w in zip(pairs, weights, strict=True))
    return result


def _told_apart(graph: Graph, space: TypedPairs) -> tuple[list[str], list[str]]:
    """Names and types of nodes; a name that nodes of several types have is `type:name`."""
    series = graph.names.series()
    types = [space.type_names[number] for number in space.types.tolist()]
    rows = zip(series.to_list(), types, series.is_duplicated().to_list(), strict=True)
    return [f"{kind}:{name}" if twice else name for name, kind, twice in rows], types


def to_igraph(graph: Graph) -> Any:
    """Give the same graph as one of igraph.

    Parameters
    ----------
    graph : Graph
        With or without weights.

    Returns
    -------
    igraph.Graph
        Nodes in the same order, with the attribute `name`; weights are the attribute `weight` of edges. Nodes of a
        bipartite graph have the attribute `type`, False or True, those of a typed one their type.

    Examples
    --------
    >>> import pulink
    >>> pulink.to_igraph(pulink.Graph.from_edges([[0, 1]], names=["Ada", "Bob"])).vs["name"]
    ['Ada', 'Bob']
    """
    import igraph

    result = igraph.Graph(n=graph.n_nodes, edges=graph.edges.tolist(), directed=graph.is_directed)
    names = graph.names.series().to_list()
    space = graph.pair_space
    if isinstance(space, TypedPairs):
        names, types = _told_apart(graph, space)
        result.vs["type"] = (space.types != space.between[0][0]).tolist() if space.bipartite else types
    result.vs["name"] = names
    if graph.weights is not None:
        result.es["weight"] = graph.weights.tolist()
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
        With both orientations of every edge, of a directed graph with the one that it has, and dense features.

    Examples
    --------
    >>> import pulink
    >>> pulink.to_pyg(pulink.Graph.from_edges([[0, 1]])).edge_index.tolist()
    [[0, 1], [1, 0]]
    """
    import torch
    from torch_geometric.data import Data

    rows = [graph.edges] if graph.is_directed else [graph.edges, graph.edges[:, ::-1]]
    both = np.concatenate(rows).T.astype(np.int64)
    data = Data(edge_index=torch.from_numpy(np.ascontiguousarray(both)), num_nodes=graph.n_nodes)
    if graph.features is not None:
        dense = graph.features if isinstance(graph.features, np.ndarray) else graph.features.toarray()
        data.x = torch.from_numpy(np.array(dense))
    if graph.weights is not None:
        data.edge_weight = torch.from_numpy(np.concatenate([graph.weights] * len(rows)))
    return data
