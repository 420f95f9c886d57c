"""What a scorer is asked after a round: every unconnected pair of the training graph, validation edges among them.

Candidates and validation edges are asked one by one. Of all other pairs a sample is, and each pair of it weighs as
many as it stands for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from pulink.graph.graph import Edges
from pulink.graph.pairs import pair_codes
from pulink.models.predictor import Validation
from pulink.plus.calibration import Calibration
from pulink.plus.candidates import Candidates
from pulink.plus.scorer import Scorer
from pulink.plus.trees import Trees
from pulink.plus.view import View

Floats = npt.NDArray[np.float64]

_SAMPLE = 50_000


@dataclass(frozen=True)
class Round:
    """One round of expectation and maximisation.

    val_average_precision  of the validation edges among all unconnected pairs, which hold other missing links too
    n_expected             missing links expected among those pairs: the sum of their chances
    n_likely               candidates that are more likely links than not
    """

    round: int
    val_auroc: float | None
    val_average_precision: float | None
    n_expected: float | None
    n_likely: int | None

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    @classmethod
    def unseen(cls, number: int) -> Round:
        """Without validation edges."""
        return cls(number, None, None, None, None)


class Exam:
    """Far trees never change from round to round: their scores are taken once."""

    def __init__(self, candidates: Candidates, view: View, validation: Validation, far: Trees, seed: int) -> None:
        parts, weights = _asked(candidates.pairs, view, validation.edges, seed)
        pairs = np.concatenate(parts)
        n = view.graph.n_nodes
        self.labelled = np.isin(pair_codes(pairs, n), pair_codes(validation.edges, n))
        self.weights = np.repeat(weights, [len(part) for part in parts])
        self._signals, self._others = view.signals(pairs), view.signals(validation.non_edges)
        self._far, self._others_far = far.scores(self._signals), far.scores(self._others)

    def take(self, scorer: Scorer) -> Floats:
        """The score of every pair that is asked."""
        return scorer.joined(self._far, self._signals)

    def result(self, number: int, scorer: Scorer, scores: Floats, calibration: Calibration) -> Round:
        """How well the validation edges were told from everything else."""
        edges, rest = scores[self.labelled], ~self.labelled
        non_edges = scorer.joined(self._others_far, self._others)
        chances = calibration.chance(scores)
        return Round(
            number,
            metrics.auroc(edges, non_edges) if len(non_edges) else None,
            metrics.auprc(edges, scores[rest], self.weights[rest]),
            float(self.weights @ chances),
            int((chances[self.weights == 1] >= 0.5).sum()),
        )


def _asked(candidates: Edges, view: View, edges: Edges, seed: int) -> tuple[tuple[Edges, Edges, Edges], Floats]:
    """Candidates, validation edges beyond them, a sample of the other pairs; and the weight of a pair of each."""
    n = view.graph.n_nodes
    sampler = NonEdgeSampler(view.graph.adjacency)
    missed = edges[~np.isin(pair_codes(edges, n), pair_codes(candidates, n))]
    listed = np.concatenate([pair_codes(candidates, n), pair_codes(missed, n)])
    drawn = sampler.draw_distinct(min(_SAMPLE, sampler.n_free), stream_key(seed, "exam"))
    others = np.asarray(drawn[~np.isin(pair_codes(drawn, n), listed)], dtype=np.int32)
    weight = (sampler.n_free - len(listed)) / max(len(others), 1)
    return (candidates, missed, others), np.array([1.0, 1.0, weight])
