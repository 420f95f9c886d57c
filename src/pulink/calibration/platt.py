"""Scores of any scale become probabilities: P(link) = σ(slope · score + offset), with slope > 0.

Fitted by maximum likelihood on scores of known edges (a) and of non-edges (b). Their labels are not 1 and 0 but
(a + 1) / (a + 2) and 1 / (b + 2) (Platt 1999): scores that separate the two would else make the slope infinite.
Edges and non-edges weigh the same, however many there are of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

F64 = npt.NDArray[np.float64]

# In standard deviations of the scores: a map may be flat, but never falls.
_FLATTEST = 1e-6


@dataclass(frozen=True)
class LogisticMap:
    """A rising map from scores to probabilities."""

    slope: float
    offset: float

    @classmethod
    def fit(cls, edges: F64, non_edges: F64) -> LogisticMap:
        """From the scores of edges and of non-edges; either may be empty."""
        scores = np.concatenate([edges, non_edges]).astype(np.float64)
        if not scores.size:
            return cls(1.0, 0.0)
        middle, spread = float(scores.mean()), float(scores.std()) or 1.0
        counts = len(edges), len(non_edges)
        targets = np.repeat([(counts[0] + 1) / (counts[0] + 2), 1 / (counts[1] + 2)], counts)
        weights = np.repeat([0.5 / max(counts[0], 1), 0.5 / max(counts[1], 1)], counts)
        slope, offset = _most_likely((scores - middle) / spread, targets, weights)
        return cls(slope / spread, offset - slope * middle / spread)

    def __call__(self, scores: F64) -> F64:
        """Probabilities; a larger score never has a smaller one."""
        return np.asarray(expit(self.slope * scores + self.offset), dtype=np.float64)

    def to_array(self) -> F64:
        return np.array([self.slope, self.offset], dtype=np.float64)

    @classmethod
    def from_array(cls, array: npt.NDArray[np.floating]) -> LogisticMap:
        slope, offset = array.tolist()
        return cls(slope, offset)


def _most_likely(scores: F64, targets: F64, weights: F64) -> tuple[float, float]:
    def loss(line: F64) -> tuple[float, F64]:
        logits = line[0] * scores + line[1]
        excess = weights * (expit(logits) - targets)
        value = float(weights @ (np.logaddexp(0.0, logits) - targets * logits))
        return value, np.array([excess @ scores, excess.sum()])

    found = minimize(
        loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=[(_FLATTEST, None), (None, None)]
    )
    return float(found.x[0]), float(found.x[1])
