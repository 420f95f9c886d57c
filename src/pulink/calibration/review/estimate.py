"""What a review tells: how many links are missing, and how far down the list one may go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pulink.calibration.missing_links import REVIEWED, MissingLinks
from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.design import ReviewDesign
from pulink.calibration.review.posterior import Draws, Posterior
from pulink.calibration.review.prefixes import Prefixes

# With fewer answers an interval is narrower than it should be; beyond so many, more bring little.
ENOUGH, NARROW, MOST = 50, 0.2, 200
# With fewer answers no list is certified.
FEWEST = 20
# Above this share of answers that are no decision nothing is certified.
MOST_UNSURE = 0.1
# Of the normal distribution, to either side of a 90% interval.
_NORMAL = 1.645


@dataclass(frozen=True)
class ReviewEstimate:
    """By answers about drawn pairs.

    missing             how many links are missing, those that were found by the answers among them
    zone, tail          links among the pairs that may be asked about, and below them (extrapolated): medians
    plain               links of the zone by the answers alone; None until each stratum has one
    plain_error         its standard error
    prefixes            how many links lists hold
    answers             what was answered
    n_pairs             how many pairs may be asked about
    """

    missing: MissingLinks
    zone: float
    tail: float
    plain: float | None
    plain_error: float
    disagrees: bool
    prefixes: Prefixes
    answers: DrawnAnswers
    draws: Draws
    n_pairs: int

    @property
    def width(self) -> float:
        """Half the interval of the number of missing links, as a share of it: ± 0.2."""
        return (self.missing.high - self.missing.low) / (2 * max(self.missing.best, 1.0))

    @property
    def is_enough(self) -> bool:
        """Whether more answers would tell little more."""
        decided = self.answers.n_decided
        if decided + len(self.answers.unsure) >= self.n_pairs:
            return True
        return decided >= MOST or (decided >= ENOUGH and self.width <= NARROW)

    @property
    def too_unsure(self) -> bool:
        """Whether so many answers are no decision that no list can be certified."""
        return self.answers.unsure_share > MOST_UNSURE

    def certified(self, level: float) -> int:
        """The length of the certified list; 0 where answers are few, or too many of them are no decision."""
        return 0 if self.too_unsure or self.answers.n_decided < FEWEST else self.prefixes.certified(level)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, as JSON holds them."""
        return {
            "missing": self.missing.to_dict(),
            "zone": self.zone,
            "tail": self.tail,
            "plain": self.plain,
            "disagrees": self.disagrees,
            "width": self.width,
            "enough": self.is_enough,
            "n_links": len(self.answers.links),
            "n_no_links": len(self.answers.no_links),
            "n_unsure": len(self.answers.unsure),
        }


def review_estimate(
    design: ReviewDesign, answers: DrawnAnswers, posterior: Posterior | None = None
) -> ReviewEstimate:
    """What answers tell; posterior: of the same design, if it is at hand."""
    draws = (posterior or Posterior(design)).draws(answers)
    low, best, high = (float(end) for end in np.quantile(draws.number, [0.05, 0.5, 0.95]))
    zone = draws.links.sum(axis=1)
    plain, error = _plain(design, answers)
    inside = np.quantile(zone, [0.05, 0.5, 0.95])
    apart = plain is not None and not inside[0] <= plain <= inside[2]
    return ReviewEstimate(
        missing=MissingLinks(best, low, high, max(design.bound, high), REVIEWED),
        zone=float(inside[1]),
        tail=float(np.median(draws.tail)),
        plain=plain,
        plain_error=error,
        disagrees=bool(plain is not None and apart and abs(plain - inside[1]) > _NORMAL * error),
        prefixes=Prefixes.of(design, draws, answers),
        answers=answers,
        draws=draws,
        n_pairs=design.zone,
    )


def _plain(design: ReviewDesign, answers: DrawnAnswers) -> tuple[float | None, float]:
    """The stratified estimate of the links in the zone, and its standard error."""
    links, asked = answers.by_stratum(design)
    if not asked.all():
        return None, 0.0
    shares = (links + 1) / (asked + 2)
    rest = 1 - asked / design.sizes
    error = float(np.sqrt((design.sizes.astype(np.float64) ** 2 * shares * (1 - shares) / asked * rest).sum()))
    return float((design.sizes * (links / asked)).sum()), error
