"""Edges hidden once more, in folds, so that a scorer learns from pairs whose own edge no signal has seen."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.random import permutation, stream_key
from pulink.graph.graph import Edges, Graph

# A scorer has learned what it can from about so many edges; more of them cost more than they bring.
ENOUGH_EDGES = 12_000
_FEWEST = 2


def deal(n_edges: int, n_folds: int, seed: int) -> npt.NDArray[np.int64]:
    """The fold of every edge; folds differ by at most one edge in size."""
    folds = np.empty(n_edges, dtype=np.int64)
    folds[permutation(stream_key(seed, "folds"), n_edges)] = np.arange(n_edges) * n_folds // max(n_edges, 1)
    return folds


def n_used(n_edges: int, n_folds: int, most: int | None = None) -> int:
    """How many of the folds a scorer learns from: all where edges are few, two at the least; never over `most`."""
    per_fold = max(n_edges // n_folds, 1)
    return min(n_folds, max(_FEWEST, round(ENOUGH_EDGES / per_fold)), n_folds if most is None else most)


def without(graph: Graph, folds: npt.NDArray[np.int64], fold: int) -> tuple[Graph, Edges]:
    """The graph without the edges of a fold, and those edges."""
    hidden = folds == fold
    return graph.keep_edges(~hidden), graph.edges[hidden]
