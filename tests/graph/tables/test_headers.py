"""First lines that name columns, and first lines that are edges."""

from __future__ import annotations

import pytest

import pulink
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from tests.conftest import Write

ROWS = "ann{0}bob\nbob{0}cid\n"


def links(graph: Graph) -> set[frozenset[str]]:
    return {frozenset(graph.names[i] for i in edge) for edge in graph.edges.tolist()}


ANN_BOB_CID = {frozenset(("ann", "bob")), frozenset(("bob", "cid"))}


@pytest.mark.parametrize(
    "header",
    [
        "citing,cited",
        "citing_doi,cited_doi",
        "protein1 protein2",
        "Gene A,Gene B",
        "gene_a,gene_b",
        "GeneA,GeneB",
        "userId,movieId",
        "node_1 node_2",
        "Source;Target",
        "from_id,to_id",
        "subject,object",
        ":START_ID,:END_ID",
        ":START_ID(Person),:END_ID(Person)",
        "src_ip,dst_ip",
        "n.name,m.name",
        "V1,V2",
        "Bait,Prey",
        "Gene,Interactor",
        "TF,Target",
        "regulator,target",
        "node,neighbour",
        "Entity,Related",
        "ligand,receptor",
        "Quelle;Ziel",
        "von,nach",
        "origen,destino",
    ],
)
def test_a_first_line_that_names_columns_is_no_edge(write: Write, header: str) -> None:
    separator = next(sign for sign in ",; " if sign in header.replace("Gene ", "Gene"))
    assert links(pulink.read(write("edges.txt", f"{header}\n{ROWS.format(separator)}"))) == ANN_BOB_CID


@pytest.mark.parametrize(
    "content",
    [
        "BRCA1,BRCA2\nTP53,ATM\n",
        "n1,n2\nn3,n4\n",
        "gene_1,gene_2\ngene_7,gene_9\n",
        "user_a,user_b\nuser_b,user_c\n",
        "protein1,protein2\n",
        "P1,P2\nQ1,Q2\n",
        "#love,#hate\n#hate,#war\n",
        "von,nach\nnach,Haus\n",
    ],
)
def test_a_real_first_edge_is_not_eaten(write: Write, content: str) -> None:
    expected = {frozenset(line.split(",")) for line in content.split()}
    assert links(pulink.read(write("edges.csv", content))) == expected


@pytest.mark.parametrize("option", ["source", "target", "weight", "time"])
def test_a_column_that_is_asked_for_and_stands_in_the_first_line_proves_a_header(
    write: Write, option: str
) -> None:
    path = write("edges.csv", "pill,molecule,mass,day\naspirin,COX1,x,y\nibuprofen,COX1,x,y\n")
    columns = {"source": "pill", "target": "molecule", "weight": "mass", "time": "day"}
    if option in ("weight", "time"):
        with pytest.raises(InputError, match=rf"line 2: {columns[option]} is '[xy]'"):
            pulink.read(path, **{option: columns[option]})  # type: ignore[arg-type]
        return
    graph = pulink.read(path, **{option: columns[option]})  # type: ignore[arg-type]
    assert links(graph) == {frozenset(("aspirin", "COX1")), frozenset(("ibuprofen", "COX1"))}


def test_numbers_under_names_that_are_asked_for_have_a_header_too(write: Write) -> None:
    path = write("edges.csv", "7,8\n1,2\n2,3\n")
    assert links(pulink.read(path, source="8", target="7")) == {frozenset("12"), frozenset("23")}
    assert len(links(pulink.read(path, source="8", target="7", header=True))) == 2


def test_columns_can_be_asked_for_by_their_numbers_whatever_they_are_called(write: Write) -> None:
    path = write("edges.csv", "when,source,target,w\n1,a,b,2\n2,b,c,3\n")
    graph = pulink.read(path, source="column_2", target="column_3", weight="column_4", time="column_1")
    assert graph.weights is not None
    assert graph.weights.tolist() == [2, 3]
    with pytest.raises(ParameterError, match="has no column 'column_5'"):
        pulink.read(path, source="column_5")


