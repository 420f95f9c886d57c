"""Cells that hold several names: `TP53` beside `MDM2, EP300`. Each would become one node."""

from __future__ import annotations

import polars as pl

from pulink.graph.tables.table import Table
from pulink.text import listed, shown

_TRIED = 10_000
# Blanks or not before the next name; 1,234 and 1;2 are numbers.
_SIGNS = r"\s*[,;|]\s*"
_NUMBERS = r"^[-+0-9.,;|' ]*$"
_ALLOWED = "a row for each link is needed, with one name in each cell"


def list_cells_note(table: Table, names: tuple[str, str], ends: list[pl.Series]) -> tuple[str, ...]:
    """What to tell of cells that may be lists; InputError where a column of them lists nodes of other cells."""
    if any(end.dtype != pl.String for end in ends):
        return ()
    heads = [end.head(_TRIED) for end in ends]
    held = [h.str.contains(r"[^,;|]" + _SIGNS + r"[^,;|\s]") & ~h.str.contains(_NUMBERS) for h in heads]
    for name, end, head, several in zip(names, ends, heads, held, strict=True):
        if not several.any():
            continue
        row = int(several.arg_true()[0])
        parts = head.filter(several).str.replace_all(_SIGNS, "\n").str.split("\n").explode().unique()
        alone = pl.concat([one.alias("name") for one in heads])
        problem = f"{listed([name])} is {shown(end[row])}"
        # Where both columns are so, names are written like `Doe, Jane`.
        mostly = int(several.sum()) * 2 >= head.len() and not all(column.any() for column in held)
        are_nodes = bool(parts.is_in(alone.implode()).any())
        if mostly and are_nodes:
            raise table.fail(row, f"{problem}: is that a list of nodes? {_ALLOWED}")
        if mostly or are_nodes:
            return (f"{problem} in {table.places([row])}, and was read as one node; {_ALLOWED}",)
    return ()
