"""Whether the first line of an edge list names its columns, and which of them hold the ends of an edge."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from pulink.graph.tables.kind_words import telling_columns
from pulink.graph.tables.table import NUMBER

_WORDS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("head", "tail"),
    ("start", "end"),
)
_LETTERS = (("u", "v"), ("i", "j"), ("a", "b"))
# A longer cell is no name of a column, and may be a whole file.
_READ = 100
_DECORATION = re.compile(r"(node)?(id|name)?$")


def known_ends(columns: Sequence[str]) -> tuple[str, str] | None:
    """The two columns whose names say that they hold the ends, such as "From Node" and "To Node"."""
    return _pair(columns, _WORDS) or telling_columns(list(columns)) or _pair(columns, _LETTERS)


def edge_header(frame: pl.DataFrame) -> bool:
    """Whether the first row names the columns rather than an edge.

    It does if two of its cells are well-known words, or well-known letters that no other row holds; or if it holds
    no number while all cells below one of it are numbers.
    """
    cells = [cell or "" for cell in frame.row(0)]
    if len(cells) < 2:
        return False
    if _pair(cells, _WORDS) or telling_columns(cells):
        return True
    below = frame.slice(1)
    if letters := _pair(cells, _LETTERS):
        # A graph may well have nodes called a and b.
        return below.height > 0 and not any(below.select(pl.all().is_in(list(letters)).any()).row(0))
    if any(re.match(NUMBER, cell[:_READ]) for cell in cells):
        return False
    return any(below.select((pl.all().count() > 0) & pl.all().str.contains(NUMBER).all()).row(0))


def doubtful_first_line(source: pl.Series, target: pl.Series) -> bool:
    """Whether the first edge is the only one whose two ends occur nowhere else: it may be a header."""
    once = pl.concat([source, target]).is_unique()
    lonely = once.head(source.len()) & once.tail(source.len())
    return source.len() > 2 and bool(lonely[0]) and lonely.sum() == 1


def _pair(names: Sequence[str], known: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    plain = {_plain(name): name for name in reversed(names)}
    return next(((plain[s], plain[t]) for s, t in known if s in plain and t in plain), None)


def _plain(name: str) -> str:
    squeezed = re.sub(r"[^a-z0-9]", "", name[:_READ].lower())
    return _DECORATION.sub("", squeezed) or squeezed
