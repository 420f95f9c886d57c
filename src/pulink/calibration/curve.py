"""From scores to the probability that a pair is a link, at the true prevalence.

Among the unconnected pairs of a graph, some are edges that were hidden on purpose. Hidden edges are a random part
of the links that the graph does not show: for each there are θ more, which nobody recorded. With g(s) from the
ranks of scores (`pulink.calibration.rank_curve`):

    p(s) = m σ(g)                        of a pair that is still unconnected once the hidden edges are shown
    p(s) = (1 + θ) λ / (1 + λ), λ = m σ(g) / θ     of a pair that may be a hidden edge too

Nobody knows θ: `pulink.calibration.missing_links` says which one is believed. If another one is assumed later, λ
stays, and p = θ λ is kept below 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from pulink.calibration.rank_curve import LARGEST, LEAST_THETA, RankCurve
from pulink.calibration.rank_transfer import RankedScores, told_apart

F64 = npt.NDArray[np.float64]

# The knots: so many of the best scores one by one, and so many of the others.
_ONE_BY_ONE, _SPARSE = 2_000, 2_000
# Between neighbouring knots g rises by so much at least, and beyond the last one by so much at most.
_LEAST_RISE, _BEYOND = 1e-9, 0.01
_SHARPNESS = 64
# Log-odds beyond any that a score has.
_FAR = 500.0


@dataclass(frozen=True)
class Knots:
    """Scores of a model (k, descending), and the ranks where pairs of that score begin and end."""

    scores: F64
    starts: F64
    ends: F64

    def __post_init__(self) -> None:
        """ValueError if these are no ranks: a stored model may hold anything."""
        if not self.scores.shape == self.starts.shape == self.ends.shape == (len(self.scores),):
            raise ValueError("its calibration is not whole")
        if not np.isfinite([self.scores, self.starts, self.ends]).all() or (self.ends < self.starts).any():
            raise ValueError("its calibration knows no ranks")

    @classmethod
    def of(cls, others: RankedScores, n_others: float) -> Knots:
        """Of the pairs that are not hidden, `n_others` in all; thinned where there are many scores."""
        last = np.flatnonzero(np.append(np.diff(others.scores) != 0, True)[: len(others.scores)])
        # Both are the pairs that are unconnected once the hidden edges are shown; samples may differ a little.
        ends = others.counts[last] * (max(n_others, 1.0) / max(others.total, 1e-300))
        starts = np.concatenate([[0.0], ends[:-1]])
        kept = np.arange(len(last))
        if len(kept) > _ONE_BY_ONE + _SPARSE:
            far = np.geomspace(_ONE_BY_ONE, len(kept) - 1, _SPARSE).astype(np.int64)
            kept = np.unique(np.concatenate([kept[:_ONE_BY_ONE], far]))
        return cls(others.scores[last][kept], starts[kept], ends[kept])


@dataclass(frozen=True)
class ScoreCurve:
    """Log-odds that rise in straight lines between knots (scores ascending), and hardly change beyond them."""

    scores: F64
    log_odds: F64

    def __post_init__(self) -> None:
        """ValueError if there is no such curve: a stored model may hold anything."""
        for knots in (self.scores, self.log_odds):
            if knots.ndim != 1 or not len(knots) or not np.isfinite(knots).all() or (np.diff(knots) < 0).any():
                raise ValueError("its calibration does not rise")
        if len(self.scores) != len(self.log_odds) or np.abs(self.log_odds).max() > 1e3:
            raise ValueError("its calibration does not give probabilities")

    def at(self, scores: F64) -> F64:
        """The log-odds of scores."""
        scores = told_apart(scores)
        log_odds = np.interp(scores, self.scores, self.log_odds)
        scale = float(self.scores[-1] - self.scores[0]) or 1.0
        above, below = (
            np.maximum(distance, 0) / (np.maximum(distance, 0) + scale)
            for distance in (scores - self.scores[-1], self.scores[0] - scores)
        )
        return np.asarray(log_odds + _BEYOND * (above - below))


@dataclass(frozen=True)
class Calibration(ScoreCurve):
    """The log-odds are g.

    deviations  standard deviations of g at the knots
    theta       θ, by which g was found
    assumed     another θ that is believed now; None: the same
    shown       hidden edges are edges now
    """

    deviations: F64
    theta: float
    assumed: float | None = None
    shown: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.deviations.shape != self.scores.shape:
            raise ValueError("its calibration is not whole")
        if not (np.isfinite(self.deviations) & (self.deviations >= 0)).all():
            raise ValueError("its calibration does not give probabilities")
        if not LEAST_THETA <= self.theta < np.inf or not 0 <= (self.assumed or 0) < np.inf:
            raise ValueError("its calibration does not know how many links are missing")

    @classmethod
    def of(cls, ranks: RankCurve, knots: Knots) -> Calibration:
        """For a model whose scores have such ranks among the pairs that are not hidden."""
        log_odds, deviations = ranks.at((knots.starts + knots.ends) / 2)
        wide = knots.ends - knots.starts > 1
        log_odds[wide] = ranks.over(knots.starts[wide], knots.ends[wide])
        steps = _LEAST_RISE * np.arange(len(log_odds))
        falling = np.minimum.accumulate(log_odds + steps) - steps
        return cls(knots.scores[::-1], np.ascontiguousarray(falling[::-1]), deviations[::-1], ranks.theta)

    @classmethod
    def of_log_odds(cls, ranks: RankCurve) -> Calibration:
        """For a model whose scores are log-odds of probabilities already."""
        rising = np.concatenate([[-_FAR], ranks.log_odds[::-1], [_FAR]])
        deviations = np.pad(ranks.deviations[::-1], 1, mode="edge")
        return cls(rising, rising, deviations, ranks.theta)

    @property
    def believed_theta(self) -> float:
        return self.theta if self.assumed is None else self.assumed

    @property
    def label_frequency(self) -> float:
        """c, the share of all links that the graph does not show that was hidden on purpose."""
        return 1 / (1 + self.believed_theta)

    def probability(self, scores: F64) -> F64:
        """The probability that a pair with such a score is a link."""
        return self._probability(self.at(scores))

    def interval(self, scores: F64, low: float, high: float, width: float) -> tuple[F64, F64]:
        """Ends of an interval of the probability, from those of θ and so many standard deviations of g."""
        log_odds, spread = self.at(scores), width * np.interp(scores, self.scores, self.deviations)
        ends = []
        for sign, end in ((-1, low), (1, high)):
            if not end and high:
                ends.append(np.zeros(len(scores)))
                continue
            apart = np.log(max(end, LEAST_THETA) / max(self.believed_theta, LEAST_THETA))
            ends.append(self._probability(log_odds + sign * np.hypot(spread, apart)))
        return ends[0], ends[1]

    def _probability(self, log_odds: F64) -> F64:
        unrecorded = LARGEST * expit(log_odds)
        hidden = unrecorded / self.theta
        if self.assumed is None:
            return np.asarray(unrecorded if self.shown else (1 + self.theta) * hidden / (1 + hidden))
        theta = max(self.assumed, LEAST_THETA)
        return below_one(theta * hidden if self.shown else (1 + theta) * hidden / (1 + hidden))

    def after_showing(self) -> Calibration:
        """For pairs that are still unconnected once the hidden edges are shown."""
        return replace(self, shown=True)

    @classmethod
    def of_blocks(cls, scores: F64, labelled: F64, label_frequency: float, shown: bool) -> Calibration:
        """The curve of a folder that was written when it rose in blocks: shares of hidden edges by score."""
        if not ((labelled >= 0) & (labelled <= 1)).all() or not 0 < label_frequency <= 1:
            raise ValueError("its calibration does not give probabilities")
        theta = max((1 - label_frequency) / label_frequency, LEAST_THETA)
        hidden = labelled / np.maximum(1 - labelled, 1e-12)
        shares = np.clip(theta * hidden / LARGEST, 1e-12, 1 - 1e-6)
        return cls(scores, np.log(shares) - np.log1p(-shares), np.zeros(len(scores)), theta, shown=shown)


def below_one(expected: F64) -> F64:
    """x / (1 + (x / m)^64)^(1/64): x itself where it is small, then slowly from m = 0.99 towards 1.

    An expected number of links per pair passes 1 where more links are assumed than the hidden edges allow.
    """
    limit = 1 - 0.02 / (2 + np.log1p(expected))
    over = _SHARPNESS * np.log(np.maximum(expected, 1e-300) / limit)
    return np.asarray(expected * np.exp(-np.logaddexp(0.0, over) / _SHARPNESS))
