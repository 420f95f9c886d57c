"""Where the hidden edges stand: how many of the other unconnected pairs a model puts before each of them.

Scores of two models, or of one model on two graphs, cannot be compared; ranks can. So what several splits tell is
put together by ranks: a hidden edge at place r of one split and one at place r of another tell of the same rank.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.calibration.rank_transfer import told_apart

F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class HiddenRanks:
    """places (H), ascending: how many other pairs stand before each hidden edge, in its own split.

    n_others  unconnected pairs besides the hidden edges, in one split
    n_splits  how many times edges were hidden; H counts the hidden edges of all of them
    """

    places: F64
    n_others: float
    n_splits: int = 1

    @classmethod
    def of(cls, scores: F64, labelled: npt.NDArray[np.bool_], weights: F64) -> HiddenRanks:
        """From scores of pairs, whether each is a hidden edge, and how many pairs it stands for.

        Other pairs of one score stand from the first to the last of their ranks, and at the middle of them.
        Hidden edges of that score stand at equal distances among them; those between two scores of others,
        between the two middles.
        """
        unique, group = np.unique(-told_apart(scores), return_inverse=True)
        others = np.bincount(group, np.where(labelled, 0.0, weights), len(unique))
        held = np.flatnonzero(others)
        if not len(held):
            return cls(np.full(int(labelled.sum()), 0.5), 0.0)
        width = others[held]
        before = np.cumsum(width) - width
        middles = np.concatenate([[0.0], before + width / 2, [before[-1] + width[-1]]])
        # An even place is a gap before others of some score, an odd one is among these.
        following = np.searchsorted(held, np.arange(len(unique)))
        place = np.sort(2 * following[group[labelled]] + (others > 0)[group[labelled]])
        starts, ends = (np.empty(2 * len(held) + 1) for _ in range(2))
        starts[::2], ends[::2] = middles[:-1], middles[1:]
        starts[1::2], ends[1::2] = before, before + width
        counts = np.bincount(place, minlength=len(starts))
        among = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        places = starts[place] + (ends - starts)[place] * (among + 0.5) / counts[place]
        return cls(np.sort(places), float(width.sum()))

    @classmethod
    def pooled(cls, parts: Sequence[HiddenRanks]) -> HiddenRanks:
        """What several splits tell, each of them once."""
        n_others = sum(part.n_others for part in parts) / len(parts)
        places = [part.places * (n_others / part.n_others if part.n_others else 1.0) for part in parts]
        return cls(np.sort(np.concatenate(places)), n_others, sum(part.n_splits for part in parts))

    @property
    def n_hidden(self) -> float:
        """How many edges were hidden in one split."""
        return len(self.places) / self.n_splits

    def counted(self, n_found: float, n_before: float) -> tuple[float, float]:
        """Hidden edges and other pairs of a list, as if all of them had been counted once, independently.

        Over S splits n hidden edges were found, each of them once, before u other pairs, which are the same ones
        in every split. Their ratio is known up to 1 / n + 1 / u, as that of k n / S and k u is, k from 1 to S.
        """
        found, before = n_found / self.n_splits, n_before + 0.5
        times = (1 / found + 1 / before) / (1 / n_found + 1 / before)
        return times * found, times * n_before

    def auroc(self) -> float:
        """The probability that a hidden edge stands before another pair."""
        return 1 - float(self.places.mean()) / self.n_others if len(self.places) and self.n_others else math.nan

    def found_share(self) -> float:
        """Which share of the hidden edges is among as many best pairs as there are hidden edges."""
        if not len(self.places):
            return math.nan
        rank = self.places * self.n_splits + np.arange(1, len(self.places) + 1)
        return float(np.searchsorted(rank, len(self.places), side="right") / len(self.places))
