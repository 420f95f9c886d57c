"""A table with two columns of names becomes numbered edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.data.delimited import SOURCE_NAMES, TARGET_NAMES
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph

_WHOLE = r"^(0|[1-9][0-9]{0,17})$"


def edge_columns(columns: list[str], source: str | None, target: str | None, where: str) -> tuple[str, str]:
    """Which two columns hold the ends: those asked for, those with well-known names, else the first two."""
    for name in (source, target):
        if name is not None and name not in columns:
            raise ParameterError(f"{where}: has no column {name!r}; its columns are {', '.join(columns)}")
    if len(columns) < 2:
        raise InputError(f"{where}: has {len(columns)} column; an edge list needs two, source and target")
    lowered = {column.lower(): column for column in reversed(columns)}
    known = next(
        (
            (lowered[s], lowered[t])
            for s, t in zip(SOURCE_NAMES, TARGET_NAMES, strict=True)
            if {s, t} <= set(lowered)
        ),
        (columns[0], columns[1]),
    )
    first = source or (known[0] if known[0] != target else next(c for c in columns if c != target))
    second = target or (known[1] if known[1] != first else next(c for c in columns if c != first))
    if first == second:
        raise ParameterError(f"{where}: source and target are both column {first!r}; they must differ")
    return first, second


def id_text(column: pl.Series, where: str) -> pl.Series:
    """Ids as text, each keeping its identity: "001" is not 1."""
    kind = column.dtype
    if kind == pl.String or kind == pl.Categorical or isinstance(kind, pl.Enum):
        return column.cast(pl.String)
    if kind.is_integer():
        return column.cast(pl.String)
    raise InputError(f"{where}: column {column.name!r} holds {kind}; ids must be text or whole numbers")


def sorted_names(parts: list[pl.Series]) -> pl.Series:
    """Every different name once, in an order that does not depend on the order of rows.

    By value if all are whole numbers written plainly, else by text.
    """
    names = pl.concat(parts).unique()
    if names.str.contains(_WHOLE).all():
        return names.to_frame("name").sort(pl.col("name").cast(pl.Int64)).to_series()
    return names.sort()


def numbered(column: pl.Series, names: pl.Series) -> npt.NDArray[np.int64]:
    """The position of each cell in `names`."""
    return column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)


def graph_from_columns(
    source: pl.Series,
    target: pl.Series,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    more_names: pl.Series | None = None,
    notes: tuple[str, ...] = (),
) -> Graph:
    """Edges between named nodes; `more_names` adds nodes that may have no edge."""
    names = sorted_names([source, target] + ([] if more_names is None else [more_names]))
    edges = np.stack([numbered(source, names), numbered(target, names)], axis=1)
    return Graph.from_edges(edges, len(names), weights=weights, names=names, notes=notes)
