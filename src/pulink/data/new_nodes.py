"""Files about nodes that a fitted model's graph does not have: their first edges, and rows of a node table.

new = read_new_nodes(model.graph_, "new_edges.csv", "new_nodes.csv")
model.with_nodes(new.names, new.edges, new.features, weights=new.weights)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.formats.sources import STDIN
from pulink.data.node_table import NodeTable
from pulink.data.read import node_rows, read
from pulink.data.read_options import AS_FOUND, ReadKeywords, ReadOptions, with_read_keywords
from pulink.errors import InputError, ParameterError
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.graph.names import Names
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, UNDIRECTED
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.text import listed, plural

# New names that a reader is told.
_SHOWN = 5
# As what the first edges are read; those of a typed graph keep their order, and the model knows the types.
_KIND_OF_FILE = {UNDIRECTED: UNDIRECTED, BIPARTITE: BIPARTITE}


@dataclass(frozen=True)
class NewNodes:
    """What `with_nodes` takes, and what a reader should be told.

    names     of a bipartite graph, type:name
    edges     pairs of names; weights one each, or None
    features  a row for each of `names`, or None
    """

    names: list[str]
    edges: list[tuple[str, str]]
    weights: npt.NDArray[np.float32] | None
    features: Features | None
    notes: tuple[str, ...]


@with_read_keywords
def read_new_nodes(
    graph: Graph,
    edges: str | Path | None,
    nodes: str | Path | None = None,
    *,
    options: ReadOptions = AS_FOUND,
    **given: Unpack[ReadKeywords],
) -> NewNodes:
    """Read the first edges of new nodes, and a table of their attributes with the columns of the first one.

    graph  of the fitted model: every name in the files that it does not have is a new node
    edges  an edge list; nodes: a node table, or a sparse matrix where the graph's features came from one
    given  all but `kinds` and `kind`, as in `pulink.read`: both are those of the fitted graph
    """
    if edges is None and nodes is None:
        raise ParameterError("new nodes need a file of edges or of attributes, and there is neither")
    options = replace(options.but(given), kind=_KIND_OF_FILE.get(graph.kind, DIRECTED))
    first = None if edges is None else _first_edges(graph, edges, replace(options, node_id=None))
    rows = node_rows(nodes, options)
    named = [] if first is None else _names_in_edges(graph, first)
    named += [] if rows is None else _names_in_table(graph, rows.ids.to_list(), named)
    names = list(dict.fromkeys(named))
    if not names:
        raise InputError("no new node: every name in the files is a node of the model already")
    features, notes = _features(graph, rows, [_id_in_table(graph, rows, name) for name in names])
    notes += _new_names_note(graph, names)
    if first is None:
        return NewNodes(names, [], None, features, notes)
    weights = first.weights if graph.weights is not None else None
    ends = zip(*(first.names.take(first.edges[:, end]).to_list() for end in (0, 1)), strict=True)
    return NewNodes(names, list(ends), weights, features, first.cleaning.notes + notes)


def _first_edges(graph: Graph, edges: str | Path, options: ReadOptions) -> Graph:
    """An edge list whose two columns may stand the other way round than those of the graph."""
    first = read(edges, options=options)
    if graph.kind == UNDIRECTED or first.ends != graph.ends[::-1]:
        return first
    if str(edges) == STDIN:
        raise InputError(f"the columns must stand in the order {listed(graph.ends)}, as those of the graph did")
    return read(edges, options=replace(options, source=graph.ends[0], target=graph.ends[1]))


def _names_in_edges(graph: Graph, first: Graph) -> list[str]:
    """New names of a list of edges; of a bipartite graph with the side on which they stand."""
    names = first.names.series().to_list()
    if graph.kind != BIPARTITE:
        known = set(graph.names.series().to_list())
        return [name for name in names if name not in known]
    space = graph.pair_space
    assert isinstance(space, TypedPairs)
    called = [space.type_names[number] for number in space.between[0]]
    sides = first.pair_space
    assert isinstance(sides, TypedPairs)
    kinds = [called[0 if number == sides.between[0][0] else 1] for number in sides.types.tolist()]
    return [
        f"{kind}:{name}"
        for name, kind in zip(names, kinds, strict=True)
        if graph.names.node_of_type(name, kind) is None
    ]


def _names_in_table(graph: Graph, ids: list[str], named: list[str]) -> list[str]:
    """New names of a table of nodes that no edge has."""
    known = {plain_name(graph, name) for name in named} | set(graph.names.series().to_list())
    return [name for name in ids if name not in known]


def _id_in_table(graph: Graph, rows: Any, name: str) -> str:
    """How a table of nodes calls a new one: type:name, or the name alone where no old node is called so."""
    plain = plain_name(graph, name)
    ids = set() if rows is None else set(rows.ids.to_list())
    return plain if name not in ids and plain not in set(graph.names.series().to_list()) else name


def plain_name(graph: Graph, name: str) -> str:
    """A name without the type before it."""
    space = graph.pair_space
    kinds = space.type_names if isinstance(space, TypedPairs) else ()
    return next((name[len(kind) + 1 :] for kind in kinds if name.startswith(f"{kind}:")), name)


def _new_names_note(graph: Graph, names: list[str]) -> tuple[str, ...]:
    """Which nodes are taken for new: one of them may be an old one, misspelt."""
    shown = []
    for name in names[:_SHOWN]:
        close = graph.names.closest(name)
        shown.append(repr(name) if close is None else f"{name!r} (or did you mean {close!r}?)")
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return (f"{plural(len(names), 'new node')}: {', '.join(shown)}{more}",)


def _features(graph: Graph, rows: Any, names: list[str]) -> tuple[Features | None, tuple[str, ...]]:
    if rows is None:
        return None, ()
    if graph.features is None:
        raise InputError("a table of new nodes is given, and the model's graph has no attributes")
    if not isinstance(rows, NodeTable):
        new_nodes = Graph(np.empty((0, 2), np.int32), len(names), names=Names(len(names), pl.Series(names)))
        return rows.attach(new_nodes).features, ()
    if graph.feature_recipe is None:
        raise InputError(
            "the attributes of the model's graph were not read from a node table: hand rows in its "
            f"{graph.n_features:,} columns over to with_nodes"
        )
    return rows.rows_of(names, graph.feature_recipe)
