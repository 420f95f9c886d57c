"""What answers tell of the number of links per hidden edge: a posterior on a grid.

Hidden edges give the shape, answers the level. Of M_k pairs in stratum k, L_k hidden edges were found among them,
n_k pairs were asked about, and y_k are links:

    y_k ~ Bin(n_k, p_k)
    log p_k = cap(log θ + log(L_k / M_k) + β x_k + ε_k),    ε_k ~ N(0, τ² + 1 / (L_k + ½))

θ    missing links per hidden edge, as likely on a logarithmic scale anywhere between few and more than are allowed
x_k  min(log L_k / M_k, log n_hidden / bound), centred: where links are not missing at random, hidden edges may
     show too few links at the top or too many (drift β)
τ    how far strata differ otherwise
cap  m − log(1 + (e^m / .995)^16) / 16: m itself where it is small, and never above .995. A hard limit puts strata
     that hidden edges saturate at .995 for sure

L_k / M_k falls from stratum to stratum: where it does not, neighbours are put together (isotonic regression).
Beside the answers each stratum has a tenth of a pair that is no link, or a few answers that are all links would
certify too much.

β and τ have a few values with weights; ε is integrated by Gauss-Hermite.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from pulink.calibration.rank_curve import LARGEST
from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.design import ReviewDesign
from pulink.engine.random import normals, stream_key, uniforms

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_SPREADS = np.array([0.05, 0.15, 0.35])
_SPREAD_WEIGHTS = np.array([0.30, 0.45, 0.25])
_DRIFTS = np.array([-0.5, -0.25, 0.0, 0.25])
_DRIFT_WEIGHTS = np.array([0.12, 0.23, 0.50, 0.15])
_LEVELS, _NODES = 50, 31
# Of known edges, and times what hidden edges allow: between these the number of missing links is looked for.
_FEWEST_SHARE, _BOUND_TIMES = 0.005, 3.0
N_DRAWS = 1_000
_SMALLEST = 1e-12
_SHARPNESS = 16.0
# A pair that is no link, before any answer.
_NO_LINK_BEFORE = 0.1
# How far links per hidden edge below the zone may differ from those in its last third.
_TAIL_SPREAD = 0.1


@dataclass(frozen=True)
class Draws:
    """N_DRAWS (d) draws of the posterior.

    levels   (d) θ
    chances  (d x K) p_k
    links    (d x K) T_k, links of each stratum, those that were answered among them
    tail     (d) links below the zone, extrapolated
    """

    levels: F64
    chances: F64
    links: F64
    tail: F64

    @property
    def number(self) -> F64:
        """Missing links (d)."""
        return np.asarray(self.links.sum(axis=1) + self.tail)


@dataclass(frozen=True)
class Posterior:
    """Of one design; `draws` is what answers make of it."""

    design: ReviewDesign

    @cached_property
    def _x(self) -> F64:
        """x_k (K)."""
        hidden = self._hidden
        slopes = np.minimum(np.log(hidden / self.design.sizes), np.log(self._allowed))
        return np.asarray(slopes - slopes @ hidden / hidden.sum())

    @property
    def _hidden(self) -> F64:
        # A stratum without a hidden edge may have had half a one.
        return np.maximum(self.design.hidden, 0.5)

    @cached_property
    def _falling(self) -> tuple[F64, F64]:
        """log(L_k / M_k), made to fall, and the hidden edges that each rests on (K)."""
        weights, sizes = self._hidden, self.design.sizes.astype(np.float64)
        blocks: list[list[float]] = []
        for hidden, size in zip(weights, sizes, strict=True):
            blocks.append([hidden, size, 1.0])
            while len(blocks) > 1 and blocks[-1][0] * blocks[-2][1] >= blocks[-2][0] * blocks[-1][1]:
                last = blocks.pop()
                blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
        counts = [int(block[2]) for block in blocks]
        hidden, size = (np.repeat([block[k] for block in blocks], counts) for k in (0, 1))
        return np.log(hidden / size), hidden

    @property
    def _allowed(self) -> float:
        return max(self.design.n_hidden, 1.0) / max(self.design.bound, 1.0)

    @cached_property
    def _log_levels(self) -> F64:
        known, total = max(self.design.n_known, 1), max(self.design.n_hidden, 1.0)
        most = max(_BOUND_TIMES * self.design.bound, known)
        return np.linspace(np.log(_FEWEST_SHARE * known / total), np.log(most / total), _LEVELS)

    @cached_property
    def _log_chances(self) -> tuple[F64, F64]:
        """log p_k and log(1 − p_k), by τ, β, θ, stratum and node (3 x 4 x 50 x K x 31)."""
        nodes, _ = _gauss_hermite()
        base, hidden = self._falling
        deviations = np.sqrt(_SPREADS[:, None] ** 2 + 1 / (hidden + 0.5))
        means = self._log_levels[None, :, None] + base + _DRIFTS[:, None, None] * self._x
        found = means[None, ..., None] + deviations[:, None, None, :, None] * nodes
        found -= np.logaddexp(0.0, _SHARPNESS * (found - np.log(LARGEST))) / _SHARPNESS
        found = np.maximum(found, np.log(_SMALLEST))
        return found, np.log1p(-np.exp(found))

    def draws(self, answers: DrawnAnswers) -> Draws:
        """What may be so, once these answers are known."""
        links, asked = answers.by_stratum(self.design)
        by_node = self._likelihoods(links, asked)
        by_cell = logsumexp(by_node, axis=-1).sum(axis=-1)
        by_cell += np.log(_SPREAD_WEIGHTS)[:, None, None] + np.log(_DRIFT_WEIGHTS)[:, None]
        cells = _picked(np.exp(by_cell - by_cell.max()).ravel(), self._uniforms("cells", 1)[0])
        spread, drift, level = np.unravel_index(cells, by_cell.shape)
        chances = self._chances(by_node, spread, drift, level)
        rest = (self.design.sizes - asked).astype(np.float64)
        more = _distributions().binom.ppf(
            self._uniforms("links", N_DRAWS * len(rest)).reshape(chances.shape), rest, chances
        )
        theta = np.exp(self._log_levels[level])
        return Draws(theta, chances, links + more, self._tail(theta, spread, drift))

    def _likelihoods(self, links: Ints, asked: Ints) -> F64:
        """The logarithm, with the weight of each node (3 x 4 x 50 x K x 31)."""
        log_p, log_rest = self._log_chances
        found = links[:, None] * log_p + (asked - links + _NO_LINK_BEFORE)[:, None] * log_rest
        return np.asarray(found + np.log(_gauss_hermite()[1]))

    def _chances(self, by_node: F64, spread: Ints, drift: Ints, level: Ints) -> F64:
        """p_k of each draw: a node of each stratum, by its likelihood."""
        own = by_node[spread, drift, level]
        sums = np.cumsum(np.exp(own - own.max(axis=-1, keepdims=True)), axis=-1)
        wanted = self._uniforms("nodes", own[..., 0].size).reshape(own.shape[:2]) * sums[..., -1]
        node = np.minimum((sums < wanted[..., None]).sum(axis=-1), _NODES - 1)
        log_p = self._log_chances[0][spread, drift, level]
        return np.asarray(np.exp(np.take_along_axis(log_p, node[..., None], axis=-1)[..., 0]))

    def _tail(self, theta: F64, spread: Ints, drift: Ints) -> F64:
        """Links below the zone, where nobody is asked: about as many per hidden edge as in its last third."""
        hidden = self.design.tail
        if not hidden:
            return np.zeros(N_DRAWS)
        last = self._x[-max(len(self._x) // 3, 1) :].mean()
        deviation = np.sqrt(_SPREADS[spread] ** 2 + _TAIL_SPREAD**2 + 1 / (hidden + 0.5))
        noise = normals(stream_key(self.design.seed, "review tail"), N_DRAWS)
        expected = theta * np.exp(_DRIFTS[drift] * last + deviation * noise) * hidden
        return np.asarray(_distributions().poisson.ppf(self._uniforms("tail", N_DRAWS), expected))

    def _uniforms(self, what: str, count: int) -> F64:
        # In the middle of their steps: quantiles of 0 lie below what can be.
        return uniforms(stream_key(self.design.seed, "review draws", what), count) + 2.0**-54


def _gauss_hermite() -> tuple[F64, F64]:
    """Nodes and weights for the expectation over a standard normal number."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _picked(weights: F64, offset: float) -> Ints:
    """N_DRAWS places, each as often as its weight says, up to one."""
    sums = np.cumsum(weights)
    wanted = (np.arange(N_DRAWS) + offset) / N_DRAWS * sums[-1]
    return np.asarray(np.minimum(np.searchsorted(sums, wanted), len(weights) - 1))


def _distributions() -> ModuleType:
    # They take half a second to load, which those who review nothing need not wait.
    return import_module("scipy.stats")
