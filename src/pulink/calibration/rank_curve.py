"""The probability of a link by rank: a smooth curve that falls strictly, from where hidden edges stand.

For every hidden edge there are θ links that nobody recorded (`pulink.calibration.missing_links`). So if a pair at
rank r of those that were not hidden is a link with probability p(r), hidden edges are a Poisson process along the
ranks, with the intensity

    λ(r) = p(r) / θ,    p = m σ(g),  m = 0.995,    g over t = log r
    g falls by d_b > 0 from bin to bin of t;  d_b ~ N(0, v_b), its positive half;  the highest g ~ N(0, 3²)
    most likely g:   max  Σ_b y_b log λ_b − S w_b λ_b − Σ_b d_b² / (2 v_b) − g_1² / 18

y, w  hidden edges and ranks in a bin; S splits
v     σ² times the width of a step in t; the steps before the thirtieth hidden edge have 0.5 together at most:
      where hidden edges tell little, at the very top, the best pairs are promised no more than what was seen
σ     by the marginal likelihood (Laplace), of a few values

At the end g is moved as a whole, so that the probabilities of all ranks add up to θ times the hidden edges.

Isotonic regression gives steps instead: one and the same probability for a hundred pairs of different scores. On
held-out edges of ten graphs this curve is likelier (`python -m benchmarks curve`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq, minimize
from scipy.special import expit, log_expit

from pulink.calibration.hidden_ranks import HiddenRanks

F64 = npt.NDArray[np.float64]

# No pair is a link for sure.
LARGEST = 0.995
# θ is at least this: who says that nothing is missing gets tiny probabilities, in order.
LEAST_THETA = 1e-9

# Of a bin, in log r.
_STEP = 0.25
# The curve falls at least so much per unit of log r.
_LEAST_FALL = 0.01
_STEEPNESS = (0.2, 0.4, 0.8, 1.6, 3.2)
_TOP_DEVIATION = 3.0
_FAR = 100.0
# The top ends with so many hidden edges, or with a fifth of them, and the prior variance of all its steps.
_TOP, _TOP_SHARE, _LEAST_TOP, _TOP_VARIANCE = 30, 5, 5, 0.5


@dataclass(frozen=True)
class BinnedRanks:
    """How many hidden edges stand in each bin of ranks: all that the curve is made of.

    counts (B), n_others and n_splits as in `HiddenRanks`
    """

    counts: F64
    n_others: float
    n_splits: int

    def __post_init__(self) -> None:
        """ValueError if these are no counts: a stored model may hold anything."""
        if not 0 <= self.n_others < 1e18 or self.n_splits < 1 or self.counts.shape != (len(self.edges) - 1,):
            raise ValueError("its hidden edges stand in no bins")
        if not np.isfinite(self.counts).all() or (self.counts < 0).any():
            raise ValueError("its hidden edges are no counts")

    @classmethod
    def of(cls, evidence: HiddenRanks) -> BinnedRanks:
        """The same, coarser."""
        edges = _bin_edges(evidence.n_others)
        counts = np.histogram(np.minimum(evidence.places, edges[-1]), edges)[0]
        return cls(counts.astype(np.float64), evidence.n_others, evidence.n_splits)

    @property
    def edges(self) -> F64:
        """Of the bins (B + 1)."""
        return _bin_edges(self.n_others)


@dataclass(frozen=True)
class RankCurve:
    """log_ranks (B) ascending, log_odds (B) descending: g, so that p = 0.995 σ(g).

    deviations (B)  standard deviations of g
    n_others        how many ranks there are
    theta           links that nobody recorded, per hidden edge
    """

    log_ranks: F64
    log_odds: F64
    deviations: F64
    n_others: float
    theta: float

    @classmethod
    def fit(cls, evidence: HiddenRanks | BinnedRanks, theta: float) -> RankCurve:
        """The most likely curve, and how far it is known."""
        theta = max(theta, LEAST_THETA)
        binned = evidence if isinstance(evidence, BinnedRanks) else BinnedRanks.of(evidence)
        counts, edges = binned.counts, binned.edges
        # What would be hidden in a bin if all of its pairs were links.
        exposure = np.diff(edges) * binned.n_splits * LARGEST / theta
        log_ranks = np.log(np.concatenate([[edges[1] / 2], np.sqrt(edges[1:-1] * edges[2:])]))
        log_odds, hessian = _most_likely(counts, exposure, np.diff(log_ranks))
        log_odds += level_shift(log_odds, exposure, counts.sum())
        deviations = np.sqrt(np.diag(np.linalg.inv(hessian)))
        # The last bin ends behind its middle.
        last = np.log(edges[-1])
        fall = _LEAST_FALL * max(last - log_ranks[-1], _STEP)
        return cls(
            np.append(log_ranks, max(last, log_ranks[-1] + _STEP)),
            np.append(log_odds, log_odds[-1] - fall),
            np.append(deviations, deviations[-1]),
            float(edges[-1]),
            theta,
        )

    def at(self, ranks: F64) -> tuple[F64, F64]:
        """g and its standard deviation at ranks, of which the first pair's is one half."""
        places = np.log(np.maximum(ranks, 1e-300))
        return (
            np.interp(places, self.log_ranks, self.log_odds),
            np.interp(places, self.log_ranks, self.deviations),
        )

    def over(self, starts: F64, ends: F64) -> F64:
        """g of the mean probability between two ranks, as pairs of equal scores have it."""
        grid = np.concatenate([[0.0], np.exp(np.linspace(np.log(0.5), np.log(max(self.n_others, 1.0)), 2_000))])
        middle = (grid[1:] + grid[:-1]) / 2
        total = np.concatenate([[0.0], np.cumsum(np.diff(grid) * expit(self.at(middle)[0]))])
        mean = (np.interp(ends, grid, total) - np.interp(starts, grid, total)) / np.maximum(ends - starts, 1e-300)
        mean = np.clip(mean, 1e-300, 1 - 1e-15)
        return np.asarray(np.log(mean) - np.log1p(-mean))


