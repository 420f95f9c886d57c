"""A table with two columns of names becomes numbered edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.headers import doubtful_first_line, known_ends
from pulink.data.table import Table
from pulink.data.whole_numbers import number_nodes
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph

WHOLE = r"^(0|[1-9][0-9]{0,17})$"


def graph_of(
    table: Table,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    more_names: pl.Series | None = None,
) -> Graph:
    """The edges that a table lists; `more_names` adds nodes that may have none."""
    frame = table.frame
    if not frame.height:
        raise InputError(f"{table.where}: has columns ({', '.join(frame.columns)}) but no rows, so no edges")
    first, second = edge_columns(table, source, target)
    ends = table.ids(first), table.ids(second)
    weights, weight_name = _weights(table, weight, (first, second))
    ignored = [name for name in frame.columns if name not in (first, second, weight_name)]
    notes = table.notes
    if ignored:
        notes += (f"columns ignored: {', '.join(ignored)}",)
    is_text = ends[0].dtype == ends[1].dtype == pl.String
    if is_text and not table.has_header and doubtful_first_line(*ends):
        notes += (
            f"the first line, {ends[0][0]} - {ends[1][0]}, was read as an edge: ask for a header if it is one",
        )
    return graph_from_columns(*ends, weights=weights, more_names=more_names, notes=notes)


def edge_columns(table: Table, source: str | None, target: str | None) -> tuple[str, str]:
    """Which two columns hold the ends: those asked for, those with well-known names, else the first two."""
    columns = table.frame.columns
    for name in (source, target):
        if name is not None:
            table.column(name)
    if len(columns) < 2:
        raise InputError(f"{table.where}: has {len(columns)} column; an edge list needs two, source and target")
    known = known_ends(columns) or (columns[0], columns[1])
    first = source or (known[0] if known[0] != target else next(c for c in columns if c != target))
    second = target or (known[1] if known[1] != first else next(c for c in columns if c != first))
    if first == second:
        raise ParameterError(f"{table.where}: source and target are both column {first!r}; they must differ")
    return first, second


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
        raise InputError(f"{table.where}: column {name!r} holds {cells.dtype}; weights must be positive numbers")
    values = cells.cast(pl.Float64, strict=False)
    bad = (values.is_null() | ~values.is_finite() | (values <= 0)).fill_null(True)
    if bad.any():
        row = int(bad.arg_true()[0])
        found = "empty" if cells[row] is None else repr(cells[row])
        raise table.fail(row, f"{name} is {found}; weights must be positive numbers")
    return values.to_numpy(), name


def graph_from_columns(
    source: pl.Series,
    target: pl.Series,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    more_names: pl.Series | None = None,
    notes: tuple[str, ...] = (),
) -> Graph:
    """Edges between named nodes; `more_names` adds nodes that may have no edge."""
    columns = [source, target] + ([] if more_names is None else [more_names])
    if all(column.dtype.is_integer() for column in columns):
        numbers, places = number_nodes([column.cast(pl.Int64).to_numpy() for column in columns])
        # Nodes called 0, 1, 2, ... need no names: a node without one is called by its number.
        counted = len(numbers) == 0 or int(numbers[-1]) == len(numbers) - 1
        names = None if counted else pl.Series("name", numbers).cast(pl.String)
        edges, n_nodes = np.stack(places[:2], axis=1), len(numbers)
    else:
        columns = [column.cast(pl.String) for column in columns]
        names = _sorted_names(columns)
        edges, n_nodes = np.stack([_numbered(column, names) for column in columns[:2]], axis=1), len(names)
    return Graph.from_edges(edges, n_nodes, weights=weights, names=names, notes=notes)


def _sorted_names(parts: list[pl.Series]) -> pl.Series:
    """Every different name once, in an order that does not depend on the order of rows.

    By value if all are whole numbers written plainly, else by text.
    """
    names = pl.concat(parts).unique()
    if names.str.contains(WHOLE).all():
        return names.to_frame("name").sort(pl.col("name").cast(pl.Int64)).to_series()
    return names.sort()


def _numbered(column: pl.Series, names: pl.Series) -> npt.NDArray[np.int64]:
    """The position of each cell in `names`."""
    return column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)
