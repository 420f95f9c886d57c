"""Two columns of names become a graph of its kind: the one that was asked for, or the one that they tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import BIPARTITE, TAKEN, TYPED, UNDIRECTED
from pulink.graph.tables.edge_options import NodeNames, check_kind
from pulink.graph.tables.kind_detection import Detected, kind_by_rows, kind_by_words, natural_places
from pulink.graph.tables.numbering import Numbered, numbered
from pulink.text import counted, listed, shown

ENDS = ("source", "target")
_PLAIN_NAME = r"\w[\w .:()/-]{0,99}"


@dataclass(frozen=True)
class NamedRows:
    """Rows of two names.

    columns  what the two columns are called; None: they have no names
    weights, times  one per row, or None
    nodes    nodes that may have no edge
    notes    what a reader should be told
    stated   the kind that the source tells
    """

    source: pl.Series
    target: pl.Series
    columns: tuple[str, str] | None = None
    weights: npt.NDArray[np.float64] | None = None
    times: npt.NDArray[np.float64] | None = None
    nodes: NodeNames | None = None
    notes: tuple[str, ...] = ()
    stated: Detected | None = None

    @property
    def ends(self) -> tuple[str, str]:
        """What lists of links call the two ends: as the columns are called, where a list can call them so."""
        if self.columns is None or any(
            name in TAKEN or not re.fullmatch(_PLAIN_NAME, name) for name in self.columns
        ):
            return ENDS
        return self.columns

    @property
    def types(self) -> pl.Series | None:
        return None if self.nodes is None else self.nodes.types

    def values(self) -> dict[str, Any]:
        return {"weights": self.weights, "times": self.times}


def graph_from_columns(
    rows: NamedRows, kind: str | None = UNDIRECTED, between: Sequence[tuple[str, str]] | None = None
) -> Graph:
    """The graph of named rows; kind: None where it is to be detected."""
    check_kind(kind, between, rows.types is not None)
    found = None
    if kind is None:
        found = (
            _kind_by_types(rows, between) if rows.types is not None else rows.stated or kind_by_words(rows.columns)
        )
    if BIPARTITE in (kind, None if found is None else found.kind):
        return _noted(_two_sided(rows), found)
    columns = [rows.source, rows.target] + ([] if rows.nodes is None else [rows.nodes.ids])
    names = numbered(columns)
    edges = np.stack(names.places[:2], axis=1)
    if kind is None and found is None:
        places = edges if names.names is None else natural_places(names.names)[edges]
        found = kind_by_rows(places, names.n_names, timed=rows.times is not None)
        if found.kind == BIPARTITE:
            return _noted(_two_sided(rows), found)
    chosen = kind if found is None else found.kind
    assert chosen is not None
    types = _types_by_name(rows, names) if chosen == TYPED else None
    graph = Graph.from_edges(
        edges,
        names.n_names,
        names=names.names,
        notes=rows.notes + names.notes,
        kind=chosen,
        ends=ENDS if chosen == UNDIRECTED else rows.ends,
        node_types=types,
        between=between,
        **rows.values(),
    )
    if between is not None and types is not None and not graph.n_edges and len(edges):
        raise _nothing_between(types, edges, between)
    return _noted(graph, found)


def _nothing_between(
    types: Sequence[str], edges: npt.NDArray[np.integer], between: Sequence[tuple[str, str]]
) -> InputError:
    """What rows link instead of the types that were asked about."""
    linked = sorted({tuple(sorted((types[a], types[b]))) for a, b in edges.tolist() if a != b})
    asked, there = (
        listed(" - ".join(listed([name]) for name in pair) for pair in pairs) for pairs in (between, linked)
    )
    return InputError(
        f"between (--between): no row links {asked}, so there is nothing to learn from; rows link {there}"
    )


def _noted(graph: Graph, found: Detected | None) -> Graph:
    return graph if found is None else replace(graph, cleaning=replace(graph.cleaning, kind_seen=found.evidence))


def _kind_by_types(rows: NamedRows, between: object) -> Detected:
    """Types that are called as the two columns are say on which side a node stands."""
    assert rows.types is not None
    known = rows.types.unique().sort().to_list()
    if between is None and rows.columns is not None and set(known) <= set(rows.columns):
        return Detected(BIPARTITE, "the node table's types are the names of the two columns")
    return Detected(TYPED, f"nodes are of {counted(len(known), 'type')}, {listed(map(str, known))}")


def _types_by_name(rows: NamedRows, names: Numbered) -> list[str]:
    """The type of each node of a typed graph."""
    assert rows.nodes is not None and rows.types is not None
    table = pl.DataFrame({"name": rows.nodes.ids.cast(pl.String), "type": rows.types})
    if table["name"].is_duplicated().any():
        row = int(table["name"].is_duplicated().arg_true()[1])
        raise rows.nodes.fail(row, f"node {shown(table['name'][row])} stands in the table more than once")
    found = names.all_names().to_frame("name").join(table, on="name", how="left", maintain_order="left")
    if found["type"].null_count():
        unknown = found.filter(pl.col("type").is_null())["name"]
        more = f", nor are {unknown.len() - 1:,} others" if unknown.len() > 1 else ""
        raise InputError(
            f"{rows.nodes.where}: node {shown(unknown[0])} of the edge list is not in it{more}; "
            "every node of a typed graph needs a type"
        )
    return list(found["type"].to_list())


def _two_sided(rows: NamedRows) -> Graph:
    """The nodes of the first column come first, then those of the second; equal names are two nodes."""
    more, notes = _nodes_by_side(rows)
    sides = [numbered([column, ids]) for column, ids in zip((rows.source, rows.target), more, strict=True)]
    edges = np.stack([sides[0].places[0], sides[1].places[0] + sides[0].n_names], axis=1)
    ends = rows.ends
    types = [ends[0]] * sides[0].n_names + [ends[1]] * sides[1].n_names
    names = pl.concat([side.all_names().alias("name") for side in sides])
    return Graph.from_edges(
        edges,
        len(names),
        names=names,
        notes=rows.notes + notes + sides[0].notes + sides[1].notes,
        kind=BIPARTITE,
        ends=ends,
        node_types=types,
        between=[ends],
        **rows.values(),
    )


def _nodes_by_side(rows: NamedRows) -> tuple[list[pl.Series], tuple[str, ...]]:
    """The names that a table of nodes has for each side, and what to tell a reader."""
    none = pl.Series("name", [], dtype=pl.String)
    if rows.nodes is None:
        return [none, none], ()
    ids, columns = rows.nodes.ids.cast(pl.String), rows.columns or ENDS
    if rows.types is not None:
        strange = ~rows.types.is_in(list(columns))
        if strange.any():
            row = int(strange.arg_true()[0])
            allowed = f"the types of a bipartite graph are its columns, {listed(columns)}"
            raise rows.nodes.fail(row, f"the type is {shown(rows.types[row])}; {allowed}")
        return [ids.filter(rows.types == column) for column in columns], ()
    first, second = (ids.is_in(column.cast(pl.String).implode()) for column in (rows.source, rows.target))
    both = ids.filter(first & second)
    if both.len():
        raise InputError(
            f"{rows.nodes.where}: {shown(both[0])} stands in both columns of the edge list, so that its row may "
            f"belong to either node: a column of types (node_type, --node-type), {listed(columns)}, tells which"
        )
    n_unknown = int((~first & ~second).sum())
    note = f"{counted(n_unknown, 'row')} of nodes without an edge left out: their side is not known"
    return [ids.filter(first), ids.filter(second)], (note,) if n_unknown else ()
