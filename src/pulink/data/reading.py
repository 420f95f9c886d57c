"""`read`: files of any known format become a Graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp

from pulink.data.delimited import Table, edge_header, node_header, read_delimited
from pulink.data.edge_list import edge_columns, graph_from_columns, id_text
from pulink.data.features import node_features
from pulink.data.graphml import read_graphml
from pulink.data.npz import csr_parts, load_arrays, read_npz
from pulink.data.sources import STDIN, existing_file, label, suffix
from pulink.errors import InputError
from pulink.graph.graph import Graph

_ID_NAMES = ("id", "node", "node_id", "name", "key")


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

    edges      CSV, TSV or other delimited text (gzipped too, "-" for standard input), .parquet, .npz, .graphml
    nodes      a table with an id column and attributes (delimited or .parquet), or a SciPy sparse matrix (.npz)
               whose row i belongs to the node called i
    source, target, weight, node_id   names of columns, where they cannot be guessed
    header     whether the edge list's first line names its columns; None: judged by its looks
    kinds      {"column": "number" | "category" | "text" | "ignore"}, where the guess is wrong
    """
    ending = suffix(edges)
    attributes: pl.DataFrame | None = None
    if ending == ".npz":
        graph = read_npz(edges)
    elif ending in (".graphml", ".xml"):
        graph, attributes = read_graphml(edges, weight)
    else:
        table = _edge_table(edges, header, separator, encoding)
        if nodes is None or suffix(nodes) == ".npz":
            graph = _graph_of(table, source, target, weight, None)
        else:
            ids, attributes = _node_table(nodes, node_id, encoding)
            graph = _graph_of(table, source, target, weight, ids)
            attributes, nodes = _in_node_order(graph, ids, attributes, label(nodes)), None
    if nodes is not None:
        if suffix(nodes) == ".npz":
            return graph.with_features(_matrix_rows(graph, nodes))
        ids, table_attributes = _node_table(nodes, node_id, encoding)
        attributes = _in_node_order(graph, ids, table_attributes, label(nodes))
    return graph if attributes is None else _with_attributes(graph, attributes, kinds)


def _with_attributes(graph: Graph, attributes: pl.DataFrame, kinds: dict[str, str] | None) -> Graph:
    encoded = node_features(attributes, kinds)
    notes = (*graph.cleaning.notes, *encoded.notes)
    graph = graph.with_features(encoded.matrix, encoded.names)
    return replace(graph, cleaning=replace(graph.cleaning, notes=notes))


def _edge_table(source: str | Path, header: bool | None, separator: str | None, encoding: str) -> Table:
    if suffix(source) == ".parquet":
        return Table(_parquet(source), True, label(source))
    return read_delimited(source, header=header, separator=separator, encoding=encoding, is_header=edge_header)


def _parquet(path: str | Path) -> pl.DataFrame:
    if str(path) != STDIN:
        existing_file(path)
    try:
        return pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as Parquet ({str(error).splitlines()[0]})") from error


def _graph_of(
    table: Table, source: str | None, target: str | None, weight: str | None, more: pl.Series | None
) -> Graph:
    frame = table.frame
    first, second = edge_columns(frame.columns, source, target, table.where)
    ends = [id_text(frame[name], table.where) for name in (first, second)]
    for name, column in zip((first, second), ends, strict=True):
        empty = (column.is_null() | (column == "")).fill_null(True)
        if empty.any():
            raise table.fail(int(empty.arg_true()[0]), f"{name} is empty; every edge needs two ids")
    weights, weight_name = _weights(table, weight, (first, second))
    ignored = [c for c in frame.columns if c not in (first, second, weight_name)]
    notes = (f"columns ignored: {', '.join(ignored)}",) if ignored else ()
    return graph_from_columns(ends[0], ends[1], weights=weights, more_names=more, notes=notes)


def _weights(table: Table, wanted: str | None, ends: tuple[str, str]) -> tuple[np.ndarray | None, str | None]:
    """The column asked for, or one that a header calls weight."""
    frame = table.frame
    if wanted is not None and wanted not in frame.columns:
        raise InputError(f"{table.where}: has no column {wanted!r}; its columns are {', '.join(frame.columns)}")
    name = wanted or next(
        (c for c in frame.columns if table.has_header and c.lower() == "weight" and c not in ends), None
    )
    if name is None:
        return None, None
    values = frame[name].cast(pl.Float64, strict=False)
    bad = (values.is_null() | ~values.is_finite() | (values <= 0)).fill_null(True)
    if bad.any():
        row = int(bad.arg_true()[0])
        raise table.fail(row, f"{name} is {frame[name][row]!r}; weights must be positive numbers")
    return values.to_numpy(), name


def _node_table(path: str | Path, node_id: str | None, encoding: str) -> tuple[pl.Series, pl.DataFrame]:
    if suffix(path) == ".parquet":
        table = Table(_parquet(path), True, label(path))
    else:
        table = read_delimited(path, encoding=encoding, is_header=node_header)
    frame = table.frame
    if node_id is not None and node_id not in frame.columns:
        raise InputError(f"{table.where}: has no column {node_id!r}; its columns are {', '.join(frame.columns)}")
    name = node_id or next((c for c in frame.columns if c.lower() in _ID_NAMES), frame.columns[0])
    ids = id_text(frame[name], table.where)
    empty = (ids.is_null() | (ids == "")).fill_null(True)
    if empty.any():
        raise table.fail(int(empty.arg_true()[0]), f"{name} is empty; every node needs an id")
    repeated = ids.is_duplicated()
    if repeated.any():
        row = int(repeated.arg_true()[-1])
        raise table.fail(row, f"node {ids[row]!r} stands in the table more than once")
    return ids, frame.drop(name)


def _in_node_order(graph: Graph, ids: pl.Series, attributes: pl.DataFrame, where: str) -> pl.DataFrame:
    """One row per node, null where the table does not know it."""
    known = graph.names.series().to_frame("id")
    if not ids.is_in(known["id"].implode()).any():
        raise InputError(f"{where}: none of its ids is a node of the graph, the first is {ids[0]!r}")
    table = attributes.with_columns(ids.alias("__pulink_id__"))
    joined = known.join(table, left_on="id", right_on="__pulink_id__", how="left", maintain_order="left")
    return joined.drop("id")


def _matrix_rows(graph: Graph, path: str | Path) -> sp.csr_array:
    """A matrix saved by scipy.sparse.save_npz; row i belongs to the node called i."""
    arrays = load_arrays(path)
    if arrays.get("format", np.array(b"")).item() not in (b"csr", "csr"):
        raise InputError(f"{path}: is not a CSR matrix written by scipy.sparse.save_npz")
    matrix = csr_parts(arrays, "", path)
    numbers = graph.names.series().cast(pl.Int64, strict=False)
    if numbers.null_count() or int(numbers.min() or 0) < 0 or int(numbers.max() or 0) >= matrix.shape[0]:  # type: ignore[arg-type]
        raise InputError(
            f"{path}: its row i is the node called i, so nodes must be called 0 .. {matrix.shape[0] - 1}"
        )
    return sp.csr_array(matrix[numbers.to_numpy()])
