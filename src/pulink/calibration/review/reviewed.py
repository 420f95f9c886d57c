"""Probabilities of all pairs once answers are known; nothing is trained again.

    p(i) = E[p_k] · p⁰(i) / mean p⁰ of stratum k       within the zone, p⁰ the probability before the answers
    p(i) = p⁰(i) · E[θ] / θ⁰                           below it

p⁰ follows hidden edges, so it has the shape; the factor is the level that the answers tell. Factors go over from
the middle of one stratum to that of the next, and probabilities still fall with the rank.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pulink.calibration.calibrator import Calibrator
from pulink.calibration.curve import Calibration
from pulink.calibration.rank_curve import LARGEST, LEAST_THETA
from pulink.calibration.rank_transfer import told_apart
from pulink.calibration.review.design import ReviewDesign
from pulink.calibration.review.estimate import ReviewEstimate, review_estimate
from pulink.calibration.review.review import Review
from pulink.errors import InputError

F64 = npt.NDArray[np.float64]

# Knots within the zone, and the least by which log-odds fall between two.
_KNOTS, _LEAST_FALL = 2_000, 1e-9


def reviewed(calibrator: Calibrator, review: Review, scores: F64) -> Calibrator:
    """What hidden edges and answers say together; scores: of the pairs of the zone, best first."""
    design = review.design
    curve = calibrator.fdr_curve
    if not (
        np.array_equal(curve.others, design.curve.others) and np.array_equal(curve.hidden, design.curve.hidden)
    ):
        raise InputError("these answers are about another model: its hidden edges stand elsewhere")
    if not review.answers.n_decided:
        return calibrator
    found = review_estimate(design, review.answers)
    theta = max(found.missing.best / calibrator.n_hidden, LEAST_THETA)
    lengths = found.prefixes.lengths.astype(np.float64)
    certain = 1 - found.prefixes.certified_share if found.certified(1.0) else np.ones(len(lengths))
    changed = _curve(calibrator.curve, design, found, told_apart(scores), theta)
    return replace(
        calibrator,
        curve=changed,
        missing=found.missing,
        fdr_curve=replace(curve, label_frequency=changed.label_frequency, lengths=lengths, false_shares=certain),
        reliability=calibrator.reliability.scaled(calibrator.curve.label_frequency / changed.label_frequency),
        hidden=None,
        knots=None,
    )


def _curve(
    before: Calibration, design: ReviewDesign, found: ReviewEstimate, scores: F64, theta: float
) -> Calibration:
    """Scores -> probabilities, by knots within the zone and by those of the curve below it."""
    ranks = np.unique(np.linspace(0, len(scores) - 1, min(_KNOTS, len(scores))).astype(np.int64))
    usual = before.probability(scores)
    middles, factors, spreads = _levels(design, found, usual)
    tail = float(
        np.log(np.maximum(found.draws.levels.mean() * design.curve.n_splits, LEAST_THETA) / before.believed_theta)
    )
    places = np.log(ranks + 1.0)
    shift = np.interp(places, middles, factors)
    deviations = np.interp(places, middles, spreads)
    below = before.scores < scores[-1]
    every = np.concatenate([scores[ranks], before.scores[below][::-1]])
    probabilities = np.concatenate(
        [usual[ranks] * np.exp(shift), before.probability(before.scores[below])[::-1] * np.exp(tail)]
    )
    deviations = np.concatenate([deviations, np.full(int(below.sum()), spreads[-1])])
    shares = np.clip(probabilities / LARGEST, 1e-300, 1 - 1e-6)
    steps = _LEAST_FALL * np.arange(len(shares))
    log_odds = np.minimum.accumulate(np.log(shares) - np.log1p(-shares) + steps) - steps
    _, kept = np.unique(-every, return_index=True)
    order = kept[::-1]
    return Calibration(
        every[order], np.ascontiguousarray(log_odds[order]), deviations[order], theta, shown=before.shown
    )


def _levels(design: ReviewDesign, found: ReviewEstimate, usual: F64) -> tuple[F64, F64, F64]:
    """By stratum: the logarithm of its middle rank, of its factor, and the deviation of that in log-odds."""
    rows = []
    for k in range(design.n_strata):
        start, end = int(design.starts[k]), min(int(design.ends[k]), len(usual))
        if start >= end:
            continue
        chances = found.draws.links[:, k] / design.sizes[k]
        mean = float(np.clip(chances.mean(), 1e-12, LARGEST))
        odds = np.clip(chances, 0.5 / design.sizes[k], 1 - 0.5 / design.sizes[k])
        spread = float(np.std(np.log(odds) - np.log1p(-odds)))
        middle = float(np.log(np.arange(start, end) + 1.0).mean())
        rows.append((middle, np.log(mean / max(float(usual[start:end].mean()), 1e-300)), spread))
    middles, factors, spreads = np.array(rows).T
    return middles, factors, spreads
