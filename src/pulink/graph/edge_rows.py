"""Rows of node pairs and weights as they are handed over: checked, and merged into edges.

Repeats become one edge with the largest of their weights, loops are dropped, and all of it is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.errors import InputError
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.pair_space import PairSpace
from pulink.text import counted, one_line

# Node numbers are kept in 32 bits.
_MOST_NODES = 2**31 - 1


@dataclass(frozen=True)
class Cleaning:
    """What was merged or dropped between the rows of a source and the edges of a graph.

    Attributes
    ----------
    n_rows : int
        Rows of the source.
    n_duplicates, n_reversed, n_loops : int
        Rows that repeat another one, that repeat it with its ends exchanged, and that join a node with itself.
    notes : tuple of str
        What else a reader of the graph should know, such as columns that were ignored.
    kind_seen : str or None
        By what the graph's kind was seen, where nobody asked for one: a clause, empty where nothing spoke for
        another kind than undirected. None: the kind was given.
    """

    n_rows: int = 0
    n_duplicates: int = 0
    n_reversed: int = 0
    n_loops: int = 0
    notes: tuple[str, ...] = ()
    kind_seen: str | None = None

    def __str__(self) -> str:
        parts = [
            f"{counted(count, what)} {fate}"
            for count, what, fate in (
                (self.n_duplicates, "duplicate", "merged"),
                (self.n_reversed, "reversed duplicate", "merged"),
                (self.n_loops, "self-loop", "dropped"),
            )
            if count
        ]
        return "; ".join([", ".join(parts), *self.notes] if parts else self.notes)


def edge_array(edges: npt.ArrayLike) -> npt.NDArray[np.integer]:
    """Rows of two node numbers (m x 2)."""
    if not isinstance(edges, np.ndarray | list | tuple) and isinstance(edges, Iterator | Set):
        raise InputError(
            f"edges must be an array or a list of pairs, got {type(edges).__name__}; list(...) makes one of it"
        )
    try:
        array = np.asarray(edges)
    except ValueError as error:
        raise InputError("edges must be an m x 2 array of node numbers, got rows of different lengths") from error
    if array.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        hint = "; pass what is beside the two ends as weights or times" if array.shape[1:] in ((3,), (4,)) else ""
        raise InputError(f"edges must be an m x 2 array of node numbers, got shape {array.shape}{hint}")
    if np.issubdtype(array.dtype, np.floating):
        raise InputError(f"edges must be whole node numbers, got {array.dtype}; use array.astype(int) if they are")
    if not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"edges must be whole node numbers, got {array.dtype}; for names use pulink.from_frame")
    return array if array.dtype in (np.int32, np.int64) else array.astype(np.int64)


def check_size(n_nodes: object) -> None:
    """Raise if this is no number of nodes."""
    if isinstance(n_nodes, bool) or not isinstance(n_nodes, int | np.integer) or n_nodes < 0:
        raise InputError(f"n_nodes must be a whole number, at least 0, got {n_nodes!r}")
    if n_nodes > _MOST_NODES:
        raise InputError(f"a graph has at most {_MOST_NODES:,} nodes, got {n_nodes:,}: number them without gaps")


def weight_array(weights: npt.ArrayLike | None, n_rows: int) -> npt.NDArray[np.float32] | None:
    """One positive number per row; None stays None."""
    if weights is None:
        return None
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"edge weights must be positive numbers: {one_line(error)}") from error
    if values.shape != (n_rows,):
        raise InputError(
            f"{counted(n_rows, 'edge needs', 'edges need')} {counted(n_rows, 'weight')}, got shape {values.shape}"
        )
    bad = ~(np.isfinite(values) & (values > 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(f"edge weights must be positive and finite, got {values[row]} in row {row + 1}")
    return values.astype(np.float32)


def time_array(times: npt.ArrayLike | None, n_rows: int) -> npt.NDArray[np.float64] | None:
    """One finite number per row; None stays None."""
    if times is None:
        return None
    try:
        values = np.asarray(times, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"times must be numbers: {one_line(error)}") from error
    if values.shape != (n_rows,):
        raise InputError(
            f"{counted(n_rows, 'edge needs', 'edges need')} {counted(n_rows, 'time')}, got shape {values.shape}"
        )
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(f"times must be finite, got {values[row]} in row {row + 1}")
    return values


class MergedRows(NamedTuple):
    """Edges (m x 2), the weight of each, when each was seen, and what became of the rows."""

    edges: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32] | None
    times: EdgeTimes | None
    cleaning: Cleaning


def merged_edges(
    space: PairSpace,
    edges: npt.NDArray[np.integer],
    weights: npt.NDArray[np.float32] | None,
    times: npt.NDArray[np.float64] | None = None,
) -> MergedRows:
    """Rows (m x 2) as edges; of several weights the largest is kept, of times all."""
    merged = space.merge(edges)
    cleaning = Cleaning(len(edges), merged.n_same, merged.n_reversed, merged.n_loops)
    if weights is None and times is None:
        return MergedRows(merged.edges, None, None, cleaning)
    proper = space.allowed(edges)
    codes = space.codes(edges[proper])
    seen = None
    if times is not None:
        numbers = np.searchsorted(space.codes(merged.edges), codes)
        seen = EdgeTimes.of(numbers, times[proper], None if weights is None else weights[proper])
    if weights is None:
        return MergedRows(merged.edges, None, seen, cleaning)
    order = np.argsort(codes, kind="stable")
    firsts = np.flatnonzero(np.append(True, np.diff(codes[order]) != 0)[: len(codes)])
    largest = np.maximum.reduceat(weights[proper][order], firsts) if len(firsts) else weights[:0]
    return MergedRows(merged.edges, largest, seen, cleaning)
