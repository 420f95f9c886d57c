"""What users call a graph becomes one: files, datasets, frames, arrays, lists, objects of other libraries."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from pulink.data.absent_pairs import with_known_absent
from pulink.data.catalog import datasets, is_named, load
from pulink.data.formats import recognise
from pulink.data.formats.sources import STDIN, label
from pulink.data.interop import from_frame, from_igraph, from_networkx, from_pyg, from_scipy
from pulink.data.parts import part_files
from pulink.data.read import node_rows, read
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.graph.graph import Graph
from pulink.graph.tables.as_graph import as_graph, is_edge_source
from pulink.graph.tables.edge_options import check_kind
from pulink.graph.tables.frames import PANDAS, POLARS, PYARROW, is_frame, library_of
from pulink.text import file_name

# What an option is called by whoever gave it: `node_id` in Python, `--node-id` on a command line.
Spelling = Callable[[str], str]

_NODE_OPTIONS = ("node_id", "kinds")
_KIND_OPTIONS = ("kind", "node_type", "between")


@dataclass(frozen=True)
class GraphSource:
    """A graph, and what records and messages call that which it was made of.

    edges, nodes, known_absent  a file's name, or what it is, such as "a pandas frame"
    label                       the edges in a message: "standard input" instead of "-"
    """

    graph: Graph
    edges: str
    nodes: str | None
    known_absent: str | None
    label: str


def open_graph(
    edges: Any, nodes: Any = None, options: ReadOptions = AS_FOUND, known_absent: Any = None
) -> GraphSource:
    """Make a graph of what a user handed over.

    edges         a file, "-" for standard input, a dataset's name, a Graph, a frame (polars, pandas, pyarrow,
                  DuckDB or another table of Arrow), a graph of NetworkX or igraph, a SciPy matrix, a PyG Data
                  object, or pairs of names or whole numbers: an m x 2 array or a list
    nodes         a file or a frame with their attributes
    known_absent  pairs that are no links: a file, a frame, or a list or an array of pairs
    """
    is_file = isinstance(edges, str | Path)
    graph = _from_file(str(edges), nodes, options) if is_file else _from_object(edges, nodes, options)
    if known_absent is not None:
        graph = with_known_absent(known_absent, graph, options.encoding)
    name = name_of(edges)
    return GraphSource(
        graph,
        name,
        None if nodes is None else name_of(nodes),
        None if known_absent is None else name_of(known_absent),
        label(edges) if is_file else name,
    )


def name_of(value: Any) -> str:
    """What to call that which a user handed over."""
    if isinstance(value, str | Path):
        return file_name(value)
    for is_so, name in (
        (isinstance(value, Graph), "a graph"),
        (library_of(value) == POLARS, "a polars frame"),
        (library_of(value) == PANDAS, "a pandas frame"),
        (library_of(value) == PYARROW, "a table of Arrow"),
        (sp.issparse(value), "a SciPy matrix"),
        (_is_graph_of("networkx", value), "a NetworkX graph"),
        (_is_graph_of("igraph", value), "an igraph graph"),
        (hasattr(value, "edge_index") or hasattr(value, "edge_types"), "a PyG graph"),
        (isinstance(value, np.ndarray), "an array"),
    ):
        if is_so:
            return name
    return "a list of pairs"


def is_dataset(edges: str) -> bool:
    """Whether it names a dataset of the catalogue; a file of that name comes first."""
    return is_named(edges) and not os.path.isfile(edges)  # noqa: PTH113 (Path's raises where it may not look)


def refuse_beside_dataset(edges: str, nodes: Any, options: ReadOptions, spelled: Spelling = str) -> None:
    """A dataset is read as the catalogue says: options of reading were meant to change something."""
    names = ["nodes"] if nodes is not None else []
    # Known non-links are read with it, also beside a dataset.
    names += [name for name in options.given() if name != "encoding"]
    if names:
        raise ParameterError(f"{spelled(names[0])} goes with a file; {edges!r} is a dataset of the catalogue")


def _from_file(edges: str, nodes: Any, options: ReadOptions) -> Graph:
    if is_dataset(edges):
        refuse_beside_dataset(edges, nodes, options)
        return load(edges)
    if edges != STDIN and not _exists(edges) and "." not in Path(edges).name:
        hint = UnknownNameError("dataset", edges, datasets()).suggestion
        maybe = f"; did you mean the dataset {hint!r}?" if hint else ""
        raise InputError(f"{label(edges)}: no such file, and no dataset of that name{maybe}")
    if part_files.is_parts(edges) and not recognise.is_parts(edges):
        raise InputError(
            f"{label(edges)}: is a folder of text parts, which a cluster reads (--cluster local:2 --method pull, "
            "or gcn-ce); without one, join them into a file or write them as Parquet"
        )
    return read(edges, nodes, options=options)


def _exists(edges: str) -> bool:
    try:
        return Path(edges).exists()
    except OSError as error:
        raise InputError(f"{label(edges)}: cannot be read ({error.strerror})") from error


def _from_object(edges: Any, nodes: Any, options: ReadOptions) -> Graph:
    if is_frame(edges):
        _refuse_idle(edges, nodes, options, "source", "target", "weight", "time", *_KIND_OPTIONS)
        return from_frame(
            edges, nodes, source=options.source, target=options.target, weight=options.weight,
            node_id=options.node_id, kinds=options.kinds, kind=options.kind, node_type=options.node_type,
            between=options.between, time=options.time,
        )  # fmt: skip
    is_networkx, is_igraph = _is_graph_of("networkx", edges), _is_graph_of("igraph", edges)
    _refuse_idle(edges, nodes, options, *_used(edges, is_networkx or is_igraph))
    check_kind(options.kind, options.between, options.node_type is not None)
    rows = node_rows(nodes, options)
    if is_networkx:
        graph = from_networkx(edges, weight=options.weight, kind=options.kind)
    elif is_igraph:
        graph = from_igraph(edges, weight=options.weight, kind=options.kind)
    elif sp.issparse(edges):
        graph = from_scipy(edges, kind=options.kind)
    elif hasattr(edges, "edge_index") or hasattr(edges, "edge_types"):
        graph = from_pyg(edges, kind=options.kind)
    elif is_edge_source(edges):
        graph = as_graph(edges, options.of_edges, None if rows is None else rows.nodes)
    else:
        raise InputError(
            "edges must be a file, a dataset's name, a Graph, a frame (polars, pandas, pyarrow, DuckDB), a graph "
            "of NetworkX or igraph, a SciPy matrix, a PyG Data object, an m x 2 array or a list of pairs, got "
            f"{type(edges).__name__}"
        )
    return graph if rows is None else rows.attach(graph, options.kinds)


def _used(edges: Any, has_weights: bool) -> tuple[str, ...]:
    """Which options change how an object is read; a Graph is what it is."""
    if isinstance(edges, Graph):
        return ()
    if isinstance(edges, np.ndarray | list | tuple):
        return _KIND_OPTIONS
    return ("kind", "weight") if has_weights else ("kind",)


def _is_graph_of(library: str, value: object) -> bool:
    """Whether it is a graph of NetworkX or igraph, of any kind; neither is loaded to find out."""
    return any(
        (kind.__module__.partition(".")[0], kind.__name__) == (library, "Graph") for kind in type(value).__mro__
    )


def _refuse_idle(edges: Any, nodes: Any, options: ReadOptions, *used: str) -> None:
    """An option that would change nothing was meant to change something."""
    for name in options.given():
        if name in (*_NODE_OPTIONS, "node_type") and nodes is None:
            raise ParameterError(f"{name} goes with a node table, and there is none")
        if name not in (*_NODE_OPTIONS, *used, "encoding"):
            raise ParameterError(f"{name} does not go with {name_of(edges)}: it changes how a file is read")
