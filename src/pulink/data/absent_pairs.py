"""Pairs of a graph's nodes that somebody checked and that are no links: in a file, a frame or a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.formats.spreadsheet_guard import restored
from pulink.data.read import edge_table
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.graph.tables.as_graph import pair_table
from pulink.graph.tables.edge_list import edge_columns
from pulink.graph.tables.frames import is_frame, polars_frame
from pulink.graph.tables.table import Table
from pulink.text import counted, plural


def with_known_absent(given: Any, graph: Graph, encoding: str = "utf-8") -> Graph:
    """The graph with more known non-links: a file, a frame, or a list or an array of pairs."""
    if isinstance(given, str | Path):
        marked = read_absent(given, graph, encoding)
    elif is_frame(given):
        marked = mark_absent(Table(polars_frame(given, "known_absent"), "the frame of known non-links"), graph)
    elif isinstance(given, np.ndarray | list | tuple):
        marked = mark_absent(pair_table(given, "the list of known non-links"), graph)
    else:
        raise ParameterError(
            "known_absent must be a file, a polars or pandas frame, or pairs of nodes (an m x 2 array or a list), "
            f"got {type(given).__name__}"
        )
    if graph.absent is None or marked.absent is None:
        return marked if graph.absent is None else replace(marked, absent=graph.absent)
    return marked.with_absent(np.concatenate([graph.absent, marked.absent]))


def read_absent(path: str | Path, graph: Graph, encoding: str = "utf-8") -> Graph:
    """The graph with the pairs of a file as known non-links.

    The file is a table (delimited or .parquet) whose first two columns, or those that a header calls so, name the
    ends; a list of links that pulink wrote is one. Pairs with a node that the graph does not have are counted in a
    note; a pair that is an edge is refused.
    """
    return mark_absent(edge_table(path, ReadOptions(encoding=encoding)), graph)


def mark_absent(table: Table, graph: Graph) -> Graph:
    """The graph with the pairs of a table as known non-links."""
    ends, _ = pair_numbers(table, graph)
    known = (ends >= 0).all(axis=1)
    try:
        marked = graph.with_absent(ends[known].reshape(-1, 2))
    except InputError as error:
        raise InputError(f"{table.where}: {error}") from error
    notes = [counted(marked.n_absent, "pair is known to be no link", "pairs are known to be no links")]
    if n_strange := int((~known).sum()):
        named = plural(n_strange, "pair of {} names", "pairs of {} name")
        notes.append(f"{n_strange:,} {named.format(table.where)} a node that the graph does not have")
    return replace(marked, cleaning=replace(graph.cleaning, notes=(*graph.cleaning.notes, *notes)))


def pair_numbers(table: Table, graph: Graph) -> tuple[npt.NDArray[np.int64], tuple[str, str]]:
    """Each row's two nodes (k x 2), -1 where the graph has none of that name; and the columns that name them.

    A name is looked up as its file means it, and then as it stands there and without an apostrophe before it:
    people add rows of their own to a list that pulink wrote.
    """
    named = table.has_header and {*graph.ends} <= {*table.frame.columns}
    ends = graph.ends if named else edge_columns(table, None, None)
    written = [table.ids(name) for name in ends]
    spellings = [table.names(*ends)[0], written]
    if table.restore_names is not None:
        spellings.append([restored(column) for column in written])
    lookups = [_lookup(graph, end) for end in (0, 1)]
    found = np.full((table.frame.height, 2), -1, dtype=np.int64)
    for columns in spellings:
        for end, column in enumerate(columns):
            numbers = [lookups[end](name) for name in column.cast(pl.String)]
            found[:, end] = np.where(found[:, end] < 0, numbers, found[:, end])
    return found, ends


def _lookup(graph: Graph, end: int) -> Callable[[str], int]:
    """The node that a name means at one end of a pair; -1 where there is none. Where links are of two types only,
    the first end is of the first and the second of the other."""
    space = graph.pair_space
    index = {name: node for node, name in enumerate(graph.names.series().to_list())}
    if not isinstance(space, TypedPairs):
        return lambda name: index.get(name, -1)
    kind = space.type_names[space.between[0][end]] if len(space.between) == 1 else None

    def find(name: str) -> int:
        node = None if kind is None else graph.names.node_of_type(name, kind)
        if node is None:
            try:
                node = int(graph.names.index_of([name])[0])
            except InputError:
                return -1
        return node

    return find
