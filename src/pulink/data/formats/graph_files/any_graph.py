"""A whole graph out of any file that may hold one."""

from __future__ import annotations

from pathlib import Path

from pulink.data.formats import recognise
from pulink.data.formats.graph_files.gexf import read_gexf
from pulink.data.formats.graph_files.gml import read_gml
from pulink.data.formats.graph_files.graph_content import GraphContent
from pulink.data.formats.graph_files.graph_json import graph_in_object, graph_in_values
from pulink.data.formats.graph_files.graphml import read_graphml
from pulink.data.formats.json_files.values import read_json, read_json_lines
from pulink.data.formats.sources import label
from pulink.data.read_options import AS_FOUND, ReadOptions


def graph_content(source: str | Path, options: ReadOptions = AS_FOUND) -> GraphContent | None:
    """The nodes and edges that a file holds; None where it is no file of a whole graph."""
    kind = recognise.format_of(source)
    if kind == recognise.GRAPHML:
        return read_graphml(source)
    if kind == recognise.GEXF:
        return read_gexf(source, options)
    if kind == recognise.GML:
        return read_gml(source, options)
    if kind == recognise.JSON_LINES:
        return graph_in_values(read_json_lines(source, options.encoding))
    if kind == recognise.JSON:
        found = read_json(source, options.encoding)
        return graph_in_object(found, label(source)) if isinstance(found, dict) else graph_in_values(found)
    return None
