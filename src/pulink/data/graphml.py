"""GraphML: nodes, edges, and node attributes as a table. Written on expat so that entities can be refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
import polars as pl

from pulink.data.edge_list import graph_from_columns
from pulink.data.sources import label, read_bytes
from pulink.errors import InputError
from pulink.graph.graph import Graph


def read_graphml(source: str | Path, weight: str | None = None) -> tuple[Graph, pl.DataFrame | None]:
    """The graph, and its node attributes in node order (None if there are none).

    The edge attribute `weight`, or one that is called so, becomes the edges' weight.
    """
    where = label(source)
    content = _Content(where)
    parser = expat.ParserCreate()
    parser.StartElementHandler = content.start
    parser.EndElementHandler = content.end
    parser.CharacterDataHandler = content.text
    parser.EntityDeclHandler = content.refuse_entity
    parser.buffer_text = True
    content.parser = parser
    try:
        parser.Parse(read_bytes(source), True)
    except expat.ExpatError as error:
        raise InputError(
            f"{where}, line {error.lineno}: not well-formed XML ({expat.errors.messages[error.code]})"
        ) from error
    if not content.seen_graph:
        raise InputError(f"{where}: holds no <graph> element; GraphML needs one")
    graph = graph_from_columns(
        pl.Series("source", [edge[0] for edge in content.edges], dtype=pl.String),
        pl.Series("target", [edge[1] for edge in content.edges], dtype=pl.String),
        weights=content.weights(weight),
        more_names=pl.Series("name", list(content.nodes), dtype=pl.String),
    )
    columns = sorted({name for values in content.nodes.values() for name in values})
    if not columns:
        return graph, None
    rows = [content.nodes.get(name, {}) for name in graph.names.series().to_list()]
    return graph, pl.DataFrame(
        {c: [row.get(c) for row in rows] for c in columns}, schema=dict.fromkeys(columns, pl.String)
    )


class _Content:
    """What the parser has met so far."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.parser: Any = None
        self.seen_graph = False
        self.nodes: dict[str, dict[str, str]] = {}
        self.edges: list[tuple[str, str, dict[str, str]]] = []
        self._keys: dict[str, str] = {}
        self._owner: dict[str, str] | None = None
        self._data_key: str | None = None
        self._characters: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "graph":
            self.seen_graph = True
        elif tag == "key":
            self._keys[self._need(attributes, "id", tag)] = attributes.get("attr.name", attributes["id"])
        elif tag == "node":
            self._owner = self.nodes.setdefault(self._need(attributes, "id", tag), {})
        elif tag == "edge":
            self._owner = {}
            ends = self._need(attributes, "source", tag), self._need(attributes, "target", tag)
            self.edges.append((*ends, self._owner))
        elif tag == "data":
            self._data_key = self._keys.get(attributes.get("key", ""), attributes.get("key", ""))
            self._characters = []

    def end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "data" and self._data_key is not None:
            if self._owner is not None:
                self._owner[self._data_key] = "".join(self._characters).strip()
            self._data_key = None
        elif tag in ("node", "edge"):
            self._owner = None

    def text(self, characters: str) -> None:
        if self._data_key is not None:
            self._characters.append(characters)

    def refuse_entity(self, *_: object) -> None:
        raise self._fail("declares an XML entity; entities are not allowed")

    def weights(self, name: str | None) -> np.ndarray | None:
        """The weights of all edges; an edge without one weighs 1."""
        wanted = name or "weight"
        if not any(wanted in values for _, _, values in self.edges):
            if name is not None:
                raise InputError(f"{self.where}: no edge has an attribute {name!r}")
            return None
        try:
            return np.array([float(values.get(wanted, 1.0)) for _, _, values in self.edges])
        except ValueError as error:
            raise InputError(f"{self.where}: edge attribute {wanted!r}: {error}") from error

    def _need(self, attributes: dict[str, str], name: str, tag: str) -> str:
        if not attributes.get(name):
            raise self._fail(f"<{tag}> has no {name}")
        return attributes[name]

    def _fail(self, problem: str) -> InputError:
        return InputError(f"{self.where}, line {self.parser.CurrentLineNumber}: {problem}")
