"""Pairs of a graph's nodes in a file: those that somebody checked and that are no links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.edge_list import edge_columns
from pulink.data.formats.sources import label
from pulink.data.formats.spreadsheet_guard import restored
from pulink.data.read import edge_table
from pulink.data.table import Table
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.text import counted, plural


def read_absent(path: str | Path, graph: Graph, encoding: str = "utf-8") -> Graph:
    """The graph with the pairs of a file as known non-links.

    The file is a table (delimited or .parquet) whose first two columns, or those that a header calls so, name the
    ends; a list of links that pulink wrote is one. Pairs with a node that the graph does not have are counted in a
    note; a pair that is an edge is refused.
    """
    table = edge_table(path, None, None, encoding)
    ends = _numbers(table, graph)
    known = (ends >= 0).all(axis=1)
    try:
        marked = graph.with_absent(ends[known].reshape(-1, 2))
    except InputError as error:
        raise InputError(f"{label(path)}: {error}") from error
    notes = [counted(marked.n_absent, "pair is known to be no link", "pairs are known to be no links")]
    if n_strange := int((~known).sum()):
        named = plural(n_strange, "pair of {} names", "pairs of {} name")
        notes.append(f"{n_strange:,} {named.format(label(path))} a node that the graph does not have")
    return replace(marked, cleaning=replace(graph.cleaning, notes=(*graph.cleaning.notes, *notes)))


def _numbers(table: Table, graph: Graph) -> npt.NDArray[np.int64]:
    """Each row's two nodes (k x 2); -1 where the graph has none of that name.

    A name is looked up as its file means it, and then as it stands there and without an apostrophe before it:
    people add rows of their own to a list that pulink wrote.
    """
    ends = edge_columns(table, None, None)
    written = [table.ids(name) for name in ends]
    spellings = [table.names(*ends)[0], written]
    if table.delimited:
        spellings.append([restored(column) for column in written])
    index = {name: node for node, name in enumerate(graph.names.series().to_list())}
    found = np.full((table.frame.height, 2), -1, dtype=np.int64)
    for columns in spellings:
        for end, column in enumerate(columns):
            own = [index.get(name, -1) for name in column.cast(pl.String)]
            found[:, end] = np.where(found[:, end] < 0, own, found[:, end])
    return found
