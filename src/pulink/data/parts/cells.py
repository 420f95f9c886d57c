"""Rows of a part as names of nodes, weights and numbers, and what has to be known of all parts to read any.

Names are read as the reader of single files does: an apostrophe before what a spreadsheet would compute is taken
off, and 17.0 is 17, if all of the table allows it. What single rows allow are their traits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.columns.encodings import UNKNOWN_NUMBERS, numbers
from pulink.data.formats.spreadsheet_guard import BARE, GUARDED, restored
from pulink.data.parts.layout import Layout
from pulink.data.parts.parquet_blocks import parquet_rows
from pulink.data.parts.part_files import PARQUET
from pulink.data.parts.text_blocks import text_rows
from pulink.graph.tables.edge_list import positive_weights
from pulink.graph.tables.numbering import WHOLE
from pulink.graph.tables.table import WHOLE_OR_POINT_ZERO, Table
from pulink.text import listed, shown

# How names are to be read, once all traits are known.
AS_WRITTEN, RESTORED, WITHOUT_ZERO_FRACTIONS = "as written", "restored", "without zero fractions"
# Where a name such as 17.0 has to stand to be taken for a whole number.
_TRIED = 1_000

F64 = npt.NDArray[np.float64]


def rows_of_part(path: Path, where: str, layout: Layout, first: int, end: int) -> Table:
    """What is used of consecutive rows of a part: of Parquet counted in rows, of text in bytes."""
    if layout.format == PARQUET:
        return Table(parquet_rows(path, layout.used, first, end), where, n_before=first)
    return text_rows(path, where, layout.columns, layout.separator, first, end)


@dataclass(frozen=True)
class Traits:
    """What is true of all names of some rows, or of any.

    whole           all are whole numbers from 0, written plainly
    zero_fractions  all are, or have .0 behind them
    pointed         one of the first has .0 behind it
    guarded, bare   any has an apostrophe before what would be computed; any is computed
    """

    whole: bool
    zero_fractions: bool = False
    pointed: bool = False
    guarded: bool = False
    bare: bool = False

    @classmethod
    def of(cls, columns: list[pl.Series], *, is_text: bool, is_first: bool) -> Traits:
        """Of rows that are text, or of typed columns, which mean what they hold."""
        texts = [column for column in columns if column.dtype == pl.String]
        whole = all(bool(column.str.contains(WHOLE).all()) for column in texts)
        if not is_text:
            return cls(whole)
        marked = [column for column in texts if column.str.contains("'", literal=True).any()]
        return cls(
            whole,
            zero_fractions=all(bool(column.str.contains(WHOLE_OR_POINT_ZERO).all()) for column in texts),
            pointed=is_first and any(bool(column.head(_TRIED).str.ends_with(".0").any()) for column in texts),
            guarded=any(bool(column.str.contains(GUARDED).any()) for column in marked),
            bare=not whole and any(bool(column.str.contains(BARE).any()) for column in texts),
        )

    @classmethod
    def all_of(cls, traits: Iterable[Traits]) -> Traits:
        """Of several rows together."""
        every = [asdict(one) for one in traits]
        return cls(
            **{name: all(one[name] for one in every) for name in ("whole", "zero_fractions")},
            **{name: any(one[name] for one in every) for name in ("pointed", "guarded", "bare")},
        )

    @property
    def reading(self) -> str:
        """How such names are to be read."""
        if self.guarded and not self.bare:
            return RESTORED
        return WITHOUT_ZERO_FRACTIONS if self.zero_fractions and self.pointed else AS_WRITTEN

    @property
    def are_numbers(self) -> bool:
        """Whether names are whole numbers once they are read so."""
        return self.whole or self.reading == WITHOUT_ZERO_FRACTIONS


def read_names(names: pl.Series, reading: str) -> pl.Series:
    """Names, each as it is meant."""
    if names.dtype != pl.String or reading == AS_WRITTEN:
        return names
    return restored(names) if reading == RESTORED else names.str.strip_suffix(".0")


@dataclass(frozen=True, eq=False)
class Cells:
    """Columns of names, as text or whole numbers, and weights of the rows."""

    names: list[pl.Series]
    weights: npt.NDArray[np.float32] | None


def edge_cells(table: Table, layout: Layout) -> Cells:
    """Rows of edges; InputError names the first that is none."""
    names = [table.ids(name) for name in layout.names]
    if layout.weight is None:
        return Cells(names, None)
    cells = table.column(layout.weight)
    return Cells(names, positive_weights(table, layout.weight, cells).astype(np.float32))


@dataclass(frozen=True)
class ValueTraits:
    """What the cells of a column of attributes are.

    n_present, n_numbers, n_strange  cells that hold something, a number, and neither one nor a word for none
    unit                             of dates and times
    largest                          number without its sign
    """

    n_present: int
    n_numbers: int
    n_strange: int
    unit: str | None
    largest: float


@dataclass(frozen=True, eq=False)
class NodeCells:
    """Ids, and numbers (rows x columns; NaN where unknown) with what their columns are."""

    ids: pl.Series
    values: F64
    traits: list[ValueTraits]


def node_cells(table: Table, layout: Layout) -> NodeCells:
    """Rows of nodes; InputError names the first that cannot be read."""
    ids = table.ids(layout.names[0])
    values = np.full((ids.len(), len(layout.values)), np.nan)
    traits = []
    for k, name in enumerate(layout.values):
        column = table.column(name)
        values[:, k] = _numbers(column)
        _refuse_infinite(table, name, values[:, k])
        traits.append(_traits(column, values[:, k]))
    return NodeCells(ids, values, traits)


def _numbers(column: pl.Series) -> F64:
    if column.dtype == pl.Boolean:
        return np.full(column.len(), np.nan)
    found: F64 = numbers(column).cast(pl.Float64).fill_null(np.nan).to_numpy()
    return found


def _traits(column: pl.Series, values: F64) -> ValueTraits:
    known = ~np.isnan(values)
    present = column.is_not_null()
    unit = str(column.dtype) if column.dtype.is_temporal() else None
    n_strange = 0
    if column.dtype == pl.String:
        present = present & (column != "")
        words = present & ~pl.Series(known) & ~column.str.to_lowercase().is_in(list(UNKNOWN_NUMBERS))
        n_strange = int(words.fill_null(value=False).sum())
    elif not (column.dtype.is_numeric() or unit is not None or column.dtype == pl.Null):
        n_strange = int(present.sum())
    largest = float(np.abs(values[known]).max()) if known.any() else 0.0
    return ValueTraits(int(present.fill_null(value=False).sum()), int(known.sum()), n_strange, unit, largest)


def _refuse_infinite(table: Table, name: str, values: F64) -> None:
    bad = np.isinf(values)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise table.fail(
            row,
            f"{listed([name])} is {shown(table.column(name)[row])}; numbers must be finite, or empty if unknown",
        )
