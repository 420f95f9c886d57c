"""Ways in which nodes join a pair, as sentences."""

from __future__ import annotations

from pulink.explanation.facts import PairFacts
from pulink.explanation.node_names import quoted
from pulink.explanation.ways import (
    BOTH_LINK_TO,
    LIKE_FIRST,
    LIKE_SECOND,
    LINK_TO_BOTH,
    TWO_STEPS,
    Way,
)
from pulink.graph.graph import Graph
from pulink.text import counted


def way_text(way: Way, facts: PairFacts, graph: Graph) -> str:
    """Such as `"Ada" links to 3 nodes that link to "Bob": "Cleo", "Dan", "Eve"`."""
    first, second = (quoted(graph, node) for node in facts.pair)
    named = [quoted(graph, node) for node in way.nodes]
    if way.kind in (LIKE_FIRST, LIKE_SECOND):
        like = first if way.kind == LIKE_FIRST else second
        named[0] += f" (shares {counted(way.n_shared, 'link')} with {like})"
    return _head(way, first, second) + listed(named, way.n_nodes)


def _head(way: Way, first: str, second: str) -> str:
    n = way.n_nodes
    many = "" if way.is_all else "at least "
    if way.kind == BOTH_LINK_TO:
        return f"both link to {counted(n, 'node')}"
    if way.kind == LINK_TO_BOTH:
        return counted(n, "node links to both", "nodes link to both")
    if way.kind == LIKE_FIRST:
        return many + counted(n, f"node like {first} links to {second}", f"nodes like {first} link to {second}")
    if way.kind == LIKE_SECOND:
        return f"{first} links to {many}{counted(n, f'node like {second}', f'nodes like {second}')}"
    begin, end = (first, second) if way.kind == TWO_STEPS else (second, first)
    return f"{begin} links to {counted(n, f'node that links to {end}', f'nodes that link to {end}')}"


def listed(named: list[str], count: int) -> str:
    """Names behind a count: all of them, or some."""
    return (", among them " if count > len(named) else ": ") + ", ".join(named)
