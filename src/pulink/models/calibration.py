"""From scores to the chance that a pair is a link, at the true prevalence.

Among the unconnected pairs of a graph, some are edges that were hidden on purpose: labelled ones. With s a score,

    q(s) = P(labelled | s)      isotonic regression over all pairs, a sampled one weighing as many as it stands for
    c    = P(labelled | link)   labels are a random part of the missing links, so q = c · P(link | s); where scores
                                are so high that every pair is a link, q = c (Elkan and Noto 2008)
    p(s) = min(q(s) / c, 0.99)

c is the largest share of labelled among the k best, k at least a tenth of the labelled. If even the best are not
all links, c is too small by that share, and p too large. So c is never below what it is if as many links are
missing as are known: otherwise every pair would be a link where scores tell nothing.

Once the labelled edges are shown, a pair that is still unconnected is a link with chance (p − cp) / (1 − cp).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

Floats = npt.NDArray[np.float64]

_LARGEST = 0.99
_LEAST_TOP = 50
_TOP_SHARE = 10


@dataclass(frozen=True)
class Calibration:
    """p rises in straight lines between knots (scores ascending); `share` is c."""

    scores: Floats
    chances: Floats
    share: float

    def __post_init__(self) -> None:
        """ValueError if there is no such curve: a stored model may hold anything."""
        for own in (self.scores, self.chances):
            if own.ndim != 1 or not len(own) or not np.isfinite(own).all() or (np.diff(own) < 0).any():
                raise ValueError("its calibration does not rise")
        if len(self.scores) != len(self.chances) or self.chances[0] < 0 or self.chances[-1] > 1:
            raise ValueError("its calibration does not give chances")
        if not 0 < self.share <= 1:
            raise ValueError("its calibration knows no share of labelled links")

    @classmethod
    def fit(
        cls, scores: Floats, labelled: npt.NDArray[np.bool_], n_known: int, weights: Floats | None = None
    ) -> Calibration:
        """From the pairs' scores, which of them were hidden on purpose, and how many edges are known."""
        isotonic = IsotonicRegression(out_of_bounds="clip")
        isotonic.fit(scores, labelled.astype(np.float64), sample_weight=weights)
        share = label_share(scores, labelled, n_known, weights)
        chances = np.minimum(isotonic.y_thresholds_ / share, _LARGEST)
        return cls(np.asarray(isotonic.X_thresholds_, np.float64), np.maximum.accumulate(chances), share)

    def chance(self, scores: Floats) -> Floats:
        """The chance that a pair with such a score is a link."""
        # Rounding may lift a point just before a knot above it: the next knot is the limit.
        following = np.minimum(np.searchsorted(self.scores, scores), len(self.scores) - 1)
        return np.minimum(np.interp(scores, self.scores, self.chances), self.chances[following])

    def shown(self) -> Calibration:
        """For pairs that are still unconnected once the labelled edges are shown."""
        labelled = self.share * self.chances
        return replace(self, chances=(self.chances - labelled) / np.maximum(1 - labelled, 1 - _LARGEST))


def label_share(
    scores: Floats, labelled: npt.NDArray[np.bool_], n_known: int, weights: Floats | None = None
) -> float:
    """c: how many of the missing links were hidden on purpose; scores that tie count together."""
    n_labelled = int(labelled.sum())
    if not n_labelled:
        return 1.0
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    counts = np.cumsum(np.ones(len(scores)) if weights is None else weights[order])[ends]
    enough = counts >= min(max(_LEAST_TOP, n_labelled // _TOP_SHARE), counts[-1])
    shares = np.cumsum(labelled[order])[ends][enough] / counts[enough]
    return max(float(shares.max()), n_labelled / (n_labelled + n_known))
