"""Which table of a database is meant: the one asked for, the only one, or the one whose columns tell."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pulink.errors import InputError, ParameterError
from pulink.graph.tables.headers import known_ends
from pulink.text import counted, listed, shown

# DuckDB lets a query begin with from.
_QUERIES = ("select", "with", "from", "values")
_ID_NAMES = ("id", "node_id", "node", "key", "name")


@dataclass(frozen=True)
class Purpose:
    """What a table is wanted for.

    what       it lists, in words
    option     that names the table
    n_columns  it has at least
    tells      whether its columns say that it is such a table
    names      of tables that say so too
    """

    what: str
    option: str
    n_columns: int
    tells: Callable[[Sequence[str]], bool]
    names: tuple[str, ...]


def _tells_edges(columns: Sequence[str]) -> bool:
    return known_ends(columns) is not None


def _tells_nodes(columns: Sequence[str]) -> bool:
    return not _tells_edges(columns) and any(name.lower().replace(" ", "_") in _ID_NAMES for name in columns)


EDGES = Purpose(
    "edges", "table", 2, _tells_edges, ("edges", "links", "edge", "link", "relationships", "relations")
)
NODES = Purpose("nodes", "node_table", 1, _tells_nodes, ("nodes", "vertices", "node", "vertex", "entities"))


def chosen_table(
    tables: Mapping[str, Sequence[str]], asked: str | None, purpose: Purpose, where: str
) -> tuple[str, tuple[str, ...]]:
    """The table to read, and what a reader should be told.

    tables  columns by the table's name
    """
    if not tables:
        raise InputError(f"{where}: holds no table")
    if asked is not None:
        return _table_called(tables, asked, where), ()
    fitting = [name for name, columns in tables.items() if len(columns) >= purpose.n_columns]
    if len(fitting) == 1:
        return fitting[0], ()
    telling = [name for name in fitting if purpose.tells(tables[name])]
    if len(telling) > 1:
        telling = [name for name in telling if name.lower() in purpose.names]
    if len(telling) != 1:
        raise ParameterError(
            f"{where}: holds {counted(len(tables), 'table')} ({listed(tables)}); say which one lists the "
            f'{purpose.what}: {purpose.option}="NAME" (--{purpose.option.replace("_", "-")} NAME)'
        )
    note = f"of {counted(len(tables), 'table')}, {listed([telling[0]])} was read for its {purpose.what}"
    return telling[0], (note,)


def _table_called(tables: Mapping[str, Sequence[str]], asked: str, where: str) -> str:
    if asked in tables:
        return asked
    alike = [name for name in tables if name.lower() == asked.lower()]
    if len(alike) == 1:
        return alike[0]
    close = difflib.get_close_matches(asked, tables, n=1)
    hint = f"; did you mean {shown(close[0])}?" if close else ""
    raise ParameterError(f"{where}: has no table {shown(asked)}{hint} (its tables are {listed(tables)})")


def check_query(sql: str, where: str) -> None:
    """Refuse what is no query for rows, such as explain; comments may stand before it."""
    begun = re.match(r"(?is)(?:\s|\(|--[^\n]*(?:\n|$)|/\*.*?\*/)*([a-z]*)", sql)
    if begun is None or begun[1].lower() not in _QUERIES:
        raise ParameterError(f"{where}, the query: only reads are allowed, one select")


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever it holds."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
