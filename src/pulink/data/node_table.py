"""A table of nodes: an id column, and attributes that become the features of a graph's nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from pulink.data.columns.encode import features_by_recipe, node_features, recipe_kinds
from pulink.data.columns.kinds import check_texts, chosen_kinds, nan_notes, refuse_bad_numbers
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.tables.table import Table
from pulink.text import counted, listed, shown

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
                f"{self.table.where}: none of its ids is an end of an edge, the first is {shown(self.ids[0])} "
                f"(column {shown(self.id_name)})"
            )
        notes = graph.cleaning.notes + self.table.notes
        if n_unknown := int((~known).sum()):
            notes += (f"{counted(n_unknown, 'node')} without a row in the node table",)
        if n_unlinked := self.ids.len() - int((known & linked).sum()):
            notes += (f"{counted(n_unlinked, 'row')} of nodes without an edge",)
        if self.attributes.width:
            chosen = chosen_kinds(self.attributes, kinds)
            check_texts(chosen, self.table.where)
            # Here and not after the rows were put in order: the message should name the line.
            refuse_bad_numbers(self.attributes, chosen, self.table)
            notes += nan_notes(self.attributes, chosen, self.table)
            encoded = node_features(self.attributes.select(pl.all().gather(rows)), chosen, self.table.where)
            graph = graph.with_features(encoded.matrix, encoded.names, encoded.recipe)
            notes += encoded.notes
        return replace(graph, cleaning=replace(graph.cleaning, notes=notes))

    def rows_of(self, names: list[str], recipe: dict[str, Any]) -> tuple[sp.csr_array, tuple[str, ...]]:
        """Features of the nodes called so (k x d) by a recipe, and what a reader should be told."""
        row_of = {name: row for row, name in enumerate(self.ids.to_list())}
        rows = pl.Series([row_of.get(name) for name in names], dtype=pl.UInt32)
        needed = recipe_kinds(recipe)
        kinds = {name: needed.get(name, "ignore") for name in self.attributes.columns}
        refuse_bad_numbers(self.attributes, kinds, self.table)
        matrix, notes = features_by_recipe(self.attributes.select(pl.all().gather(rows)), recipe, self.table.where)
        if n_unknown := rows.null_count():
            notes += (f"{counted(n_unknown, 'new node')} without a row in the node table",)
        return matrix, notes

    def _refuse_headless(self, names: list[str]) -> None:
        """A header that is a node's name is no header."""
        if self.id_name.lower() not in _ID_NAMES and self.id_name in set(names):
            raise InputError(
                f"{self.table.where}: its first line should name the columns, but {shown(self.id_name)} is a node"
            )


def node_table(table: Table, node_id: str | None = None) -> NodeTable:
    """Find the id column and check that it names every node once."""
    frame = table.frame
    if not frame.height:
        raise InputError(f"{table.where}: has columns ({listed(frame.columns)}) but no rows, so no nodes")
    lowered = {name.lower().replace(" ", "_"): name for name in reversed(frame.columns)}
    guess = next((lowered[name] for name in _ID_NAMES if name in lowered), frame.columns[0])
    name = guess if node_id is None else node_id
    (named,), name_notes = table.names(name)
    ids = named.cast(pl.String)
    repeated = np.flatnonzero(~ids.is_first_distinct().to_numpy())
    if len(repeated):
        raise table.fail(
            int(repeated[0]), f"node {shown(ids[int(repeated[0])])} stands in the table more than once"
        )
    # By hand: a column may be called "*", which polars takes for all.
    rest = pl.DataFrame([column for column in frame.iter_columns() if column.name != name])
    return NodeTable(replace(table, notes=table.notes + name_notes), name, ids, table.all_with_points(rest))
