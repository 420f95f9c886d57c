"""DuckDB files, read-only and cut off from everything else on the machine; needs the extra `duckdb`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any

from pulink.data.formats.databases.choice import Purpose, check_query, chosen_table, quoted
from pulink.data.formats.databases.rows import frame_of_rows
from pulink.data.formats.sources import existing_file, label
from pulink.errors import InputError, ParameterError
from pulink.graph.tables.table import Table
from pulink.text import listed, reason

_LOOK = 0.1
_SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "memory_limit": "4GB",
    # Without it, a large query writes beside the file.
    "temp_directory": "",
    "lock_configuration": "true",
}
_COLUMNS = """
select table_schema, table_name, column_name from information_schema.columns
where table_catalog = current_database() order by table_schema, table_name, ordinal_position
"""


def read_duckdb(source: str | Path, purpose: Purpose, table: str | None = None, sql: str | None = None) -> Table:
    """The rows of a table or a view, or of a query."""
    path, where = existing_file(source), label(source)
    try:
        import duckdb
    except ImportError as error:
        raise InputError(
            f"{where}: is a DuckDB file, which needs one more package: pip install 'pulink[duckdb]'"
        ) from error
    try:
        connection = duckdb.connect(str(path), read_only=True, config=_SETTINGS)
    except (duckdb.Error, RuntimeError, ValueError) as error:
        raise InputError(f"{where}: cannot be opened as DuckDB ({reason(error)})") from error
    with closing(connection):
        try:
            tables = _tables(connection)
            if sql is not None:
                _check_query(sql, where)
                return _rows(connection, sql, f"{where}, the query", path.stat().st_size)
            name, notes = chosen_table(
                {name: columns for name, (_, columns) in tables.items()}, table, purpose, where
            )
            place, statement = f"{where}, table {listed([name])}", f"select * from {tables[name][0]}"  # noqa: S608
            found = _rows(connection, statement, place, path.stat().st_size)
        except duckdb.Error as error:
            if sql is not None:
                raise ParameterError(
                    f"{where}, the query: {reason(error)} (its tables are {listed(tables)})"
                ) from error
            raise InputError(f"{where}: cannot be read as DuckDB ({reason(error)})") from error
    return Table(found.frame, found.where, notes=notes)


def _tables(connection: Any) -> dict[str, tuple[str, list[str]]]:
    """By name: the same as SQL takes it, and its columns. The schema is named where it is not the usual one."""
    found: dict[str, tuple[str, list[str]]] = {}
    for schema, table, column in connection.execute(_COLUMNS).fetchall():
        name = table if schema == "main" else f"{schema}.{table}"
        found.setdefault(name, (f"{quoted(schema)}.{quoted(table)}", []))[1].append(column)
    return found


def _check_query(sql: str, where: str) -> None:
    import duckdb

    check_query(sql, where)
    statements = duckdb.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ParameterError(f"{where}, the query: only reads are allowed, one select")


def _rows(connection: Any, statement: str, place: str, n_bytes: int) -> Table:
    """The answer to a statement, in a thread of its own: within a query DuckDB does not heed Ctrl-C."""

    def answer() -> Table:
        found = connection.execute(statement)
        columns = [column[0] for column in found.description]
        return Table(frame_of_rows(columns, found.fetchmany, place, n_bytes), place)

    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(answer)
        try:
            while not wait([running], _LOOK).done:
                pass
        except BaseException:
            connection.interrupt()
            raise
        return running.result()
