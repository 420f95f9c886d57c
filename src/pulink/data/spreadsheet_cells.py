"""Names in delimited text that a spreadsheet would take for formulas: an apostrophe before them makes them text.

    guarded(t)  = "'" + t    of a text t that, behind any apostrophes, begins as a formula or a comment does
    restored(c) = c[1:]      of a cell c that has an apostrophe at least before such a beginning

restored(guarded(t)) = t for every text, and different texts stay different. A formula begins with = + - or @, also
in full width, behind blanks or characters that cannot be seen, or with a tab or a line end; a plain number such as
-1.5 is none. A comment (# or %, then a blank) would be left out when pulink reads its own file.

A file that holds a bare formula among its names was not written like this: nothing is restored in it, so that no
two of its names become one.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pulink.data.wording import shown

_UNSEEN = "[\\s\\x00-\\x20\\x7f-\\xa0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]"
_BEGINS = f"(?:{_UNSEEN}*[=+\\-@\uff1d\uff0b\uff0d\uff20]|[\\t\\r\\n]|[#%]+(?:\\s|$))"
_FORMULA = f"^'*{_BEGINS}"
_BARE = f"^{_BEGINS}"
_GUARDED = f"^'+{_BEGINS}"
_NUMBER = r"^'*[+-][0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame whose texts a spreadsheet takes for texts; numbers stay as they are."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    return frame.with_columns([_guarded(frame[name]) for name in texts])


def csv_of(frame: pl.DataFrame, *, raw: bool = False) -> str:
    """A frame as CSV. Every text is quoted, or a name with a semicolon would be cut in two by some spreadsheets.

    raw  names as they are, whatever a spreadsheet makes of them
    """
    if raw:
        return frame.write_csv()
    body = guarded(frame).write_csv(include_header=False, quote_style="non_numeric")
    return ",".join(frame.columns) + "\n" + body


def true_names(columns: Sequence[pl.Series]) -> tuple[list[pl.Series], tuple[str, ...]]:
    """The names that columns of one file mean, and what to tell a reader: nothing, or a line."""
    own = list(columns)
    texts = [column for column in own if column.dtype == pl.String]
    if not any(column.str.starts_with("'").any() for column in texts):
        return own, ()
    held = [_matching(column, _GUARDED) for column in texts]
    if not any(column.len() for column in held) or any(_matching(column, _BARE).len() for column in texts):
        return own, ()
    n_names = pl.concat([column.alias("name") for column in held]).n_unique()
    first = next(column[0] for column in held if column.len())
    note = (
        f"{n_names:,} name{'s' * (n_names > 1)} stood behind an apostrophe, as spreadsheets need it, that was "
        f"taken off: {shown(first)} is {shown(first[1:])}"
    )
    return [restored(column) for column in own], (note,)


def restored(cells: pl.Series) -> pl.Series:
    """Cells without their guards, whatever else the file holds."""
    if cells.dtype != pl.String:
        return cells
    own = cells.to_frame("text")
    true = pl.when(_is("text", _GUARDED)).then(pl.col("text").str.slice(1)).otherwise("text")
    return own.select(true.alias(cells.name)).to_series()


def _guarded(texts: pl.Series) -> pl.Series:
    own = texts.to_frame("text")
    safe = pl.when(_is("text", _FORMULA)).then("'" + pl.col("text")).otherwise("text")
    return own.select(safe.alias(texts.name)).to_series()


def _matching(cells: pl.Series, pattern: str) -> pl.Series:
    return cells.to_frame("text").filter(_is("text", pattern)).to_series()


def _is(name: str, pattern: str) -> pl.Expr:
    return pl.col(name).str.contains(pattern) & ~pl.col(name).str.contains(_NUMBER)
