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


# Sums in another order differ in their last digits: scores that differ no more are equal.
_BITS = 40


def told_apart(scores: F64) -> F64:
    """Scores without the digits that are rounding."""
    mantissas, exponents = np.frexp(scores)
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissas, _BITS)), exponents - _BITS))


@dataclass(frozen=True)
class RankedScores:
    """scores (k), descending; counts (k): how many pairs score so much or more."""

    scores: F64
    counts: F64

    @classmethod
    def of(cls, scores: F64, weights: F64) -> RankedScores:
        """weights: for how many pairs each stands."""
        scores = told_apart(scores)
        order = np.argsort(-scores, kind="stable")
        return cls(scores[order], np.cumsum(weights[order]))

    @property
    def total(self) -> float:
        return float(self.counts[-1]) if len(self.counts) else 0.0
