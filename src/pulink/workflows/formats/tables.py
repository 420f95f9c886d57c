"""Rows of plain values as text: CSV, TSV, JSON lines, or the JSON document that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pulink.workflows.formats.documents import json_text

if TYPE_CHECKING:
    import polars as pl

Row = Mapping[str, Any]


def encoded_table(name: str, document: Mapping[str, Any], rows: Sequence[Row]) -> bytes:
    """A document in the format `name`; where that is no JSON document, its rows alone.

    >>> from pulink.workflows.formats.tables import encoded_table
    >>> encoded_table("csv", {}, [{"method": "l3n", "memory_bytes": 7, "kinds": ["directed"]}]).decode()
    'method,memory_bytes,kinds\\n"l3n",7,"[""directed""]"\\n'
    """
    if name == "json":
        return in_bytes(json_text(document) + "\n")
    if name == "jsonl":
        return json_lines(rows)
    from pulink.data.formats.spreadsheet_guard import csv_of

    return in_bytes(csv_of(_frame(rows), separator=SEPARATORS[name]))


SEPARATORS = {"csv": ",", "tsv": "\t"}


def json_lines(rows: Sequence[Row]) -> bytes:
    """Each row on a line of its own."""
    return in_bytes("".join(json_text(dict(row), indent=None) + "\n" for row in rows))


def in_bytes(text: str) -> bytes:
    """As UTF-8; what is no letter, as in some names of files, becomes an escape."""
    return text.encode(errors="backslashreplace")


def _frame(rows: Sequence[Row]) -> pl.DataFrame:
    import polars as pl

    columns = dict.fromkeys(name for row in rows for name in row)
    cells = {name: [_cell(row.get(name)) for row in rows] for name in columns}
    return pl.DataFrame({name: _series(name, values) for name, values in cells.items()})


def _series(name: str, values: list[Any]) -> pl.Series:
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool} or kinds <= {int} or kinds <= {int, float}:
        dtype = pl.Boolean if bool in kinds else pl.Float64 if float in kinds else pl.Int64
        return pl.Series(name, values, dtype=dtype, strict=False)
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


def _cell(value: Any) -> Any:
    """What a cell cannot hold stands in it as JSON."""
    return json_text(value, indent=None) if isinstance(value, list | tuple | dict) else value
