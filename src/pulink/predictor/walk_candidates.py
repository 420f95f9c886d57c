"""Unconnected pairs worth a closer look, by walks of two and three steps, for scorers too dear for all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.search.top_by_common_neighbours import top_by_common_neighbours
from pulink.engine.search.top_by_rows import top_by_rows
from pulink.engine.structure.walks import three_step_rows
from pulink.graph.graph import Graph
from pulink.predictor.search_scope import BestByWalks

# Whole rows of three steps take time in proportion to nodes times edges.
_MOST_CELLS = 2 * 10**10


def walk_candidates(graph: Graph, count: int) -> tuple[npt.NDArray[np.int32], BestByWalks]:
    """The best pairs by resource allocation and by degree-normalised walks of three steps, `count` of each, and
    which these are. Where rows of three steps would take too long, the former alone.
    """
    known = graph.adjacency
    by_two, by_three = best_by_two_steps(known, count), best_by_three_steps(known, count)
    if by_three is None:
        return by_two, BestByWalks(len(by_two), count, ("resource allocation",))
    pairs = graph.pair_space.unique(np.concatenate([by_two, by_three]))
    return pairs, BestByWalks(len(pairs), count, ("resource allocation", "l3n"))


def best_by_two_steps(adjacency: Adjacency, count: int) -> npt.NDArray[np.int32]:
    """The best pairs by resource allocation."""
    return top_by_common_neighbours(adjacency, 1.0 / _degrees(adjacency), count)


def best_by_three_steps(adjacency: Adjacency, count: int) -> npt.NDArray[np.int32] | None:
    """The best pairs by degree-normalised walks of three steps; None where rows of all nodes take too long."""
    if adjacency.n_nodes * adjacency.indices.size > _MOST_CELLS:
        return None
    degrees = _degrees(adjacency)
    root = np.sqrt(degrees)

    def rows(nodes: Ints, first: int) -> npt.NDArray[np.float64]:
        sums = three_step_rows(adjacency, 1.0 / degrees, nodes, first)
        sums /= root[nodes][:, None]
        sums /= root[first:]
        return sums

    return top_by_rows(rows, adjacency, count)


def n_walked(adjacency: Adjacency) -> int:
    """Visits that searching all rows of three steps takes; 0 where that is left out."""
    n_cells = adjacency.n_nodes * adjacency.indices.size
    return n_cells if n_cells <= _MOST_CELLS else 0


def _degrees(adjacency: Adjacency) -> npt.NDArray[np.float64]:
    return np.maximum(np.diff(adjacency.indptr), 1).astype(np.float64)
