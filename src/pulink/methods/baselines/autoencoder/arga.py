"""ARGA: a graph autoencoder whose embeddings a discriminator cannot tell from normal numbers (Pan et al. 2018).

    encoder        GAE's loss + mean over nodes of −log D(z_i)
    discriminator  mean over n rows e of N(0, I) of −log D(e) + mean over nodes of −log(1 − D(z_i)), z held fixed

D = σ(network of d, 16, 64 and 1 units). In every epoch: encode once, five steps of the discriminator on this z,
one of the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from pulink.engine.random import normals, stream_key
from pulink.graph.graph import Graph
from pulink.nn.encoders import EncoderFactory
from pulink.nn.mlp import PairNetwork
from pulink.nn.resumable import Part
from pulink.nn.trainer import LossTerm, Trainer
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.parameters import check_count, check_positive

HIDDEN_UNITS = (16, 64)


@dataclass(frozen=True)
class Contest:
    """How a discriminator is trained: its learning rate and its steps per epoch."""

    learning_rate: float
    n_steps: int


def discriminator_loss(discriminator: nn.Module, real: Tensor, fake: Tensor) -> Tensor:
    """Cross-entropy of telling real rows from fake ones (n x d each); no gradient reaches the fake ones."""
    return softplus(-discriminator(real)).mean() + softplus(discriminator(fake.detach())).mean()


def fooling_loss(discriminator: nn.Module, z: Tensor) -> Tensor:
    """Mean of −log D(z_i): small where embeddings pass for normal numbers."""
    return softplus(-discriminator(z)).mean()


class AdversarialTrainer(Trainer):
    """A trainer whose encoder also has to fool a discriminator, which is trained beside it."""

    def __init__(self, trainer: Trainer, learning_rate: float, n_units: int, seed: int, contest: Contest) -> None:
        module = cast(nn.Module, trainer.encoder)
        super().__init__(module, trainer.features, learning_rate, seed, trainer.n_steps, trainer._backend)
        network = PairNetwork([n_units, *HIDDEN_UNITS, 1], seed, "discriminator")
        self.discriminator = network.to(self._backend.device)
        self._contest = contest
        self._teacher = torch.optim.Adam(self.discriminator.parameters(), lr=contest.learning_rate, fused=True)

    def _gradients(self, terms: Sequence[LossTerm]) -> list[float]:
        term = terms[0]
        projected = self.encoder.project(self.features)
        z, penalty = self.encoder.propagate(projected, term.adjacency, self._noise(0))
        self._train_discriminator(z.detach())
        loss = term.loss(z, stream_key(self._seed, "non-edges", self.n_steps, 0), self._backend)
        total = loss + fooling_loss(self.discriminator, z)
        total = total if penalty is None else total + penalty
        total.backward()  # type: ignore[no-untyped-call]
        return [float(loss.detach())]

    def parts(self) -> dict[str, Part]:
        return super().parts() | {"discriminator": self.discriminator, "teacher": self._teacher}

    def _train_discriminator(self, z: Tensor) -> None:
        for step in range(self._contest.n_steps):
            key = stream_key(self._seed, "real", self.n_steps, step)
            real = torch.from_numpy(normals(key, z.numel()).astype(np.float32)).view_as(z).to(z.device)
            self._teacher.zero_grad(set_to_none=True)
            discriminator_loss(self.discriminator, real, z).backward()  # type: ignore[no-untyped-call]
            self._teacher.step()


@dataclass(kw_only=True, eq=False, repr=False)
class ARGA(EpochEmbedding):
    """Adversarially regularised graph autoencoder.

    Parameters
    ----------
    learning_rate : float
        Step size of the encoder's Adam, smaller here than in other methods.
    discriminator_rate : float
        Step size of the discriminator's Adam.
    discriminator_steps : int
        Steps of the discriminator in each epoch.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.ARGA(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    reduction: ClassVar[str] = "per_class"

    learning_rate: float = 0.001
    discriminator_rate: float = 0.001
    discriminator_steps: int = 5

    def _check_params(self) -> None:
        super()._check_params()
        check_positive("discriminator_rate", self.discriminator_rate)
        check_count("discriminator_steps", self.discriminator_steps, 0)

    def new_trainer(self, encoder: str | EncoderFactory, train: Graph, first_step: int = 0) -> Trainer:
        """An untrained encoder and an untrained discriminator."""
        trainer = super().new_trainer(encoder, train, first_step)
        contest = Contest(self.discriminator_rate, self.discriminator_steps)
        return AdversarialTrainer(trainer, self.learning_rate, self.n_units, self.seed, contest)
