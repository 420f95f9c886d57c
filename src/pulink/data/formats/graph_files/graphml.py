"""GraphML: nodes, edges, and node attributes as a table. Written on expat so that entities can be refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.formats.limits import MAX_DEPTH, check_columns, too_many_cells
from pulink.data.formats.sources import label, read_bytes
from pulink.data.node_table import NodeTable, types_of
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.names import MAX_NAME
from pulink.graph.spaces.kinds import DIRECTED, UNDIRECTED
from pulink.graph.tables.edge_options import NodeNames
from pulink.graph.tables.named_graph import NamedRows, graph_from_columns
from pulink.graph.tables.table import Table
from pulink.graph.tables.times import edge_times
from pulink.text import listed, reason, shown

_LIGHTEST, _HEAVIEST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[^#]")
_MAX_DEFAULTS = 64_000_000


def read_graphml(
    source: str | Path, options: ReadOptions = AS_FOUND, nodes: NodeNames | None = None
) -> tuple[Graph, NodeTable | None]:
    """The graph, and its node attributes (None if there are none).

    The edge attribute `weight`, or one that is called so, becomes the edges' weight. The kind is what the file
    says by edgedefault, where no other is asked for.

    nodes  of another table, which then comes before the attributes of the file
    """
    content = _parsed(read_bytes(source), label(source))
    names = pl.Series("name", list(content.nodes), dtype=pl.String)
    frame = content.attributes()
    inner = None
    if frame is not None:
        table = Table(frame, content.where, line_of=content.node_lines.__getitem__)
        types = None if options.node_type is None or nodes is not None else types_of(table, options.node_type)
        inner = NodeTable(table, "id", names, frame, types)
    elif options.node_type is not None and nodes is None:
        raise InputError(f"{content.where}: its nodes have no attribute {shown(options.node_type)}")
    known = nodes or NodeNames(names, None if inner is None else inner.types, content.where)
    rows = NamedRows(
        pl.Series("source", content.sources, dtype=pl.String),
        pl.Series("target", content.targets, dtype=pl.String),
        weights=content.weights(options.weight),
        times=None if options.time is None else edge_times(content.edge_table(options.time), options.time),
        nodes=known,
    )
    if options.kind is not None or known.types is not None:
        return graph_from_columns(rows, options.kind, options.between), inner
    said = content.edge_default
    graph = graph_from_columns(rows, DIRECTED if said == DIRECTED else UNDIRECTED)
    seen = "" if said is None else f"the file says edgedefault={shown(said)}"
    return replace(graph, cleaning=replace(graph.cleaning, kind_seen=seen)), inner


def _parsed(data: bytes, where: str) -> _Content:
    parser = expat.ParserCreate()
    content = _Content(where, parser, data)
    parser.StartElementHandler = content.start
    parser.EndElementHandler = content.end
    parser.CharacterDataHandler = content.text
    parser.StartDoctypeDeclHandler = content.refuse_unread_entities
    for kind in ("EntityDeclHandler", "AttlistDeclHandler", "ElementDeclHandler", "NotationDeclHandler"):
        setattr(parser, kind, content.refuse_declaration)
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except InputError:
        raise
    except expat.ExpatError as error:
        message = expat.errors.messages[error.code]
        raise InputError(f"{where}, line {error.lineno}: not well-formed XML ({message})") from error
    except (LookupError, ValueError) as error:
        raise InputError(f"{where}, line 1: {reason(error)}; save it as UTF-8") from error
    if not content.seen_graph:
        raise InputError(f"{where}: holds no <graph> element; GraphML needs one")
    return content


class _Content:
    """What the parser has met so far."""

    def __init__(self, where: str, parser: Any, data: bytes) -> None:
        self.where = where
        self.seen_graph = False
        self.edge_default: str | None = None
        self.nodes: dict[str, dict[str, str]] = {}
        self.node_lines: list[int] = []
        self.sources: list[str] = []
        self.targets: list[str] = []
        self.defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        self._edge_lines: list[int] = []
        self._edge_values: dict[int, dict[str, str]] = {}
        self._parser = parser
        self._data = data
        self._depth = 0
        self._keys: dict[str, str] = {}
        self._latest_key: str | None = None
        # Where the values of the innermost key, node or edge go; a default of anything else is kept nowhere.
        self._owners: list[dict[str, str]] = []
        self._data_name: str | None = None
        self._characters: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._fail(f"more than {MAX_DEPTH:,} elements inside one another")
        tag = tag.rpartition(":")[2]
        if tag == "graph":
            self.seen_graph = True
            self.edge_default = attributes.get("edgedefault", self.edge_default)
        elif tag == "key":
            key = self._need(attributes, "id", tag)
            self._keys[key] = self._latest_key = attributes.get("attr.name", key)
            self._owners.append(self.defaults.get(attributes.get("for", ""), {}))
        elif tag == "node":
            self._owners.append(self._node(self._need(attributes, "id", tag)))
        elif tag == "edge":
            self.sources.append(self._need(attributes, "source", tag))
            self.targets.append(self._need(attributes, "target", tag))
            self._edge_lines.append(self._parser.CurrentLineNumber)
            self._owners.append(self._edge_values.setdefault(len(self.sources) - 1, {}))
        elif tag == "data":
            key = attributes.get("key", "")
            self._collect(self._keys.get(key, key))
        elif tag == "default" and self._latest_key is not None:
            self._collect(self._latest_key)

    def end(self, tag: str) -> None:
        self._depth -= 1
        tag = tag.rpartition(":")[2]
        if tag in ("data", "default") and self._data_name is not None:
            if self._owners:
                self._owners[-1][self._data_name] = "".join(self._characters).strip()
            self._data_name = None
        elif tag in ("node", "edge", "key"):
            self._owners.pop()
            if tag == "edge" and not self._edge_values.get(len(self.sources) - 1, True):
                del self._edge_values[len(self.sources) - 1]

    def text(self, characters: str) -> None:
        if self._data_name is not None:
            self._characters.append(characters)

    def refuse_declaration(self, *_: object) -> None:
        raise self._fail("declares an XML entity or grammar; neither is allowed")

    def refuse_unread_entities(self, _: str, system: str | None, *__: object) -> None:
        """Entities that a file elsewhere would declare vanish without a word, as nothing elsewhere is read."""
        if system is not None and _ENTITY.search(self._data.replace(b"\0", b"")):
            raise self._fail("uses entities of another file; entities are not allowed")

    def attributes(self) -> pl.DataFrame | None:
        """A row per node; None without any attribute."""
        usual, rows = self.defaults["node"], list(self.nodes.values())
        columns = sorted({name for values in rows for name in values} | set(usual))
        if not columns or not rows:
            return None
        check_columns(len(columns), self.where)
        n_implied = sum(map(len, usual.values())) * len(rows)
        if too_many_cells(len(rows) * len(columns), sum(map(len, rows))) or n_implied > _MAX_DEFAULTS:
            raise InputError(
                f"{self.where}: {len(rows):,} nodes with {len(columns):,} attributes, nearly all of them empty "
                "or by default; leave them out or pass a node table"
            )
        cells = {c: [row.get(c, usual.get(c)) for row in rows] for c in columns}
        return pl.DataFrame(cells, schema=dict.fromkeys(columns, pl.String))

    def edge_table(self, name: str) -> Table:
        """An attribute of the edges, a row per edge; an edge without it has what the file says by default."""
        usual = self.defaults["edge"].get(name)
        values = [self._edge_values.get(edge, {}).get(name, usual) for edge in range(len(self.sources))]
        if values and all(value is None for value in values):
            raise InputError(f"{self.where}: no edge has an attribute {shown(name)}")
        frame = pl.DataFrame({name: pl.Series(values, dtype=pl.String)})
        return Table(frame, self.where, line_of=self._edge_lines.__getitem__)

    def weights(self, name: str | None) -> npt.NDArray[np.float64] | None:
        """The weights of all edges; an edge without one weighs 1, or what the file says by default."""
        wanted = name or "weight"
        usual = self.defaults["edge"].get(wanted)
        if usual is None and not any(wanted in values for values in self._edge_values.values()):
            if name is not None:
                raise InputError(f"{self.where}: no edge has an attribute {shown(name)}")
            return None
        texts = [usual or "1"] * len(self.sources)
        for edge, values in self._edge_values.items():
            texts[edge] = values.get(wanted, texts[edge])
        return np.array([self._weight(edge, text, wanted) for edge, text in enumerate(texts)], dtype=np.float64)

    def _weight(self, edge: int, text: str, name: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        # As weights are kept, in single precision.
        if not _LIGHTEST <= value <= _HEAVIEST:
            problem = f"{listed([name])} is {shown(text)}; weights must be positive numbers, 1e-38 to 3e38"
            raise self._fail(problem, self._edge_lines[edge])
        return value

    def _node(self, name: str) -> dict[str, str]:
        if name not in self.nodes:
            self.nodes[name] = {}
            self.node_lines.append(self._parser.CurrentLineNumber)
        return self.nodes[name]

    def _collect(self, name: str) -> None:
        self._data_name, self._characters = name, []

    def _need(self, attributes: dict[str, str], name: str, tag: str) -> str:
        value = attributes.get(name, "")
        if not value.strip():
            raise self._fail(f"<{tag}> has no {name}")
        if len(value) > MAX_NAME:
            raise self._fail(f"the {name} of <{tag}> is {shown(value)}; at most {MAX_NAME:,} are allowed")
        return value

    def _fail(self, problem: str, line: int | None = None) -> InputError:
        return InputError(f"{self.where}, line {line or self._parser.CurrentLineNumber}: {problem}")
