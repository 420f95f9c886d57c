"""Node columns become a sparse matrix, by a recipe that serves rows that come later, too.

number    standardised to mean 0 and variance 1
category  one column per value
text      TF-IDF of its words, rows of length 1
Missing values are zeros plus one indicator column; infinite numbers are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from pulink.data.columns.encodings import Column
from pulink.data.columns.kinds import chosen_kinds, refuse_bad_numbers
from pulink.errors import InputError
from pulink.graph.tables.table import Table
from pulink.text import counted, listed, reason


@dataclass(frozen=True)
class NodeFeatures:
    """An n x d matrix, what its columns are called, what a reader should be told, and how it was made (JSON)."""

    matrix: sp.csr_array
    names: tuple[str, ...]
    notes: tuple[str, ...]
    recipe: dict[str, Any]


def node_features(
    table: pl.DataFrame, kinds: dict[str, str] | None = None, where: str = "the node table"
) -> NodeFeatures:
    """Encode every column of `table` (a row per node, null where missing)."""
    chosen = chosen_kinds(table, kinds)
    refuse_bad_numbers(table, chosen, Table(table, where))
    columns = [Column.learned(column, chosen[column.name]) for column in table.iter_columns()]
    names = tuple(label for column in columns for label in column.labels)
    said = listed(f"{name} ({kind})" for name, kind in chosen.items())
    if not names:
        raise InputError(f"{where}: has no usable attributes: {said or 'only ids'}")
    notes = (f"attributes {said}: {counted(len(names), 'feature')}",)
    return NodeFeatures(
        _matrix(table, columns), names, notes, {"columns": [column.to_json() for column in columns]}
    )


def features_by_recipe(
    table: pl.DataFrame, recipe: dict[str, Any], where: str = "the node table"
) -> tuple[sp.csr_array, tuple[str, ...]]:
    """Rows of `table` (k x d) as the recipe of `node_features` encodes them, and what a reader should be told."""
    columns, needed = _columns(recipe), recipe_kinds(recipe)
    absent = [name for name in needed if name not in table.columns]
    if absent:
        raise InputError(
            f"{where}: has no column {absent[0]!r}, which features were made of; its columns are "
            f"{listed(table.columns)}"
        )
    kept = pl.DataFrame([table[name] for name in needed])
    refuse_bad_numbers(kept, needed, Table(kept, where))
    strange = [words for column in columns if (words := column.strange(kept[column.encoding.name]))]
    return _matrix(kept, columns), (f"counted as none: {', '.join(strange)}",) if strange else ()


def recipe_kinds(recipe: dict[str, Any]) -> dict[str, str]:
    """The columns that a recipe reads, and what they are taken for."""
    return {column.encoding.name: column.encoding.kind for column in _columns(recipe)}


def _columns(recipe: dict[str, Any]) -> list[Column]:
    """Those that features come from."""
    try:
        columns = [column for column in map(Column.from_json, recipe["columns"]) if column.labels]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"the recipe of the features cannot be read ({reason(error)})") from error
    if not columns:
        raise InputError("the recipe of the features cannot be read (it makes none)")
    return columns


def _matrix(table: pl.DataFrame, columns: list[Column]) -> sp.csr_array:
    blocks = [column.block(table[column.encoding.name]) for column in columns]
    return sp.csr_array(sp.hstack(blocks, format="csr", dtype=np.float32))
