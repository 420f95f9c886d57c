"""Scores of all unconnected pairs, best first: what lets a probability follow a rank from one model to another.

A refit knows more edges than the model whose scores were calibrated: counts of neighbours are larger, vectors are
longer, and the same score means less. Ranks mean the same: both models order the same unconnected pairs.

    probability of the pair at rank r after the refit  =  probability of the pair at rank r before it
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]

# So many ranks are looked at, besides those where the curve bends.
_RANKS = 2_000


@dataclass(frozen=True)
class RankedScores:
    """scores (k), descending; counts (k): how many pairs score so much or more."""

    scores: F64
    counts: F64

    @classmethod
    def of(cls, scores: F64, weights: F64) -> RankedScores:
        """weights: for how many pairs each stands."""
        order = np.argsort(-scores, kind="stable")
        return cls(scores[order], np.cumsum(weights[order]))

    @property
    def total(self) -> float:
        return float(self.counts[-1]) if len(self.counts) else 0.0

    def rank_of(self, scores: F64) -> F64:
        """How many pairs score so much or more."""
        places = np.searchsorted(-self.scores, -scores, side="right")
        return np.concatenate([[0.0], self.counts])[places]

    def at(self, ranks: F64) -> F64:
        """The scores of these ranks, from 1 on."""
        places = np.searchsorted(self.counts, ranks)
        return self.scores[np.minimum(places, len(self.scores) - 1)]


def carried_over(knots: F64, heights: F64, before: RankedScores, after: RankedScores) -> tuple[F64, F64]:
    """A rising curve over scores (its knots ascend), as a curve over the scores that other ranks have now."""
    spread = np.geomspace(1.0, max(before.total, 1.0), _RANKS)
    ranks = np.unique(np.clip(np.concatenate([spread, before.rank_of(knots)]), 1.0, before.total))
    height = np.interp(before.at(ranks), knots, heights)
    score = after.at(ranks * (after.total / before.total))
    # Pairs that tie now have the mean of the heights that their ranks had.
    width = np.diff(ranks, prepend=0.0)
    found, place = np.unique(score, return_inverse=True)
    mean = np.bincount(place, width * height) / np.bincount(place, width)
    return found, np.maximum.accumulate(mean)


def order_and_ends(scores: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The order of the pairs (k), and the places in it after which the score changes, the last among them."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True)[: len(scores)])
    return order, ends
