"""Far and near trees together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from pulink.plus.lessons import Lessons
from pulink.plus.scorer import Scorer
from tests.plus.test_trees import rows


@dataclass
class Settings:
    n_trees: int = 20
    n_leaves: int = 5
    tree_rate: float = 0.1
    seed: int = 0


def lessons(n_rows: int = 900, seed: int = 0) -> Lessons:
    """A tenth are links, by the first column; a half of the others are near, and only the second column tells."""
    rng = np.random.default_rng(seed)
    signals = rows(n_rows, 4, seed)
    kind = rng.choice(3, n_rows, p=[0.1, 0.4, 0.5])
    signals[:, 0] += np.where(kind == 1, -2, 2)
    signals[:, 1] += np.where(kind == 0, 2, -2)
    return Lessons(signals, (kind == 0).astype(np.float64), kind == 2, 0.02, 1)


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer.fit(lessons(), Settings())


def test_links_stand_above_near_pairs_and_those_above_the_bulk(scorer: Scorer) -> None:
    own = lessons(seed=1)
    scores = scorer.scores(own.signals)
    links, near = own.labels > 0, own.near
    assert np.quantile(scores[links], 0.1) > np.quantile(scores[near], 0.9)
    assert np.quantile(scores[links], 0.1) > np.quantile(scores[~links & ~near], 0.9)


def test_the_far_trees_never_saw_a_candidate(scorer: Scorer) -> None:
    own = lessons()
    other = replace(own, signals=np.where(own.near[:, None], 7, own.signals).astype(np.float32))
    again = Scorer.fit(other, Settings())
    assert np.array_equal(again.far.scores(own.signals), scorer.far.scores(own.signals))
    assert not np.array_equal(again.near.scores(own.signals), scorer.near.scores(own.signals))


def test_other_labels_teach_the_near_trees_alone(scorer: Scorer) -> None:
    own = lessons()
    far = scorer.far.scores(own.signals)
    again = scorer.with_labels(own, far, own.labels, Settings())
    assert np.array_equal(again.scores(own.signals), scorer.scores(own.signals))
    likelier = scorer.with_labels(own, far, np.where(own.near, 0.5, own.labels), Settings())
    assert likelier.far is scorer.far
    assert likelier.near.scores(own.signals)[own.near].mean() > scorer.near.scores(own.signals)[own.near].mean()


def test_a_score_does_not_depend_on_its_batch(scorer: Scorer) -> None:
    signals = lessons(seed=2).signals
    scores = scorer.scores(signals)
    for k in range(0, len(signals), 97):
        assert scorer.scores(signals[k : k + 1])[0] == scores[k]
    assert scorer.scores(signals[:0]).shape == (0,)


def test_lessons_of_edges_alone_give_one_score() -> None:
    own = lessons()
    alone = Lessons(own.signals, np.ones(len(own.labels)), np.zeros(len(own.labels), np.bool_), 0.02, 1)
    scores = Scorer.fit(alone, Settings()).scores(own.signals)
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) == 1


def test_what_is_stored_gives_the_same_scores_to_the_bit(scorer: Scorer) -> None:
    signals = lessons(seed=3).signals
    again = Scorer.from_state(scorer.state(), 4)
    assert np.array_equal(again.scores(signals), scorer.scores(signals))


def test_damaged_arrays_are_refused(scorer: Scorer) -> None:
    state = scorer.state()
    for name, array in state.items():
        if name.endswith("roots"):
            continue  # fewer trees are trees
        with pytest.raises((ValueError, KeyError)):
            Scorer.from_state(state | {name: array[:-1]}, 4)
        with pytest.raises((ValueError, KeyError)):
            Scorer.from_state({key: own for key, own in state.items() if key != name}, 4)
    with pytest.raises(ValueError, match="read signals that it does not have"):
        Scorer.from_state(state, 1)
