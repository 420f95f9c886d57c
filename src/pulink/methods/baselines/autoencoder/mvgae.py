"""MVGAE: a graph autoencoder with several views of one graph (Li et al. 2023).

    views        G; two steps apart, the k best by resource allocation; nearest by cosine of X, k each
    Z_v          GCN_v(X, S_v), weights of its own for each view
    a_v          softmax over views of q · tanh(Z_v W + b), for each node
    Z            Σ_v a_v Z_v
    loss         cross-entropy of edges and fresh non-edges + 0.1 · loss of X read back from Z

The published text gives the three kinds of views and the second decoder; how views are built, fused and weighed
is this package's completion. X is read back as inner products of Z with a vector per feature (feature_cells.py).
Without node features there are two views, and X is not read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from pulink.engine.adjacency import Adjacency
from pulink.engine.random import stream_key
from pulink.errors import InputError
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.methods.baselines.autoencoder.mvgae_features import FeatureCells, feature_cells
from pulink.methods.baselines.autoencoder.mvgae_views import cosine_view, two_step_view
from pulink.nn.backend import ENGINE, Backend, Operator
from pulink.nn.encoders import EncoderFactory, Noise
from pulink.nn.inputs import FeatureInput, scale_features
from pulink.nn.mlp import Linear
from pulink.nn.trainer import LossTerm, Trainer
from pulink.predictor.by_epochs import Training
from pulink.predictor.costs import Sizes
from pulink.predictor.encoder_predictor import EncoderTraining, EpochEmbedding
from pulink.predictor.parameters import check_count, check_from_zero

# Multiplications of a cosine view of dense features: more would take over ten minutes.
_MOST_STEPS = 2e13


class Views:
    """The operators of all views as one: each multiplies its own columns of a matrix (n x views · units)."""

    def __init__(self, operators: Sequence[Operator]) -> None:
        self._operators = operators

    def __len__(self) -> int:
        return len(self._operators)

    def __matmul__(self, dense: Tensor) -> Tensor:
        parts = dense.chunk(len(self), dim=1)
        products = [S @ part.contiguous() for S, part in zip(self._operators, parts, strict=True)]
        return torch.cat(products, dim=1)


class MultiViewGCN(nn.Module):
    """One GCN per view, side by side, fused by attention; with `reads_features`, also a vector per feature."""

    def __init__(
        self, n_columns: int, n_units: int, n_layers: int, seed: int, *, n_views: int, reads_features: bool
    ) -> None:
        super().__init__()
        sizes = [n_columns] + [n_units] * n_layers
        names = [[f"view {v} layer {k}" for v in range(n_views)] for k in range(n_layers)]
        self.weights = nn.ParameterList([_glorot(sizes[k], sizes[k + 1], seed, names[k]) for k in range(n_layers)])
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(n_views * n_units)) for _ in range(n_layers)])
        self.attention = Linear(n_units, n_units, seed, "attention")
        self.query = _glorot(n_units, 1, seed, ["query"])
        self.vectors = _glorot(n_columns, n_units, seed, ["vectors"]) if reads_features else None

    def project(self, features: FeatureInput) -> Tensor:
        """X · W for all views side by side (n x views · units)."""
        return features.project(self.weights[0].movedim(0, 1).flatten(1))

    def propagate(
        self,
        projected: Tensor,
        adjacency: Operator,
        noise: Noise | None,  # noqa: ARG002 (the protocol fixes the signature)
    ) -> tuple[Tensor, Tensor | None]:
        n_views = len(self.weights[0])
        z = (adjacency @ projected) + self.biases[0]
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            hidden = z.relu().unflatten(1, (n_views, -1))
            z = adjacency @ torch.einsum("nvk,vkl->nvl", hidden, weight).flatten(1) + bias
        return self._fused(z.unflatten(1, (n_views, -1))), None

    def _fused(self, embeddings: Tensor) -> Tensor:
        """Embeddings of all views (n x views x units), weighed by attention (n x units)."""
        heeded = torch.tanh(embeddings @ self.attention.weight + self.attention.bias) @ self.query[0]
        return (torch.softmax(heeded, dim=1) * embeddings).sum(dim=1)


def _glorot(n_in: int, n_out: int, seed: int, names: list[str]) -> nn.Parameter:
    """Weights for each name (names x n_in x n_out)."""
    return nn.Parameter(torch.stack([Linear(n_in, n_out, seed, name).weight.detach() for name in names]))


@dataclass(frozen=True, kw_only=True)
class TwoDecoders(LossTerm):
    """Edges against non-edges, and features read back from the same embeddings."""

    cells: FeatureCells
    vectors: Tensor
    weight: float

    def loss(self, z: Tensor, key: np.uint64, backend: Backend = ENGINE) -> Tensor:
        edges = super().loss(z, key, backend)
        cell_key = stream_key(int(key), "cells")
        return edges + self.weight * self.cells.loss(z, self.vectors[0], len(self.positives), cell_key, backend)


@dataclass(kw_only=True, eq=False, repr=False)
class MVGAE(EpochEmbedding):
    """Multi-view graph autoencoder.

    Parameters
    ----------
    n_neighbours : int
        k, how many neighbours a node brings into each view but the graph itself.
    feature_weight : float
        What the loss of the features that are read back counts for; 0: they are not read back.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.MVGAE(n_neighbours=5, max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    n_neighbours: int = 10
    feature_weight: float = 0.1

    def _check_params(self) -> None:
        super()._check_params()
        check_count("n_neighbours", self.n_neighbours, 1)
        check_from_zero("feature_weight", self.feature_weight)

    def _refuse(self, graph: Graph) -> None:
        super()._refuse(graph)
        if isinstance(graph.features, np.ndarray) and float(graph.n_nodes) ** 2 * graph.n_features > _MOST_STEPS:
            raise InputError(
                f"MVGAE compares the features of all nodes, and {graph.n_nodes:,} nodes with {graph.n_features:,} "
                "dense features are too many: leave the features out, or use vgae"
            )

    def sizes(self, graph: Graph) -> Sizes:
        return super().sizes(graph) | {"alike": _n_compared(graph.features)}

    def _network(self, graph: Graph) -> tuple[EncoderFactory, Views]:
        """What makes an encoder for a graph, and the views that it propagates over."""
        views = Views([self.propagation(view) for view in self._views(graph)])
        return partial(MultiViewGCN, n_views=len(views), reads_features=self._reads(graph)), views

    def _reads(self, graph: Graph) -> bool:
        """Whether features are read back."""
        return bool(graph.n_features) and self.feature_weight > 0

    def _untrained(self, graph: Graph, n_columns: int) -> tuple[nn.Module, Any]:
        factory, views = self._network(graph)
        return factory(n_columns, self.n_units, self.n_layers, self.seed), views

    def _training(self, train: Graph) -> Training:
        factory, views = self._network(train)
        trainer = self.new_trainer(factory, train)
        term = self._term(train, views)
        if self._reads(train):
            term = self._with_features(term, train, trainer)
        return EncoderTraining(trainer, [term], views)

    def _with_features(self, term: LossTerm, train: Graph, trainer: Trainer) -> LossTerm:
        assert train.features is not None
        assert isinstance(trainer.encoder, MultiViewGCN)
        assert trainer.encoder.vectors is not None
        return TwoDecoders(
            **{part.name: getattr(term, part.name) for part in fields(LossTerm)},
            cells=feature_cells(train.features),
            vectors=trainer.encoder.vectors,
            weight=self.feature_weight,
        )

    def _views(self, train: Graph) -> list[Adjacency]:
        views = [train.adjacency, two_step_view(train.adjacency, self.n_neighbours)]
        if train.n_features:
            assert train.features is not None
            views.append(cosine_view(scale_features(train.features, self.feature_scaling), self.n_neighbours))
        return views


def _n_compared(features: Features | None) -> float:
    """Pairs of nodes, both ways, whose features are compared: at most those that share one if these are sparse."""
    if features is None:
        return 0.0
    n_pairs = float(features.shape[0]) ** 2
    if isinstance(features, np.ndarray):
        return n_pairs
    n_having = np.bincount(features.indices).astype(np.float64)
    return min(n_pairs, float(n_having @ n_having))
