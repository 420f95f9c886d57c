"""A column of times: numbers, or dates and times of day as ISO 8601 writes them, as seconds since 1970."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError
from pulink.graph.tables.table import Table
from pulink.text import listed, shown

_ALLOWED = "times must be numbers, or dates such as 2024-05-31 or 2024-05-31T18:00:00Z"
_CLOCKS = ("%H:%M:%S%.f", "%H:%M")


def edge_times(table: Table, name: str) -> npt.NDArray[np.float64]:
    """When each row was seen; a cell that is no time is named with its line."""
    cells = table.column(name)
    if cells.dtype.is_nested():
        raise InputError(f"{table.where}: column {shown(name)} holds {cells.dtype}; {_ALLOWED}")
    if cells.dtype.is_temporal():
        times = _of_dtype(cells)
    else:
        text, _ = table.numbers(cells)
        times = text.cast(pl.Float64, strict=False)
        dates = _dates(text) if times.null_count() and text.dtype == pl.String else times
        times = dates if dates.null_count() < times.null_count() else times
    bad = (times.is_null() | ~times.is_finite()).fill_null(True)
    if bad.any():
        row = int(bad.arg_true()[0])
        found = "empty" if cells[row] is None else shown(cells[row])
        raise table.fail(row, f"{listed([name])} is {found}; {_ALLOWED}")
    return times.to_numpy()


def _of_dtype(cells: pl.Series) -> pl.Series:
    """Of cells that are dates already; spans and times of day without a date are none."""
    if cells.dtype == pl.Date or isinstance(cells.dtype, pl.Datetime):
        return _seconds(cells.cast(pl.Datetime("us")) if cells.dtype == pl.Date else cells)
    return pl.Series([None] * cells.len(), dtype=pl.Float64)


def _dates(text: pl.Series) -> pl.Series:
    """Of text; null where a cell is no date."""
    plain = text.str.strip_chars().str.replace("T", " ", literal=True).str.replace(r"\s*[Zz]$", "+0000")
    found = _seconds(plain.str.to_datetime("%Y-%m-%d", time_unit="us", strict=False))
    for clock in _CLOCKS:
        written = f"%Y-%m-%d {clock}"
        local = plain.str.to_datetime(written, time_unit="us", strict=False)
        zoned = plain.str.to_datetime(f"{written}%z", time_unit="us", strict=False)
        for times in (_seconds(local), _seconds(zoned)):
            found = pl.select(pl.coalesce(found, times)).to_series()
    return found


def _seconds(times: pl.Series) -> pl.Series:
    return times.dt.epoch("us").cast(pl.Float64) / 1e6
