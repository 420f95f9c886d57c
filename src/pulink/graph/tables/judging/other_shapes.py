"""Tables that are no lists of edges, although their first two columns could be read as one.

adjacency matrix     as many rows as columns of numbers, under names of the nodes or without
two-sided matrix     a column of names, each once, beside columns of numbers: 0 and 1, fractions, or three and more
adjacency list       rows of different lengths, of names that stand in other rows too
relations            node, relation, node: the second column holds other names than the first and the third, which
                     have nodes in common; or few verbs, such as treats
"""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from pulink.errors import InputError
from pulink.graph.tables.headers import holds_fractions, known_ends
from pulink.graph.tables.judging.twin_names import twin_columns
from pulink.graph.tables.table import NUMBER, Table
from pulink.text import counted, listed, shown

_SMALL, _CLEAR = 3, 5
_TOP_RATING = 10
# Seconds since 1970, from 1990 to 2050.
_CLOCK = (6.3e8, 2.5e9)
# So many more names than relations.
_FEW = 5
_VERB = r"(^|[_ -])(is|are|was|has|have|in|of|to|by|with|on|for|as|at|from)([_ -]|$)|[a-z]{2}(s|ed|ing)$"


def refuse_other_shapes(table: Table) -> None:
    """InputError for a table of another shape, with what to type instead."""
    frame = table.frame
    if frame.width < _SMALL:
        return
    is_named_list = table.has_header and (known_ends(frame.columns) or twin_columns(frame.columns)) is not None
    if _is_named_matrix(table) or (not is_named_list and _is_bare_matrix(frame)):
        raise InputError(
            f"{table.where}: looks like an adjacency matrix, and a list of edges is needed, one row for each link"
            "; in Python, pulink.from_scipy(scipy.sparse.csr_array(matrix)) takes a matrix"
        )
    if known_ends(frame.columns) is None and _is_two_sided_matrix(table):
        raise InputError(
            f"{table.where}: looks like a matrix, numbers below {listed(frame.columns[1:], 3)}, and a list of "
            "edges is needed, one row for each link; in Python, pandas.melt makes one of it"
        )
    if table.has_header or table.line_of is None:
        return
    first, second, third = (frame.to_series(place) for place in range(3))
    if not all(column.dtype == pl.String for column in (first, second, third)):
        return
    if _is_adjacency_list(frame):
        raise InputError(
            f"{table.where}: looks like an adjacency list, a node and all of its neighbours in each row; in "
            "Python, use networkx.read_adjlist and pulink.from_networkx, or type --source column_1 --target "
            "column_2 to read the first two columns"
        )
    if (seen := _relation(first, second, third)) is not None:
        raise InputError(
            f"{table.where}: is {listed([second.name])} a relation? {seen}: type --source {first.name} --target "
            f"{third.name}, or --source {first.name} --target {second.name} if the second column holds nodes"
        )


def _is_named_matrix(table: Table) -> bool:
    """Whether the columns after the first are called as the rows are."""
    frame = table.frame
    called = frame.to_series(0).cast(pl.String, strict=False).to_list()
    if table.has_header:
        return frame.height == frame.width - 1 and frame.columns[1:] == called
    return frame.height == frame.width and called[0] is None and list(frame.row(0)[1:]) == called[1:]


def _is_two_sided_matrix(table: Table) -> bool:
    """Whether a header stands above names, each once, and columns of numbers that are no ends and weights."""
    frame = table.frame
    called = frame.to_series(0)
    if not table.has_header or frame.height < 2 or called.dtype != pl.String or called.null_count():
        return False
    if called.str.contains(NUMBER).any() or called.n_unique() < called.len():
        return False
    numbers = [_as_numbers(frame.to_series(place)) for place in range(1, frame.width)]
    if any(column is None for column in numbers):
        return False
    seen = {cell for column in numbers if column is not None for cell in column.unique().head(_SMALL).to_list()}
    return seen == {0, 1} or len(numbers) >= _SMALL or holds_fractions(frame.to_series(1))


