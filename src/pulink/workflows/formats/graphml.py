"""A list of links as GraphML: an edge per link, with what is known of it as its data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    import polars as pl

    from pulink.graph.graph import Graph

_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns '
    'http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
)
_KEYS = {
    "rank": "long",
    "probability": "double",
    "score": "double",
    "probability_low": "double",
    "probability_high": "double",
    "reason": "string",
    "reasons": "string",
}
# Characters that no XML file may hold, not even as numbers.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_IN_ATTRIBUTES = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


def graphml_of(graph: Graph, links: pl.DataFrame) -> str:
    """Links as a graph of their own; its nodes are their ends, by name.

    graph  of which they are missing: whether links have a direction, and of what types nodes are
    links  with the columns source, target, and those of `_KEYS`
    """
    return "".join(_parts(graph, links))


def _parts(graph: Graph, links: pl.DataFrame) -> Iterator[str]:
    ends, types = _named_ends(graph, links)
    yield _HEAD
    for name, kind in _KEYS.items():
        yield f'<key id="{name}" for="edge" attr.name="{name}" attr.type="{kind}"/>\n'
    if any(types.values()):
        yield '<key id="type" for="node" attr.name="type" attr.type="string"/>\n'
    yield f'<graph edgedefault="{"directed" if graph.is_directed else "undirected"}">\n'
    for name, kind in types.items():
        data = f'<data key="type">{_text(kind)}</data>' if kind else ""
        yield f"<node id={_attribute(name)}>{data}</node>\n" if data else f"<node id={_attribute(name)}/>\n"
    for (source, target), row in zip(ends, links.select(*_KEYS).rows(), strict=True):
        yield f"<edge source={_attribute(source)} target={_attribute(target)}>"
        for name, value in zip(_KEYS, row, strict=True):
            if value is not None:
                yield f'<data key="{name}">{_text(str(value))}</data>'
        yield "</edge>\n"
    yield "</graph>\n</graphml>\n"


def _named_ends(graph: Graph, links: pl.DataFrame) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """The two names of each link, and the type of each node; a name of nodes of two types stands with its type."""
    from pulink.graph.spaces.typed_pairs import TypedPairs
    from pulink.predictor.link_lists import link_nodes

    pairs = [(str(source), str(target)) for source, target in links.select("source", "target").rows()]
    space = graph.pair_space
    if not isinstance(space, TypedPairs):
        return pairs, dict.fromkeys((name for pair in pairs for name in pair), "")
    numbers = link_nodes(graph, links)
    kinds = [[space.type_names[space.types[node]] for node in pair] for pair in numbers.tolist()]
    by_name: dict[str, set[str]] = {}
    for names, of in zip(pairs, kinds, strict=True):
        for name, kind in zip(names, of, strict=True):
            by_name.setdefault(name, set()).add(kind)
    types: dict[str, str] = {}
    named = []
    for names, of in zip(pairs, kinds, strict=True):
        first, second = (
            f"{kind}:{name}" if len(by_name[name]) > 1 else name for name, kind in zip(names, of, strict=True)
        )
        types |= {first: of[0], second: of[1]}
        named.append((first, second))
    return named, types


def _attribute(name: str) -> str:
    return quoteattr(_visible(name), _IN_ATTRIBUTES)


def _text(value: str) -> str:
    return escape(_visible(value), {"\r": "&#13;"})


def _visible(text: str) -> str:
    return _NOT_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
