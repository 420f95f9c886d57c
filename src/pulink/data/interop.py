"""Graphs from the objects of other libraries. Each library is imported only when it is used."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy.sparse as sp

from pulink.data.hetero import from_hetero, pyg_features
from pulink.data.read import node_rows
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.spaces.directed_pairs import DirectedPairs
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, UNDIRECTED
from pulink.graph.tables.edge_options import EdgeOptions, NodeNames, check_kind
from pulink.graph.tables.frames import frame_graph
from pulink.graph.tables.judging.weight_words import numeric_attributes, unused_note
from pulink.graph.tables.kind_detection import Detected
from pulink.graph.tables.named_graph import ENDS, NamedRows, graph_from_columns
from pulink.text import listed, reason, shown


def from_frame(
    edges: Any,
    nodes: Any = None,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    node_id: str | None = None,
    kinds: dict[str, str] | None = None,
    kind: str | None = None,
    node_type: str | None = None,
    between: list[tuple[str, str]] | None = None,
    time: str | None = None,
) -> Graph:
    """Build a graph from a frame of edges, and one of nodes if there is one.

    Parameters
    ----------
    edges : frame
        A row per edge: a polars or pandas frame, or any object that hands over its columns as Arrow does
        (`__arrow_c_stream__`: pyarrow tables and readers, DuckDB relations). Lists of links are then polars or
        pandas frames, or pyarrow tables.
    nodes : frame, optional
        A row per node: an id column and attributes.
    source, target, weight : str, optional
        Columns of `edges`, where they cannot be guessed.
    node_id : str, optional
        The column of `nodes` that holds the names of the nodes.
    kinds : dict of str to str, optional
        Columns of `nodes` whose kind is guessed wrongly: "number", "category", "text" or "ignore".
    kind : str, optional
        Of the graph: "undirected", "directed", "bipartite" or "typed"; None: detected.
    node_type : str, optional
        The column of `nodes` that holds their types.
    between : list of pairs of str, optional
        Types whose links are asked about; None: all types that rows link.
    time : str, optional
        The column of `edges` that holds times.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If a frame lacks a column, or a cell is empty or is no name or number.
    ParameterError
        If `node_id`, `kinds` or `node_type` is given without `nodes`.

    Examples
    --------
    >>> import polars, pulink
    >>> pulink.from_frame(polars.DataFrame({"who": ["Ada", "Bob"], "whom": ["Bob", "Cleo"]}))
    Graph(3 nodes, 2 edges)
    """
    options = ReadOptions(node_id=node_id, kinds=kinds, node_type=node_type)
    check_kind(kind, between, node_type is not None)
    rows = node_rows(nodes, options)
    if rows is None and options.given():
        raise ParameterError("node_id, kinds and node_type go with a frame of nodes, and there is none")
    how = EdgeOptions(source, target, weight, time, kind, between)
    graph = frame_graph(edges, how, None if rows is None else rows.nodes)
    return graph if rows is None else rows.attach(graph, kinds)


def from_scipy(
    adjacency: Any,
    *,
    features: Any = None,
    names: list[str] | None = None,
    weighted: bool = False,
    kind: str | None = None,
) -> Graph:
    """Build a graph from an adjacency matrix: undirected, directed where it is not symmetric, else bipartite.

    Parameters
    ----------
    adjacency : sparse or dense matrix, n x n, or n x m of a bipartite graph
        Any value but 0 is an edge. Rows are sources; of a bipartite graph, nodes of the first side.
    features : matrix, sparse or dense, optional
        Attributes of the nodes as numbers; of a bipartite graph, those of rows first.
    names : list of str, optional
        What the nodes are called; None: by their numbers, of a bipartite graph by those of rows and columns.
    weighted : bool
        Whether values are weights of edges.
    kind : str, optional
        "undirected" (the two halves are merged), "directed" or "bipartite"; None: as the matrix is. One triangle
        of a square matrix is an undirected graph.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If features or names do not fit the matrix, or the kind does not.

    Examples
    --------
    >>> import pulink
    >>> pulink.from_scipy([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    Graph(3 nodes, 2 edges)
    >>> pulink.from_scipy([[1, 0, 1], [1, 1, 0]])
    Graph(bipartite, 5 nodes, 4 edges)
    """
    check_kind(kind, None, has_types=False)
    matrix = sp.coo_array(adjacency)
    stored = matrix.data != 0
    edges = np.stack([matrix.row[stored], matrix.col[stored]], axis=1)
    seen = _kind_of_matrix(matrix, edges, weighted)
    chosen, (n_rows, n_columns) = kind or seen.kind, matrix.shape
    if chosen != BIPARTITE and n_rows != n_columns:
        raise InputError(f"the adjacency matrix of a {chosen} graph must be square, got {matrix.shape}")
    types = None
    if chosen == BIPARTITE:
        types = [ENDS[0]] * n_rows + [ENDS[1]] * n_columns
        edges = edges + np.array([0, n_rows])
        names = [*map(str, range(n_rows)), *map(str, range(n_columns))] if names is None else names
    graph = Graph.from_edges(
        edges,
        n_rows if types is None else len(types),
        weights=matrix.data[stored] if weighted else None,
        features=features,
        names=names,
        kind=chosen,
        node_types=types,
        between=None if types is None else [ENDS],
    )
    return graph if kind is not None else _seen(graph, seen.evidence)


def _kind_of_matrix(matrix: sp.coo_array, edges: Any, weighted: bool) -> Detected:
    n_rows, n_columns = matrix.shape
    if n_rows != n_columns:
        return Detected(BIPARTITE, f"the matrix has {n_rows:,} rows and {n_columns:,} columns")
    if _both_ways(edges, n_rows):
        if weighted and abs(matrix - matrix.T).max() > 0:
            return Detected(DIRECTED, "the matrix holds other weights one way than the other")
        return Detected(UNDIRECTED, "the matrix is symmetric")
    rows, columns = edges.T
    if (rows <= columns).all() or (rows >= columns).all():
        return Detected(UNDIRECTED, "the matrix is one triangle, so that each link is listed once")
    return Detected(DIRECTED, "the matrix is not symmetric")


def _seen(graph: Graph, evidence: str) -> Graph:
    return replace(graph, cleaning=replace(graph.cleaning, kind_seen=evidence))


def from_networkx(
    graph: Any, *, weight: str | None = None, features: Any = None, kind: str | None = None
) -> Graph:
    """Build a graph from one of NetworkX: directed ones, multigraphs and bipartite ones included.

    Parameters
    ----------
    graph : networkx.Graph
        Its nodes are called by str(node) here, and numbered in the order of their names, as those of a file are.
        Where all of them have the attribute `bipartite`, 0 or 1, it is bipartite, and those with 0 come first.
    weight : str, optional
        The attribute of edges that holds their weights; an edge without it weighs 1.
    features : matrix, n x d, sparse or dense, optional
        Attributes of the nodes as numbers, in the order of `graph.nodes`.
    kind : str, optional
        "undirected", "directed" or "bipartite"; None: what the NetworkX graph is.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If two nodes have the same str(), features do not fit, or an edge links two nodes of one side.

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
    check_kind(kind, None, has_types=False)
    seen = _kind_of_networkx(graph)
    chosen = kind or seen.kind
    called = dict(zip(nodes, names, strict=True))
    pairs = [edge[:2] for edge in graph.edges()]
    types = None
    if seen.kind == BIPARTITE and chosen == BIPARTITE:
        sides = dict(graph.nodes(data="bipartite"))
        pairs = [_from_first_side(pair, sides) for pair in pairs]
        types = pl.Series([ENDS[int(sides[node])] for node in nodes], dtype=pl.String)
    weights = None
    if weight is not None:
        weights = np.array([values.get(weight, 1.0) for _, _, values in graph.edges(data=True)])
    ends = [pl.Series([called[pair[side]] for pair in pairs], dtype=pl.String) for side in (0, 1)]
    known = NodeNames(pl.Series(names, dtype=pl.String), types, "the NetworkX graph")
    said = numeric_attributes((values for _, _, values in graph.edges(data=True)), [weight])
    notes = unused_note(said, "weight={1}")
    found = graph_from_columns(NamedRows(ends[0], ends[1], weights=weights, nodes=known, notes=notes), chosen)
    found = found if kind is not None else _seen(found, seen.evidence)
    return found if features is None else found.with_features(_in_order(features, names, found))


def from_igraph(graph: Any, *, weight: str | None = None, features: Any = None, kind: str | None = None) -> Graph:
    """Build a graph from one of igraph: directed ones and bipartite ones included.

    Parameters
    ----------
    graph : igraph.Graph
        Its nodes are called by their attribute `name`, else by their numbers, and numbered in the order of their
        names, as those of a file are. Where they have the attribute `type`, False or True, it is bipartite, and
        those with False come first.
    weight : str, optional
        The attribute of edges that holds their weights; None: `weight`, where there is one.
    features : matrix, n x d, sparse or dense, optional
        Attributes of the nodes as numbers, in the order of `graph.vs`.
    kind : str, optional
        "undirected", "directed" or "bipartite"; None: what the igraph graph is.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If two nodes have one name, features do not fit, or an edge links two nodes of one side.

    Examples
    --------
    >>> import igraph, pulink
    >>> pulink.from_igraph(igraph.Graph.Famous("Zachary"))
    Graph(34 nodes, 78 edges)
    """
    check_kind(kind, None, has_types=False)
    names = [
        str(name) for name in (graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount()))
    ]
    if len(set(names)) < len(names):
        raise InputError("two nodes of the igraph graph have the same name; rename one")
    sides = graph.vs["type"] if "type" in graph.vs.attributes() else []
    two_sided = {*map(repr, sides)} == {"False", "True"}
    seen = Detected(DIRECTED if graph.is_directed() else UNDIRECTED, "it says is_directed()")
    seen = Detected(BIPARTITE, "its nodes have the attribute type, False or True") if two_sided else seen
    chosen, pairs, types = kind or seen.kind, graph.get_edgelist(), None
    if two_sided and chosen == BIPARTITE:
        by_node = dict(enumerate(map(int, sides)))
        pairs = [_from_first_side(pair, by_node) for pair in pairs]
        types = pl.Series([ENDS[side] for side in by_node.values()], dtype=pl.String)
    ends = [pl.Series([names[pair[side]] for pair in pairs], dtype=pl.String) for side in (0, 1)]
    known = NodeNames(pl.Series(names, dtype=pl.String), types, "the igraph graph")
    rows = NamedRows(ends[0], ends[1], weights=_igraph_weights(graph, weight), nodes=known)
    found = graph_from_columns(rows, chosen)
    found = found if kind is not None else _seen(found, seen.evidence)
    return found if features is None else found.with_features(_in_order(features, names, found))


def _igraph_weights(graph: Any, name: str | None) -> npt.NDArray[np.float64] | None:
    attributes = graph.es.attributes()
    if name is not None and name not in attributes:
        raise ParameterError(f"edges of the igraph graph have no attribute {shown(name)} ({listed(attributes)})")
    wanted = name or "weight"
    if wanted not in attributes:
        return None
    try:
        return np.array([1.0 if value is None else float(value) for value in graph.es[wanted]])
    except (TypeError, ValueError) as error:
        raise InputError(
            f"edges of the igraph graph: {listed([wanted])} must be numbers ({reason(error)})"
        ) from error


def _kind_of_networkx(graph: Any) -> Detected:
    sides = {value for _, value in graph.nodes(data="bipartite")}
    if sides == {0, 1}:
        told = ", whichever way its edges run" if graph.is_directed() else ""
        return Detected(BIPARTITE, f"its nodes have the attribute bipartite{told}")
    if graph.is_directed():
        return Detected(DIRECTED, f"it is a {type(graph).__name__}")
    return Detected(UNDIRECTED, f"it is a {type(graph).__name__}")


def _from_first_side(pair: Any, sides: dict[Any, int]) -> Any:
    if sides[pair[0]] == sides[pair[1]]:
        raise InputError(
            f"edge {shown(pair[0])} - {shown(pair[1])} links two nodes of one side (bipartite={sides[pair[0]]})"
        )
    return pair if sides[pair[0]] == 0 else pair[::-1]


def _in_order(features: Any, names: list[str], graph: Graph) -> Any:
    """Rows that are in the order of these names, in the order of the graph's nodes."""
    rows = sp.csr_array(features) if sp.issparse(features) else np.asarray(features)
    if rows.ndim != 2 or rows.shape[0] != len(names):
        # The graph says what is wrong.
        return rows
    return rows[np.argsort(graph.names.index_of(names))]


def from_pyg(data: Any, *, kind: str | None = None) -> Graph:
    """Build a graph from a PyG Data or HeteroData object.

    Parameters
    ----------
    data : torch_geometric.data.Data or HeteroData
        With edge_index; x, num_nodes and a one-dimensional edge_weight are taken where they are there. A
        HeteroData object becomes a bipartite graph, or a typed one where it has more than two types or links
        within a type. Its nodes are called by their numbers within their type, in a typed graph `type:number`.
    kind : str, optional
        Of a Data object, "undirected" or "directed"; None: undirected where every edge has its reverse.

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
    check_kind(kind, None, has_types=False)
    if hasattr(data, "edge_types"):
        return from_hetero(data, kind)
    if getattr(data, "edge_index", None) is None:
        raise InputError(f"a PyG Data object with an edge_index is needed, got {type(data).__name__} without one")
    edges = data.edge_index.cpu().numpy().T
    weights = getattr(data, "edge_weight", None)
    seen = _kind_of_pyg(edges, int(data.num_nodes))
    graph = Graph.from_edges(
        edges,
        int(data.num_nodes),
        weights=None if weights is None else weights.cpu().numpy(),
        features=None if data.x is None else pyg_features(data.x),
        kind=kind or seen.kind,
    )
    return graph if kind is not None else _seen(graph, seen.evidence)


def _kind_of_pyg(edges: Any, n_nodes: int) -> Detected:
    """Edges of a graph without directions stand there both ways."""
    if _both_ways(edges, n_nodes):
        return Detected(UNDIRECTED, "every edge has its reverse")
    return Detected(DIRECTED, "not every edge has its reverse")


def _both_ways(edges: Any, n_nodes: int) -> bool:
    """Whether every edge has its reverse."""
    space = DirectedPairs(n_nodes)
    return bool(space.isin(edges[:, ::-1], edges).all())
