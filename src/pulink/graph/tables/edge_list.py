"""A table with two columns of names becomes a graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.tables.edge_options import AS_LISTED, EdgeOptions, NodeNames
from pulink.graph.tables.headers import doubtful_first_line, known_ends
from pulink.graph.tables.kind_words import from_source
from pulink.graph.tables.named_graph import NamedRows, graph_from_columns
from pulink.graph.tables.table import Table
from pulink.graph.tables.times import edge_times
from pulink.text import listed, shown


def graph_of(table: Table, options: EdgeOptions = AS_LISTED, nodes: NodeNames | None = None) -> Graph:
    """The edges that a table lists; `nodes` may have none."""
    frame = table.frame
    if not frame.height:
        raise InputError(f"{table.where}: has columns ({listed(frame.columns)}) but no rows, so no edges")
    first, second = edge_columns(table, options.source, options.target)
    ends, name_notes = table.names(first, second)
    weights, weight_name = _weights(table, options.weight, (first, second))
    times = None if options.time is None else edge_times(table, options.time)
    ignored = [name for name in frame.columns if name not in (first, second, weight_name, options.time)]
    notes = table.notes + name_notes
    if ignored:
        notes += (f"columns ignored: {listed(ignored)}",)
    is_text = ends[0].dtype == ends[1].dtype == pl.String
    if is_text and not table.has_header and doubtful_first_line(*ends):
        first_line = " - ".join(listed([end[0]]) for end in ends)
        notes += (f"the first line, {first_line}, was read as an edge: ask for a header if it is one",)
    columns = (first, second) if table.has_header else None
    rows = NamedRows(ends[0], ends[1], columns, weights, times, nodes, notes)
    return graph_from_columns(rows, options.kind, options.between)


def edge_columns(table: Table, source: str | None, target: str | None) -> tuple[str, str]:
    """Which two columns hold the ends: those asked for, those with well-known names, else the first two."""
    columns = table.frame.columns
    for name in (source, target):
        if name is not None:
            table.column(name)
    if len(columns) < 2:
        raise InputError(f"{table.where}: has {len(columns)} column; an edge list needs two, source and target")
    known = known_ends(columns) or (columns[0], columns[1])
    if table.has_header:
        known = from_source(*known)
    first = source or (known[0] if known[0] != target else next(c for c in columns if c != target))
    second = target or (known[1] if known[1] != first else next(c for c in columns if c != first))
    if first == second:
        raise ParameterError(f"{table.where}: source and target are both column {shown(first)}; they must differ")
    return first, second


def check_ends(table: Table, source: str | None, target: str | None) -> None:
    """Refuse rows without two ends."""
    for name in edge_columns(table, source, target):
        table.ids(name)


def _weights(
    table: Table, wanted: str | None, ends: tuple[str, str]
) -> tuple[npt.NDArray[np.float64] | None, str | None]:
    """The column asked for, or one that a header calls weight."""
    candidates = (c for c in table.frame.columns if table.has_header and c.lower() == "weight" and c not in ends)
    name = wanted or next(candidates, None)
    if name is None:
        return None, None
    cells = table.with_points(table.column(name))
    if cells.dtype.is_nested():
        raise InputError(
            f"{table.where}: column {shown(name)} holds {cells.dtype}; weights must be positive numbers"
        )
    values = cells.cast(pl.Float64, strict=False)
    # Judged as they are kept, in single precision: 1e-300 would weigh nothing.
    kept = values.cast(pl.Float32, strict=False)
    bad = (kept.is_null() | ~kept.is_finite() | (kept <= 0)).fill_null(True)
    if bad.any():
        row = int(bad.arg_true()[0])
        found = "empty" if cells[row] is None else shown(cells[row])
        raise table.fail(row, f"{listed([name])} is {found}; weights must be positive numbers, 1e-38 to 3e38")
    return values.to_numpy(), name
