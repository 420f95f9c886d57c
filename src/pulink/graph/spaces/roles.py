"""A directed graph as links between roles: node i is 2i as a source and 2i + 1 as a target.

    i -> j    is the undirected link 2i - (2j + 1)

What serves undirected graphs serves directed ones by way of it: a vector for each role makes the score s_i · t_j,
which is not that of j -> i; walks of three steps are i -> u <- v -> j. In a linked graph of roles the two roles of
every node are linked too, as links that are known and never asked about, so that what is known of a node as a
target reaches it as a source.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.graph.features import Features
from pulink.graph.graph import Graph, frozen
from pulink.graph.names import Names
from pulink.graph.spaces.directed_pairs import DirectedPairs
from pulink.graph.spaces.typed_pairs import TypedPairs

Ints = npt.NDArray[np.integer]


def role_graph(graph: Graph, *, linked: bool) -> Graph:
    """The roles of a directed graph's nodes (2n) with its links; `linked`: those of one node are linked too."""
    n = graph.n_nodes
    types = np.tile(np.array([0, 1], dtype=np.int16), n)
    twins = np.arange(2 * n, dtype=np.int32).reshape(-1, 2)
    space = TypedPairs(types, ("source", "target"), ((0, 1),), twins if linked else None, twins=True)
    return replace(
        graph,
        edges=frozen(roles(graph.edges).astype(np.int32)),
        n_nodes=2 * n,
        features=_twice(graph.features),
        names=Names(2 * n),
        absent=None if graph.absent is None else frozen(roles(graph.absent).astype(np.int32)),
        space=space,
        times=None,
        accepted=None if graph.accepted is None else frozen(roles(graph.accepted).astype(np.int32)),
    )


def roles(pairs: Ints) -> Ints:
    """Pairs of nodes (k x 2) as pairs of roles, the source first."""
    return np.asarray(2 * pairs + np.array([0, 1], dtype=pairs.dtype), dtype=pairs.dtype)


def nodes_of(pairs: Ints) -> Ints:
    """Pairs of roles, in any order, as pairs of nodes."""
    ordered = np.where((pairs[:, 0] & 1)[:, None] == 1, pairs[:, ::-1], pairs)
    return np.asarray(ordered >> 1, dtype=pairs.dtype)


def graph_of_roles(graph: Graph, names: Names) -> Graph:
    """The directed graph of so named nodes whose links those of a graph of roles are."""
    space = DirectedPairs(graph.n_nodes // 2)
    edges = nodes_of(graph.edges)
    order = np.argsort(space.codes(edges))
    weights = None if graph.weights is None else frozen(graph.weights[order])
    return Graph(frozen(edges[order].astype(np.int32)), space.n_nodes, weights, names=names, space=space)


def _twice(features: Features | None) -> Features | None:
    """Every row for both roles."""
    if features is None or isinstance(features, np.ndarray):
        return None if features is None else np.repeat(features, 2, axis=0)
    return sp.csr_array(features[np.repeat(np.arange(features.shape[0]), 2)])
