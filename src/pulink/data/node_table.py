"""A table of nodes: an id column, and attributes that become the features of a graph's nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from pulink.data.features import bad_number, node_features
from pulink.data.table import Table
from pulink.errors import InputError
from pulink.graph.graph import Graph

# The first of these that is there; else the first column.
_ID_NAMES = ("id", "node_id", "node", "key", "name")


@dataclass(frozen=True)
class NodeTable:
    """Rows by id. `ids` are the table's first to last; `attributes` are the other columns."""

    table: Table
    id_name: str
    ids: pl.Series
    attributes: pl.DataFrame

    def attach(self, graph: Graph, kinds: dict[str, str] | None = None) -> Graph:
        """The graph with this table's features; a node without a row has all of them missing."""
        row_of = {name: row for row, name in enumerate(self.ids.to_list())}
        names = graph.names.series().to_list()
        self._refuse_headless(names)
        rows = pl.Series([row_of.get(name) for name in names], dtype=pl.UInt32)
        known = rows.is_not_null().to_numpy()
        linked = graph.degrees > 0
        if graph.n_edges and not (known & linked).any():
            raise InputError(
                f"{self.table.where}: none of its ids is an end of an edge, the first is {self.ids[0]!r} "
                f"(column {self.id_name!r})"
            )
        notes = graph.cleaning.notes
        if n_unknown := int((~known).sum()):
            notes += (f"{n_unknown:,} node{'s' * (n_unknown > 1)} without a row in the node table",)
        if n_unlinked := self.ids.len() - int((known & linked).sum()):
            notes += (f"{n_unlinked:,} row{'s' * (n_unlinked > 1)} of nodes without an edge",)
        if self.attributes.width:
            self._refuse_infinite(kinds)
            encoded = node_features(self.attributes.select(pl.all().gather(rows)), kinds, self.table.where)
            graph = graph.with_features(encoded.matrix, encoded.names)
            notes += encoded.notes
        return replace(graph, cleaning=replace(graph.cleaning, notes=notes))

    def _refuse_headless(self, names: list[str]) -> None:
        """A header that is a node's name is no header."""
        if self.id_name.lower() not in _ID_NAMES and self.id_name in set(names):
            raise InputError(
                f"{self.table.where}: its first line should name the columns, but {self.id_name!r} is a node"
            )

    def _refuse_infinite(self, kinds: dict[str, str] | None) -> None:
        # Here and not after the rows were put in order: the message should name the line.
        if problem := bad_number(self.attributes, kinds):
            raise self.table.fail(*problem)


def node_table(table: Table, node_id: str | None = None) -> NodeTable:
    """Find the id column and check that it names every node once."""
    frame = table.frame
    if not frame.height:
        raise InputError(f"{table.where}: has columns ({', '.join(frame.columns)}) but no rows, so no nodes")
    lowered = {name.lower().replace(" ", "_"): name for name in reversed(frame.columns)}
    guess = next((lowered[name] for name in _ID_NAMES if name in lowered), frame.columns[0])
    name = guess if node_id is None else node_id
    ids = table.ids(name).cast(pl.String)
    repeated = np.flatnonzero(~ids.is_first_distinct().to_numpy())
    if len(repeated):
        raise table.fail(int(repeated[0]), f"node {ids[int(repeated[0])]!r} stands in the table more than once")
    rest = frame.drop(name)
    return NodeTable(table, name, ids, rest.select(table.with_points(column) for column in rest.iter_columns()))
