"""The graph attention network against stacked GATConv layers, and what it drops in training."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from pulink import Graph
from pulink.engine.autograd.attention import with_loops
from pulink.nn.gat import GAT, Neighbourhoods
from pulink.nn.inputs import FeatureInput
from tests.nn.test_gcn import both_ways, weighted_graph
from tests.support.pyg_rivals import GATConv

GRAPH = weighted_graph(0)
NEIGHBOURS = Neighbourhoods(with_loops(GRAPH.adjacency), plain=False)


def encoder_with_biases(n_columns: int, n_layers: int = 2, **settings: float) -> GAT:
    encoder = GAT(n_columns, 5, n_layers, seed=3, n_heads=3, **settings)
    with torch.no_grad():
        for bias in encoder.biases:
            bias.copy_(torch.linspace(-0.3, 0.4, 5))
    return encoder


def pyg_layers(state: dict[str, torch.Tensor]) -> list[GATConv]:
    """GATConv layers in scoring mode, with parameters by the encoder's names."""
    layers = []
    for k in range(sum(name.startswith("weights.") for name in state)):
        n_heads, n_units = state[f"sources.{k}"].shape
        conv = GATConv(len(state[f"weights.{k}"]), n_units, heads=n_heads, concat=False, dropout=0.6).eval()
        with torch.no_grad():
            conv.lin.weight.copy_(state[f"weights.{k}"].T)
            conv.att_src.copy_(state[f"sources.{k}"][None])
            conv.att_dst.copy_(state[f"targets.{k}"][None])
            conv.bias.copy_(state[f"biases.{k}"])
        layers.append(conv)
    return layers


def pyg_embeddings(layers: list[GATConv], x: torch.Tensor, graph: Graph) -> torch.Tensor:
    for k, conv in enumerate(layers):
        x = conv(torch.nn.functional.elu(x) if k else x, both_ways(graph)[0])
    return x


@pytest.mark.parametrize("n_layers", [1, 2, 3])
@pytest.mark.parametrize("plain", [False, True])
def test_embeddings_and_gradients_equal_pyg(n_layers: int, plain: bool) -> None:
    encoder = encoder_with_biases(7, n_layers)
    layers = pyg_layers(encoder.state_dict())
    z, penalty = encoder.propagate(
        encoder.project(FeatureInput.of(GRAPH, "none")), Neighbourhoods(NEIGHBOURS.adjacency, plain), None
    )
    twin = pyg_embeddings(layers, torch.from_numpy(np.array(GRAPH.features)), GRAPH)
    assert penalty is None
    torch.testing.assert_close(z, twin, atol=1e-5, rtol=1e-5)
    for output in (z, twin):
        torch.sin(output).sum().backward()
    for k, conv in enumerate(layers):
        torch.testing.assert_close(encoder.weights[k].grad, conv.lin.weight.grad.T, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(encoder.sources[k].grad, conv.att_src.grad[0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(encoder.targets[k].grad, conv.att_dst.grad[0], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(encoder.biases[k].grad, conv.bias.grad, atol=1e-5, rtol=1e-5)


def test_first_weights_are_drawn_as_pyg_draws_them() -> None:
    ours, theirs = GAT(700, 16, 2, seed=1), GATConv(700, 16, heads=8, concat=False)
    for mine, other in ((ours.weights[0], theirs.lin.weight), (ours.sources[0], theirs.att_src)):
        assert float(mine.detach().abs().max()) == pytest.approx(float(other.detach().abs().max()), rel=0.05)
    assert not any(bias.detach().any() for bias in ours.biases)


def test_without_a_key_nothing_is_dropped() -> None:
    features = FeatureInput.of(GRAPH, "none")
    encoder, undropped = encoder_with_biases(7), encoder_with_biases(7, dropout=0.0)
    outputs = []
    for key in (None, np.uint64(1), np.uint64(1), np.uint64(2)):
        encoder.key = undropped.key = key
        outputs.append(encoder.propagate(encoder.project(features), NEIGHBOURS, None)[0].detach().numpy())
        whole = undropped.propagate(undropped.project(features), NEIGHBOURS, None)[0].detach().numpy()
        assert np.array_equal(whole, outputs[0])
    scoring, first, again, other = outputs
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert not np.array_equal(first, scoring)


def test_inputs_and_attention_are_dropped_by_the_right_share() -> None:
    # One layer of one head, all weights and features 1, scores 0: an output is (kept inputs) x (kept entries).
    encoder = GAT(1, 1, 1, seed=0, n_heads=1, dropout=0.6)
    with torch.no_grad():
        for parameter, value in zip(encoder.parameters(), (1.0, 0.0, 0.0, 0.0), strict=True):
            parameter.fill_(value)
    lone = Graph.from_edges([[0, 1]], 30_000, features=np.ones((30_000, 1)))
    neighbours = Neighbourhoods(with_loops(lone.adjacency), plain=False)
    encoder.key = np.uint64(5)
    out = encoder.propagate(encoder.project(FeatureInput.of(lone, "none")), neighbours, None)[0].detach().numpy()
    kept = out[2:, 0]
    assert set(np.unique(kept.round(3))) == {0.0, 6.25}
    assert (kept > 0).mean() == pytest.approx(0.16, abs=0.01)


@pytest.mark.parametrize("kind", ["sparse", "dense", "none"])
def test_dropped_features_keep_their_expectation(kind: str) -> None:
    rng = np.random.default_rng(0)
    dense = (rng.random((40, 9)) * (rng.random((40, 9)) < 0.5)).astype(np.float32)
    matrix = {"sparse": sp.csr_array(dense), "dense": dense, "none": None}[kind]
    whole = FeatureInput(matrix, 40)
    weight = torch.from_numpy(rng.normal(size=(whole.n_columns, 4)).astype(np.float32))
    draws = torch.stack([whole.dropped(0.6, np.uint64(k)).project(weight) for k in range(400)])
    errors = draws.std(dim=0) / np.sqrt(len(draws)) + 1e-6
    assert ((draws.mean(dim=0) - whole.project(weight)).abs() < 5 * errors).all()


def test_dropping_from_the_identity_drops_rows_of_the_weights() -> None:
    weight = torch.arange(1.0, 201.0)[:, None].repeat(1, 3)
    out = FeatureInput(None, 200).dropped(0.5, np.uint64(3)).project(weight)
    ratio = out / weight
    assert (ratio == ratio[:, :1]).all()
    assert set(ratio[:, 0].tolist()) == {0.0, 2.0}
