"""NCN: one pass against a dense twin, and that it learns what was planted and nothing where nothing is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import pulink
from pulink import metrics
from pulink.methods.baselines.structural.ncn import NCN
from pulink.predictor.masked_gcn import MaskedTraining
from tests.support.planted import planted_graph

GRAPH = planted_graph(15, 3, 0.5, 0.05, seed=0)
LOW, HIGH = np.triu_indices(GRAPH.n_nodes, k=1)
PAIRS = np.stack([LOW, HIGH], axis=1)
Rows = npt.NDArray[np.floating]


@pytest.fixture(scope="module")
def fitted() -> NCN:
    return NCN(n_units=8, max_epochs=5, min_epochs=5).fit(pulink.split(GRAPH, seed=0))


def dense_adjacency(graph: pulink.Graph) -> npt.NDArray[np.float64]:
    matrix = np.zeros((graph.n_nodes, graph.n_nodes))
    matrix[tuple(graph.edges.T)] = 1
    return matrix + matrix.T


def dense_network(rows: Rows, state: dict[str, Rows], name: str) -> Rows:
    """Linear, norm by running averages, relu, linear."""
    hidden = rows @ state[f"{name}.layers.0.weight"] + state[f"{name}.layers.0.bias"]
    norm = {part: state[f"{name}.norms.0.{part}"] for part in ("mean", "variance", "weight", "bias")}
    hidden = (hidden - norm["mean"]) / np.sqrt(norm["variance"] + 1e-5) * norm["weight"] + norm["bias"]
    return np.maximum(hidden, 0) @ state[f"{name}.layers.1.weight"] + state[f"{name}.layers.1.bias"]


def test_scores_equal_a_dense_twin(fitted: NCN) -> None:
    state = {name: value.astype(np.float64) for name, value in fitted.state_.items()}
    h, linked = state["embeddings"], dense_adjacency(fitted.graph_)
    common = (linked[LOW] * linked[HIGH]) @ h
    ends = dense_network(h[LOW] * h[HIGH], state, "head.ends")
    joined = ends + state["head.beta"] * dense_network(common, state, "head.common")
    logits = dense_network(joined, state, "head.join")[:, 0]
    np.testing.assert_allclose(fitted.decision_function(PAIRS), logits, rtol=1e-3, atol=1e-3)


def test_embeddings_are_those_of_a_dense_gcn_over_the_training_graph() -> None:
    model = NCN(n_units=8)
    training = MaskedTraining(model, GRAPH, model._head())
    training.advance(1)
    encoder = {name: value.detach().double().numpy() for name, value in training._encoder.state_dict().items()}
    looped = dense_adjacency(GRAPH) + np.eye(GRAPH.n_nodes)
    root = np.sqrt(looped.sum(axis=1))
    step = looped / np.outer(root, root)
    hidden = np.maximum(step @ encoder["weights.0"] + encoder["biases.0"], 0)
    z = step @ (hidden @ encoder["weights.1"]) + encoder["biases.1"]
    np.testing.assert_allclose(training.snapshot()["embeddings"], z, rtol=1e-3, atol=1e-5)


def test_removed_edges_of_planted_blocks_are_found() -> None:
    data = pulink.split(planted_graph(40, 3, 0.6, 0.02, seed=1), seed=0)
    assert NCN(max_epochs=6, min_epochs=6).fit(data).score(data)["auroc"] > 0.85


def test_features_alone_tell_where_neighbours_cannot() -> None:
    # Sparse groups, and a feature that says which. Of edges 94% lie inside a group, of non-edges 24%: who knows
    # the groups reaches 0.94 * 0.76 + (0.94 * 0.24 + 0.06 * 0.76) / 2 = 0.85, with an error of about 0.05 here.
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(4), 60)
    same = groups[:, None] == groups
    low, high = np.triu_indices(len(groups), k=1)
    linked = rng.random(len(low)) < np.where(same[low, high], 0.05, 0.001)
    graph = pulink.Graph.from_edges(
        np.stack([low[linked], high[linked]], axis=1), len(groups), features=np.eye(4)[groups]
    )
    data = pulink.split(graph, seed=0)
    assert NCN(max_epochs=10, min_epochs=10).fit(data).score(data)["auroc"] > 0.7


@pytest.mark.slow
def test_its_own_edges_teach_nothing_on_a_random_graph() -> None:
    # No pair differs from another but by its own edge, which training hides: even training edges stay unknown.
    low, high = np.triu_indices(150, k=1)
    kept = np.random.default_rng(3).choice(len(low), 900, replace=False)
    graph = pulink.Graph.from_edges(np.stack([low[kept], high[kept]], axis=1), 150)
    model = NCN()
    training = MaskedTraining(model, graph, model._head())
    training.advance(6)
    free = np.stack([low, high], axis=1)[np.setdiff1d(np.arange(len(low)), kept)][::10]
    known = []
    for batch in np.array_split(np.random.default_rng(4).permutation(graph.n_edges), 5):
        known.append(training.masked_logits(batch, graph.edges[batch].astype(np.int64)).detach().numpy())
    unknown = training.masked_logits(batch, free).detach().numpy()
    assert metrics.auroc(np.concatenate(known), unknown) == pytest.approx(0.5, abs=0.08)
