"""What a file with a whole graph in it said: nodes with attributes, and edges; and the Graph that this makes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.formats.limits import check_columns, too_many_cells
from pulink.data.node_table import NodeTable, types_of
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.names import MAX_NAME
from pulink.graph.spaces.kinds import DIRECTED, UNDIRECTED
from pulink.graph.tables.edge_options import NodeNames
from pulink.graph.tables.judging.weight_words import numeric_attributes, unused_note
from pulink.graph.tables.named_graph import NamedRows, graph_from_columns
from pulink.graph.tables.table import Table
from pulink.graph.tables.times import edge_times
from pulink.text import listed, shown

_LIGHTEST, _HEAVIEST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
_MAX_DEFAULTS = 64_000_000
# They tell edges apart, or where they are drawn.
_NO_NUMBERS = ("id", "key", "label", "index", "start", "end", "timestamp")


@dataclass
class GraphContent:
    """What a reader has met so far.

    nodes, node_lines      attributes of each node by its id; where it stood
    defaults               what nodes and edges have that say nothing else
    label_names            attributes by which nodes may be called, the first that tells them all apart
    said_directed          what the file says of directions; None: nothing
    kind_seen              by what that was seen
    place                  "line", or "item" where the file has no lines of its own
    """

    where: str
    label_names: tuple[str, ...] = ()
    place: str = "line"
    said_directed: bool | None = None
    kind_seen: str = ""
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    node_lines: list[int] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    defaults: dict[str, dict[str, str]] = field(default_factory=lambda: {"node": {}, "edge": {}})
    edge_lines: list[int] = field(default_factory=list)
    edge_values: dict[int, dict[str, str]] = field(default_factory=dict)

    def node(self, name: str, line: int) -> dict[str, str]:
        """The attributes of a node, which may be met twice."""
        if name not in self.nodes:
            self.nodes[name] = {}
            self.node_lines.append(line)
        return self.nodes[name]

    def edge(self, source: str, target: str, line: int) -> dict[str, str]:
        """The attributes of one more edge; `forget_empty` once they are all known."""
        self.sources.append(source)
        self.targets.append(target)
        self.edge_lines.append(line)
        return self.edge_values.setdefault(len(self.sources) - 1, {})

    def forget_empty(self) -> None:
        """Edges without attributes need no room."""
        latest = len(self.sources) - 1
        if not self.edge_values.get(latest, True):
            del self.edge_values[latest]

    def graph(self, options: ReadOptions, nodes: NodeNames | None = None) -> tuple[Graph, NodeTable | None]:
        """The graph, and its node attributes (None if there are none).

        The edge attribute `weight`, or the one asked for, becomes the edges' weight. The kind is what the file
        says where no other is asked for.

        nodes  of another table, which then comes before the attributes of the file
        """
        notes = self._call_by_labels()
        names = pl.Series("name", list(self.nodes), dtype=pl.String)
        inner = self._node_table(names, options, nodes)
        known = nodes or NodeNames(names, None if inner is None else inner.types, self.where)
        said = (self.defaults["edge"], *self.edge_values.values())
        rows = NamedRows(
            pl.Series("source", self.sources, dtype=pl.String),
            pl.Series("target", self.targets, dtype=pl.String),
            weights=self._weights(options.weight),
            times=None if options.time is None else edge_times(self._edge_table(options.time), options.time),
            nodes=known,
            notes=notes
            + unused_note(numeric_attributes(said, (options.weight or "weight", options.time, *_NO_NUMBERS))),
        )
        if options.kind is not None or known.types is not None:
            return graph_from_columns(rows, options.kind, options.between), inner
        graph = graph_from_columns(rows, DIRECTED if self.said_directed else UNDIRECTED)
        return replace(graph, cleaning=replace(graph.cleaning, kind_seen=self.kind_seen)), inner

    def checked_name(self, name: str, what: str, line: int) -> str:
        """An id that may be a name."""
        if not name.strip():
            raise self.fail(f"{what} is empty", line)
        if len(name) > MAX_NAME:
            raise self.fail(f"{what} is {shown(name)}; at most {MAX_NAME:,} are allowed", line)
        return name

    def fail(self, problem: str, line: int) -> InputError:
        return InputError(f"{self.where}, {self.place} {line}: {problem}")

    def _call_by_labels(self) -> tuple[str, ...]:
        """Call nodes by the first attribute that every one has, and no two alike; else they keep their ids."""
        for key in self.label_names:
            labels = {name: values.get(key, "").strip() for name, values in self.nodes.items()}
            if not labels or len(set(labels.values())) < len(labels) or not all(labels.values()):
                continue
            if not (labels.keys() >= set(self.sources) and labels.keys() >= set(self.targets)):
                continue
            for label, line in zip(labels.values(), self.node_lines, strict=True):
                self.checked_name(label, f"the {key} of a node", line)
            for values in self.nodes.values():
                del values[key]
            if all(name == label for name, label in labels.items()):
                return ()
            self.nodes = {labels[name]: values for name, values in self.nodes.items()}
            self.sources = [labels[name] for name in self.sources]
            self.targets = [labels[name] for name in self.targets]
            return (f"nodes are called by their {key}, not by their id",)
        return ()

    def _node_table(self, names: pl.Series, options: ReadOptions, nodes: NodeNames | None) -> NodeTable | None:
        frame = self._attributes()
        if frame is None:
            if options.node_type is not None and nodes is None:
                raise InputError(f"{self.where}: its nodes have no attribute {shown(options.node_type)}")
            return None
        table = Table(frame, self.where, line_of=self.node_lines.__getitem__)
        types = None if options.node_type is None or nodes is not None else types_of(table, options.node_type)
        return NodeTable(table, "id", names, frame, types)

    def _attributes(self) -> pl.DataFrame | None:
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

    def _edge_table(self, name: str) -> Table:
        """An attribute of the edges, a row per edge; an edge without it has what the file says by default."""
        usual = self.defaults["edge"].get(name)
        values = [self.edge_values.get(edge, {}).get(name, usual) for edge in range(len(self.sources))]
        if values and all(value is None for value in values):
            raise InputError(f"{self.where}: no edge has an attribute {shown(name)}")
        frame = pl.DataFrame({name: pl.Series(values, dtype=pl.String)})
        return Table(frame, self.where, line_of=self.edge_lines.__getitem__)

    def _weights(self, name: str | None) -> npt.NDArray[np.float64] | None:
        """The weights of all edges; an edge without one weighs 1, or what the file says by default."""
        wanted = name or "weight"
        usual = self.defaults["edge"].get(wanted)
        if usual is None and not any(wanted in values for values in self.edge_values.values()):
            if name is not None:
                raise InputError(f"{self.where}: no edge has an attribute {shown(name)}")
            return None
        texts = [usual or "1"] * len(self.sources)
        for edge, values in self.edge_values.items():
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
            raise self.fail(problem, self.edge_lines[edge])
        return value
