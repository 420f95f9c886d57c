"""Rows of node pairs -> the parts that a graph is made of: its pair space, edges, weights, times and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError
from pulink.graph.edge_rows import Cleaning, check_size, edge_array, merged_edges, time_array, weight_array
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.names import Names
from pulink.graph.pair_space import PairSpace, UndirectedPairs
from pulink.graph.spaces.kinds import UNDIRECTED, pair_space_of
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.graph.tables.numbering import numbered, text_columns

Rows = npt.NDArray[np.integer]
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Frozen = TypeVar("Frozen", bound=np.generic)


class GraphParts(NamedTuple):
    """What rows say, as fields of `Graph`."""

    edges: npt.NDArray[np.int32]
    n_nodes: int
    weights: F32 | None
    names: Names
    cleaning: Cleaning
    space: PairSpace | None
    ends: tuple[str, str]
    times: EdgeTimes | None


class RowValues(NamedTuple):
    """Rows (m x 2) with what stands beside each of them."""

    rows: Rows
    weights: F32 | None
    times: F64 | None

    def where(self, keep: npt.NDArray[np.bool_]) -> RowValues:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[keep]
        return RowValues(self.rows[keep], weights, None if self.times is None else self.times[keep])


def graph_parts(
    edges: npt.ArrayLike,
    n_nodes: int | None,
    weights: npt.ArrayLike | None,
    times: npt.ArrayLike | None,
    names: list[str] | pl.Series | None,
    notes: tuple[str, ...],
    kind: str,
    node_types: Sequence[str] | None,
    between: Sequence[tuple[str, str]] | None,
    ends: tuple[str, str],
) -> GraphParts:
    """All that rows become, from what `Graph.from_edges` is handed over."""
    rows = edge_array(edges)
    n_nodes = _n_nodes(rows, n_nodes, 0 if names is None else len(names))
    given = RowValues(rows, weight_array(weights, len(rows)), time_array(times, len(rows)))
    space, is_context = pair_space_of(kind, n_nodes, rows, node_types, between, ends)
    n_same = n_reversed = 0
    if is_context.any():
        space, cleaning = _with_context(space, given.where(is_context))
        n_same, n_reversed = cleaning.n_duplicates, cleaning.n_reversed
        given = given.where(~is_context)
    merged, largest, seen, cleaning = merged_edges(space, *given)
    called = None if names is None else pl.Series("name", names, dtype=pl.String)
    return GraphParts(
        edges=frozen(merged),
        n_nodes=n_nodes,
        weights=None if largest is None else frozen(largest),
        names=Names(n_nodes, called, type_names_of(space)),
        cleaning=Cleaning(
            len(rows), cleaning.n_duplicates + n_same, cleaning.n_reversed + n_reversed, cleaning.n_loops, notes
        ),
        space=None if kind == UNDIRECTED else space,
        ends=ends,
        times=seen,
    )


def called_by_ends(edges: npt.ArrayLike) -> tuple[Rows, pl.Series | None]:
    """Rows of node numbers, and what the nodes are called: by the names or numbers that pairs hold.

    Numbers 0 .. n - 1, all of which occur, are node numbers already, and need no names.
    """
    if isinstance(edges, np.ndarray) and edges.dtype.kind in "OUT":
        edges = edges.tolist()
    columns = text_columns(edges) if isinstance(edges, list | tuple) else None
    if columns is None:
        rows = edge_array(edges)
        if not len(rows) or int(rows.min()) < 0:
            return rows, None
        columns = [pl.Series("name", column.astype(np.int64)) for column in rows.T]
    found = numbered(columns)
    return np.stack(found.places, axis=1), found.names


def _n_nodes(rows: Rows, n_nodes: int | None, least: int) -> int:
    """As many as somebody says; else up to the largest number, at least so many."""
    largest = int(rows.max()) + 1 if len(rows) else 0
    n_nodes = max(largest, least) if n_nodes is None else n_nodes
    check_size(n_nodes)
    if largest > n_nodes or (len(rows) and int(rows.min()) < 0):
        bad = rows[(rows < 0).any(axis=1) | (rows >= n_nodes).any(axis=1)][0]
        if int(bad.min()) < 0:
            raise InputError(f"edge {tuple(bad.tolist())} holds a negative number; nodes are numbered from 0")
        raise InputError(f"edge {tuple(bad.tolist())} names a node outside 0 .. {n_nodes - 1}")
    return n_nodes


def _with_context(space: PairSpace, given: RowValues) -> tuple[PairSpace, Cleaning]:
    """The space of typed pairs, with links of other types, each once."""
    assert isinstance(space, TypedPairs)
    links, weights, times, cleaning = merged_edges(UndirectedPairs(space.n_nodes), *given)
    found = replace(
        space,
        context=frozen(links),
        context_weights=None if weights is None else frozen(weights),
        context_times=times,
    )
    return found, cleaning


def type_names_of(space: PairSpace) -> pl.Series | None:
    """The type of each node by its name; None where nodes have none."""
    if not isinstance(space, TypedPairs):
        return None
    return pl.Series("type", space.type_names, dtype=pl.String).gather(space.types)


def frozen(array: npt.NDArray[Frozen]) -> npt.NDArray[Frozen]:
    """The same numbers, contiguous and read-only."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
