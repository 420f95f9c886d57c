"""ID-GNN's fast form: a GCN with the walks as features, which tells nodes apart that a GCN cannot."""

import numpy as np
import pytest
import scipy.sparse as sp

import pulink
from pulink.methods.baselines.gnn.gcn_ce import GCNCE
from pulink.methods.baselines.gnn.id_gnn import IDGNN, walk_features
from tests.support.planted import planted_graph

GRAPH = planted_graph(25, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, val=0.1, test=0.1, seed=0)


def test_walks_by_hand() -> None:
    # A triangle with a tail: 7, 7, 11 and 3 walks of four steps.
    graph = pulink.Graph.from_edges([[0, 1], [0, 2], [1, 2], [2, 3]])
    expected = np.log1p([[2, 2, 7], [2, 2, 7], [3, 2, 11], [1, 0, 3]])
    np.testing.assert_allclose(walk_features(graph), expected / expected.max(axis=0), rtol=1e-6)


def test_walks_that_no_node_has_stay_zero() -> None:
    star = pulink.Graph.from_edges([[0, 1], [0, 2], [0, 3]])
    walks = walk_features(star)
    assert (walks[:, 1] == 0).all()
    assert np.isfinite(walks).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_it_equals_a_gcn_with_the_walks_appended(sparse: bool) -> None:
    matrix = np.random.default_rng(0).random((GRAPH.n_nodes, 7)).astype(np.float32)
    appended = np.concatenate([matrix, walk_features(SPLIT.train)], axis=1)
    budget = {"max_epochs": 15, "min_epochs": 15, "val_ratio": 0.0}
    graph = SPLIT.train
    own = graph.with_features(sp.csr_array(matrix) if sparse else matrix)
    models = (
        IDGNN(feature_scaling="none", **budget).fit(own),  # type: ignore[arg-type]
        GCNCE(feature_scaling="none", **budget).fit(graph.with_features(appended)),  # type: ignore[arg-type]
    )
    np.testing.assert_allclose(models[0].embeddings_, models[1].embeddings_, rtol=1e-3, atol=1e-4)


def test_it_equals_a_gcn_on_the_identity_and_the_walks() -> None:
    appended = np.concatenate([np.eye(GRAPH.n_nodes), walk_features(GRAPH)], axis=1)
    budget = {"max_epochs": 15, "min_epochs": 15, "val_ratio": 0.0}
    models = (
        IDGNN(**budget).fit(GRAPH),  # type: ignore[arg-type]
        GCNCE(feature_scaling="none", **budget).fit(GRAPH.with_features(appended)),  # type: ignore[arg-type]
    )
    np.testing.assert_allclose(models[0].embeddings_, models[1].embeddings_, rtol=1e-3, atol=1e-4)


def test_it_tells_triangles_from_hexagons() -> None:
    # Every node has two neighbours and the same feature: a GCN sees no difference.
    triangles = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]
    hexagon = [[6, 7], [7, 8], [8, 9], [9, 10], [10, 11], [6, 11]]
    graph = pulink.Graph.from_edges(triangles + hexagon, features=np.ones((12, 1)))
    budget = {"max_epochs": 30, "min_epochs": 30, "val_ratio": 0.0}
    plain, aware = (kind(**budget).fit(graph).embeddings_ for kind in (GCNCE, IDGNN))  # type: ignore[arg-type]
    np.testing.assert_allclose(plain[0], plain[6], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(aware[0], aware[3], rtol=1e-5, atol=1e-6)
    assert np.abs(aware[0] - aware[6]).max() > 1e-3


@pytest.mark.parametrize("features", [False, True])
def test_it_learns_what_was_planted(features: bool) -> None:
    blocks = np.repeat(np.eye(3), 25, axis=0)
    split = pulink.split(GRAPH.with_features(blocks), val=0.1, test=0.1, seed=0) if features else SPLIT
    model = IDGNN(max_epochs=100, min_epochs=0, patience=100).fit(split)
    assert model.score(split)["auroc"] > 0.85
