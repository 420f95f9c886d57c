"""Text that is no table: recognised by its first line or its ending, and what to do with it instead."""

from __future__ import annotations

import re

from pulink.errors import InputError

_NETWORKX = "in Python, use pulink.from_networkx(networkx.{}(...))"
_EDGES_AS_CSV = "save its edges as CSV, one row for each link"
_MATRIX = "in Python, use pulink.from_scipy(scipy.io.mmread(...))"

_READ = 1_000
# Looked for at the beginning, whatever a file is called.
_BEGINNINGS = (
    (rb"(?i)\s*\*(vertices|network|arcs|edges)\b", "a Pajek file", _NETWORKX.format("read_pajek")),
    (rb"(?i)%%MatrixMarket\b", "a Matrix Market file", _MATRIX),
    (rb"(?i)\s*dl\s+n[a-z]*\s*=", "a UCINET DL file", _EDGES_AS_CSV),
    (rb"(?i)nodedef\s*>", "a GDF file", _EDGES_AS_CSV),
    (rb"(?i)\s*(strict\s+)?(di)?graph\b[^\n,;\t]*\{", "a Graphviz file", _NETWORKX.format("nx_pydot.read_dot")),
    (rb"(?i)\s*(creator\b[^\n]*\n\s*)?graph\s*\[", "a GML file", _NETWORKX.format("read_gml")),
    (rb"(?i)\s*<(\?xml|!doctype|html|graphml|gexf)\b", "XML or a web page", "GraphML files end in .graphml"),
    (rb"%PDF-", "a PDF file", "save its table as CSV"),
)
_METIS = ("a METIS file, a row of neighbours for each node", _EDGES_AS_CSV)
_ADJACENCY_LIST = (
    "an adjacency list, a node and all of its neighbours in each row",
    _NETWORKX.format("read_adjlist"),
)


def refuse_foreign_text(data: bytes, start: int, ending: str, where: str) -> None:
    """InputError for text of another format, with what to do instead.

    start  where the first line begins that is no comment
    """
    begun = (data[:_READ], data[start : start + _READ])
    found = next(
        ((what, do) for begins, what, do in _BEGINNINGS if any(re.match(begins, text) for text in begun)), None
    )
    if found is None and ending == ".adjlist":
        found = _ADJACENCY_LIST
    if found is None and ending in (".graph", ".metis") and _is_metis(data[start:]):
        found = _METIS
    if found is not None:
        raise InputError(f"{where}: looks like {found[0]}, and a list of edges is needed; {found[1]}")


def _is_metis(data: bytes) -> bool:
    """Whether the first line counts the lines that follow it."""
    first, _, rest = data.partition(b"\n")
    counts = first.split()
    return (
        len(counts) in (2, 3, 4) and counts[0].isdigit() and rest.rstrip(b"\n").count(b"\n") + 1 == int(counts[0])
    )
