"""What a scorer is asked after a round: every unconnected pair of a graph, validation edges among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.calibration.blocks import BlockCurve
from pulink.calibration.pair_sample import PairSample
from pulink.methods.pull_plus.candidates import Candidates
from pulink.methods.pull_plus.pair_signals import PairSignals
from pulink.methods.pull_plus.scoring.added_terms import choose_terms
from pulink.methods.pull_plus.scoring.scored_graph import ScoredGraph
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.scoring.trees import Trees
from pulink.predictor.fitting.fit_run import Validation

F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Round:
    """One round of expectation and maximisation.

    Attributes
    ----------
    round : int
        Counted from 0, in which all unconnected pairs count as non-links.
    val_auroc : float or None
        None without validation edges, here and below.
    val_average_precision : float or None
        Of the validation edges among all unconnected pairs, which hold other missing links too.
    n_expected : float or None
        Missing links that are expected among those pairs: the sum of their probabilities.
    n_likely : int or None
        Of the pairs that are scored one by one, those with a probability above one half.
    """

    round: int
    val_auroc: float | None
    val_average_precision: float | None
    n_expected: float | None
    n_likely: int | None

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name, as JSON holds them.

        Returns
        -------
        dict
        """
        return dict(vars(self))

    @classmethod
    def unseen(cls, number: int) -> Round:
        """Give the record of a round without validation edges.

        Parameters
        ----------
        number : int
            Of the round.

        Returns
        -------
        Round
        """
        return cls(number, None, None, None, None)


class ValidationSet:
    """Far trees never change from round to round: their scores are taken once."""

    def __init__(
        self, candidates: Candidates, pair_signals: PairSignals, validation: Validation, far: Trees, seed: int
    ) -> None:
        self.asked = PairSample.of(pair_signals.graph, candidates.pairs, validation.edges, seed)
        self._names = pair_signals.names
        graph = ScoredGraph.by_far_trees(pair_signals, candidates, far)
        self._signals, self._far = graph.far_scores(self.asked.pairs)
        self._others, self._others_far = graph.far_scores(validation.non_edges)

    def score(self, scorer: Scorer) -> F64:
        """The score of every pair that is asked."""
        return scorer.joined(self._far, self._signals)

    def with_terms(self, scorer: Scorer) -> Scorer:
        """The scorer with the terms that are worth adding to the scores of its trees."""
        asked = self.asked
        terms = choose_terms(self._names, self._signals, self.score(scorer), asked.labelled, asked.weights)
        return replace(scorer, terms=terms)

    def result(self, number: int, scorer: Scorer, scores: F64, calibration: BlockCurve) -> Round:
        """How well the validation edges were told from everything else."""
        weights, labelled = self.asked.weights, self.asked.labelled
        edges = scores[labelled]
        non_edges = scorer.joined(self._others_far, self._others)
        probabilities = calibration.probability(scores)
        return Round(
            number,
            metrics.auroc(edges, non_edges) if len(non_edges) else None,
            metrics.auprc(edges, scores[~labelled], weights[~labelled]),
            float(weights @ probabilities),
            int((probabilities[weights == 1] >= 0.5).sum()),
        )
