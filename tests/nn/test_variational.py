"""VGAE and VGNAE against PyTorch Geometric's pieces and a dense twin."""

import numpy as np
import pytest
import torch
from torch import Tensor

from pulink import Graph
from pulink.engine.autograd.sparse import propagation_operator
from pulink.nn.encoders import VGAE, VGNAE, encoder_factory
from pulink.nn.inputs import FeatureInput
from tests.nn.test_gcn import both_ways, layer, weighted_graph
from tests.support import pyg


def ones(shape: tuple[int, ...]) -> Tensor:
    """Noise of exactly one deviation: z − mean is then the deviation."""
    return torch.ones(shape)


def shaken(encoder: torch.nn.Module) -> None:
    """Biases away from zero, so that a forgotten one would show."""
    with torch.no_grad():
        for name, value in encoder.named_parameters():
            if "bias" in name:
                value.copy_(torch.linspace(-0.5, 0.5, value.numel()))


def run(encoder: VGAE | VGNAE, graph: Graph) -> tuple[Tensor, Tensor, Tensor | None]:
    """Means, deviations and the penalty."""
    operator = propagation_operator(graph.adjacency)
    features = FeatureInput.of(graph, "none")
    mean, without = encoder.propagate(encoder.project(features), operator, None)
    z, penalty = encoder.propagate(encoder.project(features), operator, ones)
    assert without is None
    return mean, z - mean, penalty


def test_vgae_equals_gcnconv_pieces_and_pyg_kl() -> None:
    graph = weighted_graph(1)
    encoder = VGAE(7, 4, 2, seed=2)
    shaken(encoder)
    mean, deviation, penalty = run(encoder, graph)
    first = layer(encoder.shared.weights[0].detach(), encoder.shared.biases[0].detach())
    to_mean = layer(encoder.weight[:, :4].detach(), encoder.bias[:4].detach())
    to_log = layer(encoder.weight[:, 4:].detach(), encoder.bias[4:].detach())
    ends, weights = both_ways(graph)
    hidden = torch.relu(first(torch.from_numpy(np.array(graph.features)), ends, weights))
    twin_mean, twin_log = to_mean(hidden, ends, weights), to_log(hidden, ends, weights)
    np.testing.assert_allclose(mean.detach().numpy(), twin_mean.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(deviation.detach().numpy(), twin_log.exp().detach().numpy(), rtol=1e-4, atol=1e-5)
    divergence = pyg.VGAE(torch.nn.Identity()).kl_loss(twin_mean, twin_log)
    assert penalty is not None
    assert float(penalty.detach()) == pytest.approx(float(divergence.detach()) / graph.n_nodes, rel=1e-5)


def test_vgae_penalty_has_the_gradient_of_pyg() -> None:
    graph = weighted_graph(2)
    encoder = VGAE(7, 4, 2, seed=5)
    _, _, penalty = run(encoder, graph)
    assert penalty is not None
    penalty.backward()
    weight = encoder.weight.detach().clone().requires_grad_()
    ends, weights = both_ways(graph)
    hidden = torch.relu(
        layer(encoder.shared.weights[0].detach(), torch.zeros(4))(
            torch.from_numpy(np.array(graph.features)), ends, weights
        )
    ).detach()
    propagated = layer(torch.eye(4), torch.zeros(4))(hidden, ends, weights).detach()
    both = propagated @ weight
    (pyg.VGAE(torch.nn.Identity()).kl_loss(both[:, :4], both[:, 4:]) / graph.n_nodes).backward()
    assert encoder.weight.grad is not None
    assert weight.grad is not None
    np.testing.assert_allclose(encoder.weight.grad.numpy(), weight.grad.numpy(), atol=1e-6)


def test_deviations_are_capped() -> None:
    graph = weighted_graph(3)
    encoder = VGAE(7, 4, 2, seed=2)
    with torch.no_grad():
        encoder.bias[4:] = 50.0
    _, deviation, penalty = run(encoder, graph)
    np.testing.assert_allclose(deviation.detach().numpy(), np.exp(10.0), rtol=1e-4)
    assert penalty is not None
    assert torch.isfinite(penalty)


def test_vgnae_normalises_scales_then_propagates() -> None:
    graph = weighted_graph(4)
    encoder = VGNAE(7, 4, 2, seed=6)
    shaken(encoder)
    mean, deviation, penalty = run(encoder, graph)
    x = np.array(graph.features, dtype=np.float64)
    weight, bias = encoder.weight.detach().numpy(), encoder.bias.detach().numpy()
    adjacency = np.eye(30)
    assert graph.weights is not None
    for (i, j), value in zip(graph.edges, graph.weights, strict=True):
        adjacency[i, j] = adjacency[j, i] = value
    scale = 1 / np.sqrt(adjacency.sum(axis=1))
    propagation = scale[:, None] * adjacency * scale
    projected = x @ weight[:, :4] + bias[:4]
    directions = projected / np.linalg.norm(projected, axis=1, keepdims=True)
    np.testing.assert_allclose(mean.detach().numpy(), propagation @ (1.8 * directions), atol=1e-5)
    log_deviation = propagation @ (x @ weight[:, 4:] + bias[4:])
    np.testing.assert_allclose(deviation.detach().numpy(), np.exp(log_deviation), rtol=1e-4, atol=1e-5)
    assert penalty is None


def test_vgnae_adds_the_penalty_only_when_asked() -> None:
    graph = weighted_graph(5)
    mean, deviation, penalty = run(VGNAE(7, 4, 2, seed=6, with_penalty=True), graph)
    divergence = pyg.VGAE(torch.nn.Identity()).kl_loss(mean, deviation.log())
    assert penalty is not None
    assert float(penalty.detach()) == pytest.approx(float(divergence.detach()) / graph.n_nodes, rel=1e-3)


def test_an_unknown_encoder_lists_the_known() -> None:
    with pytest.raises(ValueError, match=r"unknown encoder 'gcm'\. Did you mean 'gcn'\? Known: gcn, vgae, vgnae"):
        encoder_factory("gcm")
