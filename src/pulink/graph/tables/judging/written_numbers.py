"""Numbers as people and spreadsheets write them: 1,5 and 1.234,56 and 1,234.56 and 1 234,5 and 1'234 and 85%.

A column is read so only if one way of writing fits all of its cells. A comma before exactly three figures may be
either; where nothing else in the column tells, it is a decimal comma in files separated by semicolons, and
separates thousands in others. A point alone is a decimal point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from pulink.text import listed, shown

# What stands before the fraction, and between thousands.
_STYLES = ((".", ","), (".", " "), (".", "'"), (",", "."), (",", " "), (",", "'"))
_BLANKS = "[\u00a0\u2007\u2009\u202f]"
_ONE_THOUSAND = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"
_NUMBER_LIKE = r"^[+\-\u2212<>~=$\u20ac\u00a3\s]*[0-9][0-9.,'\u2019\s]*([eE][+-]?[0-9]+)?\s*[%\u20ac$\u00a3]?$"


class Reading(NamedTuple):
    """Cells as numbers, or as they were; and what to tell of it: nothing, or a clause."""

    cells: pl.Series
    note: str | None = None


def read_numbers(cells: pl.Series, *, semicolons: bool = False, unknown: Sequence[str] = ()) -> Reading:
    """A column of text as numbers, where all of its cells are written in one way.

    semicolons  whether the file's columns are separated by semicolons
    unknown     words, in small letters, that stand for a number that is not known

    >>> import polars as pl
    >>> from pulink.graph.tables.judging.written_numbers import read_numbers
    >>> read_numbers(pl.Series("w", ["1.234,5", "7"])).cells.to_list()
    [1234.5, 7.0]
    """
    if cells.dtype != pl.String:
        return Reading(cells)
    known = cells.filter(cells.is_not_null() & ~cells.str.to_lowercase().is_in(["", *unknown]))
    if not known.len():
        return Reading(cells)
    if known.cast(pl.Float64, strict=False).null_count() == 0:
        return Reading(cells, _doubtful_points(known) if semicolons else None)
    percent = known.str.ends_with("%")
    if percent.any() and not percent.all():
        return Reading(cells)
    styles = [style for style in _STYLES if known.str.contains(r"[0-9]").all() and _fits(_bare(known), style)]
    readings = [(style, _numbers(_bare(known), style)) for style in styles]
    different = [r for place, r in enumerate(readings) if not any(r[1].equals(o[1]) for o in readings[:place])]
    if len(different) > 1:
        if known.str.contains(".", literal=True).any():
            return Reading(cells)
        different = [r for r in different if (r[0][0] == ",") == semicolons]
    if not different:
        return Reading(cells)
    scale = 0.01 if percent.all() else 1.0
    numbers = _numbers(_bare(cells), different[0][0]) * scale
    example = known.filter(known.str.contains(r"[^0-9+-]")).head(1)
    value = float((_numbers(_bare(example), different[0][0]) * scale)[0])
    return Reading(numbers.alias(cells.name), _note(cells.name, example[0], value))


def numberlike(cells: pl.Series) -> pl.Series:
    """Which cells look like a number, in whatever way it is written."""
    return cells.str.strip_chars().str.contains(_NUMBER_LIKE).fill_null(False)


def _note(name: str, written: str, value: float) -> str:
    return f"numbers of {listed([name])} are read as {shown(written)} = {value:.10g}"


def _doubtful_points(known: pl.Series) -> str | None:
    """Thousands may be meant where a comma would be the decimal sign, unless a cell has a point elsewhere."""
    pointed = known.filter(known.str.contains(".", literal=True))
    if not pointed.len() or not pointed.str.contains(_ONE_THOUSAND).all():
        return None
    return _note(known.name, pointed[0], float(pointed[0]))


def _bare(cells: pl.Series) -> pl.Series:
    """Without a percent sign, and with the plain forms of blanks, minus signs and apostrophes."""
    blanks = cells.str.replace_all(_BLANKS, " ").str.replace_all("\u2019", "'", literal=True)
    return blanks.str.replace("\u2212", "-", literal=True).str.replace(r"\s*%$", "").str.strip_chars()


def _fits(cells: pl.Series, style: tuple[str, str]) -> bool:
    point, group = (f"[{sign}]" for sign in style)
    whole = f"([1-9][0-9]{{0,2}}({group}[0-9]{{3}})+|[0-9]*)"
    return bool(cells.str.contains(f"^[+-]?{whole}({point}[0-9]*)?([eE][+-]?[0-9]+)?$").all())


def _numbers(cells: pl.Series, style: tuple[str, str]) -> pl.Series:
    point, group = style
    plain = cells.str.replace_all(group, "", literal=True).str.replace(point, ".", literal=True)
    return plain.cast(pl.Float64, strict=False)
