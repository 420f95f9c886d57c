"""How many links are missing.

Of all links a share μ is missing, and of the best pairs a share ρ are links. So among the best pairs, edges
included, a share

    e = (1 − μ) ρ

is recorded. e can be measured: each of n_hidden hidden edges stands for R = n_known / n_hidden known ones, so of
the n best pairs that a model was not shown, hidden edges among them, each was hidden with probability

    q = e / (e + R (1 − e))             L of n are: binomial

ρ cannot: a graph of which a tenth was never recorded looks like a graph of which nothing is missing and whose best
pairs are links nine times in ten. With ρ = 1 comes the upper bound of Elkan and Noto (2008),

    N ≤ n_hidden / max q

and with what is believed of ρ beforehand a distribution of μ. It is an even bet whether nearly all of the best
pairs are links, as in most graphs that were tried with a strong method (docs/answers.md), or any share of them:

    ρ    density 0.5 · 30 ρ^29 + 0.5    (of the first, 90% lie above 0.92)
    μ    between 1 and 50 per cent, as likely to lie between 1 and 2 as between 10 and 20

The estimate is its geometric mean. Where many links may be missing or hardly any it lies between the two; a median
would jump from one to the other, and probabilities with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from pulink.calibration.curve import largest_label_frequency, n_best
from pulink.calibration.rank_transfer import order_and_ends

F64 = npt.NDArray[np.float64]
Interval = tuple[float, float, float]

# One-sided, at five per cent.
_NORMAL = 1.645
# How many hidden edges the best pairs hold: with fewer chance rules, with more the pairs are not the best.
_LEAST_BEST = 30
_BEST_SHARE = 20

_SHARES = np.geomspace(0.01, 0.5, 400)
_ENDS = 0.05, 0.95
# A given share is taken up to here.
_MOST = 0.9


@dataclass(frozen=True)
class MissingLinks:
    """The number of links that are missing from a graph, with a 90% interval.

    Attributes
    ----------
    best : float
        The estimate.
    low, high : float
        The ends of the 90% interval; both are the estimate where the share of missing links was given.
    bound : float
        The largest number that the hidden edges allow, with a confidence of 95%.
    """

    best: float
    low: float
    high: float
    bound: float

    def __str__(self) -> str:
        about = f"about {self.best:,.0f}"
        if self.low == self.high:
            return about
        return f"{about} (90% interval: {self.low:,.0f} to {self.high:,.0f})"

    def to_dict(self) -> dict[str, float]:
        """Give the numbers by name, as JSON holds them.

        Returns
        -------
        dict of str to float
        """
        return dict(vars(self))

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> MissingLinks:
        """Take back what `to_dict` gave.

        Parameters
        ----------
        found : dict
            Numbers by name; KeyError, TypeError or ValueError if it is anything else.

        Returns
        -------
        MissingLinks
        """
        return cls(**{name: float(found[name]) for name in ("best", "low", "high", "bound")})


def estimate(
    scores: F64,
    labelled: npt.NDArray[np.bool_],
    n_known: int,
    weights: F64 | None = None,
    missing_share: float | None = None,
) -> tuple[float, MissingLinks]:
    """c, and the missing links besides the hidden ones; `n_known` edges are known, the hidden ones among them.

    missing_share  who knows it says so; None: as the best pairs tell
    """
    n_hidden = int(labelled.sum())
    if not n_hidden:
        return 1.0, MissingLinks(0.0, 0.0, 0.0, 0.0)
    counts = np.ones(len(scores)) if weights is None else weights
    frequency = largest_label_frequency(scores, labelled, counts)
    surely = max(frequency - _NORMAL * math.sqrt(frequency * (1 - frequency) / n_best(n_hidden)), 1e-12)
    bound = min(n_hidden * (1 / surely - 1), _missing(_MOST, n_known))
    if missing_share is not None:
        return believed(bound, n_hidden, n_known, missing_share)
    low, best, high = (
        min(_missing(share, n_known), bound) for share in _likely_shares(scores, labelled, counts, n_known)
    )
    return n_hidden / (n_hidden + best), MissingLinks(best, low, high, bound)


def believed(bound: float, n_hidden: int, n_known: int, missing_share: float) -> tuple[float, MissingLinks]:
    """c, and the missing links besides the hidden ones, if a share is thought missing and so many at most."""
    best = min(_missing(missing_share, n_known), bound)
    return n_hidden / (n_hidden + best), MissingLinks(best, best, best, bound)


def _missing(share: float, n_known: int) -> float:
    return share / (1 - share) * n_known


def _likely_shares(scores: F64, labelled: npt.NDArray[np.bool_], counts: F64, n_known: int) -> Interval:
    """μ once the best pairs were seen, down to the thirtieth hidden edge or a twentieth: low, mean, high."""
    n_hidden = int(labelled.sum())
    order, ends = order_and_ends(scores)
    found = np.cumsum(labelled[order])[ends]
    last = int(np.searchsorted(found, min(max(_LEAST_BEST, n_hidden // _BEST_SHARE), n_hidden)))
    others = np.cumsum(counts[order] * ~labelled[order])[ends]
    likely = likelihoods(float(found[last]), float(others[last]), n_known / n_hidden)
    probabilities = likely / likely.sum()
    low, high = (float(_SHARES[np.searchsorted(np.cumsum(probabilities), end)]) for end in _ENDS)
    return low, math.exp(probabilities @ np.log(_SHARES)), high


def likelihoods(hits: float, others: float, known_per_hidden: float) -> F64:
    """How likely each of the shares is, but for a factor: over all e, so many hidden among the best pairs.

    e = (1 − μ) ρ is followed in steps of its log-odds, which the best pairs tell up to √(1 / hits + 1 / others).
    """
    spread = math.sqrt(1 / (hits + 0.5) + 1 / (others + 0.5))
    steps = np.linspace(-10, 10, 4001) * spread + math.log((hits + 0.5) / (others + 0.5))
    hidden, recorded = expit(steps), expit(steps + math.log(known_per_hidden))
    evidence = hits * np.log(hidden) + others * np.log1p(-hidden)
    right = recorded / (1 - _SHARES[:, None])
    believed_of_it = np.where(right <= 1, 0.5 * 30 * np.minimum(right, 1) ** 29 + 0.5, 0.0)
    # Steps of μ have equal ratios, which makes every share as likely beforehand.
    per_step = np.exp(evidence - evidence.max()) * recorded * (1 - recorded) / (1 - _SHARES[:, None])
    return np.asarray((believed_of_it * per_step).sum(axis=1))
