"""Tables of nodes and relationships in one, as APOC of Neo4j exports them: rows of nodes have neither end."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from pulink.graph.spaces.kinds import DIRECTED
from pulink.graph.tables.table import Table
from pulink.text import counted

_ENDS = ("_start", "_end")


def without_node_rows(table: Table) -> Table:
    """The rows of relationships, where a table has rows of nodes beside them; every other table as it is."""
    frame = table.frame
    if not {"_id", *_ENDS} <= {*frame.columns}:
        return table
    is_node = frame.select(pl.all_horizontal(pl.col(_ENDS).is_null())).to_series()
    if not is_node.any():
        return table
    kept = (~is_node).arg_true().to_list()
    line_of = table.line_of
    note = f"{counted(int(is_node.sum()), 'row')} of nodes left out; nodes are called by their _id"
    return replace(
        table,
        frame=frame.filter(~is_node),
        line_of=None if line_of is None else lambda row: line_of(kept[row]),
        stated_kind=(DIRECTED, "relationships of Neo4j have a direction"),
        notes=(*table.notes, note),
    )
