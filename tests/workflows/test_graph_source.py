"""What users call a graph: files, datasets, objects; with node attributes and known non-links in any form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import pulink
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.errors import InputError, ParameterError
from pulink.workflows.graph_source import open_graph
from pulink.workflows.words.messages import was_read
from tests.conftest import Write

EDGES = "source,target,weight\na,b,2\nb,a,1\nb,c,1\nc,c,1\n"
PAIRS = [("a", "b"), ("b", "c")]
NODES = pl.DataFrame({"id": ["a", "b"], "year": [1999, 2001]})
YEARS = ReadOptions(kinds={"year": "category"})


def test_what_was_read_is_told_in_one_line(write: Write) -> None:
    path = str(write("edges.csv", EDGES))
    source = open_graph(path, write("nodes.csv", "id,year\na,1999\nb,2001\n"), YEARS)
    assert source.graph.feature_names == ("year=1999", "year=2001", "year is missing")
    assert was_read(source.label, source.graph) == (
        f"read {path}: 3 nodes, 2 edges, 3 node features, weighted "
        "(1 reversed duplicate merged, 1 self-loop dropped; 1 node without a row in the node table; "
        "attributes year (category): 3 features)"
    )


def test_a_name_of_the_catalogue_is_a_dataset_unless_a_file_is_called_so(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_graph("sample").graph.n_nodes == 5769
    monkeypatch.chdir(write("sample", EDGES).parent)
    assert open_graph("sample").graph.n_nodes == 3


@pytest.mark.parametrize(
    ("edges", "name"),
    [
        (pl.DataFrame(PAIRS, schema=["a", "b"], orient="row"), "a polars frame"),
        (pd.DataFrame(PAIRS), "a pandas frame"),
        (PAIRS, "a list of pairs"),
        (np.array(PAIRS), "an array"),
        (np.array(PAIRS, dtype=object), "an array"),
        (nx.DiGraph(PAIRS), "a NetworkX graph"),
    ],
)
@pytest.mark.parametrize("as_file", [True, False])
def test_attributes_are_a_file_or_a_frame_whatever_the_edges_are(
    edges: Any, name: str, as_file: bool, write: Write
) -> None:
    nodes = write("nodes.csv", NODES.write_csv()) if as_file else NODES
    source = open_graph(edges, nodes, YEARS)
    assert source.graph.feature_names == ("year=1999", "year=2001", "year is missing")
    assert source.graph.features is not None
    assert source.graph.features.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert (source.edges, source.label) == (name, name)
    assert source.nodes == (str(nodes) if as_file else "a polars frame")


def test_a_node_of_the_table_may_have_no_edge(write: Write) -> None:
    nodes = pl.DataFrame({"id": ["a", "b", "c", "lone"], "size": [1, 2, 3, 4]})
    as_file = write("edges.csv", "source,target\na,b\nb,c\n")
    frame = pl.DataFrame(PAIRS, schema=["a", "b"], orient="row")
    for edges in (as_file, frame, PAIRS, np.array(PAIRS)):
        assert open_graph(edges, nodes).graph.names.series().to_list() == ["a", "b", "c", "lone"]


def test_a_file_of_edges_takes_a_frame_of_nodes(write: Write) -> None:
    by_file = open_graph(write("edges.csv", EDGES), write("nodes.csv", NODES.write_csv()), YEARS).graph
    by_frame = open_graph(write("edges.csv", EDGES), NODES.to_pandas(), YEARS).graph
    assert by_frame.feature_names == by_file.feature_names
    assert (by_frame.features != by_file.features).nnz == 0  # type: ignore[union-attr]


@pytest.mark.parametrize("as_what", ["file", "polars", "pandas", "list", "array"])
def test_known_non_links_come_in_any_form(as_what: str, write: Write) -> None:
    frame = pl.DataFrame({"source": ["a"], "target": ["c"]})
    forms = {
        "file": write("absent.csv", "a,c\n"),
        "polars": frame,
        "pandas": frame.to_pandas(),
        "list": [("a", "c")],
        "array": np.array([["c", "a"]]),
    }
    graph = open_graph(PAIRS, known_absent=forms[as_what]).graph
    assert graph.absent is not None
    assert graph.absent.tolist() == [[0, 2]]


def test_known_non_links_of_the_graph_stay() -> None:
    graph = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3]]).with_absent(np.array([[0, 2]]))
    more = open_graph(graph, known_absent=np.array([[0, 3]])).graph
    assert more.absent is not None
    assert more.absent.tolist() == [[0, 2], [0, 3]]
    assert open_graph(graph, known_absent=[]).graph.n_absent == 1


def test_an_edge_that_is_known_to_be_no_link_names_its_source() -> None:
    with pytest.raises(InputError, match=r"^the frame of known non-links: 1 of the pairs"):
        open_graph(PAIRS, known_absent=pl.DataFrame({"x": ["b"], "y": ["a"]}))


def test_weights_of_networkx_edges_are_asked_for_by_name() -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", often=3.0)
    found = open_graph(graph, None, ReadOptions(weight="often")).graph
    assert found.weights is not None
    assert found.weights.tolist() == [3.0]


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        (PAIRS, ReadOptions(separator=","), "separator does not go with a list of pairs"),
        (pl.DataFrame({"a": [0], "b": [1]}), ReadOptions(header=True), "header does not go with a polars frame"),
        (np.array([[0, 1]]), ReadOptions(weight="w"), "weight does not go with an array"),
        (PAIRS, ReadOptions(node_id="id"), "node_id goes with a node table, and there is none"),
        ("sample", ReadOptions(header=True), "header goes with a file; 'sample' is a dataset"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(edges: Any, options: ReadOptions, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        open_graph(edges, None, options)


def test_a_dataset_takes_no_table_of_nodes() -> None:
    with pytest.raises(ParameterError, match="nodes goes with a file; 'sample' is a dataset"):
        open_graph("sample", NODES)


def test_numbers_in_a_list_are_names_as_in_a_frame() -> None:
    for edges in ([(0, 3), (3, 1)], np.array([(0, 3), (3, 1)]), pl.DataFrame({"a": [0, 3], "b": [3, 1]})):
        graph = open_graph(edges, known_absent=np.array([[0, 1]])).graph
        assert graph.names.series().to_list() == ["0", "1", "3"]
        assert graph.absent is not None
        assert graph.absent.tolist() == [[0, 1]]
    with pytest.raises(InputError, match="whole node numbers, got bool"):
        open_graph([(True, False)])
    with pytest.raises(InputError, match="whole node numbers, got object"):
        open_graph([(0, 2**70)])


def test_text_that_is_no_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder; a file is needed"):
        open_graph(tmp_path, options=AS_FOUND)
