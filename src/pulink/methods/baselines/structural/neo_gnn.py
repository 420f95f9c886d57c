"""Neo-GNN: what a GCN says of a pair, and a learned count of its common neighbours (Yun et al. 2021).

    x_u = node( log(1 + Σ_v edge(A_uv)) )                              one number per node, from its neighbours
    structure_ij = count( log(1 + Σ_{u ∈ N(i) ∩ N(j)} x_u²) )          N: one step, the paper's l = 1
    feature_ij = features(h_i * h_j),  h = GCN(X, A)                   h: n x d
    p = a_1 σ(structure) + a_2 σ(feature),  a = softmax of two learned numbers

`edge`, `node`, `count` and `features` are networks with one hidden layer. With x_u = 1, d_u^-1/2 or (log d_u)^-1/2
the sum is the number of common neighbours, resource allocation or Adamic and Adar's index.

Departures: sums enter networks as logarithms, because degrees span orders of magnitude; and, as in NCN, a batch's
own edges are out of the graph in training. More than one step (l = 2) is not built: A² of a graph with hubs is
nearly full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, softplus

from pulink.engine.adjacency import Adjacency
from pulink.engine.random import stream_key
from pulink.engine.structure.common_neighbours import common_neighbour_sums
from pulink.nn.mlp import PairNetwork
from pulink.predictor.masked_gcn import MaskedGCN
from pulink.predictor.parameters import check_choice

MIXTURES = ("probabilities", "logits")
_EDGE_UNITS = 16


@dataclass(kw_only=True, eq=False, repr=False)
class NeoGNN(MaskedGCN):
    """Link prediction by a GCN and a learned heuristic on common neighbours.

    Parameters
    ----------
    mixture : str
        "probabilities", as published, or "logits": a_1 structure + a_2 feature is the logit.

    See Also
    --------
    pulink.NCN : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.NeoGNN(mixture="logits", max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    mixture: str = "probabilities"

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("mixture", self.mixture, MIXTURES)

    def _head(self) -> HeuristicHead:
        return HeuristicHead(self.n_units, self.dropout, self.seed, self.mixture)


class HeuristicHead(nn.Module):
    """structure and feature, mixed."""

    def __init__(self, n_units: int, dropout: float, seed: int, mixture: str) -> None:
        super().__init__()
        self.edge = PairNetwork([1, _EDGE_UNITS, 1], seed, "edge")
        self.node = PairNetwork([1, n_units, 1], seed, "node")
        self.count = PairNetwork([1, n_units, 1], seed, "count")
        self.features = PairNetwork([n_units, n_units, 1], seed, "features", normalise=True, dropout=dropout)
        self.shares = nn.Parameter(torch.zeros(2))
        self._mix = mixed_probabilities if mixture == "probabilities" else mixed_logits

    def forward(
        self, h: Tensor, adjacency: Adjacency, pairs: npt.NDArray[np.integer], key: np.uint64 | None = None
    ) -> Tensor:
        low, high = torch.from_numpy(pairs).unbind(dim=1)
        sums = common_neighbour_sums(adjacency, pairs) @ self.node_values(adjacency).square()
        features = self.features(h[low] * h[high], None if key is None else stream_key(int(key), "features"))
        return self._mix(torch.cat([self.count(sums.log1p()), features], dim=1), self.shares.log_softmax(dim=0))

    def node_values(self, adjacency: Adjacency) -> Tensor:
        """x (n x 1)."""
        degrees = torch.from_numpy(np.diff(adjacency.indptr).astype(np.float32))[:, None]
        if adjacency.values is None:
            sums = degrees * self._edge_values(torch.ones(1, 1))
        else:
            rows = torch.repeat_interleave(degrees[:, 0].long())
            values = self._edge_values(torch.from_numpy(adjacency.values)[:, None])
            sums = torch.zeros_like(degrees).index_add(0, rows, values)
        return self.node(sums.log1p())  # type: ignore[no-any-return]

    def _edge_values(self, weights: Tensor) -> Tensor:
        """`edge`, above 0 because a logarithm of its sums is taken."""
        return softplus(self.edge(weights))


def mixed_probabilities(logits: Tensor, log_shares: Tensor) -> Tensor:
    """logit(Σ a σ(logit)) of each row (k x 2), by logarithms, so that it does not saturate (k)."""
    linked, unlinked = (torch.logsumexp(log_shares + logsigmoid(sign * logits), dim=1) for sign in (1, -1))
    return linked - unlinked


def mixed_logits(logits: Tensor, log_shares: Tensor) -> Tensor:
    """Σ a logit of each row (k x 2)."""
    return (logits * log_shares.exp()).sum(dim=1)
