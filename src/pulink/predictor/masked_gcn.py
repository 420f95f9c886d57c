"""A GCN and a head that scores pairs, trained on edges that neither of them can see.

    h = GCN(X, A without the batch's edges)                     (n x d)
    logits = head(h, A without the batch's edges, pairs)        (k)

Cross-entropy of a batch's edges against as many fresh non-edges. If the edges were left in the graph, their ends'
embeddings and neighbourhoods would tell them from non-edges by what held-out edges do not have. For scoring, h and
the neighbourhoods are those of the whole training graph.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.random import stream_key
from pulink.engine.structure.common_neighbours import most_common_neighbours
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.nn.edge_batches import EdgeBatches, batch_count
from pulink.nn.encoders import GCN
from pulink.nn.inputs import SCALINGS, FeatureInput
from pulink.nn.mlp import from_state, to_state
from pulink.nn.resumable import Part, Resumable
from pulink.predictor.costs import STEPS, Sizes, encoder_sizes, require_room
from pulink.predictor.fitting.fit_run import State
from pulink.predictor.new_nodes import NewNodes, encode
from pulink.predictor.pair_scorer import PairScorer, in_fixed_batches
from pulink.predictor.parameters import check_choice, check_count, check_positive, check_share

Pairs = npt.NDArray[np.integer]

_SCORED_AT_ONCE = 4096
# Common neighbours of a pass over all edges: at about 50 ns each this is two minutes an epoch.
_MOST_COMMON = 2 * 10**9


@dataclass(kw_only=True, eq=False, repr=False)
class MaskedGCN(PairScorer):
    """A predictor with a GCN and a head of its own, trained with its batch's edges removed."""

    n_units: int = 64
    n_layers: int = 2
    dropout: float = 0.3
    learning_rate: float = 0.01
    batch_size: int = 8192
    feature_scaling: str = "auto"
    max_epochs: int = 150
    min_epochs: int = 40
    patience: int = 20

    @abstractmethod
    def _head(self) -> nn.Module:
        """An untrained head."""

    def _check_params(self) -> None:
        super()._check_params()
        for name in ("n_units", "n_layers", "batch_size"):
            check_count(name, getattr(self, name), 1)
        check_positive("learning_rate", self.learning_rate)
        check_share("dropout", self.dropout)
        check_choice("feature_scaling", self.feature_scaling, SCALINGS)

    def _refuse(self, graph: Graph) -> None:
        n_common = most_common_neighbours(graph.adjacency, graph.edges)
        if n_common > _MOST_COMMON:
            raise InputError(
                f"up to {n_common:,} common neighbours of edges would be visited in every epoch, more than "
                f"{_MOST_COMMON:,}: use gcn-ce or l3n"
            )
        what = f"training on {graph.n_nodes:,} nodes and {graph.n_edges:,} edges"
        require_room(self, graph, what, "use gcn-ce or l3n")

    def sizes(self, graph: Graph) -> Sizes:
        """batch: numbers of a batch's pairs; common: common neighbours of its edges, at most."""
        sizes = super().sizes(graph) | encoder_sizes(graph, self.n_units, self.n_layers)
        n_batches = batch_count(graph.n_edges, self.batch_size)
        n_common = most_common_neighbours(graph.adjacency, graph.edges)
        sizes |= {"batch": graph.n_edges / n_batches * self.n_units, "common": n_common / n_batches}
        return sizes | {STEPS: sizes[STEPS] * n_batches}

    def _training(self, train: Graph) -> MaskedTraining:
        return MaskedTraining(self, train, self._head())

    def _state_scores(self, state: State, graph: Graph, pairs: Pairs) -> npt.NDArray[np.float64]:
        head = self._head()
        from_state(head, state, "head.")
        h = torch.from_numpy(state["embeddings"])
        return in_fixed_batches(
            lambda part: head(h, graph.adjacency, part), pairs, _SCORED_AT_ONCE, graph.pair_space
        )

    def _grown_state(self, new_nodes: NewNodes) -> State:
        inputs = new_nodes.feature_input(self.feature_scaling)
        encoder = GCN(inputs.n_columns, self.n_units, self.n_layers, self.seed)
        from_state(encoder, self.state_, "encoder.")
        rows = encode(encoder, encoder.state_dict(), inputs, propagation_operator(new_nodes.graph.adjacency))
        return self.state_ | {"embeddings": new_nodes.appended(self.state_["embeddings"], rows)}


class MaskedTraining(Resumable):
    """Gradient steps on encoder and head, one per batch."""

    def __init__(self, model: MaskedGCN, graph: Graph, head: nn.Module) -> None:
        self.n_steps = 0
        self._seed, self._graph, self._head = model.seed, graph, head
        self._features = FeatureInput.of(graph, model.feature_scaling)
        self._encoder = GCN(self._features.n_columns, model.n_units, model.n_layers, model.seed)
        self._batches = EdgeBatches(graph, model.batch_size, model.seed)
        parameters = [*self._encoder.parameters(), *head.parameters()]
        self._optimizer = torch.optim.Adam(parameters, lr=model.learning_rate, fused=True)

    def advance(self, n_epochs: int) -> None:
        for _ in range(n_epochs):
            for batch in self._batches.epoch(self.n_steps // self._batches.n_batches):
                logits = self.masked_logits(
                    batch.chosen, batch.pairs, stream_key(self._seed, "step", self.n_steps)
                )
                self._optimizer.zero_grad(set_to_none=True)
                loss = nn.functional.binary_cross_entropy_with_logits(logits, batch.labels)
                loss.backward()  # type: ignore[no-untyped-call]
                self.loss = float(loss.detach())
                self._optimizer.step()
                self.n_steps += 1

    def parts(self) -> dict[str, Part]:
        return {"encoder": self._encoder, "head": self._head, "optimizer": self._optimizer}

    def masked_logits(self, masked: npt.NDArray[np.int64], pairs: Pairs, key: np.uint64 | None = None) -> Tensor:
        """Logits of pairs over the graph without the edges of these numbers."""
        adjacency = without_edges(self._graph, masked)
        logits: Tensor = self._head(self._embed(adjacency), adjacency, pairs, key)
        return logits

    def snapshot(self) -> State:
        with torch.no_grad():
            embeddings = self._embed(self._graph.adjacency).numpy()
        return {"embeddings": embeddings} | to_state(self._head, "head.") | to_state(self._encoder, "encoder.")

    def _embed(self, adjacency: Adjacency) -> Tensor:
        operator = propagation_operator(adjacency)
        return self._encoder.propagate(self._encoder.project(self._features), operator, None)[0]


def without_edges(graph: Graph, masked: npt.NDArray[np.int64]) -> Adjacency:
    """The adjacency without the edges of these numbers."""
    kept = np.ones(graph.n_edges, dtype=np.bool_)
    kept[masked] = False
    return graph.keep_edges(kept).adjacency
