"""What parts cannot hold is refused in one line that says where it is."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from pulink.data.parts.part_files import is_parts, list_parts
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, PulinkError
from pulink.workflows.sharded.prepare import prepare
from tests.support.parts import SMALL

UNDIRECTED = ReadOptions(kind="undirected")
EDGES = b"source,target\na,b\nb,c\nc,a\n"


def refused(tmp_path: Path, files: dict[str, bytes], options: ReadOptions = UNDIRECTED, **nodes: bytes) -> str:
    for name, content in files.items():
        path = tmp_path / "parts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    table = None
    for name, content in nodes.items():
        table = tmp_path / f"{name}.csv"
        table.write_bytes(content)
    with pytest.raises(PulinkError) as error:
        prepare(tmp_path / "parts", table, options, tmp_path / "graph", sizes=SMALL)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"a.csv": EDGES, "b.csv": b"from,to\na,b\n"},
            "b.csv: its first line should name the columns source, target",
        ),
        ({"a.csv": EDGES, "b.csv": b"source,target\nx,y\nz\n"}, "b.csv, line 3: target is empty"),
        ({"a.csv": EDGES + b"x,y,z,w\n"}, "a.csv, line 5: 4 columns"),
        ({"a.csv": EDGES, "b.csv": b"source,target\n\n# no\nx,y\n\nz,\n"}, "b.csv, line 6: target is empty"),
        ({"a.csv": EDGES, "b.csv": b"source,target\nx,\xff\n"}, "b.csv, line 2: is not UTF-8"),
        ({"a.csv": EDGES + b'x,"two\nlines"\n'}, "line"),
        ({"a.csv": EDGES + b"x,\0\n"}, "zero byte"),
        (
            {"a.csv": b"one,other\na,b\n", "b.csv": b"one,other\nb,c\n"},
            "all parts begin with the line 'one,other'",
        ),
        ({"a.csv": EDGES, "b.parquet": b"PAR1"}, "holds parts of two formats"),
        ({"README.md": b"# words"}, "holds no parts"),
        ({"a.csv": b"source,target\n"}, "has columns but no rows, so no edges"),
        ({"a.csv.gz": gzip.compress(EDGES)[:-9]}, "not a whole gzip file"),
        ({"a.csv.gz": gzip.compress(b"source,target\n" + b"a,b\n" * 5_000_000)}, "decompression bomb"),
        ({"a.parquet": b"PAR1 no parquet PAR1"}, "a.parquet: cannot be read as Parquet"),
        ({"a.csv": b"source,target,weight\na,b,1\nb,c,-1\n"}, "a.csv, line 3: weight is '-1'"),
    ],
)
def test_parts_that_are_no_parts_of_a_table(tmp_path: Path, files: dict[str, bytes], words: str) -> None:
    assert words in refused(tmp_path, files)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (ReadOptions(kind="directed"), "kind must be undirected"),
        (ReadOptions(kind="bipartite"), "kind must be undirected"),
        (ReadOptions(time="t"), "time does not go with"),
        (ReadOptions(encoding="latin-1"), "parts must be UTF-8"),
        (ReadOptions(source="nowhere"), "has no column 'nowhere'"),
        (ReadOptions(node_id="id"), "node_id goes with a node table"),
    ],
)
def test_options_that_parts_do_not_know(tmp_path: Path, options: ReadOptions, words: str) -> None:
    assert words in refused(tmp_path, {"a.csv": EDGES}, options)


def test_columns_that_tell_another_kind_are_not_read_as_undirected_unasked(tmp_path: Path) -> None:
    words = refused(tmp_path, {"a.csv": b"user,item\na,b\n"}, ReadOptions())
    assert "kind undirected" in words


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (b"id,size\na,1\na,2\n", "node 'a' stands in the table more than once"),
        (b"id,kind\na,red\nb,blue\n", "column 'kind' holds what is no number"),
        (b"id,size\na,inf\n", "size is 'inf'; numbers must be finite"),
        (b"id,size\nx,1\ny,2\n", "none of its ids is an end of an edge"),
        (b"id,size\na,\nb,\n", "has no usable attributes"),
        (b"id,size\n,1\n", "id is empty"),
    ],
)
def test_tables_of_nodes(tmp_path: Path, table: bytes, words: str) -> None:
    assert words in refused(tmp_path, {"a.csv": EDGES}, nodes=table)


def test_a_node_in_two_parts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    for k in range(2):
        pl.DataFrame({"id": ["a", f"b{k}"], "size": [1.0, 2.0]}).write_parquet(tmp_path / "nodes" / f"{k}.parquet")
    (tmp_path / "edges.csv").write_bytes(EDGES)
    with pytest.raises(InputError, match="node 'a' stands in the table more than once"):
        prepare(tmp_path / "edges.csv", tmp_path / "nodes", UNDIRECTED, tmp_path / "graph", sizes=SMALL)


def test_parquet_parts_with_other_columns_or_types_are_refused(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    pl.DataFrame({"source": ["a"], "target": ["b"]}).write_parquet(tmp_path / "parts" / "a.parquet")
    for other, words in (
        ({"source": [1], "target": [2]}, "names of nodes are numbers"),
        ({"source": ["a"], "to": ["b"]}, "has the columns source, to"),
    ):
        pl.DataFrame(other).write_parquet(tmp_path / "parts" / "b.parquet")
        with pytest.raises(InputError, match=words):
            prepare(tmp_path / "parts", None, UNDIRECTED, tmp_path / "graph", sizes=SMALL)


def test_only_folders_with_parts_are_parts(tmp_path: Path) -> None:
    assert not is_parts(tmp_path)
    (tmp_path / "notes.md").write_text("words")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / ".hidden.csv").write_text("a,b")
    assert not is_parts(tmp_path)
    (tmp_path / "year=2024").mkdir()
    (tmp_path / "year=2024" / "b.csv.gz").write_bytes(gzip.compress(EDGES))
    (tmp_path / "a.tsv").write_text("a\tb\n")
    assert is_parts(tmp_path)
    assert not is_parts(tmp_path / "a.tsv")
    assert not is_parts(tmp_path / "nowhere")
    assert [path.name for path in list_parts(tmp_path)[1]] == ["a.tsv", "b.csv.gz"]


def test_a_folder_with_other_files_is_never_emptied(tmp_path: Path) -> None:
    (tmp_path / "graph").mkdir()
    (tmp_path / "graph" / "thesis.txt").write_text("all of it")
    assert "holds 'thesis.txt'" in refused(tmp_path, {"a.csv": EDGES})
    assert (tmp_path / "graph" / "thesis.txt").read_text() == "all of it"
