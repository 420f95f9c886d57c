"""Of one thing nobody speaks as of many."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, LeakError
from pulink.text import counted, plural
from pulink.workflows.graph_source import open_graph
from pulink.workflows.words.messages import was_read
from tests.conftest import Write


@pytest.mark.parametrize(("n", "words"), [(0, "0 edges"), (1, "1 edge"), (2, "2 edges"), (1234, "1,234 edges")])
def test_counts(n: int, words: str) -> None:
    assert counted(n, "edge") == words


def test_a_graph_of_one_of_each() -> None:
    graph = pulink.Graph.from_edges([[0, 1]], n_nodes=3, features=np.ones((3, 1)))
    assert repr(graph.with_absent(np.array([[0, 2]]))) == "Graph(3 nodes, 1 edge, 1 feature, 1 known non-link)"
    with pytest.raises(InputError, match=r"^1 of the pairs that are no links is an edge of the graph"):
        graph.with_absent(np.array([[0, 1]]))
    with pytest.raises(InputError, match=r"^1 edge needs 1 weight, got shape"):
        pulink.Graph.from_edges([[0, 1]], weights=[1, 2])
    with pytest.raises(InputError, match=r"^features have 1 row, the graph has 3 nodes$"):
        graph.with_features(np.ones((1, 1)))


def test_one_edge_that_was_read(write: Write) -> None:
    path = str(write("edges.csv", "a,b\n"))
    absent = write("absent.csv", "a,c\n")
    plain = ReadOptions(header=False)
    assert was_read(path, open_graph(path, None, plain).graph) == f"read {path}: 2 nodes, 1 edge, no node features"
    path = str(write("edges.csv", "a,b\nb,c\n"))
    nodes = write("nodes.csv", "id,age\na,1\nb,2\nc,3\n")
    said = was_read(path, open_graph(path, nodes, plain, absent).graph)
    assert "3 nodes, 2 edges, 1 node feature (" in said
    assert "attributes age (number): 1 feature;" in said
    assert "1 pair is known to be no link)" in said


def test_one_new_node() -> None:
    graph = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3]], features=np.eye(4))
    with pytest.raises(InputError, match=r"^features of 1 new node must have the shape"):
        pulink.make("gcn-ce", max_epochs=1).fit(graph).with_nodes(["x"], [("x", "0")], np.ones((1, 1)))


def test_one_held_out_pair() -> None:
    graph = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 0], [0, 3], [3, 1]])
    with pytest.raises(InputError, match="4 non-edges are needed, but only 1 pair is unconnected"):
        pulink.split(graph, val=0.4, test=0.4)
    own = pulink.split(graph, val=0.2, test=0.0)
    with pytest.raises(LeakError, match=r"^1 of the .* stands in the training graph"):
        pulink.audit(pulink.Split(graph, own.val_edges, own.val_non_edges, own.test_edges, own.test_non_edges))


def test_a_word_stands_in_the_number_of_what_it_counts() -> None:
    assert [plural(n, "node") for n in (0, 1, 2)] == ["nodes", "node", "nodes"]
    assert [plural(n, "is an edge", "are edges") for n in (1, 3)] == ["is an edge", "are edges"]
    assert [counted(n, "row") for n in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]
