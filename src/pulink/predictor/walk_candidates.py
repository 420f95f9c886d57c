"""Unconnected pairs worth a closer look, by walks of two and three steps, for scorers too dear for all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.search.top_by_common_neighbours import top_by_common_neighbours
from pulink.engine.search.top_by_rows import top_by_rows
from pulink.engine.search.top_by_three_steps import top_by_three_steps
from pulink.engine.structure.walks import three_step_rows
from pulink.graph.graph import Graph
from pulink.predictor.search_scope import BestByWalks

# Whole rows of three steps take time in proportion to nodes times edges.
_MOST_CELLS = 2 * 10**10
_STEPS_PER_ENTRY = 50


def walk_candidates(graph: Graph, count: int) -> tuple[npt.NDArray[np.int32], BestByWalks]:
    """The best pairs by resource allocation and by degree-normalised walks of three steps, `count` of each, and
    which these are. Where rows of three steps would take too long, the former alone.
    """
    known = graph.adjacency
    by_two = best_by_two_steps(known, count)
    if not _all_are_walked(known):
        return by_two, BestByWalks(len(by_two), count, ("resource allocation",))
    pairs = graph.pair_space.unique(np.concatenate([by_two, best_by_three_steps(known, count)]))
    return pairs, BestByWalks(len(pairs), count, ("resource allocation", "l3n"))


def best_by_two_steps(adjacency: Adjacency, count: int) -> npt.NDArray[np.int32]:
    """The best pairs by resource allocation."""
    return top_by_common_neighbours(adjacency, 1.0 / _degrees(adjacency), count)


def best_by_three_steps(adjacency: Adjacency, count: int) -> npt.NDArray[np.int32]:
    """The best pairs by degree-normalised walks of three steps, exactly. Where rows of all nodes would take too
    long, those that walks past the largest hubs find, fewer than asked for if they join fewer.
    """
    if not _all_are_walked(adjacency):
        return top_by_three_steps(adjacency, count, _STEPS_PER_ENTRY * adjacency.indices.size)[0]
    pairs, are_best = top_by_three_steps(adjacency, count)
    # Pairs that no walk joins tie at 0, and fill the list.
    return pairs if are_best and len(pairs) == count else _by_rows_of_three_steps(adjacency, count)


def _by_rows_of_three_steps(adjacency: Adjacency, count: int) -> npt.NDArray[np.int32]:
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
    return adjacency.n_nodes * adjacency.indices.size if _all_are_walked(adjacency) else 0


def _all_are_walked(adjacency: Adjacency) -> bool:
    return adjacency.n_nodes * adjacency.indices.size <= _MOST_CELLS


def _degrees(adjacency: Adjacency) -> npt.NDArray[np.float64]:
    return np.maximum(np.diff(adjacency.indptr), 1).astype(np.float64)
