"""A table on its way to a graph: cells, and how to name the place of one in a message."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pulink.errors import InputError, ParameterError
from pulink.graph.names import MAX_NAME
from pulink.graph.tables.judging.written_numbers import read_numbers
from pulink.text import listed, plural, shown

NUMBER = r"^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$"
_LARGEST = 2**63 - 1
WHOLE_OR_POINT_ZERO = r"^(0|[1-9][0-9]{0,17})(\.0)?$"
_TRIED = 1_000
_EXACT = 2**53

RestoreNames = Callable[[Sequence[pl.Series]], tuple[list[pl.Series], tuple[str, ...]]]


@dataclass(frozen=True)
class Table:
    """Columns, what to call their source, and the line of a row where the source has lines.

    restore_names   what its columns of ids mean, and what to tell of it, where names are written in another way
    decimal_comma   whether 1,234 is less than two here, as in files separated by semicolons
    stated_kind     the kind of graph that the source says it is, and where it says so
    notes           what a reader should be told
    n_before        rows of the source that stand before these
    """

    frame: pl.DataFrame
    where: str
    has_header: bool = True
    line_of: Callable[[int], int] | None = None
    restore_names: RestoreNames | None = None
    decimal_comma: bool = False
    stated_kind: tuple[str, str] | None = None
    notes: tuple[str, ...] = ()
    n_before: int = 0

    def fail(self, row: int, problem: str) -> InputError:
        """An error that names the source and the line of a row (the row's number where there are no lines)."""
        return InputError(f"{self.where}, {self.places([row])}: {problem}")

    def places(self, rows: Sequence[int], n_shown: int = 3) -> str:
        """Where rows stand, the first of them: 'lines 2, 7, 9 and 12 more'."""
        word, numbers = self._numbers(rows[:n_shown])
        more = f" and {len(rows) - n_shown:,} more" if len(rows) > n_shown else ""
        return f"{plural(len(rows), word)} {', '.join(map(str, numbers))}{more}"

    def _numbers(self, rows: Sequence[int]) -> tuple[str, list[int]]:
        if self.line_of is not None:
            # Lines are counted by another reader than cells: one that may give up on what is to be reported.
            with contextlib.suppress(InputError, IndexError):
                return "line", [self.line_of(row) for row in rows]
        return "row", [self.n_before + row + 1 for row in rows]

    def column(self, name: str) -> pl.Series:
        """A column that a user asked for by its name; column_2 is the second one, whatever it is called."""
        columns = self.frame.columns
        if name not in columns and (counted := re.fullmatch(r"column_([1-9][0-9]{0,3})", name)):
            name = columns[int(counted[1]) - 1] if int(counted[1]) <= len(columns) else name
        elif name not in columns and name.lstrip("#") == columns[0]:
            name = columns[0]
        if name not in columns:
            hint = self._meant(name)
            raise ParameterError(
                f"{self.where}: has no column {shown(name)}{hint} (its columns are {listed(columns)})"
            )
        return self.frame[name]

    def _meant(self, name: str) -> str:
        """The column that somebody may have meant, capital letters or not."""
        small = {column.lower(): column for column in reversed(self.frame.columns)}
        close = difflib.get_close_matches(name.lower(), small, n=1)
        if close:
            return f"; did you mean {shown(small[close[0]])}?"
        if self.has_header or not self.frame.height:
            return ""
        first = listed(["" if cell is None else str(cell) for cell in self.frame.row(0)])
        return f"; its first line, {first}, was read as an edge: --header (header=True) if it names the columns"

    def ids(self, name: str) -> pl.Series:
        """A column of ids as text, or whole numbers from 0 as they are; "001" is not 1."""
        column = _whole(self.column(name))
        kind = column.dtype
        if not (kind.is_integer() or kind == pl.String or kind == pl.Categorical or isinstance(kind, pl.Enum)):
            problem = f"column {shown(name)} holds {kind}; ids must be text or whole numbers"
            hint = "; write them as text, or name another column (--source, --target)" if kind.is_float() else ""
            raise InputError(f"{self.where}: {problem}{hint}")
        if kind.is_integer() and not column.null_count() and _all_ids(column):
            return column
        text = column.cast(pl.String)
        empty = (text.is_null() | (text.str.strip_chars() == "")).fill_null(True)
        if empty.any():
            raise self.fail(int(empty.arg_true()[0]), f"{listed([name])} is empty; every row needs an id there")
        long = text.str.len_chars() > MAX_NAME
        if long.any():
            row = int(long.arg_true()[0])
            raise self.fail(
                row, f"{listed([name])} is {shown(text[row])}; ids have at most {MAX_NAME:,} characters"
            )
        return text

    def names(self, *columns: str) -> tuple[list[pl.Series], tuple[str, ...]]:
        """Columns of ids as the names that they mean, and what a reader should be told."""
        ids = [self.ids(name) for name in columns]
        if floats := [name for name in columns if self.column(name).dtype.is_float()]:
            first = self.column(floats[0]).drop_nulls()[0]
            return ids, (f"ids are whole numbers: {first} is read as {first:.0f}",)
        if self.restore_names is None:
            return ids, ()
        ids, notes = self.restore_names(ids)
        return _without_zero_fractions(ids, notes)

    def numbers(self, column: pl.Series, unknown: Sequence[str] = ()) -> tuple[pl.Series, tuple[str, ...]]:
        """A column as numbers, also where people wrote them in their own way, and what a reader should be told."""
        reading = read_numbers(column, semicolons=self.decimal_comma, unknown=unknown)
        return reading.cells, () if reading.note is None else (reading.note,)


def _without_zero_fractions(
    ids: list[pl.Series], notes: tuple[str, ...]
) -> tuple[list[pl.Series], tuple[str, ...]]:
    """Ids such as 17.0 as 17, where all are whole numbers: programs write them so where other cells are empty."""
    texts = [column for column in ids if column.dtype == pl.String]
    if not any(column.head(_TRIED).str.ends_with(".0").any() for column in texts):
        return ids, notes
    if not all(column.str.contains(WHOLE_OR_POINT_ZERO).all() for column in texts):
        return ids, notes
    first = next(
        column.filter(column.str.ends_with(".0"))[0] for column in texts if column.str.ends_with(".0").any()
    )
    plain = [column.str.strip_suffix(".0") if column.dtype == pl.String else column for column in ids]
    return plain, (*notes, f"ids are whole numbers: {first} is read as {first.removesuffix('.0')}")


def _whole(column: pl.Series) -> pl.Series:
    """Numbers with a fraction as whole ones where all of them are: a gap makes pandas write them so."""
    if not column.dtype.is_float():
        return column
    numbers = column.fill_nan(None)
    known = numbers.drop_nulls()
    if not known.len() or not ((known.abs() < _EXACT) & (known == known.floor())).all():
        return column
    return numbers.cast(pl.Int64)


def _all_ids(numbers: pl.Series) -> bool:
    """Whether all lie in 0 .. 2^63 - 1; compared in Python, as a column of 32 bits cannot hold the bound."""
    low: Any = numbers.min()
    high: Any = numbers.max()
    return not numbers.len() or bool(low >= 0 and high <= _LARGEST)
