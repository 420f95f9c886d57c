"""A table with two columns of names becomes numbered edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.tables.headers import doubtful_first_line, known_ends
from pulink.graph.tables.look_alikes import look_alikes
from pulink.graph.tables.table import Table
from pulink.text import listed, shown

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
        raise InputError(f"{table.where}: has columns ({listed(frame.columns)}) but no rows, so no edges")
    first, second = edge_columns(table, source, target)
    ends, name_notes = table.names(first, second)
    weights, weight_name = _weights(table, weight, (first, second))
    ignored = [name for name in frame.columns if name not in (first, second, weight_name)]
    notes = table.notes + name_notes
    if ignored:
        notes += (f"columns ignored: {listed(ignored)}",)
    is_text = ends[0].dtype == ends[1].dtype == pl.String
    if is_text and not table.has_header and doubtful_first_line(*ends):
        first_line = " - ".join(listed([end[0]]) for end in ends)
        notes += (f"the first line, {first_line}, was read as an edge: ask for a header if it is one",)
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
    if whole := _whole_numbers(columns):
        numbers, places = number_nodes(whole)
        # Nodes called 0, 1, 2, ... need no names: a node without one is called by its number.
        counted = len(numbers) == 0 or int(numbers[-1]) == len(numbers) - 1
        names = None if counted else pl.Series("name", numbers).cast(pl.String)
        edges: npt.NDArray[np.integer] = np.stack(places[:2], axis=1)
        n_nodes = len(numbers)
    else:
        columns = [column.cast(pl.String).alias("name") for column in columns]
        names = pl.concat(columns).unique().sort()
        edges, n_nodes = np.stack([_numbered(column, names) for column in columns[:2]], axis=1), len(names)
        notes += look_alikes(names)
    return Graph.from_edges(edges, n_nodes, weights=weights, names=names, notes=notes)


def _whole_numbers(columns: list[pl.Series]) -> list[npt.NDArray[np.int64]] | None:
    """The columns as numbers, if every cell is a whole number written plainly."""
    text = [column for column in columns if not column.dtype.is_integer()]
    if not all(column.dtype == pl.String and column.str.contains(WHOLE).all() for column in text):
        return None
    return [column.cast(pl.Int64).to_numpy() for column in columns]


def number_nodes(
    columns: list[npt.NDArray[np.int64]],
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int32]]]:
    """The different numbers in ascending order, and each column as positions among them."""
    largest = max((int(column.max()) for column in columns if len(column)), default=-1)
    if largest > 4 * sum(len(column) for column in columns) + 1_000:
        names, places = np.unique(np.concatenate(columns), return_inverse=True)
        return names, np.split(places.astype(np.int32), np.cumsum([len(column) for column in columns])[:-1])
    # Numbers without large gaps: a table of all of them is smaller than a sort.
    seen = np.zeros(largest + 1, dtype=np.bool_)
    for column in columns:
        seen[column] = True
    place_of = np.cumsum(seen, dtype=np.int32)
    place_of -= 1
    return np.flatnonzero(seen), [place_of[column] for column in columns]


def _numbered(column: pl.Series, names: pl.Series) -> npt.NDArray[np.int64]:
    """The position of each cell in `names`."""
    index = names.to_frame("name").with_row_index("place").lazy()
    cells = column.to_frame("name").lazy().join(index, on="name", how="left", maintain_order="left")
    return cells.select("place").collect().to_series().to_numpy().astype(np.int64)
