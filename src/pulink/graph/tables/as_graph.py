"""Whatever lists edges in memory, as a Graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import ParameterError
from pulink.graph.edge_rows import edge_array
from pulink.graph.graph import Graph
from pulink.graph.tables.edge_options import AS_LISTED, EdgeOptions, NodeNames
from pulink.graph.tables.frames import frame_graph, graph_in_memory, is_frame
from pulink.graph.tables.numbering import text_columns
from pulink.graph.tables.table import Table


def is_edge_source(data: object) -> bool:
    """Whether `as_graph` takes such a thing."""
    return isinstance(data, Graph | np.ndarray | list | tuple) or is_frame(data)


def as_graph(data: object, options: EdgeOptions = AS_LISTED, nodes: NodeNames | None = None) -> Graph:
    """A Graph from a frame or from pairs of nodes; a Graph stays what it is.

    Parameters
    ----------
    data
        A Graph; a frame (polars, pandas, pyarrow, DuckDB), read as by `pulink.from_frame`; or pairs of nodes, an
        m x 2 array or a list, all whole numbers or all names. Numbers are what nodes are called, as in a frame:
        numbers that no pair holds are no nodes. Where they are places, use `Graph.from_edges`.
    options
        How a frame or pairs are read, and of what kind the graph is, where that should not be detected.
    nodes
        Nodes that may have no edge, where nodes are named.

    Examples
    --------
    >>> as_graph([("Anna", "Bert"), ("Bert", "Carl")])
    Graph(3 nodes, 2 edges)
    >>> as_graph([(10, 20), (20, 30)])
    Graph(3 nodes, 2 edges)
    """
    if isinstance(data, Graph):
        return data
    if is_frame(data):
        return frame_graph(data, options, nodes)
    if isinstance(data, np.ndarray | list | tuple):
        return graph_in_memory(pair_table(data, "the list of edges"), options, nodes)
    raise ParameterError(
        "edges must be a Graph, a polars or pandas frame, or pairs of nodes (an m x 2 array or a list), got "
        f"{type(data).__name__}"
    )


def pair_table(pairs: npt.NDArray[Any] | Sequence[Any], where: str) -> Table:
    """Pairs of names or of whole numbers as a table of two columns; `where` is what messages call it."""
    if isinstance(pairs, np.ndarray) and pairs.dtype.kind in "OUT":
        pairs = pairs.tolist()
    named = None if isinstance(pairs, np.ndarray) else text_columns(pairs)
    source, target = (pl.Series(column) for column in edge_array(pairs).T) if named is None else named
    return Table(pl.DataFrame({"source": source, "target": target}), where)
