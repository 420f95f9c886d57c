"""What is looked at in every part before its rows are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pulink.data.formats.sources import label
from pulink.data.parts.layout import Layout, check_parquet
from pulink.data.parts.parquet_blocks import count_rows, parquet_schema, try_parquet
from pulink.data.parts.part_files import PARQUET, is_gzipped
from pulink.data.parts.text_head import rows_begin
from pulink.data.parts.unpacking import unpack
from pulink.errors import InputError
from pulink.text import shown

# Rows that are tried at a time.
_TRIED = 1_000_000
_SHOWN = 1_000


@dataclass(frozen=True)
class Survey:
    """What is known of a part.

    path        where it is read
    first, end  from where up to where: rows of Parquet, bytes of text
    types       of its names
    first_line  of text without a header
    """

    path: str
    first: int
    end: int
    types: list[str]
    first_line: str = ""


def survey(path: Path, layout: Layout, unpacked: Path) -> Survey:
    """Look at a part; the content of a gzipped one is written to `unpacked`."""
    if layout.format == PARQUET:
        check_parquet(path, layout)
        try_parquet(path, layout.used, _TRIED)
        schema = parquet_schema(path)
        return Survey(str(path), 0, count_rows(path), [_type(schema[name]) for name in layout.names])
    place = path
    if is_gzipped(path):
        unpack(path, unpacked)
        place = unpacked
    begin = rows_begin(place, label(path), layout.has_header, layout.columns, layout.separator)
    with place.open("rb") as file:
        file.seek(begin)
        line = "" if layout.has_header else file.readline(_SHOWN).decode(errors="replace").strip()
    return Survey(str(place), begin, place.stat().st_size, ["text"] * len(layout.names), line)


def refuse_doubtful_lines(lines: Sequence[str], where: str) -> None:
    """InputError if all of several parts begin with the same line, which may name the columns."""
    if len(lines) > 1 and lines[0] and not lines[0][0].isdigit() and len(set(lines)) == 1:
        raise InputError(
            f"{where}: all parts begin with the line {shown(lines[0])}; --header (header=True) if it names the "
            "columns, --no-header (header=False) if it is an edge"
        )


def _type(kind: pl.DataType) -> str:
    return "numbers" if kind.is_numeric() else "text"
