"""Neo-GNN: its score against a dense twin in both mixtures, and its parts by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import expit, logit

import pulink
from pulink.engine.adjacency import Adjacency
from pulink.errors import TooLargeError, UnknownNameError
from pulink.methods.baselines.structural.neo_gnn import HeuristicHead, mixed_probabilities
from tests.methods.baselines.structural.test_ncn import dense_adjacency, dense_network
from tests.support.planted import planted_graph

GRAPH = planted_graph(15, 3, 0.5, 0.05, seed=0)
LOW, HIGH = np.triu_indices(GRAPH.n_nodes, k=1)
PAIRS = np.stack([LOW, HIGH], axis=1)


def plain(rows: np.ndarray, state: dict[str, np.ndarray], name: str) -> np.ndarray:
    hidden = np.maximum(rows @ state[f"{name}.layers.0.weight"] + state[f"{name}.layers.0.bias"], 0)
    out: np.ndarray = hidden @ state[f"{name}.layers.1.weight"] + state[f"{name}.layers.1.bias"]
    return out


@pytest.mark.parametrize("mixture", ["probabilities", "logits"])
def test_scores_equal_a_dense_twin(mixture: str) -> None:
    model = pulink.NeoGNN(n_units=16, mixture=mixture, max_epochs=5, min_epochs=5).fit(pulink.split(GRAPH, seed=0))
    state = {name: value.astype(np.float64) for name, value in model.state_.items()}
    linked, h = dense_adjacency(model.graph_), state["embeddings"]
    one = np.log1p(np.exp(plain(np.ones((1, 1)), state, "head.edge")))
    x = plain(np.log1p(linked.sum(axis=1)[:, None] * one), state, "head.node")[:, 0]
    sums = (linked @ np.diag(x**2) @ linked)[LOW, HIGH]
    structure = plain(np.log1p(sums)[:, None], state, "head.count")[:, 0]
    features = dense_network(h[LOW] * h[HIGH], state, "head.features")[:, 0]
    share = np.exp(state["head.shares"]) / np.exp(state["head.shares"]).sum()
    expected = share[0] * structure + share[1] * features
    if mixture == "probabilities":
        expected = logit(share[0] * expit(structure) + share[1] * expit(features))
    np.testing.assert_allclose(model.decision_function(PAIRS), expected, rtol=1e-3, atol=1e-3)


def test_probabilities_are_mixed_without_saturating() -> None:
    logits = torch.tensor([[50.0, 0.0], [60.0, 0.0], [90.0, 80.0], [-90.0, -80.0]])
    mixed = mixed_probabilities(logits, torch.tensor([0.25, 0.75]).log()).numpy()
    # A quarter surely and three quarters with a chance of one half: 0.625.
    np.testing.assert_allclose(mixed[:2], logit(0.625), rtol=1e-5)
    assert 80 < mixed[2] < 90
    assert -90 < mixed[3] < -80


def test_equal_weights_are_those_of_the_bare_graph() -> None:
    head, bare = HeuristicHead(16, 0.0, 0, "logits"), GRAPH.adjacency
    ones = Adjacency(bare.indptr, bare.indices, np.ones(bare.indices.size, dtype=np.float32))
    torch.testing.assert_close(head.node_values(bare), head.node_values(ones))


def test_an_unknown_mixture_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown mixture 'odds'"):
        pulink.NeoGNN(mixture="odds").fit(GRAPH)


def test_what_does_not_fit_is_refused_before_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.system.memory.available_bytes", lambda: 100)
    with pytest.raises(TooLargeError, match=r"training on 45 nodes .* use gcn-ce or l3n"):
        pulink.NeoGNN().fit(GRAPH)
