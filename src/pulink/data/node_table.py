"""A table of nodes: an id column, and attributes that become the features of a graph's nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from pulink.data.columns.encode import features_by_recipe, node_features, recipe_kinds
from pulink.data.columns.encodings import UNKNOWN_NUMBERS
from pulink.data.columns.kinds import check_texts, chosen_kinds, nan_notes, near_number_notes, refuse_bad_numbers
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import BIPARTITE
from pulink.graph.tables.edge_options import NodeNames
from pulink.graph.tables.table import Table
from pulink.text import counted, listed, shown

# The first of these that is there; else the first column.
ID_NAMES = ("id", "node_id", "node", "key", "name")
_MOST_TYPES = 100


@dataclass(frozen=True)
class NodeTable:
    """Rows by id. `ids` are the table's first to last, `types` those of its nodes where a column tells them;
    `attributes` are the other columns, that of types among them."""

    table: Table
    id_name: str
    ids: pl.Series
    attributes: pl.DataFrame
    types: pl.Series | None = None

    @property
    def nodes(self) -> NodeNames:
        """What the table says to a list of edges."""
        return NodeNames(self.ids, self.types, self.table.where, self.table.fail)

    def attach(self, graph: Graph, kinds: dict[str, str] | None = None) -> Graph:
        """The graph with this table's features; a node without a row has all of them missing."""
        names = graph.names.series().to_list()
        self._refuse_headless(names)
        rows = self._rows_of(graph, names)
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
        attributes, number_notes = self._with_numbers(lambda name: (kinds or {}).get(name) in (None, "number"))
        chosen = chosen_kinds(attributes, kinds) if attributes.width else {}
        notes += number_notes
        # A table may be there for the types of nodes alone.
        if chosen and not (self.types is not None and set(chosen.values()) == {"ignore"}):
            check_texts(chosen, self.table.where)
            # Here and not after the rows were put in order: the message should name the line.
            refuse_bad_numbers(attributes, chosen, self.table)
            notes += nan_notes(attributes, chosen, self.table)
            notes += near_number_notes(attributes, chosen, kinds or {}, self.table)
            encoded = node_features(attributes.select(pl.all().gather(rows)), chosen, self.table.where)
            graph = graph.with_features(encoded.matrix, encoded.names, encoded.recipe)
            notes += encoded.notes
        return replace(graph, cleaning=replace(graph.cleaning, notes=notes))

    def _rows_of(self, graph: Graph, names: list[str]) -> pl.Series:
        """The row of each node; null where it has none."""
        ids = self.ids.to_list()
        if self.types is None or graph.kind != BIPARTITE:
            row_of = {name: row for row, name in enumerate(ids)}
            return pl.Series([row_of.get(name) for name in names], dtype=pl.UInt32)
        found: list[int | None] = [None] * len(names)
        for row, (name, kind) in enumerate(zip(ids, self.types.to_list(), strict=True)):
            if (node := graph.names.node_of_type(name, kind)) is not None:
                found[node] = row
        return pl.Series(found, dtype=pl.UInt32)

    def rows_of(self, names: list[str], recipe: dict[str, Any]) -> tuple[sp.csr_array, tuple[str, ...]]:
        """Features of the nodes called so (k x d) by a recipe, and what a reader should be told."""
        row_of = {name: row for row, name in enumerate(self.ids.to_list())}
        rows = pl.Series([row_of.get(name) for name in names], dtype=pl.UInt32)
        needed = recipe_kinds(recipe)
        kinds = {name: needed.get(name, "ignore") for name in self.attributes.columns}
        attributes, number_notes = self._with_numbers(lambda name: kinds[name] == "number")
        refuse_bad_numbers(attributes, kinds, self.table)
        matrix, notes = features_by_recipe(attributes.select(pl.all().gather(rows)), recipe, self.table.where)
        notes += number_notes
        if n_unknown := rows.null_count():
            notes += (f"{counted(n_unknown, 'new node')} without a row in the node table",)
        return matrix, notes

    def _with_numbers(self, is_number: Callable[[str], bool]) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """The attributes, with numbers where people wrote them in their own way, and what to tell a reader."""
        columns: list[pl.Series] = []
        notes: tuple[str, ...] = ()
        for column in self.attributes.iter_columns():
            told: tuple[str, ...] = ()
            if is_number(column.name):
                column, told = self.table.numbers(column, UNKNOWN_NUMBERS)
            columns.append(column)
            notes += told
        return pl.DataFrame(columns), notes

    def _refuse_headless(self, names: list[str]) -> None:
        """A header that is a node's name is no header."""
        if self.id_name.lower() not in ID_NAMES and self.id_name in set(names):
            raise InputError(
                f"{self.table.where}: its first line should name the columns, but {shown(self.id_name)} is a node"
            )


def node_table(table: Table, node_id: str | None = None, node_type: str | None = None) -> NodeTable:
    """Find the id column and check that it names every node once; of one type, where a column tells types."""
    frame = table.frame
    if not frame.height:
        raise InputError(f"{table.where}: has columns ({listed(frame.columns)}) but no rows, so no nodes")
    name = id_column(table, node_id)
    (named,), name_notes = table.names(name)
    ids = named.cast(pl.String)
    types = None if node_type is None else types_of(table, node_type)
    keys = ids.to_frame("id") if types is None else pl.DataFrame({"id": ids, "type": types})
    repeated = np.flatnonzero(~keys.select(pl.struct(pl.all()).is_first_distinct()).to_series().to_numpy())
    if len(repeated):
        raise table.fail(
            int(repeated[0]), f"node {shown(ids[int(repeated[0])])} stands in the table more than once"
        )
    # By hand: a column may be called "*", which polars takes for all.
    rest = pl.DataFrame([column for column in frame.iter_columns() if column.name != name])
    noted = replace(table, notes=table.notes + name_notes)
    return NodeTable(noted, name, ids, rest, types)


def id_column(table: Table, wanted: str | None) -> str:
    """The column asked for, or one with a well-known name, else the first."""
    if wanted is not None:
        return table.column(wanted).name
    lowered = {name.lower().replace(" ", "_"): name for name in reversed(table.frame.columns)}
    return next((lowered[name] for name in ID_NAMES if name in lowered), table.frame.columns[0])


def types_of(table: Table, name: str) -> pl.Series:
    """The types that a column names, as text; every node needs one."""
    cells = table.column(name)
    if cells.dtype.is_nested() or cells.dtype.is_float():
        raise InputError(
            f"{table.where}: column {shown(name)} holds {cells.dtype}; types are text or whole numbers"
        )
    types = cells.cast(pl.String)
    empty = (types.is_null() | (types.str.strip_chars() == "")).fill_null(True)
    if empty.any():
        raise table.fail(int(empty.arg_true()[0]), f"{listed([name])} is empty; every node needs a type there")
    if (n_types := types.n_unique()) > _MOST_TYPES:
        raise InputError(
            f"{table.where}: column {shown(name)} holds {n_types:,} types of nodes; at most {_MOST_TYPES} go"
        )
    return types
