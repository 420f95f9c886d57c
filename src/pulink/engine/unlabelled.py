"""Unlabelled pairs: drawn from all pairs of nodes, edges included, as positive-unlabelled learning asks for."""

from __future__ import annotations

import numpy as np

from pulink.engine.adjacency import Adjacency
from pulink.engine.non_edges import NonEdgeSampler


def unlabelled_pairs(n_nodes: int) -> NonEdgeSampler:
    """Uniform pairs of different nodes: the non-edges of a graph without edges."""
    return NonEdgeSampler(Adjacency(np.zeros(n_nodes + 1, dtype=np.int32), np.empty(0, dtype=np.int32)))
