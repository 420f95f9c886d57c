"""Parquet files that a user names."""

from __future__ import annotations

from pathlib import Path

from pulink.data.formats.limits import check_columns
from pulink.data.formats.sources import label, read_bytes
from pulink.errors import InputError
from pulink.graph.tables.table import Table
from pulink.system.parquet_guard import parquet_frame
from pulink.text import reason


def read_parquet(path: str | Path) -> Table:
    """The table of a Parquet file."""
    try:
        frame = parquet_frame(read_bytes(path))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path}: cannot be read as Parquet ({reason(error)})") from error
    check_columns(frame.width, str(path))
    return Table(frame, label(path))
