"""`read`: files of any known format become a Graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from pulink.data.formats.arrays.npz import read_npz
from pulink.data.formats.delimited import read_delimited
from pulink.data.formats.graph_files.graphml import read_graphml
from pulink.data.formats.parquet import read_parquet
from pulink.data.formats.sources import STDIN, existing_file, suffix
from pulink.data.node_matrix import NodeMatrix, read_node_matrix
from pulink.data.node_table import NodeTable, node_table
from pulink.data.read_options import AS_FOUND, ReadKeywords, ReadOptions, with_read_keywords
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.tables.edge_list import check_ends, graph_of
from pulink.graph.tables.edge_options import check_kind
from pulink.graph.tables.frames import polars_frame
from pulink.graph.tables.headers import edge_header
from pulink.graph.tables.table import Table

GRAPHML = (".graphml", ".xml")
# Formats that are no tables of text, and what to do with them instead.
_FOREIGN = {
    ".json": "save the edges as CSV",
    ".jsonl": "save the edges as CSV",
    ".xls": "save the sheet as CSV",
    ".xlsx": "save the sheet as CSV",
    ".ods": "save the sheet as CSV",
    ".mtx": "use scipy.io.mmread and pulink.from_scipy",
    ".gml": "use networkx.read_gml and pulink.from_networkx",
    ".gexf": "use networkx.read_gexf and pulink.from_networkx",
    ".zip": "unpack it first",
}


@with_read_keywords
def read(
    edges: str | Path, nodes: Any = None, *, options: ReadOptions = AS_FOUND, **given: Unpack[ReadKeywords]
) -> Graph:
    """Read an edge list, and a node table if there is one.

    Parameters
    ----------
    edges : str or Path
        CSV, TSV or other delimited text (gzipped too, "-" for standard input), .parquet, .npz or .graphml.
    nodes : str, Path or frame, optional
        A table with an id column and attributes (delimited, .parquet, or a polars or pandas frame), or a SciPy
        sparse matrix (.npz) whose row i belongs to the node called i.
    options : ReadOptions, optional
        All that follows in one object; what is given by itself comes first.
    source, target, weight, node_id : str, optional
        Names of columns, where they cannot be guessed. Without a header the columns are called column_1,
        column_2, ...
    header : bool, optional
        Whether the edge list's first line names its columns; None: judged by its looks.
    separator : str, optional
        The character between the edge list's columns; None: judged by its looks.
    encoding : str
        Of the files.
    kinds : dict, optional
        {"column": "number" | "category" | "text" | "ignore"}, where the guess is wrong.
    kind : str, optional
        "undirected", "directed", "bipartite" (other nodes in each column, also where they have the same names) or
        "typed"; None: detected, and `cleaning.kind_seen` says by what.
    node_type : str, optional
        The node table's column with types of nodes.
    between : list of pairs of str, optional
        Types of nodes whose links are asked about; None: all types that rows link.
    time : str, optional
        The edge list's column with times: numbers, or dates as ISO 8601 writes them.

    Returns
    -------
    Graph
        Its `cleaning` says what was merged, dropped and noted.

    Raises
    ------
    InputError
        If a file cannot be read or is malformed: one line with the file, the line and what is allowed.
    ParameterError
        If a setting is given that would change nothing.

    Examples
    --------
    >>> import pulink, tempfile
    >>> from pathlib import Path
    >>> edges = Path(tempfile.mkdtemp()) / "edges.csv"
    >>> _ = edges.write_text("from,to\\nAda,Bob\\nBob,Cleo\\n")
    >>> pulink.read(edges)
    Graph(3 nodes, 2 edges)
    >>> pulink.read(edges, kind="directed")
    Graph(directed, 3 nodes, 2 edges)
    """
    options = options.but(given)
    check_kind(options.kind, options.between, options.node_type is not None)
    ending = suffix(edges)
    if isinstance(nodes, str | Path) and str(edges) == str(nodes) == STDIN:
        raise ParameterError("edges and nodes cannot both come from standard input")
    _refuse_idle(edges, nodes, options)
    rows: NodeTable | NodeMatrix | None
    if ending == ".npz":
        graph, rows = read_npz(edges, kind=options.kind), node_rows(nodes, options)
    elif ending in GRAPHML:
        outer = node_rows(nodes, options)
        graph, inner_table = read_graphml(edges, options, None if outer is None else outer.nodes)
        rows = inner_table if outer is None else outer
    else:
        table = edge_table(edges, options, lambda rows: check_ends(rows, options.source, options.target))
        rows = node_rows(nodes, options)
        graph = graph_of(table, options.of_edges, None if rows is None else rows.nodes)
    return graph if rows is None else rows.attach(graph, options.kinds)


def _refuse_idle(edges: str | Path, nodes: Any, options: ReadOptions) -> None:
    """An option that would change nothing was meant to change something."""
    ending = suffix(edges)
    columns = {".npz": ("weight", "time", "node_type"), **dict.fromkeys(GRAPHML, ())}.get(ending)
    if columns is not None:
        for name in ("source", "target", "header", "separator", *columns):
            if getattr(options, name) is not None:
                raise ParameterError(f"{name} goes with a table of edges, and {edges} is none")
    if nodes is None or (isinstance(nodes, str | Path) and suffix(nodes) == ".npz"):
        given = "there is none" if nodes is None else f"{nodes} is none"
        for name in ("node_id",) if ending in GRAPHML else ("node_id", "kinds", "node_type"):
            if getattr(options, name) is not None:
                raise ParameterError(f"{name} goes with a node table, and {given}")


def edge_table(
    source: str | Path, options: ReadOptions = AS_FOUND, check: Callable[[Table], object] = lambda _: None
) -> Table:
    """A table whose rows are pairs of nodes; `check` raises for rows that are none."""
    ending = suffix(source)
    if ending in _FOREIGN:
        raise InputError(
            f"{existing_file(source)}: {ending} is not a format that pulink reads; {_FOREIGN[ending]}"
        )
    if ending == ".parquet":
        return read_parquet(source)
    return read_delimited(source, options, is_header=edge_header, check=check)


def node_rows(nodes: Any, options: ReadOptions = AS_FOUND) -> NodeTable | NodeMatrix | None:
    """What a file or a frame says about nodes: a table of attributes, or a matrix of features."""
    if nodes is None:
        return None
    if not isinstance(nodes, str | Path):
        return node_table(
            Table(polars_frame(nodes, "nodes"), "the node frame"), options.node_id, options.node_type
        )
    if suffix(nodes) == ".npz":
        return read_node_matrix(nodes)
    if suffix(nodes) == ".parquet":
        return node_table(read_parquet(nodes), options.node_id, options.node_type)
    # A node table always has a header: its attributes need names.
    with_header = replace(options, header=True, separator=None)
    return node_table(read_delimited(nodes, with_header, n_columns=1), options.node_id, options.node_type)
