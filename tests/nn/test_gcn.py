"""The GCN against two stacked GCNConv layers of PyTorch Geometric, on a weighted graph."""

import numpy as np
import pytest
import torch

from pulink import Graph
from pulink.engine.autograd.sparse import propagation_operator
from pulink.nn.encoders import GCN
from pulink.nn.inputs import FeatureInput
from tests.support.planted import planted_graph
from tests.support.pyg import GCNConv


def weighted_graph(seed: int) -> Graph:
    """30 nodes in three blocks, the last one isolated, with weights and seven features."""
    plain = planted_graph(10, 3, 0.5, 0.1, seed)
    rng = np.random.default_rng(seed)
    kept = plain.edges[(plain.edges != 29).all(axis=1)]
    return Graph.from_edges(kept, 30, weights=rng.uniform(0.1, 4, len(kept)), features=rng.normal(size=(30, 7)))


def both_ways(graph: Graph) -> tuple[torch.Tensor, torch.Tensor]:
    """PyG's edge_index (2 x 2m) and edge_weight."""
    ends = torch.from_numpy(np.concatenate([graph.edges, graph.edges[:, ::-1]]).T.astype(np.int64))
    weights = np.ones(graph.n_edges, np.float32) if graph.weights is None else graph.weights
    return ends, torch.from_numpy(np.tile(weights, 2))


def layer(weight: torch.Tensor, bias: torch.Tensor) -> GCNConv:
    """A GCNConv with these parameters: weight is inputs x outputs."""
    conv = GCNConv(*weight.shape)
    with torch.no_grad():
        conv.lin.weight.copy_(weight.T)
        conv.bias.copy_(bias)
    return conv


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_embeddings_and_gradients_equal_pyg(n_layers: int) -> None:
    graph = weighted_graph(0)
    encoder = GCN(7, 5, n_layers, seed=3)
    with torch.no_grad():
        for bias in encoder.biases:
            bias.copy_(torch.linspace(-0.3, 0.4, 5))
    layers = [layer(w.detach(), b.detach()) for w, b in zip(encoder.weights, encoder.biases, strict=True)]
    z, penalty = encoder.propagate(
        encoder.project(FeatureInput.of(graph, "none")), propagation_operator(graph.adjacency), None
    )
    ends, weights = both_ways(graph)
    twin = torch.from_numpy(np.array(graph.features))
    for number, conv in enumerate(layers):
        twin = conv(torch.relu(twin) if number else twin, ends, weights)
    assert penalty is None
    np.testing.assert_allclose(z.detach().numpy(), twin.detach().numpy(), atol=1e-5)
    for output in (z, twin):
        torch.sin(output).sum().backward()
    for weight, bias, conv in zip(encoder.weights, encoder.biases, layers, strict=True):
        np.testing.assert_allclose(weight.grad.numpy(), conv.lin.weight.grad.T.numpy(), atol=1e-5)
        np.testing.assert_allclose(bias.grad.numpy(), conv.bias.grad.numpy(), atol=1e-5)


def test_first_weights_are_glorot_and_biases_zero() -> None:
    encoder = GCN(400, 16, 2, seed=1)
    limit = np.sqrt(6 / 416)
    first = encoder.weights[0].detach().numpy()
    assert np.abs(first).max() <= limit
    assert np.abs(first).max() > 0.99 * limit
    assert abs(first.mean()) < 5 * limit / np.sqrt(3 * first.size)
    assert first.std() == pytest.approx(limit / np.sqrt(3), rel=0.02)
    assert not any(bias.detach().any() for bias in encoder.biases)


def test_a_seed_fixes_the_first_weights() -> None:
    def first(seed: int) -> np.ndarray:
        return GCN(20, 4, 2, seed).weights[0].detach().numpy()

    assert np.array_equal(first(1), first(1))
    assert not np.array_equal(first(1), first(2))
    same = GCN(4, 4, 2, 1)
    assert not torch.equal(same.weights[0], same.weights[1])
