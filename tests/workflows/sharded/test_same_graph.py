"""A graph folder made of parts is the graph that the reader of single files makes of the same rows."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.data.read_options import ReadOptions
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.workflows.sharded.prepare import prepare
from tests.support.parts import SMALL, assert_same, content_of, csv_parts, parquet_parts

NODES = 40
UNDIRECTED = ReadOptions(kind="undirected")


def drawn(names: list[str] | list[int], n_rows: int = 200, seed: int = 0) -> pl.DataFrame:
    """Rows with repeats, reversed ones and loops."""
    draws = np.random.default_rng(seed)
    places = draws.integers(0, len(names), (n_rows, 2))
    first, second = ([names[place] for place in column] for column in places.T)
    return pl.DataFrame({"source": first, "target": second})


def weighted(frame: pl.DataFrame, seed: int = 1) -> pl.DataFrame:
    return frame.with_columns(weight=pl.Series(np.random.default_rng(seed).random(frame.height) * 9 + 0.1))


NAMES: dict[str, list[str] | list[int]] = {
    "texts": [f"node {k}" for k in range(NODES)],
    "odd texts": [
        "a,b",
        'he said "no"',
        "ä",
        "日本語",
        "🦊",
        " x",
        "#1",
        "'=1+1",
        "1",
        "01",
        "1.0",
        "-",
        "Z",
        "z",
        "=1",
    ],
    "guarded texts": ["'=1+1", "'-3", "b", "c", "d'e", "1"],
    "numbers": list(range(NODES)),
    "numbers with gaps": [7 * k + 10**12 for k in range(NODES)],
    "large numbers": [2**63 - 1 - k for k in range(NODES)],
    "negative numbers": list(range(-5, NODES)),
    "numbers as texts": [str(3 * k) for k in range(NODES)],
    "numbers with .0": [f"{k}.0" for k in range(1, NODES, 2)] + [str(k) for k in range(NODES)],
    "one text among numbers": [*(str(k) for k in range(NODES)), "x"],
}


def cases() -> list[Any]:
    """Every part in Parquet is read on trial in a process of its own: only two sorts of names."""
    brief = {"odd texts", "numbers"}
    return [
        pytest.param(names, form, marks=pytest.mark.slow if form == "parquet" and names not in brief else [])
        for names in NAMES
        for form in ("parquet", "csv", "csv.gz", "tsv")
    ]


@pytest.mark.parametrize(("names", "form"), cases())
def test_of_any_names_and_any_format(tmp_path: Path, names: str, form: str) -> None:
    frame = drawn(NAMES[names])
    frame = frame if len(names) % 2 else weighted(frame)
    if form == "parquet":
        parts, single = parquet_parts(frame, tmp_path / "parts"), tmp_path / "edges.parquet"
        frame.write_parquet(single)
    else:
        separator = "\t" if form == "tsv" else ","
        parts = csv_parts(frame, tmp_path / "parts", packed=form.endswith("gz"), separator=separator)
        single = tmp_path / "edges.csv"
        frame.write_csv(single)
    found = prepare(parts, options=UNDIRECTED, folder=tmp_path / "graph", sizes=SMALL)
    graph = pulink.read(single, kind="undirected")
    assert_same(found, graph)
    ShardedGraph.open(tmp_path / "graph", verify=True)
    assert len(found.ranges) > 3
    assert not (tmp_path / "graph" / "working").exists()


cells = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters='"'), min_size=1, max_size=6)


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.tuples(cells, cells, st.floats(0.125, 1e3, width=32)), min_size=2, max_size=30),
    whole=st.booleans(),
    n_parts=st.integers(1, 4),
)
def test_of_any_rows(rows: list[tuple[str, str, float]], whole: bool, n_parts: int) -> None:
    if whole:
        rows = [(str(len(a) * ord(a[0])), str(ord(b[0])), w) for a, b, w in rows]
    frame = pl.DataFrame(rows, schema=["source", "target", "weight"], orient="row")
    frame = frame.filter((pl.col("source").str.strip_chars() != "") & (pl.col("target").str.strip_chars() != ""))
    if frame.height < 1:
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        frame.write_csv(place / "edges.csv")
        graph = pulink.read(place / "edges.csv", kind="undirected")
        parts = csv_parts(frame, place / "parts", n_parts)
        assert_same(prepare(parts, options=UNDIRECTED, folder=place / "graph", sizes=SMALL), graph)


@pytest.mark.parametrize("form", [pytest.param("parquet", marks=pytest.mark.slow), "csv"])
@pytest.mark.parametrize("names", ["texts", "numbers", "numbers with gaps", "guarded texts"])
def test_features_are_those_of_the_usual_encoder(tmp_path: Path, names: str, form: str) -> None:
    known = NAMES[names]
    frame = drawn(known[: len(known) - 2], 150)
    draws = np.random.default_rng(4)
    # Two nodes have no edge, and two no row.
    ids = [*known[2:]]
    table = pl.DataFrame(
        {
            "size": draws.normal(50, 9, len(ids)),
            "id": ids,
            "huge": draws.normal(0, 1, len(ids)) * 1e200,
            "count": draws.integers(0, 9, len(ids)),
            "gaps": [None if k % 3 == 0 else float(k) for k in range(len(ids))],
            "same": [4.0] * len(ids),
            "empty": pl.Series([None] * len(ids), dtype=pl.Float64),
        }
    )
    table = table.sample(fraction=1.0, shuffle=True, seed=2)
    make = parquet_parts if form == "parquet" else csv_parts
    edges, nodes = make(frame, tmp_path / "edges"), make(table, tmp_path / "nodes")
    if form == "parquet":
        frame.write_parquet(tmp_path / "edges.parquet")
        table.write_parquet(tmp_path / "nodes.parquet")
    else:
        frame.write_csv(tmp_path / "edges.csv")
        table.write_csv(tmp_path / "nodes.csv")
    graph = pulink.read(tmp_path / f"edges.{form}", tmp_path / f"nodes.{form}", kind="undirected")
    found = prepare(edges, nodes, UNDIRECTED, tmp_path / "graph", sizes=SMALL)
    assert found.n_nodes == len(known)
    assert_same(found, graph)
    # A single file is the only part.
    alone = prepare(edges, tmp_path / f"nodes.{form}", UNDIRECTED, tmp_path / "alone", sizes=SMALL)
    assert_same(alone, graph)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a b\nb c\nc  a\n", {}),
        ("\ufefffrom,to\na,b\nb,c\n", {}),
        ("# a comment\n\n% another\nfrom,to\na,b\n\n# between\nb,c\n", {}),
        ("x;y;w\na;b;1\nb;c;2\n", {"weight": "w", "source": "y", "target": "x"}),
        ("a|b\r\nb|c\r\n", {}),
        ("a,b\nb,c\n", {"header": True}),
        ("from,to\na,b\n", {"header": False}),
        ("1,from,to\n2,a,b\n3,b,c\n", {"source": "column_2", "target": "column_3", "header": False}),
        ('"from","to"\n"a,1","b"\n"b","c"\n', {}),
        ("0\t1\n1\t2\n", {}),
    ],
)
def test_text_is_judged_as_in_a_single_file(tmp_path: Path, text: str, options: dict[str, object]) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("parts/part-0.csv", "edges.csv"):
        (tmp_path / name).write_bytes(text.encode())
    given = ReadOptions(kind="undirected", **options)  # type: ignore[arg-type]
    found = prepare(tmp_path / "parts", None, given, tmp_path / "graph", sizes=SMALL)
    assert_same(found, pulink.read(tmp_path / "edges.csv", options=given))


def test_blocks_and_ranges_change_nothing_but_where_files_end(tmp_path: Path) -> None:
    parts = csv_parts(weighted(drawn(NAMES["texts"])), tmp_path / "parts", 2)
    whole = prepare(parts, None, UNDIRECTED, tmp_path / "whole")
    cut = prepare(parts, None, UNDIRECTED, tmp_path / "cut", sizes=SMALL)
    for one, other in zip(whole.rows(0, NODES), cut.rows(0, NODES), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_there_of_the_same_parts_is_not_made_again(tmp_path: Path) -> None:
    parts = csv_parts(drawn(NAMES["texts"]), tmp_path / "parts")
    prepare(parts, None, UNDIRECTED, tmp_path / "graph", sizes=SMALL)
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "graph").iterdir()}
    prepare(parts, None, UNDIRECTED, tmp_path / "graph", sizes=SMALL)
    assert before == {path.name: path.stat().st_mtime_ns for path in (tmp_path / "graph").iterdir()}


def test_other_parts_make_another_graph_in_the_same_place(tmp_path: Path) -> None:
    parts = csv_parts(drawn(NAMES["texts"]), tmp_path / "parts")
    prepare(parts, None, UNDIRECTED, tmp_path / "graph", sizes=SMALL)
    more = csv_parts(drawn(NAMES["numbers"], seed=3), tmp_path / "more")
    prepare(more, None, UNDIRECTED, tmp_path / "graph", sizes=SMALL)
    prepare(more, None, UNDIRECTED, tmp_path / "new", sizes=SMALL)
    assert content_of(tmp_path / "graph") == content_of(tmp_path / "new")
