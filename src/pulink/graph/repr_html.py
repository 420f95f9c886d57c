"""What notebooks show of an object: a small table, escaped, because names come from other people's files."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


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
