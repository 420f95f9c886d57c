"""How all parts of a table are read: judged by the first rows of the first part, as a single file would be.

A layout is plain values, so that everybody who reads a part reads it in the same way.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from pulink.data.formats.limits import check_columns
from pulink.data.formats.sources import label
from pulink.data.node_table import id_column
from pulink.data.parts.parquet_blocks import parquet_head, parquet_schema
from pulink.data.parts.part_files import PARQUET
from pulink.data.parts.text_head import text_head
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, ParameterError
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.graph.tables.edge_list import edge_columns, weight_column
from pulink.graph.tables.edge_options import check_kind
from pulink.graph.tables.headers import edge_header
from pulink.graph.tables.kind_detection import kind_by_words
from pulink.graph.tables.table import Table
from pulink.text import listed, shown

# Options that change what a graph is made of, in ways that parts have not.
_NOT_WITH_PARTS = ("node_type", "between", "time", "table", "sql", "node_table")


@dataclass(frozen=True)
class Layout:
    """A format, and where in it things stand.

    columns    of every part
    separator, has_header  of text: the character between columns, and whether a first line names them
    names      the columns with names of nodes: both ends, or the id
    weight     the column with weights; None: edges have none
    values     the columns with attributes of nodes
    """

    format: str
    columns: tuple[str, ...]
    names: tuple[str, ...]
    separator: str = ""
    has_header: bool = True
    weight: str | None = None
    values: tuple[str, ...] = ()

    @property
    def used(self) -> list[str]:
        """The columns that are read."""
        return [*self.names, *([] if self.weight is None else [self.weight]), *self.values]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Layout:
        """What `to_json` gave."""
        plain: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in told.items()}
        return cls(**plain)


def refuse_other_options(options: ReadOptions) -> None:
    """What parts cannot be read as: one line says so."""
    check_kind(options.kind, options.between, options.node_type is not None)
    if options.kind not in (None, UNDIRECTED):
        raise ParameterError(
            f"kind must be undirected where a graph is read from parts, got {shown(options.kind)}; other kinds "
            "need one machine that holds the graph"
        )
    for name in _NOT_WITH_PARTS:
        if getattr(options, name) is not None:
            raise ParameterError(f"{name} does not go with a graph that is read from parts")
    if options.encoding.lower().replace("_", "-") not in ("utf-8", "utf8", "ascii", "us-ascii"):
        raise ParameterError(
            f"parts must be UTF-8, got the encoding {shown(options.encoding)}; convert them first"
        )


def edge_layout(kind: str, first: Path, options: ReadOptions) -> Layout:
    """How parts of a table of edges are read."""
    table, layout = _head(kind, first, options, is_edges=True)
    ends = edge_columns(table, options.source, options.target)
    if options.kind is None and table.has_header and (seen := kind_by_words(ends)) is not None:
        raise ParameterError(
            f"{table.where}: this graph would be {seen.kind} ({seen.evidence}), and parts are read as undirected "
            "graphs only: ask for it with --kind undirected (kind='undirected')"
        )
    return replace(layout, names=ends, weight=weight_column(table, options.weight, ends))


def node_layout(kind: str, first: Path, options: ReadOptions) -> Layout:
    """How parts of a table of nodes are read."""
    kinds = options.kinds or {}
    table, layout = _head(kind, first, replace(options, header=True, separator=None), is_edges=False)
    name = id_column(table, options.node_id)
    for column, wanted in kinds.items():
        if column not in table.frame.columns or column == name:
            raise ParameterError(f"no node column is called {shown(column)} (there are {listed(layout.columns)})")
        if wanted not in ("number", "ignore"):
            raise ParameterError(
                f"node column {shown(column)} cannot be read as {wanted} from parts: numbers only; use one "
                "machine, or encode it as numbers first"
            )
    values = [c for c in table.frame.columns if c != name and kinds.get(c) != "ignore"]
    values = [c for c in values if not _is_nested(table.frame.schema[c])]
    if not values and len(layout.columns) > 1:
        raise InputError(f"{table.where}: has no usable attributes: {listed(layout.columns)}")
    return replace(layout, names=(name,), values=tuple(values))


def _is_nested(kind: pl.DataType) -> bool:
    return kind.is_nested() or kind in (pl.Object, pl.Binary)


def _head(kind: str, first: Path, options: ReadOptions, *, is_edges: bool) -> tuple[Table, Layout]:
    if kind == PARQUET:
        for name in ("header", "separator"):
            if is_edges and getattr(options, name) is not None:
                raise ParameterError(f"{name} goes with delimited text, and {label(first)} is none")
        frame = parquet_head(first)
        check_columns(frame.width, label(first))
        return Table(frame, label(first)), Layout(kind, tuple(frame.columns), ())
    head = text_head(first, options, edge_header if is_edges else (lambda _: True), 2 if is_edges else 1)
    table = head.table
    return table, Layout(kind, tuple(table.frame.columns), (), head.separator, head.has_header)


def check_parquet(path: Path, layout: Layout) -> None:
    """InputError unless a part has the columns of the first one, and such types."""
    schema = parquet_schema(path)
    if set(schema) != set(layout.columns):
        raise InputError(
            f"{label(path)}: has the columns {listed(schema)}, and the first part has {listed(layout.columns)}; "
            "all parts need the same"
        )
