"""Two sets of trees, each at home in one part of the pairs.

far    hidden edges against any unconnected pairs: right about the bulk
near   hidden edges against candidates and any pairs: tells links from what looks most like them

With f and n their log-odds, τ the f that as many unconnected pairs reach as are candidates, one in twenty at most,
and ν the middle n beyond τ:

    score = f                                      where f < τ
            τ + log(1 + exp(f − τ + 2 (n − ν)))    elsewhere, which is above τ whatever n says

Either alone is worse at one end: on Chameleon, candidates among the lessons raise the average precision over all
pairs from 0.82 to 0.87 and cost 0.08 points of AUROC; on Cora, near trees alone have 93.5 of AUROC, far ones 97.1.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pulink.models.predictor import State
from pulink.plus.lessons import Lessons
from pulink.plus.trees import Trees

Floats = npt.NDArray[np.float64]
Signals = npt.NDArray[np.float32]

_LARGEST_SHARE = 0.05
_NEAR_WEIGHT = 2.0


class Settings(Protocol):
    """Of the trees."""

    n_trees: int
    n_leaves: int
    tree_rate: float
    seed: int


@dataclass(frozen=True)
class Scorer:
    """Scores a pair by its signals; `threshold` and `middle` are τ and ν."""

    far: Trees
    near: Trees
    threshold: float
    middle: float

    @classmethod
    def fit(cls, lessons: Lessons, settings: Settings) -> Scorer:
        """Unconnected pairs count as non-links."""
        bulk = ~lessons.near
        far = _trees(lessons.signals[bulk], lessons.labels[bulk], settings)
        scores = far.scores(lessons.signals)
        any_pairs = scores[bulk & (lessons.labels == 0)]
        share = min(lessons.near_share, _LARGEST_SHARE)
        threshold = float(np.quantile(any_pairs, 1 - share)) if len(any_pairs) else 0.0
        return cls(far, far, threshold, 0.0).with_labels(lessons, scores, lessons.labels, settings)

    def with_labels(self, lessons: Lessons, far: Floats, labels: Floats, settings: Settings) -> Scorer:
        """The near trees learned again with other labels; among any pairs, hardly one is a link."""
        near = _trees(lessons.signals, labels, settings)
        beyond = far >= self.threshold
        middle = float(np.median(near.scores(lessons.signals[beyond]))) if beyond.any() else 0.0
        return Scorer(self.far, near, self.threshold, middle)

    def state(self) -> State:
        """All arrays by name."""
        found: State = {"cuts": np.array([self.threshold, self.middle])}
        for name, own in (("far", self.far), ("near", self.near)):
            found |= {f"{name}.{part.name}": getattr(own, part.name) for part in fields(Trees)}
        return found

    @classmethod
    def from_state(cls, state: State, n_signals: int) -> Scorer:
        """What `state` gave, to score rows of so many signals."""
        far, near = (
            Trees(**{part.name: state[f"{name}.{part.name}"] for part in fields(Trees)})
            for name in ("far", "near")
        )
        if max(far.n_columns, near.n_columns) > n_signals:
            raise ValueError("its trees read signals that it does not have")
        threshold, middle = state["cuts"].tolist()
        return cls(far, near, float(threshold), float(middle))

    def scores(self, signals: Signals) -> Floats:
        """Larger for likelier links (k)."""
        return self.joined(self.far.scores(signals), signals)

    def joined(self, far: Floats, signals: Signals) -> Floats:
        """Scores of pairs of which the far trees' are known."""
        scores = far.copy()
        beyond = far >= self.threshold
        if beyond.any():
            near = self.near.scores(signals[beyond]) - self.middle
            scores[beyond] = self.threshold + np.logaddexp(0.0, far[beyond] - self.threshold + _NEAR_WEIGHT * near)
        return scores


def _trees(signals: Signals, labels: Floats, settings: Settings) -> Trees:
    return Trees.fit(
        signals,
        labels,
        n_trees=settings.n_trees,
        n_leaves=settings.n_leaves,
        rate=settings.tree_rate,
        seed=settings.seed,
    )
