"""SQLite files, opened to be read and for nothing else: no file is made or changed beside them."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import polars as pl

from pulink.data.formats.databases.choice import Purpose, check_query, chosen_table, quoted
from pulink.data.formats.databases.rows import frame_of_rows
from pulink.data.formats.limits import MAX_QUERY_STEPS
from pulink.data.formats.sources import existing_file, label
from pulink.errors import InputError, ParameterError
from pulink.graph.tables.table import Table
from pulink.text import listed, reason

SQLITE = b"SQLite format 3\0"
_WRITE_FORMAT, _WRITES_AHEAD = 18, 2
_STEPS = 200_000
_FREE_CELL = 1_000_000
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_TABLES = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite^_%' escape '^'"


def read_sqlite(source: str | Path, purpose: Purpose, table: str | None = None, sql: str | None = None) -> Table:
    """The rows of a table or a view, or of a query."""
    path, where = existing_file(source), label(source)
    with _opened(path, where) as database:
        tables = database.tables()
        if sql is not None:
            place = f"{where}, the query"
            check_query(sql, where)
            return Table(database.queried(sql, place, tables), place)
        name, notes = chosen_table(tables, table, purpose, where)
        place = f"{where}, table {listed([name])}"
        return Table(database.rows(name, place), place, notes=notes)


class _Database:
    """A connection that can only read, and that Ctrl-C or too many steps end."""

    def __init__(self, connection: sqlite3.Connection, where: str, n_bytes: int) -> None:
        self._connection, self._where, self._n_bytes = connection, where, n_bytes
        self._n_steps = 0
        self._stopped_by: BaseException | None = None
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, n_bytes + _FREE_CELL)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        for setting in ("query_only = on", "trusted_schema = off", "cell_size_check = on", "temp_store = memory"):
            connection.execute(f"pragma {setting}")
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(self._step, _STEPS)

    def tables(self) -> dict[str, list[str]]:
        """Columns by table; a table that cannot be read, such as one of an extension, is left out."""
        found = {}
        with self._readable(self._where):
            names = [name for (name,) in self._connection.execute(_TABLES)]
        for name in names:
            try:
                cursor = self._connection.execute(f"select * from {quoted(name)} limit 0")  # noqa: S608
            except sqlite3.DatabaseError:
                continue
            found[name] = [column[0] for column in cursor.description]
        return found

    def rows(self, name: str, place: str) -> pl.DataFrame:
        """All rows of a table or a view."""
        with self._readable(place):
            return self._answer(f"select * from {quoted(name)}", place)  # noqa: S608

    def queried(self, sql: str, place: str, tables: dict[str, list[str]]) -> pl.DataFrame:
        """All rows of a query that somebody typed: most faults are typing errors."""
        try:
            return self._answer(sql, place)
        except (sqlite3.Warning, sqlite3.Error) as error:
            if any(words in str(error) for words in ("not authorized", "authorization denied", "one statement")):
                raise ParameterError(f"{place}: only reads are allowed, one select") from error
            raise ParameterError(f"{place}: {reason(error)} (its tables are {listed(tables)})") from error

    def _answer(self, statement: str, place: str) -> pl.DataFrame:
        try:
            with closing(self._connection.execute(statement)) as cursor:
                if cursor.description is None:
                    raise ParameterError(f"{place}: only reads are allowed, one select")
                columns = [column[0] for column in cursor.description]
                return frame_of_rows(columns, cursor.fetchmany, place, self._n_bytes)
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise self._stopped_by or KeyboardInterrupt from error
            raise

    @contextmanager
    def _readable(self, place: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                problem = "is in use by another program; close it, or copy the file"
                raise InputError(f"{self._where}: {problem}") from error
            raise InputError(f"{place}: cannot be read as SQLite ({reason(error)})") from error

    def _step(self) -> int:
        """Called now and then by a running query; SQLite swallows what is raised in here."""
        try:
            self._n_steps += 1
            if self._n_steps * _STEPS > MAX_QUERY_STEPS:
                self._stopped_by = InputError(
                    f"{self._where}: the query came to no end within {MAX_QUERY_STEPS:,} steps; make it smaller"
                )
        except BaseException as error:  # Ctrl-C
            self._stopped_by = error
        return int(self._stopped_by is not None)


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Reads alone; no attaching, no settings, no code of elsewhere."""
    if action == sqlite3.SQLITE_FUNCTION and "load_extension" in (first, second):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


@contextmanager
def _opened(path: Path, where: str) -> Iterator[_Database]:
    """A connection that writes nothing beside the file.

    A database that writes ahead keeps files beside it, which even a reader would make: so it is opened as one that
    cannot change while nothing waits in them, and copied where something was left behind by nobody who runs.
    """
    try:
        with path.open("rb") as file:
            head = file.read(100)
        size = path.stat().st_size
    except OSError as error:
        raise InputError(f"{where}: cannot be read ({error.strerror})") from error
    if not head.startswith(SQLITE):
        what = "is empty" if not head else "is no SQLite database, whatever its name says"
        raise InputError(f"{where}: {what}; a table as text may be called .csv")
    waiting, shared = (path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm"))
    writes_ahead = len(head) > _WRITE_FORMAT and head[_WRITE_FORMAT] == _WRITES_AHEAD
    is_waiting = writes_ahead and waiting.is_file() and waiting.stat().st_size > 0
    with tempfile.TemporaryDirectory() as folder:
        how = "mode=ro&immutable=1" if writes_ahead and not is_waiting else "mode=ro"
        if is_waiting and not shared.exists():
            for one in (path, waiting):
                shutil.copy(one, folder)
            path = Path(folder, path.name)
        try:
            connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?{how}", uri=True)
        except sqlite3.Error as error:
            raise InputError(f"{where}: cannot be opened as SQLite ({reason(error)})") from error
        with closing(connection):
            try:
                database = _Database(connection, where, size)
            except sqlite3.Error as error:
                raise InputError(f"{where}: cannot be read as SQLite ({reason(error)})") from error
            yield database
