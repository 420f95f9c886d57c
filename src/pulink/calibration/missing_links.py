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

Where the best pairs are recorded almost without exception, the upper bound lies below two per cent, and the graph
looks complete: the estimate is then the middle of what the bound rests on, and nothing is known below it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, expit, log_expit, logsumexp

from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.graph.repr_html import card

F64 = npt.NDArray[np.float64]
Interval = tuple[float, float, float]

# How many hidden edges the best pairs hold: with fewer chance rules, with more the pairs are not the best.
_LEAST_BEST = 30
_BEST_SHARE = 20
# For the bound: with fewer pairs, chance would tell a share of hidden ones.
_LEAST_TOP, _TOP_SHARE = 50, 10
_LENGTHS = 1.5

_SHARES = np.geomspace(0.01, 0.5, 400)
# Where the bound is no more than so many times the smallest of these shares, between the two there is nothing to
# tell: the graph looks complete.
_COMPLETE = 2
_ENDS = 0.05, 0.95
# A given share is taken up to here.
_MOST = 0.9
# Where the ends of the interval are so far apart, there is no talk of an estimate.
_WIDE = 20
_STEPS = 801

# What an estimate rests on.
ESTIMATED, GIVEN, COMPLETE, UNKNOWN, REVIEWED = "estimated", "given", "complete", "unknown", "reviewed"
_BASES = ESTIMATED, GIVEN, COMPLETE, UNKNOWN, REVIEWED


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
    basis : str
        What it rests on: "estimated" from the best pairs; "given", the share that somebody said; "complete", the
        graph looks complete, and only the bound is known; "unknown", the data hardly tell the number; "reviewed",
        answers of people about drawn pairs.
    """

    best: float
    low: float
    high: float
    bound: float
    basis: str = ESTIMATED

    def __str__(self) -> str:
        about = about_count(self.best) if 0 < self.best < 0.5 else f"about {self.best:,.0f}"
        if self.basis == GIVEN:
            return about
        return f"{about} (90% interval: {about_count(self.low)} to {about_count(self.high)})"

    def _repr_html_(self) -> str:
        return card("Missing links", [("estimate", str(self)), ("at most, by hidden edges", f"{self.bound:,.0f}")])

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name, as JSON holds them.

        Returns
        -------
        dict of str to float, and the basis
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
        numbers = {name: float(found[name]) for name in ("best", "low", "high", "bound")}
        # Folders of earlier versions do not say what the number rests on.
        usual = GIVEN if numbers["low"] == numbers["high"] else ESTIMATED
        basis = found.get("basis", usual)
        if basis not in _BASES:
            raise ValueError("its number of missing links rests on nothing")
        return cls(**numbers, basis=basis)


def about_count(number: float) -> str:
    """A number of links that is known roughly: whole, and never a bare 0 for what is above it."""
    if 0 < number < 0.5:
        return "less than 1"
    return f"{number:,.0f}"


def estimate(
    evidence: HiddenRanks, n_known: int, missing_share: float | None = None
) -> tuple[float, MissingLinks]:
    """θ, the missing links per hidden edge, and the missing links besides the hidden ones.

    n_known        edges that are known, the hidden ones among them
    missing_share  who knows it says so; None: as the best pairs tell
    """
    if not len(evidence.places):
        return 0.0, MissingLinks(0.0, 0.0, 0.0, 0.0, UNKNOWN)
    hits, others = _best_for_bound(evidence)
    allowed = evidence.n_hidden * _most_others(hits, others) / hits
    bound = min(allowed, _missing(_MOST, n_known), evidence.n_others)
    if missing_share is not None:
        return believed(bound, evidence.n_hidden, n_known, missing_share)
    if bound <= _missing(_COMPLETE * _SHARES[0], n_known):
        # Half a pair more: where none was found, one may have been near.
        best = min(evidence.n_hidden * (others + 0.5) / hits, bound)
        found = MissingLinks(best, 0.0, bound, bound, COMPLETE)
    else:
        low, best, high = (min(_missing(share, n_known), bound) for share in _likely_shares(evidence, n_known))
        is_wide = high > _WIDE * low
        found = MissingLinks(best, low, high, bound, UNKNOWN if is_wide else ESTIMATED)
    return found.best / evidence.n_hidden, found


def believed(bound: float, n_hidden: float, n_known: int, missing_share: float) -> tuple[float, MissingLinks]:
    """θ, and the missing links besides the hidden ones, if a share is thought missing and so many at most."""
    best = min(_missing(missing_share, n_known), bound)
    return best / n_hidden, MissingLinks(best, best, best, bound, GIVEN)


def _missing(share: float, n_known: int) -> float:
    return share / (1 - share) * n_known


def _best_for_bound(evidence: HiddenRanks) -> tuple[float, float]:
    """Hidden edges and other pairs of the list that allows the fewest missing links; it holds a tenth at least."""
    n_all = len(evidence.places)
    lengths = evidence.places * evidence.n_splits + np.arange(1, n_all + 1)
    first = int(np.searchsorted(lengths, max(_LEAST_TOP, n_all // _TOP_SHARE)))
    last = n_all - 1
    n_steps = max(int(math.log(n_all / (first + 1)) / math.log(_LENGTHS)), 0) + 1 if first < n_all else 1
    places = np.unique(np.minimum(((first + 1) * _LENGTHS ** np.arange(n_steps)).astype(np.int64) - 1, last))
    lists = [evidence.counted(place + 1.0, float(evidence.places[place])) for place in places.tolist()]
    return min(lists, key=lambda counts: _most_others(*counts) / counts[0])


def _most_others(hits: float, others: float) -> float:
    """How many others there may be beside so many hidden edges, at five per cent (Clopper and Pearson 1934)."""
    share = float(betaincinv(hits, others + 1, 0.05))
    return hits * (1 - share) / max(share, 1e-12)


def _likely_shares(evidence: HiddenRanks, n_known: int) -> Interval:
    """μ once the best pairs were seen, down to the thirtieth hidden edge or a twentieth: low, mean, high."""
    n_all = len(evidence.places)
    last = min(max(_LEAST_BEST, n_all // _BEST_SHARE), n_all) - 1
    hits, others = evidence.counted(last + 1.0, float(evidence.places[last]))
    likely = likelihoods(hits, others, n_known / evidence.n_hidden)
    probabilities = likely / likely.sum()
    low, high = (float(_SHARES[np.searchsorted(np.cumsum(probabilities), end)]) for end in _ENDS)
    return low, math.exp(probabilities @ np.log(_SHARES)), high


def likelihoods(hits: float, others: float, known_per_hidden: float) -> F64:
    """How likely each of the shares is, the likeliest being 1: over all e, so many hidden among the best pairs.

    e = (1 − μ) ρ is followed in steps of its log-odds up to e = 1 − μ, as far down as it matters. The best pairs
    tell it up to √(1 / hits + 1 / others); where nearly all of them are hidden edges, the likeliest e lies far
    beyond 1 − μ, and only what is just below that counts. Sums are of logarithms: likelihoods may be e^-1000.
    """
    spread = math.sqrt(1 / (hits + 0.5) + 1 / (others + 0.5))
    peak = math.log((hits + 0.5) / (others + 0.5))
    limit = np.log((1 - _SHARES) / _SHARES) - math.log(known_per_hidden)
    upper = np.minimum(peak + 10 * spread, limit)
    slope = np.maximum(hits - (hits + others) * expit(upper), 0.0)
    above_usual = upper - (peak - 10 * spread)
    far = 40 / np.maximum(slope, 1e-9)
    reach = np.where(above_usual > 0, np.minimum(np.where(slope > 0, far, np.inf), above_usual), far)
    steps = upper[:, None] - reach[:, None] * np.linspace(1, 0, _STEPS)
    recorded = steps + math.log(known_per_hidden)
    right = np.minimum(expit(recorded) / (1 - _SHARES[:, None]), 1.0)
    # Steps of μ have equal ratios, which makes every share as likely beforehand.
    terms = (
        hits * log_expit(steps)
        + others * log_expit(-steps)
        + np.log(0.5 * 30 * right**29 + 0.5)
        + log_expit(recorded)
        + log_expit(-recorded)
        - np.log1p(-_SHARES[:, None])
    )
    width = np.log(reach / (_STEPS - 1))
    found = logsumexp(terms, axis=1) + width
    return np.asarray(np.exp(found - found.max()))
