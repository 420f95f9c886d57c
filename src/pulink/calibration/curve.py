"""From scores to the probability that a pair is a link, at the true prevalence.

Among the unconnected pairs of a graph, some are edges that were hidden on purpose: labelled ones. With s a score,

    q(s) = P(labelled | s)      isotonic regression over all pairs, a sampled one weighing as many as it stands
                                for; labels are averaged over blocks of scores first
    c    = P(labelled | link)   labels are a random part of the missing links, so q = c · P(link | s)
    p(s) = min(q(s) / c, 0.99)

Once the labelled edges are shown, a pair that is still unconnected is a link with probability (p − cp) / (1 − cp).

Nobody knows c. The largest q is a lower bound of it, and c itself where every pair of such scores is a link (Elkan
and Noto 2008): see `largest_label_frequency`. `pulink.calibration.missing_links` says which c is believed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

from pulink.calibration.rank_transfer import RankedScores, carried_over, order_and_ends

F64 = npt.NDArray[np.float64]

_LARGEST = 0.99
# Labelled pairs of a block at most and at least, and blocks that there should be. With blocks of ten, the best two
# dozen pairs of PubMed were promised twice what they kept; with fewer, so were those of graphs of few edges.
_BLOCK, _LEAST_BLOCK, _BLOCKS = 30, 5, 5
_LEAST_TOP = 50
_TOP_SHARE = 10


@dataclass(frozen=True)
class Calibration:
    """q rises in straight lines between knots (scores ascending).

    label_frequency  c, the share of all missing links that was labelled; shown: labels are edges now
    """

    scores: F64
    labelled: F64
    label_frequency: float
    shown: bool = False

    def __post_init__(self) -> None:
        """ValueError if there is no such curve: a stored model may hold anything."""
        for knots in (self.scores, self.labelled):
            if knots.ndim != 1 or not len(knots) or not np.isfinite(knots).all() or (np.diff(knots) < 0).any():
                raise ValueError("its calibration does not rise")
        if len(self.scores) != len(self.labelled) or self.labelled[0] < 0 or self.labelled[-1] > 1:
            raise ValueError("its calibration does not give probabilities")
        if not 0 < self.label_frequency <= 1:
            raise ValueError("its calibration knows no share of labelled links")

    @classmethod
    def fit(
        cls,
        scores: F64,
        labelled: npt.NDArray[np.bool_],
        label_frequency: float,
        weights: F64 | None = None,
        block: int = _BLOCK,
    ) -> Calibration:
        """From the pairs' scores, which of them were hidden on purpose, c, and how many each pair stands for.

        block  over how many labelled pairs labels are averaged, at most
        """
        counts = np.ones(len(scores)) if weights is None else weights
        isotonic = IsotonicRegression(out_of_bounds="clip")
        isotonic.fit(scores, _smoothed(scores, labelled, counts, block), sample_weight=counts)
        rising = np.maximum.accumulate(np.asarray(isotonic.y_thresholds_, np.float64))
        return cls(np.asarray(isotonic.X_thresholds_, np.float64), rising, label_frequency)

    def probability(self, scores: F64) -> F64:
        """The probability that a pair with such a score is a link."""
        # Rounding may lift a point just before a knot above it: the next knot is the limit.
        following = np.minimum(np.searchsorted(self.scores, scores), len(self.scores) - 1)
        labelled = np.minimum(np.interp(scores, self.scores, self.labelled), self.labelled[following])
        links = np.minimum(labelled / self.label_frequency, _LARGEST)
        if not self.shown:
            return np.asarray(links)
        known = self.label_frequency * links
        return np.asarray((links - known) / (1 - known))

    def moved(self, before: RankedScores, after: RankedScores) -> Calibration:
        """For the scores of another model: the probability of a rank stays."""
        scores, labelled = carried_over(self.scores, self.labelled, before, after)
        return replace(self, scores=scores, labelled=labelled)

    def after_showing(self) -> Calibration:
        """For pairs that are still unconnected once the labelled edges are shown."""
        return replace(self, shown=True)


def _smoothed(scores: F64, labelled: npt.NDArray[np.bool_], weights: F64, block: int) -> F64:
    """Every pair's label averaged with those next to it, over blocks that hold up to so many labelled ones.

    Among the few best pairs one labelled more or less would else decide what probability they have.
    """
    n_labelled = int(labelled.sum())
    size = min(max(n_labelled // _BLOCKS, _LEAST_BLOCK), block)
    n_blocks = max(-(-n_labelled // size), 1)
    order = np.argsort(-scores, kind="stable")
    found = np.cumsum(labelled[order])
    # How many labelled pairs there are before each block. It ends with its last one: what stands behind belongs to
    # the next block, and behind the last labelled pair no more are found.
    ends = np.arange(n_blocks + 1) * n_labelled // n_blocks
    blocks = np.empty(len(scores), dtype=np.int64)
    blocks[order] = np.searchsorted(ends, found - labelled[order], side="right") - 1
    shares = np.bincount(blocks, weights * labelled) / np.bincount(blocks, weights).clip(min=1e-300)
    return np.asarray(shares[blocks])


def n_best(n_labelled: int) -> int:
    """How many of the best pairs tell a share of labelled ones: with fewer, chance would."""
    return max(_LEAST_TOP, n_labelled // _TOP_SHARE)


def largest_label_frequency(scores: F64, labelled: npt.NDArray[np.bool_], weights: F64 | None = None) -> float:
    """The largest share of labelled among the k best pairs, k at least a tenth of the labelled.

    If even the best are not all links, c is larger. Scores that tie count together.
    """
    n_labelled = int(labelled.sum())
    if not n_labelled:
        return 1.0
    order, ends = order_and_ends(scores)
    counts = np.cumsum(np.ones(len(scores)) if weights is None else weights[order])[ends]
    enough = counts >= min(n_best(n_labelled), counts[-1])
    shares = np.cumsum(labelled[order])[ends][enough] / counts[enough]
    return float(shares.max())
