"""`read`: every format, standard input, node tables that do not quite fit."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import pulink
from pulink.errors import InputError, ParameterError
from tests.conftest import Write

EDGES = "source,target\na,b\nb,c\nc,d\n"


def dense(graph: pulink.Graph) -> list[list[float]]:
    assert isinstance(graph.features, sp.csr_array)
    return graph.features.toarray().tolist()


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(EDGES.encode())))


@pytest.mark.usefixtures("standard_input")
def test_standard_input_is_called_minus() -> None:
    graph = pulink.read("-")
    assert graph.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert graph.names.series().to_list() == ["a", "b", "c", "d"]


def test_standard_input_may_be_text_that_a_program_put_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("ä,b\nb,c\n"))
    assert pulink.read("-").names.series().to_list() == ["b", "c", "ä"]


@pytest.mark.parametrize("address", ["https://x.org/e.csv", "http://x.org/e.json", "s3://x/e.parquet"])
def test_an_address_is_no_file(address: str) -> None:
    with pytest.raises(InputError) as caught:
        pulink.read(address)
    assert (
        str(caught.value)
        == f"{address}: is an address, and a file is needed; download it first, and pass its name"
    )


def test_ids_that_became_fractions_are_whole_numbers_again(tmp_path: Path) -> None:
    frame = pl.DataFrame({"source": [1.0, 2.0], "target": [2.0, 30.0]})
    frame.write_parquet(tmp_path / "edges.parquet")
    for graph in (pulink.read(tmp_path / "edges.parquet"), pulink.from_frame(frame.to_pandas())):
        assert graph.names.series().to_list() == ["1", "2", "30"]
        assert graph.cleaning.notes == ("ids are whole numbers: 1.0 is read as 1",)


@pytest.mark.usefixtures("standard_input")
def test_standard_input_can_hold_the_nodes(write: Write) -> None:
    assert pulink.read(write("edges.csv", "source,target\na,c\n"), "-").n_nodes == 3


class _Terminal(io.RawIOBase):
    """What a person types line by line; one Ctrl-D reads as nothing, after which it would wait for more."""

    def __init__(self) -> None:
        self.lines = [b"a,b\n", b"b,c\n", b""]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        assert self.lines, "asked for more after Ctrl-D"
        line = self.lines.pop(0)
        buffer[: len(line)] = line
        return len(line)


def test_one_ctrl_d_ends_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(_Terminal())))
    assert pulink.read("-").n_edges == 2


def test_standard_input_may_be_text_of_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("a,b\nb,ü\n"))
    assert pulink.read("-").names[2] == "ü"


def test_standard_input_cannot_hold_both() -> None:
    with pytest.raises(ParameterError, match="cannot both come from standard input"):
        pulink.read("-", "-")


@pytest.mark.usefixtures("standard_input")
def test_a_fault_in_standard_input_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\nb,\n")))
    with pytest.raises(InputError, match="standard input, line 2: column_2 is empty"):
        pulink.read("-")


def test_parquet_with_text_or_whole_numbers(tmp_path: Path) -> None:
    path = tmp_path / "edges.parquet"
    pl.DataFrame({"source": [10, 9], "target": [9, 2], "weight": [0.5, 2.0]}).write_parquet(path)
    graph = pulink.read(path)
    assert graph.names.series().to_list() == ["2", "9", "10"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.weights is not None
    assert graph.weights.tolist() == [2.0, 0.5]
    pl.DataFrame({"source": ["001"], "target": ["1"]}).write_parquet(path)
    assert pulink.read(path).n_nodes == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"source": ["a", None], "target": ["b", "c"]}, ", row 2: source is empty"),
        (
            {"source": [1.5], "target": [2.0]},
            "column 'source' holds Float64; ids must be text or whole numbers; w",
        ),
        ({"source": [1.0, 2.0], "target": [2.0, None]}, ", row 2: target is empty"),
        ({"source": ["a"], "target": ["b"], "weight": [0.0]}, ", row 1: weight is 0.0"),
        ({"source": ["a"], "target": ["b"], "weight": [[1]]}, "weights must be positive numbers"),
        ({"source": ["a"]}, "an edge list needs two"),
    ],
)
def test_a_fault_in_parquet_names_its_row(tmp_path: Path, columns: dict[str, list[object]], message: str) -> None:
    path = tmp_path / "edges.parquet"
    pl.DataFrame(columns).write_parquet(path)
    with pytest.raises(InputError, match=message):
        pulink.read(path)


def test_what_only_claims_to_be_parquet_is_refused(write: Write) -> None:
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        pulink.read(write("edges.parquet", "a,b\n"))


def test_npz_and_graphml_are_known_by_their_endings(write: Write, tmp_path: Path) -> None:
    np.savez(tmp_path / "graph.npz", num_nodes=3, edge_index=np.array([[0, 1], [1, 2]]))
    assert repr(pulink.read(tmp_path / "graph.npz")) == "Graph(3 nodes, 2 edges)"
    text = '<graphml><graph><edge source="x" target="y"/></graph></graphml>'
    assert repr(pulink.read(write("graph.graphml", text))) == "Graph(2 nodes, 1 edge)"


@pytest.mark.parametrize(
    ("name", "message"),
    [("e.csv.zst", "unzstd"), ("e.xlsx", "sheet as CSV"), ("e.mtx", "mmread"), ("e.zip", "unpack")],
)
def test_other_formats_are_refused_with_a_way_out(write: Write, name: str, message: str) -> None:
    with pytest.raises(InputError, match=f"is not a format that pulink reads.*{message}"):
        pulink.read(write(name, "[1, 2]\n"))


def test_a_file_that_is_not_there(write: Write, tmp_path: Path) -> None:
    write("edges.csv", EDGES)
    with pytest.raises(InputError, match=r"edges.cvs: no such file; beside it there is edges.csv"):
        pulink.read(tmp_path / "edges.cvs")
    with pytest.raises(InputError, match="is a folder; a file is needed"):
        pulink.read(tmp_path)


def test_node_rows_find_their_nodes_in_any_order(write: Write) -> None:
    nodes = write("nodes.csv", "id,size\nd,4\nb,2\na,1\nc,3\n")
    graph = pulink.read(write("edges.csv", EDGES), nodes)
    assert graph.feature_names == ("size",)
    sizes = np.array(dense(graph)).ravel()
    assert (np.diff(sizes) > 0).all()
    assert "nodes" not in str(graph.cleaning)


def test_nodes_without_a_row_are_missing_and_rows_without_an_edge_are_nodes(write: Write) -> None:
    nodes = write("nodes.csv", "id,kind\na,x\nb,y\nlone,x\n")
    graph = pulink.read(write("edges.csv", EDGES), nodes)
    assert graph.names.series().to_list() == ["a", "b", "c", "d", "lone"]
    assert graph.feature_names == ("kind=x", "kind=y", "kind is missing")
    assert dense(graph) == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]
    said = str(graph.cleaning)
    assert "2 nodes without a row in the node table" in said
    assert "1 row of nodes without an edge" in said


def test_a_node_table_of_ids_adds_nodes(write: Write) -> None:
    graph = pulink.read(write("edges.csv", EDGES), write("nodes.csv", "id\na\nb\nc\nd\nlone\n"))
    assert graph.n_nodes == 5
    assert graph.features is None


@pytest.mark.parametrize(
    ("header", "column"), [("name,id", "id"), ("label,Node ID", "Node ID"), ("node,name", "node"), ("x,y", "x")]
)
def test_the_id_column_is_guessed(write: Write, header: str, column: str) -> None:
    row = dict.fromkeys(header.split(","), "red") | {column: "a"}
    nodes = write("nodes.csv", f"{header}\n{','.join(row.values())}\n")
    graph = pulink.read(write("edges.csv", EDGES), nodes)
    assert graph.n_nodes == 4
    assert graph.n_features == 2


def test_the_id_column_can_be_named_whatever_the_others_are_called(write: Write) -> None:
    nodes = write("nodes.csv", "key,id,count\na,7,x\nb,8,y\nc,9,x\nd,9,x\n")
    graph = pulink.read(write("edges.csv", EDGES), nodes, node_id="key")
    assert graph.feature_names == ("id", "count=x", "count=y")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,size\n", "has columns .id, size. but no rows"),
        ("id,size\na,1\n\nb,2\na,3\n", ", line 5: node 'a' stands in the table more than once"),
        ("# x\nid,size\na,1\n\n,2\n", ", line 5: id is empty"),
        ("id,size\nx,1\ny,2\n", "none of its ids is an end of an edge, the first is 'x'"),
        ("a,1\nb,2\n", "first line should name the columns, but 'a' is a node"),
        ("id,size\na,1\n\nb,inf\n", ", line 4: size is 'inf'; numbers must be finite"),
        ("id,code\n" + "".join(f"{c},x{c}\n" for c in "abcdefghijklmnopqrstuvwxyz"), "no usable attributes"),
    ],
)
def test_a_fault_in_a_node_table_names_its_file_and_line(write: Write, content: str, message: str) -> None:
    nodes = write("nodes.csv", content)
    with pytest.raises(InputError, match=message) as caught:
        pulink.read(write("edges.csv", EDGES), nodes)
    assert str(caught.value).startswith(str(nodes))


def test_node_tables_may_use_decimal_commas_and_parquet(write: Write, tmp_path: Path) -> None:
    edges = write("edges.csv", EDGES)
    graph = pulink.read(edges, write("nodes.csv", "id;size\na;1,5\nb;2,5\nc;3\nd;4\n"))
    assert graph.feature_names == ("size",)
    pl.DataFrame({"id": ["a", "b"], "size": [1.0, 2.0], "tags": [["x"], ["y"]]}).write_parquet(
        tmp_path / "n.parquet"
    )
    graph = pulink.read(edges, tmp_path / "n.parquet")
    assert graph.feature_names == ("size", "size is missing")


def test_a_sparse_matrix_stands_for_a_node_table(write: Write, tmp_path: Path) -> None:
    edges = write("edges.csv", "0,2\n2,1\n")
    for matrix in (sp.csr_array(np.diag([1.0, 2, 3, 4])), sp.coo_array(np.diag([1.0, 2, 3, 4]))):
        sp.save_npz(tmp_path / "x.npz", matrix)
        graph = pulink.read(edges, tmp_path / "x.npz")
        assert graph.n_nodes == 4
        assert dense(graph) == np.diag([1.0, 2, 3, 4]).tolist()


@pytest.mark.parametrize(
    ("edges", "message"),
    [("0,1\n1,4\n", "has a node '4'"), ("0,1\n1,02\n", "has a node '02'"), ("a1,b1\n", "has a node 'a1'")],
)
def test_a_sparse_matrix_needs_a_row_for_every_node(
    write: Write, tmp_path: Path, edges: str, message: str
) -> None:
    sp.save_npz(tmp_path / "x.npz", sp.eye_array(4, format="csr"))
    with pytest.raises(InputError, match=message):
        pulink.read(write("edges.csv", edges), tmp_path / "x.npz")


def test_what_is_no_sparse_matrix_is_refused(write: Write, tmp_path: Path) -> None:
    edges = write("edges.csv", "0,1\n")
    with pytest.raises(InputError, match=r"x.npz: is not a sparse matrix"):
        pulink.read(edges, write("x.npz", "a,b\n"))
    sp.save_npz(tmp_path / "y.npz", sp.csr_array([[np.inf], [1.0]]))
    with pytest.raises(
        InputError, match=r"y.npz: the matrix holds 1 infinite numbers, the first at row 0 column 0"
    ):
        pulink.read(edges, tmp_path / "y.npz")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("edges.csv", {"kinds": {"size": "number"}}, "kinds goes with a node table, and there is none"),
        ("edges.csv", {"node_id": "id"}, "node_id goes with a node table"),
        ("graph.npz", {"weight": "w"}, "weight goes with a table of edges, and .*graph.npz is none"),
        ("graph.graphml", {"header": True}, "header goes with a table of edges"),
    ],
)
def test_a_setting_that_would_change_nothing_is_refused(
    write: Write, name: str, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        pulink.read(write(name, EDGES), **settings)  # type: ignore[arg-type]
