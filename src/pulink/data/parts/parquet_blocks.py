"""Rows of a Parquet part, some at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from pulink.data.formats.sources import label
from pulink.errors import InputError
from pulink.system.parquet_guard import try_parquet_file
from pulink.text import reason

_HEAD = 1_000
_BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


def try_parquet(path: Path, columns: Sequence[str], n_rows: int) -> None:
    """InputError unless these columns can be read, so many rows at a time."""
    try:
        try_parquet_file(path, columns, n_rows)
    except ValueError as error:
        raise _broken(path, error) from error


def parquet_schema(path: Path) -> dict[str, pl.DataType]:
    """Columns and their types."""
    try:
        return dict(pl.read_parquet_schema(path))
    except _BROKEN as error:
        raise _broken(path, error) from error


def parquet_head(path: Path) -> pl.DataFrame:
    """The first rows, of all columns."""
    try_parquet(path, [], _HEAD)
    return _rows(path, None, 0, _HEAD)


def count_rows(path: Path) -> int:
    """Of a part."""
    try:
        return int(_scan(path).select(pl.len()).collect().item())
    except _BROKEN as error:
        raise _broken(path, error) from error


def parquet_rows(path: Path, columns: Sequence[str], first: int, end: int) -> pl.DataFrame:
    """Some columns of consecutive rows."""
    return _rows(path, columns, first, end - first)


def _rows(path: Path, columns: Sequence[str] | None, first: int, n_rows: int) -> pl.DataFrame:
    scan = _scan(path)
    try:
        if columns is not None:
            # By their places: a column may be called "*", which polars takes for all.
            known = scan.collect_schema().names()
            scan = scan.select([pl.nth(known.index(name)) for name in columns])
        return scan.slice(first, n_rows).collect()
    except _BROKEN as error:
        raise _broken(path, error) from error


def _scan(path: Path) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def _broken(path: Path, error: BaseException) -> InputError:
    return InputError(f"{label(path)}: cannot be read as Parquet ({reason(error)})")
