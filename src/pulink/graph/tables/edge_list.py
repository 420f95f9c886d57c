"""A table with two columns of names becomes a graph."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import DIRECTED, UNDIRECTED
from pulink.graph.tables.edge_options import AS_LISTED, EdgeOptions, NodeNames
from pulink.graph.tables.headers import (
    doubtful_first_line,
    holds_fractions,
    known_ends,
    plain_ends,
    row_numbers_note,
    unnamed_ends,
)
from pulink.graph.tables.judging.list_cells import list_cells_note
from pulink.graph.tables.judging.node_rows import without_node_rows
from pulink.graph.tables.judging.other_shapes import ratings_note, refuse_other_shapes, relation_note
from pulink.graph.tables.judging.twin_names import twin_columns
from pulink.graph.tables.judging.weight_words import ignored_note
from pulink.graph.tables.judging.written_numbers import numberlike
from pulink.graph.tables.kind_detection import Detected
from pulink.graph.tables.kind_words import from_source
from pulink.graph.tables.named_graph import NamedRows, graph_from_columns
from pulink.graph.tables.table import Table
from pulink.graph.tables.times import edge_times
from pulink.text import listed, shown

# How programs write an end that is not known; nodes may be called so.
_NOT_KNOWN = ["NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None", "-", "?"]
_ONE_WAY = "; write all of the column alike, such as 1234.5"


def graph_of(table: Table, options: EdgeOptions = AS_LISTED, nodes: NodeNames | None = None) -> Graph:
    """The edges that a table lists; `nodes` may have none."""
    table = without_node_rows(table)
    frame = table.frame
    if not frame.height:
        raise InputError(f"{table.where}: has columns ({listed(frame.columns)}) but no rows, so no edges")
    if options.source is None and options.target is None:
        refuse_other_shapes(table)
    first, second = edge_columns(table, options.source, options.target)
    ends, notes = table.names(first, second)
    notes = table.notes + notes + _which_ends(table, options, (first, second))
    weights, weight_name, weight_notes = _weights(table, options.weight, (first, second))
    notes += weight_notes
    times, time_name = None, None
    if options.time is not None:
        times, time_name = edge_times(table, options.time), table.column(options.time).name
        notes += table.numbers(table.column(options.time))[1]
    stated, type_name = _stated_kind(table, (first, second))
    if type_name is None and stated is not None and stated.kind == DIRECTED and _both_ways(*ends):
        # SNAP calls files directed also where each link is listed both ways.
        stated = None
    used = (first, second, weight_name, time_name, type_name)
    if ignored := [name for name in frame.columns if name not in used]:
        notes += (ignored_note(table, ignored, weighted=weights is not None),)
    notes += _doubts(table, ends)
    if options.source is None and options.target is None:
        if not table.has_header and first == frame.columns[0]:
            notes += row_numbers_note(frame)
        notes += relation_note(table, (first, second)) + list_cells_note(table, (first, second), ends)
    if options.kind is None and stated is None:
        notes += ratings_note(table)
    columns = (first, second) if table.has_header else None
    rows = NamedRows(ends[0], ends[1], columns, weights, times, nodes, notes, stated)
    return graph_from_columns(rows, options.kind, options.between)


def edge_columns(table: Table, source: str | None, target: str | None) -> tuple[str, str]:
    """Which two columns hold the ends: those asked for, those with well-known names, else the first two."""
    columns = table.frame.columns
    source, target = (None if name is None else table.column(name).name for name in (source, target))
    if len(columns) < 2:
        raise InputError(f"{table.where}: has {len(columns)} column; an edge list needs two, source and target")
    known = unnamed_ends(table.frame)
    if table.has_header:
        known = from_source(*(known_ends(columns) or _twin_ends(table.frame) or plain_ends(table.frame)))
    first = source or (known[0] if known[0] != target else next(c for c in columns if c != target))
    second = target or (known[1] if known[1] != first else next(c for c in columns if c != first))
    if first == second:
        raise ParameterError(f"{table.where}: source and target are both column {shown(first)}; they must differ")
    return first, second


def _twin_ends(frame: pl.DataFrame) -> tuple[str, str] | None:
    twins = twin_columns(frame.columns)
    return None if twins is None or any(holds_fractions(frame[name]) for name in twins) else twins


def _which_ends(table: Table, options: EdgeOptions, ends: tuple[str, str]) -> tuple[str, ...]:
    """Which columns hold the ends, where others stand before them."""
    is_guess = options.source is None and options.target is None and known_ends(table.frame.columns) is None
    if not is_guess or {*ends} == {*table.frame.columns[:2]}:
        return ()
    return (f"edges are between {listed([ends[0]])} and {listed([ends[1]])} (--source and --target name others)",)


def _stated_kind(table: Table, ends: tuple[str, str]) -> tuple[Detected | None, str | None]:
    """The kind that the table itself tells, as Gephi does in its column Type; and the name of that column."""
    if table.stated_kind is not None:
        return Detected(*table.stated_kind), None
    for name in table.frame.columns:
        if table.has_header and name.lower() == "type" and name not in ends:
            kinds = table.frame[name].cast(pl.String, strict=False).str.to_lowercase().unique().to_list()
            if kinds in ([UNDIRECTED], [DIRECTED]):
                return Detected(kinds[0], f"column {listed([name])} says so"), name
    return None, None


def _both_ways(source: pl.Series, target: pl.Series) -> bool:
    """Whether every row has its reverse."""
    rows = pl.DataFrame({"source": source, "target": target}).filter(pl.col("source") != pl.col("target"))
    back = rows.select(source="target", target="source")
    return rows.height > 0 and rows.join(back, on=["source", "target"], how="anti").height == 0


def _doubts(table: Table, ends: list[pl.Series]) -> tuple[str, ...]:
    """What may have been read otherwise than it was meant."""
    if any(end.dtype != pl.String for end in ends) or table.line_of is None:
        return ()
    notes: tuple[str, ...] = ()
    if not table.has_header and doubtful_first_line(*ends):
        first_line = " - ".join(listed([end[0]]) for end in ends)
        how = "--header (header=True) if it names the columns"
        notes += (f"the first line, {first_line}, was read as an edge; {how}",)
    words = pl.concat([end.alias("name").filter(end.is_in(_NOT_KNOWN)) for end in ends]).unique().sort()
    if words.len():
        notes += (f"{listed(words)} was read as the name of a node; leave such rows out if an end is not known",)
    return notes


def check_ends(table: Table, source: str | None, target: str | None) -> None:
    """Refuse rows without two ends."""
    table = without_node_rows(table)
    for name in edge_columns(table, source, target):
        table.ids(name)


def weight_column(table: Table, wanted: str | None, ends: tuple[str, str]) -> str | None:
    """The column asked for, or one that a header calls weight; None where there is none."""
    candidates = (c for c in table.frame.columns if table.has_header and c.lower() == "weight" and c not in ends)
    name = wanted or next(candidates, None)
    return None if name is None else table.column(name).name


def _weights(
    table: Table, wanted: str | None, ends: tuple[str, str]
) -> tuple[npt.NDArray[np.float64] | None, str | None, tuple[str, ...]]:
    """The weights, the name of their column, and what to tell a reader."""
    name = weight_column(table, wanted, ends)
    if name is None:
        return None, None, ()
    cells, notes = table.numbers(table.column(name))
    return positive_weights(table, name, cells), name, notes


def positive_weights(table: Table, name: str, cells: pl.Series) -> npt.NDArray[np.float64]:
    """A column's cells as weights; InputError names the first that is none."""
    written = table.column(name)
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
        found = "empty" if written[row] is None else shown(written[row])
        is_odd = values[row] is None and written.dtype == pl.String and numberlike(written.slice(row, 1))[0]
        hint = _ONE_WAY if is_odd else ""
        raise table.fail(
            row, f"{listed([name])} is {found}; weights must be positive numbers, 1e-38 to 3e38{hint}"
        )
    return values.to_numpy()
