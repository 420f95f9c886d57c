"""PULL learns what was planted: three communities, 10% of the edges removed."""

import numpy as np
import pytest
from scipy.stats import hypergeom

import pulink
from pulink import metrics
from tests.support.planted import planted_graph

N_PER_BLOCK = 50


@pytest.fixture(scope="module", params=[0, 1])
def removed(request: pytest.FixtureRequest) -> tuple[pulink.Graph, np.ndarray]:
    """The graph that is left, and the edges that were removed from it."""
    graph = planted_graph(N_PER_BLOCK, 3, 0.7, 0.01, seed=request.param)
    order = np.random.default_rng(request.param).permutation(graph.n_edges)
    gone = np.zeros(graph.n_edges, dtype=np.bool_)
    gone[order[: graph.n_edges // 10]] = True
    return graph.keep_edges(~gone), graph.edges[gone]


@pytest.fixture(scope="module")
def model(removed: tuple[pulink.Graph, np.ndarray]) -> pulink.PULL:
    return pulink.PULL(n_epochs=80, max_iterations=5).fit(removed[0])


def test_missing_links_rank_removed_edges_far_above_chance(
    model: pulink.PULL, removed: tuple[pulink.Graph, np.ndarray]
) -> None:
    graph, gone = removed
    found = model.missing_links(len(gone)).select("source", "target").cast(int).to_numpy()
    n_unconnected = graph.n_pairs - graph.n_edges
    precision = metrics.precision_at(found, gone, graph.pair_space)
    assert precision > 4 * len(gone) / n_unconnected
    assert hypergeom.sf(round(precision * len(gone)) - 1, n_unconnected, len(gone), len(gone)) < 1e-15


def test_removed_edges_outrank_pairs_that_never_were(
    model: pulink.PULL, removed: tuple[pulink.Graph, np.ndarray]
) -> None:
    graph, gone = removed
    pairs = np.stack(np.triu_indices(graph.n_nodes, k=1), axis=1)
    unconnected = pairs[~graph.has_edges(pairs)]
    was_edge = (unconnected[:, None] == gone[None]).all(axis=2).any(axis=1)
    scores = model.decision_function(unconnected)
    assert metrics.auroc(scores[was_edge], scores[~was_edge]) > 0.85


def test_nearly_all_of_the_best_links_stay_inside_a_community(
    model: pulink.PULL, removed: tuple[pulink.Graph, np.ndarray]
) -> None:
    _, gone = removed
    best, _ = model.best_pairs(len(gone))
    assert (best[:, 0] // N_PER_BLOCK == best[:, 1] // N_PER_BLOCK).mean() > 0.98


def test_pairs_that_enter_the_expected_graph_are_mostly_inside_a_community(model: pulink.PULL) -> None:
    entered = np.concatenate([record.entered for record in model.refit_history_ + model.history_])
    assert len(entered) > 0
    assert (entered[:, 0] // N_PER_BLOCK == entered[:, 1] // N_PER_BLOCK).mean() > 0.9
