"""`read`: files of any known format become a Graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pulink.data.formats.delimited import read_delimited
from pulink.data.formats.graphml import read_graphml
from pulink.data.formats.npz import read_npz
from pulink.data.formats.parquet import read_parquet
from pulink.data.formats.sources import STDIN, existing_file, suffix
from pulink.data.node_matrix import NodeMatrix, read_node_matrix
from pulink.data.node_table import NodeTable, node_table
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.tables.edge_list import check_ends, graph_of
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


def read(
    edges: str | Path,
    nodes: str | Path | None = None,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    node_id: str | None = None,
    kinds: dict[str, str] | None = None,
) -> Graph:
    """Read an edge list, and a node table if there is one.

    Parameters
    ----------
    edges : path
        CSV, TSV or other delimited text (gzipped too, "-" for standard input), .parquet, .npz or .graphml.
    nodes : path, optional
        A table with an id column and attributes (delimited or .parquet), or a SciPy sparse matrix (.npz) whose
        row i belongs to the node called i.
    source, target, weight : str, optional
        Names of columns of the edge list, where they cannot be guessed; without a header the columns are called
        column_1, column_2 and so on.
    header : bool, optional
        Whether the first line of the edge list names its columns; None: judged by its looks.
    separator : str, optional
        What stands between two cells of the edge list; None: judged by the first lines.
    encoding : str
        Of delimited files.
    node_id : str, optional
        The column of the node table that holds the names of the nodes.
    kinds : dict of str to str, optional
        Columns of the node table whose kind is guessed wrongly: "number", "category", "text" or "ignore".

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
    """
    ending = suffix(edges)
    if nodes is not None and str(edges) == str(nodes) == STDIN:
        raise ParameterError("edges and nodes cannot both come from standard input")
    if ending == ".npz" or ending in GRAPHML:
        _refuse(edges, "a table of edges", source=source, target=target, header=header, separator=separator)
    if nodes is None or suffix(nodes) == ".npz":
        _refuse(nodes, "a node table", node_id=node_id, kinds=None if ending in GRAPHML else kinds)
    rows: NodeTable | NodeMatrix | None
    if ending == ".npz":
        _refuse(edges, "a table of edges", weight=weight)
        graph, rows = read_npz(edges), node_rows(nodes, node_id, encoding)
    elif ending in GRAPHML:
        graph, own = read_graphml(edges, weight)
        rows = own if nodes is None else node_rows(nodes, node_id, encoding)
    else:
        table = edge_table(edges, header, separator, encoding, lambda rows: check_ends(rows, source, target))
        rows = node_rows(nodes, node_id, encoding)
        names = None if rows is None else rows.ids
        graph = graph_of(table, source=source, target=target, weight=weight, more_names=names)
    return graph if rows is None else rows.attach(graph, kinds)


def _refuse(path: str | Path | None, what: str, **settings: Any) -> None:
    """A setting that would change nothing was meant to change something."""
    for name, value in settings.items():
        if value is not None:
            given = "there is none" if path is None else f"{path} is none"
            raise ParameterError(f"{name} goes with {what}, and {given}")


def edge_table(
    source: str | Path,
    header: bool | None,
    separator: str | None,
    encoding: str,
    check: Callable[[Table], object] = lambda _: None,
) -> Table:
    """A table whose rows are pairs of nodes; `check` raises for rows that are none."""
    ending = suffix(source)
    if ending in _FOREIGN:
        raise InputError(
            f"{existing_file(source)}: {ending} is not a format that pulink reads; {_FOREIGN[ending]}"
        )
    if ending == ".parquet":
        return read_parquet(source)
    return read_delimited(
        source, header=header, separator=separator, encoding=encoding, is_header=edge_header, check=check
    )


def node_rows(path: str | Path | None, node_id: str | None, encoding: str) -> NodeTable | NodeMatrix | None:
    """What a file says about nodes: a table of attributes, or a matrix of features."""
    if path is None:
        return None
    if suffix(path) == ".npz":
        return read_node_matrix(path)
    if suffix(path) == ".parquet":
        return node_table(read_parquet(path), node_id)
    # A node table always has a header: its attributes need names.
    return node_table(read_delimited(path, header=True, encoding=encoding, n_columns=1), node_id)
