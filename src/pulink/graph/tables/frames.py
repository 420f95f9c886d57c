"""Frames of other libraries with edges in them: polars, pandas, and whatever hands over columns as Arrow does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import BIPARTITE
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.graph.tables.edge_list import edge_columns, graph_of
from pulink.graph.tables.edge_options import AS_LISTED, EdgeOptions, NodeNames
from pulink.graph.tables.table import Table
from pulink.text import reason, shown

POLARS, PANDAS, PYARROW = "polars", "pandas", "pyarrow"
# Whole numbers by which nodes may be called, by the names of their types.
WHOLE_TYPES: dict[str, type[pl.DataType]] = {
    "Int8": pl.Int8, "Int16": pl.Int16, "Int32": pl.Int32, "Int64": pl.Int64,
    "UInt8": pl.UInt8, "UInt16": pl.UInt16, "UInt32": pl.UInt32, "UInt64": pl.UInt64,
}  # fmt: skip
_WIDEST = "Int64"
_WHAT = "a polars or pandas frame, or another table of Arrow (pyarrow, DuckDB)"


def frame_graph(edges: Any, options: EdgeOptions = AS_LISTED, nodes: NodeNames | None = None) -> Graph:
    """The edges of a frame, whose library lists of links will be given in; `nodes` may have none."""
    library = library_of(edges)
    table = Table(polars_frame(edges, "edges"), "the edge frame")
    return replace(graph_in_memory(table, options, nodes), frames=library or POLARS)


def graph_in_memory(table: Table, options: EdgeOptions, nodes: NodeNames | None) -> Graph:
    """The edges of a table, whose lists of links will give whole numbers where its columns hold them."""
    graph = graph_of(table, options, nodes)
    columns = [table.frame[name] for name in edge_columns(table, options.source, options.target)]
    types = [str(column.dtype) if str(column.dtype) in WHOLE_TYPES else None for column in columns]
    sides = [graph.names.series()] * 2
    if isinstance(graph.space, TypedPairs) and graph.kind == BIPARTITE:
        sides = [sides[0].filter(graph.space.types == side) for side in graph.space.between[0]]
    elif types[0] != types[1]:
        types = [None if None in types else _WIDEST] * 2
    first, second = (
        None if kind is None or not _are_numbers(own, kind) else kind
        for kind, own in zip(types, sides, strict=True)
    )
    return graph if first is None and second is None else replace(graph, id_types=(first, second))


def _are_numbers(names: pl.Series, kind: str) -> bool:
    """Whether these names are whole numbers of that type, written plainly: a table of nodes may have others."""
    return names.cast(WHOLE_TYPES[kind], strict=False).cast(pl.String).equals(names)


def polars_frame(frame: Any, what: str) -> pl.DataFrame:
    """The same columns in a polars frame."""
    if isinstance(frame, pl.DataFrame):
        return frame
    library = library_of(frame)
    if library is None:
        raise InputError(f"{what} must be {_WHAT}, got {type(frame).__name__}")
    if library == PANDAS:
        return _from_pandas(frame, what)
    try:
        return frame.collect() if isinstance(frame, pl.LazyFrame) else pl.DataFrame(frame)
    except KeyboardInterrupt:
        raise
    # Anything may stand behind such an object: a query that fails, a file that is gone.
    except (Exception, pl.exceptions.PanicException) as error:
        raise InputError(
            f"{what}: the {type(frame).__name__} is no table that can be read ({reason(error)})"
        ) from error


def is_frame(value: object) -> bool:
    return library_of(value) is not None


def library_of(value: object) -> str | None:
    """The library in whose frames answers are given; None for what is no frame. Nothing is loaded to find out."""
    if isinstance(value, pl.DataFrame | pl.LazyFrame):
        return POLARS
    if type(value).__module__.partition(".")[0] == PANDAS:
        return PANDAS if hasattr(value, "columns") else None
    # A single column of polars has the interface too.
    is_table = hasattr(value, "__arrow_c_stream__") and not isinstance(value, pl.Series | type)
    return PYARROW if is_table else None


def _from_pandas(frame: Any, what: str) -> pl.DataFrame:
    """Its columns; its index is no column."""
    names = [str(name) for name in frame.columns]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"{what}: two columns are called {shown(twice)}; name them apart")
    return pl.DataFrame({name: _column(frame.iloc[:, place]) for place, name in enumerate(names)})


def _column(series: Any) -> pl.Series:
    """A pandas column, by way of plain values: needs no Arrow, and NaN becomes missing."""
    missing = series.isna().tolist()
    values = [None if gone else value for value, gone in zip(series.tolist(), missing, strict=True)]
    # A gap makes pandas turn whole numbers into floats; it is the gap that should be named.
    if any(missing) and all(
        value is None or (isinstance(value, float) and value.is_integer()) for value in values
    ):
        values = [None if value is None else int(value) for value in values]
    return pl.Series(values, strict=False)
