"""How text in columns is written: judged by the first rows, as the reader of single files does."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import polars as pl

from pulink.data.formats.csv_records import COMMENT, Text
from pulink.data.formats.delimited import (
    Judged,
    given_separator,
    likely_separator,
    named_separator,
    refuse_zero_bytes,
    single_spaces,
    table_of,
    unique_names,
    with_corner,
    without_preamble,
)
from pulink.data.formats.foreign_text import refuse_foreign_text
from pulink.data.formats.networkx_lines import is_networkx_text
from pulink.data.formats.sources import label, suffix
from pulink.data.parts.part_files import is_gzipped
from pulink.data.parts.unpacking import unpacked_head
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError
from pulink.graph.tables.headers import header_cells
from pulink.graph.tables.table import Table
from pulink.text import listed

HEAD = 1 << 20
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class TextHead:
    """The first rows of a part as a table, the character between its columns, and whether a line names them."""

    table: Table
    separator: str
    has_header: bool


def text_head(
    path: Path, options: ReadOptions, is_header: Callable[[pl.DataFrame], bool], n_columns: int
) -> TextHead:
    """Judge a part by its first megabyte."""
    where = label(path)
    data = plain_text(first_lines(path), where)
    refuse_foreign_text(data, 0, suffix(path), where)
    named, data = named_separator(data)
    if named is not None:
        raise InputError(f"{where}: begins with a line sep=, which parts must not have; remove it")
    data, preamble = without_preamble(data, where)
    given = given_separator(options.separator)
    if given is None and n_columns > 1 and is_networkx_text(data):
        raise InputError(f"{where}: holds dictionaries behind the ends; write the parts as CSV")
    n_skipped = preamble.count(b"\n")
    chosen = given or likely_separator(data, suffix(path), n_columns, f"{where}, line {n_skipped + 1}")
    if len(chosen) > 1:
        raise InputError(f"{where}: columns are separated by {chosen}; parts need one character between columns")
    if with_corner(data, chosen, options.header) != data:
        raise InputError(f"{where}: its first line has one cell less than the others; name the first column, too")
    text = Text(single_spaces(data) if chosen == " " else data, chosen, where, n_skipped)
    table = table_of(text, Judged(options, is_header, b""))
    if table is None:
        raise InputError(f"{where}: is empty; at least one row is needed")
    # Comments may name columns, too.
    return TextHead(Judged(options, is_header, preamble).told(table), chosen, table.has_header)


def first_lines(path: Path) -> bytes:
    """Whole lines from the beginning of a part, unpacked."""
    with path.open("rb") as file:
        data = unpacked_head(path, HEAD) if is_gzipped(path) else file.read(HEAD)
    if len(data) < HEAD:
        return data
    end = data.rfind(b"\n") + 1
    if not end:
        raise InputError(f"{label(path)}, line 1: is longer than {HEAD:,} bytes")
    return data[:end]


def plain_text(data: bytes, where: str) -> bytes:
    """Without a byte-order mark, every line ended by a line feed."""
    while data.startswith(BOM):
        data = data.removeprefix(BOM)
    refuse_zero_bytes(data, where)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def rows_begin(path: Path, where: str, has_header: bool, columns: tuple[str, ...], separator: str) -> int:
    """How many bytes of a text that is not packed stand before its first row; its header must name the columns."""
    with path.open("rb") as file:
        data = file.read(HEAD)
    lines = data.split(b"\n")
    place = 0
    for line in takewhile(_is_idle, lines):
        place += len(line) + 1
    if not has_header or place >= len(data):
        return min(place, len(data))
    header = data[place : data.find(b"\n", place) + 1 or len(data)]
    found = _header(plain_text(header, where), separator)
    if found != columns:
        raise InputError(
            f"{where}: its first line should name the columns {listed(columns)}, as in the first part, and is "
            f"{listed(found)}"
        )
    return place + len(header)


def _header(line: bytes, separator: str) -> tuple[str, ...]:
    plain = single_spaces(line) if separator == " " else line
    text = plain.decode(errors="replace").strip("\n")
    cells = next(csv.reader([text], delimiter=separator, skipinitialspace=True), [])
    return tuple(unique_names(header_cells([cell.strip() for cell in cells])))


def _is_idle(line: bytes) -> bool:
    text = line.removeprefix(BOM).strip()
    return not text or re.match(COMMENT, text.decode(errors="replace")) is not None
