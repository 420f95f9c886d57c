"""Plain PyTorch operations give what the kernels give, in value and in gradient."""

import numpy as np
import pytest
import torch

from pulink.engine.autograd.pair_loss import DrawnNonEdges, LabelledPairs, pair_loss
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.autograd.torch_reference import PlainOperator, plain_pair_loss
from pulink.engine.non_edges import NonEdgeSampler
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.4, 0.05, seed=3)


def embeddings(width: int) -> torch.Tensor:
    rng = np.random.default_rng(5)
    return torch.from_numpy(rng.normal(size=(GRAPH.n_nodes, width)).astype(np.float32)).requires_grad_()


@pytest.mark.parametrize("width", [1, 7, 16])
def test_products_agree(width: int) -> None:
    kernel, plain = embeddings(width), embeddings(width)
    operator = propagation_operator(GRAPH.adjacency)
    weights = torch.arange(GRAPH.n_nodes * width, dtype=torch.float32).reshape(-1, width).sin()
    ((operator @ kernel) * weights).sum().backward()
    ((PlainOperator(operator, torch.device("cpu")) @ plain) * weights).sum().backward()
    assert kernel.grad is not None
    torch.testing.assert_close(kernel.grad, plain.grad, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("width", [1, 7, 16, 64])
def test_pair_losses_agree(width: int) -> None:
    kernel, plain = embeddings(width), embeddings(width)
    rng = np.random.default_rng(6)
    soft = rng.random(GRAPH.n_edges).astype(np.float32)
    edges = LabelledPairs(GRAPH.edges, soft, np.full(GRAPH.n_edges, 0.01, dtype=np.float32))
    drawn = DrawnNonEdges(NonEdgeSampler(GRAPH.adjacency), np.uint64(9), 500, 0.02)
    losses = pair_loss(kernel, edges, drawn), plain_pair_loss(plain, edges, drawn)
    torch.testing.assert_close(*losses, rtol=1e-5, atol=1e-5)
    for loss in losses:
        loss.backward()
    torch.testing.assert_close(kernel.grad, plain.grad, rtol=1e-5, atol=1e-5)
