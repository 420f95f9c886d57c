"""Whether the first line of an edge list names its columns, and which of them hold the ends of an edge."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from pulink.graph.tables.judging.twin_names import is_twin_header, twin_columns
from pulink.graph.tables.judging.written_numbers import numberlike
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
    ("bait", "prey"),
    ("gene", "interactor"),
    ("gene", "interactors"),
    ("protein", "interactor"),
    ("protein", "interactors"),
    ("node", "neighbor"),
    ("node", "neighbors"),
    ("node", "neighbour"),
    ("node", "neighbours"),
    ("entity", "related"),
    ("source", "cible"),
    ("quelle", "ziel"),
    ("origen", "destino"),
    ("origine", "destination"),
)
# Names of columns that nodes may have, too.
_SHORT = (("u", "v"), ("i", "j"), ("a", "b"), ("von", "nach"), ("de", "vers"), ("desde", "hasta"))
# A longer cell is no name of a column, and may be a whole file.
_READ = 100
_DECORATION = re.compile(r"(node)?(id|name)?$")
# The groups of Neo4j: `:START_ID(Person)`.
_GROUP = re.compile(r"\([^()]*\)$")
_ROW_NUMBERS = ("column_1", "unnamed: 0", "index", "x", "row", "rownames", "row_names")
_NOT_KNOWN = ("na", "n/a", "#n/a", "nan", "null", "none", "-", "?", ".")
_DESCRIPTIONS = ("tax_id", "taxid", "taxon_id", "organism", "species")


def known_ends(columns: Sequence[str]) -> tuple[str, str] | None:
    """The two columns whose names say that they hold the ends, such as "From Node" and "To Node"."""
    return _pair(columns, _WORDS) or telling_columns(list(columns)) or _pair(columns, _SHORT)


def edge_header(frame: pl.DataFrame) -> bool:
    """Whether the first row names the columns rather than an edge.

    It does if two of its cells are well-known words, or letters and short words that no other row holds; if two of
    its cells are twins, such as gene_a and gene_b, and no other row holds such; if it alone begins with #; or if
    it holds no number while all cells below one of it are numbers, in whatever way they are written.
    """
    cells = header_cells(frame.row(0))
    if len(cells) < 2:
        return False
    if _pair(cells, _WORDS) or telling_columns(cells):
        return True
    below = frame.slice(1)
    if is_twin_header(cells, below) or _is_marked(frame):
        return True
    # A graph may well have nodes called a and b.
    short = _pair(cells, _SHORT)
    if short and below.height > 0 and not any(below.select(pl.all().is_in(list(short)).any()).row(0)):
        return True
    return _above_numbers(cells, below)


def _above_numbers(cells: Sequence[str], below: pl.DataFrame) -> bool:
    if _numeric(pl.Series([cell[:_READ] for cell in cells], dtype=pl.String)).any():
        return False
    return any(_all_numbers(column) for column in below.iter_columns())


def _all_numbers(column: pl.Series) -> bool:
    """Whether all that it holds are numbers, or words for a number that is not known."""
    known = column.drop_nulls()
    # Most columns of names show it at once.
    for cells in (known.head(_READ), known):
        cells = cells.filter(~cells.str.to_lowercase().is_in(_NOT_KNOWN))
        if not cells.len() or not _numeric(cells).all():
            return False
    return True


def _numeric(cells: pl.Series) -> pl.Series:
    return cells.str.contains(NUMBER).fill_null(False) | numberlike(cells)


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


def unnamed_ends(frame: pl.DataFrame) -> tuple[str, str]:
    """The first two columns of a table without a header; the two after a column that counts its rows."""
    names = frame.columns
    if len(names) > 2 and frame.height > 2 and _counts(frame.to_series(0)):
        columns = [frame.to_series(place) for place in (1, 2)]
        if all(one.dtype == pl.String and not one.null_count() and not _numeric(one).any() for one in columns):
            return names[1], names[2]
    return names[0], names[1]


def row_numbers_note(frame: pl.DataFrame) -> tuple[str, ...]:
    """What to tell of a table of numbers without a header whose first column may count its rows."""
    if frame.width < 3 or frame.height < 3 or not _counts(frame.to_series(0)):
        return ()
    second, third = (frame.to_series(place).cast(pl.Int64, strict=False) for place in (1, 2))
    if second.null_count() or third.null_count() or not third.is_in(second.implode()).any():
        return ()
    first, *ends = frame.columns[:3]
    return (f"{first} counts the rows; --source {ends[0]} --target {ends[1]} if it holds no nodes",)


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
    return _counts(frame.get_column(name))


def _counts(column: pl.Series) -> bool:
    if column.dtype.is_nested():
        return False
    numbers = column.cast(pl.Int64, strict=False)
    if numbers.null_count() or numbers[0] not in (0, 1):
        return False
    return bool((numbers == pl.int_range(numbers[0], numbers[0] + column.len(), eager=True)).all())


def _is_marked(frame: pl.DataFrame) -> bool:
    """Whether the first line of several columns begins with #, and no other line does."""
    first = frame.to_series(0)
    if frame.width < 3 or frame.height < 2 or first.dtype != pl.String or not (first[0] or "").startswith("#"):
        return False
    return not first.slice(1).str.starts_with("#").any()


def doubtful_first_line(source: pl.Series, target: pl.Series) -> bool:
    """Whether the two ends of the first edge occur nowhere else, and are no numbers: it may be a header."""
    first = pl.Series([source[0], target[0]], dtype=pl.String)
    if source.len() < 3 or first[0] == first[1] or _numeric(first).any():
        return False
    return not any(column.slice(1).is_in(first.implode()).any() for column in (source, target))


def _pair(names: Sequence[str], known: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    plain = {_plain(name): name for name in reversed(names)}
    return next(((plain[s], plain[t]) for s, t in known if s in plain and t in plain), None)


def _plain(name: str) -> str:
    squeezed = re.sub(r"[^a-z0-9]", "", _GROUP.sub("", name[:_READ].lower()))
    return _DECORATION.sub("", squeezed) or squeezed
