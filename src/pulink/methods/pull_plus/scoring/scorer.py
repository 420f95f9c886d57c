"""Two sets of trees, each at home in one part of the pairs.

far    hidden edges against any unconnected pairs, by their signals
near   hidden edges that are candidates against unconnected candidates, by their signals and the number of sources

With f and n their log-odds among their training rows, and offsets a and b that make them log-odds among all pairs
and among all candidates (see `TrainingSet`):

    score = f + a                                of a pair that is no candidate
            (f + a) / 3 + 2 (n + b) / 3          of a candidate

So scores of either kind are log-odds of the same event, and can be compared. Far trees alone rank candidates worse
(Chameleon, average precision over all pairs 0.85 for 0.88; PubMed 0.04 for 0.06). Near trees know candidates
alone: shown to other pairs, they take half a million of PubMed's for links.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pulink.engine.pace import portion
from pulink.methods.pull_plus.scoring.trees import Grower, Trees
from pulink.methods.pull_plus.training_set import TrainingSet
from pulink.predictor.fitting.fit_run import State

F64 = npt.NDArray[np.float64]
Signals = npt.NDArray[np.float32]

_NEAR_WEIGHT = 2 / 3


class Settings(Protocol):
    """Of the trees."""

    n_trees: int
    n_leaves: int
    tree_rate: float
    seed: int


@dataclass(frozen=True)
class Scorer:
    """Scores a pair by its signals, of which the last is the number of its sources."""

    far: Trees
    near: Trees
    far_offset: float
    near_offset: float
    near_weight: float

    @classmethod
    def fit(cls, training_set: TrainingSet, settings: Settings, near: Grower | None = None) -> Scorer:
        """Unconnected pairs count as non-links.

        near  `near_grower` of the same set and settings, where near trees will be learned again
        """
        with portion(0.0, 0.5):
            rows = training_set.signals[training_set.far][:, :-1]
            far = _grower(rows, settings).grow(training_set.labels[training_set.far])
        labels = training_set.labels[training_set.near]
        both = 0 < labels.sum() < len(labels)
        alone = cls(far, far, training_set.far_offset, training_set.near_offset, _NEAR_WEIGHT if both else 0.0)
        with portion(0.5, 1.0):
            return alone.with_labels(
                training_set, training_set.labels, near or near_grower(training_set, settings)
            )

    def with_labels(self, training_set: TrainingSet, labels: F64, near: Grower) -> Scorer:
        """The near trees learned again with other labels; among any pairs, hardly one is a link."""
        if not self.near_weight:
            return self
        return replace(self, near=near.grow(labels[training_set.near]))

    def state(self) -> State:
        """All arrays by name."""
        found: State = {"offsets": np.array([self.far_offset, self.near_offset, self.near_weight])}
        for name, trees in (("far", self.far), ("near", self.near)):
            found |= {f"{name}.{part.name}": getattr(trees, part.name) for part in fields(Trees)}
        return found

    @classmethod
    def from_state(cls, state: State, n_signals: int) -> Scorer:
        """What `state` gave, to score rows of so many signals."""
        far, near = (
            Trees(**{part.name: state[f"{name}.{part.name}"] for part in fields(Trees)})
            for name in ("far", "near")
        )
        if max(far.n_columns + 1, near.n_columns) > n_signals:
            raise ValueError("its trees read signals that it does not have")
        far_offset, near_offset, near_weight = state["offsets"].tolist()
        if not (np.isfinite([far_offset, near_offset]).all() and 0 <= near_weight <= 1):
            raise ValueError("its offsets are no numbers")
        return cls(far, near, float(far_offset), float(near_offset), float(near_weight))

    def scores(self, signals: Signals) -> F64:
        """Log-odds of a link among all pairs (k)."""
        return self.joined(self.far.scores(signals), signals)

    def joined(self, far: F64, signals: Signals) -> F64:
        """Scores of pairs of which the far trees' are known."""
        scores = far + self.far_offset
        inside = signals[:, -1] > 0
        if self.near_weight and inside.any():
            near = self.near.scores(signals[inside]) + self.near_offset
            scores[inside] = (1 - self.near_weight) * scores[inside] + self.near_weight * near
        return scores


def near_grower(training_set: TrainingSet, settings: Settings) -> Grower:
    """What near trees grow on."""
    return _grower(training_set.signals[training_set.near], settings)


def _grower(signals: Signals, settings: Settings) -> Grower:
    return Grower(
        signals,
        n_trees=settings.n_trees,
        n_leaves=settings.n_leaves,
        rate=settings.tree_rate,
        seed=settings.seed,
    )
