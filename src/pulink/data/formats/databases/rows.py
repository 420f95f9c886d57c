"""Rows of a query, taken some at a time and counted, as columns of one type each."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from pulink.data.formats.limits import check_columns, check_query_bytes
from pulink.errors import InputError
from pulink.text import counted, shown

Fetch = Callable[[int], Sequence[Sequence[Any]]]

_AT_ONCE = 1_000
_JOINED = 100
_TYPES: dict[type, Any] = {
    bool: pl.Boolean,
    int: pl.Int64,
    float: pl.Float64,
    str: pl.String,
    bytes: pl.Binary,
    datetime.date: pl.Date,
    datetime.datetime: pl.Datetime("us"),
}
_LARGEST = 2**63 - 1


def frame_of_rows(columns: Sequence[str], fetch: Fetch, where: str, n_stored: int) -> pl.DataFrame:
    """All rows that `fetch` gives, by hand: no library beside polars is needed.

    n_stored  how many bytes the database has
    """
    check_columns(len(columns), where)
    twice = next((name for place, name in enumerate(columns) if name in columns[:place]), None)
    if twice is not None:
        raise InputError(f"{where}: two columns are called {shown(twice)}; name them apart (select a AS ...)")
    parts: list[list[pl.Series]] = [[] for _ in columns]
    n_bytes = 0
    while rows := fetch(_AT_ONCE):
        for name, part, cells in zip(columns, parts, zip(*rows, strict=True), strict=True):
            part.append(_series(cells, name, where))
            n_bytes += int(part[-1].estimated_size())
            if len(part) > _JOINED:
                part[:] = [_joined(part)]
        check_query_bytes(n_bytes, n_stored, where)
    return pl.DataFrame(
        [_joined(part).alias(name) for name, part in zip(columns, parts, strict=True)],
        schema=None if any(parts) else dict.fromkeys(columns, pl.String),
    )


def _series(cells: Sequence[Any], name: str, where: str) -> pl.Series:
    """Some cells of a column: of one type, as numbers where all are, else as text."""
    plain = [_plain(cell) for cell in cells]
    kinds = {type(cell) for cell in plain if cell is not None}
    if not kinds:
        return pl.Series([None] * len(plain), dtype=pl.Null)
    strange = next((kind for kind in kinds if kind not in _TYPES), None)
    if strange is not None:
        raise InputError(
            f"{where}: column {shown(name)} holds {strange.__name__}; cells are text, numbers or dates"
        )
    if len(kinds) == 1:
        return pl.Series(plain, dtype=_TYPES[kinds.pop()])
    if kinds == {int, float}:
        return pl.Series([None if cell is None else float(cell) for cell in plain], dtype=pl.Float64)
    if bytes in kinds:
        raise InputError(
            f"{where}: column {shown(name)} holds bytes (BLOB) beside {counted(len(kinds) - 1, 'other type')}"
        )
    return pl.Series([None if cell is None else str(cell) for cell in plain], dtype=pl.String)


def _plain(cell: Any) -> Any:
    if isinstance(cell, decimal.Decimal):
        return float(cell)
    if isinstance(cell, uuid.UUID) or (isinstance(cell, int) and abs(cell) > _LARGEST):
        return str(cell)
    return cell


def _joined(parts: Sequence[pl.Series]) -> pl.Series:
    """Parts of a column; what is a number here and text there is text."""
    kinds = {part.dtype for part in parts} - {pl.Null()}
    if not parts or not kinds:
        return pl.Series([None] * sum(map(len, parts)), dtype=pl.String)
    kind = kinds.pop() if len(kinds) == 1 else pl.Float64() if kinds <= {pl.Int64(), pl.Float64()} else pl.String()
    return pl.concat([part.cast(kind) for part in parts])
