"""GraphML: nodes, edges, and node attributes as a table. Written on expat so that entities can be refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.edge_list import graph_from_columns
from pulink.data.node_table import NodeTable
from pulink.data.sources import label, read_bytes
from pulink.data.table import Table
from pulink.errors import InputError
from pulink.graph.graph import Graph


def read_graphml(source: str | Path, weight: str | None = None) -> tuple[Graph, NodeTable | None]:
    """The graph, and its node attributes (None if there are none).

    The edge attribute `weight`, or one that is called so, becomes the edges' weight.
    """
    content = _parsed(read_bytes(source), label(source))
    names = pl.Series("name", list(content.nodes), dtype=pl.String)
    graph = graph_from_columns(
        pl.Series("source", [edge.source for edge in content.edges], dtype=pl.String),
        pl.Series("target", [edge.target for edge in content.edges], dtype=pl.String),
        weights=content.weights(weight),
        more_names=names,
    )
    columns = sorted(
        {name for values in content.nodes.values() for name in values} | set(content.defaults["node"])
    )
    if not columns or not content.nodes:
        return graph, None
    rows = [content.defaults["node"] | values for values in content.nodes.values()]
    frame = pl.DataFrame(
        {c: [row.get(c) for row in rows] for c in columns}, schema=dict.fromkeys(columns, pl.String)
    )
    return graph, NodeTable(Table(frame, content.where), "id", names, frame)


def _parsed(data: bytes, where: str) -> _Content:
    parser = expat.ParserCreate()
    content = _Content(where, parser)
    parser.StartElementHandler = content.start
    parser.EndElementHandler = content.end
    parser.CharacterDataHandler = content.text
    parser.EntityDeclHandler = content.refuse_entity
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise InputError(f"{where}, line {error.lineno}: not well-formed XML ({reason})") from error
    except LookupError as error:
        raise InputError(f"{where}, line 1: {error}") from error
    if not content.seen_graph:
        raise InputError(f"{where}: holds no <graph> element; GraphML needs one")
    return content


@dataclass
class _Edge:
    source: str
    target: str
    line: int
    values: dict[str, str] = field(default_factory=dict)


class _Content:
    """What the parser has met so far."""

    def __init__(self, where: str, parser: Any) -> None:
        self.where = where
        self.seen_graph = False
        self.nodes: dict[str, dict[str, str]] = {}
        self.edges: list[_Edge] = []
        self.defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self._parser = parser
        self._keys: dict[str, str] = {}
        self._owners: list[dict[str, str]] = []
        self._data_name: str | None = None
        self._characters: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if tag == "graph":
            self.seen_graph = True
        elif tag == "key":
            key = self._need(attributes, "id", tag)
            self._keys[key] = attributes.get("attr.name", key)
            # Where a default is no node's and no edge's, it is kept nowhere.
            self._owners = [self.defaults.get(attributes.get("for", ""), {})]
        elif tag == "node":
            self._owners.append(self.nodes.setdefault(self._need(attributes, "id", tag), {}))
        elif tag == "edge":
            ends = self._need(attributes, "source", tag), self._need(attributes, "target", tag)
            self.edges.append(_Edge(*ends, line=self._parser.CurrentLineNumber))
            self._owners.append(self.edges[-1].values)
        elif tag == "data":
            self._collect(self._keys.get(attributes.get("key", ""), attributes.get("key", "")))
        elif tag == "default" and self._keys:
            self._collect(list(self._keys.values())[-1])

    def _collect(self, name: str) -> None:
        self._data_name, self._characters = name, []

    def end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if tag in ("data", "default") and self._data_name is not None:
            if self._owners:
                self._owners[-1][self._data_name] = "".join(self._characters).strip()
            self._data_name = None
        elif tag in ("node", "edge", "key"):
            self._owners.pop()

    def text(self, characters: str) -> None:
        if self._data_name is not None:
            self._characters.append(characters)

    def refuse_entity(self, *_: object) -> None:
        raise self._fail(self._parser.CurrentLineNumber, "declares an XML entity; entities are not allowed")

    def weights(self, name: str | None) -> npt.NDArray[np.float64] | None:
        """The weights of all edges; an edge without one weighs 1, or what the file says by default."""
        wanted = name or "weight"
        if not any(wanted in edge.values for edge in self.edges) and wanted not in self.defaults["edge"]:
            if name is not None:
                raise InputError(f"{self.where}: no edge has an attribute {name!r}")
            return None
        usual = self.defaults["edge"].get(wanted, "1")
        return np.array([self._weight(edge, edge.values.get(wanted, usual), wanted) for edge in self.edges])

    def _weight(self, edge: _Edge, text: str, name: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            raise self._fail(edge.line, f"{name} is {text!r}; weights must be positive numbers")
        return value

    def _need(self, attributes: dict[str, str], name: str, tag: str) -> str:
        if not attributes.get(name):
            raise self._fail(self._parser.CurrentLineNumber, f"<{tag}> has no {name}")
        return attributes[name]

    def _fail(self, line: int, problem: str) -> InputError:
        return InputError(f"{self.where}, line {line}: {problem}")
