"""SAGE+CE: one step against a dense twin, and that it learns."""

import numpy as np
import torch

import pulink
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from pulink.methods.baselines.gnn.sage_ce import SAGECE
from pulink.nn.sage import SAGE
from tests.support.adjacencies import dense
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=0)


def test_a_step_equals_a_dense_twin() -> None:
    fitted = SAGECE(max_epochs=1, val_ratio=0.0, seed=4).fit(GRAPH)
    twin = SAGE(60, 16, 2, seed=4)
    adjacency = torch.from_numpy(dense(GRAPH.adjacency)).float()
    mean = adjacency / adjacency.sum(dim=1, keepdim=True).clamp(min=1)

    def embed() -> torch.Tensor:
        (first, second), (b, c) = twin.weights, twin.biases
        hidden = torch.relu(mean @ first[:, :16] + first[:, 16:] + b)
        return mean @ hidden @ second[:, :16] + hidden @ second[:, 16:] + c

    drawn = NonEdgeSampler(GRAPH.adjacency).draw(GRAPH.n_edges, stream_key(4, "non-edges", 0, 0))
    pairs = torch.from_numpy(np.concatenate([GRAPH.edges, drawn]).astype(np.int64))
    labels = torch.cat([torch.ones(GRAPH.n_edges), torch.zeros(len(drawn))])
    z = embed()
    logits = (z[pairs[:, 0]] * z[pairs[:, 1]]).sum(dim=1)
    optimizer = torch.optim.Adam(twin.parameters(), lr=0.01)
    torch.nn.functional.binary_cross_entropy_with_logits(logits, labels).backward()
    optimizer.step()
    np.testing.assert_allclose(fitted.embeddings_, embed().detach().numpy(), atol=1e-5)


def test_it_learns_planted_blocks() -> None:
    split = pulink.split(planted_graph(40, 3, 0.6, 0.03, seed=1), seed=0)
    assert SAGECE(max_epochs=150, check_every=10).fit(split).score(split)["auroc"] > 0.85
