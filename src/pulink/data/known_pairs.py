"""Pairs of a graph's nodes in a file: those that somebody checked and that are no links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from pulink.data.edge_list import edge_columns
from pulink.data.reading import edge_table
from pulink.data.sources import label
from pulink.errors import InputError
from pulink.graph.graph import Graph


def read_absent(path: str | Path, graph: Graph, encoding: str = "utf-8") -> Graph:
    """The graph with the pairs of a file as known non-links.

    The file is a table (delimited or .parquet) whose first two columns, or those that a header calls so, name the
    ends; a list of links that pulink wrote is one. Pairs with a node that the graph does not have are counted in a
    note; a pair that is an edge is refused.
    """
    table = edge_table(path, None, None, encoding)
    columns = [table.ids(name).cast(pl.String) for name in edge_columns(table, None, None)]
    index = {name: node for node, name in enumerate(graph.names.series().to_list())}
    ends = np.array([[index.get(name, -1) for name in column] for column in columns], dtype=np.int64).T
    known = (ends >= 0).all(axis=1)
    try:
        marked = graph.with_absent(ends[known].reshape(-1, 2))
    except InputError as error:
        raise InputError(f"{label(path)}: {error}") from error
    notes = [f"{marked.n_absent:,} pairs are known to be no links"]
    if n_strange := int((~known).sum()):
        notes.append(f"{n_strange:,} pairs of {label(path)} name a node that the graph does not have")
    return replace(marked, cleaning=replace(graph.cleaning, notes=(*graph.cleaning.notes, *notes)))
