"""Whether a probability is kept: pairs that were given about the same one, and the share of them that are links.

Almost all pairs of a graph are certain non-links, and an average over all of them proves nothing. So only pairs
with a probability of at least 0.05 count, in ten bins of equal numbers of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.calibration.curve import Calibration, Knots
from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.calibration.rank_curve import RankCurve
from pulink.calibration.rank_transfer import RankedScores
from pulink.engine.random import permutation, stream_key
from pulink.metrics import LEAST, reliability_bins

F64 = npt.NDArray[np.float64]

# Scores of pairs, whether each is a hidden edge, and how many pairs it stands for.
Scored = tuple[F64, npt.NDArray[np.bool_], F64]


@dataclass(frozen=True)
class Reliability:
    """Pairs whose answer is known, in bins of predicted probability.

    Attributes
    ----------
    mean_probability : tuple of float
        By bin, the mean of what was predicted.
    share_true : tuple of float
        By bin, the share of the pairs that are links.
    n_pairs : tuple of int
        By bin, how many pairs.
    error : float or None
        The mean distance of the two, weighted by pairs; None where no pair counts.
    """

    mean_probability: tuple[float, ...]
    share_true: tuple[float, ...]
    n_pairs: tuple[int, ...]
    error: float | None

    @property
    def bins(self) -> list[tuple[float, float, int]]:
        """The bins that hold pairs: probability, share of links, pairs."""
        every = zip(self.mean_probability, self.share_true, self.n_pairs, strict=True)
        return [found for found in every if found[2] > 0]

    def to_dict(self) -> dict[str, Any]:
        """Give the bins by name, as JSON holds them.

        Returns
        -------
        dict
        """
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Reliability:
        """Take back what `to_dict` gave.

        Parameters
        ----------
        found : dict
            Bins by name; KeyError, TypeError or ValueError if it is anything else.

        Returns
        -------
        Reliability
        """
        means, shares = (
            tuple(_at_most_1(float(value)) for value in found[name]) for name in ("mean_probability", "share_true")
        )
        error = None if found["error"] is None else float(found["error"])
        return cls(means, shares, tuple(int(count) for count in found["n_pairs"]), error)

    def check(self) -> None:
        """Check that these are bins: what was stored may be anything.

        Raises
        ------
        ValueError
            If they are none.
        """
        if not len(self.mean_probability) == len(self.share_true) == len(self.n_pairs):
            raise ValueError("its bins are not whole")
        error = 0.0 if self.error is None else self.error
        if min([*self.mean_probability, *self.share_true, 0.0]) < 0:
            raise ValueError("its bins hold a share below 0")
        if not np.isfinite([*self.mean_probability, *self.share_true, *self.n_pairs, error]).all():
            raise ValueError("its bins hold what is no number")

    def scaled(self, factor: float) -> Reliability:
        """Give the bins if every link that was found out stands for more of them.

        Parameters
        ----------
        factor : float
            For how many.

        Returns
        -------
        Reliability
        """
        means, shares = (
            tuple(min(factor * p, 1.0) for p in values) for values in (self.mean_probability, self.share_true)
        )
        return replace(
            self,
            mean_probability=means,
            share_true=shares,
            error=None if self.error is None else min(factor * self.error, 1.0),
        )

    @classmethod
    def of(cls, probs: F64, links: F64, weights: F64, least: float = LEAST) -> Reliability:
        """Sort pairs into ten bins of equal numbers of pairs.

        Parameters
        ----------
        probs : array of float64, k
            What was predicted.
        links : array of float64, k
            1 for a link, 0 for none.
        weights : array of float64, k
            How many pairs each of them stands for.
        least : float
            Pairs with a smaller probability do not count.

        Returns
        -------
        Reliability
        """
        bins = reliability_bins(probs, links, weights, least)
        # An estimate of a share may lie above 1, the share itself cannot.
        found = replace(bins, share_true=np.clip(bins.share_true, 0.0, 1.0))
        return cls(
            tuple(found.mean_probability.tolist()),
            tuple(found.share_true.tolist()),
            tuple(np.rint(found.n_pairs).astype(int).tolist()),
            None if math.isnan(found.error) else found.error,
        )


def _at_most_1(share: float) -> float:
    """Models of earlier versions kept estimated shares above 1; what is no number stays, to be refused."""
    return 1.0 if 1 < share < math.inf else share


def cross_fitted(parts: Sequence[Scored], theta: float, seed: int) -> Reliability:
    """In each split, each half of the pairs judged by the curve of the other half.

    Only hidden edges are known to be links, and they are 1 / (1 + θ) of all links that the graph does not show.
    So what is shown as the share of links is that of hidden ones times 1 + θ: this tests the curve, not how many
    links are missing.
    """
    found = [_judged(part, theta, seed) for part in parts]
    probs, labelled, weights = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    return Reliability.of(probs, labelled * (1 + theta), weights / len(parts))


def _judged(part: Scored, theta: float, seed: int) -> Scored:
    """Probabilities instead of scores."""
    scores, labelled, weights = part
    order = permutation(stream_key(seed, "reliability"), len(scores))
    halves = order[::2], order[1::2]
    probs = np.zeros(len(scores))
    for half, other in (halves, halves[::-1]):
        hidden = labelled[other]
        if hidden.any() and not labelled[half].all():
            curve = RankCurve.fit(HiddenRanks.of(scores[other], hidden, weights[other]), theta)
            others = half[~labelled[half]]
            knots = Knots.of(RankedScores.of(scores[others], weights[others]), curve.n_others)
            probs[half] = Calibration.of(curve, knots).probability(scores[half])
    return probs, labelled, weights
