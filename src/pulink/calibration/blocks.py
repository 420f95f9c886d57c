"""From scores to probabilities by steps: the labels that PULL+ estimates for unconnected pairs in its rounds.

Among the unconnected pairs of a graph, some are edges that were hidden on purpose: labelled ones. With s a score,

    q(s) = P(labelled | s)      isotonic regression over all pairs, a sampled one weighing as many as it stands
                                for; labels are averaged over blocks of scores first
    c    = P(labelled | link)   labels are a random part of the missing links, so q = c · P(link | s)
    p(s) = min(q(s) / c, 0.99)

Pairs of one block have one probability. That is enough to learn by; what people are told comes from a smooth curve
(`pulink.calibration.curve`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.calibration.missing_links import estimate
from pulink.calibration.pair_sample import PairSample

F64 = npt.NDArray[np.float64]

_LARGEST = 0.99
# Labelled pairs of a block at most and at least, and blocks that there should be. With blocks of ten, the best two
# dozen pairs of PubMed were promised twice what they kept; with fewer, so were those of graphs of few edges.
_BLOCK, _LEAST_BLOCK, _BLOCKS = 30, 5, 5


@dataclass(frozen=True)
class BlockCurve:
    """q rises in straight lines between knots (scores ascending).

    label_frequency  c, the share of all missing links that was labelled
    """

    scores: F64
    labelled: F64
    label_frequency: float

    @classmethod
    def fit(
        cls,
        scores: F64,
        labelled: npt.NDArray[np.bool_],
        label_frequency: float,
        weights: F64 | None = None,
        block: int = _BLOCK,
    ) -> BlockCurve:
        """From the pairs' scores, which of them were hidden on purpose, c, and how many each pair stands for.

        block  over how many labelled pairs labels are averaged, at most
        """
        counts = np.ones(len(scores)) if weights is None else weights
        knots, rising = _isotonic(scores, _smoothed(scores, labelled, counts, block), counts)
        return cls(knots, rising, label_frequency)

    def probability(self, scores: F64) -> F64:
        """The probability that a pair with such a score is a link."""
        # Rounding may lift a point just before a knot above it: the next knot is the limit.
        following = np.minimum(np.searchsorted(self.scores, scores), len(self.scores) - 1)
        labelled = np.minimum(np.interp(scores, self.scores, self.labelled), self.labelled[following])
        return np.asarray(np.minimum(labelled / self.label_frequency, _LARGEST))


def block_curve(
    scores: F64, asked: PairSample, n_train: int, missing_share: float | None, block: int = _BLOCK
) -> BlockCurve:
    """The curve of a model to which `n_train` edges were shown, from its scores of the pairs that it was asked."""
    evidence = HiddenRanks.of(scores, asked.labelled, asked.weights)
    theta, _ = estimate(evidence, n_train + int(asked.labelled.sum()), missing_share)
    return BlockCurve.fit(scores, asked.labelled, 1 / (1 + theta), asked.weights, block)


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


def _isotonic(scores: F64, labels: F64, weights: F64) -> tuple[F64, F64]:
    """The rising curve that is closest to the labels: its knots, and its values there."""
    knots, places = np.unique(scores, return_inverse=True)
    sums = np.bincount(places, weights)
    means = np.bincount(places, weights * labels) / sums
    rising = np.maximum.accumulate(np.asarray(isotonic_regression(means, weights=sums).x, np.float64))
    # Within a level, knots between the first and the last say nothing.
    same = rising[1:] == rising[:-1]
    needed = ~(np.append(False, same) & np.append(same, False))
    return knots[needed], rising[needed]
