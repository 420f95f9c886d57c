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
from pulink.graph.building import type_names_of
from pulink.graph.edge_rows import merged_edges, weight_array
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.features import Features, feature_matrix
from pulink.graph.graph import Edges, Graph, frozen
from pulink.graph.names import Names
from pulink.graph.pairs import resolve_pairs
from pulink.graph.spaces.new_types import new_types
from pulink.text import counted


def append_nodes(
    graph: Graph, names: object, edges: object, features: object = None, weights: npt.ArrayLike | None = None
) -> Graph:
    """The graph with k more nodes; the numbers of the others stay.

    names     k texts that are no nodes yet; where nodes have types, `type:name` says what the edges do not tell
    edges     pairs of names (or of node numbers, as an array), each with at least one new end; edges that the
              graph has already are passed over
    features  k x d in the columns of the graph's features; None: nothing is known of them, rows of zeros
    weights   one per edge of a weighted graph; None: the median of its weights

    Edges of a directed graph lead from the first name to the second; of a timed graph they are the latest.
    """
    listed, types = new_types(graph, _listed_names(names), edges)
    nodes = _with_nodes(graph, listed, types)
    ends = resolve_pairs(nodes, edges)
    first_edges, values = _first_edges(graph, nodes, ends, weights)
    rows = _rows(graph, len(listed), features)
    _refuse_unknown(nodes, listed, first_edges, rows)
    every = np.concatenate([graph.edges, first_edges])
    all_weights = None if values is None else weight_array(np.concatenate([_weights(graph), values]), len(every))
    merged = merged_edges(nodes.pair_space, every, all_weights)
    return replace(
        graph,
        edges=frozen(merged.edges),
        n_nodes=nodes.n_nodes,
        weights=None if merged.weights is None else frozen(merged.weights),
        features=None if rows is None else feature_matrix(_below(graph.features, rows), nodes.n_nodes),
        names=nodes.names,
        space=nodes.space,
        times=_times(graph, nodes, merged.edges, first_edges),
    )


def _with_nodes(graph: Graph, names: list[str], types: npt.NDArray[np.int16] | None) -> Graph:
    """The nodes of the graph and the new ones, without any edge."""
    n_nodes = graph.n_nodes + len(names)
    space = None if graph.space is None else graph.space.with_nodes(n_nodes, types)
    called = None if space is None else type_names_of(space)
    return Graph(np.empty((0, 2), np.int32), n_nodes, names=_all_names(graph, names, called), space=space)


def _times(graph: Graph, nodes: Graph, edges: Edges, first_edges: Edges) -> EdgeTimes | None:
    """When edges were seen; the first edges of new nodes are as late as the latest of all."""
    if graph.times is None:
        return None
    space = nodes.pair_space
    rows = np.concatenate([graph.edges[graph.times.edges], space.unique(first_edges)])
    latest = float(graph.times.times.max()) if len(graph.times.times) else 0.0
    times = np.concatenate([graph.times.times, np.full(len(rows) - len(graph.times.times), latest)])
    return EdgeTimes.of(np.searchsorted(space.codes(edges), space.codes(rows)), times)


def _listed_names(names: object) -> list[str]:
    if isinstance(names, pl.Series | np.ndarray):
        names = names.tolist() if isinstance(names, np.ndarray) else names.to_list()
    if not isinstance(names, Sequence) or isinstance(names, str) or not names:
        raise InputError(f"names must be a list of names of new nodes, got {names!r}")
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"names of new nodes must be texts, got {name!r}")
    return list(names)


def _all_names(graph: Graph, names: list[str], types: pl.Series | None) -> Names:
    n_nodes = graph.n_nodes + len(names)
    if not graph.names.given and names == [str(node) for node in range(graph.n_nodes, n_nodes)]:
        return Names(n_nodes, None, types)
    more = pl.Series("name", names, dtype=pl.String)
    return Names(n_nodes, pl.concat([graph.names.series(), more]), types)


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
    other = first_edges[~nodes.pair_space.allowed(first_edges) & (first_edges[:, 0] != first_edges[:, 1])]
    if len(other):
        i, j = other[0].tolist()
        raise InputError(
            f"edge {nodes.names[i]!r} - {nodes.names[j]!r} is not of two types whose links are asked about: such "
            "links are only learned by a fit"
        )
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
