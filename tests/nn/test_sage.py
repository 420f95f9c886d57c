"""GraphSAGE against stacked SAGEConv layers, and its mean worked out by hand."""

import numpy as np
import pytest
import torch

from pulink import Graph
from pulink.nn.inputs import FeatureInput
from pulink.nn.sage import SAGE, mean_operator
from tests.nn.test_gcn import both_ways, weighted_graph
from tests.support.pyg_rivals import SAGEConv


def test_the_mean_of_a_star_by_hand() -> None:
    # Node 0 sees 1, 2 and 3; these see 0 only; node 4 sees nobody. Weights make no difference.
    star = Graph.from_edges([[0, 1], [0, 2], [0, 3]], 5, weights=[1, 5, 9])
    operator = mean_operator(star.adjacency)
    out = operator @ torch.tensor([[1.0], [2.0], [3.0], [10.0], [7.0]])
    assert out.ravel().tolist() == [5.0, 1.0, 1.0, 1.0, 0.0]
    back = operator.transposed_times(torch.tensor([[3.0], [1.0], [1.0], [1.0], [1.0]]))
    assert back.ravel().tolist() == [3.0, 1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_embeddings_and_gradients_equal_pyg(n_layers: int) -> None:
    graph = weighted_graph(0)
    encoder = SAGE(7, 5, n_layers, seed=3)
    layers = []
    for weight, bias in zip(encoder.weights, encoder.biases, strict=True):
        conv = SAGEConv(len(weight), 5, aggr="mean")
        with torch.no_grad():
            bias.copy_(torch.linspace(-0.3, 0.4, 5))
            conv.lin_l.weight.copy_(weight[:, :5].T)
            conv.lin_r.weight.copy_(weight[:, 5:].T)
            conv.lin_l.bias.copy_(bias)
        layers.append(conv)
    z, penalty = encoder.propagate(
        encoder.project(FeatureInput.of(graph, "none")), mean_operator(graph.adjacency), None
    )
    twin = torch.from_numpy(np.array(graph.features))
    for k, conv in enumerate(layers):
        twin = conv(torch.relu(twin) if k else twin, both_ways(graph)[0])
    assert penalty is None
    torch.testing.assert_close(z, twin, atol=1e-5, rtol=1e-5)
    for output in (z, twin):
        torch.sin(output).sum().backward()
    for weight, bias, conv in zip(encoder.weights, encoder.biases, layers, strict=True):
        both = torch.cat([conv.lin_l.weight.grad.T, conv.lin_r.weight.grad.T], dim=1)
        torch.testing.assert_close(weight.grad, both, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(bias.grad, conv.lin_l.bias.grad, atol=1e-5, rtol=1e-5)


def test_first_weights_are_glorot_and_biases_zero() -> None:
    encoder = SAGE(400, 16, 2, seed=1)
    limit = np.sqrt(6 / 416)
    halves = encoder.weights[0].detach().chunk(2, dim=1)
    for half in halves:
        assert 0.99 * limit < float(half.abs().max()) <= limit
    assert not torch.equal(*halves)
    assert not any(bias.detach().any() for bias in encoder.biases)
