"""nnPU: non-negative positive-unlabelled learning (Kiryo et al. 2017), on a GCN.

    R_p⁺, R_p⁻    mean cross-entropy of the training edges called links, and called none
    R_u⁻          mean cross-entropy of unlabelled pairs called none
    a = R_u⁻ − π R_p⁻                           what pairs without a link cost; below 0 only by overfitting
    a ≥ −β:  minimise π' R_p⁺ + (1 − π') / (1 − π) · a
    a < −β:  minimise −γ a instead, a step back

π (`prior`) is the share of all pairs that are links, and π' (`balance`) the share that the classifier is trained
for. With π' = π the risk is Kiryo's; at the density of real graphs (π about 0.01 on Chameleon) inner products can
then only shrink, and all embeddings go to zero.
Unlabelled pairs are drawn from all pairs, edges included, afresh in every epoch, as many as there are edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from torch import Tensor

from pulink.engine.autograd.pair_loss import DrawnNonEdges, LabelledPairs
from pulink.errors import ParameterError
from pulink.graph.graph import Graph
from pulink.nn.backend import ENGINE, Backend
from pulink.nn.trainer import LossTerm
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.parameters import check_from_zero, check_positive

# Which share of the links is thought missing when nobody says it.
_MISSING = 0.1
# A graph that is nearly complete leaves no room for missing links.
_LARGEST_PRIOR = 0.99


@dataclass(frozen=True)
class Risk:
    """π, π' (None: equal to π), β and γ of the non-negative risk."""

    prior: float
    balance: float | None = 0.5
    beta: float = 0.0
    gamma: float = 1.0

    def __call__(self, links: Tensor, links_as_none: Tensor, drawn_as_none: Tensor) -> Tensor:
        """What to minimise, from R_p⁺, R_p⁻ and R_u⁻."""
        none = drawn_as_none - self.prior * links_as_none
        if float(none.detach()) < -self.beta:
            return -self.gamma * none
        balance = self.prior if self.balance is None else self.balance
        return balance * links + (1 - balance) / (1 - self.prior) * none


@dataclass(frozen=True, kw_only=True)
class NonNegativeTerm(LossTerm):
    """Training edges against unlabelled pairs by the non-negative risk."""

    risk: Risk

    def loss(self, z: Tensor, key: np.uint64, backend: Backend = ENGINE) -> Tensor:
        shares = np.full(len(self.positives), 1 / len(self.positives), dtype=np.float32)
        drawn = DrawnNonEdges(self.sampler, key, self.n_non_edges, 1 / self.n_non_edges)
        return self.risk(
            backend.pair_loss(z, LabelledPairs(self.positives, self.targets, shares)),
            backend.pair_loss(z, LabelledPairs(self.positives, np.zeros_like(shares), shares)),
            backend.pair_loss(z, drawn),
        )


@dataclass(kw_only=True, eq=False, repr=False)
class NNPU(EpochEmbedding):
    """Non-negative positive-unlabelled learning on a GCN.

    Parameters
    ----------
    prior : float or None
        π, the share of all pairs that are links; None: the graph's density / (1 − missing_share).
    missing_share : float or None
        Which share of the links is missing; None: a tenth in the prior, and as estimated from the best pairs in
        probabilities.
    balance : float or None
        π', the share of links that the classifier is trained for; None: π, the risk as published.
    beta, gamma : float
        How far below 0 the risk of unlinked pairs may fall, and how far a step back goes.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.NNPU(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    prior: float | None = None
    balance: float | None = 0.5
    beta: float = 0.0
    gamma: float = 1.0

    def _check_params(self) -> None:
        super()._check_params()
        _check_fraction("prior", self.prior)
        _check_fraction("balance", self.balance)
        check_from_zero("beta", self.beta)
        check_positive("gamma", self.gamma)

    def _prior(self, train: Graph) -> float:
        if self.prior is not None:
            return float(self.prior)
        missing = _MISSING if self.missing_share is None else self.missing_share
        return min(train.n_edges / train.n_pairs / (1 - missing), _LARGEST_PRIOR)

    def _term(self, train: Graph, observed: Any) -> NonNegativeTerm:
        risk = Risk(self._prior(train), self.balance, self.beta, self.gamma)
        return NonNegativeTerm.of_edges(observed, train.edges, train.pair_space.sampler(), risk=risk)


def _check_fraction(name: str, value: Any) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < 1):
        raise ParameterError(f"{name} must lie between 0 and 1, or be None, got {value!r}")
