"""What a graph says of itself, as a line and in notebooks.

There it is a small table, escaped, because names come from other people's files.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from pulink.text import counted

if TYPE_CHECKING:
    from pulink.graph.graph import Graph

_PLAIN = "undirected"


def card(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """A title over two columns.

    >>> from pulink.graph.repr_html import card
    >>> card("Graph", [("nodes", 3), ("note", "<b>")])
    '<table><caption>Graph</caption><tr><th>nodes</th><td>3</td></tr><tr><th>note</th><td>&lt;b&gt;</td></tr></table>'
    """
    cells = "".join(f"<tr><th>{escape(label)}</th><td>{escape(_text(value))}</td></tr>" for label, value in rows)
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def graph_card(graph: Graph) -> str:
    """A graph as a table."""
    rows: list[tuple[str, object]] = [("nodes", graph.n_nodes), ("edges", graph.n_edges)]
    rows += [("node features", graph.n_features)] if graph.features is not None else []
    rows = [("kind", graph.kind), *rows] if graph.kind != _PLAIN else rows
    rows += [("weights", "yes")] if graph.weights is not None else []
    rows += [("times", "yes")] if graph.times is not None else []
    rows += [("known non-links", graph.n_absent)] if graph.n_absent else []
    said = str(graph.cleaning)
    return card("Graph", [*rows, *([("on the way in", said)] if said else [])])


def graph_text(graph: Graph) -> str:
    """A graph as a line."""
    features = f", {counted(graph.n_features, 'feature')}" if graph.features is not None else ""
    weights = ", weighted" if graph.weights is not None else ""
    absent = f", {counted(graph.n_absent, 'known non-link')}" if graph.n_absent else ""
    counts = f"{counted(graph.n_nodes, 'node')}, {counted(graph.n_edges, 'edge')}"
    kind = "" if graph.kind == _PLAIN else f"{graph.kind}, "
    times = "" if graph.times is None else ", timed"
    return f"Graph({kind}{counts}{features}{weights}{times}{absent})"