def _bin_edges(n_others: float) -> F64:
    total = max(n_others, 1.0)
    edges = np.concatenate([[0.0, 1.0], np.exp(np.arange(_STEP, np.log(max(total, 2.0)), _STEP))])
    edges = edges[edges < total]
    return np.concatenate([edges, [total]])


def _most_likely(counts: F64, exposure: F64, gaps: F64) -> tuple[F64, F64]:
    """g and the Hessian of its log-posterior, with the σ under which the counts are most likely."""
    steps = np.diff(np.eye(len(counts)), axis=0)
    falls = _rough_start(counts, exposure, gaps)
    found: tuple[float, F64, F64] | None = None
    for steepness in _STEEPNESS:
        precision = 1 / _prior_variances(counts, steepness**2 * gaps)
        falls, loss = _fitted(falls, counts, exposure, gaps, precision)
        log_odds = _levels(falls)
        information = exposure * expit(log_odds) * expit(-log_odds) ** 2
        hessian = np.diag(information + 1e-9) + steps.T @ (precision[:, None] * steps)
        hessian[0, 0] += 1 / _TOP_DEVIATION**2
        likely = -loss - 0.5 * np.linalg.slogdet(hessian)[1] + 0.5 * np.log(precision).sum()
        if found is None or likely > found[0]:
            found = likely, log_odds, hessian
    assert found is not None
    return found[1], found[2]


def _prior_variances(counts: F64, variances: F64) -> F64:
    """v: how far the curve may fall between two bins, less at the top than elsewhere."""
    found = np.cumsum(counts)
    top = int(np.searchsorted(found, min(_TOP, max(_LEAST_TOP, found[-1] / _TOP_SHARE))))
    together = variances[:top].sum()
    if together <= _TOP_VARIANCE:
        return variances
    return np.concatenate([variances[:top] * (_TOP_VARIANCE / together), variances[top:]])


def _fitted(start: F64, counts: F64, exposure: F64, gaps: F64, precision: F64) -> tuple[F64, float]:
    """The highest level and the falls after it, by which everything is written: falls have a least size.

    They are looked for in units of their prior deviations, in which the search is short.
    """
    units = np.concatenate([[_TOP_DEVIATION], 1 / np.sqrt(precision)])

    def loss(scaled: F64) -> tuple[float, F64]:
        log_odds = _levels(units * scaled)
        expected = exposure * expit(log_odds)
        value = expected.sum() - counts @ log_expit(log_odds) + 0.5 * scaled @ scaled
        excess = (expected - counts) * expit(-log_odds)
        below = np.cumsum(excess[::-1])[::-1]
        return float(value), units * np.concatenate([[below[0]], -below[1:]]) + scaled

    least = np.concatenate([[-np.inf], _LEAST_FALL * gaps]) / units
    limits = {"maxiter": 2_000, "maxfun": 5_000, "ftol": 1e-12, "gtol": 1e-6}
    bounds = [(low, None) for low in least.tolist()]
    found = minimize(loss, start / units, jac=True, method="L-BFGS-B", bounds=bounds, options=limits)
    return np.asarray(units * found.x), float(found.fun)


def _levels(falls: F64) -> F64:
    return np.asarray(falls[0] - np.concatenate([[0.0], np.cumsum(falls[1:])]))


def _rough_start(counts: F64, exposure: F64, gaps: F64) -> F64:
    """What has been found up to a bin, in the mean."""
    shares = np.minimum((np.cumsum(counts) + 0.5) / np.cumsum(exposure), 0.95)
    log_odds = np.log(shares) - np.log1p(-shares)
    return np.concatenate([log_odds[:1], np.maximum(-np.diff(log_odds), _LEAST_FALL * gaps)])


def level_shift(log_odds: F64, exposure: F64, expected: float) -> float:
    """What to add to all log-odds so that Σ exposure σ(log-odds) is as expected; 0 where that cannot be."""

    def excess(shift: float) -> float:
        return float(exposure @ expit(log_odds + shift)) - expected

    if not excess(-_FAR) < 0 < excess(_FAR):
        return 0.0
    return float(brentq(excess, -_FAR, _FAR))
