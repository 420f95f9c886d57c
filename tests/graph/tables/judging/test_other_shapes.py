"""Tables of other shapes are refused or told; lists of edges that resemble them are read."""

from __future__ import annotations

import pytest

import pulink
from pulink.errors import InputError
from tests.conftest import Write
from tests.support.edges_of import edges_of


def rows(relation: str) -> str:
    return "".join(f"drug{k % 7}\t{relation}\tdis{k % 5}\n" for k in range(35))


def test_a_verb_between_two_kinds_of_nodes_is_no_node(write: Write) -> None:
    path = write("triples.tsv", rows("treats"))
    with pytest.raises(
        InputError, match=r"is column_2 a relation\? It holds treats: type --source column_1 --target"
    ):
        pulink.read(path)
    assert pulink.read(path, source="column_1", target="column_3").n_edges == 35


def test_few_other_names_in_the_second_of_three_columns_are_told(write: Write) -> None:
    notes = pulink.read(write("triples.tsv", "".join(f"a{k}\tXY\tb{k}\n" for k in range(9)))).cleaning.notes
    assert notes[-1] == "column_2 holds 1 name only; --target column_3 (target='column_3') if it is a relation"
    other = pulink.read(write("clubs.tsv", "".join(f"a{k}\tc{k % 4}\tcity{k % 3}\n" for k in range(9))))
    assert other.cleaning.notes == ("columns ignored: column_3",)


@pytest.mark.parametrize("corner", ["drug", ""])
def test_a_matrix_of_two_kinds_of_nodes_is_refused(write: Write, corner: str) -> None:
    path = write("matrix.csv", f"{corner},g1,g2,TP53\naspirin,1,0,1\nibuprofen,0,1,0\n")
    with pytest.raises(
        InputError, match="looks like a matrix, numbers below g1, g2, TP53, and a list of edges is needed"
    ):
        pulink.read(path)


@pytest.mark.parametrize(
    "content", [",MDM2,EP300\nTP53,0.5,0.7\nBRCA1,0.1,0.2\n", "person,e1,e2,e3\nAnn,3,0,2\nBob,0,0,1\n"]
)
def test_a_matrix_of_other_numbers_is_refused_too(write: Write, content: str) -> None:
    with pytest.raises(InputError, match="looks like a matrix, numbers below "):
        pulink.read(write("matrix.csv", content))


def test_numbers_that_may_count_rows_are_told(write: Write) -> None:
    graph = pulink.read(write("e.csv", "1,5,7\n2,5,9\n3,7,5\n"))
    assert edges_of(graph) == [("1", "5"), ("2", "5"), ("3", "7")]
    assert graph.cleaning.notes[-1] == (
        "column_1 counts the rows; --source column_2 --target column_3 if it holds no nodes"
    )


def test_a_list_with_a_column_of_zeros_and_ones_is_no_matrix(write: Write) -> None:
    assert edges_of(pulink.read(write("e.csv", "from,to,seen\na,0,0\nb,1,1\n"))) == [("0", "a"), ("1", "b")]
    assert edges_of(pulink.read(write("e.csv", "x,y,seen\na,b,0\nb,c,1\n"))) == [("a", "b"), ("b", "c")]


def test_lists_in_cells_are_refused_where_their_parts_are_nodes(write: Write) -> None:
    path = write("lists.csv", 'Gene,Interactors\nTP53,"MDM2, EP300"\nBRCA1,"BARD1, TP53"\n')
    with pytest.raises(
        InputError, match=r"line 2: Interactors is 'MDM2, EP300': is that a list of nodes\? a row for"
    ):
        pulink.read(path)
    told = pulink.read(write("lists.csv", "gene;partner\nTP53;MDM2|EP300\nBRCA1;BARD1|RAD51\n"), header=True)
    assert told.cleaning.notes == (
        "partner is 'MDM2|EP300' in line 2, and was read as one node; a row for each link is needed, with one "
        "name in each cell",
    )


def test_a_name_that_holds_another_is_only_told(write: Write) -> None:
    graph = pulink.read(write("names.csv", 'source,target\na,"a,b"\n"a,b",c\nc,d\n'))
    assert graph.names.series().to_list() == ["a", "a,b", "c", "d"]
    assert "is 'a,b' in line" in graph.cleaning.notes[0]


@pytest.mark.parametrize(
    "cells", [('"Doe, Jane"', '"Roe, Ann"', '"Poe, Jim"'), ('"1,234"', '"2,000"', "1"), ("a", "b", '"c, d"')]
)
def test_names_with_commas_are_names(write: Write, cells: tuple[str, str, str]) -> None:
    one, other, third = cells
    rest = "e,f\ng,h\n" if third.startswith('"c') else ""
    path = write("names.csv", f"source,target\n{one},{other}\n{other},{third}\n{rest}")
    assert pulink.read(path).cleaning.notes == ()


@pytest.mark.parametrize("first", [0, 1])
def test_row_numbers_without_a_header_are_no_nodes(write: Write, first: int) -> None:
    cells = [("n0", "n1"), ("n0", "n5"), ("n1", "n5")]
    path = write("e.csv", "".join(f"{k},{a},{b}\n" for k, (a, b) in enumerate(cells, first)))
    graph = pulink.read(path)
    assert edges_of(graph) == cells
    assert graph.cleaning.notes[0] == "edges are between column_2 and column_3 (--source and --target name others)"


def test_types_that_no_row_links_are_named(write: Write) -> None:
    edges = write("e.csv", "source,target\na,b\nb,c\n")
    nodes = write("n.csv", "id,what\na,drug\nb,protein\nc,disease\n")
    with pytest.raises(InputError) as caught:
        pulink.read(edges, nodes, node_type="what", between=[("drug", "disease")])
    assert str(caught.value) == (
        "between (--between): no row links drug - disease, so there is nothing to learn from; rows link disease - "
        "protein, drug - protein"
    )


def test_a_tsv_without_tabs_says_what_to_type(write: Write) -> None:
    path = write("e.tsv", "a b\nb c\n")
    with pytest.raises(InputError, match=r"line 1: holds no tab, .* type --separator ' ' \(separator=' '\)"):
        pulink.read(path)
    assert edges_of(pulink.read(path, separator=" ")) == [("a", "b"), ("b", "c")]
