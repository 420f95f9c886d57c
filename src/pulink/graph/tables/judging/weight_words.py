"""A column that looks like weights, although nobody asked for it."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from pulink.graph.tables.table import Table
from pulink.text import listed, shown

# The likeliest first.
_MEASURES = """
weight weights wt score scores confidence conf strength similarity sim rating ratings correlation corr intensity
frequency freq count counts occurrences interactions amount volume value values n
"""
_WORDS = _MEASURES.split()
_READ = 100


def ignored_note(table: Table, ignored: Sequence[str], weighted: bool) -> str:
    """The columns that nothing was made of; with what to type for one that looks like weights."""
    said = f"columns ignored: {listed(ignored)}"
    name = None if weighted or not table.has_header else _weight_like(table, ignored)
    if name is None:
        return said
    typed = f"--weight {shlex.quote(name)}" if name.isprintable() and len(name) <= _READ else "--weight"
    return f"{said} ({listed([name])} looks like weights: {typed}, in Python weight={shown(name)})"


def numeric_attributes(edges: Iterable[Mapping[Any, Any]], used: Sequence[str | None]) -> dict[str, bool]:
    """Attributes of edges that are finite numbers wherever they stand; whether all of each are positive.

    used  attributes that something was made of
    """
    found: dict[str, bool] = {}
    others = {name for name in used if name is not None}
    for values in edges:
        for key, value in values.items():
            if (name := str(key)) not in others:
                number = _number(value)
                if number is None:
                    others.add(name)
                else:
                    found[name] = found.get(name, True) and number > 0
    return {name: is_positive for name, is_positive in found.items() if name not in others}


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def unused_note(
    numeric: Mapping[str, bool], option: str = "--weight {0}, in Python weight={1}"
) -> tuple[str, ...]:
    """What to tell of attributes of edges that are numbers and that nothing was made of: nothing, or a line.

    numeric  by name, whether all of its numbers are positive, as those of weights are
    option   what to type for weights, with {0} for a name in a shell and {1} in Python
    """
    if not numeric:
        return ()
    said = f"numbers of edges ignored: {listed(numeric)}"
    positive = [name for name, is_positive in numeric.items() if is_positive]
    if not positive:
        return (said,)
    ranks = {name: rank for name in positive if (rank := _rank(name)) is not None}
    name = min(ranks, key=lambda one: ranks[one]) if ranks else positive[0]
    typed = shlex.quote(name) if name.isprintable() and len(name) <= _READ else "NAME"
    return (f"{said} (as weights: {option.format(typed, shown(name))})",)


def _weight_like(table: Table, names: Sequence[str]) -> str | None:
    """The column whose name says it most clearly, if all of its cells are positive numbers."""
    ranked = sorted((rank, place) for place, name in enumerate(names) if (rank := _rank(name)) is not None)
    return next((names[place] for _, place in ranked if _all_positive(table, names[place])), None)


def _rank(name: str) -> int | None:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name[:_READ])
    words = re.split(r"[^a-z]+", spaced.lower())
    return min((_WORDS.index(word) for word in words if word in _WORDS), default=None)


def _all_positive(table: Table, name: str) -> bool:
    cells, _ = table.numbers(table.frame[name])
    if cells.dtype.is_nested() or not (cells.dtype.is_numeric() or cells.dtype == pl.String):
        return False
    return bool((cells.cast(pl.Float64, strict=False) > 0).fill_null(False).all())
