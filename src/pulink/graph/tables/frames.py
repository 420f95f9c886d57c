"""Frames of other libraries with edges in them: polars, and pandas where it is installed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.tables.edge_list import graph_of
from pulink.graph.tables.edge_options import AS_LISTED, EdgeOptions, NodeNames
from pulink.graph.tables.table import Table


def frame_graph(edges: Any, options: EdgeOptions = AS_LISTED, nodes: NodeNames | None = None) -> Graph:
    """The edges of a frame, whose library lists of links will be given in; `nodes` may have none."""
    graph = graph_of(Table(polars_frame(edges, "edges"), "the edge frame"), options, nodes)
    return replace(graph, frames="pandas") if _is_pandas(edges) else graph


def polars_frame(frame: Any, what: str) -> pl.DataFrame:
    """The same columns in a polars frame."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if not _is_pandas(frame):
        raise InputError(f"{what} must be a polars or pandas frame, got {type(frame).__name__}")
    return pl.DataFrame({str(c): _column(frame[c]) for c in frame.columns})


def is_frame(value: object) -> bool:
    return isinstance(value, pl.DataFrame) or _is_pandas(value)


def _is_pandas(value: object) -> bool:
    # By its name: pandas need not be installed, and takes long to load.
    return type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "columns")


def _column(series: Any) -> pl.Series:
    """A pandas column, by way of plain values: needs no Arrow, and NaN becomes missing."""
    values = [None if missing else value for value, missing in zip(series.tolist(), series.isna(), strict=True)]
    return pl.Series(values, strict=False)
