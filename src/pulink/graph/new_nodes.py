"""Nodes that are appended to a graph, with their first edges and their attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy.sparse as sp

from pulink.errors import InputError
from pulink.graph.features import Features
from pulink.graph.graph import Edges, Graph
from pulink.graph.names import Names
from pulink.graph.pairs import resolve_pairs
from pulink.text import counted


def append_nodes(
    graph: Graph, names: object, edges: object, features: object = None, weights: npt.ArrayLike | None = None
) -> Graph:
    """The graph with k more nodes; the numbers of the others stay.

    names     k texts that are no nodes yet
    edges     pairs of names (or of node numbers, as an array), each with at least one new end; edges that the
              graph has already are passed over
    features  k x d in the columns of the graph's features; None: nothing is known of them, rows of zeros
    weights   one per edge of a weighted graph; None: the median of its weights
    """
    listed = _new_names(graph, names)
    nodes = Graph(np.empty((0, 2), np.int32), graph.n_nodes + len(listed), names=_all_names(graph, listed))
    ends = resolve_pairs(nodes, edges)
    first_edges, values = _first_edges(graph, nodes, ends, weights)
    rows = _rows(graph, len(listed), features)
    _refuse_unknown(nodes, listed, first_edges, rows)
    joined = Graph.from_edges(
        np.concatenate([graph.edges, first_edges]),
        nodes.n_nodes,
        weights=None if values is None else np.concatenate([_weights(graph), values]),
        features=None if rows is None else _below(graph.features, rows),
    )
    return replace(
        graph,
        edges=joined.edges,
        n_nodes=joined.n_nodes,
        weights=joined.weights,
        features=joined.features,
        names=nodes.names,
    )


def _new_names(graph: Graph, names: object) -> list[str]:
    if isinstance(names, pl.Series | np.ndarray):
        names = names.tolist() if isinstance(names, np.ndarray) else names.to_list()
    if not isinstance(names, Sequence) or isinstance(names, str) or not names:
        raise InputError(f"names must be a list of names of new nodes, got {names!r}")
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"names of new nodes must be texts, got {name!r}")
    known = pl.Series(list(names)).is_in(graph.names.series().to_list())
    if known.any():
        raise InputError(f"a new node needs a new name: {names[int(known.arg_true()[0])]!r} is a node already")
    return list(names)


def _all_names(graph: Graph, names: list[str]) -> Names:
    n_nodes = graph.n_nodes + len(names)
    if not graph.names.given and names == [str(node) for node in range(graph.n_nodes, n_nodes)]:
        return Names(n_nodes)
    more = pl.Series("name", names, dtype=pl.String)
    return Names(n_nodes, pl.concat([graph.names.series(), more]))


def _first_edges(
    graph: Graph, nodes: Graph, ends: npt.NDArray[np.int64], weights: npt.ArrayLike | None
) -> tuple[Edges, npt.NDArray[np.float64] | None]:
    """Those with a new end, with a weight each where the graph has weights."""
    among_old = (ends < graph.n_nodes).all(axis=1)
    unknown = ends[among_old][~graph.has_edges(ends[among_old])]
    if len(unknown):
        i, j = unknown[0].tolist()
        raise InputError(
            f"edge {nodes.names[i]!r} - {nodes.names[j]!r} has no new end: links among the nodes that are known "
            "already are only learned by a fit"
        )
    first_edges = ends[~among_old].astype(np.int32)
    if graph.weights is None:
        if weights is not None:
            raise InputError("weights are given, and the edges of the graph have none")
        return first_edges, None
    if weights is None:
        return first_edges, np.full(len(first_edges), np.median(graph.weights))
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (len(ends),):
        needed = f"{counted(len(ends), 'edge needs', 'edges need')} {counted(len(ends), 'weight')}"
        raise InputError(f"{needed}, got shape {values.shape}")
    return first_edges, values[~among_old]


def _weights(graph: Graph) -> npt.NDArray[np.float32]:
    assert graph.weights is not None
    return graph.weights


def _rows(graph: Graph, count: int, features: Any) -> Features | None:
    """Feature rows of new nodes (k x d), sparse or dense as the graph's are; None where it has no features."""
    shape = count, graph.n_features
    if graph.features is None:
        if features is not None:
            raise InputError("features are given, and the nodes of the graph have none")
        return None
    if features is None:
        features = sp.csr_array(shape, dtype=np.float32)
    found: Any = features if sp.issparse(features) else np.asarray(features)
    if found.shape != shape:
        raise InputError(
            f"features of {counted(count, 'new node')} must have the shape {shape}, a row per node in the columns "
            f"of the graph's features; got {found.shape}"
        )
    if isinstance(graph.features, np.ndarray):
        return np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float32)
    return sp.csr_array(found, dtype=np.float32)


def _below(features: Features | None, rows: Features) -> Features:
    if isinstance(features, np.ndarray):
        return np.concatenate([features, rows])
    return sp.csr_array(sp.vstack([features, rows], format="csr", dtype=np.float32))


def _refuse_unknown(nodes: Graph, names: list[str], edges: Edges, rows: Features | None) -> None:
    """A node needs an edge or an attribute: of one without either nothing can be said."""
    known = np.zeros(nodes.n_nodes, dtype=np.bool_)
    known[edges[nodes.pair_space.allowed(edges)]] = True
    known_new = known[nodes.n_nodes - len(names) :]
    if rows is not None:
        known_new |= np.asarray(abs(rows).sum(axis=1)).ravel() > 0
    if not known_new.all():
        lonely = names[int(np.flatnonzero(~known_new)[0])]
        raise InputError(f"nothing is known of the new node {lonely!r}: give it an edge or attributes")
