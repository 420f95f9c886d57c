"""What each node column is taken for, and the cells that do not fit.

All columns are judged in a few passes over the table: a pass for each takes seconds where there are thousands.
Columns are numbered meanwhile, because polars takes a name such as "*" or "^.*$" for a pattern.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

import polars as pl

from pulink.data.columns.encodings import MAX_CATEGORIES, UNKNOWN_NUMBERS
from pulink.data.columns.words import WORD
from pulink.data.formats.limits import MAX_TEXTS
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.graph.tables.judging.written_numbers import numberlike
from pulink.graph.tables.table import Table
from pulink.text import counted, listed, shown

KINDS = ("number", "category", "text", "ignore")
_AT_ONCE = 1_000
_SHOWN = 3
_NEARLY_ALL = 0.8

# A column's name and the numbers of its rows.
Cells = dict[str, list[int]]


def chosen_kinds(table: pl.DataFrame, kinds: dict[str, str] | None) -> dict[str, str]:
    """The kind of every column: as asked for, else as it looks."""
    wanted, schema = kinds or {}, table.schema
    for name, kind in wanted.items():
        if name not in schema:
            close = difflib.get_close_matches(name, table.columns, n=1)
            hint = f"; did you mean {shown(close[0])}?" if close else ""
            raise ParameterError(
                f"no node column is called {shown(name)}{hint} (there are {listed(table.columns)})"
            )
        if kind not in KINDS:
            raise UnknownNameError("kind of column", kind, KINDS)
        if kind != "ignore" and _is_nested(schema[name]):
            raise ParameterError(f"node column {shown(name)} holds {schema[name]}; it can only be ignored")
    guessed = _guesses([column for column in table.iter_columns() if column.name not in wanted])
    return {name: wanted.get(name) or guessed[name] for name in schema}


def refuse_bad_numbers(frame: pl.DataFrame, kinds: dict[str, str], table: Table) -> None:
    """InputError if columns of numbers hold words or infinite numbers: how many there are, and where.

    frame  columns whose rows are those of `table`, which knows their lines
    """
    bad = _cells_where(frame, kinds, _is_bad)
    if not bad:
        return
    name, rows = next(iter(bad.items()))
    problem = f"{listed([name])} is {shown(frame[name][rows[0]])}; numbers must be finite, or empty where unknown"
    if sum(map(len, bad.values())) > 1:
        problem += f"; such cells are {_places(bad, table)}"
    raise table.fail(rows[0], problem)


def nan_notes(frame: pl.DataFrame, kinds: dict[str, str], table: Table) -> tuple[str, ...]:
    """What a reader should be told about numbers that are NaN."""
    found = _cells_where(frame, kinds, lambda cell, kind: _number(cell, kind).is_nan().fill_null(False))
    return (f"NaN counts as missing: {_places(found, table)}",) if found else ()


def near_number_notes(
    frame: pl.DataFrame, kinds: dict[str, str], asked: dict[str, str], table: Table
) -> tuple[str, ...]:
    """What a reader should be told about columns that nobody gave a kind, and that are nearly all numbers."""
    notes: list[str] = []
    for column in frame.iter_columns():
        if column.name in asked or kinds[column.name] == "number" or column.dtype != pl.String:
            continue
        known = column.is_not_null() & ~column.str.to_lowercase().is_in(["", *UNKNOWN_NUMBERS])
        alike = numberlike(column) & known
        if alike.arg_true().len() < max(2, _NEARLY_ALL * known.arg_true().len()):
            continue
        odd = known & ~alike
        if not odd.any():
            plain = column.cast(pl.Float64, strict=False).is_not_null()
            odd = known & ~plain
        row = int(odd.arg_true()[0])
        notes.append(
            f"{listed([column.name])} is nearly all numbers, and {table.places([row])} has {shown(column[row])}: "
            f"read as {kinds[column.name]}; --column NAME=number (kinds) names every such cell"
        )
    return tuple(notes[:_SHOWN])


def check_texts(kinds: dict[str, str], where: str) -> None:
    """Each column of text learns a vocabulary of its own."""
    n_texts = sum(kind == "text" for kind in kinds.values())
    if n_texts > MAX_TEXTS:
        raise InputError(
            f"{where}: {n_texts:,} columns of text; at most {MAX_TEXTS:,} are allowed, the others can be ignored "
            "(kinds, or --column NAME=ignore)"
        )


def _guesses(columns: list[pl.Series]) -> dict[str, str]:
    kinds = {column.name: _guess_by_type(column) for column in columns}
    words = [column for column in columns if kinds[column.name] is None]
    for column, (n_present, n_numbers, n_strange) in _aggregated(words, _number_counts):
        if not n_present:
            kinds[column.name] = "ignore"
        elif n_numbers and not n_strange:
            kinds[column.name] = "number"
    others = [column for column in words if kinds[column.name] is None]
    for column, (n_present, n_values, n_words) in _aggregated(others, _word_counts):
        few = max(20, min(MAX_CATEGORIES, n_present // 2))
        # One word per cell and nearly every cell different: an identifier says nothing about links.
        kinds[column.name] = "text" if n_words >= 2 else "category" if n_values <= few else "ignore"
    return {name: kind or "ignore" for name, kind in kinds.items()}


def _guess_by_type(column: pl.Series) -> str | None:
    """None where the cells have to be looked at."""
    kind = column.dtype
    if column.null_count() == column.len() or _is_nested(kind):
        return "ignore"
    if kind.is_numeric() or kind.is_temporal():
        return "number"
    return None if kind == pl.String else "category"


def _number_counts(cell: pl.Expr) -> list[pl.Expr]:
    number, present = cell.cast(pl.Float64, strict=False), _is_present(cell)
    return [
        present.sum(),
        (number.is_not_null() & number.is_not_nan()).sum(),
        _is_strange(cell, pl.String()).sum(),
    ]


def _word_counts(cell: pl.Expr) -> list[pl.Expr]:
    cells = cell.filter(_is_present(cell))
    return [cells.len(), cells.n_unique(), cells.str.count_matches(WORD.removeprefix("(?u)")).mean()]


def _is_present(cell: pl.Expr) -> pl.Expr:
    return (cell != "").fill_null(False)


def _number(cell: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """As a number, null where there is none; dates count days or fractions of seconds."""
    if kind == pl.Categorical or isinstance(kind, pl.Enum):
        cell = cell.cast(pl.String)
    return (cell.to_physical() if kind.is_temporal() else cell).cast(pl.Float64, strict=False)


def _is_strange(cell: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Neither a number nor a word that says of itself that the number is not known."""
    number = _number(cell, kind)
    unknown = cell.is_null()
    if kind == pl.String:
        unknown = unknown | cell.str.to_lowercase().is_in(["", *UNKNOWN_NUMBERS])
    return (number.is_null() | (number.is_nan() & (kind == pl.String))) & ~unknown


