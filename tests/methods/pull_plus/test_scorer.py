"""Far and near trees together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from pulink.methods.pull_plus.scoring.scorer import Scorer, near_grower
from pulink.methods.pull_plus.training_set import TrainingSet
from tests.methods.pull_plus.test_trees import rows


@dataclass
class Settings:
    n_trees: int = 20
    n_leaves: int = 5
    tree_rate: float = 0.1
    seed: int = 0


def training_set(n_rows: int = 900, seed: int = 0) -> TrainingSet:
    """A tenth are links, by the first column; a half of the others are candidates, and the second column tells.

    The last column is the number of sources: of two links in three, and of all candidates.
    """
    rng = np.random.default_rng(seed)
    signals = rows(n_rows, 5, seed)
    kind = rng.choice(3, n_rows, p=[0.1, 0.4, 0.5])
    signals[:, 0] += np.where(kind == 1, -2, 2)
    signals[:, 1] += np.where(kind == 0, 2, -2)
    signals[:, -1] = np.where(kind == 2, 1, (kind == 0) & (rng.random(n_rows) < 2 / 3))
    near, none = (kind != 1) & (signals[:, -1] > 0), np.zeros(n_rows, np.bool_)
    return TrainingSet(signals, (kind == 0).astype(np.float64), kind != 2, near, none, -3.0, -1.0, 1)


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer.fit(training_set(), Settings())


def test_links_stand_above_candidates_and_the_bulk(scorer: Scorer) -> None:
    own = training_set(seed=1)
    scores = scorer.scores(own.signals)
    links, inside = own.labels > 0, own.signals[:, -1] > 0
    assert np.quantile(scores[links & inside], 0.1) > np.quantile(scores[~links & inside], 0.9)
    assert np.quantile(scores[links & ~inside], 0.1) > np.quantile(scores[~links & ~inside], 0.9)


def test_a_score_by_hand(scorer: Scorer) -> None:
    """Far trees alone for a pair that is no candidate; else a third of them and two thirds of the near ones."""
    signals = training_set(seed=1).signals
    far, near = scorer.far.scores(signals) - 3, scorer.near.scores(signals) - 1
    expected = np.where(signals[:, -1] > 0, far / 3 + 2 * near / 3, far)
    assert scorer.scores(signals) == pytest.approx(expected, abs=1e-12)


def test_the_far_trees_saw_neither_candidates_nor_sources(scorer: Scorer) -> None:
    own = training_set()
    assert scorer.far.n_columns < own.signals.shape[1]
    other = replace(own, signals=np.where(own.far[:, None], own.signals, 7).astype(np.float32))
    again = Scorer.fit(other, Settings())
    assert np.array_equal(again.far.scores(own.signals), scorer.far.scores(own.signals))
    assert not np.array_equal(again.near.scores(own.signals), scorer.near.scores(own.signals))


def test_the_near_trees_saw_candidates_alone(scorer: Scorer) -> None:
    own = training_set()
    other = replace(own, signals=np.where(own.near[:, None], own.signals, 7).astype(np.float32))
    again = Scorer.fit(other, Settings())
    assert np.array_equal(again.near.scores(own.signals), scorer.near.scores(own.signals))


def test_other_labels_teach_the_near_trees_alone(scorer: Scorer) -> None:
    own = training_set()
    near = near_grower(own, Settings())
    again = scorer.with_labels(own, own.labels, near)
    assert np.array_equal(again.scores(own.signals), scorer.scores(own.signals))
    drawn = own.near & (own.labels == 0)
    likelier = scorer.with_labels(own, np.where(drawn, 0.5, own.labels), near)
    assert likelier.far is scorer.far
    assert likelier.near.scores(own.signals)[drawn].mean() > scorer.near.scores(own.signals)[drawn].mean()


def test_without_candidates_on_both_sides_far_trees_decide() -> None:
    own = training_set()
    alone = replace(own, near=own.near & (own.labels > 0))
    scorer = Scorer.fit(alone, Settings())
    assert scorer.scores(own.signals) == pytest.approx(scorer.far.scores(own.signals) - 3)


def test_a_score_does_not_depend_on_its_batch(scorer: Scorer) -> None:
    signals = training_set(seed=2).signals
    scores = scorer.scores(signals)
    for k in range(0, len(signals), 97):
        assert scorer.scores(signals[k : k + 1])[0] == scores[k]
    assert scorer.scores(signals[:0]).shape == (0,)


def test_lessons_of_edges_alone_give_one_score() -> None:
    own = training_set()
    n = len(own.labels)
    alone = TrainingSet(
        own.signals, np.ones(n), np.ones(n, np.bool_), np.ones(n, np.bool_), np.zeros(n, np.bool_), 0.0, 0.0, 1
    )
    scores = Scorer.fit(alone, Settings()).scores(own.signals)
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) == 1


def test_what_is_stored_gives_the_same_scores_to_the_bit(scorer: Scorer) -> None:
    signals = training_set(seed=3).signals
    again = Scorer.from_state(scorer.state(), 5)
    assert np.array_equal(again.scores(signals), scorer.scores(signals))


def test_damaged_arrays_are_refused(scorer: Scorer) -> None:
    state = scorer.state()
    for name, array in state.items():
        if name.endswith("roots"):
            continue  # fewer trees are trees
        with pytest.raises((ValueError, KeyError)):
            Scorer.from_state(state | {name: array[:-1]}, 5)
        with pytest.raises((ValueError, KeyError)):
            Scorer.from_state({key: own for key, own in state.items() if key != name}, 5)
    with pytest.raises(ValueError, match="offsets are no numbers"):
        Scorer.from_state(state | {"offsets": np.array([0.0, 0.0, 2.0])}, 5)
    with pytest.raises(ValueError, match="read signals that it does not have"):
        Scorer.from_state(state, 1)
