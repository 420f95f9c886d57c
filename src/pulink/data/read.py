"""`read`: files of any known format become a Graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from pulink.data.formats import recognise
from pulink.data.formats.arrays.npz import read_npz
from pulink.data.formats.arrow import read_arrow
from pulink.data.formats.databases.choice import EDGES, NODES, Purpose
from pulink.data.formats.databases.duckdb_file import read_duckdb
from pulink.data.formats.databases.sqlite import read_sqlite
from pulink.data.formats.delimited import read_delimited
from pulink.data.formats.graph_files.any_graph import graph_content
from pulink.data.formats.json_files.table import attribute_table_of, edge_table_of
from pulink.data.formats.json_files.values import json_values
from pulink.data.formats.parquet import read_parquet
from pulink.data.formats.parquet_parts import read_parts
from pulink.data.formats.recognise import format_of
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


@with_read_keywords
def read(
    edges: str | Path, nodes: Any = None, *, options: ReadOptions = AS_FOUND, **given: Unpack[ReadKeywords]
) -> Graph:
    """Read an edge list, and a node table if there is one.

    Parameters
    ----------
    edges : str or Path
        CSV, TSV or other delimited text (gzipped too, "-" for standard input), .parquet or a folder of its parts,
        .arrow, .jsonl, .json, a SQLite or DuckDB database, .npz, .graphml, .gexf or .gml.
    nodes : str, Path or frame, optional
        A table with an id column and attributes (any of those that are tables, or a frame), or a SciPy sparse
        matrix (.npz) whose row i belongs to the node called i.
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
    table : str, optional
        Of a database, the table or view with the edges; None: the only one, or the one whose columns tell.
    sql : str, optional
        Of a database, a select that gives the edges, in place of a table.
    node_table : str, optional
        Where `nodes` is a database, its table of nodes; None: the only one, or the one with a column of ids.

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
    if isinstance(nodes, str | Path) and str(edges) == str(nodes) == STDIN:
        raise ParameterError("edges and nodes cannot both come from standard input")
    _refuse_idle(edges, nodes, options)
    rows: NodeTable | NodeMatrix | None
    if format_of(edges) == recognise.NPZ:
        graph, rows = read_npz(edges, kind=options.kind), node_rows(nodes, options)
    elif (content := graph_content(edges, options)) is not None:
        _refuse_table_options(edges, options, "source", "target")
        outer = node_rows(nodes, options)
        graph, inner_table = content.graph(options, None if outer is None else outer.nodes)
        rows = inner_table if outer is None else outer
    else:
        _refuse_without_node_table(nodes, options)
        table = edge_table(edges, options, lambda rows: check_ends(rows, options.source, options.target))
        rows = node_rows(nodes, options)
        graph = graph_of(table, options.of_edges, None if rows is None else rows.nodes)
    return graph if rows is None else rows.attach(graph, options.kinds)


def _refuse_idle(edges: str | Path, nodes: Any, options: ReadOptions) -> None:
    """An option that would change nothing was meant to change something."""
    kind = format_of(edges)
    if kind in (recognise.NPZ, *recognise.WHOLE_GRAPHS):
        _refuse_table_options(edges, options, "source", "target", "header", "separator")
    if kind == recognise.NPZ:
        _refuse_table_options(edges, options, "weight", "time", "node_type")
    for name in ("header", "separator"):
        if kind != recognise.DELIMITED and getattr(options, name) is not None:
            raise ParameterError(f"{name} goes with delimited text, and {edges} is none")
    for name in ("table", "sql"):
        if kind not in recognise.DATABASES and getattr(options, name) is not None:
            raise ParameterError(f"{name} goes with a database (SQLite, DuckDB), and {edges} is none")
    if options.table is not None and options.sql is not None:
        raise ParameterError("table and sql both say what to read: give one of them")
    if not recognise.holds_nodes(edges) or _is_file(nodes, recognise.NPZ):
        _refuse_without_node_table(nodes, options)
    elif nodes is None and options.node_id is not None:
        raise ParameterError("node_id goes with a node table, and there is none")
    if options.node_table is not None and not _is_file(nodes, *recognise.DATABASES):
        raise ParameterError("node_table goes with nodes that are a database (SQLite, DuckDB)")


def _refuse_table_options(edges: str | Path, options: ReadOptions, *names: str) -> None:
    for name in names:
        if getattr(options, name) is not None:
            raise ParameterError(f"{name} goes with a table of edges, and {edges} is none")


def _refuse_without_node_table(nodes: Any, options: ReadOptions) -> None:
    if nodes is None or _is_file(nodes, recognise.NPZ):
        given = "there is none" if nodes is None else f"{nodes} is none"
        for name in ("node_id", "kinds", "node_type"):
            if getattr(options, name) is not None:
                raise ParameterError(f"{name} goes with a node table, and {given}")


def _is_file(nodes: Any, *kinds: str) -> bool:
    return isinstance(nodes, str | Path) and format_of(nodes) in kinds


def edge_table(
    source: str | Path, options: ReadOptions = AS_FOUND, check: Callable[[Table], object] = lambda _: None
) -> Table:
    """A table whose rows are pairs of nodes; `check` raises for rows that are none."""
    kind = format_of(source)
    if kind in (recognise.NPZ, *recognise.WHOLE_GRAPHS):
        raise InputError(f"{existing_file(source)}: a table of pairs is needed, such as .csv, and this is none")
    if kind in (recognise.JSON, recognise.JSON_LINES):
        return edge_table_of(json_values(source, options.encoding), options)
    if (found := _table(source, kind, EDGES, options.table, options.sql)) is not None:
        return found
    return read_delimited(source, options, is_header=edge_header, check=check)


def node_rows(nodes: Any, options: ReadOptions = AS_FOUND) -> NodeTable | NodeMatrix | None:
    """What a file or a frame says about nodes: a table of attributes, or a matrix of features."""
    if nodes is None:
        return None
    if not isinstance(nodes, str | Path):
        frame = Table(polars_frame(nodes, "nodes"), "the node frame")
        return node_table(frame, options.node_id, options.node_type)
    kind = format_of(nodes)
    if kind == recognise.NPZ:
        return read_node_matrix(nodes)
    if kind in recognise.WHOLE_GRAPHS:
        raise InputError(f"{existing_file(nodes)}: a table of nodes is needed, such as .csv, and this is none")
    if kind in (recognise.JSON, recognise.JSON_LINES):
        table: Table | None = attribute_table_of(json_values(nodes, options.encoding))
    else:
        table = _table(nodes, kind, NODES, options.node_table)
    if table is None:
        # A node table always has a header: its attributes need names.
        with_header = replace(options, header=True, separator=None)
        table = read_delimited(nodes, with_header, n_columns=1)
    return node_table(table, options.node_id, options.node_type)


def _table(
    source: str | Path, kind: str, purpose: Purpose, table: str | None, sql: str | None = None
) -> Table | None:
    """A table of any format that has columns with names; None: it is delimited text."""
    if kind == recognise.SQLITE:
        return read_sqlite(source, purpose, table, sql)
    if kind == recognise.DUCKDB:
        return read_duckdb(source, purpose, table, sql)
    if kind == recognise.PARQUET:
        return read_parquet(source)
    if kind == recognise.ARROW:
        return read_arrow(source)
    if kind == recognise.PARTS:
        return read_parts(source)
    ending = suffix(source)
    if ending in recognise.FOREIGN:
        way_out = recognise.FOREIGN[ending]
        raise InputError(f"{existing_file(source)}: {ending} is not a format that pulink reads; {way_out}")
    return None
