"""Neo-GNN: its score against a dense twin, its mixture, and that it refuses what it cannot list."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import expit, logit

import pulink
from pulink.baselines.neo_gnn import Mixture, NodeWeights
from pulink.errors import TooLargeError
from tests.planted import planted_graph

GRAPH = planted_graph(15, 3, 0.5, 0.05, seed=0)
LOW, HIGH = np.triu_indices(GRAPH.n_nodes, k=1)
PAIRS = np.stack([LOW, HIGH], axis=1)


@pytest.fixture(scope="module")
def fitted() -> pulink.NeoGNN:
    return pulink.NeoGNN(max_epochs=30, min_epochs=30).fit(pulink.split(GRAPH, seed=0))


def dense_network(rows: np.ndarray, state: dict[str, np.ndarray], name: str) -> np.ndarray:
    hidden = np.maximum(rows @ state[f"{name}.layers.0.weight"] + state[f"{name}.layers.0.bias"], 0)
    out: np.ndarray = hidden @ state[f"{name}.layers.1.weight"] + state[f"{name}.layers.1.bias"]
    return out


def test_scores_equal_a_dense_twin(fitted: pulink.NeoGNN) -> None:
    state = fitted.state_
    adjacency = np.zeros((GRAPH.n_nodes, GRAPH.n_nodes))
    adjacency[tuple(fitted.graph_.edges.T)] = 1
    adjacency += adjacency.T
    sums = (adjacency @ np.diag(state["weights"]) @ adjacency)[LOW, HIGH]
    structure = dense_network(np.log1p(sums)[:, None], state, "mixture.join")[:, 0]
    z = state["embeddings"].astype(np.float64)
    shares = np.exp(state["mixture.shares"]) / np.exp(state["mixture.shares"]).sum()
    p = shares[0] * expit(structure) + shares[1] * expit((z @ z.T)[LOW, HIGH])
    np.testing.assert_allclose(fitted.decision_function(PAIRS), logit(p), rtol=1e-3, atol=1e-3)


def test_the_mixture_does_not_saturate() -> None:
    mixture = Mixture(0)
    with torch.no_grad():
        logits = mixture(torch.zeros(3), torch.tensor([50.0, 60.0, -60.0])).numpy()
    assert np.isfinite(logits).all()
    assert logits[1] >= logits[0] > logits[2]


def test_nodes_of_one_degree_weigh_the_same() -> None:
    weights = NodeWeights(0)(torch.tensor([3.0, 5.0, 3.0])).detach().numpy()[:, 0]
    assert weights[0] == weights[2]
    assert weights[0] != weights[1]
    assert (weights >= 0).all()


def test_common_neighbours_alone_are_learned_without_embeddings() -> None:
    # Blocks without features: with a GCN of one unit, most of what can be known is in the common neighbours.
    data = pulink.split(planted_graph(40, 3, 0.6, 0.02, seed=1), seed=0)
    model = pulink.NeoGNN(n_units=1, max_epochs=150, min_epochs=150).fit(data)
    assert model.score(data)["auroc"] > 0.8


def test_more_common_neighbours_than_memory_are_refused_before_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.engine.memory.available_bytes", lambda: 100)
    with pytest.raises(TooLargeError, match=r"common neighbours of .* edges needs about .* gcn-ce or l3n"):
        pulink.NeoGNN().fit(GRAPH)
