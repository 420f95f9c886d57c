"""The edges of a graph by the names of their ends: what a file says, as somebody would write it down."""

from __future__ import annotations

import pulink


def edges_of(graph: pulink.Graph) -> list[tuple[str, str]]:
    """Pairs of names, sorted; of a directed graph the source first."""
    names = graph.names.series().to_list()
    return sorted((names[first], names[second]) for first, second in graph.edges.tolist())
