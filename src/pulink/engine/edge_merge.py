"""Rows of node pairs become sorted edges, each once; repeats and loops are counted.

A counting sort by the smaller end and a short sort of each row: a sort of all pairs takes several times as long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Ints
from pulink.engine.compile import kernel

Cells = npt.NDArray[np.uint32]

_ONE = np.uint32(1)


class Merged(NamedTuple):
    """Edges (k x 2, i < j, sorted), and how many rows were loops, repeats, and repeats the other way round."""

    edges: npt.NDArray[np.int32]
    n_loops: int
    n_same: int
    n_reversed: int


def merge_edges(rows: Ints, n_nodes: int) -> Merged:
    """Merge rows (m x 2) of node numbers below `n_nodes`, in any order and orientation."""
    starts = np.zeros(n_nodes + 1, dtype=np.int64)
    _count(rows, starts)
    np.cumsum(starts, out=starts)
    # A cell is the larger end with the orientation in its lowest bit, so that equal pairs end up side by side.
    cells = np.empty(int(starts[-1]), dtype=np.uint32)
    _scatter(rows, starts[:-1].copy(), cells)
    edges = np.empty((len(cells), 2), dtype=np.int32)
    n_kept, n_same = _sort_rows(starts, cells, edges)
    kept = edges if n_kept == len(edges) else edges[:n_kept].copy()
    return Merged(kept, len(rows) - len(cells), n_same, len(cells) - n_kept - n_same)


@kernel
def _count(rows: Ints, starts: npt.NDArray[np.int64]) -> None:
    for e in range(rows.shape[0]):
        if rows[e, 0] != rows[e, 1]:
            starts[min(rows[e, 0], rows[e, 1]) + 1] += 1


@kernel
def _scatter(rows: Ints, cursor: npt.NDArray[np.int64], cells: Cells) -> None:
    for e in range(rows.shape[0]):
        low, high = rows[e, 0], rows[e, 1]
        if low != high:
            backwards = low > high
            if backwards:
                low, high = high, low
            cells[cursor[low]] = (np.uint32(high) << _ONE) | np.uint32(backwards)
            cursor[low] += 1


@kernel
def _sort_rows(starts: npt.NDArray[np.int64], cells: Cells, edges: npt.NDArray[np.int32]) -> tuple[int, int]:
    kept = 0
    n_same = 0
    for i in range(starts.size - 1):
        row = cells[starts[i] : starts[i + 1]]
        if row.size < 32:
            for k in range(1, row.size):
                cell = row[k]
                place = k
                while place > 0 and row[place - 1] > cell:
                    row[place] = row[place - 1]
                    place -= 1
                row[place] = cell
        else:
            row.sort()
        for k in range(row.size):
            if k > 0 and row[k] == row[k - 1]:
                n_same += 1
            elif k == 0 or (row[k] >> _ONE) != (row[k - 1] >> _ONE):
                edges[kept, 0] = i
                edges[kept, 1] = np.int32(row[k] >> _ONE)
                kept += 1
    return kept, n_same
