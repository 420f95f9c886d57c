"""Two sets of trees, each at home in one part of the pairs.

far    hidden edges against any unconnected pairs, by their signals
near   hidden edges that are candidates against unconnected candidates, by their signals and the number of sources

With f and n their log-odds among their training rows, and offsets a and b that make them log-odds among all pairs
and among all candidates (see `TrainingSet`):

    score = f + a                                of a pair that is no candidate
            (f + a) / 3 + 2 (n + b) / 3          of a candidate

and the terms of `added_terms`, where there are any.

So scores of either kind are log-odds of the same event, and can be compared. Far trees alone rank candidates worse
(Chameleon, average precision over all pairs 0.85 for 0.88; PubMed 0.04 for 0.06). Near trees know candidates
alone: shown to other pairs, they take half a million of PubMed's for links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pulink.engine.pace import portion
from pulink.methods.pull_plus.scoring.added_terms import Term
from pulink.methods.pull_plus.scoring.trees import Grower, Trees
from pulink.methods.pull_plus.training_set import TrainingSet
from pulink.predictor.fitting.fit_run import State

F64 = npt.NDArray[np.float64]
Signals = npt.NDArray[np.float32]

_NEAR_WEIGHT = 2 / 3
_TERMS = "terms"
# Where hidden edges are few, large trees learn them by heart: a leaf more for so many of them.
_FEWEST_LEAVES, _EDGES_PER_LEAF = 8, 200


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
    terms: tuple[Term, ...] = ()

    @classmethod
    def fit(cls, training_set: TrainingSet, settings: Settings, near: Grower | None = None) -> Scorer:
        """Unconnected pairs count as non-links.

        near  `near_grower` of the same set and settings, where near trees will be learned again
        """
        with portion(0.0, 0.5):
            far_rows = training_set.signals[training_set.far][:, :-1]
            far = _grower(far_rows, training_set, settings).grow(training_set.labels[training_set.far])
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

    def without_terms_of(self, places: Sequence[int]) -> Scorer:
        """Without terms that read any of these columns; itself, if there are none."""
        kept = tuple(term for term in self.terms if term.place not in places)
        return self if kept == self.terms else replace(self, terms=kept)

    def state(self) -> State:
        """All arrays by name."""
        found: State = {"offsets": np.array([self.far_offset, self.near_offset, self.near_weight])}
        for name, trees in (("far", self.far), ("near", self.near)):
            found |= {f"{name}.{part.name}": getattr(trees, part.name) for part in fields(Trees)}
        if self.terms:
            found[_TERMS] = np.array([astuple(term) for term in self.terms], dtype=np.float64).T.copy()
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
        # Scorers that were stored before there were terms have none.
        terms = _terms(state[_TERMS], n_signals) if _TERMS in state else ()
        return cls(far, near, float(far_offset), float(near_offset), float(near_weight), terms)

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
        for term in self.terms:
            scores += term.of(signals)
        return scores


def _terms(stored: F64, n_signals: int) -> tuple[Term, ...]:
    """From places, kinds and weights (3 x k); ValueError if they are none: a stored model may hold anything."""
    if stored.ndim != 2 or len(stored) != len(fields(Term)) or not np.isfinite(stored).all():
        raise ValueError("its added terms are not whole")
    if not np.isin(stored[0], np.arange(n_signals)).all() or not np.isin(stored[1], (0, 1)).all():
        raise ValueError("its added terms read signals that it does not have")
    return tuple(Term(int(place), bool(log), float(weight)) for place, log, weight in stored.T.tolist())


def near_grower(training_set: TrainingSet, settings: Settings) -> Grower:
    """What near trees grow on."""
    return _grower(training_set.signals[training_set.near], training_set, settings)


def _grower(rows: Signals, training_set: TrainingSet, settings: Settings) -> Grower:
    """On some rows of the training set, which are overwritten: a column of zeros is never split."""
    rows[:, training_set.unread] = 0.0
    n_hidden = int(training_set.labels.sum())
    return Grower(
        rows,
        n_trees=settings.n_trees,
        n_leaves=min(settings.n_leaves, max(_FEWEST_LEAVES, n_hidden // _EDGES_PER_LEAF)),
        rate=settings.tree_rate,
        seed=settings.seed,
    )
