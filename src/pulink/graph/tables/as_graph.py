"""Whatever lists edges in memory, as a Graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.tables.edge_list import graph_of
from pulink.graph.tables.frames import frame_graph, is_frame
from pulink.graph.tables.table import Table
from pulink.text import shown


def is_edge_source(data: object) -> bool:
    """Whether `as_graph` takes such a thing."""
    return isinstance(data, Graph | np.ndarray | list | tuple) or is_frame(data)


def as_graph(data: object, *, more_names: pl.Series | None = None) -> Graph:
    """A Graph from a frame or from pairs of nodes; a Graph stays what it is.

    Parameters
    ----------
    data
        A Graph; a polars or pandas frame, read as by `pulink.from_frame`; or pairs of nodes, an m x 2 array or a
        list. Pairs of whole numbers are node numbers, as in `Graph.from_edges`; pairs of texts are names.
    more_names
        Nodes that may have no edge, where nodes are named.

    Examples
    --------
    >>> as_graph([("Anna", "Bert"), ("Bert", "Carl")])
    Graph(3 nodes, 2 edges)
    >>> as_graph([(0, 1), (1, 4)])
    Graph(5 nodes, 2 edges)
    """
    if isinstance(data, Graph):
        return data
    if is_frame(data):
        return frame_graph(data, more_names=more_names)
    if isinstance(data, np.ndarray) and data.dtype.kind not in "OUT":
        return Graph.from_edges(data)
    if isinstance(data, np.ndarray):
        return _graph_of_pairs(data.tolist(), more_names)
    if isinstance(data, list | tuple):
        return _graph_of_pairs(data, more_names)
    raise ParameterError(
        "edges must be a Graph, a polars or pandas frame, or pairs of nodes (an m x 2 array or a list), got "
        f"{type(data).__name__}"
    )


def _graph_of_pairs(pairs: Sequence[Any], more_names: pl.Series | None) -> Graph:
    """All numbers, or all names; anything in between might be meant either way."""
    cells = list(chain.from_iterable(pair if isinstance(pair, list | tuple) else [pair] for pair in pairs))
    n_names = sum(isinstance(cell, str) for cell in cells)
    if not n_names:
        return Graph.from_edges(pairs)
    wrong = next((pair for pair in pairs if not isinstance(pair, list | tuple) or len(pair) != 2), None)
    if wrong is not None:
        raise InputError(f"edges must be pairs of two nodes each, got {shown(wrong)}")
    if n_names < len(cells):
        other = next(cell for cell in cells if not isinstance(cell, str))
        raise InputError(f"edges must be pairs of names or pairs of node numbers, got names and {shown(other)}")
    columns = {"source": cells[::2], "target": cells[1::2]}
    return graph_of(Table(pl.DataFrame(columns), "the list of edges"), more_names=more_names)
