"""The inner loop: gradient steps on one or more loss terms, fresh non-edges in every epoch.

GCN+CE is one term over the observed graph; PULL is L'_E over the expected graph and L_C over the observed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.autograd.pair_loss import DrawnNonEdges, LabelledPairs, PairPart, loss_and_gradient
from pulink.engine.autograd.sparse import SparseOperator
from pulink.engine.non_edges import PairSampler
from pulink.engine.pace import paced
from pulink.engine.random import normals, random_words, stream_key
from pulink.nn.adam import Adam
from pulink.nn.backend import ENGINE, Backend, Operator
from pulink.nn.encoders import GCN, Encoder, Noise
from pulink.nn.gcn_gradients import set_gradients
from pulink.nn.inputs import FeatureInput
from pulink.nn.resumable import Part, Resumable

F32 = npt.NDArray[np.float32]

REDUCTIONS = ("mean", "per_class", "sum")


@dataclass(frozen=True)
class LossTerm:
    """Cross-entropy of positive pairs with (soft) targets against freshly drawn non-edges.

    adjacency    what embeddings are propagated over
    positives    k x 2 node numbers, each pair once
    targets      k labels in [0, 1]
    counts       k: how many entries of the paper's edge list a pair stands for
    n_non_edges  how many non-edges are drawn per epoch
    sampler      where they are drawn from
    reduction    "mean" over both kinds, "per_class": a mean over each, added (GAE's loss), or "sum"
    absent       pairs that are known to be no links: in every epoch, besides those that are drawn
    n_drawn      how many positives an epoch learns from, drawn anew for each (one may come twice); None: all
    """

    adjacency: Operator
    positives: npt.NDArray[np.int32]
    targets: F32
    counts: F32
    n_non_edges: int
    sampler: PairSampler
    reduction: str = "mean"
    absent: npt.NDArray[np.int32] | None = None
    n_drawn: int | None = None

    @classmethod
    def of_edges(
        cls,
        adjacency: Operator,
        edges: npt.NDArray[np.int32],
        sampler: PairSampler,
        most: int | None = None,
        **settings: Any,
    ) -> Self:
        """Edges (m x 2) with targets of 1, each counted once, against m drawn pairs; `most` of both an epoch."""
        ones = np.ones(len(edges), dtype=np.float32)
        if most is None or len(edges) <= most:
            return cls(adjacency, edges, ones, ones, len(edges), sampler, **settings)
        return cls(adjacency, edges, ones, ones, most, sampler, n_drawn=most, **settings)

    def loss(self, z: Tensor, key: np.uint64, backend: Backend = ENGINE) -> Tensor:
        """The term's value on embeddings z (n x d), with the non-edges of this key."""
        return backend.pair_loss(z, *self._parts(key))

    def loss_and_gradient(self, z: F32, key: np.uint64) -> tuple[float, F32]:
        """The same value, and its gradient in z, without autograd."""
        return loss_and_gradient(z, *self._parts(key))

    def _parts(self, key: np.uint64) -> list[PairPart]:
        non_edges = DrawnNonEdges(self.sampler, key, self.n_non_edges, self._scales[1])
        return [self._positives(key), non_edges, *self._known_non_edges]

    def _positives(self, key: np.uint64) -> LabelledPairs:
        if self.n_drawn is None:
            return self._edges
        words = random_words(stream_key(int(key), "positives"), self.n_drawn)
        chosen = np.sort((words % np.uint64(len(self.positives))).astype(np.int64))
        weights = self.counts[chosen] * np.float32(self._scales[0])
        return LabelledPairs(self.positives[chosen], self.targets[chosen], weights)

    @cached_property
    def _scales(self) -> tuple[float, float]:
        """What an edge's entry and a non-edge count for."""
        share = 1.0 if self.n_drawn is None else self.n_drawn / max(len(self.positives), 1)
        n_edges = max(float(self.counts.sum()) * share, 1.0)
        n_absent = 0 if self.absent is None else len(self.absent)
        n_non_edges = float((self.n_non_edges if self.sampler.n_free > 0 else 0) + n_absent)
        if self.reduction == "per_class":
            return 1.0 / n_edges, 1.0 / max(n_non_edges, 1.0)
        if self.reduction == "mean":
            return 1.0 / (n_edges + n_non_edges), 1.0 / (n_edges + n_non_edges)
        return 1.0, 1.0

    @cached_property
    def _known_non_edges(self) -> list[LabelledPairs]:
        if self.absent is None:
            return []
        zeros, weights = np.zeros(len(self.absent), np.float32), np.ones(len(self.absent), np.float32)
        return [LabelledPairs(self.absent, zeros, weights * np.float32(self._scales[1]))]

    @cached_property
    def _edges(self) -> LabelledPairs:
        return LabelledPairs(self.positives, self.targets, self.counts * np.float32(self._scales[0]))


class Trainer(Resumable):
    """An encoder with its optimiser. Both live as long as the fit: warm starts keep Adam's moments.

    losses  each term's value in the last epoch
    """

    def __init__(
        self,
        encoder: torch.nn.Module,
        features: FeatureInput,
        learning_rate: float,
        seed: int,
        first_step: int = 0,
        backend: Backend = ENGINE,
    ) -> None:
        encoder = encoder.to(backend.device)
        self.encoder: Encoder = encoder  # type: ignore[assignment]
        self.features = features
        self.n_steps = first_step
        self.losses: list[float] = []
        self._module = encoder
        self._backend = backend
        self._seed = seed
        self._optimizer: Adam | torch.optim.Optimizer = Adam(encoder.parameters(), learning_rate)

    def train(
        self, terms: Sequence[LossTerm], n_epochs: int, after_epoch: Callable[[], None] | None = None
    ) -> list[float]:
        """Take `n_epochs` steps on the sum of the terms; return each term's value in the last epoch."""
        for _ in paced(range(n_epochs)):
            self._optimizer.zero_grad(set_to_none=True)
            self.losses = self._gradients(terms)
            self._optimizer.step()
            self.n_steps += 1
            if after_epoch is not None:
                after_epoch()
        return self.losses if n_epochs else []

    def _gradients(self, terms: Sequence[LossTerm]) -> list[float]:
        if not self._is_written_out(terms):
            return self._gradients_by_autograd(terms)
        parts = [
            (cast(SparseOperator, term.adjacency), partial(term.loss_and_gradient, key=self._non_edge_key(number)))
            for number, term in enumerate(terms)
        ]
        return set_gradients(cast(GCN, self._module), self.features, parts)

    def _is_written_out(self, terms: Sequence[LossTerm]) -> bool:
        """Whether `set_gradients` knows how encoder and terms are made, and no parameter is held fixed."""
        return (
            type(self._module) is GCN
            and not self._backend.plain
            and all(parameter.requires_grad for parameter in self._module.parameters())
            and len(terms) > 0
            and all(type(term) is LossTerm and isinstance(term.adjacency, SparseOperator) for term in terms)
        )

    def _non_edge_key(self, term: int) -> np.uint64:
        return stream_key(self._seed, "non-edges", self.n_steps, term)

    def _gradients_by_autograd(self, terms: Sequence[LossTerm]) -> list[float]:
        projected = self.encoder.project(self.features)
        total = torch.zeros((), device=self._backend.device)
        losses = []
        for number, term in enumerate(terms):
            z, penalty = self.encoder.propagate(projected, term.adjacency, self._noise(number))
            loss = term.loss(z, self._non_edge_key(number), self._backend)
            losses.append(float(loss.detach()))
            total = total + loss if penalty is None else total + loss + penalty
        total.backward()  # type: ignore[no-untyped-call]
        return losses

    def embed(self, adjacency: Operator) -> F32:
        """Embeddings over a graph, without noise (n x d)."""
        with torch.no_grad():
            z, _ = self.encoder.propagate(self.encoder.project(self.features), adjacency, None)
        return np.ascontiguousarray(z.cpu().numpy())

    def state(self) -> dict[str, Tensor]:
        """A copy of the encoder's parameters."""
        return {name: value.detach().cpu().clone() for name, value in self._module.state_dict().items()}

    def restore(self, state: dict[str, Tensor]) -> None:
        self._module.load_state_dict(state)

    def parts(self) -> dict[str, Part]:
        return {"encoder": self._module, "optimizer": self._optimizer}

    def _noise(self, term: int) -> Noise:
        key = stream_key(self._seed, "noise", self.n_steps, term)

        def draw(shape: tuple[int, ...]) -> Tensor:
            drawn = normals(key, int(np.prod(shape))).astype(np.float32).reshape(shape)
            return torch.from_numpy(drawn).to(self._backend.device)

        return draw