def _is_bad(cell: pl.Expr, kind: pl.DataType) -> pl.Expr:
    return _is_strange(cell, kind) | _number(cell, kind).is_infinite().fill_null(False)


def _is_nested(kind: pl.DataType) -> bool:
    return kind.is_nested() or kind in (pl.Object, pl.Binary)


def _aggregated(
    columns: list[pl.Series], counts: Callable[[pl.Expr], list[pl.Expr]]
) -> Iterator[tuple[pl.Series, tuple[float, ...]]]:
    """Each column with what `counts` makes of its cells."""
    for some in _batches(columns):
        parts = [count.name.suffix(f"/{part}") for part, count in enumerate(counts(pl.all()))]
        values = some.select(parts).row(0)
        for k, number in enumerate(some.columns):
            yield columns[int(number)], tuple(0 if value is None else value for value in values[k :: some.width])


def _cells_where(
    frame: pl.DataFrame, kinds: dict[str, str], test: Callable[[pl.Expr, pl.DataType], pl.Expr]
) -> Cells:
    """The cells of number columns that pass a test, by column."""
    columns = [column for column in frame.iter_columns() if kinds[column.name] == "number"]
    rows: dict[int, list[int]] = {}
    for some in _batches(columns):
        marks = some.select(test(pl.all(), some.dtypes[0]))
        for number, marked in zip(some.columns, marks.select(pl.all().any()).row(0), strict=True):
            if marked:
                rows[int(number)] = marks[number].arg_true().to_list()
    return {columns[number].name: rows[number] for number in sorted(rows)}


def _batches(columns: list[pl.Series]) -> Iterator[pl.DataFrame]:
    """Columns of one type each, under their numbers."""
    of_type: dict[pl.DataType, list[pl.Series]] = {}
    for number, column in enumerate(columns):
        of_type.setdefault(column.dtype, []).append(column.alias(str(number)))
    for same_type in of_type.values():
        for start in range(0, len(same_type), _AT_ONCE):
            yield pl.DataFrame(same_type[start : start + _AT_ONCE])


def _places(cells: Cells, table: Table) -> str:
    """How many in which column, and where the first are."""
    first = [
        f"{len(rows):,} of {listed([name])} ({table.places(rows)})" for name, rows in list(cells.items())[:_SHOWN]
    ]
    more = len(cells) - _SHOWN
    return ", ".join(first) + (f" and others in {counted(more, 'more column')}" if more > 0 else "")
