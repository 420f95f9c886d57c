"""Roles: a directed graph as links between what its nodes are as sources and as targets."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from pulink import Graph
from pulink.graph.spaces.roles import nodes_of, role_graph, roles
from pulink.graph.spaces.typed_pairs import TypedPairs
from tests.support.kinds import directed

WAYS = Graph.from_edges(
    [[0, 1], [1, 0], [2, 1]], kind="directed", weights=[1.0, 2.0, 3.0], features=[[1.0], [2.0], [3.0]]
).with_absent(np.array([[1, 2]]))


@pytest.mark.parametrize("linked", [True, False])
def test_roles_by_hand(linked: bool) -> None:
    graph = role_graph(WAYS, linked=linked)
    assert graph.n_nodes == 6
    assert graph.edges.tolist() == [[0, 3], [2, 1], [4, 3]]
    assert graph.absent is not None
    assert graph.absent.tolist() == [[2, 5]]
    assert graph.n_pairs == WAYS.n_pairs == 6
    assert np.asarray(graph.features).ravel().tolist() == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]
    assert graph.adjacency.values is not None
    # Out-degrees and in-degrees, and one more where the roles of a node are linked.
    assert (graph.degrees - int(linked)).tolist() == [1, 1, 1, 2, 1, 0]
    space = graph.pair_space
    assert isinstance(space, TypedPairs)
    assert (space.context is not None) == linked


def test_sparse_features_are_those_of_both_roles() -> None:
    graph = role_graph(WAYS.with_features(sp.csr_array(np.eye(3))), linked=False)
    assert graph.features is not None
    assert not isinstance(graph.features, np.ndarray)
    assert graph.features.toarray().tolist() == np.repeat(np.eye(3), 2, axis=0).tolist()


@given(directed())
def test_pairs_become_roles_and_back(graph: Graph) -> None:
    every = graph.pair_space.unconnected(graph.pair_space.adjacency(graph.edges[:0]))
    as_roles = roles(every)
    assert as_roles.dtype == every.dtype
    assert np.array_equal(nodes_of(as_roles), every)
    assert np.array_equal(nodes_of(as_roles[:, ::-1]), every)
    for linked in (True, False):
        found = role_graph(graph, linked=linked)
        assert found.pair_space.are_ordered(as_roles).all()
        assert np.array_equal(nodes_of(found.pair_space.unconnected(found.adjacency)), free_of(graph))
        assert np.array_equal(found.has_edges(as_roles), graph.has_edges(every))


def free_of(graph: Graph) -> np.ndarray:
    return graph.pair_space.unconnected(graph.adjacency)


@pytest.mark.parametrize("linked", [True, False])
def test_the_two_roles_of_a_node_are_never_drawn(linked: bool) -> None:
    graph = role_graph(WAYS, linked=linked)
    for known in (graph.adjacency, None):
        drawn = graph.pair_space.sampler(known).draw(2_000, np.uint64(3))
        assert (drawn[:, 0] >> 1 != drawn[:, 1] >> 1).all()
        assert ((drawn[:, 0] + drawn[:, 1]) % 2 == 1).all()
