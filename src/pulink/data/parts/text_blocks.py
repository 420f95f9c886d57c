"""Lines of a text part, some at a time: those that begin between two places of the file."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from pulink.data.formats.csv_records import numbered
from pulink.data.formats.delimited import quotes_at_cells, single_spaces, tidy
from pulink.data.formats.sources import label
from pulink.data.parts.text_head import plain_text
from pulink.data.whole_numbers import two_whole_columns
from pulink.errors import InputError
from pulink.graph.tables.table import Table
from pulink.text import reason

_PIECE = 1 << 20
_LONGEST_LINE = 1 << 24
_IDLE = re.compile(rb"(?m)^[ \t]*(?:[#%]+(?:[ \t].*)?)?\n")


def text_rows(path: Path, where: str, columns: tuple[str, ...], separator: str, first: int, end: int) -> Table:
    """The rows whose lines begin from byte `first` up to byte `end`, every cell as text.

    where  what to call the part in a message
    """
    begin, data = _lines(path, first, end)
    data = plain_text(data, where)
    kept = _IDLE.sub(b"", data if data.endswith(b"\n") or not data else data + b"\n")
    lines = _LineNumbers(path, begin, data, is_dense=len(kept) == len(data))
    frame = _frame(kept, columns, separator, where, lines)
    tidied = frame if frame.dtypes and frame.dtypes[0].is_integer() else tidy(frame)
    # Rows that hold nothing are left out, and then rows and lines do not go together.
    line_of = lines if tidied.height == frame.height else None
    return Table(tidied, where, line_of=line_of, decimal_comma=separator == ";")


class _LineNumbers:
    """The line of each row, counted only when somebody asks: all lines before have to be read for it."""

    def __init__(self, path: Path, begin: int, data: bytes, *, is_dense: bool) -> None:
        self._path, self._begin, self._is_dense = path, begin, is_dense
        self._data = None if is_dense else data
        self._before: int | None = None

    def __call__(self, row: int) -> int:
        if self._before is None:
            self._before = _count_lines(self._path, self._begin)
        if self._data is None:
            return self._before + row + 1
        numbers = (k for k, line in enumerate(self._data.split(b"\n")) if not _IDLE.match(line + b"\n"))
        return self._before + 1 + next(k for place, k in enumerate(numbers) if place == row)


def _count_lines(path: Path, end: int) -> int:
    n_lines, left = 0, end
    with path.open("rb") as file:
        while left and (piece := file.read(min(_PIECE, left))):
            n_lines += piece.count(b"\n")
            left -= len(piece)
    return n_lines


def _lines(path: Path, first: int, end: int) -> tuple[int, bytes]:
    """Where the first line begins that begins in a part of a file, and all such lines."""
    with path.open("rb") as file:
        begin = first
        if first:
            file.seek(first - 1)
            begin = first - 1 + _rest_of_line(file.readline(_LONGEST_LINE), path)
        if begin >= end:
            return begin, b""
        file.seek(begin)
        data = file.read(end - begin)
        if not data.endswith(b"\n"):
            rest = file.readline(_LONGEST_LINE)
            _rest_of_line(rest, path)
            data += rest
    return begin, data


def _rest_of_line(line: bytes, path: Path) -> int:
    if len(line) == _LONGEST_LINE:
        raise InputError(
            f"{label(path)}: a line is longer than {_LONGEST_LINE:,} bytes; lines must end in a line feed"
        )
    return len(line)


def _frame(data: bytes, columns: tuple[str, ...], separator: str, where: str, lines: _LineNumbers) -> pl.DataFrame:
    schema = dict.fromkeys(columns, pl.String)
    if not data:
        return pl.DataFrame(schema=schema)
    if len(columns) == 2 and (whole := two_whole_columns(data, separator)) is not None:
        return whole.rename(dict(zip(whole.columns, columns, strict=True)))
    dense = single_spaces(data) if separator == " " else data
    plain = quotes_at_cells(dense, separator.encode())
    if plain is None:
        raise InputError(f"{where}, near line {lines(0)}: quotation marks must enclose whole cells on one line")
    try:
        frame = pl.read_csv(
            plain,
            has_header=False,
            separator=separator,
            schema=dict.fromkeys(numbered(len(columns)), pl.String),
            quote_char='"',
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError) as error:
        raise InputError(_where_wrong(data, len(columns), separator, where, lines, error)) from error
    frame = frame.rename(dict(zip(frame.columns, columns, strict=True)))
    if frame.height != data.count(b"\n"):
        raise InputError(
            f"{where}, near line {lines(0)}: a cell holds a line end; parts need each row on one line"
        )
    return frame


def _where_wrong(
    data: bytes, n_columns: int, separator: str, where: str, lines: _LineNumbers, error: Exception
) -> str:
    """The first line that has too many cells, or is no UTF-8."""
    for row, line in enumerate(data.split(b"\n")):
        try:
            text = line.decode()
        except UnicodeDecodeError as problem:
            return f"{where}, line {lines(row)}: is not UTF-8 ({reason(problem)})"
        width = text.count(separator) + 1
        if '"' not in text and width > n_columns:
            return (
                f"{where}, line {lines(row)}: {width:,} columns where the first part has {n_columns:,}; every row "
                "needs the same columns"
            )
    return f"{where}, near line {lines(0)}: cannot be read ({reason(error)})"
