"""From scores to the chance that a pair is a link, at the true prevalence.

Among the candidates on a graph, some are edges that were hidden on purpose: labelled ones. With s a score,

    q(s) = P(labelled | s)      isotonic regression over all candidates, none sampled: prevalence is as it is
    c    = P(labelled | link)   labels are a random part of the missing links, so q = c · P(link | s); where scores
                                are so high that every candidate is a link, q = c (Elkan and Noto 2008)
    p(s) = min(q(s) / c, 0.99)

c is the largest share of labelled among the k best, k at least a tenth of the labelled. If even the best are not
all links, c is too small by that share, and p too large. So c is never below what it is if as many links are
missing as are known: otherwise every pair would be a link where scores tell nothing.
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

    def __post_init__(self) -> None:
        """ValueError if there is no such curve: a stored model may hold anything."""
        for own in (self.scores, self.chances):
            if own.ndim != 1 or not len(own) or not np.isfinite(own).all() or (np.diff(own) < 0).any():
                raise ValueError("its calibration does not rise")
        if len(self.scores) != len(self.chances) or self.chances[0] < 0 or self.chances[-1] > 1:
            raise ValueError("its calibration does not give chances")

    @classmethod
    def fit(cls, scores: Floats, labelled: npt.NDArray[np.bool_], n_known: int) -> Calibration:
        """From all candidates' scores, which of them were hidden on purpose, and how many edges are known."""
        isotonic = IsotonicRegression(out_of_bounds="clip").fit(scores, labelled.astype(np.float64))
        chances = np.minimum(isotonic.y_thresholds_ / label_share(scores, labelled, n_known), _LARGEST)
        return cls(np.asarray(isotonic.X_thresholds_, np.float64), np.maximum.accumulate(chances))

    def chance(self, scores: Floats) -> Floats:
        """The chance that a pair with such a score is a link."""
        # Rounding may lift a point just before a knot above it: the next knot is the limit.
        following = np.minimum(np.searchsorted(self.scores, scores), len(self.scores) - 1)
        return np.minimum(np.interp(scores, self.scores, self.chances), self.chances[following])


def label_share(scores: Floats, labelled: npt.NDArray[np.bool_], n_known: int) -> float:
    """c: how many of the missing links were hidden on purpose; scores that tie count together."""
    n_labelled = int(labelled.sum())
    if not n_labelled:
        return 1.0
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    ends = ends[ends + 1 >= min(max(_LEAST_TOP, n_labelled // _TOP_SHARE), len(scores))]
    shares = np.cumsum(labelled[order])[ends] / (ends + 1)
    return max(float(shares.max()), n_labelled / (n_labelled + n_known))
