"""The surroundings of some nodes, as places and lines that a page can draw."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.report.find.layout import layout
from pulink.serve.content.nodes import Nodes

Ints = npt.NDArray[np.int64]

MOST_NODES = 40
_ASPECT = 1.25


def surroundings(
    nodes: Nodes, ends: Sequence[int], first: Collection[int] = (), *, blind: bool = False
) -> dict[str, Any]:
    """The nodes `ends`, those that are to be shown first, then neighbours: of several ends, or of many links.

    blind  whether a link between the two ends is left out: somebody is being asked about it
    """
    graph = nodes.graph
    touched = np.zeros(graph.n_nodes)
    for end in ends:
        touched[graph.neighbours(end)] += 1
    touched[[*first]] += len(ends) + 1
    touched[list(ends)] = 0
    near = np.flatnonzero(touched)
    order = near[np.lexsort((near, -graph.degrees[near], -touched[near]))][: MOST_NODES - len(ends)]
    shown = np.concatenate([np.array(ends, dtype=np.int64), order])
    lines = _lines(nodes, shown)
    if blind:
        lines = lines[~np.isin(lines, np.arange(len(ends))).all(axis=1)]
    places = layout(len(shown), lines, _ASPECT)
    return {
        "nodes": [
            nodes.with_degree(node) | {"end": place < len(ends), "x": round(x, 4), "y": round(y, 4)}
            for place, (node, (x, y)) in enumerate(zip(shown.tolist(), places.tolist(), strict=True))
        ],
        "edges": lines.tolist(),
        "directed": graph.is_directed,
    }


def _lines(nodes: Nodes, shown: Ints) -> Ints:
    """Recorded links among the shown nodes, those of types that are not asked about too, by their places."""
    graph, space = nodes.graph, nodes.graph.pair_space
    place = np.full(graph.n_nodes, -1)
    place[shown] = np.arange(len(shown))
    known = graph.edges
    if isinstance(space, TypedPairs) and space.context is not None:
        known = np.concatenate([known, space.context])
    found = place[known]
    return np.asarray(found[(found >= 0).all(axis=1)], dtype=np.int64).reshape(-1, 2)
