"""From scores to the chance that a pair is a link, at the true prevalence.

Among the candidates on a graph, some are edges that were hidden on purpose: labelled ones. With s a score,

    q(s) = P(labelled | s)      isotonic regression over all candidates, none sampled: prevalence is as it is
    c    = P(labelled | link)   labels are a random part of the missing links, so q = c · P(link | s); where scores
                                are so high that every candidate is a link, q = c (Elkan and Noto 2008)
    p(s) = min(q(s) / c, 0.99)

c is the largest share of labelled among the k best, k at least a tenth of the labelled. If even the best are not
all links, c is too small by that share, and p too large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

Floats = npt.NDArray[np.float64]

_LARGEST = 0.99
_LEAST_TOP = 50
_TOP_SHARE = 10


@dataclass(frozen=True)
class Calibration:
    """p rises in straight lines between knots (scores ascending)."""

    scores: Floats
    chances: Floats

    @classmethod
    def fit(cls, scores: Floats, labelled: npt.NDArray[np.bool_]) -> Calibration:
        """From all candidates' scores and which of them were hidden on purpose."""
        isotonic = IsotonicRegression(out_of_bounds="clip").fit(scores, labelled.astype(np.float64))
        chances = np.minimum(isotonic.y_thresholds_ / label_share(scores, labelled), _LARGEST)
        return cls(np.asarray(isotonic.X_thresholds_, np.float64), np.asarray(chances, np.float64))

    def chance(self, scores: Floats) -> Floats:
        """The chance that a pair with such a score is a link."""
        return np.asarray(np.interp(scores, self.scores, self.chances), dtype=np.float64)


def label_share(scores: Floats, labelled: npt.NDArray[np.bool_]) -> float:
    """c: how many of the missing links were hidden on purpose."""
    if not labelled.any():
        return 1.0
    ranked = labelled[np.argsort(-scores, kind="stable")]
    shares = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    first = min(max(_LEAST_TOP, int(labelled.sum()) // _TOP_SHARE), len(ranked)) - 1
    return float(shares[first:].max())
