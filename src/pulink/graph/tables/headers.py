"""Whether the first line of an edge list names its columns, and which of them hold the ends of an edge."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from pulink.graph.tables.judging.twin_names import is_twin_header, twin_columns
from pulink.graph.tables.kind_words import telling_columns
from pulink.graph.tables.table import NUMBER
from pulink.text import listed

_WORDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("head", "tail"),
    ("start", "end"),
    ("subject", "object"),
)
_LETTERS = (("u", "v"), ("i", "j"), ("a", "b"))
# A longer cell is no name of a column, and may be a whole file.
_READ = 100
_DECORATION = re.compile(r"(node)?(id|name)?$")
# The groups of Neo4j: `:START_ID(Person)`.
_GROUP = re.compile(r"\([^()]*\)$")
_ROW_NUMBERS = ("column_1", "unnamed: 0", "index", "x", "row", "rownames", "row_names")
_DESCRIPTIONS = ("tax_id", "taxid", "taxon_id", "organism", "species")


def known_ends(columns: Sequence[str]) -> tuple[str, str] | None:
    """The two columns whose names say that they hold the ends, such as "From Node" and "To Node"."""
    return _pair(columns, _WORDS) or telling_columns(list(columns)) or _pair(columns, _LETTERS)


def edge_header(frame: pl.DataFrame) -> bool:
    """Whether the first row names the columns rather than an edge.

    It does if two of its cells are well-known words, or well-known letters that no other row holds; if two of its
    cells are twins, such as gene_a and gene_b, and no other row holds such; if it alone begins with #; or if it
    holds no number while all cells below one of it are numbers.
    """
    cells = header_cells(frame.row(0))
    if len(cells) < 2:
        return False
    if _pair(cells, _WORDS) or telling_columns(cells):
        return True
    below = frame.slice(1)
    if is_twin_header(cells, below) or _is_marked(frame):
        return True
    if letters := _pair(cells, _LETTERS):
        # A graph may well have nodes called a and b.
        return below.height > 0 and not any(below.select(pl.all().is_in(list(letters)).any()).row(0))
    return _above_numbers(cells, below)


def _above_numbers(cells: Sequence[str], below: pl.DataFrame) -> bool:
    if any(re.match(NUMBER, cell[:_READ]) for cell in cells):
        return False
    return any(below.select((pl.all().count() > 0) & pl.all().str.contains(NUMBER).all()).row(0))


def header_cells(row: Sequence[str | None]) -> list[str]:
    """The names in a first line; a # before the first of them marks the line."""
    cells = [cell or "" for cell in row]
    marked = re.match(r"#+(?=[^#\s])", cells[0]) if cells else None
    return cells if marked is None else [cells[0][marked.end() :], *cells[1:]]


def header_note(frame: pl.DataFrame) -> tuple[str, ...]:
    """What to tell of a first row that was taken for names by its looks alone: nothing, or a line."""
    cells, below = header_cells(frame.row(0)), frame.slice(1)
    if _pair(cells, _WORDS) or telling_columns(cells) or _above_numbers(cells, below):
        return ()
    if not (is_twin_header(cells, below) or _is_marked(frame)):
        return ()
    names = " - ".join(listed([cell]) for cell in twin_columns(cells) or cells[:2])
    return (f"the first line, {names}, was read as names of columns; --no-header (header=False) if it is an edge",)


def plain_ends(frame: pl.DataFrame) -> tuple[str, str]:
    """The first two columns that are no row numbers and no descriptions of what a row is about."""
    names = frame.columns
    kept = [name for name in names if name.lower() not in _DESCRIPTIONS and not _counts_rows(frame, name)]
    return (kept[0], kept[1]) if len(kept) > 1 else (names[0], names[1])


def holds_fractions(column: pl.Series) -> bool:
    """Whether it holds measurements, and no names: numbers with a fraction."""
    if column.dtype.is_float():
        return True
    head = column.head(_READ)
    return column.dtype == pl.String and bool(head.str.contains(r"^[+-]?[0-9]*[.,][0-9]*[1-9][0-9]*$").any())


def _counts_rows(frame: pl.DataFrame, name: str) -> bool:
    """Whether a column without a name of its own counts 0, 1, 2, ... or 1, 2, 3, ..."""
    if name.lower() not in _ROW_NUMBERS or frame.width < 3 or not frame.height:
        return False
    numbers = frame.get_column(name).cast(pl.Int64, strict=False)
    if numbers.null_count() or numbers[0] not in (0, 1):
        return False
    return bool((numbers == pl.int_range(numbers[0], numbers[0] + frame.height, eager=True)).all())


def _is_marked(frame: pl.DataFrame) -> bool:
    """Whether the first line of several columns begins with #, and no other line does."""
    first = frame.to_series(0)
    if frame.width < 3 or frame.height < 2 or first.dtype != pl.String or not (first[0] or "").startswith("#"):
        return False
    return not first.slice(1).str.starts_with("#").any()


def doubtful_first_line(source: pl.Series, target: pl.Series) -> bool:
    """Whether the first edge is the only one whose two ends occur nowhere else: it may be a header."""
    once = pl.concat([source, target]).is_unique()
    lonely = once.head(source.len()) & once.tail(source.len())
    return source.len() > 2 and bool(lonely[0]) and lonely.sum() == 1


def _pair(names: Sequence[str], known: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    plain = {_plain(name): name for name in reversed(names)}
    return next(((plain[s], plain[t]) for s, t in known if s in plain and t in plain), None)


def _plain(name: str) -> str:
    squeezed = re.sub(r"[^a-z0-9]", "", _GROUP.sub("", name[:_READ].lower()))
    return _DECORATION.sub("", squeezed) or squeezed
