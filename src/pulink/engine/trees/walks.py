"""Loops that walk rows down trees, from node to node.

roots (T); nodes: columns and thresholds (N), children (N x 2: left, right). A child c ≥ 0 is node c, which stands
after its parent; c < 0 is leaf −c − 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.compile import in_order

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]

Nodes = tuple[I32, F64, I32]


@in_order
def sum_leaves(roots: I32, nodes: Nodes, leaves: F64, rows: F32, out: F64) -> None:
    """Tree by tree, which stays in the cache; every row still sums its leaves in the order of the trees."""
    columns, thresholds, children = nodes
    out[:] = 0.0
    for t in range(roots.size):
        for r in range(rows.shape[0]):
            v = roots[t]
            while v >= 0:
                v = children[v, 0 if rows[r, columns[v]] <= thresholds[v] else 1]
            out[r] += leaves[-v - 1]


@in_order
def add_changes(roots: I32, nodes: Nodes, values: F64, rows: F32, out: F64) -> None:
    """To each row's columns (k x S), how much the value changes where they are asked. Leaf −c − 1 is value c."""
    columns, thresholds, children = nodes
    for t in range(roots.size):
        for r in range(rows.shape[0]):
            v = roots[t]
            while v >= 0:
                child = children[v, 0 if rows[r, columns[v]] <= thresholds[v] else 1]
                out[r, columns[v]] += values[child] - values[v]
                v = child
