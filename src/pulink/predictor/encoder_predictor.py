"""Encoders trained by epochs on edges and fresh non-edges, scored by inner products."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.pair_loss import pair_logits
from pulink.graph.graph import Graph
from pulink.nn.backend import backend_of
from pulink.nn.encoders import EncoderFactory, encoder_factory
from pulink.nn.inputs import FeatureInput
from pulink.nn.trainer import LossTerm, Trainer
from pulink.predictor.by_embedding import F32, EmbeddingPredictor, embedding_state
from pulink.predictor.by_epochs import EpochPredictor, Training
from pulink.predictor.fitting.fit_run import State
from pulink.predictor.new_nodes import NewNodes, encode
from pulink.predictor.sharded.group_embedding import EMBEDDINGS, ENCODER


class EncoderTraining:
    """A trainer on fixed loss terms; embeddings are taken over the observed graph."""

    def __init__(self, trainer: Trainer, terms: Sequence[LossTerm], observed: Any) -> None:
        self._trainer, self._terms, self._observed = trainer, terms, observed

    @property
    def n_steps(self) -> int:
        return self._trainer.n_steps

    @property
    def loss(self) -> float | None:
        return sum(self._trainer.losses) if self._trainer.losses else None

    def advance(self, n_epochs: int) -> None:
        self._trainer.train(self._terms, n_epochs)

    def snapshot(self) -> State:
        return embedding_state(self._trainer.embed(self._observed), self._trainer.state())

    def state_dict(self) -> State:
        return self._trainer.state_dict()

    def load_state_dict(self, state: State) -> None:
        self._trainer.load_state_dict(state)


@dataclass(kw_only=True, eq=False, repr=False)
class EpochEmbedding(EpochPredictor, EmbeddingPredictor):
    """m training edges against m fresh non-edges in every epoch; subclasses choose the encoder and the loss."""

    reduction: ClassVar[str] = "mean"
    # How many edges an epoch learns from at most, drawn anew for each; None: all.
    most_edges: ClassVar[int | None] = None

    def train_encoder(self, graph: Graph, n_epochs: int) -> tuple[F32, State]:
        """Train on all edges of a graph for exactly so many epochs, with no regard to validation edges.

        Parameters
        ----------
        graph : Graph
            What is learned from.
        n_epochs : int
            Gradient steps.

        Returns
        -------
        embeddings : array of float32, n x d
        parameters : dict of arrays
            Of the encoder.
        """
        training = self._training(graph)
        training.advance(n_epochs)
        state = training.snapshot()
        return np.ascontiguousarray(state.pop(EMBEDDINGS)), state

    def encode(self, parameters: State, graph: Graph) -> F32:
        """Embed every node of a graph on the nodes that were trained on, without training.

        Parameters
        ----------
        parameters : dict of arrays
            What `train_encoder` gave.
        graph : Graph
            Its edges may be others.

        Returns
        -------
        array of float32, n x d
        """
        trained, backend = copy(self), backend_of(self.device)
        trained.state_ = parameters
        inputs = FeatureInput.of(graph, self.feature_scaling, backend)
        module, operator = self._untrained(graph, inputs.n_columns)
        with torch.no_grad():
            return encode(module, trained.encoder_state_, inputs, operator, backend)

    def encode_by(self, parameters: State, new_nodes: NewNodes) -> F32:
        """Embed every node of a graph to which nodes were added, without training.

        Parameters
        ----------
        parameters : dict of arrays
            What `train_encoder` gave.
        new_nodes : NewNodes
            The graph with its new nodes.

        Returns
        -------
        array of float32, n' x d
        """
        trained = copy(self)
        trained.state_ = parameters
        return trained._encoded(new_nodes)

    def parameter_shapes(self, n_columns: int) -> dict[str, tuple[int, ...]]:
        """Give the shape of each parameter that `train_encoder` gives.

        Parameters
        ----------
        n_columns : int
            Of the inputs.

        Returns
        -------
        dict of str to tuple of int
        """
        parameters = self._module(n_columns).state_dict()
        return {f"{ENCODER}{name}": tuple(parameter.shape) for name, parameter in parameters.items()}

    def _encoder(self) -> str | EncoderFactory:
        """The encoder's name, or a function that makes one."""
        return "gcn"

    def _operator(self, adjacency: Adjacency) -> Any:
        """What the encoder propagates over."""
        return self.propagation(adjacency)

    def _term(self, train: Graph, observed: Any) -> LossTerm:
        """What every epoch minimises."""
        sampler = train.pair_space.sampler(train.adjacency)
        return LossTerm.of_edges(
            observed, train.edges, sampler, self.most_edges, reduction=self.reduction, absent=train.absent
        )

    def _module(self, n_columns: int) -> torch.nn.Module:
        encoder = self._encoder()
        factory = encoder_factory(encoder) if isinstance(encoder, str) else encoder
        return factory(n_columns, self.n_units, self.n_layers, self.seed)

    def _untrained(self, graph: Graph, n_columns: int) -> tuple[torch.nn.Module, Any]:
        return self._module(n_columns), self._operator(graph.adjacency)

    def _training(self, train: Graph) -> Training:
        observed = self._operator(train.adjacency)
        trainer = self.new_trainer(self._encoder(), train)
        return EncoderTraining(trainer, [self._term(train, observed)], observed)

    def _state_scores(
        self,
        state: State,
        graph: Graph,  # noqa: ARG002 (the base fixes the signature)
        pairs: npt.NDArray[np.integer],
    ) -> npt.NDArray[np.float64]:
        return pair_logits(state["embeddings"], pairs)
