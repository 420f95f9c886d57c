"""SQLite files: the right table, any query that reads, nothing that writes, and no file beside them."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import pulink
from pulink.data.formats.databases import sqlite
from pulink.errors import InputError, ParameterError
from tests.conftest import Write
from tests.support.edges_of import edges_of
from tests.support.hostile import refused

ENDLESS = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) a, 2 b from c"


def database(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


@pytest.fixture
def graph_db(tmp_path: Path) -> Path:
    return database(
        tmp_path / "graph.db",
        "create table edges (source text, target text, weight real)",
        "insert into edges values ('a', 'b', 1.5), ('b', 'c', 2), ('c', 'd', 1)",
        "create table people (id text, age integer)",
        "insert into people values ('a', 30), ('b', 40), ('c', 50), ('d', 60)",
    )


def test_of_several_tables_the_one_whose_columns_tell_is_read(graph_db: Path) -> None:
    graph = pulink.read(graph_db)
    assert edges_of(graph) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert graph.weights is not None
    assert graph.weights.tolist() == [1.5, 2.0, 1.0]
    assert "of 2 tables, edges was read for its edges" in str(graph.cleaning)


def test_the_only_table_needs_no_name_whatever_its_columns_are_called(tmp_path: Path) -> None:
    path = database(tmp_path / "one.sqlite", "create table t (p, q)", "insert into t values (1, 2), (2, 10)")
    assert edges_of(pulink.read(path)) == [("1", "2"), ("2", "10")]


def test_where_nothing_tells_the_tables_are_listed(tmp_path: Path) -> None:
    path = database(tmp_path / "g.db", "create table x (p, q)", "create table y (p, q)")
    with pytest.raises(ParameterError) as caught:
        pulink.read(path)
    assert str(caught.value) == (
        f'{path}: holds 2 tables (x, y); say which one lists the edges: table="NAME" (--table NAME)'
    )


def test_a_misspelt_table_is_guessed(graph_db: Path) -> None:
    with pytest.raises(
        ParameterError, match=r"has no table 'egdes'; did you mean 'edges'\? \(its tables are edges"
    ):
        pulink.read(graph_db, table="egdes")


def test_nodes_come_from_the_same_database(graph_db: Path) -> None:
    graph = pulink.read(graph_db, graph_db)
    assert graph.feature_names == ("age",)
    assert pulink.read(graph_db, graph_db, node_table="people").feature_names == ("age",)
    with pytest.raises(ParameterError, match="has no table 'persons'"):
        pulink.read(graph_db, graph_db, node_table="persons")


def test_known_non_links_may_be_a_table_too(graph_db: Path, tmp_path: Path) -> None:
    absent = database(tmp_path / "no.db", "create table t (one, other)", "insert into t values ('a', 'd')")
    found = pulink.find(graph_db, known_absent=absent, method="l3n")
    assert found.graph.n_absent == 1


def test_a_query_joins_tables(graph_db: Path) -> None:
    sql = "select e.source, e.target from edges e join people p on p.id = e.source where p.age > 30"
    assert edges_of(pulink.read(graph_db, sql=sql)) == [("b", "c"), ("c", "d")]


@pytest.mark.parametrize(
    "sql",
    [
        "drop table edges", "delete from edges", "insert into edges values ('x', 'y', 1)", "create table z (a)",
        "attach 'other.db' as other", "pragma journal_mode = wal", "vacuum into 'copy.db'", "select 1; select 2",
        "",
        "select load_extension('x'), 1", "begin exclusive",
    ],
)  # fmt: skip
def test_nothing_but_one_select_is_run(graph_db: Path, sql: str) -> None:
    before, beside = graph_db.read_bytes(), sorted(graph_db.parent.iterdir())
    with pytest.raises(ParameterError, match="only reads are allowed, one select"):
        pulink.read(graph_db, sql=sql)
    assert graph_db.read_bytes() == before
    assert sorted(graph_db.parent.iterdir()) == beside
    assert not Path("other.db").exists()


def test_a_misspelt_query_says_what_is_there(graph_db: Path) -> None:
    with pytest.raises(ParameterError, match=r"the query: no such table: edgs \(its tables are edges, people\)"):
        pulink.read(graph_db, sql="select * from edgs")
    with pytest.raises(InputError, match="two columns are called 'source'; name them apart"):
        pulink.read(graph_db, sql="select source, source from edges")


def test_what_waits_to_be_written_is_read_and_no_file_is_made(tmp_path: Path) -> None:
    path = tmp_path / "ahead.db"
    writer = sqlite3.connect(path)
    writer.execute("pragma journal_mode = wal")
    writer.execute("create table edges (source, target)")
    writer.execute("insert into edges values ('a', 'b')")
    writer.commit()
    assert edges_of(pulink.read(path)) == [("a", "b")]
    copied = tmp_path / "crashed"
    copied.mkdir()
    for name in ("ahead.db", "ahead.db-wal"):
        (copied / name).write_bytes((tmp_path / name).read_bytes())
    writer.close()
    for folder in (tmp_path, copied):
        before = sorted((one.name, one.stat().st_mtime_ns) for one in folder.iterdir())
        assert edges_of(pulink.read(folder / "ahead.db")) == [("a", "b")]
        assert sorted((one.name, one.stat().st_mtime_ns) for one in folder.iterdir()) == before


def test_it_is_known_by_its_first_bytes(graph_db: Path, tmp_path: Path) -> None:
    other = tmp_path / "places.dat"
    other.write_bytes(graph_db.read_bytes())
    assert pulink.read(other).n_edges == 3


def test_what_is_no_database_is_refused(write: Write, graph_db: Path) -> None:
    refused("is no SQLite database, whatever its name says", write("edges.db", "a,b\nb,c\n"))
    refused("is empty", write("empty.db", ""))
    refused("cannot be read as SQLite", write("cut.db", graph_db.read_bytes()[:5000]))
    refused("no such file", graph_db.with_name("gone.db"))
    broken = bytearray(graph_db.read_bytes())
    broken[4096:4200] = b"\xff" * 104
    refused("cannot be read as SQLite", write("broken.db", bytes(broken)))


def test_cells_that_are_no_ids_are_named_with_their_row(tmp_path: Path) -> None:
    path = database(tmp_path / "g.db", "create table e (source, target)", "insert into e values (1, 2), (2, null)")
    refused("table e, row 2: target is empty", path)
    blob = database(tmp_path / "b.db", "create table e (source, target)", "insert into e values (x'00ff', x'01')")
    refused("column 'source' holds Binary; ids must be text or whole numbers", blob)


def test_options_that_change_nothing_are_refused(graph_db: Path, write: Write) -> None:
    csv = write("edges.csv", "a,b\n")
    for edges, nodes, settings, message in (
        (csv, None, {"table": "x"}, "table goes with a database"),
        (csv, None, {"sql": "select 1"}, "sql goes with a database"),
        (graph_db, None, {"table": "edges", "sql": "select 1"}, "give one of them"),
        (graph_db, None, {"header": True}, "header goes with delimited text"),
        (graph_db, csv, {"node_table": "people"}, "node_table goes with nodes that are a database"),
    ):
        with pytest.raises(ParameterError, match=message):
            pulink.read(edges, nodes, **settings)  # type: ignore[arg-type]


def test_a_query_without_end_is_stopped(graph_db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "MAX_QUERY_STEPS", 1_000_000)
    with pytest.raises(InputError, match="came to no end within 1,000,000 steps"):
        pulink.read(graph_db, sql=ENDLESS)


@pytest.mark.parametrize("sql", ["explain select 1 a, 2 b", "-- x\nEXPLAIN QUERY PLAN select 1 a, 2 b", "", "--"])
def test_what_only_looks_like_a_query_is_refused(graph_db: Path, sql: str) -> None:
    with pytest.raises(ParameterError, match="only reads are allowed, one select"):
        pulink.read(graph_db, sql=sql)


@pytest.mark.parametrize(
    "sql", ["/* explain */ -- x\n select 1 a, 2 b", "with q(a, b) as (select 1, 2) select * from q"]
)
def test_comments_may_stand_before_a_query(graph_db: Path, sql: str) -> None:
    assert pulink.read(graph_db, sql=sql).n_edges == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_ctrl_c_ends_a_query_without_end(graph_db: Path, tmp_path: Path, kind: str) -> None:
    path = graph_db
    if kind == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        path = tmp_path / "g.duckdb"
        duckdb.connect(str(path)).close()
    # Once read before, everything is loaded: what takes time after "ready" is the query.
    few = "select 1 a, 2 b"
    code = (
        f"import pulink; pulink.read({str(path)!r}, sql={few!r}); print('ready', flush=True); "
        f"pulink.read({str(path)!r}, sql={ENDLESS!r})"
    )
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        time.sleep(2)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
        running.communicate()
    assert b"KeyboardInterrupt" in said
