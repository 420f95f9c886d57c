"""Names in delimited text that a spreadsheet would take for formulas: an apostrophe before them makes them text.

    guarded(t)  = t with "'" before its beginning, and before each sign behind a separator, that would be computed
    restored(c) = c without the first of the apostrophes at each of these places

restored(guarded(t)) = t for every text, and different texts stay different: a place that has apostrophes gets one
more. A beginning is computed if it is = + - or @, also in full width, behind blanks or characters that cannot be
seen, or a tab or a line end; so is a plain number such as -1.5, which all of its row would follow where another
separator than the file's splits it. There, a quoted cell is split as well: so a sign behind , ; | a tab or a line
end counts like one at the beginning, also behind quotation marks. A beginning like a comment's (# or %, then a
blank) would be left out when pulink reads its own file.

A file that holds such a place without an apostrophe among its names was not written like this: nothing is restored
in it, so that no two of its names become one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from pulink.text import counted, shown

_UNSEEN = "\\s\\x00-\\x20\\x7f-\\xa0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff"
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_SPLITS = ",;|\\t\\r\\n"
_BEGINS = f"(?:[{_UNSEEN}]*[{_SIGNS}\\t\\r\\n]|\\s*[#%]+(?:\\s|$))"
_BEHIND = f'([{_SPLITS}][{_UNSEEN}{_SPLITS}"]*)'
_TO_QUOTE = r"[\s\",;|]"
BARE = f"^{_BEGINS}|{_BEHIND}[{_SIGNS}]"
GUARDED = f"^'+{_BEGINS}|{_BEHIND}'+[{_SIGNS}]"


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame whose texts a spreadsheet takes for texts; numbers stay as they are."""
    places = pl.col(pl.String).str.replace_all(f"{_BEHIND}('*[{_SIGNS}])", "${1}'${2}")
    return frame.with_columns(places.str.replace(f"^('*{_BEGINS})", "'${1}"))


def csv_of(frame: pl.DataFrame, *, raw: bool = False, separator: str = ",") -> str:
    """A frame as CSV. Every text is quoted, or a name with a semicolon would be cut in two by more spreadsheets.

    raw        names as they are, whatever a spreadsheet makes of them
    separator  between cells; a tab makes it TSV
    """
    if raw:
        return frame.write_csv(separator=separator)
    body = guarded(frame).write_csv(include_header=False, quote_style="non_numeric", separator=separator)
    return separator.join(_heads(frame.columns)) + "\n" + body


def _heads(columns: Sequence[str]) -> list[str]:
    """Names of columns are as much other people's text as cells are."""
    heads = guarded(pl.DataFrame({"name": list(columns)}, schema={"name": pl.String}))["name"].to_list()
    return ['"' + head.replace('"', '""') + '"' if re.search(_TO_QUOTE, head) else head for head in heads]


def true_names(columns: Sequence[pl.Series]) -> tuple[list[pl.Series], tuple[str, ...]]:
    """The names that columns of one file mean, and what to tell a reader: nothing, or a line."""
    as_written = list(columns)
    texts = [column for column in as_written if column.dtype == pl.String]
    if not any(column.str.contains("'", literal=True).any() for column in texts):
        return as_written, ()
    held = [column.filter(column.str.contains(GUARDED)) for column in texts]
    if not any(column.len() for column in held) or any(column.str.contains(BARE).any() for column in texts):
        return as_written, ()
    n_names = pl.concat([column.alias("name") for column in held]).n_unique()
    first = next(column.head(1) for column in held if column.len())
    note = (
        f"{counted(n_names, 'name')} had an apostrophe, as spreadsheets need it, that was taken off: "
        f"{shown(first[0])} is {shown(restored(first)[0])}"
    )
    return [restored(column) for column in as_written], (note,)


def restored(cells: pl.Series) -> pl.Series:
    """Cells without their guards, whatever else the file holds."""
    if cells.dtype != pl.String:
        return cells
    begun = cells.str.replace(f"^'('*{_BEGINS})", "${1}")
    return begun.str.replace_all(f"{_BEHIND}'('*[{_SIGNS}])", "${1}${2}")
