"""Graphs from and to the objects of other libraries."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch

import pulink
from pulink.errors import InputError, ParameterError
from tests.support.pyg import Data

WEIGHTED = pulink.Graph.from_edges(
    [[0, 2], [1, 2]], n_nodes=4, weights=[0.5, 2.0], features=np.eye(4), names=["ann", "bob", "cid", "lone"]
)


def test_numbers_of_networkx_edges_that_are_not_used_are_told() -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=3, delta=-1, label="x")
    assert pulink.from_networkx(graph).cleaning.notes == (
        "numbers of edges ignored: weight, delta (as weights: weight='weight')",
    )
    assert pulink.from_networkx(graph, weight="weight").cleaning.notes == ("numbers of edges ignored: delta",)
    assert pulink.from_networkx(nx.path_graph(3)).cleaning.notes == ()


def assert_same(found: pulink.Graph, expected: pulink.Graph) -> None:
    assert found.edges.tolist() == expected.edges.tolist()
    assert found.n_nodes == expected.n_nodes
    assert (found.weights is None) == (expected.weights is None)
    if expected.weights is not None:
        np.testing.assert_array_equal(found.weights, expected.weights)


def test_networkx_there_and_back() -> None:
    there = pulink.to_networkx(WEIGHTED)
    assert sorted(there.nodes) == ["ann", "bob", "cid", "lone"]
    assert there["ann"]["cid"]["weight"] == 0.5
    back = pulink.from_networkx(there, weight="weight", features=np.eye(4))
    assert_same(back, WEIGHTED)
    assert back.names.series().to_list() == ["ann", "bob", "cid", "lone"]
    assert back.n_features == 4


def test_networkx_of_any_kind() -> None:
    directed = nx.MultiDiGraph([("x", "y"), ("y", "x"), ("x", "y"), ("y", "y"), ("y", 3)])
    graph = pulink.from_networkx(directed)
    assert graph.names.series().to_list() == ["3", "x", "y"]
    assert (graph.kind, graph.edges.tolist()) == ("directed", [[1, 2], [2, 0], [2, 1]])
    assert graph.cleaning.kind_seen == "it is a MultiDiGraph"
    graph = pulink.from_networkx(directed, kind="undirected")
    assert graph.edges.tolist() == [[0, 2], [1, 2]]
    assert str(graph.cleaning) == "1 duplicate merged, 1 reversed duplicate merged, 1 self-loop dropped"


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, list])
def test_networkx_nodes_are_in_the_order_of_their_names_and_features_follow(form: Any) -> None:
    source = nx.Graph([("10", "9"), ("9", "100")])
    graph = pulink.from_networkx(source, features=form([[10.0, 1.0], [9.0, 1.0], [100.0, 0.0]]))
    assert graph.names.series().to_list() == ["9", "10", "100"]
    features = graph.features if isinstance(graph.features, np.ndarray) else graph.features.toarray()
    assert features.tolist() == [[9.0, 1.0], [10.0, 1.0], [100.0, 0.0]]
    with pytest.raises(InputError, match="features"):
        pulink.from_networkx(source, features=[[1.0]])


def test_networkx_without_edges_or_nodes() -> None:
    assert pulink.from_networkx(nx.Graph()).n_nodes == 0
    lone = nx.Graph()
    lone.add_nodes_from(["b", "a"])
    assert pulink.from_networkx(lone).names.series().to_list() == ["a", "b"]


def test_networkx_edges_without_a_weight_weigh_one() -> None:
    source = nx.Graph()
    source.add_edge("a", "b", cost=3.0)
    source.add_edge("b", "c")
    graph = pulink.from_networkx(source, weight="cost")
    assert graph.weights is not None
    assert graph.weights.tolist() == [3.0, 1.0]


def test_networkx_nodes_need_names_of_their_own() -> None:
    with pytest.raises(InputError, match=r"same str\(\)"):
        pulink.from_networkx(nx.Graph([(1, "1")]))


def test_scipy_there_and_back() -> None:
    there = pulink.to_scipy(WEIGHTED)
    assert (there != there.T).nnz == 0
    assert there.toarray()[2].tolist() == [0.5, 2.0, 0.0, 0.0]
    assert_same(pulink.from_scipy(there, weighted=True), WEIGHTED)
    unweighted = pulink.from_scipy(there)
    assert unweighted.weights is None
    assert pulink.to_scipy(unweighted).toarray().sum() == 4


def test_what_scipy_got_is_its_own() -> None:
    matrix = pulink.to_scipy(WEIGHTED)
    matrix.data[:] = 0
    matrix.indices[:] = 0
    assert pulink.to_scipy(WEIGHTED).toarray()[2].tolist() == [0.5, 2.0, 0.0, 0.0]


def test_scipy_of_any_format_and_one_triangle() -> None:
    upper = sp.coo_matrix(np.triu(np.ones((3, 3)), k=1))
    assert pulink.from_scipy(upper.tocsc(), names=["a", "b", "c"]).edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    stored_zero = sp.csr_array((np.array([0.0, 1.0]), (np.array([0, 1]), np.array([1, 2]))), shape=(3, 3))
    assert pulink.from_scipy(stored_zero).edges.tolist() == [[1, 2]]
    with pytest.raises(InputError, match="undirected graph must be square"):
        pulink.from_scipy(sp.csr_array((2, 3)), kind="undirected")


def test_pyg_there_and_back() -> None:
    there = pulink.to_pyg(WEIGHTED)
    assert there.edge_index.shape == (2, 4)
    assert there.is_undirected()
    assert there.num_nodes == 4
    back = pulink.from_pyg(there)
    assert_same(back, WEIGHTED)
    assert back.n_features == 4


def test_pyg_features_are_stored_as_they_fit() -> None:
    edges = torch.tensor([[0, 1], [1, 2]])
    dense = pulink.from_pyg(Data(x=torch.ones(3, 2), edge_index=edges))
    assert isinstance(dense.features, np.ndarray)
    sparse = pulink.from_pyg(Data(x=torch.eye(3, 9), edge_index=edges))
    assert isinstance(sparse.features, sp.csr_array)
    assert sparse.features.toarray().tolist() == torch.eye(3, 9).tolist()
    coo = pulink.from_pyg(Data(x=torch.eye(3, 9).to_sparse(), edge_index=edges))
    assert coo.n_features == 9


def test_pyg_without_edges_is_refused() -> None:
    with pytest.raises(InputError, match="edge_index is needed"):
        pulink.from_pyg(Data(x=torch.eye(2)))


def frames(library: Any) -> tuple[Any, Any]:
    edges = library.DataFrame({"from": ["x", "y", "x"], "to": ["y", "z", "y"], "cost": [1.0, 2.0, 4.0]})
    nodes = library.DataFrame({"id": ["z", "x", "lone"], "size": [3.0, None, 1.0]})
    return edges, nodes


@pytest.mark.parametrize("library", [pl, pd], ids=["polars", "pandas"])
def test_frames_of_edges_and_nodes(library: Any) -> None:
    edges, nodes = frames(library)
    graph = pulink.from_frame(edges, nodes, weight="cost")
    assert graph.names.series().to_list() == ["lone", "x", "y", "z"]
    assert graph.edges.tolist() == [[1, 2], [2, 3]]
    assert graph.weights is not None
    assert graph.weights.tolist() == [4.0, 2.0]
    assert graph.feature_names == ("size", "size is missing")
    assert graph.features is not None
    assert graph.features.toarray().tolist() == [[-1, 0], [0, 1], [0, 1], [1, 0]]


@pytest.mark.parametrize("library", [pl, pd], ids=["polars", "pandas"])
def test_frames_keep_the_identity_of_ids(library: Any) -> None:
    assert pulink.from_frame(library.DataFrame({"a": ["001", "1"], "b": ["1", "2"]})).n_nodes == 3
    assert pulink.from_frame(library.DataFrame({"a": [10, 9], "b": [9, 2]})).names.series().to_list() == [
        "2",
        "9",
        "10",
    ]


@pytest.mark.parametrize("kind", [pl.Int8, pl.Int32, pl.UInt16, pl.UInt64])
def test_whole_numbers_may_be_narrow(kind: Any) -> None:
    edges = pl.DataFrame({"a": [0, 1], "b": [1, 2]}, schema={"a": kind, "b": kind})
    assert pulink.from_frame(edges).edges.tolist() == [[0, 1], [1, 2]]


def test_a_pandas_index_is_no_column() -> None:
    edges = pd.DataFrame({"a": ["x"], "b": ["y"]}, index=[7])
    assert pulink.from_frame(edges).edges.tolist() == [[0, 1]]


def test_frames_that_do_not_fit_are_refused() -> None:
    edges, nodes = frames(pl)
    with pytest.raises(ParameterError, match="the edge frame: has no column 'costs'; did you mean 'cost'"):
        pulink.from_frame(edges, weight="costs")
    with pytest.raises(ParameterError, match="the node frame: has no column 'key'"):
        pulink.from_frame(edges, nodes, node_id="key")
    with pytest.raises(ParameterError, match="go with a frame of nodes"):
        pulink.from_frame(edges, node_id="id")
    with pytest.raises(InputError, match="the edge frame, row 2: to is empty"):
        pulink.from_frame(pl.DataFrame({"from": ["a", "b"], "to": ["b", None]}))
    with pytest.raises(InputError, match="the node frame, row 2: node 'x' stands in the table more than once"):
        pulink.from_frame(edges, pl.DataFrame({"id": ["x", "x"], "size": [1, 2]}))
    with pytest.raises(
        InputError, match=r"edges must be a polars or pandas frame, or another table of Arrow .*, got list"
    ):
        pulink.from_frame([("a", "b")])
