"""GML, by a small grammar of our own: what NetworkX writes is read alike, what is broken is named."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pulink
from pulink.errors import InputError
from tests.conftest import Write
from tests.support.edges_of import edges_of
from tests.support.hostile import refused

TEXT = """# a comment
graph [
  directed 1
  node [ id 5 label "Ada &#38; Bob" age 3 graphics [ x 1.0 fill "#ff0000" ] ]
  node [ id 6 label "two
lines" age 4 ]
  edge [ source 5 target 6 weight 2.5 ]
]
"""


def test_labels_attributes_weights_and_direction(write: Write) -> None:
    graph = pulink.read(write("g.gml", TEXT))
    assert edges_of(graph) == [("Ada & Bob", "two\nlines")]
    assert (graph.kind, graph.cleaning.kind_seen) == ("directed", "the file says directed 1")
    assert graph.feature_names == ("age",)
    assert graph.weights is not None
    assert graph.weights.tolist() == [2.5]
    assert "nodes are called by their label, not by their id" in str(graph.cleaning)


def test_ids_where_labels_do_not_tell_nodes_apart(write: Write) -> None:
    text = 'graph [ node [ id 1 label "x" ] node [ id 2 label "x" ] edge [ source 1 target 2 ] ]'
    assert edges_of(pulink.read(write("g.gml", text))) == [("1", "2")]


def test_numbers_of_edges_that_are_not_used_are_told(write: Write) -> None:
    edges = 'edge [ source 1 target 2 id 7 w 3 kind "x" ] edge [ source 2 target 3 w 2 ]'
    path = write("g.gml", f"graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] {edges} ]")
    assert pulink.read(path).cleaning.notes == (
        "numbers of edges ignored: w (as weights: --weight w, in Python weight='w')",
    )
    assert pulink.read(path, weight="w").cleaning.notes == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no graph"),
        ("graph [ node [ id 1 ]", "line 1: ends before 'graph' does"),
        ("graph [\n node [ id 1 ] ] ]", "line 2: a ] that closes nothing"),
        ('graph [\n\n node [ id "1 ] ]', "line 3: a quotation mark is never closed"),
        ("graph [ node [ label 1 ] ]", "the id of a node is empty"),
        ("graph [ edge [ source 1 ] ]", "the target of an edge is empty"),
        ("graph [ 1 2 ]", "'1' where a key is needed"),
        ("graph [ node [ id ] ]", "'id' has no value"),
        ("graph " + "[ a " * 2_000, "more than 1,000 groups inside one another"),
        (b"graph [ node [ id \xff ] ]", "not utf-8; save it as UTF-8"),
        ('graph [ edge [ source 1 target 2 weight "x" ] ]', "weight is 'x'; weights must be positive"),
    ],
)
def test_what_is_broken_is_named(write: Write, text: str | bytes, message: str) -> None:
    refused(message, write("g.gml", text))


@given(st.integers(2, 8), st.integers(0, 2**31), st.booleans())
def test_what_networkx_writes_is_read_alike(
    tmp_path_factory: pytest.TempPathFactory, n: int, seed: int, way: bool
) -> None:
    made = nx.gnp_random_graph(n, 0.5, seed=seed, directed=way)
    nx.relabel_nodes(made, {k: f'é{k} "&' for k in range(n)}, copy=False)
    path: Path = tmp_path_factory.mktemp("gml") / "g.gml"
    nx.write_gml(made, path)
    expected = pulink.from_networkx(made)
    found = pulink.read(path)
    assert (found.kind, found.n_nodes, edges_of(found)) == (expected.kind, expected.n_nodes, edges_of(expected))


@given(st.text(alphabet='graph[]node id"1 2\n#', max_size=60))
def test_any_text_is_a_graph_or_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("gml") / "g.gml"
    path.write_text(text)
    try:
        pulink.read(path)
    except InputError as error:
        assert len(str(error).splitlines()) == 1