def _is_bare_matrix(frame: pl.DataFrame) -> bool:
    """Whether as many rows as columns hold numbers as a matrix does, and a list of edges hardly."""
    n = frame.width
    if frame.height != n or n < _SMALL:
        return False
    numbers = [_as_numbers(column) for column in frame.iter_columns()]
    if any(column is None for column in numbers):
        return False
    rows = [list(row) for row in zip(*(column.to_list() for column in numbers if column is not None), strict=True)]
    if n >= _CLEAR or (n > _SMALL and all(cell in (0, 1) for row in rows for cell in row)):
        return True
    is_symmetric = all(rows[i][j] == rows[j][i] for i in range(n) for j in range(i))
    return is_symmetric and all(rows[i][i] == rows[0][0] for i in range(n))


def _as_numbers(column: pl.Series) -> pl.Series | None:
    if column.dtype == pl.String and not column.str.contains(NUMBER).fill_null(False).all():
        return None
    if not (column.dtype == pl.String or column.dtype.is_numeric()) or column.null_count():
        return None
    return column.cast(pl.Float64, strict=False)


def _is_adjacency_list(frame: pl.DataFrame) -> bool:
    """Whether rows end early, and all that stands from the third column on are nodes of the first two."""
    rest = [frame.to_series(place) for place in range(2, frame.width)]
    if not rest[-1].null_count() or not all(column.dtype == pl.String for column in rest):
        return False
    # A cell behind an empty one: the row does not end there.
    for before, after in pairwise(rest):
        if (before.is_null() & after.is_not_null()).any():
            return False
    nodes = pl.concat([frame.to_series(place).alias("name") for place in range(2)]).unique()
    cells = pl.concat([column.alias("name") for column in rest]).drop_nulls()
    return cells.len() > 0 and bool(cells.is_in(nodes.implode()).mean() >= 0.5)  # type: ignore[operator]


def _relation(first: pl.Series, second: pl.Series, third: pl.Series) -> str | None:
    """By what a relation is seen in the second of three columns; None: there is none."""
    if second.null_count() or third.null_count() or second.str.contains(NUMBER).any():
        return None
    relations, starts, ends = (column.unique().sort() for column in (second, first, third))
    nodes = pl.concat([starts.alias("name"), ends.alias("name")]).unique()
    if not relations.len() < min(nodes.len(), second.len()) or relations.is_in(nodes.implode()).any():
        return None
    if starts.is_in(ends.implode()).any():
        return f"The nodes of {listed([first.name])} stand in {listed([third.name])}, too"
    few = 2 * relations.len() < min(starts.len(), ends.len()) and not ends.str.contains(NUMBER).any()
    is_verb = relations.str.to_lowercase().str.contains(_VERB)
    return f"It holds {listed(relations, 3)}" if few and is_verb.all() else None


def relation_note(table: Table, ends: tuple[str, str]) -> tuple[str, ...]:
    """What to tell of a second column of few names, where three have no names of their own."""
    names = table.frame.columns
    if table.has_header or table.line_of is None or len(names) < _SMALL or ends != (names[0], names[1]):
        return ()
    first, second, third = (table.frame.to_series(place) for place in range(_SMALL))
    if any(column.dtype != pl.String or column.null_count() for column in (first, second, third)):
        return ()
    n_few = second.n_unique()
    if _FEW * n_few >= min(first.n_unique(), third.n_unique()) or second.str.contains(NUMBER).any():
        return ()
    if third.str.contains(NUMBER).any():
        return ()
    held = f"{listed([second.name])} holds {counted(n_few, 'name')}"
    return (f"{held} only; --target {third.name} (target={shown(third.name)}) if it is a relation",)


def ratings_note(table: Table) -> tuple[str, ...]:
    """What to tell of four columns of numbers without names that look like user, item, rating and time."""
    if table.has_header or table.frame.width != 4:
        return ()
    numbers = [_as_numbers(column) for column in table.frame.iter_columns()]
    if any(column is None for column in numbers):
        return ()
    rating, time = (column for column in numbers[2:] if column is not None)
    if not (rating.is_between(0, _TOP_RATING).all() and rating.n_unique() > 1 and time.is_between(*_CLOCK).all()):
        return ()
    how = '--bipartite (kind="bipartite") if the first two hold different things, such as users and items'
    return (f"the last two columns look like ratings and times; {how}",)
