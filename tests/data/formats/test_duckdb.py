"""DuckDB files, read-only and without a way out of them."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import pytest

import pulink
from pulink.errors import InputError, ParameterError
from tests.conftest import Write
from tests.support.edges_of import edges_of
from tests.support.hostile import refused


@pytest.fixture
def graph_db(tmp_path: Path) -> Path:
    path = tmp_path / "graph.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table links as select * from (values (1, 2, 0.5), (2, 3, 2.5)) t(source, target, weight)"
        )
        connection.execute("create table people as select * from (values (1, 30), (2, 40), (3, 50)) t(id, age)")
        connection.execute("create schema other; create table other.pairs as select 7 p, 8 q")
    return path


def test_tables_queries_and_nodes(graph_db: Path) -> None:
    graph = pulink.read(graph_db, graph_db, node_table="people")
    assert edges_of(graph) == [("1", "2"), ("2", "3")]
    assert graph.weights is not None
    assert graph.weights.tolist() == [0.5, 2.5]
    assert graph.feature_names == ("age",)
    assert edges_of(pulink.read(graph_db, table="other.pairs")) == [("7", "8")]
    assert edges_of(pulink.read(graph_db, sql="select target, source + 10 from links where source = 1")) == [
        ("2", "11")
    ]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("copy links to 'out.csv'", "only reads are allowed"),
        ("attach 'x.db' as x", "only reads are allowed"),
        ("set memory_limit = '1TB'", "only reads are allowed"),
        ("explain select * from links", "only reads are allowed"),
        ("describe links", "only reads are allowed"),
        ("drop table links", "only reads are allowed"),
        ("select 1; select 2", "only reads are allowed"),
        ("select * from read_csv('/etc/hosts')", "disabled by configuration"),
        ("select * from lnks", "its tables are"),
    ],
)
def test_nothing_but_its_own_tables_is_read(graph_db: Path, sql: str, message: str) -> None:
    before = graph_db.read_bytes()
    with pytest.raises(ParameterError, match=message) as caught:
        pulink.read(graph_db, sql=sql)
    assert len(str(caught.value).splitlines()) == 1
    assert graph_db.read_bytes() == before
    assert [one.name for one in graph_db.parent.iterdir()] == ["graph.duckdb"]


def test_broken_files_are_refused(graph_db: Path, write: Write) -> None:
    refused("cannot be opened as DuckDB", write("text.duckdb", "a,b\n"))
    refused("cannot be (opened|read) as DuckDB", write("cut.duckdb", graph_db.read_bytes()[:9000]))


def test_without_the_package_one_line_says_what_to_install(
    graph_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(InputError, match=r"which needs one more package: pip install 'pulink\[duckdb\]'"):
        pulink.read(graph_db)
