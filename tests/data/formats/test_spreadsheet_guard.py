"""Names that a spreadsheet would compute: guarded on writing, restored on reading, never two names for one."""

from __future__ import annotations

import csv
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from torture.payloads import FORMULAS, SPLIT
from torture.spreadsheet import ever_formulas, formulas

import pulink
from pulink.data.absent_pairs import read_absent
from pulink.data.formats.spreadsheet_guard import csv_of, guarded, restored, true_names
from tests.conftest import Write

letters = st.sampled_from("'=+-@,;|\"\t\r\n #%1.eä\uff1d\ufeff") | st.characters(codec="utf-8")
texts = st.lists(st.text(letters, max_size=8), min_size=1, max_size=20)
strange = [*FORMULAS, *SPLIT, *(f"'{name}" for name in SPLIT)]


def one(text: str) -> str:
    return str(guarded(pl.DataFrame({"name": [text]})).item())


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "+x",
        "-x",
        "@SUM(A1)",
        "\r",
        "\n",
        " =x",
        "\ufeff=x",
        "\x00=x",
        "-1-1",
        "+1,5",
        "\uff1dx",
        "# x",
        "-",
        "-1",
        "+1e-7",
        " # x",
    ],
)
def test_what_a_spreadsheet_would_compute_gets_an_apostrophe(name: str) -> None:
    assert one(name) == f"'{name}"
    assert one(f"'{name}") == f"''{name}"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("x;=1", "x;'=1"),
        ("x;'=1", "x;''=1"),
        ("x,y|-z", "x,y|'-z"),
        ('x; ""\u200b@y', 'x; ""\u200b\'@y'),
        ("x\n=1\t+2", "x\n'=1\t'+2"),
        ("x;,=1;==2", "x;,'=1;'==2"),
        ("\t=x", "'\t'=x"),
        (" \n'=x", "' \n''=x"),
        ("=x;=y", "'=x;'=y"),
    ],
)
def test_a_sign_behind_a_separator_gets_an_apostrophe(name: str, written: str) -> None:
    assert one(name) == written
    assert restored(pl.Series([written])).to_list() == [name]


@pytest.mark.parametrize(
    "name",
    ["a", "a=1", "1-1", "1", "1.5e-7", "'a", "#tag", "", "'", "a;b", "a, b", "O'Brien, 'Al'", 'a;"b-c"', "x;'y=1"],
)
def test_other_names_stay(name: str) -> None:
    assert one(name) == name


def test_numbers_are_no_texts() -> None:
    links = pl.DataFrame({"source": ["=a"], "target": ["b;=c"], "probability": [-0.5]})
    assert csv_of(links) == 'source,target,probability\n"\'=a","b;\'=c",-0.5\n'
    assert csv_of(links, raw=True) == "source,target,probability\n=a,b;=c,-0.5\n"


def test_whole_numbers_as_names_are_written_as_they_are() -> None:
    assert csv_of(pl.DataFrame({"source": [-1], "target": [2]})) == "source,target\n-1,2\n"


@given(texts)
@example(strange)
def test_no_cell_is_a_formula_by_whatever_separators_it_is_split(names: list[str]) -> None:
    links = pl.DataFrame({"source": names, "target": names[::-1]})
    links = links.with_columns(probability=pl.lit(0.5), reasons="both know " + pl.col("source") + "; rare")
    assert ever_formulas(csv_of(links).encode()) == []


def test_a_quoted_cell_is_split_where_commas_are_not() -> None:
    assert formulas(b'"c","x;=1+1;@A1"', ";") == ["=1+1", '@A1"']
    assert formulas(b'"c","x;""=1+1"""', ";") == ['=1+1"""']
    assert formulas(b'"c","x\n=1+1"', ";") == ['=1+1"']


@given(texts)
@example(strange)
def test_every_text_comes_back_and_no_two_become_one(names: list[str]) -> None:
    written = guarded(pl.DataFrame({"name": names}))["name"]
    assert restored(written).to_list() == names
    assert written.n_unique() == len(set(names))


