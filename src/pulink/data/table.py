"""A table on its way to a graph: cells, and how to name the place of one in a message."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pulink.errors import InputError, ParameterError

NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"
_DECIMAL_COMMA = r"^[+-]?\d*,\d+$"


@dataclass(frozen=True)
class Table:
    """Columns, what to call their source, and the line of a row where the source has lines.

    decimal_comma   whether 1,5 is a number here, as in files separated by semicolons
    notes           what a reader should be told
    """

    frame: pl.DataFrame
    where: str
    has_header: bool = True
    line_of: Callable[[int], int] | None = None
    decimal_comma: bool = False
    notes: tuple[str, ...] = ()

    def fail(self, row: int, problem: str) -> InputError:
        """An error that names the source and the line of a row (the row's number where there are no lines)."""
        place = f"row {row + 1}" if self.line_of is None else f"line {self.line_of(row)}"
        return InputError(f"{self.where}, {place}: {problem}")

    def column(self, name: str) -> pl.Series:
        """A column that a user asked for by its name."""
        columns = self.frame.columns
        if name not in columns:
            close = difflib.get_close_matches(name, columns, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ParameterError(
                f"{self.where}: has no column {name!r}{hint} (its columns are {', '.join(columns)})"
            )
        return self.frame[name]

    def ids(self, name: str) -> pl.Series:
        """A column of ids as text, or whole numbers from 0 as they are; "001" is not 1."""
        column = self.column(name)
        kind = column.dtype
        if not (kind.is_integer() or kind == pl.String or kind == pl.Categorical or isinstance(kind, pl.Enum)):
            raise InputError(f"{self.where}: column {name!r} holds {kind}; ids must be text or whole numbers")
        if kind.is_integer() and not column.null_count() and (column >= 0).all():
            return column
        text = column.cast(pl.String)
        empty = text.is_null() | (text == "").fill_null(True)
        if empty.any():
            raise self.fail(int(empty.arg_true()[0]), f"{name} is empty; every row needs an id there")
        return text

    def with_points(self, column: pl.Series) -> pl.Series:
        """Numbers with a decimal point, where this table writes all of a column's with a comma."""
        if not self.decimal_comma or column.dtype != pl.String:
            return column
        cells = column.drop_nulls()
        if not cells.str.contains(_DECIMAL_COMMA).any() or not cells.str.contains(NUMBER).all():
            return column
        return column.str.replace(",", ".", literal=True)
