"""Names become node numbers: in the order of the numbers that they are, or else of their letters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError
from pulink.graph.tables.look_alikes import look_alikes
from pulink.text import shown

WHOLE = r"^(0|[1-9][0-9]{0,17})$"


class Numbered(NamedTuple):
    """n names in order (None: 0 .. n - 1), each column as places among them, and what to tell a reader."""

    names: pl.Series | None
    n_names: int
    places: list[npt.NDArray[np.integer]]
    notes: tuple[str, ...]

    def all_names(self) -> pl.Series:
        """The names also where they are plain numbers."""
        return pl.Series("name", np.arange(self.n_names)).cast(pl.String) if self.names is None else self.names


def numbered(columns: list[pl.Series]) -> Numbered:
    """The different names of some columns, and where each cell stands among them."""
    if whole := _whole_numbers(columns):
        numbers, places = number_nodes(whole)
        # Nodes called 0, 1, 2, ... need no names: a node without one is called by its number.
        is_counted = len(numbers) == 0 or int(numbers[-1]) == len(numbers) - 1
        names = None if is_counted else pl.Series("name", numbers).cast(pl.String)
        return Numbered(names, len(numbers), list(places), ())
    columns = [column.cast(pl.String).alias("name") for column in columns]
    names = pl.concat(columns).unique().sort()
    return Numbered(names, len(names), [places_of(column, names) for column in columns], look_alikes(names))


def _whole_numbers(columns: list[pl.Series]) -> list[npt.NDArray[np.int64]] | None:
    """The columns as numbers, if every cell is a whole number written plainly."""
    text = [column for column in columns if not column.dtype.is_integer()]
    if not all(column.dtype == pl.String and column.str.contains(WHOLE).all() for column in text):
        return None
    return [column.cast(pl.Int64).to_numpy() for column in columns]


def number_nodes(
    columns: list[npt.NDArray[np.int64]],
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int32]]]:
    """The different numbers in ascending order, and each column as positions among them."""
    largest = max((int(column.max()) for column in columns if len(column)), default=-1)
    if largest > 4 * sum(len(column) for column in columns) + 1_000:
        names, places = np.unique(np.concatenate(columns), return_inverse=True)
        return names, np.split(places.astype(np.int32), np.cumsum([len(column) for column in columns])[:-1])
    # Numbers without large gaps: a table of all of them is smaller than a sort.
    seen = np.zeros(largest + 1, dtype=np.bool_)
    for column in columns:
        seen[column] = True
    place_of = np.cumsum(seen, dtype=np.int32)
    place_of -= 1
    return np.flatnonzero(seen), [place_of[column] for column in columns]


def places_of(column: pl.Series, names: pl.Series) -> npt.NDArray[np.int64]:
    """The position of each cell in `names`."""
    index = names.to_frame("name").with_row_index("place").lazy()
    cells = column.to_frame("name").lazy().join(index, on="name", how="left", maintain_order="left")
    return cells.select("place").collect().to_series().to_numpy().astype(np.int64)


def text_columns(pairs: Sequence[Any]) -> list[pl.Series] | None:
    """The two columns of pairs of names; None where they hold no text.

    A number among names is refused: it might be meant either way.

    >>> from pulink.graph.tables.numbering import text_columns
    >>> [column.to_list() for column in text_columns([("Ada", "Bob"), ("Bob", "Cleo")])]
    [['Ada', 'Bob'], ['Bob', 'Cleo']]
    """
    cells = list(chain.from_iterable(pair if isinstance(pair, list | tuple) else [pair] for pair in pairs))
    if not any(isinstance(cell, str) for cell in cells):
        return None
    wrong = next((pair for pair in pairs if not isinstance(pair, list | tuple) or len(pair) != 2), None)
    if wrong is not None:
        raise InputError(f"edges must be pairs of two nodes each, got {shown(wrong)}")
    other = next((cell for cell in cells if not isinstance(cell, str)), None)
    if other is not None:
        raise InputError(f"edges must be pairs of names or pairs of whole numbers, got names and {shown(other)}")
    return [pl.Series("name", column, dtype=pl.String) for column in (cells[::2], cells[1::2])]
