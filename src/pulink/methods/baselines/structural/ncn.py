"""NCN: a pair is described by its ends and by the sum of its common neighbours (Wang et al. 2024).

    h = GCN(X, A)                                                                        (n x d)
    logit = join( ends(h_i * h_j) + β common(Σ_{u ∈ N(i) ∩ N(j)} h_u) )

`ends`, `common` and `join` are networks with one hidden layer of d units, β a learned number. In training the
batch's own edges are out of the graph, for the propagation as for the common neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pulink.engine.adjacency import Adjacency
from pulink.engine.random import stream_key
from pulink.engine.structure.common_neighbours import common_neighbour_sums
from pulink.nn.mlp import PairNetwork
from pulink.predictor.masked_gcn import MaskedGCN


@dataclass(kw_only=True, eq=False, repr=False)
class NCN(MaskedGCN):
    """Link prediction from embeddings of the two ends and of their common neighbours.

    Parameters
    ----------
    n_units, n_layers : int
        Width and depth of the GCN; the networks on pairs have the same width.
    dropout : float
        Share of hidden units dropped in training, in the networks on pairs.
    batch_size : int
        Training edges per gradient step, removed from the graph for that step; at least five steps make an epoch.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.NCN(n_units=16, max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    def _head(self) -> NeighbourHead:
        return NeighbourHead(self.n_units, self.dropout, self.seed)


class NeighbourHead(nn.Module):
    """join(ends(h_i * h_j) + β common(Σ h_u))."""

    def __init__(self, n_units: int, dropout: float, seed: int) -> None:
        super().__init__()
        sizes = [n_units, n_units, n_units]
        self.ends = PairNetwork(sizes, seed, "ends", normalise=True, dropout=dropout)
        self.common = PairNetwork(sizes, seed, "common", normalise=True, dropout=dropout)
        self.join = PairNetwork([n_units, n_units, 1], seed, "join", normalise=True, dropout=dropout)
        self.beta = nn.Parameter(torch.ones(1))

    def forward(
        self, h: Tensor, adjacency: Adjacency, pairs: npt.NDArray[np.integer], key: np.uint64 | None = None
    ) -> Tensor:
        keys = [None if key is None else stream_key(int(key), part) for part in ("ends", "common", "join")]
        low, high = torch.from_numpy(pairs).unbind(dim=1)
        ends = self.ends(h[low] * h[high], keys[0])
        common = self.common(common_neighbour_sums(adjacency, pairs) @ h, keys[1])
        logits: Tensor = self.join(ends + self.beta * common, keys[2])
        return logits[:, 0]
