"""Walks along the direction of links, i -> u -> j and i -> u -> v -> j, on a graph of roles (`spaces/roles.py`).

Written with sparse products: kernels of `engine/structure/walks.py` are for walks that may go either way.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.methods.heuristics.base import F64, Numbers

_BLOCK = 256


def is_of_roles(graph: Graph) -> bool:
    """Whether nodes are the roles of a directed graph's nodes."""
    return isinstance(graph.space, TypedPairs) and graph.space.twins


def directed_matrix(graph: Graph) -> sp.csr_array:
    """A (n x n) of the directed graph whose roles these are, a row for each source."""
    n = graph.n_nodes // 2
    ones = np.ones(graph.n_edges)
    return sp.csr_array((ones, (graph.edges[:, 0] >> 1, graph.edges[:, 1] >> 1)), shape=(n, n))


def walk_rows(graph: Graph, nodes: Numbers, weights: F64, n_steps: int) -> F64:
    """Sums over walks of so many steps from source roles to all roles (b x 2n); 0 to roles of sources.

    weights  (n) of each node that is passed on the way
    """
    matrix = directed_matrix(graph)
    weighed = sp.csr_array(sp.diags_array(weights) @ matrix)
    walks = matrix[np.asarray(nodes) >> 1]
    for _ in range(n_steps - 1):
        walks = walks @ weighed
    found = np.zeros((len(nodes), graph.n_nodes))
    found[:, 1::2] = walks.toarray()
    return found


def walk_sums(graph: Graph, pairs: Numbers, weights: F64, n_steps: int) -> F64:
    """The same of pairs of roles (k x 2), the source first."""
    found = np.empty(len(pairs))
    order = np.argsort(pairs[:, 0], kind="stable")
    sources, starts = np.unique(pairs[order, 0], return_index=True)
    ends = np.append(starts[1:], len(pairs))
    for begin in range(0, len(sources), _BLOCK):
        some = sources[begin : begin + _BLOCK]
        rows = walk_rows(graph, some, weights, n_steps)
        for line in range(len(some)):
            places = order[starts[begin + line] : ends[begin + line]]
            found[places] = rows[line, pairs[places, 1]]
    return found
