"""The slow reader of delimited text: Python's csv, line by line. It knows the line of every row and fault."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import polars as pl

from pulink.data.formats.limits import MAX_COLUMNS, check_columns, too_many_cells
from pulink.data.formats.sources import GUNZIP
from pulink.errors import InputError
from pulink.text import counted, reason

# '# text' and '% text' are comments; '#tag' is a name.
COMMENT = r"^[#%]+(\s|$)"
_BATCH = 250_000
_HEAD = 1_000_000


@dataclass(frozen=True)
class Text:
    """Delimited text from its first row on.

    n_skipped  how many lines stand before it
    slow       how many characters of it may be read line by line; None: all
    """

    data: bytes
    separator: str
    where: str
    n_skipped: int
    slow: int | None = None

    @cached_property
    def head(self) -> Text | None:
        """The first of many rows; None where there are few, or where a quotation mark may join lines."""
        end = self.data.rfind(b"\n", 0, _HEAD) + 1
        is_cut = len(self.data) > _HEAD and end > 0 and self.data.find(b'"', 0, end) < 0
        return replace(self, data=self.data[:end]) if is_cut else None


class Lines:
    """The line in which each row of a table starts; counted up to the row that is asked for."""

    def __init__(self, text: Text, header: bool) -> None:
        self._records, self._starts, self._header = records(text), array("q"), header

    def __call__(self, row: int) -> int:
        wanted = row + self._header
        more = islice(self._records, max(0, wanted + 1 - len(self._starts)))
        self._starts.extend(line for line, _ in more)
        return self._starts[wanted]


def parse_slowly(text: Text) -> pl.DataFrame:
    """A table of text, or an error that names the line to blame."""
    frames: list[pl.DataFrame] = []
    rows: list[list[str | None]] = []
    width, n_cells, n_written = 0, 0, 0
    _refuse_other_encodings(text)
    for line, cells in records(text, text.slow):
        width = width or len(cells)
        n_cells, n_written = n_cells + width, n_written + len(cells)
        if len(cells) > width or (n_cells > 4 * n_written and too_many_cells(n_cells, n_written)):
            raise InputError(
                f"{text.where}, line {line}: {counted(len(cells), 'column')} where line "
                f"{text.n_skipped + 1} has {width:,}; every row needs the same columns"
            )
        rows.append([*cells, *[None] * (width - len(cells))] if len(cells) < width else list(cells))
        if len(rows) * width > _BATCH:
            frames.append(_text_frame(rows, width))
            rows = []
    if not width:
        raise InputError(f"{text.where}: is empty; at least one row is needed")
    return pl.concat([*frames, _text_frame(rows, width)], rechunk=True)


def _text_frame(rows: list[list[str | None]], width: int) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(numbered(width), pl.String), orient="row")


def numbered(width: int) -> list[str]:
    """Names for columns that have none."""
    return [f"column_{number}" for number in range(1, width + 1)]


def _refuse_other_encodings(text: Text) -> None:
    try:
        text.data.decode()
    except UnicodeDecodeError as error:
        line = text.n_skipped + 1 + text.data.count(b"\n", 0, error.start)
        raise InputError(
            f"{text.where}, line {line}: not UTF-8 (byte 0x{text.data[error.start]:02x}); "
            "save it as UTF-8 or pass its encoding, for example latin-1"
        ) from error


def records(text: Text, at_most: int | None = None) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line that it starts in; blank lines and comments are left out."""
    # Decoded line by line: the first is there at once, and no copy of all of them is made.
    every: Iterable[str] = io.TextIOWrapper(io.BytesIO(text.data), encoding="utf-8", newline="\n")
    lines = _short_lines(every if at_most is None else _bounded(every, at_most, text.where), text)
    reader = csv.reader(lines, delimiter=text.separator, skipinitialspace=True, strict=True)
    line = text.n_skipped + 1
    try:
        for cells in reader:
            if _holds_something(cells):
                yield line, cells
            line = text.n_skipped + reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{text.where}, line {line}: {_csv_reason(error)}") from error


def refuse_long_cell(text: Text) -> InputError:
    """Most likely a cell swallowed the lines after a quotation mark: the error names its line where it can."""
    try:
        for _ in records(text):
            pass
    except InputError as error:
        return error
    return InputError(f"{text.where}: {_csv_reason(csv.Error('field limit'))}")


def _holds_something(cells: list[str]) -> bool:
    first = cells[0].strip() if cells else ""
    if not first:
        return any(cell.strip() for cell in cells)
    return first[0] not in "#%" or not re.match(COMMENT, first)


def _bounded(lines: Iterable[str], at_most: int, where: str) -> Iterator[str]:
    left = at_most
    for line in lines:
        left -= len(line)
        if left < 0:
            raise InputError(
                f"{where}: unpacks to more than {at_most / 1e6:,.0f} MB that must be read line by line (uneven "
                f"rows, many comments, quotation marks within cells); {GUNZIP}"
            )
        yield line


def _short_lines(lines: Iterable[str], text: Text) -> Iterator[str]:
    """The lines as they are; one with cells without end is refused before they are taken apart."""
    for number, line in enumerate(lines, text.n_skipped + 1):
        if len(line) > MAX_COLUMNS:
            check_columns(line.count(text.separator) + 1, f"{text.where}, line {number}")
        yield line


def _csv_reason(error: csv.Error) -> str:
    if "end of data" in str(error):
        return "a quotation mark is never closed"
    if "expected after" in str(error):
        return "text follows a closing quotation mark; quote all of a cell or nothing, and double quotes inside"
    if "field limit" in str(error):
        return f"a cell longer than {csv.field_size_limit():,} characters; is a quotation mark never closed?"
    return reason(error)