@given(texts)
@example(strange)
def test_a_file_that_was_written_here_is_read_as_it_was_meant(names: list[str]) -> None:
    rows = list(csv.reader(io.StringIO(csv_of(pl.DataFrame({"name": names})), newline="")))[1:]
    cells = [row[0] if row else "" for row in rows]
    (found,), _ = true_names([pl.Series(cells, dtype=pl.String)])
    assert found.to_list() == names


@given(texts)
def test_different_cells_of_any_file_stay_different(cells: list[str]) -> None:
    (found,), _ = true_names([pl.Series(cells)])
    assert found.n_unique() == len(set(cells))


NAMES = [
    "=1+1",
    "'=1+1",
    "''@x",
    "-2",
    "plain",
    "# note",
    "b;=c",
    " +y".strip(),
    "'quoted'",
    '=HYPERLINK("x","y")',
    "x;''=y",
    'x\t"@y"',
]


def star() -> pulink.Graph:
    return pulink.Graph.from_edges([[0, k] for k in range(1, len(NAMES))], names=NAMES)


def test_a_list_of_links_is_read_back_with_the_true_names(write: Write) -> None:
    graph = star()
    ends = graph.names.take(graph.edges[:, 0]), graph.names.take(graph.edges[:, 1])
    links = pl.DataFrame({"source": ends[0], "target": ends[1], "probability": np.full(graph.n_edges, 0.5)})
    found = pulink.read(write("links.csv", csv_of(links)))
    assert set(found.names.series()) == set(NAMES)
    assert found.n_edges == graph.n_edges
    assert "10 names had an apostrophe" in str(found.cleaning)


def test_a_checked_list_marks_the_right_pairs_also_with_rows_of_ones_own(write: Write) -> None:
    rows = [("'=1+1", "''=1+1"), ("''=1+1", "'''@x"), ("plain", "'-2")]
    text = "source,target\n" + "".join(f"{a},{b}\n" for a, b in rows)
    graph = pulink.Graph.from_edges([[0, 4]], len(NAMES), names=NAMES)
    marked = read_absent(write("checked.csv", text), graph)
    assert marked.absent is not None
    assert marked.absent.tolist() == [[0, 1], [1, 2], [3, 4]]
    marked = read_absent(write("mixed.csv", text + "'# note,=1+1\n"), graph)
    assert marked.absent is not None
    assert [0, 5] in marked.absent.tolist()


def test_a_file_with_bare_formulas_keeps_its_apostrophes(write: Write) -> None:
    found = pulink.read(write("own.csv", "source,target\n'=x,=x\n=x,y\n"))
    assert found.names.series().to_list() == ["'=x", "=x", "y"]
    assert "apostrophe" not in str(found.cleaning)


def test_a_sign_behind_a_separator_is_bare_too(write: Write) -> None:
    found = pulink.read(write("own.csv", "source,target\n'=x,y\ny,z;=1\nz;=1,z;'=1\n"))
    assert sorted(found.names.series()) == ["'=x", "y", "z;'=1", "z;=1"]
    found = pulink.read(write("own.csv", "source,target\nx,y;'=1\n"))
    assert sorted(found.names.series()) == ["x", "y;=1"]
    assert "y;'=1' is 'y;=1" in str(found.cleaning).replace('"', "'")


def test_other_formats_hold_names_as_they_are(write: Write) -> None:
    content = io.BytesIO()
    pl.DataFrame({"source": ["'=x", "y"], "target": ["y", "z"]}).write_parquet(content)
    assert "'=x" in pulink.read(write("edges.parquet", content.getvalue())).names.series().to_list()


def test_edges_and_node_tables_agree(write: Write) -> None:
    edges = write("edges.csv", "source,target\n'=x,y\ny,'-z\n")
    nodes = write("nodes.csv", "id,size\n'=x,1\ny,2\n'-z,3\n")
    graph = pulink.read(edges, nodes)
    assert sorted(graph.names.series()) == ["-z", "=x", "y"]
    assert "without a row" not in str(graph.cleaning)
    assert "'=x" in str(graph.cleaning)