def test_the_note_names_the_option_to_type(write: Write) -> None:
    rows = "aspirin,COX1\nibuprofen,COX1\nibuprofen,COX2\n"
    as_edge = pulink.read(write("edges.csv", f"pill,molecule\n{rows}")).cleaning.notes
    assert as_edge == (
        "the first line, pill - molecule, was read as an edge; --header (header=True) if it names the columns",
    )
    as_names = pulink.read(write("edges.csv", f"gene_a,gene_b\n{rows}")).cleaning.notes
    assert as_names == (
        "the first line, gene_a - gene_b, was read as names of columns; --no-header (header=False) if it is an "
        "edge",
    )
    assert pulink.read(write("edges.csv", f"gene_a,gene_b\n{rows}"), header=True).cleaning.notes == ()


@pytest.mark.parametrize("rows", ["a,b\nb,c\nc,d\n", "a,b\nc,d\ne,f\n"])
def test_a_first_line_whose_names_stand_nowhere_else_is_always_told(write: Write, rows: str) -> None:
    (note,) = pulink.read(write("edges.csv", f"Foo,Bar\n{rows}")).cleaning.notes
    assert note.startswith("the first line, Foo - Bar, was read as an edge")
    assert pulink.read(write("edges.csv", f"Foo,b\n{rows}")).cleaning.notes == ()
    assert pulink.read(write("edges.csv", "7,8,x\n1,2,x\n3,4,x\n")).cleaning.notes == (
        "columns ignored: column_3",
    )


@pytest.mark.parametrize(
    "cells", [("85%", "90%"), ("1,5", "1.000,5"), ("1,5", "1.5"), ("0.5", "NA"), ("$3", "$4")]
)
def test_numbers_below_prove_a_header_however_they_are_written(write: Write, cells: tuple[str, str]) -> None:
    path = write("edges.csv", f"Foo;Bar;Baz\nann;bob;{cells[0]}\nbob;cid;{cells[1]}\n")
    assert links(pulink.read(path)) == ANN_BOB_CID


@pytest.mark.parametrize(
    ("column", "cell", "suggested"),
    [
        ("combined_score", "900", True),
        ("conf", "0.5", True),
        ("Total count", "3", True),
        ("rating", "4,5", True),
        ("n", "2", True),
        ("score", "-1", False),
        ("score", "high", False),
        ("nation", "5", False),
    ],
)
def test_a_column_that_looks_like_weights_is_mentioned(
    write: Write, column: str, cell: str, suggested: bool
) -> None:
    (note,) = pulink.read(write("e.csv", f"source;target;{column}\na;b;{cell}\nb;c;{cell}\n")).cleaning.notes
    quoted = f"'{column}'" if " " in column else column
    advice = f" ({column} looks like weights: --weight {quoted}, in Python weight='{column}')" if suggested else ""
    assert note == f"columns ignored: {column}{advice}"


def test_a_mark_before_the_first_name_may_be_typed_or_left_out(write: Write) -> None:
    path = write("edges.tsv", "#id\tname\tpartner\n7\tann\tbob\n8\tbob\tcid\n")
    for first in ("#id", "id", "column_1"):
        graph = pulink.read(path, source=first, target="partner")
        assert links(graph) == {frozenset(("7", "bob")), frozenset(("8", "cid"))}


def test_a_list_of_as_many_rows_as_columns_is_no_matrix_where_its_columns_are_called_so(write: Write) -> None:
    rows = "".join(f"{k},{k + 1},{k + 2},1,0\n" for k in range(1, 6))
    graph = pulink.read(write("edges.csv", f"source,target,weight,x,y\n{rows}"))
    assert graph.n_edges == 5
    nodes = write("nodes.csv", "#id,size\n1,2\n2,3\n")
    assert pulink.read(write("e.csv", "source,target\n1,2\n"), nodes, node_id="column_1").feature_names == (
        "size",
    )


def test_capital_letters_of_a_column_that_is_asked_for_do_not_matter_to_see_the_header(write: Write) -> None:
    path = write("edges.csv", "Pill,Molecule\naspirin,COX1\nibuprofen,COX1\n")
    with pytest.raises(
        ParameterError, match=r"has no column 'pill'; did you mean 'Pill'\? \(its columns are Pill, Mol"
    ):
        pulink.read(path, source="pill")
    told = r"has no column 'drug'; its first line, Pill, Molecule, was read as an edge: --header \(header=True\)"
    with pytest.raises(ParameterError, match=told):
        pulink.read(path, source="drug")
