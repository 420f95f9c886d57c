"""The edges of a graph as rows that scikit-learn can divide among training and test.

scikit-learn's searches and cross-validation index what they are given and hand the parts on: to `fit`, then to
`score`. A part knows the whole graph. `fit` sees a graph with the edges of its part alone, on all nodes; `score`
compares the edges of its part with pairs that are unconnected in the whole graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.engine.random import permutation, stream_key
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Edges, Graph
from pulink.graph.split import Split, hiding
from pulink.text import counted

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class EdgeRows:
    """Some of the recorded edges of a graph, one row each; `pulink.model_selection.edges` makes it of all.

    Attributes
    ----------
    graph : Graph
        The whole graph: nodes, names, features, types, known non-links, and every edge.
    rows : array of int64, k
        Which of its recorded edges these are. Edges that people accepted are no rows: they are always known.

    Examples
    --------
    >>> import pulink
    >>> graph = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]], names=["a", "b", "c", "d"])
    >>> rows = pulink.model_selection.edges(graph)
    >>> rows[[0, 2]], rows[:3].train_graph()
    (EdgeRows(2 of 4 edges), Graph(4 nodes, 3 edges))
    """

    graph: Graph
    rows: Longs

    def __repr__(self) -> str:
        return f"EdgeRows({len(self):,} of {counted(self.graph.n_recorded, 'edge')})"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and two ends."""
        return len(self), 2

    @property
    def edges(self) -> Edges:
        """The ends of each row, as node numbers (k x 2)."""
        return self.graph.edges[self.graph.recorded[self.rows]]

    def __getitem__(self, index: Any) -> EdgeRows:
        """Rows by place: whole numbers, a mask or a slice."""
        # scikit-learn asks for [rows, ...], as of a matrix.
        chosen = index[0] if isinstance(index, tuple) else index
        return EdgeRows(self.graph, np.atleast_1d(self.rows[chosen]))

    def train_graph(self) -> Graph:
        """Give the graph that `fit` sees.

        Returns
        -------
        Graph
            All nodes, and of the recorded edges these alone.
        """
        if not len(self):
            raise InputError(
                "nothing to learn from: no edge is left for training; use fewer splits or a larger part"
            )
        keep = np.ones(self.graph.n_edges, dtype=np.bool_)
        keep[self.graph.recorded] = False
        keep[self.graph.recorded[self.rows]] = True
        return self.graph if keep.all() else self.graph.keep_edges(keep)

    def held_out(self) -> Split:
        """Give a split whose test edges these are.

        Returns
        -------
        Split
            As many test non-edges are drawn from the pairs that are unconnected in the whole graph, always the
            same for the same rows.
        """
        if not len(self):
            raise InputError("no edge is left to score: use fewer splits or a larger test share")
        return hiding(self.graph, np.sort(self.graph.recorded[self.rows]))


def edge_rows(graph: object) -> EdgeRows:
    """All recorded edges of a graph, in an order that is random and always the same."""
    if not isinstance(graph, Graph):
        raise ParameterError(
            f"edges takes a Graph, got {type(graph).__name__}; pulink.read, from_frame and from_networkx make one"
        )
    # Sorted edges stand node by node: folds of neighbouring rows would hide whole nodes.
    return EdgeRows(graph, permutation(stream_key(0, "edge rows"), graph.n_recorded))
