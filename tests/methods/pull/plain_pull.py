"""PULL once more, plainly and slowly: PyG's layers, dense scores, both orientations listed, autograd.

Only the first weights and the non-edges are taken from pulink, because both are random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from pulink import Graph
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from pulink.nn.encoders import GCN
from tests.support.pyg import GCNConv


@dataclass
class PlainPull:
    """The loop of the paper on a graph with dense features."""

    graph: Graph
    n_units: int
    n_epochs: int
    n_iterations: int
    growth: float
    n_hubs: int
    learning_rate: float
    reduction: str = "mean"
    correction: bool = True
    seed: int = 0
    losses: list[tuple[float, float | None]] = field(default_factory=list)

    def fit(self) -> PlainPull:
        graph = self.graph
        self.x = torch.from_numpy(np.array(graph.features))
        self.observed = torch.from_numpy(np.concatenate([graph.edges, graph.edges[:, ::-1]]).T.astype(np.int64))
        self.convs = self._first_weights()
        optimizer = torch.optim.Adam(self.convs.parameters(), lr=self.learning_rate)
        step = 0
        z = torch.empty(0)
        for t in range(1, self.n_iterations + 1):
            edges, weights = self._expected(t, z)
            sampler = NonEdgeSampler(Graph.from_edges(edges.T.numpy(), graph.n_nodes).adjacency)
            for _ in range(self.n_epochs):
                optimizer.zero_grad()
                z = self.embed(edges, weights)
                drawn = sampler.draw(edges.shape[1], stream_key(self.seed, "non-edges", step, 0))
                loss = expected = self._cross_entropy(z, edges, weights, drawn)
                corrected = None
                if self.correction and t > 1:
                    drawn = sampler.draw(graph.n_edges, stream_key(self.seed, "non-edges", step, 1))
                    once = self.observed[:, : graph.n_edges]
                    corrected = self._cross_entropy(
                        self.embed(self.observed), once, torch.ones(graph.n_edges), drawn
                    )
                    loss = expected + corrected
                loss.backward()
                optimizer.step()
                step += 1
            z = z.detach()
            self.losses.append((expected.item(), None if corrected is None else corrected.item()))
        return self

    def embed(self, edges: Tensor, weights: Tensor | None = None) -> Tensor:
        hidden = torch.relu(self.convs[0](self.x, edges, weights))
        return self.convs[1](hidden, edges, weights)

    def _first_weights(self) -> torch.nn.ModuleList:
        start = GCN(self.x.shape[1], self.n_units, 2, self.seed)
        convs = torch.nn.ModuleList([GCNConv(self.x.shape[1], self.n_units), GCNConv(self.n_units, self.n_units)])
        with torch.no_grad():
            for conv, weight in zip(convs, start.weights, strict=True):
                conv.lin.weight.copy_(weight.T)
        return convs

    def _expected(self, t: int, z: Tensor) -> tuple[Tensor, Tensor]:
        """Entries of the expected graph and their weights; an entry may stand there twice."""
        n, m = self.graph.n_nodes, self.graph.n_edges
        if t == 1:
            return self.observed, torch.ones(2 * m)
        logits = z @ z.T
        logits.fill_diagonal_(-math.inf)
        logits[self.observed[0], self.observed[1]] = -math.inf
        degrees = np.bincount(self.graph.edges.ravel(), minlength=n)
        others = np.argsort(-degrees, kind="stable")[self.n_hubs :]
        logits[torch.from_numpy(others)] = -math.inf
        k = math.floor(math.floor(self.growth * (t - 1) * 2 * m) / 2)
        best = torch.topk(logits.ravel(), k)
        cells = torch.stack([best.indices // n, best.indices % n])
        sigmas = torch.sigmoid(best.values)
        return torch.cat([self.observed, cells, cells.flip(0)], dim=1), torch.cat(
            [torch.ones(2 * m), sigmas, sigmas]
        )

    def _cross_entropy(self, z: Tensor, edges: Tensor, labels: Tensor, drawn: np.ndarray) -> Tensor:
        pairs = torch.cat([edges, torch.from_numpy(drawn.astype(np.int64)).T], dim=1)
        logits = (z[pairs[0]] * z[pairs[1]]).sum(dim=1)
        each = torch.nn.functional.binary_cross_entropy_with_logits(
            logits, torch.cat([labels, torch.zeros(len(drawn))]), reduction="none"
        )
        if self.reduction == "sum":
            return each.sum()
        if self.reduction == "mean":
            return each.mean()
        return each[: edges.shape[1]].mean() + each[edges.shape[1] :].mean()
