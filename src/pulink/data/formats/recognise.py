"""Which format a source has: told by its ending, and by its first bytes where endings leave it open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pulink.data.formats.sources import STDIN, suffix

# Names of formats.
NPZ, GRAPHML, GEXF, GML, JSON, JSON_LINES = "npz", "graphml", "gexf", "gml", "json", "jsonl"
SQLITE, DUCKDB, PARQUET, ARROW, PARTS, DELIMITED = "sqlite", "duckdb", "parquet", "arrow", "parts", "delimited"

DATABASES = (SQLITE, DUCKDB)
# They hold nodes with their attributes beside the edges.
WHOLE_GRAPHS = (GRAPHML, GEXF, GML)

_ENDINGS = {
    ".npz": NPZ, ".graphml": GRAPHML, ".xml": GRAPHML, ".gexf": GEXF, ".gml": GML, ".json": JSON, ".cyjs": JSON,
    ".jsonl": JSON_LINES, ".ndjson": JSON_LINES, ".db": SQLITE, ".db3": SQLITE, ".sqlite": SQLITE,
    ".sqlite3": SQLITE, ".duckdb": DUCKDB, ".ddb": DUCKDB, ".parquet": PARQUET, ".arrow": ARROW, ".feather": ARROW,
    ".ipc": ARROW, ".arrows": ARROW,
}  # fmt: skip
# How files begin, and after how many bytes.
_BEGINNINGS = (
    (SQLITE, 0, b"SQLite format 3\0"),
    (DUCKDB, 8, b"DUCK"),
    (ARROW, 0, b"ARROW1\0\0"),
    (PARQUET, 0, b"PAR1"),
)
_MOST_SEARCHED = 10_000
# Formats that are no tables of text, and what to do with them instead.
FOREIGN = {
    ".xls": "save the sheet as CSV",
    ".xlsx": "save the sheet as CSV",
    ".ods": "save the sheet as CSV",
    ".mtx": "use scipy.io.mmread and pulink.from_scipy",
    ".zip": "unpack it first",
    ".bz2": "unpack it first (bunzip2)",
    ".zst": "unpack it first (unzstd)",
    ".xz": "unpack it first (unxz)",
}


def format_of(source: str | Path) -> str:
    """The format of a file, of a folder of Parquet parts, or of standard input, which is delimited text."""
    if str(source) == STDIN:
        return DELIMITED
    if is_parts(source):
        return PARTS
    told = _ENDINGS.get(suffix(source), DELIMITED)
    if told in (*DATABASES, DELIMITED) and suffix(source) not in FOREIGN:
        return _by_beginning(Path(source)) or told
    return told


def holds_nodes(source: str | Path) -> bool:
    """Whether a file may say something of nodes beside its edges; JSON shows only when it is read."""
    return format_of(source) in (*WHOLE_GRAPHS, JSON, JSON_LINES)


def is_parts(source: str | Path) -> bool:
    """Whether it is a folder with Parquet files in it; one may be a whole disk, so not all of it is searched."""
    try:
        if not Path(source).is_dir():
            return False
    except (OSError, ValueError):
        return False
    return any(path is not None for path in islice(part_files(source), _MOST_SEARCHED))


def part_files(folder: str | Path) -> Iterator[Path | None]:
    """The Parquet files of a folder that are not hidden, however deep; None for each other file or folder."""
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith((".", "_")))
        yield None
        for name in names:
            is_part = name.lower().endswith(".parquet") and not name.startswith((".", "_"))
            yield Path(place, name) if is_part else None


def _by_beginning(path: Path) -> str | None:
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            head = file.read(16)
    except (OSError, ValueError):
        return None
    return next((name for name, place, mark in _BEGINNINGS if head[place : place + len(mark)] == mark), None)
