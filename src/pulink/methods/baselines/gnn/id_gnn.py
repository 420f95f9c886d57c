"""ID-GNN, the fast form: a GCN that is told how many walks lead from each node back to it (You et al. 2021).

    C = log(1 + [diag A², diag A³, diag A⁴])                     (n x 3), each column divided by its largest entry
    Z = GCN([X, C], A),   mean cross-entropy of m training edges and m fresh non-edges

The walks are those of the training graph. diag A is left out: a graph without loops has no walks of one step.
Without node features X is the identity, as in GCN+CE. The full form, with one pass of the network for each source
node, is not built: it takes n times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.structure.closed_walks import closed_walks
from pulink.graph.graph import Graph
from pulink.nn.encoders import GCN, EncoderFactory
from pulink.nn.inputs import FeatureInput
from pulink.nn.trainer import Trainer
from pulink.predictor.encoder_predictor import EpochEmbedding


class WalkAwareGCN(GCN):
    """A GCN on [X, C]; the two are multiplied apart, so that X stays sparse, or the identity."""

    walks: Tensor

    def __init__(
        self, n_columns: int, n_units: int, n_layers: int, seed: int, walks: npt.NDArray[np.float32]
    ) -> None:
        super().__init__(n_columns + walks.shape[1], n_units, n_layers, seed)
        self._n_columns = n_columns
        self.register_buffer("walks", torch.from_numpy(walks), persistent=False)

    def project(self, features: FeatureInput) -> Tensor:
        weight: Tensor = self.weights[0]
        return features.project(weight[: self._n_columns]) + self.walks @ weight[self._n_columns :]


@dataclass(kw_only=True, eq=False, repr=False)
class IDGNN(EpochEmbedding):
    """GCN+CE on node features and counts of closed walks.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.IDGNN(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    def new_trainer(self, encoder: str | EncoderFactory, train: Graph, first_step: int = 0) -> Trainer:  # noqa: ARG002
        """An untrained encoder that knows the closed walks of this graph."""
        return super().new_trainer(partial(WalkAwareGCN, walks=walk_features(train)), train, first_step)

    def _untrained(self, graph: Graph, n_columns: int) -> tuple[torch.nn.Module, Any]:
        sizes = n_columns, self.n_units, self.n_layers, self.seed
        return WalkAwareGCN(*sizes, walks=walk_features(graph)), self._operator(graph.adjacency)


def walk_features(graph: Graph) -> npt.NDArray[np.float32]:
    """C (n x 3): logarithms of closed walks, from 0 to 1 in each column."""
    logs = np.log1p(closed_walks(graph.adjacency))
    largest = logs.max(axis=0, initial=0.0)
    return np.asarray(logs / np.where(largest > 0, largest, 1.0), dtype=np.float32)
