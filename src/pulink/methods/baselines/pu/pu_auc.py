"""PU-AUC: a GCN that ranks edges above unlabelled pairs (Hao 2021).

    R = mean over edges p and unlabelled pairs u of (1 − (f_p − f_u))²
      = (1 − (mean f_p − mean f_u))² + var f_p + var f_u

The second line takes time in proportion to the pairs, not to their product. Ranking edges above unlabelled pairs
ranks them above unlinked ones without knowing which share π of the unlabelled pairs are links: those only add
π (1 + 2 var f_p). Unlabelled pairs are drawn from all pairs afresh in every epoch, as many as there are edges.

Such a score f is the logit of no probability. Probabilities come from a logistic map of the scores, fitted on the
validation edges and non-edges (on training edges and drawn non-edges where none are held out).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from torch import Tensor

from pulink.calibration.platt import LogisticMap
from pulink.engine.random import stream_key
from pulink.graph.graph import Graph
from pulink.nn.backend import ENGINE, Backend, pair_scores
from pulink.nn.trainer import LossTerm
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.fitting.fit_run import FitRun, Learned, State, Validation

_MAP = "logistic_map"


def ranking_risk(edges: Tensor, unlabelled: Tensor) -> Tensor:
    """R from the scores of edges and of unlabelled pairs."""
    gap = edges.mean() - unlabelled.mean()
    return (1 - gap) ** 2 + edges.var(correction=0) + unlabelled.var(correction=0)


class RankingTerm(LossTerm):
    """Training edges against unlabelled pairs by the ranking risk."""

    def loss(self, z: Tensor, key: np.uint64, backend: Backend = ENGINE) -> Tensor:
        drawn = self.sampler.draw(self.n_non_edges, key)
        return ranking_risk(pair_scores(z, self.positives, backend), pair_scores(z, drawn, backend))


@dataclass(kw_only=True, eq=False, repr=False)
class PUAUC(EpochEmbedding):
    """A GCN trained to rank edges above unlabelled pairs.

    See Also
    --------
    pulink.GCNCE : the parameters that are not listed here.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> model = pulink.PUAUC(max_epochs=5).fit(graph)
    >>> model.missing_links(3).columns[:4]
    ['rank', 'source', 'target', 'probability']
    """

    def _term(self, train: Graph, observed: Any) -> RankingTerm:
        return RankingTerm.of_edges(observed, train.edges, train.pair_space.sampler())

    def _learn(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        learned = super()._learn(train, validation, run)
        chosen = (
            self._fitted_map(learned.state, train, validation) if run.chosen is None else run.chosen.state[_MAP]
        )
        return replace(learned, state=learned.state | {_MAP: chosen})

    def _fitted_map(self, state: State, train: Graph, validation: Validation | None) -> npt.NDArray[np.float64]:
        if validation is None:
            sampler = train.pair_space.sampler(train.adjacency)
            non_edges = sampler.draw(train.n_edges, stream_key(self.seed, "map"))
            validation = Validation(train.edges, non_edges)
        scores = (self._state_scores(state, train, pairs) for pairs in (validation.edges, validation.non_edges))
        return LogisticMap.fit(*scores).to_array()

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return LogisticMap.from_array(self.state_[_MAP])(scores)
