"""What is looked at in every part before its rows are read."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pulink.data.formats.sources import label
from pulink.data.parts.layout import Layout, check_parquet
from pulink.data.parts.parquet_blocks import count_rows, parquet_schema, try_parquet
from pulink.data.parts.part_files import PARQUET, is_gzipped
from pulink.data.parts.text_head import rows_begin
from pulink.data.parts.unpacking import unpack

# Rows that are tried at a time.
_TRIED = 1_000_000


def survey(path: Path, layout: Layout, unpacked: Path) -> tuple[Path, int, int, list[str]]:
    """Where a part is read, from where up to where (rows of Parquet, bytes of text), and the types of its names.

    unpacked  where the content of a gzipped part is written
    """
    if layout.format == PARQUET:
        check_parquet(path, layout)
        try_parquet(path, layout.used, _TRIED)
        schema = parquet_schema(path)
        return path, 0, count_rows(path), [_type(schema[name]) for name in layout.names]
    place = path
    if is_gzipped(path):
        unpack(path, unpacked)
        place = unpacked
    begin = rows_begin(place, label(path), layout.has_header, layout.columns, layout.separator)
    return place, begin, place.stat().st_size, ["text"] * len(layout.names)


def _type(kind: pl.DataType) -> str:
    return "numbers" if kind.is_numeric() else "text"
