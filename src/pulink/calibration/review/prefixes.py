"""How many of the first pairs of a list are links, for lists of every length within the zone.

A stratum of T links holds them where hidden edges stand: of its first pairs, which hold a share f of its L hidden
edges, so many are links:

    T · (f + z √(f (1 − f) (1 / (L + 1) + 1 / (T + 1)))),    z ~ N(0, 1)

brought back to what can be: no more than there are pairs, no fewer than are known. (A normal truncated to these
limits is too sure of itself.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.design import ReviewDesign
from pulink.calibration.review.posterior import Draws
from pulink.engine.random import normals, stream_key

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Lists of so many lengths are looked at within a stratum.
_LENGTHS = 40
# A list is certified by answers about its own pairs, so many at least: above the first of them hidden edges alone
# would speak.
_LEAST_ANSWERS = 5
# Of what may be so, a certified list breaks its level in this share at most.
RISK = 0.1


@dataclass(frozen=True)
class Prefixes:
    """lengths (p) of lists from the best pair on; share of links in each: mean, and the ends of what may be so.

    certain   (p) the share that is reached in nine of ten draws
    expected  (p) its mean
    most      (p) the share that is passed in one of ten draws
    answered  (p) how many pairs of each have an answer
    """

    lengths: Ints
    certain: F64
    expected: F64
    most: F64
    answered: Ints

    @classmethod
    def of(cls, design: ReviewDesign, draws: Draws, answers: DrawnAnswers) -> Prefixes:
        """By the draws of a posterior."""
        noise = normals(stream_key(design.seed, "review prefixes"), draws.links.size).reshape(draws.links.shape)
        before = np.zeros(len(draws.links))
        lengths, shares = [], []
        for k in range(design.n_strata):
            start, end = int(design.starts[k]), int(design.ends[k])
            ranks = np.unique(np.linspace(start + 1, end, min(_LENGTHS, end - start)).astype(np.int64))
            links = _links_within(design, answers, draws.links[:, k], noise[:, k], k, ranks)
            lengths.append(ranks)
            shares.append((before + links) / ranks[:, None])
            before = before + draws.links[:, k]
        share, every = np.concatenate(shares), np.concatenate(lengths)
        low, high = np.quantile(share, [RISK, 1 - RISK], axis=1)
        answered = np.searchsorted(np.sort(np.concatenate([answers.links, answers.no_links])), every)
        return cls(every, low, share.mean(axis=1), high, answered)

    def certified(self, level: float) -> int:
        """The longest list of which, nine times in ten, no more than this share is false."""
        return _longest(self.lengths, self.certified_share, level)

    @property
    def certified_share(self) -> F64:
        """The share of links that is certified, by length; 0 of lists that hold too few answers (p)."""
        enough = self.answered >= np.minimum(_LEAST_ANSWERS, self.lengths)
        return np.asarray(np.where(enough, self.certain, 0.0))

    def expected_length(self, level: float) -> int:
        """The longest list of which no more than this share is expected to be false."""
        return _longest(self.lengths, self.expected, level)

    def at(self, length: int) -> tuple[float, float, float]:
        """The share of links in a list: low, mean, high."""
        found = (np.interp(length, self.lengths, share) for share in (self.certain, self.expected, self.most))
        low, mean, high = (float(share) for share in found)
        return low, mean, high


def _longest(lengths: Ints, shares: F64, level: float) -> int:
    return int(lengths[shares >= 1 - level - 1e-12].max(initial=0))


def _links_within(
    design: ReviewDesign, answers: DrawnAnswers, total: F64, noise: F64, stratum: int, ranks: Ints
) -> F64:
    """Links from the begin of a stratum to each of its ranks (p x d)."""
    start, end = int(design.starts[stratum]), int(design.ends[stratum])
    hidden = float(design.hidden[stratum])
    if hidden > 0:
        share = (design.hidden_before(ranks) - design.hidden_before(np.array([start]))) / hidden
    else:
        share = (ranks - start) / (end - start)
    share = np.clip(share, 0.0, 1.0)[:, None]
    spread = np.sqrt(share * (1 - share)) * np.sqrt(1 / (hidden + 1) + 1 / (total + 1))
    links = total * (share + noise * spread)
    known_links, known_others = (
        (np.searchsorted(part, ranks) - np.searchsorted(part, start))[:, None]
        for part in (answers.links, answers.no_links)
    )
    n_links, n_others = (
        np.searchsorted(part, end) - np.searchsorted(part, start) for part in (answers.links, answers.no_links)
    )
    # After these ranks: links that are known must be there, pairs that are known to be none cannot be links.
    later = (end - ranks[:, None]) - (n_others - known_others)
    fewest = np.maximum(known_links, total - later)
    most = np.minimum(ranks[:, None] - start - known_others, total - (n_links - known_links))
    return np.asarray(np.minimum(np.maximum(links, fewest), most))
