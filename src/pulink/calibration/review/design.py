"""Which pairs people are asked about: a few strata of the best pairs, and a random order within each.

Hidden edges tell how links are spread over the ranks; they do not tell how many there are. So the best pairs are
cut into strata that hold equally many hidden edges, and every stratum is asked about equally often. A round asks
about one random pair of each, strata in a random order: whoever stops early has a stratified sample all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from pulink.calibration.calibrator import Calibrator
from pulink.calibration.fdr import FdrCurve
from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.calibration.rank_curve import LARGEST, RankCurve
from pulink.engine.random import permutation, stream_key
from pulink.errors import InputError

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# A pair is asked about if its probability would be so much, were as many links missing as hidden edges allow.
_LEAST_PROBABILITY = 0.1
_LEAST_ZONE, _MOST_ZONE = 200, 1_000_000
# Hidden edges in a stratum, and how many strata there are.
_HIDDEN_EACH, _FEWEST, _MOST = 20, 3, 10


@dataclass(frozen=True)
class ReviewDesign:
    """The strata, from the best pair on; `hidden` and `tail` count the hidden edges of all splits.

    ends     (K) the rank after the last pair of each stratum; the last one ends the zone that is asked about
    hidden   (K) hidden edges among the ranks of each
    tail     hidden edges below the zone
    curve    how many hidden edges stand before each rank
    n_known  edges that were known, the hidden ones among them
    bound    the largest number of missing links that hidden edges allow
    seed     where the order of questions comes from
    """

    ends: Ints
    hidden: F64
    tail: float
    curve: FdrCurve
    n_known: int
    bound: float
    seed: int = 0

    @classmethod
    def of(cls, calibrator: Calibrator, seed: int = 0) -> ReviewDesign:
        """For a model that hidden edges calibrated."""
        bound = calibrator.missing.bound
        return cls.by_hidden_edges(calibrator.fdr_curve, calibrator.n_known, calibrator.n_hidden, bound, seed)

    @classmethod
    def by_hidden_edges(
        cls, curve: FdrCurve, n_known: int, n_hidden: float, bound: float, seed: int = 0
    ) -> ReviewDesign:
        """From where hidden edges stand; n_hidden: of one split."""
        zone = _zone(curve, bound / n_hidden)
        inside = float(_before(curve, zone))
        n_strata = int(np.clip(inside // _HIDDEN_EACH, _FEWEST, _MOST))
        ends = _equal_parts(curve, zone, n_strata)
        hidden = np.diff(_before(curve, ends), prepend=0.0)
        total = float(curve.hidden[-1])
        return cls(ends, hidden, max(total - inside, 0.0), curve, n_known, bound, seed)

    def to_dict(self) -> dict[str, Any]:
        """The strata as plain values, for a ledger."""
        return {"ends": self.ends.tolist(), "hidden": self.hidden.tolist(), "tail": self.tail, "bound": self.bound}

    def like(self, strata: dict[str, Any], seed: int) -> ReviewDesign:
        """The strata with which a review was begun; InputError if they cannot be of this model."""
        try:
            ends = np.array([int(end) for end in strata["ends"]], dtype=np.int64)
            hidden = np.array([float(count) for count in strata["hidden"]])
            tail, bound = float(strata["tail"]), float(strata["bound"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError("the design of the review cannot be read") from error
        counts = np.concatenate([hidden, [tail, bound]])
        rises = len(ends) > 0 and len(ends) == len(hidden) and (np.diff(ends, prepend=0) > 0).all()
        if not rises or ends[-1] > _MOST_ZONE or not np.isfinite(counts).all() or (counts < 0).any():
            raise InputError("the design of the review does not fit the model")
        return replace(self, ends=ends, hidden=hidden, tail=tail, bound=bound, seed=seed)

    @property
    def zone(self) -> int:
        """How many of the best pairs may be asked about."""
        return int(self.ends[-1])

    @property
    def n_strata(self) -> int:
        return len(self.ends)

    @cached_property
    def starts(self) -> Ints:
        """The rank of the first pair of each stratum, from 0 (K)."""
        return np.concatenate([[0], self.ends[:-1]]).astype(np.int64)

    @cached_property
    def sizes(self) -> Ints:
        """How many pairs each stratum has (K)."""
        return self.ends - self.starts

    @property
    def n_hidden(self) -> float:
        """Hidden edges of all splits."""
        return float(self.curve.hidden[-1])

    def stratum_of(self, rank: int) -> int:
        """The stratum of a rank of the zone."""
        return int(np.searchsorted(self.ends, rank, side="right"))

    def hidden_before(self, ranks: Ints) -> F64:
        """How many hidden edges stand before so many of the best pairs."""
        return _before(self.curve, ranks)

    def draw(self, stratum: int, count: int) -> int:
        """The rank of the pair of a stratum that is asked about after so many others of it."""
        return int(self.starts[stratum] + self._orders[stratum][count])

    def place_of(self, rank: int) -> int:
        """After how many others of its stratum the pair of a rank is asked about."""
        stratum = self.stratum_of(rank)
        return int(self._places[stratum][rank - self.starts[stratum]])

    @cached_property
    def _places(self) -> list[Ints]:
        return [np.argsort(order) for order in self._orders]

    @cached_property
    def _orders(self) -> list[Ints]:
        keys = (stream_key(self.seed, "review", stratum) for stratum in range(self.n_strata))
        return [permutation(key, int(size)) for key, size in zip(keys, self.sizes, strict=True)]

    def next_stratum(self, counted: Sequence[int], drawn: Sequence[int]) -> int | None:
        """The stratum to ask about next; None where every pair was drawn.

        counted  how many questions of each stratum have an answer that counts, or wait for one; a pair of which
                 nobody is sure does not count, so another one of its stratum takes its place
        drawn    how many pairs of each were drawn
        """
        free = [k for k in range(self.n_strata) if drawn[k] < self.sizes[k]]
        if not free:
            return None
        this_round = min(counted[k] for k in free)
        order = permutation(stream_key(self.seed, "review round", this_round), self.n_strata)
        return next(int(k) for k in order if k in free and counted[k] == this_round)


def _before(curve: FdrCurve, ranks: npt.ArrayLike) -> F64:
    places = np.concatenate([[0.0], curve.others])
    counts = np.concatenate([[0.0], curve.hidden])
    return np.asarray(np.interp(np.asarray(ranks, dtype=np.float64), places, counts))


def _zone(curve: FdrCurve, theta: float) -> int:
    """The last rank that is likely enough at this θ, and a little more where that is hardly any."""
    places = np.repeat(curve.others, np.diff(curve.hidden, prepend=0.0).astype(np.int64))
    n_others = float(curve.others[-1])
    ranks = RankCurve.fit(HiddenRanks(places, n_others, curve.n_splits), theta)
    likely = LARGEST * expit(ranks.log_odds) >= _LEAST_PROBABILITY
    last = float(np.exp(ranks.log_ranks[likely][-1])) if likely.any() else 0.0
    if likely.any() and not likely.all():
        # Between two knots the curve is a straight line.
        level = np.log(_LEAST_PROBABILITY / LARGEST) - np.log1p(-_LEAST_PROBABILITY / LARGEST)
        k = int(np.flatnonzero(likely)[-1])
        last = float(np.exp(np.interp(-level, -ranks.log_odds[k : k + 2], ranks.log_ranks[k : k + 2])))
    return int(min(max(last, _LEAST_ZONE), _MOST_ZONE, n_others))


def _equal_parts(curve: FdrCurve, zone: int, n_parts: int) -> Ints:
    """Where strata end that hold equally many hidden edges; without any, equally many pairs."""
    ranks = np.unique(np.concatenate([[0, zone], np.arange(1, min(zone, 5_000)), _spread(zone)]))
    height = _before(curve, ranks) + 1e-6 * ranks / max(zone, 1)
    wanted = height[-1] * np.arange(1, n_parts + 1) / n_parts
    ends = np.ceil(np.interp(wanted, height, ranks) - 1e-9).astype(np.int64)
    ends[-1] = zone
    return np.asarray(np.unique(ends[ends > 0]))


def _spread(zone: int) -> Ints:
    return np.unique(np.geomspace(1, max(zone, 1), 20_000).astype(np.int64))
